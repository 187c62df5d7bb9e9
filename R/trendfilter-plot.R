# Pictures of a trend: data, fit and bands above, the probabilities of knots below.

#' Plot a trend
#'
#' The data, the trend with its bands, and below the probability of a knot at each
#' place. `plot()` uses base graphics; `autoplot()` shows the same numbers with
#' \pkg{ggplot2}, with the key in words.
#'
#' @details
#' The types are:
#' \describe{
#'   \item{`"trend"`}{The data (points), the mode (line), the pointwise band (dark) and the
#'     simultaneous one (pale) at `level`; below, the share of the draws with a knot, and
#'     the knots of the mode as triangles. The default for a fit at one `lambda`.}
#'   \item{`"path"`}{For a fit with several `lambda`: the mode at each, with pointwise bands, and their
#'     knots. The default there.}
#'   \item{`"cv"`}{For a fit with `lambda = "cv"`: see [plot.wbb()].}
#' }
#'
#' @param x,object A fit of [wbb_trendfilter()].
#' @param type `"trend"`, `"path"` or `"cv"`; `NULL` chooses by the fit.
#' @param band The bands to draw: `"credible"`, `"se"` and `"simultaneous"`, as in
#'   [predict.wbb_trendfilter()].
#' @param level Their probability.
#' @param lambda For a path: the value of `lambda` to show with `type = "trend"`.
#' @param width Knots at most this far from a place count there; see
#'   [knots.wbb_trendfilter()]. `NULL` is a hundredth of the range of `x`, or 0 where that is
#'   less than the distance of the points.
#' @param data Draw the observations?
#' @param xlab,ylab Labels of the axes; `NULL` takes them from the formula.
#' @param main Title.
#' @param ... Not used; an unknown argument is an error.
#' @return `plot()` returns the numbers shown, invisibly: a list of data frames. `autoplot()`
#'   returns a ggplot object.
#' @examples
#' fit <- wbb_trendfilter(Nile, time(Nile), order = 0, lambda = 500, draws = 200, seed = 1)
#' plot(fit, xlab = "year", ylab = "flow")
#' path <- wbb_trendfilter(Nile, time(Nile), order = 1, lambda = c(100, 1000), draws = 100, seed = 1)
#' plot(path)
#' @export
plot.wbb_trendfilter <- function(x, type = NULL, band = c("simultaneous", "credible"), level = 0.95,
                                 lambda = NULL, width = NULL, data = TRUE, xlab = NULL, ylab = NULL,
                                 main = NULL, ...) {
  check_dots(..., .function = "plot", .known = names(formals()))
  shown <- trend_data(x, type, band, level, lambda, width, check_flag(data, "data"), xlab, ylab)
  switch(shown$type,
    cv = draw_cv(shown, fit_colours, main),
    draw_trend(shown, main)
  )
  invisible(shown)
}

#' @rdname plot.wbb_trendfilter
#' @method autoplot wbb_trendfilter
#' @exportS3Method ggplot2::autoplot wbb_trendfilter
autoplot.wbb_trendfilter <- function(object, type = NULL, band = c("simultaneous", "credible"), level = 0.95,
                                     lambda = NULL, width = NULL, data = TRUE, xlab = NULL, ylab = NULL,
                                     main = NULL, ...) {
  require_package("ggplot2", "`autoplot()`")
  check_dots(..., .function = "autoplot", .known = names(formals()))
  shown <- trend_data(object, type, band, level, lambda, width, check_flag(data, "data"), xlab, ylab)
  picture <- if (shown$type == "cv") gg_cv(shown) else gg_trend(shown)
  if (is.null(main)) picture else picture + ggplot2::ggtitle(main)
}

# The numbers ----------------------------------------------------------------------

trend_data <- function(fit, type, band, level, lambda, width, data, xlab, ylab) {
  check_fit(fit)
  types <- c(if (is_path(fit)) "path", "trend", if (!is.null(fit$cv)) "cv")
  # A lambda that was named is to be looked at.
  if (is.null(type)) type <- if (is.null(lambda)) types[1L] else "trend"
  type <- check_choice(type, "type", c("trend", "path", "cv"))
  if (!type %in% types) {
    needs <- c(path = "several values of `lambda`", cv = "`lambda = \"cv\"`")
    bad_argument("type", paste("be one of", show_values(types)), type,
      advice = paste0("That needs a fit with ", needs[[type]], "."))
  }
  if (type == "cv") return(cv_data(fit))
  level <- check_level(level)
  bands <- trend_bands(band)
  if (type == "path") bands <- if (length(bands)) "credible"
  lambdas <- if (type == "path") sort(fit$lambda) else fit$lambda[lambda_index(fit, lambda)]
  places <- shown_places(length(fit$points))
  points <- fit$points[places]
  through <- interpolation(fit$points, points, fit$spec$order)
  rows <- lapply(lambdas, function(at) {
    data.frame(lambda = at, x = points, fit = mode_estimate(fit, at)[places], row.names = NULL)
  })
  limits <- lapply(lambdas, function(at) {
    do.call(rbind, lapply(bands, function(band) {
      limits <- trendfilter_limits(fit, through, at, band, level, mode_estimate(fit, at)[places])
      data.frame(lambda = at, band = band, x = points, limits)
    }))
  })
  knots <- lapply(lambdas, function(at) {
    places <- knot_probability(fit, lambda_index(fit, at), knot_width(fit, width))
    cbind(lambda = rep(at, nrow(places)), places)
  })
  list(
    type = type, order = fit$spec$order, level = level, bands = bands, lambda = lambdas,
    trend = do.call(rbind, rows), limits = do.call(rbind, limits), knots = do.call(rbind, knots),
    data = if (data && !is.null(fit$y)) data.frame(x = fit$x, y = fit$y),
    width = knot_width(fit, width), labels = trend_labels(fit, xlab, ylab),
    note = dropped_note(fit, if (type == "trend") lambdas)
  )
}

# No picture has more places than this from its left to its right.
most_places <- 4000

shown_places <- function(n) if (n <= most_places) seq_len(n) else unique(round(seq(1, n, length.out = most_places)))

# So light that the trend is seen through them.
cloud <- function(n) list(col = tint("grey60", min(1, max(0.06, 3000 / n))), cex = if (n > 500) 0.25 else 0.45)

trend_bands <- function(band) {
  if (is.null(band)) return(NULL)
  choices <- c("simultaneous", "credible", "se")
  if (!is.character(band)) bad_argument("band", paste("be among", show_values(choices)), band)
  # The widest first, so that the others lie upon it.
  intersect(choices, vapply(band, check_choice, "", argument = "band", choices = choices))
}

knot_width <- function(fit, width) {
  if (!is.null(width)) return(check_number(width, "width", 0))
  hundredth <- signif(diff(range(fit$points)) / 100, 2)
  if (hundredth < stats::median(diff(fit$points))) 0 else hundredth
}

trend_labels <- function(fit, xlab, ylab) {
  from <- if (is.null(fit$formula)) c("x", "y") else {
    c(deparse1(fit$formula[[3L]]), deparse1(fit$formula[[2L]]))
  }
  list(x = if (is.null(xlab)) from[1L] else xlab, y = if (is.null(ylab)) from[2L] else ylab)
}

# A step function jumps after its knot; other trends are joined by lines.
trend_line <- function(x, y, order) {
  if (order > 0L) return(list(x = x, y = y))
  n <- length(x)
  list(x = rep(x, each = 2L)[-1L], y = rep(y, each = 2L)[-2L * n])
}

# The scale of the lower panel; the knots of the mode are marked above it.
knots_top <- function(data) max(0.05, data$knots$probability)

knots_label <- function(data) {
  if (data$width > 0) paste0("P(knot within ", format(data$width, digits = 3), ")") else "P(knot)"
}

# Base graphics --------------------------------------------------------------------

draw_trend <- function(data, main) {
  old <- graphics::par(no.readonly = TRUE)
  on.exit({
    graphics::layout(1)
    graphics::par(old[c("mar", "mgp", "tcl", "las", "cex")])
  })
  graphics::layout(1:2, heights = c(3, 1.35))
  side <- c(4.4, 0.8)
  graphics::par(mar = c(0.4, side[1L], if (is.null(main)) 1.8 else 3.4, side[2L]), mgp = c(2, 0.4, 0), tcl = -0.25, las = 1, cex = 0.9)
  draw_trend_panel(data, main)
  graphics::par(mar = c(3.4 + length(data$note), side[1L], 0.8, side[2L]), cex = 0.9)
  draw_knots_panel(data)
}

trend_colours <- function(data) {
  # Light to dark with lambda; one fit is the first colour.
  if (length(data$lambda) == 1L) return(fit_colours[1L])
  grDevices::hcl.colors(length(data$lambda) + 1L, "Viridis")[seq_along(data$lambda)]
}

draw_trend_panel <- function(data, main) {
  graphics::plot.new()
  graphics::plot.window(range(data$trend$x), range(data$trend$fit, data$limits$lwr, data$limits$upr, data$data$y))
  col <- trend_colours(data)
  if (!is.null(data$data)) {
    light <- cloud(nrow(data$data))
    graphics::points(data$data, pch = 19, cex = light$cex, col = light$col)
  }
  for (i in seq_along(data$lambda)) {
    for (band in data$bands) {
      rows <- data$limits[data$limits$lambda == data$lambda[i] & data$limits$band == band, ]
      low <- trend_line(rows$x, rows$lwr, data$order)
      high <- trend_line(rows$x, rows$upr, data$order)
      graphics::polygon(c(low$x, rev(high$x)), c(low$y, rev(high$y)), border = NA,
        col = tint(col[i], if (band == "simultaneous") 0.18 else 0.3))
    }
    rows <- data$trend[data$trend$lambda == data$lambda[i], ]
    graphics::lines(trend_line(rows$x, rows$fit, data$order), lwd = 1.8, col = shade(col[i]))
  }
  graphics::axis(2, col = NA, col.ticks = ink, col.axis = ink, cex.axis = 0.9)
  graphics::mtext(data$labels$y, side = 2, line = 3, las = 0, col = ink, cex = 0.9)
  if (!is.null(main)) graphics::title(main, line = 2)
  trend_key(data, col)
}

band_words <- c(simultaneous = "simultaneous", credible = "pointwise", se = "normal")

# Above the panel, where it hides nothing.
trend_key <- function(data, col) {
  key <- function(...) {
    usr <- graphics::par("usr")
    graphics::legend(usr[1L], usr[4L], ..., horiz = TRUE, yjust = 0.1, bty = "n", cex = 0.8, xpd = NA)
  }
  if (length(data$lambda) > 1L) {
    return(key(lambda_labels(data$lambda), lwd = 2, col = shade(col)))
  }
  words <- band_words[data$bands]
  strength <- c(simultaneous = 0.25, credible = 0.55, se = 0.55)[data$bands]
  key(c("mode", if (length(words)) paste0(100 * data$level, "% ", words)),
    pch = c(NA, rep(15, length(words))), lwd = c(2, rep(NA, length(words))), pt.cex = 1.8,
    col = c(shade(col), vapply(strength, function(a) tint(col, a), ""))
  )
}

lambda_labels <- function(lambda) paste("lambda =", format_lambda(lambda))

draw_knots_panel <- function(data) {
  graphics::plot.new()
  most <- knots_top(data)
  graphics::plot.window(range(data$trend$x), c(0, most * 1.12))
  col <- trend_colours(data)
  for (i in seq_along(data$lambda)) {
    places <- data$knots[data$knots$lambda == data$lambda[i], ]
    graphics::segments(places$x, rep(0, nrow(places)), places$x, places$probability, col = tint(col[i], 0.75), lwd = 1.2, lend = 1)
    of_mode <- places[places$in_mode, ]
    graphics::points(of_mode$x, rep(most * 1.08, nrow(of_mode)), pch = 25, cex = 0.6, col = shade(col[i]), bg = col[i])
  }
  graphics::axis(1, col = pale, col.ticks = ink, col.axis = ink, cex.axis = 0.9)
  graphics::axis(2, at = pretty(c(0, most), 3), col = NA, col.ticks = ink, col.axis = ink, cex.axis = 0.9)
  graphics::mtext(data$labels$x, side = 1, line = 1.8, col = ink, cex = 0.9)
  label <- knots_label(data)
  graphics::mtext(label, side = 2, line = 3, las = 0, col = ink, cex = fitting(label, graphics::par("pin")[2L] * 1.6, 0.8))
  foot_notes(data$note, line = 2.8)
}

# ggplot2 --------------------------------------------------------------------------

gg_trend <- function(data) {
  .data <- ggplot2::.data
  labels <- lambda_labels(data$lambda)
  keyed <- function(rows) cbind(rows, key = factor(lambda_labels(rows$lambda), labels))
  colours <- stats::setNames(trend_colours(data), labels)
  # The step to the next point comes after the point.
  line <- if (data$order > 0L) ggplot2::geom_line else ggplot2::geom_step
  limits <- if (!is.null(data$limits)) keyed(data$limits)
  ribbons <- lapply(data$bands, function(band) {
    rows <- limits[limits$band == band, ]
    if (data$order == 0L) rows <- stepped(rows)
    rows$band <- paste0(100 * data$level, "% ", band_words[[band]])
    ggplot2::geom_ribbon(
      ggplot2::aes(.data$x, ymin = .data$lwr, ymax = .data$upr, fill = if (length(labels) > 1L) .data$key else .data$band), rows,
      alpha = if (length(labels) > 1L) 0.3 else NA
    )
  })
  strip <- knots_strip(data)
  knots <- keyed(data$knots)
  of_mode <- knots[knots$in_mode, ]
  observed <- data$data
  light <- cloud(max(1, nrow(observed)))
  ggplot2::ggplot() +
    (if (!is.null(observed)) ggplot2::geom_point(ggplot2::aes(.data$x, .data$y), observed, size = 3 * light$cex, colour = light$col, stroke = 0)) +
    ribbons +
    line(ggplot2::aes(.data$x, .data$fit, colour = .data$key), keyed(data$trend), linewidth = 0.7) +
    ggplot2::geom_hline(yintercept = strip$base, colour = pale, linewidth = 0.3) +
    ggplot2::geom_segment(
      ggplot2::aes(.data$x, strip$base, xend = .data$x, yend = strip$at(.data$probability), colour = .data$key), knots,
      linewidth = 0.4, show.legend = FALSE
    ) +
    ggplot2::geom_point(
      ggplot2::aes(.data$x, strip$at(1.12 * strip$top), shape = "knot of the mode"), of_mode, size = 1.3,
      colour = shade(colours[as.integer(of_mode$key)]), fill = colours[as.integer(of_mode$key)]
    ) +
    ggplot2::scale_y_continuous(breaks = strip$breaks, sec.axis = ggplot2::sec_axis(strip$back, knots_label(data), c(0, strip$top))) +
    ggplot2::scale_colour_manual(values = shade(colours), labels = if (length(labels) > 1L) labels else "mode") +
    ggplot2::scale_shape_manual(values = 25) +
    ggplot2::scale_fill_manual(values = if (length(labels) > 1L) colours else band_fills(data), guide = if (length(labels) == 1L) "legend" else "none") +
    ggplot2::labs(x = data$labels$x, y = data$labels$y) +
    gg_note(data) +
    gg_look(axis.title.y.right = ggplot2::element_text(hjust = 1), legend.margin = ggplot2::margin(),
      legend.text = ggplot2::element_text(size = ggplot2::rel(0.7)), legend.key.size = ggplot2::unit(9, "pt"))
}

# One panel has both: the probabilities of knots stand on a strip below the data, with an axis of their own on the right.
knots_strip <- function(data) {
  shown <- range(data$trend$fit, data$limits$lwr, data$limits$upr, data$data$y)
  height <- 0.2 * max(diff(shown), .Machine$double.xmin)
  base <- shown[1L] - 1.4 * height
  top <- signif(knots_top(data), 1)
  list(
    base = base, top = top, at = function(p) base + height * p / top, back = function(y) (y - base) / height * top,
    breaks = function(limits) Filter(function(b) b >= shown[1L] - 0.2 * height, pretty(shown))
  )
}

# Light where it is wide.
band_fills <- function(data) {
  words <- paste0(100 * data$level, "% ", band_words[data$bands])
  stats::setNames(vapply(data$bands, function(band) tint(fit_colours[1L], if (band == "simultaneous") 0.2 else 0.4), ""), words)
}

# Both ends of each step, for a ribbon.
stepped <- function(rows) {
  do.call(rbind, lapply(split(rows, rows$lambda), function(rows) {
    at <- seq_len(nrow(rows))
    out <- rows[rep(at, each = 2L)[-1L], ]
    values <- rows[rep(at, each = 2L)[-2L * nrow(rows)], c("lwr", "upr")]
    out[c("lwr", "upr")] <- values
    out
  }))
}

#' @rdname repr_html.wbb
#' @method repr_html wbb_trendfilter
#' @exportS3Method repr::repr_html wbb_trendfilter
repr_html.wbb_trendfilter <- function(obj, n = 30, ...) {
  check_fit(obj)
  n <- check_count(n, "n")
  rows <- do.call(rbind, lapply(seq_along(obj$lambda), function(i) {
    numbers <- knot_quantiles(i, obj)[c(2L, 1L, 3L)]
    c(obj$mode_diagnostics$knots[i], obj$mode_diagnostics$knots[i] + obj$spec$order + 1, obj$mode_diagnostics$sigma[i], numbers)
  }))
  cells <- apply(rows, 2L, function(values) vapply(values, html_number, ""))
  cells <- matrix(cells, nrow(rows))
  head <- c("knots of the mode", "df", "sigma", "knots, median", "2.5%", "97.5%")
  table <- html_rows(head, paste("lambda =", format_lambda(obj$lambda)), cells)
  places <- if (is_path(obj) || !length(solved_draws(obj))) "" else html_knots(obj, n)
  paste0("<div style=\"overflow-x:auto\">", html_heading(obj), table, places, html_lines(failure_words(obj)), "</div>")
}

html_knots <- function(fit, n) {
  places <- knot_probability(fit, 1L)
  places <- utils::head(places[order(-places$probability), ], min(n, 10))
  if (!nrow(places)) return(html_lines("no draw has a knot"))
  places <- places[order(places$x), ]
  cells <- cbind(html_text(probability_text(places$probability)), html_text(probability_text(places$p_up)), ifelse(places$in_mode, "yes", ""))
  paste0(html_lines("likeliest places of knots"), html_rows(c("P(knot)", "P(up)", "in the mode"), paste("x =", places$x), cells))
}
