# Pictures of a trend: data, fit and bands, and on a strip below them the probabilities of knots.

#' Plot a trend
#'
#' The data, the trend with its bands, and on a strip below them the probability of a knot at each
#' place, with its scale on the right. `plot()` uses base graphics; `autoplot()` shows the same numbers with
#' \pkg{ggplot2}. Dates and times are on the axis as such.
#'
#' @details
#' The types are:
#' \describe{
#'   \item{`"trend"`}{The data (points), the mode (line), the pointwise band (dark) and the
#'     simultaneous one (pale) at `level`; on the strip, the share of the draws with a knot, and
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
#' @param ... For `plot()`: `sub`, `xlim`, `ylim` and `cex`, as in [plot.wbb()]. Anything else is an error.
#' @return `plot()` returns the numbers shown, invisibly: a list of data frames, in which dates and times are numbers. `autoplot()`
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
  look <- plot_look(main, xlab = xlab, ylab = ylab, ..., .known = names(formals()))
  shown <- trend_data(x, type, band, level, lambda, width, check_flag(data, "data"), look$xlab, look$ylab)
  switch(shown$type,
    cv = draw_cv(shown, fit_colours, look),
    draw_trend(shown, look)
  )
  invisible(shown)
}

#' @rdname plot.wbb_trendfilter
#' @importFrom graphics lines
#' @export
lines.wbb_trendfilter <- function(x, lambda = NULL, ...) {
  shown <- trend_data(x, "trend", NULL, 0.95, lambda, NULL, FALSE, NULL, NULL)
  graphics::lines(shown$trend$x, shown$trend$fit, type = if (shown$order == 0) "s" else "l", ...)
}

#' @rdname plot.wbb_trendfilter
#' @method autoplot wbb_trendfilter
#' @exportS3Method ggplot2::autoplot wbb_trendfilter
autoplot.wbb_trendfilter <- function(object, type = NULL, band = c("simultaneous", "credible"), level = 0.95,
                                     lambda = NULL, width = NULL, data = TRUE, xlab = NULL, ylab = NULL,
                                     main = NULL, ...) {
  require_package("ggplot2", "`autoplot()`")
  check_dots(..., .function = "autoplot", .known = names(formals()))
  shown <- trend_data(object, type, band, level, lambda, width, check_flag(data, "data"), check_label(xlab, "xlab"), check_label(ylab, "ylab"))
  picture <- if (shown$type == "cv") gg_cv(shown) else gg_trend(shown)
  gg_main(picture, main)
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
    width = knot_width(fit, width), time = fit$time, labels = trend_labels(fit, xlab, ylab),
    note = c(knots_note(fit, knot_width(fit, width)), dropped_note(fit, if (type == "trend") lambdas))
  )
}

# No picture has more places than this from its left to its right.
most_places <- 4000

shown_places <- function(n, most = most_places) if (n <= most) seq_len(n) else unique(round(seq(1, n, length.out = most)))

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
  list(x = if (is.null(xlab)) paste0(from[1L], calendar_words(range(fit$points), fit$time)) else xlab, y = if (is.null(ylab)) from[2L] else ylab)
}

# What the axis does not say of its dates: " (2024)" where it has months and days, " (2024-02-05)" where it has hours.
calendar_words <- function(ends, time) {
  ends <- on_calendar(ends, time)
  labels <- attr(pretty(ends, 5), "labels")
  if (is.null(labels) || any(grepl("[0-9]{4}", labels))) return(NULL)
  paste0(" (", paste(unique(format(ends, if (any(grepl("[[:alpha:]]", labels))) "%Y" else "%Y-%m-%d")), collapse = " to "), ")")
}

# A step function jumps after its knot; other trends are joined by lines.
trend_line <- function(x, y, order) {
  if (order > 0L) return(list(x = x, y = y))
  n <- length(x)
  list(x = rep(x, each = 2L)[-1L], y = rep(y, each = 2L)[-2L * n])
}

# The strip of the probabilities; the knots of the mode are marked above it.
knots_strip <- function(data, ylim = NULL) {
  shown <- either(ylim, range(data$trend$fit, data$limits$lwr, data$limits$upr, data$data$y))
  strip_below(shown, signif(max(0.05, data$knots$probability), 1))
}

knots_note <- function(fit, width) {
  if (width > 0) paste0("P(knot): share of the draws with a knot within ", width_text(width, fit$time))
}

# "0.0098", "2 days", "1.5 hours"
width_text <- function(width, time) {
  if (inherits(time, "POSIXct")) return(format(as.POSIXct(width, origin = "1970-01-01") - as.POSIXct(0, origin = "1970-01-01"), digits = 3))
  unit <- if (inherits(time, "Date")) "days" else if (inherits(time, "difftime")) units(time)
  paste(c(format(width, digits = 3), unit), collapse = " ")
}

# Where there are dates or times the axis says them; other kinds of time are numbers there.
on_calendar <- function(x, time) if (inherits(time, c("Date", "POSIXct"))) as_time(x, time) else x

# The lambdas of a path in as few digits as tell them apart, and those that a key has room for.
lambda_words <- function(lambda) {
  for (digits in 2:7) {
    words <- vapply(lambda, format, "", digits = digits)
    if (!anyDuplicated(words)) break
  }
  words
}

key_lambdas <- function(count, most = 7L) if (count <= most) seq_len(count) else unique(round(seq(1, count, length.out = most)))

# Base graphics --------------------------------------------------------------------

draw_trend <- function(data, look) {
  col <- trend_colours(data)
  key <- trend_key(data, col)
  left <- label_room(either(look$ylim, range(data$trend$fit, data$limits$lwr, data$limits$upr, data$data$y)), least = 2.9)
  old <- one_panel(look, c(3.2 + length(data$note), left + 1.3, 0.6 + key_lines(key$words), 3))
  on.exit(graphics::par(old))
  strip <- knots_strip(data, look$ylim)
  graphics::plot.new()
  # The triangles are the lowest but for the base.
  top <- either(look$ylim, range(data$trend$fit, data$limits$lwr, data$limits$upr, data$data$y))[2L]
  graphics::plot.window(either(look$xlim, range(data$trend$x)), c(strip$base, top))
  draw_trend_lines(data, col)
  draw_knots(data, strip, col)
  time_axis(data)
  strip_axes(strip, "P(knot)")
  side_text(data$labels$x, 1, 1.8)
  side_text(data$labels$y, 2, left + 0.1)
  foot_notes(data$note, line = 2.8)
  do.call(key_above, c(list(key$words), key$symbols))
  panel_words(look)
}

time_axis <- function(data) {
  at <- pretty(on_calendar(graphics::par("usr")[1:2], data$time), 5)
  label <- attr(at, "labels")
  at <- as.double(unclass(at))
  inside <- at >= graphics::par("usr")[1L] & at <= graphics::par("usr")[2L]
  plain_axes(1L, at = at[inside], labels = if (is.null(label)) TRUE else label[inside])
}

trend_colours <- function(data) {
  # Light to dark with lambda; one fit is the first colour.
  if (length(data$lambda) == 1L) return(fit_colours[1L])
  grDevices::hcl.colors(length(data$lambda) + 1L, "Viridis")[seq_along(data$lambda)]
}

draw_trend_lines <- function(data, col) {
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
}

draw_knots <- function(data, strip, col) {
  graphics::abline(h = strip$base, col = pale, lwd = 0.8)
  for (i in seq_along(data$lambda)) {
    places <- data$knots[data$knots$lambda == data$lambda[i], ]
    graphics::segments(places$x, rep(strip$base, nrow(places)), places$x, strip$at(places$probability), col = tint(col[i], 0.75), lwd = 1.2, lend = 1)
    of_mode <- places[places$in_mode, ]
    graphics::points(of_mode$x, rep(strip$at(1.15 * strip$top), nrow(of_mode)), pch = 25, cex = 0.6, col = shade(col[i]), bg = col[i])
  }
}

band_words <- c(simultaneous = "simultaneous", credible = "pointwise", se = "normal")

trend_key <- function(data, col) {
  if (length(data$lambda) > 1L) {
    at <- key_lambdas(length(data$lambda))
    return(list(words = c("lambda:", lambda_words(data$lambda)[at], "knot of the mode"),
      symbols = list(lwd = c(NA, rep(2, length(at)), NA), pch = c(rep(NA, length(at) + 1L), 25), col = c(NA, shade(col[at]), ink))))
  }
  words <- band_words[data$bands]
  bands <- length(words)
  strength <- c(simultaneous = 0.25, credible = 0.55, se = 0.55)[data$bands]
  list(
    words = c("mode", if (bands) paste0(100 * data$level, "% ", words), "knot of the mode"),
    symbols = list(pch = c(NA, rep(15, bands), 25), lwd = c(2, rep(NA, bands + 1L)), pt.cex = c(1, rep(1.8, bands), 0.8),
      col = c(shade(col), vapply(strength, function(a) tint(col, a), ""), shade(col)), pt.bg = col)
  )
}

# ggplot2 --------------------------------------------------------------------------

gg_trend <- function(data) {
  .data <- ggplot2::.data
  many <- length(data$lambda) > 1L
  labels <- lambda_words(data$lambda)
  keyed <- function(rows) {
    rows$x <- on_calendar(rows$x, data$time)
    cbind(rows, key = factor(labels[match(rows$lambda, data$lambda)], labels))
  }
  colours <- stats::setNames(trend_colours(data), labels)
  # The step to the next point comes after the point.
  line <- if (data$order > 0L) ggplot2::geom_line else ggplot2::geom_step
  limits <- if (!is.null(data$limits)) keyed(data$limits)
  ribbons <- lapply(data$bands, function(band) {
    rows <- limits[limits$band == band, ]
    if (data$order == 0L) rows <- stepped(rows)
    rows$band <- paste0(100 * data$level, "% ", band_words[[band]])
    ggplot2::geom_ribbon(
      ggplot2::aes(.data$x, ymin = .data$lwr, ymax = .data$upr, fill = if (many) .data$key else .data$band), rows, alpha = if (many) 0.3 else NA
    )
  })
  strip <- knots_strip(data)
  knots <- keyed(data$knots)
  of_mode <- knots[knots$in_mode, ]
  observed <- data$data
  if (!is.null(observed)) observed$x <- on_calendar(observed$x, data$time)
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
      ggplot2::aes(.data$x, strip$at(1.15 * strip$top), shape = "knot of the mode"), of_mode, size = 1.3,
      colour = shade(colours[as.integer(of_mode$key)]), fill = colours[as.integer(of_mode$key)]
    ) +
    ggplot2::scale_y_continuous(breaks = strip$breaks, sec.axis = ggplot2::sec_axis(strip$back, "P(knot)", c(0, strip$top))) +
    ggplot2::scale_colour_manual(values = shade(colours), breaks = labels[key_lambdas(length(labels))], labels = if (many) ggplot2::waiver() else "mode") +
    ggplot2::scale_shape_manual(values = 25) +
    ggplot2::scale_fill_manual(values = if (many) colours else band_fills(data), guide = if (many) "none" else "legend") +
    ggplot2::guides(
      shape = ggplot2::guide_legend(title = NULL, order = 3), colour = ggplot2::guide_legend(title = if (many) "lambda", nrow = 1 + (length(labels) > 4), order = 1)
    ) +
    ggplot2::labs(x = data$labels$x, y = data$labels$y) +
    gg_note(data) +
    gg_look(axis.title.y.right = ggplot2::element_text(hjust = 1), legend.title = if (many) ggplot2::element_text(size = ggplot2::rel(0.7)) else ggplot2::element_blank(),
      legend.text = ggplot2::element_text(size = ggplot2::rel(0.62)), legend.key.size = ggplot2::unit(8, "pt"), legend.spacing.x = ggplot2::unit(1, "pt"))
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
