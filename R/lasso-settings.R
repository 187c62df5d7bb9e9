# What a lasso is asked for: its arguments, checked, as the settings of the run.

lasso_prepare <- function(design, given, call) {
  # A formula's offset has all its parts.
  if (!is.null(design$terms)) given["offset"] <- list(design$offset)
  coded <- design$y
  design[c("y", "levels", "trials")] <- coded[c("y", "levels", "trials")]
  design$status <- coded$status
  if (identical(given$lambda, "marglik")) {
    chosen <- choose_by_marglik(design, given)
    given[c("lambda", "seed")] <- chosen[c("lambda", "seed")]
    design$marglik <- chosen$curve
  }
  list(design = design, settings = lasso_settings(design, given))
}

lasso_settings <- function(design, given) {
  n <- nrow(design$x)
  p <- ncol(design$x)
  family <- check_family(given$family)
  # The baseline hazard takes the place of an intercept.
  intercept <- check_flag(given$intercept, "intercept") && design$intercept && family$name != "cox"
  classes <- if (family$name == "multinomial") length(design$levels)
  own <- list(
    family = family$name, offset = check_offset(given$offset, "offset", n, classes), classes = classes,
    status = design$status, cv_measure = check_measure(given$cv_measure, family),
    alpha = check_number(given$alpha, "alpha", 0, 1),
    penalty_factor = check_penalty_factor(given$penalty_factor, design$names, design$term),
    standardize = check_flag(given$standardize, "standardize"),
    intercept = intercept, refit = check_refit(given$refit), p = p,
    lambda = check_lambda(given$lambda, c("cv", "redrawn", "marglik"))
  )
  weights <- weight_settings(given, n)
  weights["case_weights"] <- list(trial_weights(weights$case_weights, design))
  c(
    own, weights, cv_settings(given, n, weights$cluster, own$lambda), limit_settings(given),
    coefficient_settings(given, (p + intercept) * max(1L, classes), own$lambda)
  )
}

# Trials count as so many rows of weight one, but share the row's random weight.
trial_weights <- function(case_weights, design) {
  trials <- design$trials
  if (is.null(trials)) {
    if (is.null(case_weights) && length(design$levels) == 2L && any(design$y > 0 & design$y < 1)) {
      warn("response", "The response holds proportions, but `case_weights` does not say of how many trials: each row counts as one")
    }
    return(case_weights)
  }
  if (is.null(case_weights)) trials else trials * case_weights
}

# By position; or by the names of columns or of terms, a factor being one, and 1 for all that are not named.
check_penalty_factor <- function(value, names, terms = NULL) {
  must <- "be non-negative numbers"
  if (is.null(names(value))) {
    if (is.numeric(value) && length(value) == 1L) value <- rep_len(value, length(names))
    return(check_numbers(value, "penalty_factor", length(names), lower = 0, must = must))
  }
  given <- make.unique(names(value))
  for (known in list(terms, names)) {
    at <- match_name(given, known)
    given[!is.na(at)] <- known[at[!is.na(at)]]
  }
  value <- check_numbers(value, "penalty_factor", lower = 0, must = must)
  unknown <- setdiff(given, c(names, terms))
  if (length(unknown)) {
    bad_argument("penalty_factor", paste("have the names of columns or terms,", show_values(unique(c(terms, names)))), value,
      paste("has", show_value(unknown[1L])), "Without names the factors go by position.")
  }
  out <- rep(1, length(names))
  of_term <- !given %in% names
  for (i in c(which(of_term), which(!of_term))) out[if (of_term[i]) terms == given[i] else names == given[i]] <- value[i]
  out
}

# The lambda of the second step, NULL without one.
check_refit <- function(value) {
  if (is.logical(value)) return(if (check_flag(value, "refit")) 0)
  if (!is_number(value) || value < 0) {
    bad_argument("refit", "be TRUE, FALSE or a non-negative number", value)
  }
  as.double(value)
}
