# How linear fits predict: points, draws and limits by x'b, and the degrees of freedom that it costs.

# The columns at the rows of the fit, without an intercept.
own_columns <- function(fit) {
  check_kept(fit, "y")
  if (!is.null(fit$terms)) {
    return(drop_intercept(stats::model.matrix(fit$terms, fit$model, contrasts.arg = fit$contrasts)))
  }
  # The generalised lasso of a signal: a coefficient for each row.
  if (is.null(fit$x)) Matrix::Diagonal(length(fit$y)) else fit$x
}

# The work of predict(); `asked` comes from check_prediction().
predict_linear <- function(fit, newdata, asked, lambda = NULL) {
  x <- if (is.null(newdata)) own_columns(fit) else new_x(fit, newdata)
  na_action <- if (is.null(newdata)) fit$na.action
  if (asked$type == "draws") return(pad_draws(na_action, linear_draws(fit, x, lambda)))
  point <- linear_point(fit, x, lambda, asked$estimate)
  if (asked$interval != "none") {
    limits <- linear_limits(fit, x, lambda, asked$interval, interval_probs(asked$level))
    point <- cbind(fit = point, lwr = limits[, 1L], upr = limits[, 2L])
  }
  stats::napredict(na_action, point)
}

linear_point <- function(fit, x, lambda, estimate) {
  coefficients <- coef(fit, estimate, lambda)
  fitted <- linear_predictor(x, as.matrix(coefficients), has_intercept(fit))
  rownames(fitted) <- rownames(x)
  if (is.matrix(coefficients)) colnames(fitted) <- colnames(coefficients) else fitted <- fitted[, 1L]
  fitted
}

linear_draws <- function(fit, x, lambda) {
  draws <- draws_matrix(fit, lambda)
  check_size(as.double(nrow(draws)) * nrow(x), "the predictions", "newdata", NULL, "Predict fewer rows at a time.")
  predicted <- t(linear_predictor(x, t(draws), has_intercept(fit)))
  colnames(predicted) <- rownames(x)
  predicted
}

linear_limits <- function(fit, x, lambda, interval, probs) {
  question <- interval_question(interval, probs, draw_sigma(fit, lambda))
  draw_limits(draws_matrix(fit, lambda), x, has_intercept(fit), question, fit$spec$threads)
}

# What the squared part of the penalty is divided by: see ?"wbb-objective".
response_scale <- function(fit) {
  weights <- row_weights(fit)
  centre <- if (has_intercept(fit)) sum(weights * fit$y) / sum(weights) else 0
  scale <- sqrt(sum(weights * (fit$y - centre)^2) / sum(weights))
  if (scale > 0) scale else 1
}

# Effective degrees of freedom of the mode: the trace of its hat matrix on the selected columns. Without a ridge
# part that is their number (Zou, Hastie and Tibshirani 2007), if they are independent.
linear_df <- function(fit, index) {
  spec <- fit$spec
  mode <- as.matrix(fit$mode)[, index]
  slopes <- if (has_intercept(fit)) mode[-1L] else mode
  active <- which(slopes != 0)
  strength <- if (is.null(spec$refit)) fit$lambda[index] else spec$refit
  ridge <- strength * (1 - spec$alpha) / response_scale(fit)
  if (ridge == 0 || !length(active)) return(has_intercept(fit) + length(active))
  x <- as.matrix(own_columns(fit)[, active, drop = FALSE])
  weights <- row_weights(fit)
  centred <- x - rep(colSums(weights * x) / sum(weights), each = nrow(x))
  # Columns are standardised about their means, whether or not there is an intercept.
  variance <- if (spec$standardize) colSums(weights * centred^2) / sum(weights) else 1
  if (has_intercept(fit)) x <- centred
  penalty <- diag(sqrt(ridge * spec$penalty_factor[active] * variance), length(active))
  # H = Q1 Q1' of the rows of x in the QR decomposition of x above the root of the penalty.
  decomposition <- qr(rbind(sqrt(weights) * x, penalty))
  q <- qr.Q(decomposition)[seq_len(nrow(x)), seq_len(decomposition$rank), drop = FALSE]
  has_intercept(fit) + sum(q^2)
}
