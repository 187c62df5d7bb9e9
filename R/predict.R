# predict() of the linear fits, and what the predictions of all fits share.

#' Predictions with intervals
#'
#' Predicts the response at new data: a point estimate, with credible intervals of
#' the regression function or prediction intervals of a new response, or the
#' prediction of every draw.
#'
#' Credible intervals are quantiles of \eqn{x'b_k} over the draws. Prediction
#' intervals are quantiles of the mixture of the normal distributions
#' \eqn{N(x'b_k, \sigma_k^2)} of the draws, where \eqn{\sigma_k} is the residual
#' standard deviation of draw k with its degrees of freedom (`diagnostics$sigma`), or the chain's own
#' \eqn{\sigma} for [bayes_bridge()]; they are found by
#' root finding, without random numbers.
#'
#' @section Families:
#' With a family other than the Gaussian, `"response"` is the mean of the response: the probability of success, the expected
#' count, or the probability of each class; `"link"` is the linear predictor, `"class"` the likeliest class. Credible intervals
#' of a response are those of its link, transformed. Prediction intervals of counts are quantiles of the mixture of the
#' Poisson laws of the draws; those of shares of successes, of binomial laws: the `trials` that a new row is to have may be given, those
#' of a fit to `cbind(successes, failures)` are found in the counts of `newdata`, if it holds them, and limits are shares of them. A class has a prediction set: `type = "class", interval = "prediction"` marks the smallest set of
#' classes that holds a new response with the probability `level`, by the mean of the draws' probabilities. A time has neither.
#'
#' For Cox models `"link"` is \eqn{x'b} and `"response"` \eqn{e^{x'b}}{exp(x'b)}, as in glmnet; `"risk"` is the risk relative to
#' the mean of the columns, as in `survival::coxph()`; `"survival"` the probability to live beyond `times`, from each draw's
#' own baseline hazard; see [survival_curve()].
#'
#' `estimate = "mean"` is the mean of the draws' responses (or links), not the response at their mean.
#'
#' @section New data:
#' Columns are matched to those of the fit by name, and columns that the fit does not know are ignored. If
#' either side has no names, the number of columns must agree and they are taken by position; names that had to
#' be ignored for that are said in a warning. Types must be those of the fit, as in [stats::predict.lm()]: a
#' number that arrives as text or as a factor is an error, and so is a number for a factor. So are missing values and
#' levels that the fit did not see. A sparse matrix is not made dense.
#'
#' Without `newdata` rows that `na.exclude` left out come back as `NA`.
#'
#' @param object A fit of [wbb_lasso()], [bayes_bridge()] or [wbb_genlasso()].
#' @param newdata A data frame, a [wbb_source()] that is read in chunks (for the lasso), or a matrix if the fit was made from one; by default
#'   the data of the fit.
#' @param type `"response"`, or `"draws"` for the responses of all draws; see below for the others.
#' @param interval `"none"`, `"credible"` or `"prediction"`.
#' @param level The probability of the interval.
#' @param lambda Which value of `lambda`. A fit with several otherwise gives a column for each, or with an interval or draws a
#'   third dimension. It may be a fitted value as it was given or as it is printed, or else the number of its place.
#' @param estimate The point estimate: the `"mode"`, or the `"mean"` of the draws.
#' @param newoffset The offset of `newdata`, one number a row, for a fit with an `offset`. An `offset()` of the
#'   formula, and one that was given as an expression in columns, are found in `newdata`.
#' @param to Where `newdata` is a [wbb_source()]: a function that is given the predictions of each chunk as they come (to write them to a
#'   file or a table), so that not all are in memory at once; `predict()` then returns the number of rows. `NULL` joins them.
#' @param trials For prediction intervals of a binomial response: of how many trials a row is, one number for each row or one for all.
#' @param times For `type = "survival"`: the times; by default all at which there was an event.
#' @param ... Not used.
#' @return A vector; with an interval a matrix with columns `fit`, `lwr` and `upr`; for the prediction sets of classes a logical
#'   matrix with a column for each class;
#'   for `type = "draws"` a matrix with one row a draw and one column a row of
#'   `newdata`. Draws that failed are left out. The multinomial has a column for each class: a matrix, with an interval an
#'   array whose third dimension is `fit`, `lwr`, `upr`, with `"draws"` an array of draws by rows by classes. `"survival"` has
#'   times in place of the classes.
#' @examples
#' fit <- wbb_lasso(y ~ ., diabetes, lambda = 50, draws = 200, seed = 1)
#' new <- diabetes[1:3, ]
#' predict(fit, new)
#' predict(fit, new, interval = "credible")
#' predict(fit, new, interval = "prediction", level = 0.8)
#' dim(predict(fit, new, type = "draws"))
#' @export
predict.wbb_lasso <- function(object, newdata = NULL, type = c("response", "link", "class", "risk", "survival", "draws"),
                              interval = c("none", "credible", "prediction"), level = 0.95, lambda = NULL,
                              estimate = c("mode", "mean"), newoffset = NULL, times = NULL, to = NULL, trials = NULL, ...) {
  check_dots(..., .function = "predict", .known = names(formals()))
  check_fit(object)
  asked <- check_prediction(type, interval, level, estimate, family_of(object))
  if (inherits(newdata, "wbb_source")) {
    if (!(is.null(to) || is.function(to))) bad_argument("to", "be a function of a prediction", to)
    one <- function(chunk) {
      predict(object, chunk, type = asked$type, interval = asked$interval, level = level, lambda = lambda,
        estimate = asked$estimate, newoffset = newoffset, times = times, trials = trials)
    }
    parts <- predict_source(newdata, one, to)
    return(if (is.null(to)) join_predictions(parts, asked$type) else invisible(parts))
  }
  if (!is.null(to)) bad_argument("to", "be NULL unless `newdata` is a source", to)
  if (asked$type %in% c("risk", "survival")) return(predict_hazard(object, newdata, asked, lambda, newoffset, times))
  if (!is.null(times)) bad_argument("times", "be NULL but for type = \"survival\"", times)
  predict_linear(object, newdata, asked, lambda, newoffset, trials)
}

#' @rdname predict.wbb_lasso
#' @export
predict.wbb_bridge <- function(object, newdata = NULL, type = c("response", "draws"),
                               interval = c("none", "credible", "prediction"), level = 0.95, ...) {
  check_dots(..., .function = "predict", .known = names(formals()))
  check_fit(object)
  predict_linear(object, newdata, check_prediction(type, interval, level, "mean"))
}

#' @rdname predict.wbb_lasso
#' @export
predict.wbb_genlasso <- function(object, newdata = NULL, type = c("response", "draws"),
                                 interval = c("none", "credible", "prediction"),
                                 level = 0.95, lambda = NULL, estimate = c("mode", "mean"), ...) {
  check_dots(..., .function = "predict", .known = names(formals()))
  check_fit(object)
  predict_linear(object, newdata, check_prediction(type, interval, level, estimate), lambda)
}

# A class that was taken away has no method of its own.
#' @export
predict.wbb <- function(object, ...) {
  check_fit(object)
  abort("argument", paste0("predict() is not known for a fit of class ", show_value(class(object)[1L]), "."), "object")
}

# What all fits share ----------------------------------------------------------------

linear_intervals <- c("none", "credible", "prediction")

prediction_types <- c("response", "link", "class", "risk", "survival", "draws")

# `entry` is that of a family: without one there is the response alone.
check_prediction <- function(type, interval, level, estimate, entry = NULL, intervals = linear_intervals) {
  known <- c(if (is.null(entry)) "response" else entry$types, "draws")
  if (identical(type, prediction_types)) type <- "response"
  asked <- list(
    type = check_choice(type, "type", known),
    interval = check_choice(interval, "interval", intervals),
    level = check_level(level), estimate = check_choice(estimate, "estimate", c("mode", "mean"))
  )
  if (asked$type == "draws" && asked$interval != "none") {
    bad_argument("interval", "be \"none\" with type = \"draws\"", interval)
  }
  if (asked$type == "class" && asked$interval == "credible") {
    bad_argument("interval", "be \"none\" or \"prediction\" with type = \"class\"", interval)
  }
  if (asked$interval == "prediction" && asked$type != "class" && !is.null(entry)) check_predictive(entry, asked$type)
  asked
}

check_predictive <- function(entry, type) {
  if (!entry$predictive) {
    bad_argument("interval", paste0("be \"none\" or \"credible\" with family = ", show_value(entry$name)), "prediction",
      advice = if ("class" %in% entry$types) class_advice)
  }
  if (type != "response") bad_argument("type", "be \"response\" with interval = \"prediction\"", type)
}

# Rows that na.exclude left out come back as NA, here as columns: the draws are the rows.
pad_draws <- function(na_action, draws) {
  at <- stats::napredict(na_action, stats::setNames(seq_len(ncol(draws)), colnames(draws)))
  if (length(at) == ncol(draws)) return(draws)
  out <- if (length(dim(draws)) == 2L) draws[, at, drop = FALSE] else draws[, at, , drop = FALSE]
  if (!is.null(names(at))) dimnames(out)[[2L]] <- names(at)
  out
}

# The residual scale of the draws in draws_matrix().
draw_sigma <- function(fit, lambda = NULL) {
  of_draws(fit, fit$diagnostics$sigma, lambda)[usable_draws(fit, lambda)]
}
