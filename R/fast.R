# The fast road: lm() and glm() with a canonical link are the lasso without penalty, which the core solves.

fast_families <- c(gaussian = "identity", binomial = "logit", poisson = "log")

# What the core needs to fit the model: list(x, y, settings, names). A text that says why not where it cannot.
fast_model <- function(model, statistic, given) {
  family <- fast_family(model)
  if (is.null(family)) return("")
  if (!is_coef(statistic)) return("`statistic` needs the refitted model")
  if (!is.null(given$strata)) return("with `strata`")
  x <- attempt(stats::model.matrix(model))
  y <- fast_response(model)
  if (is.null(x) || is.null(y)) return("the model does not keep its data")
  intercept <- attr(stats::terms(model), "intercept") == 1L
  estimated <- !is.na(stats::coef(model))
  columns <- x[, estimated & !(intercept & seq_along(estimated) == 1L), drop = FALSE]
  if (!ncol(columns)) return("it has no columns")
  columns <- as_doubles(columns)
  weights <- if (inherits(model, "glm")) model$prior.weights else model$weights
  if (can_lose_rank(model, given)) return("rows of weight zero may leave a coefficient undetermined")
  list(
    x = columns, y = y, names = names(stats::coef(model))[estimated], own = stats::model.weights(stats::model.frame(model)),
    settings = list(
      family = family, offset = if (!is.null(model$offset)) as.double(model$offset),
      case_weights = if (!is.null(weights)) as.double(weights), intercept = intercept, lambda = 0, alpha = 1,
      penalty_factor = rep(1, ncol(columns)), standardize = TRUE, p = ncol(columns), tolerance = 1e-12,
      max_iterations = 1000L
    )
  )
}

fast_family <- function(model) {
  if (identical(class(model), "lm")) return("gaussian")
  if (!identical(class(model), c("glm", "lm"))) return(NULL)
  family <- model$family$family
  if (identical(unname(fast_families[family]), model$family$link)) family
}

is_coef <- function(statistic) identical(statistic, stats::coef) || identical(statistic, stats::coefficients)

# Numbers, one for each row that was used.
fast_response <- function(model) {
  y <- if (inherits(model, "glm")) model$y else attempt(stats::model.response(stats::model.frame(model)))
  if (is.null(y) || is.matrix(y) || !(is.numeric(y) || is.logical(y))) NULL else as.double(y)
}

# Laws with weights of zero may take all rows that determine a coefficient: lm() then says NA, the core the smallest
# solution. With leverages of at most h the chance is below p exp(-P(w > 0)/h) a draw (matrix Chernoff bound, Tropp 2012).
can_lose_rank <- function(model, given) {
  law <- check_law(given$weights)
  if (!law$name %in% c("poisson", "multinomial")) return(FALSE)
  if (!is.null(given$cluster)) return(TRUE)
  leverage <- max(stats::hatvalues(model))
  model$rank * given$draws * exp(-(1 - exp(-1)) / leverage) > 1e-9
}

# The draws that the core does not certify are refitted by the model's own function.
fast_job <- function(fast, task, settings, progress = FALSE) {
  own <- c(fast$settings, settings[setdiff(names(settings), names(fast$settings))])
  gaussian <- fast$settings$family == "gaussian"
  mend <- function(result) {
    if (is_job_error(result)) return(result)
    measures <- result$diagnostics
    bad <- which(measures$status != 0L)
    status <- rep("converged", length(measures$status))
    status[bad] <- "failed"
    faults <- data.frame(draw = double(), message = character())
    # Not where the run was stopped.
    if (length(status) == settings$draws) {
      for (at in bad) {
        again <- refit_draw(task, settings, settings$first_draw - 1 + at)
        if (is_job_error(again)) return(c(again[c("wbb_error", "message")], list(done = first_draws(result, status, faults, at - 1, gaussian))))
        result$draws[at + length(status) * (seq_along(fast$names) - 1)] <- again$draws
        status[at] <- as.character(again$diagnostics$status)
        faults <- rbind(faults, again$faults)
      }
    }
    first_draws(result, status, faults, length(status), gaussian)
  }
  run_job(function() rust_lasso_job(rust_matrix(fast$x), fast$y, own), progress, mend, keep = TRUE)
}

refit_draw <- function(task, settings, draw) {
  settings[c("first_draw", "draws")] <- list(draw, 1)
  run_draws(task, settings)
}

# In the form of run_draws().
first_draws <- function(result, status, faults, count, gaussian) {
  rows <- seq_len(count)
  total <- length(status)
  list(
    draws = if (count == total) result$draws else as.vector(matrix(result$draws, total)[rows, ]),
    diagnostics = c(
      list(status = factor(status[rows], c("converged", "finished", "failed"))),
      lapply(result$diagnostics[intersect(c("iterations", "objective", "gap", if (gaussian) "sigma"), names(result$diagnostics))], `[`, rows)
    ),
    faults = faults, warnings = warning_log()$table
  )
}
