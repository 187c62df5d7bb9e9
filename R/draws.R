# The object: what every estimator returns, how it is read, and how two are joined.

# Raised whenever the layout of the object changes.
wbb_version <- 1L

new_wbb <- function(parts, class) {
  structure(c(list(version = wbb_version), parts), class = c(class, "wbb"))
}

# Fits are saved for years: every method comes through here before it trusts one.
check_fit <- function(fit) {
  needed <- c("draws", "mode", "lambda", "diagnostics", "spec")
  if (!identical(fit$version, wbb_version) || !all(needed %in% names(fit))) {
    made <- if (is.null(fit$version)) "has no version" else paste("has version", show_value(fit$version))
    abort("version", paste0("This fit ", made, " and cannot be read by wbb ", utils::packageVersion("wbb"),
      " (version ", wbb_version, "); make it again, e.g. with eval(fit$call)."), value = fit$version)
  }
  invisible(fit)
}

format_lambda <- function(lambda) vapply(lambda, format, "", digits = 6)

is_path <- function(fit) length(fit$lambda) > 1L

# The place of `lambda` among the fitted ones.
lambda_index <- function(fit, lambda) {
  fitted <- fit$lambda
  if (anyNA(fitted)) {
    # An estimator without lambda records NA.
    if (!is.null(lambda) && !anyNA(lambda)) bad_argument("lambda", "be NULL: this fit has no lambda", lambda)
    return(1L)
  }
  if (is.null(lambda)) {
    if (length(fitted) == 1L) return(1L)
    bad_argument("lambda", paste("be one of the fitted values", show_values(fitted)), NULL, "is missing")
  }
  lambda <- check_number(lambda, "lambda", 0)
  close <- abs(fitted - lambda) <= 1e-6 * fitted
  if (!any(close)) {
    bad_argument("lambda", paste("be one of the fitted values", show_values(fitted)), lambda)
  }
  which.min(abs(fitted - lambda))
}

# One row a draw, one named column a coefficient: what all methods work from. Draws that failed are not in
# it unless they are asked for. Networks have more to choose from, which comes through the dots.
draws_matrix <- function(fit, lambda = NULL, ...) UseMethod("draws_matrix")

#' @export
draws_matrix.wbb <- function(fit, lambda = NULL, failed = FALSE, ..., .function = "as.matrix") {
  check_dots(..., .function = .function, .known = c("lambda", "failed"))
  check_fit(fit)
  failed <- check_flag(failed, "failed")
  index <- lambda_index(fit, lambda)
  draws <- fit$draws
  if (length(dim(draws)) == 3L) draws <- array(draws[, , index], dim(draws)[1:2], dimnames(draws)[1:2])
  usable <- if (!failed) usable_draws(fit, lambda)
  if (failed || length(usable) == nrow(draws)) draws else draws[usable, , drop = FALSE]
}

# The draws that have a solution, as row numbers of the draws. The others stay in the fit, beside their
# diagnostics and weights, but no number may be computed from them: they can be of any size.
usable_draws <- function(fit, lambda = NULL) {
  at <- solved_draws(fit, lambda)
  if (!length(at)) {
    words <- status_words(of_draws(fit, fit$diagnostics$status, lambda))
    abort("draws", paste0("The fit has no draw to work with", if (is_path(fit)) paste(" at lambda =", format_lambda(lambda)),
      ": all failed (", words, "). ", failure_advice(fit)), "object")
  }
  at
}

# The same for what can also be shown without any.
solved_draws <- function(fit, lambda = NULL) {
  status <- of_draws(fit, fit$diagnostics$status, lambda)
  # Chains have none: they cannot fail.
  if (is.null(status)) seq_len(nrow(fit$draws)) else which(!failed_status(status))
}

# Which rows of the diagnostics failed, at one lambda or at all.
failed_solutions <- function(fit, lambda = NULL) {
  status <- fit$diagnostics$status
  failed_status(if (is.null(lambda)) status else of_draws(fit, status, lambda))
}

# The values of a column of the diagnostics at one lambda, a draw each.
of_draws <- function(fit, values, lambda) {
  if (!is_path(fit)) return(values)
  values[fit$diagnostics$lambda == fit$lambda[lambda_index(fit, lambda)]]
}

# "18 converged, 2 not converged"
status_words <- function(status) {
  counts <- table(status)
  counts <- counts[counts > 0L]
  paste(counts, names(counts), collapse = ", ")
}

# What to do where no draw has a solution.
failure_advice <- function(fit) UseMethod("failure_advice")

#' @export
failure_advice.wbb <- function(fit) "Fit again with more `max_iterations` or a larger `tolerance`; see fit$diagnostics."

# The lambdas a method speaks about: the one that was asked for, or all.
chosen_lambdas <- function(fit, lambda) {
  check_fit(fit)
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
#' Draws that failed (see `status` in the fit's `diagnostics`) are left out here and in all that is computed
#' from the draws. They stay in the fit: with `failed = TRUE` row k of the draws belongs to row k of the
#' diagnostics (of that `lambda`) and of [weights()][weights.wbb].
#'
#' `c()` takes fits of the same data with the same settings, and stops with an
#' error otherwise. Fits with the same seed must not share draws; fits with
#' different seeds may be joined as well.
#'
#' @param x A fit, as from [wbb_lasso()].
#' @param lambda Which value of `lambda`; needed only when the fit has several.
#' @param failed Keep the draws that failed? A draw of [wbb_mlp()] without network is then a row of `NA`.
#' @param row.names,optional As in [as.data.frame()].
#' @param stringsAsFactors Not used: [data.frame()] gives it to all it converts.
#' @param ... For `c()`, more fits. For [wbb_mlp()] `parameters`, `what` and `newdata`; see there
#'   the section on networks. Otherwise not used.
#' @return `as.matrix()`: one row a draw, one named column a coefficient.
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
as.matrix.wbb <- function(x, lambda = NULL, failed = FALSE, ...) {
  draws_matrix(x, lambda, failed = failed, ...)
}

#' @rdname as.matrix.wbb
#' @export
as.data.frame.wbb <- function(x, row.names = NULL, optional = FALSE, lambda = NULL, failed = FALSE,
                              stringsAsFactors = FALSE, ...) {
  draws <- draws_matrix(x, lambda, failed = failed, ..., .function = "as.data.frame")
  as.data.frame(draws, row.names = row.names, optional = TRUE)
}

# In the form that the formats of posterior are made from.
posterior_draws <- function(x, lambda, failed, ..., .function) {
  posterior::as_draws_matrix(draws_matrix(x, lambda, failed = failed, ..., .function = .function))
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
  coda::mcmc(draws_matrix(x, lambda, failed = failed, ..., .function = "as.mcmc"))
}

# Joining --------------------------------------------------------------------------

#' @rdname as.matrix.wbb
#' @export
c.wbb <- function(...) {
  fits <- list(...)
  for (fit in fits) {
    if (!inherits(fit, "wbb")) bad_argument("...", "all be fits of wbb", fit, paste("one is", show_value(fit)))
    check_fit(fit)
  }
  joined <- fits[[1L]]
  if (length(fits) == 1L) return(joined)
  for (fit in fits[-1L]) check_same_problem(joined, fit)
  segments <- join_segments(lapply(fits, function(fit) fit$spec$segments))
  # There may be none: networks need not be kept.
  joined["draws"] <- list(join_draws(lapply(fits, `[[`, "draws")))
  joined$diagnostics <- join_diagnostics(fits)
  joined$seconds <- sum(vapply(fits, `[[`, 0, "seconds"))
  joined$spec$segments <- segments
  joined$spec$draws <- sum(segments$draws)
  if (!is.null(joined$call)) joined$call$draws <- joined$spec$draws
  joined
}

# What may differ: the draws themselves, how lambda was found, and who computed.
run_settings <- c(
  "seed", "first_draw", "draws", "segments", "chains", "threads",
  "lambda", "foldid", "nfolds", "rule", "nlambda", "lambda_min_ratio"
)

check_same_problem <- function(first, other) {
  refuse <- function(what) {
    abort("argument", paste0("Fits can be joined only if they differ in their draws alone, but their ",
      what, " differ."), "...")
  }
  if (!identical(class(first), class(other))) refuse("classes")
  if (!isTRUE(all.equal(first$lambda, other$lambda, tolerance = 1e-12))) refuse("lambdas")
  # Networks have no mode, but sums of their data.
  if (!isTRUE(all.equal(first$sums, other$sums, tolerance = 1e-6))) refuse("data")
  settings <- setdiff(union(names(first$spec), names(other$spec)), run_settings)
  for (name in settings) {
    if (!identical(first$spec[[name]], other$spec[[name]])) refuse(paste0("settings of `", name, "`"))
  }
  # The mode is a function of the data, and is there when the data are not.
  data_kept <- !is.null(first$y) && !is.null(other$y)
  if (data_kept && !(identical(first$y, other$y) && identical(first$x, other$x))) refuse("data")
  if (!isTRUE(all.equal(first$mode, other$mode, tolerance = 1e-6))) refuse("data")
}

# Runs that continue each other become one, so that joined chunks are recorded as
# the single run they equal.
join_segments <- function(segments) {
  segments <- do.call(rbind, segments)
  check_overlap(segments)
  last <- segments$first_draw + segments$draws
  continues <- c(FALSE, segments$seed[-1L] == utils::head(segments$seed, -1L) &
    segments$first_draw[-1L] == utils::head(last, -1L))
  run <- cumsum(!continues)
  merged <- segments[!continues, , drop = FALSE]
  merged$draws <- as.vector(rowsum(segments$draws, run))
  row.names(merged) <- NULL
  merged
}

check_overlap <- function(segments) {
  for (same in split(segments, segments$seed)) {
    same <- same[order(same$first_draw), ]
    gap <- same$first_draw[-1L] - utils::head(same$first_draw + same$draws, -1L)
    if (any(gap < 0)) {
      abort("argument", paste0("Fits to be joined must not share draws, but draw ",
        format(same$first_draw[-1L][gap < 0][1L], digits = 15), " of seed ",
        format(same$seed[1L], digits = 16),
        " is there twice; use another `seed`, or `first_draw` to continue."), "...")
    }
  }
}

join_draws <- function(draws) {
  shape <- dim(draws[[1L]])
  # Networks are a list.
  if (is.null(shape)) return(do.call(c, draws))
  names <- dimnames(draws[[1L]])
  if (length(shape) == 2L) return(do.call(rbind, draws))
  # rbind sees draws by everything else, which is how the array lies in memory.
  flat <- do.call(rbind, lapply(draws, function(d) matrix(d, nrow(d))))
  array(flat, c(nrow(flat), shape[-1L]), names)
}

# By lambda and then by draw, as in a single run.
join_diagnostics <- function(fits) {
  all <- do.call(rbind, lapply(fits, `[[`, "diagnostics"))
  if (is_path(fits[[1L]])) {
    all <- all[order(match(all$lambda, fits[[1L]]$lambda)), ]
  }
  row.names(all) <- NULL
  all
}
