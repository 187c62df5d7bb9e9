# plot() of a fit, in base graphics. What is shown is computed in plot-data.R.

#' Plot a weighted Bayesian bootstrap
#'
#' Draws the posterior that a fit holds: marginal densities, intervals, the path over
#' `lambda`, or the cross-validation curve. `plot()` uses base graphics; `autoplot()` makes
#' the same pictures with \pkg{ggplot2}, from the same numbers.
#'
#' @details
#' The types are:
#' \describe{
#'   \item{`"density"`}{One panel a coefficient. The spike is the point mass at zero:
#'     its height is P(beta = 0), on a scale where the panel's height is 1. The curve is
#'     the density of the draws that are not zero; the area under it is their share,
#'     1 - P(beta = 0), and its peak is that share of the panel's height. Where zero has
#'     mass the two sides of zero are smoothed apart. The triangle is the mode (the
#'     ordinary lasso estimate). The default for a fit at one `lambda`.}
#'   \item{`"interval"`}{Coefficients in the model's order with central intervals, the
#'     posterior median (point), the mode (triangle) and P(beta = 0).}
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
#' The draws of a bootstrap are independent, so there is no trace plot: it would show nothing. For
#' those of [bayes_bridge()], give `posterior::as_draws_array(fit)` to package bayesplot.
#'
#' @param x,object A fit.
#' @param type One of the types below; `NULL` chooses by the fit.
#' @param pars Coefficients to show: names, or positions in `coef(x)`. `NULL` shows all
#'   but the intercept, at most `n`.
#' @param n The largest number of coefficients shown when `pars` is `NULL`. If there are more,
#'   those that are most rarely zero are kept, ties broken by the largest |mean| / sd; a note
#'   in the picture says so.
#' @param lambda For a path: the value of `lambda` to show, with the types `"density"` and
#'   `"interval"`.
#' @param level Probabilities of the inner and the outer interval, or of one interval.
#' @param standardize `TRUE` multiplies each coefficient by its column's standard deviation,
#'   so that all share one scale: the change in y for one standard deviation in x. That needs columns: a
#'   [wbb_genlasso()] without `X` has none.
#' @param col Colour.
#' @param main Title.
#' @param ... Not used; an unknown argument is an error.
#' @return `plot()` returns the numbers shown, invisibly: a list of data frames. `autoplot()`
#'   returns a ggplot object.
#' @examples
#' fit <- wbb_lasso(y ~ ., data = diabetes, draws = 200, seed = 1, threads = 1)
#' plot(fit)
#' plot(fit, type = "interval", standardize = TRUE)
#' plot(fit, type = "cv")
#'
#' path <- wbb_lasso(y ~ ., diabetes, lambda = c(100, 300, 1000, 3000), draws = 200,
#'   seed = 1, threads = 1)
#' plot(path, pars = c("bmi", "hdl", "tch"))
#' @export
plot.wbb <- function(x, type = NULL, pars = NULL, n = 20, lambda = NULL, level = c(0.5, 0.95),
                     standardize = FALSE, col = NULL, main = NULL, ...) {
  check_dots(..., .function = "plot", .known = names(formals(plot.wbb)))
  data <- plot_data(x, type, pars, n, lambda, level, standardize)
  draw_plot_data(data, col, main)
  invisible(data)
}

draw_plot_data <- function(data, col = NULL, main = NULL) {
  col <- check_colours(col)
  switch(data$type,
    density = draw_density(data, col, main),
    interval = draw_interval(data, col, main),
    path = draw_path(data, col, main),
    cv = draw_cv(data, col, main)
  )
}

# Okabe and Ito's colours, which colour-blind readers tell apart.
fit_colours <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
ink <- "grey25"
pale <- "grey75"

check_colours <- function(col, default = fit_colours) {
  if (is.null(col)) return(default)
  known <- is.atomic(col) && length(col) > 0L && !inherits(try(grDevices::col2rgb(col), silent = TRUE), "try-error")
  if (!known) bad_argument("col", "be colours that R knows", col)
  rep_len(col, max(length(col), length(default)))
}

tint <- function(col, alpha) grDevices::adjustcolor(col, alpha)
# adjustcolor() warns where there is no colour to adjust.
shade <- function(col) if (length(col)) grDevices::adjustcolor(col, red.f = 0.6, green.f = 0.6, blue.f = 0.6) else col

# ---- frames --------------------------------------------------------------------------

# Width and height of the page in inches. A Jupyter kernel records a plot on a device of its
# own and replays it at the size of repr's options.
page_size <- function() {
  size <- graphics::par("din")
  if (isTRUE(getOption("jupyter.in_kernel"))) {
    size <- c(getOption("repr.plot.width", size[1]), getOption("repr.plot.height", size[2]))
  }
  size
}

# Rows and columns of panels that are, on this device, nearest to a little wider than high.
panel_grid <- function(count, shape = 1.3) {
  columns <- seq_len(min(count, 12))
  rows <- ceiling(count / columns)
  size <- page_size()
  best <- which.min(abs(log((size[1] / columns) / (size[2] / rows) / shape)))
  c(rows[best], columns[best])
}

# Starts a page of panels; returns the settings to restore. `fits` leave room for a key.
panel_page <- function(count, mar, foot, main, fits = NULL) {
  grid <- panel_grid(count)
  size <- page_size() / rev(grid)
  old <- graphics::par(c("mfrow", "cex", "mar", "oma", "mgp", "tcl", "las"))
  graphics::par(mfrow = grid)
  # Text shrinks with the panels, so that twenty still fit on a small device.
  graphics::par(
    cex = max(0.4, min(0.85, size[1] / 2.2, size[2] / 1.6)), mar = mar,
    oma = c(foot, 0, (if (is.null(main)) 0 else 2) + (if (length(fits) > 1) 1.8 else 0), 0), mgp = c(1.4, 0.35, 0), tcl = -0.2, las = 1
  )
  old
}

# The largest size up to `cex` at which the text is no wider than `room` inches.
fitting <- function(text, room, cex = 1, font = 1) {
  width <- max(graphics::strwidth(text, units = "inches", cex = cex, font = font))
  cex * min(1, room / width)
}

# A heading and what stands opposite, neither running into the other. The name is plain
# text: it is not an expression, and `%` or `[` in it mean nothing.
panel_title <- function(name, p_zero = 0) {
  room <- graphics::par("pin")[1]
  width <- function(s, cex, font = 1) graphics::strwidth(s, units = "inches", cex = cex, font = font)
  letters <- c(28, 20, 14, 9)
  right <- list("")
  if (!p_zero %in% c(0, NA)) {
    right <- list(zero_words(p_zero), probability_text(p_zero))
    right <- lapply(right, as.expression)
  }
  try <- expand.grid(letters = letters, right = seq_along(right))
  # Rather the number alone than half a name.
  try <- try[order(try$letters < min(20, nchar(name)), try$right), ]
  for (k in seq_len(nrow(try))) {
    left <- short_name(name, try$letters[k])
    words <- right[[try$right[k]]]
    if (width(left, 0.95, 2) + width(words, 0.8) * 1.1 <= room) break
  }
  size <- graphics::par("cex")
  graphics::mtext(left, side = 3, line = 0.25, adj = 0, cex = 0.95 * size, font = 2)
  graphics::mtext(words, side = 3, line = 0.25, adj = 1, cex = 0.8 * size, col = ink)
}

# The title stands above the key of several fits.
page_words <- function(main, foot, fits = NULL) {
  line <- if (length(fits) > 1) 2.3 else 0.5
  if (!is.null(main)) graphics::mtext(main, side = 3, outer = TRUE, line = line, font = 2)
  size <- graphics::par("cex")
  for (i in seq_along(foot)) {
    cex <- fitting(foot[[i]], 0.97 * page_size()[1], 0.8)
    graphics::mtext(foot[[i]], side = 1, outer = TRUE, line = i - 0.9, adj = 0.01, cex = cex * size, col = ink)
  }
}

foot_notes <- function(note, line) {
  for (i in seq_along(note)) {
    cex <- fitting(note[i], graphics::par("fin")[1], 0.75)
    graphics::mtext(note[i], side = 1, line = line + i - 1, at = graphics::grconvertX(0.5, "nfc", "user"),
      cex = cex * graphics::par("cex"), col = ink)
  }
}

# As many ticks as their labels have room for.
value_axis <- function(limits, cex = 0.85) {
  at <- NULL
  for (count in 5:1) {
    try <- pretty(limits, count)
    try <- try[try >= graphics::par("usr")[1] & try <= graphics::par("usr")[2]]
    if (length(try) < 2 && length(at) > 0) break
    at <- try
    if (sum(graphics::strwidth(paste0(format(at), "  "), units = "inches", cex = cex)) <= graphics::par("pin")[1]) break
  }
  graphics::axis(1, at = at, col = NA, col.ticks = ink, col.axis = ink, cex.axis = cex, gap.axis = 0.2)
}

# Marks of lambda; every second one where there is no room for all labels.
lambda_axis <- function(lambda, cex = 0.85) {
  ticks <- lambda_ticks(lambda)
  keep <- seq_along(ticks$at)
  wide <- function(label) sum(graphics::strwidth(paste0(label, "  "), units = "inches", cex = cex)) > graphics::par("pin")[1]
  while (length(keep) > 2 && wide(ticks$label[keep])) keep <- keep[seq(1, length(keep), by = 2)]
  graphics::axis(1, at = ticks$at[keep], labels = ticks$label[keep], col = NA, col.ticks = ink, col.axis = ink,
    cex.axis = cex, gap.axis = 0.2)
}

zero_line <- function(vertical = TRUE) {
  if (vertical) graphics::abline(v = 0, col = pale, lwd = 0.8) else graphics::abline(h = 0, col = pale, lwd = 0.8)
}

fit_legend <- function(fits, col, where = "topright") {
  if (length(fits) > 1) {
    graphics::legend(where, legend = fits, col = col[seq_along(fits)], lwd = 2, bty = "n", cex = 0.9, text.col = ink)
  }
}

# Above all panels, where it hides none of the curves.
page_legend <- function(fits, col, main) {
  if (length(fits) < 2) return(invisible())
  line <- graphics::par("csi") / page_size()[2]
  graphics::par(fig = c(0, 1, 0, 1), oma = c(0, 0, 0, 0), mar = c(0, 0, 0, 0), new = TRUE)
  graphics::plot.new()
  graphics::legend("top", legend = fits, col = col[seq_along(fits)], lwd = 2, bty = "n", horiz = TRUE, cex = 0.9,
    text.col = ink, inset = c(0, if (is.null(main)) 0 else 2 * line))
}

# ---- the four pictures ---------------------------------------------------------------

draw_density <- function(data, col, main) {
  panels <- unique(data$panels$index)
  fits <- unique(data$panels$fit)
  foot <- c(list(density_words(data$panels)), data$note)
  old <- panel_page(length(panels), mar = c(2, 0.7, 1.6, 0.7), foot = length(foot) + 0.4, main = main, fits = fits)
  on.exit(graphics::par(old))
  for (index in panels) {
    draw_density_panel(data, index, fits, col)
  }
  page_words(main, foot, fits)
  page_legend(fits, col, main)
}

draw_density_panel <- function(data, index, fits, col) {
  of <- function(part, fit) part[part$index == index & part$fit == fit, ]
  panel <- data$panels[data$panels$index == index, ]
  top <- panel$top[1]
  limits <- panel_limits(data, index)
  graphics::plot.new()
  graphics::plot.window(limits, c(0, 1.08) * top, xaxs = "r", yaxs = "i")
  # The pale line at zero is as high as probability 1: the spike fills its part of it.
  graphics::segments(0, 0, 0, top, col = pale, lwd = 0.8)
  graphics::abline(h = 0, col = pale, lwd = 0.8)
  value_axis(limits)
  step <- diff(graphics::par("usr")[1:2]) / 100
  for (k in seq_along(fits)) {
    for (side in split(of(data$curve, fits[k]), of(data$curve, fits[k])$side)) {
      ends <- range(side$x)
      graphics::polygon(c(ends[1], side$x, ends[2]), c(0, side$density, 0), col = tint(col[k], 0.25), border = NA)
      graphics::lines(side$x, side$density, col = col[k], lwd = 1.4)
    }
  }
  for (k in seq_along(fits)) {
    mass <- of(data$mass, fits[k])
    spike <- shade(col[k])
    # Spikes of several fits stand side by side; one alone stands at its value.
    at <- mass$at + (k - (length(fits) + 1) / 2) * 2 * step
    if (nrow(mass) > 0) {
      graphics::segments(at, 0, at, mass$probability * top, col = spike, lwd = 2.5, lend = "butt")
      graphics::points(at, mass$probability * top, col = spike, pch = 19, cex = 0.9)
    }
    mode <- of(data$panels, fits[k])$mode
    graphics::points(mode, 0, pch = 24, bg = "white", col = col[k], cex = 0.9, xpd = NA)
  }
  panel_title(panel$name[1], if (length(fits) == 1) panel$p_zero else 0)
}

draw_interval <- function(data, col, main) {
  rows <- data$interval
  fits <- unique(rows$fit)
  panels <- unique(rows$index)
  name <- short_name(rows$name[match(panels, rows$index)], 32)
  row <- length(panels) + 1 - match(rows$index, panels)
  # Several fits share a row of height 1.
  row <- row - (match(rows$fit, fits) - (length(fits) + 1) / 2) * 0.7 / length(fits)
  colour <- col[match(rows$fit, fits)]
  old <- graphics::par(c("mar", "mgp", "tcl", "las"))
  on.exit(graphics::par(old))
  lines <- function(inches) inches / graphics::par("csi")
  size <- max(0.45, min(0.9, graphics::par("pin")[2] / (0.17 * length(panels))))
  left <- lines(max(graphics::strwidth(name, units = "inches", cex = size))) + 1
  top <- if (is.null(main)) 1.6 else 3
  graphics::par(mar = c(3.4 + length(data$note), left, top, 4.2), mgp = c(1.7, 0.4, 0), tcl = -0.25, las = 1)
  graphics::plot.new()
  limits <- range(0, rows$low, rows$high, rows$mode, finite = TRUE)
  if (diff(limits) == 0) limits <- c(-1, 1)
  graphics::plot.window(limits, c(0.4, length(panels) + 0.6), yaxs = "i")
  zero_line()
  symbol <- size / 0.9
  graphics::segments(rows$low, row, rows$high, row, col = colour, lwd = 1.3 * symbol)
  graphics::segments(rows$inner_low, row, rows$inner_high, row, col = colour, lwd = 4.5 * symbol, lend = "butt")
  graphics::points(rows$median, row, pch = 21, bg = "white", col = colour, cex = 1.1 * symbol)
  graphics::points(rows$mode, row - 0.24 / sqrt(length(fits)), pch = 17, col = colour, cex = 0.65 * symbol)
  value_axis(limits, cex = max(size, 0.7))
  graphics::axis(2, at = rev(seq_along(panels)), labels = name, tick = FALSE, cex.axis = size, col.axis = ink, gap.axis = -1)
  if (length(fits) == 1) {
    graphics::axis(4, at = row, labels = probability_text(rows$p_zero), tick = FALSE, cex.axis = size,
      col.axis = ink, gap.axis = -1)
    graphics::mtext(expression(P(beta == 0)), side = 3, line = 0.2, at = graphics::par("usr")[2], adj = 0,
      cex = size * graphics::par("cex"), col = ink)
  }
  foot_notes(c(interval_legend(rows, data$level), data$note), line = 1.7)
  if (!is.null(main)) graphics::title(main)
  fit_legend(fits, col)
}

draw_path <- function(data, col, main) {
  path <- data$path
  fits <- unique(path$fit)
  panels <- unique(path$index)
  words <- paste0("on a log scale. Line: posterior median. Bands: ", interval_words(data$level), ". Dashed: mode.")
  foot <- c(list(bquote("Across:" ~ lambda ~ .(words))), data$note)
  old <- panel_page(length(panels), mar = c(2, 3.2, 1.6, 1.3), foot = length(foot) + 0.4, main = main)
  on.exit(graphics::par(old))
  for (index in panels) {
    panel <- path[path$index == index, ]
    limits <- range(0, panel$low, panel$high, panel$mode, finite = TRUE)
    if (diff(limits) == 0) limits <- c(-1, 1)
    graphics::plot.new()
    graphics::plot.window(range(path$position), limits)
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
    if (index == panels[1]) fit_legend(fits, col)
  }
  page_words(main, foot)
}

draw_cv <- function(data, col, main) {
  curve <- data$curve
  chosen <- data$chosen
  old <- graphics::par(mar = c(3.2, 4.2, if (is.null(main)) 2.6 else 4.4, 1), mgp = c(1.8, 0.4, 0), tcl = -0.25, las = 1)
  on.exit(graphics::par(old))
  graphics::plot.new()
  limits <- range(curve$low, curve$high, finite = TRUE)
  # Room above the curve for the names of the two rules.
  graphics::plot.window(range(curve$position), limits + c(0, 0.06) * diff(limits))
  graphics::abline(v = chosen$position, lty = ifelse(chosen$used, 1, 3), col = ink)
  graphics::segments(curve$position, curve$low, curve$position, curve$high, col = pale, lwd = 1.2)
  graphics::points(curve$position, curve$mean, pch = 19, cex = 0.6, col = col[1])
  lambda_axis(curve$lambda, cex = 0.9)
  graphics::axis(2, col = NA, col.ticks = ink, col.axis = ink, cex.axis = 0.9)
  top <- nonzero_ticks(curve)
  graphics::axis(3, at = top$at, labels = top$label, col = NA, col.ticks = pale, col.axis = ink, cex.axis = 0.8)
  graphics::mtext(data$counted, side = 3, line = 1.4, cex = 0.8, col = ink)
  graphics::mtext(expression(lambda ~ "(log scale)"), side = 1, line = 1.9, col = ink)
  graphics::mtext(data$measure, side = 2, line = 3, las = 0, col = ink)
  graphics::text(chosen$position, limits[2] + 0.06 * diff(limits), chosen$rule, pos = c(2, 4), offset = 0.3,
    cex = 0.85, col = ink, xpd = NA)
  if (!is.null(main)) graphics::title(main, line = 2.8)
}
