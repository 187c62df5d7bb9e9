# plot() of a fit, in base graphics. What is shown is computed in plot-data.R.

#' Plot a weighted Bayesian bootstrap
#'
#' Draws the posterior that a fit holds: marginal densities, intervals, importance, what is selected together, the path over
#' `lambda`, or the cross-validation curve. `plot()` uses base graphics; `autoplot()` makes
#' the same pictures with \pkg{ggplot2}, from the same numbers.
#'
#' @details
#' The types are:
#' \describe{
#'   \item{`"density"`}{One panel a coefficient. The spike is the point mass at zero:
#'     its height is P(=0), on a scale where the panel's height is 1. The curve is
#'     the density of the draws that are not zero; the area under it is their share,
#'     1 - P(=0), and its peak is that share of the panel's height. Where zero has
#'     mass the two sides of zero are smoothed apart. The triangle is the mode (the
#'     ordinary lasso estimate). The default for a fit at one `lambda`.}
#'   \item{`"interval"`}{Coefficients in the model's order with central intervals, the
#'     posterior median (point), the mode (triangle) and P(=0), if any draw is zero. Each coefficient is multiplied by the standard
#'     deviation of its column, so that all share one scale; `standardize = FALSE` brings the coefficients as they are.}
#'   \item{`"importance"`}{How much each term moves the linear predictor: the standard deviation, over the rows, of what it
#'     contributes there, with intervals over the draws, the largest first. For a column that is |coefficient| times its
#'     standard deviation; a factor or a spline is one term, and the classes of a multinomial count together. P(=0) is the
#'     share of the draws in which the whole term is zero. Also for [wbb()] of a model whose draws are the coefficients of its columns.}
#'   \item{`"selection"`}{Which coefficients are selected together: in each cell of a table of pairs the share of the draws in
#'     which both are not zero, in per cent, and as colour the correlation of their selection. Blue pairs come together, orange ones instead
#'     of each other. The share of each alone is on the diagonal. Coefficients that are selected in all draws or in none are left out:
#'     they go with everything. Those that go together stand together.}
#'   \item{`"path"`}{For a fit with several `lambda`: posterior median, intervals and mode
#'     (dashed) of each coefficient against `lambda`, on a log scale. The default there.}
#'   \item{`"cv"`}{For a fit with `lambda = "cv"`: the cross-validated mean squared error (or what `cv_measure` says), plus and
#'     minus one standard error, against `lambda`; number of non-zero coefficients on top;
#'     lines at the minimum and at the one-standard-error rule, solid for the one used.}
#'   \item{`"calibration"`}{For [wbb_lasso()] with the family `"binomial"` or `"multinomial"`: the table of
#'     [calibration()], predicted probabilities against what was observed, at the fit's rows or at `newdata`.}
#'   \item{`"survival"`}{For the family `"cox"`: [survival_curve()] at `newdata`, or at the mean of the columns.}
#' }
#' Draws that failed are left out, with a note in the picture.
#'
#' What you have set by [par()] is kept: margins other than R's, `cex`, `las`, `mgp`, `tcl`, and `mfrow` by pictures of one
#' panel, which take the next place. Pictures of several panels take the page. All settings are as before afterwards.
#'
#' The draws of a bootstrap are independent, so there is no trace plot: it would show nothing. For
#' those of [bayes_bridge()], give `posterior::as_draws_array(fit)` to package bayesplot.
#'
#' @param x,object A fit.
#' @param type One of the types below; `NULL` chooses by the fit.
#' @param pars Coefficients to show: names, or positions in `coef(x)`. `NULL` shows all
#'   but the intercept, at most `n`.
#' @param n The largest number of coefficients shown when `pars` is `NULL`: by default 20 panels or columns, or 30 rows (fewer
#'   where base graphics have no room for so many). If there are more coefficients, those that are most rarely zero are kept, ties
#'   broken by the largest |mean| / sd; a note in the picture says so.
#' @param lambda For a path: the value of `lambda` to show, with the types `"density"` and
#'   `"interval"`.
#' @param level Probabilities of the inner and the outer interval, or of one interval.
#' @param standardize `TRUE` multiplies each coefficient by its column's standard deviation,
#'   so that all share one scale: the change in y (of the linear predictor) for one standard deviation in x. That needs columns: a
#'   [wbb_genlasso()] without `X` has none. `NULL` is `TRUE` for intervals, if there are columns, and `FALSE` otherwise.
#' @param col Colour.
#' @param main Title.
#' @param ... For `plot()`: `sub`, `xlab`, `ylab`, `xlim`, `ylim` and `cex`, which multiplies the size of all text. Anything else is an error.
#' @return `plot()` returns the numbers shown, invisibly: a list of data frames. `autoplot()`
#'   returns a ggplot object.
#' @examples
#' fit <- wbb_lasso(y ~ ., data = diabetes, draws = 200, seed = 1, threads = 1)
#' plot(fit)
#' plot(fit, type = "interval")
#' plot(fit, type = "importance")
#' plot(fit, type = "selection")
#'
#' path <- wbb_lasso(y ~ ., diabetes, lambda = c(100, 300, 1000, 3000), draws = 200,
#'   seed = 1, threads = 1)
#' plot(path, pars = c("bmi", "hdl", "tch"))
#' @export
plot.wbb <- function(x, type = NULL, pars = NULL, n = NULL, lambda = NULL, level = c(0.5, 0.95),
                     standardize = NULL, col = NULL, main = NULL, ...) {
  look <- plot_look(main, ..., .known = names(formals(plot.wbb)))
  check_fit(x)
  type <- plot_type(x, type)
  data <- plot_data(x, type, pars, either(n, room_for(type)), lambda, level, standardize)
  draw_plot_data(data, col, look)
  invisible(data)
}

# No more rows than can be read here.
room_for <- function(type) {
  # Below the rows of a selection stand their names once more.
  rows <- switch(type, interval = page_rows(), importance = page_rows(), selection = page_rows() %/% 2, Inf)
  min(most_shown(type), rows)
}

draw_plot_data <- function(data, col = NULL, look = plot_look(NULL, .known = NULL)) {
  col <- check_colours(col)
  switch(data$type,
    density = draw_density(data, col, look),
    interval = draw_interval(data, col, look),
    importance = draw_interval(data, col, look),
    selection = draw_selection(data, col, look),
    path = draw_path(data, col, look),
    cv = draw_cv(data, col, look)
  )
}

# ---- the pictures --------------------------------------------------------------------

draw_density <- function(data, col, look) {
  panels <- unique(data$panels$index)
  fits <- unique(data$panels$fit)
  page <- panel_page(length(panels), mar = c(2, 0.7, 1.6, 0.7), foot = c(density_words(data), data$note), look = look, fits = fits)
  on.exit(graphics::par(page$old))
  for (index in panels) {
    draw_density_panel(data, index, fits, col, look)
  }
  page_words(page, look, col)
}

draw_density_panel <- function(data, index, fits, col, look) {
  of <- function(part, fit) part[part$index == index & part$fit == fit, ]
  panel <- data$panels[data$panels$index == index, ]
  top <- panel$top[1]
  limits <- either(look$xlim, panel_limits(data, index))
  graphics::plot.new()
  graphics::plot.window(limits, either(look$ylim, c(0, 1.08) * top), xaxs = "r", yaxs = "i")
  # The pale line at zero is as high as probability 1: the spike fills its part of it.
  graphics::segments(0, 0, 0, top, col = pale, lwd = 0.8)
  graphics::abline(h = 0, col = pale, lwd = 0.8)
  value_axis(limits)
  for (k in seq_along(fits)) {
    for (side in split(of(data$curve, fits[k]), of(data$curve, fits[k])$side)) {
      ends <- range(side$x)
      graphics::polygon(c(ends[1], side$x, ends[2]), c(0, side$density, 0), col = tint(col[k], 0.25), border = NA)
      graphics::lines(side$x, side$density, col = col[k], lwd = 1.4)
    }
  }
  mass <- spike_order(data$mass[data$mass$index == index, ])
  spike <- shade(col[match(mass$fit, fits)])
  graphics::segments(mass$at, rep(0, nrow(mass)), mass$at, mass$probability * top, col = spike, lwd = 2.5 * mass$width, lend = "butt")
  graphics::points(mass$at, mass$probability * top, col = spike, pch = 19, cex = 0.9 * sqrt(mass$width))
  # A fit may not have this coefficient.
  for (k in seq_along(fits)) {
    mode <- of(data$panels, fits[k])$mode
    graphics::points(mode, 0 * mode, pch = 24, bg = "white", col = col[k], cex = 0.9, xpd = NA)
  }
  panel_title(panel$name[1], if (length(fits) == 1) panel$p_zero else 0)
}

draw_interval <- function(data, col, look) {
  rows <- data$interval
  fits <- unique(rows$fit)
  panels <- unique(rows$index)
  name <- short_name(rows$name[match(panels, rows$index)], 32)
  row <- length(panels) + 1 - match(rows$index, panels)
  # Several fits share a row of height 1.
  row <- row - (match(rows$fit, fits) - (length(fits) + 1) / 2) * 0.7 / length(fits)
  colour <- col[match(rows$fit, fits)]
  zeros <- length(fits) == 1 && any_zeros(rows)
  key <- if (length(fits) > 1) fits
  notes <- c(interval_legend(rows, data$level), data$note)
  old <- graphics::par(c("mar", "mgp", "tcl", "las", "cex"))
  on.exit(graphics::par(old))
  lines <- function(inches) inches / graphics::par("csi")
  # No text is higher than its row.
  size <- max(0.45, min(0.9, (graphics::par("fin")[2] - 1) / (0.17 * length(panels))))
  left <- lines(max(graphics::strwidth(name, units = "inches", cex = size))) + 1
  one_panel(look, c(2.9 + length(notes), left, 0.6 + max(zeros, key_lines(key)), if (zeros) 3.6 else 1))
  graphics::plot.new()
  limits <- range(0, rows$low, rows$high, rows$mode, finite = TRUE)
  if (diff(limits) == 0) limits <- c(-1, 1)
  limits <- either(look$xlim, limits)
  graphics::plot.window(limits, either(look$ylim, c(0.4, length(panels) + 0.6)), yaxs = "i")
  zero_line()
  symbol <- size / 0.9
  graphics::segments(rows$low, row, rows$high, row, col = colour, lwd = 1.3 * symbol)
  graphics::segments(rows$inner_low, row, rows$inner_high, row, col = colour, lwd = 4.5 * symbol, lend = "butt")
  graphics::points(rows$median, row, pch = 21, bg = "white", col = colour, cex = 1.1 * symbol)
  graphics::points(rows$mode, row - 0.24 / sqrt(length(fits)), pch = 17, col = colour, cex = 0.65 * symbol)
  value_axis(limits, cex = max(size, 0.7))
  graphics::axis(2, at = rev(seq_along(panels)), labels = name, tick = FALSE, cex.axis = size, col.axis = ink, gap.axis = -1)
  if (zeros) {
    graphics::axis(4, at = row, labels = probability_text(rows$p_zero), tick = FALSE, cex.axis = size, col.axis = ink, gap.axis = -1)
    graphics::mtext("P(=0)", side = 3, line = 0.2, at = graphics::par("usr")[2], adj = 0, cex = size * graphics::par("cex"), col = ink)
  }
  side_text(either(look$xlab, data$axis), 1, 1.5)
  foot_notes(notes, line = 2.5)
  side_text(look$ylab, 2, left - 0.8)
  if (length(key)) key_above(key, col = col[seq_along(key)], lwd = 2)
  panel_words(look)
}

draw_path <- function(data, col, look) {
  path <- data$path
  fits <- unique(path$fit)
  panels <- unique(path$index)
  words <- paste0("Across: lambda on a log scale. Line: posterior median. Bands: ", interval_words(data$level), ". Dashed: mode.")
  limits_of <- function(index) either(look$ylim, range(0, path[path$index == index, c("low", "high", "mode")], finite = TRUE))
  left <- max(vapply(panels, function(index) label_room(limits_of(index), least = 3.2), 0))
  page <- panel_page(length(panels), mar = c(2, left, 1.6, 1.3), foot = c(words, data$note), look = look, fits = fits)
  on.exit(graphics::par(page$old))
  for (index in panels) {
    panel <- path[path$index == index, ]
    limits <- limits_of(index)
    if (diff(limits) == 0) limits <- c(-1, 1)
    graphics::plot.new()
    graphics::plot.window(either(lambda_limits(look$xlim), range(path$position)), limits)
    zero_line(vertical = FALSE)
    for (k in seq_along(fits)) {
      p <- panel[panel$fit == fits[k], ]
      band <- function(low, high, alpha) {
        graphics::polygon(c(p$position, rev(p$position)), c(low, rev(high)), col = tint(col[k], alpha), border = NA)
      }
      band(p$low, p$high, 0.2)
      if (!anyNA(p$inner_low)) band(p$inner_low, p$inner_high, 0.25)
      graphics::lines(p$position, p$mode, col = ink, lty = 2)
      graphics::lines(p$position, p$median, col = col[k], lwd = 2)
      if (nrow(p) <= 25) graphics::points(p$position, p$median, col = col[k], pch = 19, cex = 0.6)
    }
    lambda_axis(path$lambda)
    graphics::axis(2, at = pretty(limits, 4), col = NA, col.ticks = ink, col.axis = ink, cex.axis = 0.85, mgp = c(1.4, 0.5, 0))
    panel_title(panel$name[1])
  }
  page_words(page, look, col)
}

# `xlim` is given in lambda.
lambda_limits <- function(xlim) {
  if (is.null(xlim)) return(NULL)
  if (any(xlim <= 0)) bad_argument("xlim", "be above 0 where lambda is on a log scale", xlim)
  log10(xlim)
}

draw_cv <- function(data, col, look) {
  curve <- data$curve
  chosen <- data$chosen
  limits <- either(look$ylim, range(curve$low, curve$high, finite = TRUE))
  left <- label_room(limits, least = 2.9)
  old <- one_panel(look, c(3.2, left + 1.3, 2.6, 1))
  on.exit(graphics::par(old))
  graphics::plot.new()
  # Room above the curve for the names of the two rules.
  graphics::plot.window(either(lambda_limits(look$xlim), range(curve$position)), limits + c(0, 0.06) * diff(limits))
  graphics::abline(v = chosen$position, lty = ifelse(chosen$used, 1, 3), col = ink)
  graphics::segments(curve$position, curve$low, curve$position, curve$high, col = pale, lwd = 1.2)
  graphics::points(curve$position, curve$mean, pch = 19, cex = 0.6, col = col[1])
  lambda_axis(curve$lambda, cex = 0.9)
  plain_axes(2L)
  top <- nonzero_ticks(curve)
  if (length(top$at)) {
    graphics::axis(3, at = top$at, labels = top$label, col = NA, col.ticks = pale, col.axis = ink, cex.axis = 0.8)
    side_text(data$counted, 3, 1.4, 0.8)
  }
  side_text(either(look$xlab, expression(lambda ~ "(log scale)")), 1, 1.9, 1)
  side_text(either(look$ylab, data$measure), 2, left + 0.1, 1)
  graphics::text(chosen$position, limits[2] + 0.06 * diff(limits), chosen$rule, pos = c(2, 4), offset = 0.3,
    cex = 0.85, col = ink, xpd = NA)
  panel_words(look)
}
