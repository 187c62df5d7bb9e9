# The draws as methods read them, and in the formats of others.

# One row a draw, one named column a coefficient: what all methods work from. Networks have more to choose
# from, which comes through the dots.
draws_matrix <- function(fit, lambda = NULL, ...) UseMethod("draws_matrix")

#' @export
draws_matrix.wbb <- function(fit, lambda = NULL, ..., .function = "as.matrix") {
  check_dots(..., .function = .function, .known = "lambda")
  check_fit(fit)
  index <- lambda_index(fit, lambda)
  if (length(dim(fit$draws)) == 2L) return(fit$draws)
  array(fit$draws[, , index], dim(fit$draws)[1:2], dimnames(fit$draws)[1:2])
}

# The lambdas a method speaks about: the one that was asked for, or all. A fit without any is spoken about
# once, with lambda = NULL.
chosen_lambdas <- function(fit, lambda) {
  check_fit(fit)
  if (is.null(fit$lambda)) {
    lambda_index(fit, lambda)
    return(list(NULL))
  }
  if (is.null(lambda)) fit$lambda else fit$lambda[lambda_index(fit, lambda)]
}

# Type-7 quantiles of all columns by a single sort, `probs` by columns.
column_quantiles <- function(draws, probs) {
  n <- nrow(draws)
  sorted <- draws[order(col(draws), draws)]
  dim(sorted) <- dim(draws)
  at <- 1 + (n - 1) * probs
  below <- floor(at)
  lower <- sorted[below, , drop = FALSE]
  upper <- sorted[pmin(below + 1, n), , drop = FALSE]
  quantiles <- lower + (at - below) * (upper - lower)
  dimnames(quantiles) <- list(NULL, colnames(draws))
  quantiles
}

column_sds <- function(draws) {
  n <- nrow(draws)
  centred <- draws - rep(colMeans(draws), each = n)
  sqrt(colSums(centred^2) / (n - 1))
}

#' The draws in other formats, and joined
#'
#' A fit's draws as a matrix, a data frame, one of the formats of package
#' posterior, or an `mcmc` object of package coda. `c()` joins the draws of fits
#' that differ only in their draws.
#'
#' The draws of a bootstrap are independent, so that they are given as one chain. Those of
#' [bayes_bridge()] keep their chains apart, and come with `sigma` and `nu`.
#'
#' `c()` takes fits of the same data with the same settings, and stops with an
#' error otherwise. Fits with the same seed must not share draws; fits with
#' different seeds may be joined as well.
#'
#' @param x A fit, as from [wbb_lasso()].
#' @param lambda Which value of `lambda`; needed only when the fit has several.
#' @param row.names,optional As in [as.data.frame()].
#' @param ... For `c()`, more fits. For [wbb_mlp()] `parameters`, `what` and `newdata`; see there
#'   the section on networks. Otherwise not used.
#' @return `as.matrix()`: one row a draw, one named column a coefficient. A draw of [wbb_mlp()] that has no
#'   network has no row.
#'   `c()`: a fit with all draws, in the order of the arguments.
#' @examples
#' fit <- wbb_lasso(y ~ ., diabetes, lambda = 50, draws = 100, seed = 1)
#' dim(as.matrix(fit))
#' head(as.data.frame(fit))
#'
#' more <- wbb_lasso(y ~ ., diabetes, lambda = 50, draws = 100, seed = 1, first_draw = 101)
#' c(fit, more)
#' @examplesIf requireNamespace("posterior", quietly = TRUE)
#' posterior::summarise_draws(posterior::as_draws(fit))
#' @export
as.matrix.wbb <- function(x, lambda = NULL, ...) {
  draws_matrix(x, lambda, ...)
}

#' @rdname as.matrix.wbb
#' @export
as.data.frame.wbb <- function(x, row.names = NULL, optional = FALSE, lambda = NULL, ...) {
  as.data.frame(draws_matrix(x, lambda, ..., .function = "as.data.frame"), row.names = row.names, optional = TRUE)
}

#' @rdname as.matrix.wbb
#' @exportS3Method posterior::as_draws
as_draws.wbb <- function(x, lambda = NULL, ...) {
  posterior::as_draws_matrix(draws_matrix(x, lambda, ..., .function = "as_draws"))
}

#' @rdname as.matrix.wbb
#' @exportS3Method posterior::as_draws_matrix
as_draws_matrix.wbb <- as_draws.wbb

#' @rdname as.matrix.wbb
#' @exportS3Method posterior::as_draws_array
as_draws_array.wbb <- function(x, lambda = NULL, ...) {
  posterior::as_draws_array(as_draws.wbb(x, lambda, ...))
}

#' @rdname as.matrix.wbb
#' @exportS3Method posterior::as_draws_df
as_draws_df.wbb <- function(x, lambda = NULL, ...) {
  posterior::as_draws_df(as_draws.wbb(x, lambda, ...))
}

#' @rdname as.matrix.wbb
#' @exportS3Method posterior::as_draws_list
as_draws_list.wbb <- function(x, lambda = NULL, ...) {
  posterior::as_draws_list(as_draws.wbb(x, lambda, ...))
}

#' @rdname as.matrix.wbb
#' @exportS3Method posterior::as_draws_rvars
as_draws_rvars.wbb <- function(x, lambda = NULL, ...) {
  posterior::as_draws_rvars(as_draws.wbb(x, lambda, ...))
}

#' @rdname as.matrix.wbb
#' @exportS3Method coda::as.mcmc
as.mcmc.wbb <- function(x, lambda = NULL, ...) {
  coda::mcmc(draws_matrix(x, lambda, ..., .function = "as.mcmc"))
}
