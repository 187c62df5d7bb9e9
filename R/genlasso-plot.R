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
#' @param ... Further arguments of [plot.wbb()]; an unknown argument is an error.
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
  if (!is_place_picture(x, type, lambda, ...)) return(invisible(plot.wbb(x, type, lambda = lambda, level = level, main = main, ...)))
  check_dots(..., .function = "plot", .known = c(names(formals()), names(formals(plot.wbb))))
  shown <- place_data(x, type, lambda, level, xlab, ylab)
  if (shown$type == "image") draw_image(shown, main) else draw_series(shown, main)
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
    shown <- place_data(object, type, lambda, level, xlab, ylab)
    if (shown$type == "image") gg_image(shown) else gg_series(shown)
  }
  if (is.null(main)) picture else picture + ggplot2::ggtitle(main)
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

draw_series <- function(data, main) {
  values <- data$values
  old <- graphics::par(mar = c(3.6 + length(data$note), 4, if (is.null(main)) 1.8 else 3.4, 0.8), mgp = c(2, 0.4, 0), tcl = -0.25, las = 1)
  on.exit(graphics::par(old))
  graphics::plot.new()
  graphics::plot.window(range(values$place), range(values$lwr, values$upr, values$y))
  if (!is.null(values$y)) {
    graphics::points(values$place, values$y, pch = 19, cex = if (nrow(values) > 500) 0.25 else 0.45, col = "grey60")
  }
  graphics::polygon(c(values$place, rev(values$place)), c(values$lwr, rev(values$upr)), border = NA, col = tint(fit_colours[1L], 0.3))
  graphics::lines(values$place, values$fit, lwd = 1.8, col = shade(fit_colours[1L]))
  for (side in 1:2) graphics::axis(side, col = NA, col.ticks = ink, col.axis = ink, cex.axis = 0.9)
  graphics::title(main, xlab = data$labels$x, ylab = data$labels$y, col.lab = ink)
  usr <- graphics::par("usr")
  graphics::legend(usr[1L], usr[4L], c("mode", paste0(100 * data$level, "% interval")), horiz = TRUE, yjust = 0.1, bty = "n", cex = 0.8,
    xpd = NA, pch = c(NA, 15), lwd = c(2, NA), pt.cex = 1.8, col = c(shade(fit_colours[1L]), tint(fit_colours[1L], 0.55)))
  if (length(data$note)) graphics::mtext(data$note, side = 1, line = 3.4, adj = 0, cex = 0.75, col = ink)
}

draw_image <- function(data, main) {
  old <- graphics::par(mfrow = c(1, 2), mar = c(1 + length(data$note), 1, 2.6, 1), oma = c(0, 0, if (is.null(main)) 0 else 2, 0))
  on.exit(graphics::par(old))
  for (what in c("fit", "sd")) {
    shown <- matrix(data$values[[what]], data$image[1L])
    # The first row of a matrix is at its top.
    graphics::image(t(shown)[, rev(seq_len(nrow(shown))), drop = FALSE], col = image_colours(what), axes = FALSE, asp = data$image[1L] / data$image[2L])
    graphics::title(image_title(what, shown), font.main = 1, cex.main = 0.95)
  }
  if (length(data$note)) graphics::mtext(data$note, side = 1, adj = 0, cex = 0.75, col = ink)
  if (!is.null(main)) graphics::title(main, outer = TRUE)
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
  ggplot2::ggplot(values, ggplot2::aes(.data$place)) +
    (if (!is.null(values$y)) ggplot2::geom_point(ggplot2::aes(y = .data$y), size = if (nrow(values) > 500) 0.3 else 0.8, colour = "grey60")) +
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
