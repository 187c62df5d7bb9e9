# The draws as methods read them, and in the formats of others.

# One row a draw, one named column a coefficient: what all methods work from. Draws that failed are not in
# it unless they are asked for. Networks have more to choose from, which comes through the dots.
draws_matrix <- function(fit, lambda = NULL, ...) UseMethod("draws_matrix")

#' @export
draws_matrix.wbb <- function(fit, lambda = NULL, failed = FALSE, pars = NULL, ..., .function = "as.matrix") {
  check_dots(..., .function = .function, .known = c("lambda", "failed", "pars"))
  check_fit(fit)
  failed <- check_flag(failed, "failed")
  index <- lambda_index(fit, lambda)
  draws <- fit$draws
  if (length(dim(draws)) == 3L) draws <- array(draws[, , index], dim(draws)[1:2], dimnames(draws)[1:2])
  if (!is.null(pars)) draws <- draws[, check_parm(pars, colnames(draws), "pars"), drop = FALSE]
  usable <- if (!failed) usable_draws(fit, lambda)
  if (failed || length(usable) == nrow(draws)) draws else draws[usable, , drop = FALSE]
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

# What `make` says of each column, in blocks of columns: R hears a stop between them. A number for each, or `rows` of them, a matrix.
over_columns <- function(draws, make, rows = NULL) {
  blocks <- parts_of(ncol(draws), max(1, floor(part_size / 8 / max(1, nrow(draws)))))
  if (length(blocks) == 1L) return(make(draws))
  out <- matrix(0, max(1L, rows), ncol(draws), dimnames = list(NULL, colnames(draws)))
  for (block in blocks) {
    at <- seq.int(block[1L] + 1, block[2L])
    out[, at] <- make(draws[, at, drop = FALSE])
    Sys.sleep(0)
  }
  if (is.null(rows)) out[1L, ] else out
}

draw_means <- function(draws) over_columns(draws, colMeans)
# The share of the draws that are zero, or positive.
draw_zeros <- function(draws) over_columns(draws, function(block) colMeans(block == 0))
draw_signs <- function(draws) over_columns(draws, function(block) colMeans(block > 0))

# Type-7 quantiles of all columns, `probs` by columns.
column_quantiles <- function(draws, probs) {
  over_columns(draws, function(block) block_quantiles(block, probs), length(probs))
}

# By a single sort.
block_quantiles <- function(draws, probs) {
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
  over_columns(draws, function(block) {
    centred <- block - rep(colMeans(block), each = nrow(block))
    sqrt(colSums(centred^2) / (nrow(block) - 1))
  })
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
#' Draws that failed (see `status` in the fit's `diagnostics`) are left out here and in all that is computed
#' from the draws. They stay in the fit: with `failed = TRUE` row k of the draws belongs to row k of the
#' diagnostics (of that `lambda`) and of [weights()][weights.wbb].
#'
#' `c()` takes fits of the same data with the same settings, and stops with an
#' error otherwise. Fits with the same seed must not share draws; fits with
#' different seeds may be joined as well.
#'
#' @param x A fit, as from [wbb_lasso()].
#' @param lambda Which value of `lambda`, when the fit has several: see [wbb-path]. Without it `as.data.frame()` has a row for each draw and lambda, with columns `lambda` and `draw`;
#'   the others have a column `term[lambda]` for each coefficient and lambda.
#' @param failed Keep the draws that failed? A draw of [wbb_mlp()] without network is then a row of `NA`.
#' @param row.names,optional As in [as.data.frame()].
#' @param stringsAsFactors Not used: [data.frame()] gives it to all it converts.
#' @param ... For `c()`, more fits. Otherwise `pars`, names or numbers of coefficients; and for [wbb_mlp()] `what` and
#'   `newdata`, see there the section on networks.
#' @return `as.matrix()`: one row a draw, one named column a coefficient. `as.array()`: by iteration, chain and coefficient, as
#'   \pkg{bayesplot} takes it. `mean()`, `median()`: a number for each coefficient; `quantile()`: a row.
#'   `c()`: a fit with all draws, in the order of the arguments. `ndraws()` and the like, generics of posterior: how many
#'   there are; draws that failed are not counted.
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
as.matrix.wbb <- function(x, lambda = NULL, failed = FALSE, ...) {
  all_draws(x, lambda, failed, ..., .function = "as.matrix")
}

#' @rdname as.matrix.wbb
#' @export
as.array.wbb <- function(x, lambda = NULL, failed = FALSE, ...) {
  draws <- all_draws(x, lambda, failed, ..., .function = "as.array")
  chains <- nchains.wbb(x)
  array(draws, c(nrow(draws) / chains, chains, ncol(draws)),
    list(iterations = NULL, chains = paste0("chain:", seq_len(chains)), parameters = colnames(draws)))
}

#' @rdname as.matrix.wbb
#' @export
mean.wbb <- function(x, lambda = NULL, ...) draw_quantity(x, lambda, draw_means, ..., .function = "mean")

#' @rdname as.matrix.wbb
#' @importFrom stats median
#' @export
median.wbb <- function(x, na.rm = FALSE, lambda = NULL, ...) {
  draw_quantity(x, lambda, function(draws) column_quantiles(draws, 0.5)[1L, ], ..., .function = "median")
}

#' @rdname as.matrix.wbb
#' @param probs Probabilities.
#' @param na.rm Not used.
#' @importFrom stats quantile
#' @export
quantile.wbb <- function(x, probs = seq(0, 1, 0.25), lambda = NULL, ...) {
  probs <- check_numbers(probs, "probs", must = "be probabilities")
  if (!length(probs) || any(probs < 0 | probs > 1)) bad_argument("probs", "be probabilities from 0 to 1", probs)
  draw_quantity(x, lambda, function(draws) {
    limits <- t(column_quantiles(draws, probs))
    colnames(limits) <- paste0(format(100 * probs, trim = TRUE, digits = 7), "%")
    limits
  }, ..., .function = "quantile")
}

draw_quantity <- function(fit, lambda, quantity, ..., .function) {
  check_dots(..., .function = .function, .known = c("probs", "lambda"), .foreign = c("na.rm", "names", "type", "trim"))
  check_fit(fit)
  over_path(fit, lambda, function(at) quantity(draws_matrix(fit, at)))
}

# At one lambda, or at all lambdas of a path side by side: those of a draw share their weights. Its columns are then
# named `term[lambda]`, and a draw that failed at one lambda is left out at all.
all_draws <- function(fit, lambda, failed, ..., .function) {
  check_fit(fit)
  if (!whole_path(fit, lambda)) return(draws_matrix(fit, lambda, failed = failed, ..., .function = .function))
  parts <- lapply(fit$lambda, function(at) {
    part <- draws_matrix(fit, at, failed = TRUE, ..., .function = .function)
    colnames(part) <- at_lambda(colnames(part), at)
    part
  })
  draws <- do.call(cbind, parts)
  if (check_flag(failed, "failed")) draws else draws[usable_draws(fit), , drop = FALSE]
}

#' @rdname as.matrix.wbb
#' @export
as.data.frame.wbb <- function(x, row.names = NULL, optional = FALSE, lambda = NULL, failed = FALSE,
                              stringsAsFactors = FALSE, ...) {
  check_fit(x)
  failed <- check_flag(failed, "failed")
  one <- function(at) {
    draws <- draws_matrix(x, at, failed = failed, ..., .function = "as.data.frame")
    with_row_names(as.data.frame(draws, optional = TRUE), row.names)
  }
  if (!whole_path(x, lambda)) return(one(lambda))
  rows_over_path(x, lambda, function(at) {
    drawn <- if (failed) seq_len(nrow(x$draws)) else usable_draws(x, at)
    data.frame(draw = of_draws(x, x$diagnostics$draw, at)[drawn], one(at), check.names = FALSE)
  })
}

# In the form that the formats of posterior are made from.
posterior_draws <- function(x, lambda, failed, ..., .function) {
  posterior::as_draws_matrix(all_draws(x, lambda, failed, ..., .function = .function))
}

#' @rdname as.matrix.wbb
#' @method as_draws wbb
#' @exportS3Method posterior::as_draws wbb
as_draws.wbb <- function(x, lambda = NULL, failed = FALSE, ...) {
  posterior_draws(x, lambda, failed, ..., .function = "as_draws")
}

#' @rdname as.matrix.wbb
#' @method as_draws_matrix wbb
#' @exportS3Method posterior::as_draws_matrix wbb
as_draws_matrix.wbb <- function(x, lambda = NULL, failed = FALSE, ...) {
  posterior_draws(x, lambda, failed, ..., .function = "as_draws_matrix")
}

#' @rdname as.matrix.wbb
#' @method as_draws_array wbb
#' @exportS3Method posterior::as_draws_array wbb
as_draws_array.wbb <- function(x, lambda = NULL, failed = FALSE, ...) {
  posterior::as_draws_array(posterior_draws(x, lambda, failed, ..., .function = "as_draws_array"))
}

#' @rdname as.matrix.wbb
#' @method as_draws_df wbb
#' @exportS3Method posterior::as_draws_df wbb
as_draws_df.wbb <- function(x, lambda = NULL, failed = FALSE, ...) {
  posterior::as_draws_df(posterior_draws(x, lambda, failed, ..., .function = "as_draws_df"))
}

#' @rdname as.matrix.wbb
#' @method as_draws_list wbb
#' @exportS3Method posterior::as_draws_list wbb
as_draws_list.wbb <- function(x, lambda = NULL, failed = FALSE, ...) {
  posterior::as_draws_list(posterior_draws(x, lambda, failed, ..., .function = "as_draws_list"))
}

#' @rdname as.matrix.wbb
#' @method as_draws_rvars wbb
#' @exportS3Method posterior::as_draws_rvars wbb
as_draws_rvars.wbb <- function(x, lambda = NULL, failed = FALSE, ...) {
  posterior::as_draws_rvars(posterior_draws(x, lambda, failed, ..., .function = "as_draws_rvars"))
}

#' @rdname as.matrix.wbb
#' @method as.mcmc wbb
#' @exportS3Method coda::as.mcmc wbb
as.mcmc.wbb <- function(x, lambda = NULL, failed = FALSE, ...) {
  coda::mcmc(all_draws(x, lambda, failed, ..., .function = "as.mcmc"))
}

#' @rdname as.matrix.wbb
#' @method as.mcmc.list wbb
#' @exportS3Method coda::as.mcmc.list wbb
as.mcmc.list.wbb <- function(x, lambda = NULL, failed = FALSE, ...) {
  draws <- as.array.wbb(x, lambda, failed, ...)
  of_chain <- function(chain) coda::mcmc(matrix(draws[, chain, ], nrow(draws), dimnames = list(NULL, dimnames(draws)[[3L]])))
  coda::mcmc.list(lapply(seq_len(ncol(draws)), of_chain))
}

#' @rdname as.matrix.wbb
#' @method ndraws wbb
#' @exportS3Method posterior::ndraws wbb
ndraws.wbb <- function(x) count_usable(x)

#' @rdname as.matrix.wbb
#' @method niterations wbb
#' @exportS3Method posterior::niterations wbb
niterations.wbb <- function(x) if (is.null(x$spec$chains)) count_usable(x) else as.integer(x$spec$draws)

#' @rdname as.matrix.wbb
#' @method nchains wbb
#' @exportS3Method posterior::nchains wbb
nchains.wbb <- function(x) if (is.null(x$spec$chains)) 1L else as.integer(x$spec$chains)

#' @rdname as.matrix.wbb
#' @method variables wbb
#' @exportS3Method posterior::variables wbb
variables.wbb <- function(x, ...) posterior::variables(posterior::as_draws(x))

#' @rdname as.matrix.wbb
#' @method nvariables wbb
#' @exportS3Method posterior::nvariables wbb
nvariables.wbb <- function(x, ...) length(variables.wbb(x))
