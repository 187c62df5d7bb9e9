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
#'     element (band) at the largest `level`. The default for a vector.}
#'   \item{`"image"`}{The mode beside the standard deviation of the draws, both as images. The default for a matrix.}
#'   \item{`"density"`, `"interval"`, `"path"`, `"cv"`}{See [plot.wbb()].}
#' }
#'
#' @param x,object A fit of [wbb_genlasso()].
#' @param type One of the types below; `NULL` chooses by the fit.
#' @param lambda Which value of `lambda` to show; a fit with several needs it.
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

# Whoever names coefficients, or looks at a whole path, wants these.
is_place_picture <- function(fit, type, lambda, ...) {
  check_fit(fit)
  if (!is.null(type)) {
    type <- check_choice(type, "type", c(place_types, "density", "interval", "path", "cv"))
    return(type %in% place_types)
  }
  fit$spec$signal && !"pars" %in% dots_names(...) && !(is_path(fit) && is.null(lambda))
}

place_data <- function(fit, type, lambda, level, xlab, ylab) {
  if (!fit$spec$signal) {
    bad_argument("type", "be another one for a fit with `X`, whose coefficients have no places", type)
  }
  if (is.null(type)) type <- if (is.null(fit$spec$image)) "series" else "image"
  if (type == "image" && is.null(fit$spec$image)) {
    bad_argument("type", "be \"series\" where `y` was no matrix", type)
  }
  lambda <- fit$lambda[lambda_index(fit, lambda)]
  draws <- draws_matrix(fit, lambda)
  level <- max(plot_level(level))
  limits <- column_quantiles(draws, interval_probs(level))
  values <- data.frame(
    place = seq_len(ncol(draws)), fit = mode_estimate(fit, lambda), sd = column_sds(draws),
    lwr = limits[1L, ], upr = limits[2L, ], row.names = NULL
  )
  if (!is.null(fit$y)) values$y <- fit$y
  list(
    type = type, values = values, image = fit$spec$image, level = level, lambda = lambda,
    labels = list(x = if (is.null(xlab)) "place" else xlab, y = if (is.null(ylab)) "y" else ylab),
    note = dropped_note(fit, lambda)
  )
}

# Base graphics --------------------------------------------------------------------

draw_series <- function(data, look) {
  values <- data$values
  key <- c("mode", paste0(100 * data$level, "% interval"))
  old <- one_panel(look, c(3.2 + length(data$note), 4, 0.6 + key_lines(key), 0.8))
  on.exit(graphics::par(old))
  graphics::plot.new()
  graphics::plot.window(either(look$xlim, range(values$place)), either(look$ylim, range(values$lwr, values$upr, values$y)))
  if (!is.null(values$y)) {
    light <- cloud(nrow(values))
    graphics::points(values$place, values$y, pch = 19, cex = light$cex, col = light$col)
  }
  shown <- values[shown_places(nrow(values)), ]
  graphics::polygon(c(shown$place, rev(shown$place)), c(shown$lwr, rev(shown$upr)), border = NA, col = tint(fit_colours[1L], 0.3))
  graphics::lines(shown$place, shown$fit, lwd = 1.8, col = shade(fit_colours[1L]))
  for (side in 1:2) plain_axes(side)
  side_text(data$labels$x, 1, 1.8)
  side_text(data$labels$y, 2, 2.8)
  key_above(key, pch = c(NA, 15), lwd = c(2, NA), pt.cex = 1.8, col = c(shade(fit_colours[1L]), tint(fit_colours[1L], 0.55)))
  foot_notes(data$note, line = 2.8)
  panel_words(look)
}

draw_image <- function(data, look) {
  page <- panel_page(2L, mar = c(1, 1, 1.6, 1), foot = data$note, look = look, grid = 1:2)
  on.exit(graphics::par(page$old))
  for (what in c("fit", "sd")) {
    shown <- matrix(data$values[[what]], data$image[1L])
    # The first row of a matrix is at its top.
    graphics::image(t(shown)[, rev(seq_len(nrow(shown))), drop = FALSE], col = image_colours(what), axes = FALSE, asp = data$image[1L] / data$image[2L])
    panel_title(image_title(what, shown))
  }
  page_words(page, look)
}

image_words <- c(fit = "mode", sd = "standard deviation")

image_title <- function(what, values) {
  limits <- vapply(range(values), format, "", digits = 3)
  paste0(image_words[[what]], ", ", limits[1L], " to ", limits[2L])
}

image_colours <- function(what) grDevices::hcl.colors(64, if (what == "fit") "Viridis" else "Grays", rev = what == "sd")

# ggplot2 --------------------------------------------------------------------------

gg_series <- function(data) {
  .data <- ggplot2::.data
  values <- data$values
  band <- paste0(100 * data$level, "% interval")
  light <- cloud(nrow(values))
  points <- if (!is.null(values$y)) {
    ggplot2::geom_point(ggplot2::aes(y = .data$y), values, size = 3 * light$cex, colour = light$col, stroke = 0)
  }
  ggplot2::ggplot(values[shown_places(nrow(values)), ], ggplot2::aes(.data$place)) +
    points +
    ggplot2::geom_ribbon(ggplot2::aes(ymin = .data$lwr, ymax = .data$upr, fill = band), alpha = 0.3) +
    ggplot2::geom_line(ggplot2::aes(y = .data$fit, colour = "mode"), linewidth = 0.7) +
    ggplot2::scale_fill_manual(values = fit_colours[1L]) +
    ggplot2::scale_colour_manual(values = shade(fit_colours[1L])) +
    ggplot2::labs(x = data$labels$x, y = data$labels$y) + gg_look() + gg_note(data)
}

# Each on a scale of its own, from its smallest to its largest number.
gg_image <- function(data) {
  .data <- ggplot2::.data
  panel <- function(what) {
    value <- data$values[[what]]
    data.frame(
      row = (data$values$place - 1L) %% data$image[1L], column = (data$values$place - 1L) %/% data$image[1L],
      panel = image_title(what, value),
      share = if (diff(range(value)) > 0) (value - min(value)) / diff(range(value)) else 0.5
    )
  }
  values <- rbind(panel("fit"), panel("sd"))
  values$panel <- factor(values$panel, unique(values$panel))
  ggplot2::ggplot(values, ggplot2::aes(.data$column, -.data$row, fill = .data$share)) +
    ggplot2::geom_raster() +
    ggplot2::facet_wrap(~panel) +
    ggplot2::scale_fill_gradientn(colours = image_colours("fit"), guide = "none") +
    ggplot2::coord_equal(expand = FALSE) +
    ggplot2::labs(x = NULL, y = NULL) +
    gg_look(axis.text = ggplot2::element_blank(), panel.grid = ggplot2::element_blank()) + gg_note(data)
}
