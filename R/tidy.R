#' Tidy data frames of a fit
#'
#' Methods for the generics of package generics, which broom re-exports.
#'
#' @param x A fit, as from [wbb_lasso()].
#' @param conf.int,conf.level Add credible limits `conf.low` and `conf.high`, and
#'   their probability.
#' @param estimate What `estimate` is: the `"mode"`, or the `"mean"` or `"median"` of
#'   the draws.
#' @param lambda Which value of `lambda`; by default all that were fitted.
#' @param data The data to augment; by default those of the fit.
#' @param newdata New data to augment with predictions.
#' @param interval Add limits `.lower` and `.upper`: see [predict.wbb_lasso()],
#'   [predict.wbb_trendfilter()] and [predict.wbb_mlp()].
#' @param ... Not used.
#' @return Data frames. `tidy()`: one row a coefficient with `term`, `estimate`,
#'   `std.error` (the standard deviation of the draws), `p.zero` and `p.positive`.
#'   `glance()`: one row with `nobs`, `draws`, `lambda`, `nonzero` (coefficients of
#'   the mode but the intercept), `sigma` of the mode and `not.converged`.
#'   For chains it has `chains`, `alpha`, the means of `sigma` and `nu`, the largest R-hat and the
#'   smallest effective sample size; for a trend the numbers of `knots` and degrees of freedom `df`.
#'   For networks `tidy()` has the chosen `parameters`, and `glance()` the means over the draws of what
#'   [summary()][summary.wbb_mlp] shows.
#'   `augment()`: the data with `.fitted` and, where the response is known,
#'   `.resid`; for classes `.fitted` is the likeliest class and `.probability` its posterior mean
#'   probability, with limits. For a path `tidy()` and `glance()` have rows for each `lambda`.
#' @name tidy.wbb
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' fit <- wbb_lasso(y ~ ., diabetes, lambda = 50, draws = 200, seed = 1)
#' generics::tidy(fit, conf.int = TRUE)
#' generics::glance(fit)
#' head(generics::augment(fit, interval = "prediction"))
NULL

#' @rdname tidy.wbb
#' @exportS3Method generics::tidy
tidy.wbb <- function(x, conf.int = FALSE, conf.level = 0.95,
                     estimate = c("mode", "mean", "median"), lambda = NULL, ...) {
  check_dots(..., .function = "tidy", .known = names(formals()))
  estimate <- check_choice(estimate, "estimate", c("mode", "mean", "median"))
  conf.level <- check_level(conf.level, "conf.level")
  conf.int <- check_flag(conf.int, "conf.int")
  do.call(rbind, lapply(chosen_lambdas(x, lambda), tidy_table, fit = x, estimate = estimate,
    level = if (conf.int) conf.level))
}

tidy_table <- function(lambda, fit, estimate, level) {
  table <- summary_table(lambda, fit, probs = 0.5)
  columns <- list(term = table$term, estimate = point_estimate(fit, lambda, estimate), std.error = table$sd)
  if (is_path(fit)) columns <- c(list(lambda = table$lambda), columns)
  if (!is.null(level)) {
    limits <- confint.wbb(fit, level = level, lambda = lambda)
    columns <- c(columns, list(conf.low = limits[, 1L], conf.high = limits[, 2L]))
  }
  data.frame(columns, p.zero = table$p_zero, p.positive = table$p_positive, row.names = NULL)
}

#' @rdname tidy.wbb
#' @exportS3Method generics::glance
glance.wbb <- function(x, ...) {
  check_dots(..., .function = "glance", .known = character())
  check_fit(x)
  slopes <- as.matrix(x$mode)[x$spec$intercept + seq_len(x$spec$p), , drop = FALSE]
  failed <- matrix(x$diagnostics$status != "converged", ncol = length(x$lambda))
  data.frame(
    nobs = x$spec$n, draws = draw_count(x$spec), lambda = x$lambda,
    nonzero = as.integer(colSums(slopes != 0)), sigma = x$mode_diagnostics$sigma,
    not.converged = as.integer(colSums(failed)), row.names = NULL
  )
}

#' @rdname tidy.wbb
#' @exportS3Method generics::augment
augment.wbb_lasso <- function(x, data = NULL, newdata = NULL,
                              interval = c("none", "credible", "prediction"),
                              conf.level = 0.95, lambda = NULL, ...) {
  check_dots(..., .function = "augment", .known = names(formals()))
  check_fit(x)
  lambda_index(x, lambda)
  # The kept data have no rows for what na.exclude would pad.
  if (is.null(data)) x$na.action <- NULL
  predicted <- predict.wbb_lasso(x, newdata, interval = interval, level = conf.level, lambda = lambda)
  if (!is.matrix(predicted)) predicted <- cbind(fit = predicted)
  out <- if (is.null(newdata)) augment_data(x, data, nrow(predicted)) else augment_newdata(newdata)
  out$.fitted <- unname(predicted[, "fit"])
  if (ncol(predicted) == 3L) {
    out$.lower <- unname(predicted[, "lwr"])
    out$.upper <- unname(predicted[, "upr"])
  }
  if (is.null(newdata)) out$.resid <- unname(residuals.wbb(x, lambda))
  out
}

augment_data <- function(fit, data, n) {
  if (is.null(data)) {
    if (!is.null(fit$model)) return(fit$model)
    return(cbind(augment_newdata(fit$x), y = fit$y))
  }
  if (!is.data.frame(data) || nrow(data) != n) {
    bad_argument("data", paste("be the data frame of the fit, with", n, "rows"), data)
  }
  data
}

# A sparse matrix would have to be made dense: rows are then known by number.
augment_newdata <- function(newdata) {
  if (is.data.frame(newdata)) return(newdata)
  if (is.matrix(newdata)) return(as.data.frame(newdata))
  data.frame(.row = seq_len(nrow(newdata)))
}
