# How the results of solvers lie in a fit: by draw, coefficient and lambda; what became of each draw.

# By lambda ------------------------------------------------------------------------

format_lambda <- function(lambda) vapply(lambda, format, "", digits = 6)

is_path <- function(fit) length(fit$lambda) > 1L

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

# A value at the lambda that is asked for, or along a path: vectors become columns, matrices slices of an array.
over_path <- function(fit, lambda, value) {
  if (!is_path(fit) || !is.null(lambda)) return(value(lambda))
  simplify2array(stats::setNames(lapply(fit$lambda, value), format_lambda(fit$lambda)))
}

# The attributes of draws: by draw, coefficient and, for a path, lambda.
draws_shape <- function(draws, names, lambda = NULL) {
  path <- length(lambda) > 1L
  list(
    dim = c(draws, length(names), if (path) length(lambda)),
    dimnames = c(list(NULL, names), if (path) list(format_lambda(lambda)))
  )
}

# A named vector, or for a path a matrix with a column for each lambda.
per_lambda_shape <- function(values, names, lambda = NULL) {
  if (length(lambda) <= 1L) return(stats::setNames(as.vector(values), names))
  matrix(values, ncol = length(lambda), dimnames = list(names, format_lambda(lambda)))
}

cv_result <- function(cv, settings) {
  if (is.null(cv)) return(NULL)
  list(
    curve = list2DF(cv[c("lambda", "mean", "se", "nonzero")]),
    lambda_min = cv$lambda[cv$index_min], lambda_1se = cv$lambda[cv$index_1se],
    rule = settings$lambda_rule, measure = settings$cv_measure, foldid = cv$foldid, nfolds = settings$nfolds
  )
}

# The end of the grid at which the cross-validated error is smallest, as a warning; NULL if that is inside.
grid_doubt <- function(fit) {
  curve <- fit$cv$curve
  if (is.null(curve)) return(NULL)
  at <- match(fit$cv$lambda_min, curve$lambda)
  if (at > 1L && at < nrow(curve)) return(NULL)
  alpha <- if (is.null(fit$spec$alpha)) 1 else fit$spec$alpha
  end <- if (at == 1L) "largest" else "smallest"
  advice <- if (at == 1L) {
    if (alpha > 0) "nothing that is penalised predicts the response" else "more shrinkage may be better: give larger values as `lambda`"
  } else if (nrow(curve) < fit$spec$nlambda) {
    "the fit is perfect from there on"
  } else {
    "less penalty may be better: take a smaller `lambda_min_ratio`"
  }
  best <- if (identical(fit$cv$measure, "auc")) "area under the curve is largest" else "error is smallest"
  list(kind = "grid", message = paste0("The cross-validated ", best, " at the ", end, " lambda of its grid, ",
    format_lambda(fit$cv$lambda_min), ": ", advice, "; see plot(fit, \"cv\")"))
}

# By draw --------------------------------------------------------------------------

# In the order of Rust's codes.
status_levels <- c("converged", "not converged", "empty", "finished", "diverged", "unsettled", "separated")

# Those that solvers know.
solver_levels <- c("converged", "not converged", "empty", "separated")

status_factor <- function(codes, levels = solver_levels) factor(status_levels[codes + 1L], levels)

# By code: to compare a factor with a word takes longer than to solve a small draw.
count_status <- function(status, word) sum(unclass(status) == match(word, levels(status)), na.rm = TRUE)

# A run of so many epochs that ran them has not failed, however far it came.
failed_status <- function(status) !status %in% c("converged", "finished", "unsettled")

# One row a draw, lambda after lambda. `measures` are Rust's, by draw and lambda.
draw_diagnostics <- function(measures, settings, lambda = NULL) {
  columns <- list(draw = settings$first_draw - 1 + seq_len(settings$draws))
  if (length(lambda) > 1L) {
    columns$draw <- rep(columns$draw, length(lambda))
    columns$lambda <- rep(lambda, each = settings$draws)
  }
  list2DF(c(columns, measures))
}

# Those of solvers, which know when they have converged.
solver_diagnostics <- function(result, settings) {
  measures <- result$diagnostics
  measures$status <- status_factor(measures$status)
  draw_diagnostics(measures, settings, result$lambda)
}

mode_diagnostics <- function(result) {
  measures <- result$mode_diagnostics
  measures$status <- status_factor(measures$status)
  list2DF(c(list(lambda = result$lambda), measures))
}

# The number of draws, from the record of the run.
draw_count <- function(spec) {
  if (is.null(spec$segments)) spec$draws * spec$chains else sum(spec$segments$draws)
}

# Those that failed --------------------------------------------------------------------

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
