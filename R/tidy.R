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
#' @param newdata,newoffset New data to augment with predictions, and their offset; see [predict.wbb_lasso()].
#' @param interval Add limits `.lower` and `.upper`: see [predict.wbb_lasso()],
#'   [predict.wbb_trendfilter()] and [predict.wbb_mlp()].
#' @param exponentiate Give `exp()` of the estimate and its limits?
#' @param effects,parametric Not used: functions that take any model, such as `mice::pool()`, give them. There are
#'   `"fixed"` effects only.
#' @param ... Not used.
#' @return Data frames. `tidy()`: one row a coefficient with `term`, `estimate`,
#'   `std.error` (the standard deviation of the draws), `p.zero` and `p.positive`, the shares of draws that are
#'   zero and positive. With the family `"multinomial"`, and for `multinom()`, `term` is the name in a class and `y.level` the class. A trend has the place `x` and no shares; networks have the chosen `parameters`, and
#'   `p.positive` alone.
#'   `glance()`: one row with `nobs`, `draws`, `lambda`, `nonzero` (coefficients of
#'   the mode but the intercept), `sigma` of the mode (for families that have none its `deviance`) and `not.converged`.
#'   For chains it has `chains`, `alpha`, the means of `sigma` and `nu`, the largest R-hat and the
#'   smallest effective sample size; for a trend the numbers of `knots` and degrees of freedom `df`; for networks the
#'   means over the draws of what [summary()][summary.wbb_mlp] shows.
#'   `augment()`: the data with `.fitted` and, where the response is a number and known, `.resid`; that is so for the
#'   data of the fit, and for `newdata` in which the response of the formula can be found. For Cox `.fitted` is the linear
#'   predictor and `.resid` the martingale residual. For (three or more) classes
#'   `.fitted` is the likeliest class and `.probability` its posterior mean
#'   probability, with limits. For a path all three have rows for each `lambda`.
#' @name tidy.wbb
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' fit <- wbb_lasso(y ~ ., diabetes, lambda = 50, draws = 200, seed = 1)
#' generics::tidy(fit, conf.int = TRUE)
#' generics::glance(fit)
#' head(generics::augment(fit, interval = "prediction"))
NULL

#' @rdname tidy.wbb
#' @method tidy wbb
#' @exportS3Method generics::tidy wbb
tidy.wbb <- function(x, conf.int = FALSE, conf.level = 0.95, estimate = c("mode", "mean", "median"),
                     lambda = NULL, exponentiate = FALSE, effects = "fixed", parametric = TRUE, ...) {
  check_dots(..., .function = "tidy", .known = names(formals()), .foreign = of_tables)
  tidy_table(x, conf.int, conf.level, check_choice(estimate, "estimate", c("mode", "mean", "median")),
    exponentiate, effects, lambda)
}

# The rows of all lambdas that are asked for.
tidy_table <- function(fit, conf.int, conf.level, estimate, exponentiate, effects, lambda = NULL) {
  conf.level <- check_level(conf.level, "conf.level")
  conf.int <- check_flag(conf.int, "conf.int")
  check_choice(effects, "effects", "fixed")
  rows <- lapply(chosen_lambdas(fit, lambda), tidy_rows, fit = fit, estimate = estimate, level = if (conf.int) conf.level)
  exponentiated(do.call(rbind, rows), exponentiate)
}

tidy_rows <- function(lambda, fit, estimate, level) {
  table <- summary_table(lambda, fit, probs = 0.5)
  columns <- c(tidy_terms(fit, table$term), list(estimate = point_estimate(fit, lambda, estimate), std.error = table$sd))
  if (is_path(fit)) columns <- c(list(lambda = table$lambda), columns)
  if (!is.null(level)) {
    limits <- credible_limits(draws_matrix(fit, lambda), level)
    columns <- c(columns, list(conf.low = limits[, 1L], conf.high = limits[, 2L]))
  }
  data.frame(columns, p.zero = table$p_zero, p.positive = table$p_positive, row.names = NULL)
}

# Terms of a class are told apart by `y.level`, as broom tells apart those of multinom().
tidy_terms <- function(fit, terms) {
  classes <- tidy_classes(fit, terms)
  if (is.null(classes)) return(list(term = terms))
  list(y.level = classes, term = substring(terms, nchar(classes) + 2L))
}

# The class that a coefficient belongs to; NULL where there are none.
tidy_classes <- function(fit, terms) {
  if (!is.null(fit$spec$classes)) return(rep(fit$levels, each = length(terms) %/% length(fit$levels)))
  if (!inherits(fit$model, "multinom")) return(NULL)
  found <- stats::coef(fit$model)
  if (is.matrix(found) && identical(number_names(found), terms)) rep(rownames(found), ncol(found))
}

exponentiated <- function(table, exponentiate) {
  if (!check_flag(exponentiate, "exponentiate")) return(table)
  columns <- intersect(c("estimate", "conf.low", "conf.high"), names(table))
  table[columns] <- lapply(table[columns], exp)
  table
}

#' @rdname tidy.wbb
#' @method glance wbb
#' @exportS3Method generics::glance wbb
glance.wbb <- function(x, ...) {
  check_dots(..., .function = "glance", .known = character(), .foreign = of_tables)
  check_fit(x)
  slopes <- as.matrix(x$mode)
  slopes <- slopes[setdiff(seq_len(nrow(slopes)), intercept_places(x$spec)), , drop = FALSE]
  failed <- matrix(failed_solutions(x), ncol = length(x$lambda))
  out <- data.frame(
    nobs = x$spec$n, draws = draw_count(x$spec), lambda = x$lambda,
    nonzero = as.integer(colSums(slopes != 0)), not.converged = as.integer(colSums(failed)), row.names = NULL
  )
  fits <- if (family_of(x)$name == "gaussian") {
    list(sigma = x$mode_diagnostics$sigma)
  } else {
    list(deviance = if (is.null(x$y)) NA_real_ else unname(deviance(x)))
  }
  data.frame(out[1:4], fits, out["not.converged"])
}

#' @rdname tidy.wbb
#' @method augment wbb_lasso
#' @exportS3Method generics::augment wbb_lasso
augment.wbb_lasso <- function(x, data = NULL, newdata = NULL,
                              interval = c("none", "credible", "prediction"),
                              conf.level = 0.95, lambda = NULL, newoffset = NULL, ...) {
  check_dots(..., .function = "augment", .known = names(formals()))
  check_fit(x)
  interval <- check_choice(interval, "interval", linear_intervals)
  x <- with_rows_of(x, data)
  # The scale of fitted(): a risk of Cox may be relative to nothing that was seen.
  type <- family_of(x)$fitted
  rows_over_path(x, lambda, function(at) {
    predicted <- predict(x, newdata, type, interval, conf.level, at, newoffset = newoffset)
    if (is.null(x$spec$classes)) return(augment_table(x, data, newdata, predicted))
    out <- if (is.null(newdata)) augment_data(x, data, nrow(predicted)) else augment_newdata(newdata)
    augment_with_classes(out, predicted, x$levels, interval)
  })
}

#' @rdname tidy.wbb
#' @method augment wbb_bridge
#' @exportS3Method generics::augment wbb_bridge
augment.wbb_bridge <- function(x, data = NULL, newdata = NULL,
                               interval = c("none", "credible", "prediction"), conf.level = 0.95, ...) {
  check_dots(..., .function = "augment", .known = names(formals()))
  check_fit(x)
  x <- with_rows_of(x, data)
  augment_table(x, data, newdata, predict(x, newdata, interval = interval, level = conf.level))
}

#' @rdname tidy.wbb
#' @method augment wbb_genlasso
#' @exportS3Method generics::augment wbb_genlasso
augment.wbb_genlasso <- function(x, data = NULL, newdata = NULL,
                                 interval = c("none", "credible", "prediction"),
                                 conf.level = 0.95, lambda = NULL, ...) {
  check_dots(..., .function = "augment", .known = names(formals()))
  check_fit(x)
  x <- with_rows_of(x, data)
  rows_over_path(x, lambda, function(at) {
    augment_table(x, data, newdata, predict(x, newdata, interval = interval, level = conf.level, lambda = at))
  })
}

#' @method augment wbb
#' @exportS3Method generics::augment wbb
augment.wbb <- function(x, ...) predict.wbb(x)

# The kept data have no rows for what na.exclude would pad.
with_rows_of <- function(fit, data) {
  if (is.null(data)) fit$na.action <- NULL
  fit
}

augment_table <- function(fit, data, newdata, predicted) {
  if (!is.matrix(predicted)) predicted <- cbind(fit = predicted)
  out <- if (is.null(newdata)) augment_data(fit, data, nrow(predicted)) else augment_newdata(newdata)
  out$.fitted <- unname(predicted[, "fit"])
  if (ncol(predicted) == 3L) {
    out$.lower <- unname(predicted[, "lwr"])
    out$.upper <- unname(predicted[, "upr"])
  }
  out$.resid <- augment_residuals(fit, newdata, out$.fitted)
  out
}

# NULL where the response is not known.
augment_residuals <- function(fit, newdata, fitted) {
  family <- family_of(fit)
  if (is.null(newdata)) {
    # As residuals() has them: those of Cox are no differences.
    parts <- list(y = fit$y, fitted = fitted[!is.na(fitted)], weights = row_weights(fit), status = fit$spec$status)
    if (family$name == "cox") return(unname(stats::naresid(fit$na.action, family$residuals(parts, "response"))))
    return(unname(stats::naresid(fit$na.action, fit$y)) - fitted)
  }
  y <- if (is.data.frame(newdata)) observed_response(fit$terms, newdata)
  if (is.null(y) || family$name == "cox") return(NULL)
  if (family$name != "gaussian") return(family$code(y, deparse1(fit$terms[[2L]]), length(fitted), known_classes(fit))$y - fitted)
  if (!is.numeric(y) && !is.logical(y)) wrong_type("newdata", deparse1(fit$terms[[2L]]), y, "numeric")
  as.double(y) - fitted
}

augment_data <- function(fit, data, n) {
  if (is.null(data)) {
    if (!is.null(fit$model)) return(fit$model)
    # A trend has a point in place of columns.
    return(if (is.null(dim(fit$x)) && !is.null(fit$x)) data.frame(x = as_time(fit$x, fit$time), y = fit$y) else {
      cbind(augment_newdata(own_columns(fit)), y = fit$y)
    })
  }
  if (!is.data.frame(data) || nrow(data) != n) {
    bad_argument("data", paste("be the data frame of the fit, with", counted(n, "row")), data)
  }
  data
}

# A sparse matrix would have to be made dense: rows are then known by number.
augment_newdata <- function(newdata) {
  if (is.data.frame(newdata)) return(newdata)
  if (is.matrix(newdata)) return(as.data.frame(newdata))
  data.frame(.row = seq_len(nrow(newdata)))
}
