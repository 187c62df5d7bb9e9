# The fitter behind both interfaces of wbb_lasso(): check the settings, run the
# job, make the object.

lasso_fit <- function(design, settings, call) {
  began <- elapsed()
  backend <- check_choice(settings$backend, "backend", c("threads", "future"))
  progress <- check_progress(settings$progress)
  keep_data <- check_flag(settings$keep_data, "keep_data")
  marglik <- NULL
  if (identical(settings$lambda, "marglik")) {
    marglik <- choose_by_marglik(design, settings)
    settings[c("lambda", "seed")] <- marglik[c("lambda", "seed")]
  }
  options <- lasso_options(settings, design)
  fit <- if (backend == "future") {
    future_chunks(design, options, progress, lasso_job, lasso_object)
  } else {
    lasso_object(job_result(lasso_job(design, options, progress)), design, options)
  }
  if (!is.null(marglik)) {
    fit$lambda_from <- "marglik"
    fit$marglik <- marglik$curve
  }
  finish_fit(fit, call, keep_data, began)
}

# What every bootstrap fit gets last.
finish_fit <- function(fit, call, keep_data, began) {
  fit$call <- call
  if (!keep_data) fit[intersect(c("y", "x", "model"), names(fit))] <- list(NULL)
  fit$seconds <- elapsed() - began
  warn_convergence(fit)
  fit
}

# The settings in the form that Rust takes; also the record of the run.
lasso_options <- function(settings, design) {
  p <- ncol(design$x)
  intercept <- check_flag(settings$intercept, "intercept") && design$intercept
  refit <- check_refit(settings$refit)
  own <- list(
    alpha = check_number(settings$alpha, "alpha", 0, 1),
    penalty_factor = check_penalty_factor(settings$penalty_factor, p),
    intercept = intercept,
    standardize = check_flag(settings$standardize, "standardize"),
    refit = refit$refit, refit_lambda = refit$refit_lambda,
    p = p
  )
  c(own, run_options(settings, nrow(design$x), p + intercept, c("cv", "marglik")))
}

# The settings that estimators with a path of lambdas share.
run_options <- function(settings, n, coefficients, lambda_words = "cv") {
  lambda <- check_lambda(settings$lambda, lambda_words)
  weights <- weight_options(settings, n, c("random", "fixed", "coef"))
  folds <- lasso_folds(settings, weights$cluster, n, cv = !length(lambda))
  draws <- lasso_draws(settings, coefficients, max(1L, length(lambda)))
  own <- list(
    lambda = lambda,
    nlambda = as.integer(check_count(settings$nlambda, "nlambda", 2, 1e5)),
    lambda_min_ratio = if (is.null(settings$lambda_min_ratio)) NaN else {
      check_number(settings$lambda_min_ratio, "lambda_min_ratio", 0, 1, open = TRUE)
    },
    foldid = folds$foldid, nfolds = folds$nfolds,
    rule = check_choice(settings$lambda_rule, "lambda_rule", c("min", "1se")),
    tolerance = check_number(settings$tolerance, "tolerance", 0, 1, open = TRUE),
    max_iterations = as.integer(check_count(settings$max_iterations, "max_iterations"))
  )
  # The seed comes last, because it may take a number from R's generator.
  c(own, weights, draws, list(seed = check_seed(settings$seed)))
}

# The settings of every bootstrap but its draws and its seed.
weight_options <- function(settings, n, prior_weights) {
  law <- check_law(settings$weights)
  list(
    prior_weight = check_choice(settings$prior_weight, "prior_weight", prior_weights),
    law = law$name,
    law_parameter = if (is.null(law$parameter)) NaN else law$parameter,
    case_weights = check_case_weights(settings$case_weights, n),
    cluster = check_cluster(settings$cluster, n),
    threads = check_threads(settings$threads),
    n = n
  )
}

lasso_folds <- function(settings, cluster, n, cv) {
  foldid <- check_foldid(settings$foldid, n)
  nfolds <- check_count(settings$nfolds, "nfolds", 2)
  if (length(foldid)) return(list(foldid = foldid, nfolds = max(foldid)))
  units <- if (length(cluster)) max(cluster) else n
  if (cv && units < 2) {
    bad_argument("lambda", "be given when there is a single row or cluster", "cv")
  }
  list(foldid = foldid, nfolds = as.integer(min(nfolds, max(2, units))))
}

lasso_draws <- function(settings, coefficients, lambdas) {
  what <- paste0(coefficients, " coefficients", if (lambdas > 1L) paste(" at", lambdas, "lambdas"))
  run_draws(settings, coefficients * lambdas, what)
}

# `numbers` is the size of a draw in doubles, `what` it is made of.
run_draws <- function(settings, numbers, what) {
  draws <- check_count(settings$draws, "draws", 1, 2^53)
  check_size(draws * numbers, paste(show_value(draws), "draws of", what), "draws", draws,
    "Run chunks with `first_draw` and summarise each.")
  if (draws > .Machine$integer.max) {
    bad_argument("draws", "be below 2^31, the most rows of a matrix", draws)
  }
  first_draw <- check_count(settings$first_draw, "first_draw", 1, 2^53 - draws)
  list(draws = draws, first_draw = first_draw)
}

# The object ---------------------------------------------------------------------

lasso_object <- function(result, design, options) {
  names <- make.unique(c(if (options$intercept) "(Intercept)", design$names))
  lambda <- result$lambda
  draws <- result$draws
  result$draws <- NULL
  attributes(draws) <- draws_shape(options$draws, names, lambda)
  mode <- per_lambda_shape(result$mode, names, lambda)
  spec <- c(options, list(
    names = names, columns = design$names, named = design$named, segments = run_segment(options)
  ))
  new_wbb(
    list(
      call = NULL, formula = design$formula, terms = design$terms, xlevels = design$xlevels,
      contrasts = design$contrasts, coding = design$coding, variables = design$variables,
      draws = draws, mode = mode, lambda = lambda,
      lambda_from = if (is.null(result$cv)) "user" else "cv", cv = lasso_cv(result$cv, options),
      diagnostics = lasso_diagnostics(result, lambda, options),
      mode_diagnostics = lasso_mode_diagnostics(result, lambda),
      spec = spec, method = result$method,
      y = design$y, x = if (is.null(design$terms)) design$x, model = design$model,
      fitted = lasso_fitted(design, mode, options$intercept, lambda),
      na.action = design$na.action, seconds = NA_real_
    ),
    class = "wbb_lasso"
  )
}

# Set by the caller on its own copy: an argument would be copied, and draws may be large.
draws_shape <- function(draws, names, lambda) {
  path <- length(lambda) > 1L
  list(
    dim = c(draws, length(names), if (path) length(lambda)),
    dimnames = c(list(NULL, names), if (path) list(format_lambda(lambda)))
  )
}

run_segment <- function(options) {
  data.frame(seed = options$seed, first_draw = options$first_draw, draws = options$draws)
}

per_lambda_shape <- function(values, names, lambda) {
  if (length(lambda) == 1L) return(stats::setNames(as.vector(values), names))
  matrix(values, ncol = length(lambda), dimnames = list(names, format_lambda(lambda)))
}

lasso_fitted <- function(design, mode, intercept, lambda) {
  fitted <- linear_predictor(design$x, as.matrix(mode), intercept)
  per_lambda_shape(as.vector(fitted), design$row_names, lambda)
}

# Rows of x by columns of coefficients; an intercept is their first row.
linear_predictor <- function(x, coefficients, intercept) {
  slopes <- if (intercept) coefficients[-1L, , drop = FALSE] else coefficients
  fitted <- as.matrix(x %*% slopes)
  if (intercept) fitted <- fitted + rep(coefficients[1L, ], each = nrow(x))
  unname(fitted)
}

lasso_cv <- function(cv, options) {
  if (is.null(cv)) return(NULL)
  list(
    curve = list2DF(cv[c("lambda", "mean", "se", "nonzero")]),
    lambda_min = cv$lambda[cv$index_min], lambda_1se = cv$lambda[cv$index_1se],
    rule = options$rule, foldid = cv$foldid, nfolds = options$nfolds
  )
}

# In the order of Rust's codes.
status_levels <- c("converged", "not converged", "empty", "finished", "diverged", "unsettled")

# Solvers know the first three.
status_factor <- function(codes, levels = status_levels[1:3]) factor(status_levels[codes + 1L], levels)

# A run of so many epochs that ran them has not failed, however far it came.
failed_status <- function(status) !status %in% c("converged", "finished", "unsettled")

lasso_diagnostics <- function(result, lambda, options) {
  draws <- options$first_draw - 1 + seq_len(options$draws)
  columns <- list(draw = rep(draws, length(lambda)))
  if (length(lambda) > 1L) columns$lambda <- rep(lambda, each = options$draws)
  columns$status <- status_factor(result$status)
  list2DF(c(columns, result[c("iterations", "objective", "gap", "sigma")]))
}

lasso_mode_diagnostics <- function(result, lambda) {
  measures <- c("iterations", "objective", "gap", "sigma")
  values <- stats::setNames(result[paste0("mode_", measures)], measures)
  list2DF(c(list(lambda = lambda, status = status_factor(result$mode_status)), values))
}

# One warning for all draws.
warn_convergence <- function(fit) {
  status <- fit$diagnostics$status
  failed <- sum(status == "not converged")
  empty <- sum(status == "empty")
  diverged <- sum(status == "diverged")
  mode_failed <- any(fit$mode_diagnostics$status == "not converged")
  unsettled <- unsettled_doubt(fit)
  if (!failed && !empty && !diverged && !mode_failed && is.null(unsettled)) return(invisible())
  unit <- if (length(fit$lambda) > 1L) "solutions (draws by lambdas)" else "draws"
  tolerance <- format(fit$spec$tolerance)
  problems <- c(
    if (failed) paste(failed, "of", length(status), unit, "did not reach the tolerance", tolerance),
    if (mode_failed) paste("the mode did not reach the tolerance", tolerance),
    if (empty) paste(empty, "of", length(status), unit, "had no positive weight"),
    if (diverged) {
      paste0(diverged, " of ", length(status), " ", unit, " diverged, also with a tenth of the learning rate ",
        format(fit$spec$learning_rate), ", and have no network: take ", divergence_advice(fit$spec))
    },
    unsettled
  )
  # Few epochs may be what the user wants: that warning can be muffled alone.
  kind <- if (identical(problems, unsettled)) "training" else "convergence"
  warn(kind, paste0(paste(problems, collapse = "; "), "; see fit$diagnostics"))
}
