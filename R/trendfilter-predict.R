# A trend at any point: the discrete spline through its values, and bands.

#' A trend at other points, with bands
#'
#' Predicts the trend at any `x`, with pointwise or simultaneous bands, or gives the trend of
#' every draw.
#'
#' Between the points of the data the trend is the discrete spline: the polynomial of
#' degree `order` through the point to the right and the `order` points before it. Beyond
#' the data the last polynomial goes on; of that little is known, and the bands
#' show only what the draws do.
#'
#' The bands:
#' - `"credible"`: pointwise quantiles of the draws;
#' - `"se"`: the estimate plus and minus standard deviations of the draws, as many as a normal
#'   distribution needs for `level` (`level = 0.9545` gives the 2 of the paper);
#' - `"simultaneous"`: the estimate plus and minus that multiple of the standard deviations
#'   (sup-t) which holds the whole trend in a share `level` of the draws, and nowhere less than the
#'   pointwise band;
#' - `"prediction"`: quantiles for a new observation, as in [predict.wbb_lasso()].
#'
#' `"se"` and `"simultaneous"` are centred on the column `fit`, as the paper's are: on the mode, or with
#' `estimate = "mean"` on the mean of the draws. The quantiles are those of the draws alone; `fit` need not lie in
#' their middle.
#'
#' @param object A fit of [wbb_trendfilter()].
#' @param newdata Points: a vector of values of the predictor, or a data frame with the variables of the
#'   formula (or a column `x`); by default those of the data, row by row. For a formula that transforms
#'   its predictor, such as `y ~ log(x)`, it must be a data frame: a vector could mean either.
#' @param type `"response"`, or `"draws"` for the trends of all draws.
#' @param interval The band.
#' @inheritParams predict.wbb_lasso
#' @return A vector; with a band a matrix with columns `fit`, `lwr` and `upr`; for
#'   `type = "draws"` a matrix with one row a draw and one column a point. Draws that failed are left out.
#' @examples
#' fit <- wbb_trendfilter(Nile, time(Nile), order = 1, lambda = 500, draws = 200, seed = 1)
#' predict(fit, c(1900.5, 1950), interval = "credible")
#' predict(fit, c(1900.5, 1950), interval = "simultaneous")
#' @export
predict.wbb_trendfilter <- function(object, newdata = NULL, type = c("response", "draws"),
                                    interval = c("none", "credible", "se", "simultaneous", "prediction"),
                                    level = 0.95, lambda = NULL, estimate = c("mode", "mean"), ...) {
  check_dots(..., .function = "predict", .known = names(formals()))
  check_fit(object)
  asked <- check_prediction(type, interval, level, estimate, intervals = trendfilter_bands)
  through <- interpolation(object$points, trend_points(object, newdata), object$spec$order)
  na_action <- if (is.null(newdata)) object$na.action
  if (asked$type == "draws") {
    object <- common_draws(object, lambda)
    return(over_path(object, lambda, function(at) pad_draws(na_action, trend_draws(object, through, at))))
  }
  if (asked$interval == "none") return(stats::napredict(na_action, trend_point(object, through, lambda, asked$estimate)))
  over_path(object, lambda, function(at) {
    point <- trend_point(object, through, at, asked$estimate)
    limits <- trendfilter_limits(object, through, at, asked$interval, asked$level, point)
    stats::napredict(na_action, cbind(fit = point, limits))
  })
}

trend_draws <- function(fit, through, lambda) {
  draws <- draws_matrix(fit, lambda)
  check_size(as.double(nrow(draws)) * nrow(through$columns), "the predictions", "newdata", NULL,
    "Predict fewer points at a time.")
  interpolated(draws, through)
}

# A vector, or for a path without lambda a column for each.
trend_point <- function(fit, through, lambda, estimate) {
  coefficients <- coef(fit, estimate, lambda)
  point <- interpolated(t(as.matrix(coefficients)), through)
  if (is.matrix(coefficients)) t(point) else point[1L, ]
}

trendfilter_bands <- c("none", "credible", "se", "simultaneous", "prediction")

# The points of the data, row by row, or new ones.
trend_points <- function(fit, newdata, argument = "newdata") {
  if (is.null(newdata)) {
    check_kept(fit, "x")
    return(fit$x)
  }
  newdata <- trend_frame(fit, newdata, argument)
  if (!is.null(fit$terms)) return(unname(new_x(fit, newdata, argument)[, 1L]))
  check_columns("x", names(newdata), argument)
  check_numbers(time_numbers(newdata$x, fit$time, argument), argument, must = "have finite numbers `x`")
}

# A vector is taken for the predictor, where there can be no doubt what that is.
trend_frame <- function(fit, newdata, argument = "newdata") {
  if (is.data.frame(newdata)) return(newdata)
  if (!is.atomic(newdata) || is.null(newdata) || !is.null(dim(newdata))) {
    bad_argument(argument, "be a vector of points or a data frame", newdata)
  }
  if (is.null(fit$terms)) {
    # Any other vector would be blamed for its column.
    if (!is.numeric(newdata) && is.null(time_kind(newdata))) {
      bad_argument(argument, "be a numeric vector or a data frame", newdata)
    }
    return(point_frame("x", newdata))
  }
  predictor <- attr(fit$terms, "variables")[[3L]]
  if (!is.symbol(predictor)) {
    bad_argument(argument, paste("be a data frame with", show_values(names(fit$variables))), newdata,
      paste0(show_value(newdata), " could be meant as that or as ", deparse1(predictor)))
  }
  point_frame(as.character(predictor), newdata)
}

# data.frame() refuses vectors of classes that it does not know.
point_frame <- function(name, values) {
  structure(stats::setNames(list(values), name), row.names = .set_row_names(length(values)), class = "data.frame")
}

#' @export
model.matrix.wbb_trendfilter <- function(object, data = NULL, ...) {
  check_dots(..., .function = "model.matrix", .known = "data")
  check_fit(object)
  x <- trend_matrix(interpolation(object$points, trend_points(object, data, "data"), object$spec$order))
  colnames(x) <- object$spec$names
  x
}

# Rows of weights as a sparse matrix with a column for each point.
trend_matrix <- function(through) {
  Matrix::sparseMatrix(
    i = rep(seq_len(nrow(through$columns)), ncol(through$columns)), j = as.vector(through$columns),
    x = as.vector(through$weight), dims = c(nrow(through$columns), through$points)
  )
}

# Rows of weights: the value at `at` is a combination of `order` + 1 points (Lagrange).
interpolation <- function(points, at, order) {
  right <- pmin(findInterval(at, points, left.open = TRUE) + 1L, length(points))
  first <- pmin(pmax(right - order, 1L), length(points) - order)
  columns <- outer(first, 0:order, `+`)
  near <- matrix(points[columns], nrow(columns), ncol(columns))
  weight <- vapply(seq_len(order + 1L), function(j) {
    others <- near[, -j, drop = FALSE]
    terms <- (at - others) / (near[, j] - others)
    Reduce(`*`, lapply(seq_len(order), function(i) terms[, i]), rep(1, length(at)))
  }, numeric(length(at)))
  list(columns = columns, weight = matrix(weight, length(at), order + 1L), points = length(points))
}

interpolated <- function(draws, through) {
  draws <- unname(draws)
  out <- 0
  for (j in seq_len(ncol(through$columns))) {
    out <- out + draws[, through$columns[, j], drop = FALSE] * rep(through$weight[, j], each = nrow(draws))
  }
  out
}

# `centre` is what the bands of standard deviations are put around.
trendfilter_limits <- function(fit, through, lambda, interval, level, centre) {
  limits <- if (interval %in% c("credible", "prediction")) {
    trend_quantiles(fit, through, lambda, interval, level)
  } else {
    trend_deviations(fit, through, lambda, interval, level, centre)
  }
  colnames(limits) <- c("lwr", "upr")
  limits
}

trend_quantiles <- function(fit, through, lambda, interval, level) {
  question <- interval_question(interval, interval_probs(level), draw_sigma(fit, lambda))
  draw_limits(draws_matrix(fit, lambda), trend_matrix(through), FALSE, question, fit$spec$threads)
}

trend_deviations <- function(fit, through, lambda, interval, level, centre) {
  draws <- interpolated(draws_matrix(fit, lambda), through)
  sd <- column_sds(draws)
  if (interval == "se") return(centre + outer(sd, stats::qnorm(interval_probs(level))))
  pointwise <- trend_quantiles(fit, through, lambda, "credible", level)
  widest(centre + outer(sd, c(-1, 1) * sup_t(draws, level, centre)), pointwise)
}

# The multiple of the standard deviations around `centre` that `level` of the draws never leave.
sup_t <- function(draws, level, centre) {
  sd <- column_sds(draws)
  moves <- which(sd > 0)
  if (!length(moves)) return(0)
  z <- abs(draws[, moves, drop = FALSE] - rep(centre[moves], each = nrow(draws))) / rep(sd[moves], each = nrow(draws))
  unname(stats::quantile(do.call(pmax, lapply(seq_len(ncol(z)), function(j) z[, j])), level))
}

# A skewed point can have a quantile beyond the multiple of all: one band must hold the other.
widest <- function(a, b) cbind(pmin(a[, 1L], b[, 1L]), pmax(a[, 2L], b[, 2L]))
