# Pictures of a generalised lasso of a signal: along its series, or on its grid.

#' Plot a generalised lasso
#'
#' A fit with a coefficient for each element of `y` (`X = NULL`) is drawn where its elements are: as a
#' series, or as an image if `y` was a matrix. Other fits are drawn as by [plot.wbb()]. `plot()` uses base
#' graphics; `autoplot()` shows the same numbers with \pkg{ggplot2}.
#'
#' @details
#' The types are:
#' \describe{
#'   \item{`"series"`}{The data (points), the mode (line) and the credible interval of each
#'     element (band) at the largest `level`. The default for a vector. Of several values of `lambda` a panel each.}
#'   \item{`"image"`}{The mode beside the standard deviation of the draws, both as images. The default for a matrix. Of several values
#'     of `lambda` the modes, on one scale.}
#'   \item{`"density"`, `"interval"`, `"path"`, `"cv"`}{See [plot.wbb()]; `"path"` has a panel for each coefficient, and is the default for several
#'     values of `lambda` of a fit with `X`, or where `pars` names coefficients.}
#' }
#'
#' @param x,object A fit of [wbb_genlasso()].
#' @param type One of the types below; `NULL` chooses by the fit.
#' @param lambda Which value of `lambda` to show; without it a series, an image and `"path"` show all.
#' @param xlab,ylab Labels of the axes.
#' @param ... Further arguments of [plot.wbb()], and for `plot()` its graphical parameters; an unknown argument is an error.
#' @inheritParams plot.wbb
#' @return `plot()` returns the numbers shown, invisibly: a list. `autoplot()` returns a ggplot object.
#' @examples
#' set.seed(1)
#' y <- rep(c(0, 3, 1), each = 20) + rnorm(60)
#' D <- diff(diag(60))
#' fit <- wbb_genlasso(y, D = D, lambda = 3, draws = 100, seed = 1)
#' plot(fit)
#' path <- wbb_genlasso(y, D = D, lambda = c(0.5, 3, 20), draws = 100, seed = 1)
#' plot(path)
#' plot(path, pars = c("b20", "b21"))
#' @export
plot.wbb_genlasso <- function(x, type = NULL, lambda = NULL, level = c(0.5, 0.95), main = NULL,
                              xlab = NULL, ylab = NULL, ...) {
  if (!is_place_picture(x, type, lambda, ...)) {
    return(invisible(plot.wbb(x, type, lambda = lambda, level = level, main = main, xlab = xlab, ylab = ylab, ...)))
  }
  look <- plot_look(main, xlab = xlab, ylab = ylab, ..., .known = c(names(formals()), names(formals(plot.wbb))))
  shown <- place_data(x, type, lambda, level, look$xlab, look$ylab)
  if (shown$type == "image") draw_image(shown, look) else draw_series(shown, look)
  invisible(shown)
}

#' @rdname plot.wbb_genlasso
#' @method autoplot wbb_genlasso
#' @exportS3Method ggplot2::autoplot wbb_genlasso
autoplot.wbb_genlasso <- function(object, type = NULL, lambda = NULL, level = c(0.5, 0.95), main = NULL,
                                  xlab = NULL, ylab = NULL, ...) {
  require_package("ggplot2", "`autoplot()`")
  picture <- if (!is_place_picture(object, type, lambda, ...)) {
    autoplot.wbb(object, type, lambda = lambda, level = level, ...)
  } else {
    check_dots(..., .function = "autoplot", .known = c(names(formals()), names(formals(autoplot.wbb))))
    shown <- place_data(object, type, lambda, level, check_label(xlab, "xlab"), check_label(ylab, "ylab"))
    if (shown$type == "image") gg_image(shown) else gg_series(shown)
  }
  gg_main(picture, main)
}

# The numbers ----------------------------------------------------------------------

place_types <- c("series", "image")

# Whoever names coefficients wants other ones.
is_place_picture <- function(fit, type, lambda, ...) {
  check_fit(fit)
  if (!is.null(type)) {
    type <- check_choice(type, "type", c(place_types, "density", "interval", "path", "cv"))
    return(type %in% place_types)
  }
  fit$spec$signal && !"pars" %in% dots_names(...)
}

place_data <- function(fit, type, lambda, level, xlab, ylab) {
  if (!fit$spec$signal) {
    bad_argument("type", "be another one for a fit with `X`, whose coefficients have no places", type)
  }
  if (is.null(type)) type <- if (is.null(fit$spec$image)) "series" else "image"
  if (type == "image" && is.null(fit$spec$image)) {
    bad_argument("type", "be \"series\" where `y` was no matrix", type)
  }
  note <- NULL
  if (is_path(fit) && is.null(lambda)) {
    lambda <- sort(fit$lambda)[key_lambdas(length(fit$lambda), most_lambdas)]
    if (length(lambda) < length(fit$lambda)) note <- paste(length(lambda), "of", length(fit$lambda), "values of lambda, evenly chosen")
  } else {
    lambda <- fit$lambda[lambda_index(fit, lambda)]
  }
  level <- max(plot_level(level))
  values <- lapply(lambda, function(at) {
    draws <- draws_matrix(fit, at)
    limits <- column_quantiles(draws, interval_probs(level))
    data.frame(
      lambda = at, place = seq_len(ncol(draws)), fit = mode_estimate(fit, at), sd = column_sds(draws),
      lwr = limits[1L, ], upr = limits[2L, ], row.names = NULL
    )
  })
  values <- do.call(rbind, values)
  if (!is.null(fit$y)) values$y <- rep(fit$y, length(lambda))
  list(
    type = type, values = values, image = fit$spec$image, level = level, lambda = lambda,
    labels = list(x = if (is.null(xlab)) "place" else xlab, y = if (is.null(ylab)) "y" else ylab),
    note = c(note, dropped_note(fit, if (length(lambda) == 1L) lambda))
  )
}

# Panels that can be read.
most_lambdas <- 12L

lambda_titles <- function(data) paste("lambda =", lambda_words(data$lambda))

# The rows of one lambda.
series_at <- function(data, at) data$values[data$values$lambda == at, ]

# Base graphics --------------------------------------------------------------------

draw_series <- function(data, look) {
  if (length(data$lambda) > 1L) return(draw_series_panels(data, look))
  key <- c("mode", paste0(100 * data$level, "% interval"))
  left <- label_room(series_limits(data, look), least = 2.7)
  old <- one_panel(look, c(3.2 + length(data$note), left + 1.3, 0.6 + key_lines(key), 0.8))
  on.exit(graphics::par(old))
  draw_series_panel(data, data$lambda, look)
  for (side in 1:2) plain_axes(side)
  side_text(data$labels$x, 1, 1.8)
  side_text(data$labels$y, 2, left + 0.1)
  key_above(key, pch = c(NA, 15), lwd = c(2, NA), pt.cex = 1.8, col = c(shade(fit_colours[1L]), tint(fit_colours[1L], 0.55)))
  foot_notes(data$note, line = 2.8)
  panel_words(look)
}

draw_series_panels <- function(data, look) {
  page <- panel_page(length(data$lambda), mar = c(1.8, label_room(series_limits(data, look)), 1.6, 0.7), foot = c(series_words(data), data$note), look = look)
  on.exit(graphics::par(page$old))
  for (i in seq_along(data$lambda)) {
    draw_series_panel(data, data$lambda[i], look)
    for (side in 1:2) plain_axes(side)
    panel_title(lambda_titles(data)[i])
  }
  page_words(page, look)
}

# All panels have the same limits.
draw_series_panel <- function(data, lambda, look) {
  values <- data$values
  rows <- series_at(data, lambda)
  graphics::plot.new()
  graphics::plot.window(either(look$xlim, range(values$place)), series_limits(data, look))
  if (!is.null(rows$y)) {
    light <- cloud(nrow(rows))
    graphics::points(rows$place, rows$y, pch = 19, cex = light$cex, col = light$col)
  }
  shown <- rows[shown_places(nrow(rows)), ]
  graphics::polygon(c(shown$place, rev(shown$place)), c(shown$lwr, rev(shown$upr)), border = NA, col = tint(fit_colours[1L], 0.3))
  graphics::lines(shown$place, shown$fit, lwd = 1.8, col = shade(fit_colours[1L]))
}

series_limits <- function(data, look) either(look$ylim, range(data$values[c("lwr", "upr")], data$values$y))

# What panels show, in a line below them. A label that is an expression has one of its own.
series_words <- function(data) {
  plain <- is.character(data$labels$x) && is.character(data$labels$y)
  words <- paste0(
    if (plain) paste0("Across: ", data$labels$x, ". "), "Line: mode. Band: ", 100 * data$level, "% interval.",
    if (plain && !is.null(data$values$y)) paste0(" Points: ", data$labels$y, ".")
  )
  if (plain) words else c(words, Filter(is.language, data$labels))
}

draw_image <- function(data, look) {
  panels <- image_panels(data)
  alone <- length(data$lambda) == 1L
  page <- panel_page(length(panels), mar = c(1, 1, 1.6, 1), foot = data$note, look = look, grid = if (alone) 1:2 else panel_grid(length(panels), 1))
  on.exit(graphics::par(page$old))
  for (panel in panels) {
    shown <- matrix(panel$values, data$image[1L])
    # The first row of a matrix is at its top.
    graphics::image(t(shown)[, rev(seq_len(nrow(shown))), drop = FALSE], col = image_colours(panel$what), axes = FALSE,
      zlim = panel$limits, asp = data$image[1L] / data$image[2L])
    panel_title(panel$title)
  }
  page_words(page, look)
}

# The mode and the standard deviation, each on a scale of its own; of a path the modes, on one.
image_panels <- function(data) {
  if (length(data$lambda) == 1L) {
    return(lapply(c("fit", "sd"), function(what) {
      values <- data$values[[what]]
      list(what = what, values = values, limits = range(values), title = image_title(what, values))
    }))
  }
  titles <- lambda_titles(data)
  lapply(seq_along(titles), function(i) {
    list(what = "fit", values = series_at(data, data$lambda[i])$fit, limits = range(data$values$fit), title = titles[i])
  })
}

# Short: the numbers behind them are not to be cut.
image_words <- c(fit = "mode", sd = "sd")

image_title <- function(what, values) {
  # Draws that are alike differ by their rounding.
  limits <- vapply(zapsmall(range(values)), format, "", digits = 3)
  paste0(image_words[[what]], ", ", limits[1L], " to ", limits[2L])
}

image_colours <- function(what) grDevices::hcl.colors(64, if (what == "fit") "Viridis" else "Grays", rev = what == "sd")

# ggplot2 --------------------------------------------------------------------------

gg_series <- function(data) {
  .data <- ggplot2::.data
  count <- nrow(series_at(data, data$lambda[1L]))
  values <- data$values
  values$panel <- factor(lambda_titles(data)[match(values$lambda, data$lambda)], lambda_titles(data))
  band <- paste0(100 * data$level, "% interval")
  light <- cloud(count)
  points <- if (!is.null(values$y)) {
    ggplot2::geom_point(ggplot2::aes(y = .data$y), values, size = 3 * light$cex, colour = light$col, stroke = 0)
  }
  ggplot2::ggplot(values[values$place %in% shown_places(count), ], ggplot2::aes(.data$place)) +
    points +
    ggplot2::geom_ribbon(ggplot2::aes(ymin = .data$lwr, ymax = .data$upr, fill = band), alpha = 0.3) +
    ggplot2::geom_line(ggplot2::aes(y = .data$fit, colour = "mode"), linewidth = 0.7) +
    (if (length(data$lambda) > 1L) ggplot2::facet_wrap(~panel)) +
    ggplot2::scale_fill_manual(values = fit_colours[1L]) +
    ggplot2::scale_colour_manual(values = shade(fit_colours[1L])) +
    ggplot2::labs(x = data$labels$x, y = data$labels$y) +
    gg_look(strip.text = ggplot2::element_text(hjust = 0, face = "bold", size = ggplot2::rel(0.7))) + gg_note(data)
}

# Each from the smallest to the largest number of its scale.
gg_image <- function(data) {
  .data <- ggplot2::.data
  places <- series_at(data, data$lambda[1L])$place - 1L
  panels <- lapply(image_panels(data), function(panel) {
    wide <- diff(panel$limits)
    share <- if (wide > 0) (panel$values - panel$limits[1L]) / wide else 0.5
    colours <- image_colours(panel$what)
    data.frame(
      row = places %% data$image[1L], column = places %/% data$image[1L], panel = panel$title,
      colour = colours[1L + pmin(floor(share * length(colours)), length(colours) - 1)]
    )
  })
  values <- do.call(rbind, panels)
  values$panel <- factor(values$panel, unique(values$panel))
  ggplot2::ggplot(values, ggplot2::aes(.data$column, -.data$row, fill = .data$colour)) +
    ggplot2::geom_raster() +
    ggplot2::facet_wrap(~panel) +
    ggplot2::scale_fill_identity() +
    ggplot2::coord_equal(expand = FALSE) +
    ggplot2::labs(x = NULL, y = NULL) +
    gg_look(axis.text = ggplot2::element_blank(), panel.grid = ggplot2::element_blank()) + gg_note(data)
}
