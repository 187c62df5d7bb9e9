# Fits with several lambdas. Without `lambda` a method answers for all of them, see ?"wbb-path": numbers get one more
# dimension, tables rows, and anything else becomes a list.

is_path <- function(fit) length(fit$lambda) > 1L

format_lambda <- function(lambda) vapply(lambda, format, "", digits = 6)

#' Fits with several lambdas
#'
#' A fit with a vector of `lambda` is a path: the same draws, with the same weights, at each of them. All methods take
#' `lambda` to speak about one of them: a fitted value as it was given or as it is printed, or else the number of its place.
#'
#' Without it they answer for all:
#' - numbers have one more dimension, the last, named by lambda: a number becomes a vector, a vector a matrix with a column for
#'   each lambda, a matrix an array ([coef()], [vcov()], [predict()], [sigma()], [logLik()], rstantools' `posterior_predict()`
#'   and `log_lik()`, [accuracy()], ...);
#' - tables have rows for each lambda, and a column `lambda` ([summary()], `tidy()`, `glance()`, `augment()`,
#'   [as.data.frame()], [calibration()], `model_performance()`, ...);
#' - where a column is what counts, its name has the lambda: `bmi[50]` in [as.matrix()], posterior's and coda's formats, and
#'   so do the columns of [simulate()] and the labels of [compare()] and `loo_compare()`;
#' - anything else is a list with an element for each lambda (`loo()`, `pp_check()`, `r2()`, `get_predicted()`). In `emmeans()`
#'   `lambda` is one more factor. `car::linearHypothesis()`, `car::deltaMethod()` and `caret::varImp()` want one lambda.
#'
#' Draws that are put side by side must be the same: one that failed at one lambda is then left out at all. With a `seed`
#' methods that draw random numbers use the same for each lambda, so that what they give for one lambda is a part of what
#' they give for all.
#'
#' @examples
#' path <- wbb_lasso(y ~ bmi + map, diabetes, lambda = c(500, 50), draws = 100, seed = 1)
#' coef(path)
#' AIC(path)
#' dim(vcov(path))
#' confint(path, lambda = 50)
#' @name wbb-path
NULL

# The place of `lambda` among the fitted ones: a value, as it was given or as it is printed, or else a number of a place. A
# fit may have none.
lambda_index <- function(fit, lambda) {
  fitted <- fit$lambda
  if (is.null(fitted)) {
    if (!is.null(lambda)) bad_argument("lambda", "be NULL: this fit has no lambda", lambda)
    return(1L)
  }
  if (is.null(lambda)) {
    if (length(fitted) == 1L) return(1L)
    bad_argument("lambda", lambda_choice(fitted), NULL, "is missing")
  }
  given <- lambda
  if (is.character(lambda)) lambda <- suppressWarnings(as.numeric(lambda))
  if (!is_number(lambda) || lambda < 0) bad_argument("lambda", lambda_choice(fitted), given)
  close <- abs(fitted - lambda) <= 1e-5 * fitted
  if (any(close)) return(which.min(abs(fitted - lambda)))
  if (length(fitted) > 1L && lambda %in% seq_along(fitted)) return(as.integer(lambda))
  bad_argument("lambda", lambda_choice(fitted), given)
}

lambda_choice <- function(fitted) {
  paste0("be one of the fitted values ", paste(format_lambda(utils::head(fitted, 6L)), collapse = ", "),
    if (length(fitted) > 6L) paste(" and", length(fitted) - 6L, "more"), if (length(fitted) > 1L) paste0(", or a place from 1 to ", length(fitted)))
}

# Does the method speak about all lambdas of a path? One that was not fitted is refused here, for methods that never look at it.
whole_path <- function(fit, lambda) {
  if (is.null(lambda)) return(is_path(fit))
  lambda_index(fit, lambda)
  FALSE
}

# Values by lambda, each made by `value(lambda)`; for a single one the value itself. Numbers get one more dimension.
over_path <- function(fit, lambda, value) {
  if (whole_path(fit, lambda)) side_by_side(list_path(fit, lambda, value)) else value(lambda)
}

side_by_side <- function(values) {
  first <- values[[1L]]
  shape <- dim(first)
  names <- dimnames(first)
  if (is.null(shape)) {
    shape <- length(first)
    names <- list(names(first))
  } else if (is.null(names)) {
    names <- vector("list", length(shape))
  }
  out <- array(unlist(values, use.names = FALSE), c(shape, length(values)), c(names, list(names(values))))
  # The classes that numbers stand for.
  attr(out, "levels") <- attr(first, "levels")
  out
}

# The same for what is not an array of numbers: a list.
list_path <- function(fit, lambda, value) {
  if (!whole_path(fit, lambda)) return(value(lambda))
  stats::setNames(lapply(fit$lambda, value), format_lambda(fit$lambda))
}

# And for data frames: one below the other.
rows_over_path <- function(fit, lambda, table) {
  if (!whole_path(fit, lambda)) return(table(lambda))
  do.call(rbind, lapply(fit$lambda, function(at) {
    rows <- table(at)
    cbind(lambda = rep(at, nrow(rows)), rows)
  }))
}

# "bmi[50]"
at_lambda <- function(names, lambda) paste0(names, "[", format_lambda(lambda), "]")

path_words <- function(lambda) paste0(" at ", if (is.null(lambda)) "all lambdas" else paste("lambda =", format_lambda(lambda)))

# A fit whose draws lie side by side at all lambdas: one that failed at one of them is marked as failed at all.
common_draws <- function(fit, lambda) {
  if (whole_path(fit, lambda)) fit$diagnostics$status <- common_status(fit, lambda)
  fit
}

# What became of the draws, for a method that speaks about `lambda`.
common_status <- function(fit, lambda) {
  status <- fit$diagnostics$status
  if (!whole_path(fit, lambda)) return(status)
  failed <- matrix(failed_status(status), ncol = length(fit$lambda))
  replace(status, which((rowSums(failed) > 0) & !failed), "not converged")
}
