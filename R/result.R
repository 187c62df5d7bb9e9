# How the results of solvers lie in a fit: by draw, coefficient and lambda; what became of each draw.

# By lambda ------------------------------------------------------------------------

# Has every draw a lambda of its own?
is_redrawn <- function(fit) identical(fit$spec$lambda, "redrawn")

# The median and the ends of the middle 90 % of them; a summary has kept it.
redrawn_lambdas <- function(fit) {
  if (!is.null(fit$redrawn) || !is_redrawn(fit)) return(fit$redrawn)
  stats::quantile(fit$diagnostics$lambda, c(0.05, 0.5, 0.95), names = FALSE)
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
    "from there on the fit hardly changes, or is perfect"
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
    status <- fit$diagnostics$status
    words <- status_words(if (whole_path(fit, lambda)) status else of_draws(fit, status, lambda))
    abort("draws", paste0("The fit has no draw to work with", if (is_path(fit)) path_words(lambda),
      ": all failed (", words, "). ", failure_advice(fit)), "object")
  }
  at
}

# The same for what can also be shown without any.
solved_draws <- function(fit, lambda = NULL) {
  status <- if (whole_path(fit, lambda)) {
    common_status(fit, lambda)[seq_len(nrow(fit$draws))]
  } else {
    of_draws(fit, fit$diagnostics$status, lambda)
  }
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
failure_advice.wbb <- function(fit) {
  # No number of steps leads to a solution that is infinitely far.
  if (any(fit$diagnostics$status %in% "separated")) return("Take a larger `lambda`, penalise more columns or take fewer; see fit$diagnostics.")
  "Fit again with more `max_iterations` or a larger `tolerance`; see fit$diagnostics."
}
