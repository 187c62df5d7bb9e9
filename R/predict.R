#' Predictions with intervals
#'
#' Predicts the response at new data: a point estimate, with credible intervals of
#' the regression function or prediction intervals of a new response, or the
#' prediction of every draw.
#'
#' Credible intervals are quantiles of \eqn{x'b_k} over the draws. Prediction
#' intervals are quantiles of the mixture of the normal distributions
#' \eqn{N(x'b_k, \sigma_k^2)} of the draws, where \eqn{\sigma_k} is the weighted
#' residual standard deviation of draw k (`diagnostics$sigma`), or the chain's own
#' \eqn{\sigma} for [bayes_bridge()]; they are found by
#' root finding, without random numbers.
#'
#' New data are matched to the fit by the names of columns, and columns that the
#' fit does not know are ignored. If either side has no names, the number of
#' columns must agree. Missing values are an error, and so are levels of a factor
#' that the fit did not see. A sparse matrix is not made dense.
#'
#' @param object A fit of [wbb_lasso()] or [bayes_bridge()].
#' @param newdata A data frame, or a matrix if the fit was made from one; by default
#'   the data of the fit.
#' @param type `"response"`, or `"draws"` for the predictions of all draws.
#' @param interval `"none"`, `"credible"` or `"prediction"`.
#' @param level The probability of the interval.
#' @param lambda Which value of `lambda`. A fit with several needs it, but for
#'   `type = "response"` without interval, which gives a column for each.
#' @param estimate The point estimate: the `"mode"`, or the `"mean"` of the draws.
#' @param ... Not used.
#' @return A vector; with an interval a matrix with columns `fit`, `lwr` and `upr`;
#'   for `type = "draws"` a matrix with one row a draw and one column a row of
#'   `newdata`.
#' @examples
#' fit <- wbb_lasso(y ~ ., diabetes, lambda = 50, draws = 200, seed = 1)
#' new <- diabetes[1:3, ]
#' predict(fit, new)
#' predict(fit, new, interval = "credible")
#' predict(fit, new, interval = "prediction", level = 0.8)
#' dim(predict(fit, new, type = "draws"))
#' @export
predict.wbb_lasso <- function(object, newdata = NULL, type = c("response", "draws"),
                              interval = c("none", "credible", "prediction"),
                              level = 0.95, lambda = NULL, estimate = c("mode", "mean"), ...) {
  check_dots(..., .function = "predict", .known = names(formals()))
  type <- check_choice(type, "type", c("response", "draws"))
  interval <- check_choice(interval, "interval", c("none", "credible", "prediction"))
  estimate <- check_choice(estimate, "estimate", c("mode", "mean"))
  level <- check_level(level)
  check_fit(object)
  if (type == "draws" && interval != "none") {
    bad_argument("interval", "be \"none\" with type = \"draws\"", interval)
  }
  x <- if (is.null(newdata)) model.matrix.wbb(object) else new_x(object, newdata)
  if (type == "draws") return(predict_draws(object, x, lambda))
  point <- predict_point(object, x, lambda, estimate)
  if (interval != "none") {
    limits <- predict_limits(object, x, lambda, interval, interval_probs(level))
    point <- cbind(fit = point, lwr = limits[, 1L], upr = limits[, 2L])
  }
  if (is.null(newdata)) stats::napredict(object$na.action, point) else point
}

predict_point <- function(fit, x, lambda, estimate) {
  coefficients <- coef.wbb(fit, estimate, lambda)
  fitted <- linear_predictor(x, as.matrix(coefficients), fit$spec$intercept)
  rownames(fitted) <- rownames(x)
  if (is.matrix(coefficients)) colnames(fitted) <- colnames(coefficients) else fitted <- fitted[, 1L]
  fitted
}

predict_draws <- function(fit, x, lambda) {
  draws <- draws_matrix(fit, lambda)
  check_size(as.double(nrow(draws)) * nrow(x), "the predictions", "newdata", NULL, "Predict fewer rows at a time.")
  predicted <- t(linear_predictor(x, t(draws), fit$spec$intercept))
  colnames(predicted) <- rownames(x)
  predicted
}

# Limits at both `probs`, a row for each row of x. All draws at all rows may be
# far larger than the data, so rows go in blocks of about this many numbers.
block_numbers <- 2e6

predict_limits <- function(fit, x, lambda, interval, probs) {
  coefficients <- t(draws_matrix(fit, lambda))
  sigma <- draw_sigma(fit, lambda)
  limits <- matrix(0, nrow(x), 2L)
  size <- max(1L, as.integer(block_numbers / ncol(coefficients)))
  for (start in seq(1L, by = size, length.out = ceiling(nrow(x) / size))) {
    rows <- start:min(start + size - 1L, nrow(x))
    centre <- linear_predictor(x[rows, , drop = FALSE], coefficients, fit$spec$intercept)
    limits[rows, ] <- if (interval == "credible") {
      t(column_quantiles(t(centre), probs))
    } else {
      vapply(probs, mixture_quantile, numeric(length(rows)), centre = centre, sigma = sigma)
    }
  }
  limits
}

draw_sigma <- function(fit, lambda) {
  if (!is_path(fit)) return(fit$diagnostics$sigma)
  fit$diagnostics$sigma[fit$diagnostics$lambda == fit$lambda[lambda_index(fit, lambda)]]
}

# The p-quantile of each row's equal mixture of N(centre[i, k], sigma[k]^2), by
# Newton steps kept inside a bracket. The quantiles of the components bracket that
# of the mixture; the normal distribution with its mean and variance is the start.
mixture_quantile <- function(p, centre, sigma) {
  # A draw that fits perfectly is a point mass; zero would give 0/0 at that point.
  sigma <- pmax(sigma, .Machine$double.xmin)
  component <- centre + stats::qnorm(p) * rep(sigma, each = nrow(centre))
  rows <- seq_len(nrow(centre))
  lower <- component[cbind(rows, max.col(-component, "first"))]
  upper <- component[cbind(rows, max.col(component, "first"))]
  tolerance <- 1e-10 * pmax(abs(lower), abs(upper))
  middle <- rowMeans(centre)
  spread <- sqrt(rowMeans((centre - middle)^2) + mean(sigma^2))
  at <- pmin(pmax(middle + stats::qnorm(p) * spread, lower), upper)
  open <- rows
  for (iteration in 1:200) {
    from <- at[open]
    z <- (from - centre[open, , drop = FALSE]) / rep(sigma, each = length(open))
    excess <- rowMeans(stats::pnorm(z)) - p
    above <- excess > 0
    upper[open[above]] <- from[above]
    lower[open[!above]] <- from[!above]
    to <- from - excess / rowMeans(stats::dnorm(z) / rep(sigma, each = length(open)))
    outside <- !is.finite(to) | to < lower[open] | to > upper[open]
    to[outside] <- (lower[open[outside]] + upper[open[outside]]) / 2
    at[open] <- to
    open <- open[abs(to - from) > tolerance[open]]
    if (!length(open)) break
  }
  at
}
