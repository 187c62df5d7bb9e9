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
