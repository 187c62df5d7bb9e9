# The part of wbb() that is for fitted models: which road, the mode, what is to be known of the fitter.

model_design <- function(model, statistic, data, caller) {
  if (missing(model) || is.null(model)) bad_argument("object", "be a fitted model or a function of the weights", NULL, "is missing")
  if (inherits(model, "formula")) {
    bad_argument("object", "be a fitted model or a function of the weights", model, "is a formula",
      "Fit the model first: wbb(lm(y ~ x, data)).")
  }
  if (inherits(model, "wbb")) bad_argument("object", "be a fitted model or a function of the weights", model, "is already a fit of wbb")
  if (!is.function(statistic)) bad_argument("statistic", "be a function of the refitted model", statistic)
  if (!is.null(data) && !is.data.frame(data)) bad_argument("data", "be a data frame", data)
  statistic <- model_statistic(model, statistic)
  list(model = model, statistic = statistic, data = data, caller = caller, formula = attempt(stats::formula(model)))
}

# coef() of a mixed model is a table for each group.
model_statistic <- function(model, statistic) {
  if (is_coef(statistic) && inherits(model, c("lmerMod", "glmerMod"))) lme4::fixef else statistic
}

# A tree and a smooth curve have none.
check_has_coefficients <- function(model) {
  if (tryCatch(is.null(stats::coef(model)), error = function(error) FALSE)) {
    bad_argument("statistic", "give numbers of the refitted model", NULL,
      paste0("is coef(), and a model of class ", dQuote(class(model)[1L], FALSE), " has no coefficients"),
      "Take statistic = predict_at(newdata), or a function of the refitted model of your own.")
  }
}

model_prepare <- function(design, given, call) {
  model <- design$model
  refit <- check_flag(given$refit, "refit")
  fast <- if (refit) "" else fast_model(model, design$statistic, given)
  task <- tryCatch(model_task(model, design$statistic, design$data, design$caller), wbb_error = identity)
  # The core needs no more than the model has.
  if (is.character(fast) && inherits(task, "error")) stop(task)
  if (inherits(task, "error")) task <- fast_task(fast, task)
  design$notes <- weight_notes(model)
  if (is.list(fast)) {
    mode <- stats::coef(model)[fast$names]
    design$fast <- fast
  } else {
    if (is_coef(design$statistic)) check_has_coefficients(model)
    mode <- model_mode(task, design, is_coef(design$statistic))
    design$notes <- c(design$notes, other_numbers(mode, design))
    if (nzchar(fast)) design$notes <- c(design$notes, paste0("refitted: ", fast))
  }
  task$solve <- keep_numbers(task$solve, names(mode), is_coef(design$statistic))
  aliased <- if (is_coef(design$statistic)) setdiff(names(stats::coef(model)), names(mode))
  if (length(aliased) && is.numeric(stats::coef(model))) {
    design$notes <- c(design$notes, paste0("not determined by the data and left out: ", show_values(aliased)))
  }
  for (note in design$notes) message("Note: ", note)
  given$case_weights <- task$case_weights
  given$prior_weight <- "fixed"
  given$penalties <- 1
  for (name in c("cluster", "strata")) given[name] <- list(of_used_rows(given[[name]], task))
  any_problem(design, task, mode, given, length(task$rows))
}

# Where the data are gone, the draws of the core are all there is.
fast_task <- function(fast, fault) {
  rows <- seq_len(nrow(fast$x))
  list(
    solve = function(w, w0) stop(conditionMessage(fault), call. = FALSE), rows = rows, size = length(rows),
    case_weights = fast$own, row_names = rownames(fast$x)
  )
}

# Groups may be given for all rows of the data, as a column of them is.
of_used_rows <- function(value, task) {
  if (length(value) == task$size && task$size != length(task$rows)) value <- value[task$rows]
  value
}

# A refit on unit weights, which must be possible, should give what the model has.
model_mode <- function(task, design, coefficients) {
  weights <- if (is.null(task$case_weights)) rep(1, length(task$rows)) else task$case_weights
  mode <- try_unit(function() kept_numbers(task$solve(weights, 1), coefficients), "The model", paste0(
    "refitting it with its own weights fails", if (is_coef(design$statistic)) "" else ", or `statistic` does"))
  if (!"weights" %in% names(formals(args(task$fitter)))) check_heeds_weights(task, weights, mode, coefficients)
  mode
}

# A fitter that starts at random, or data that have changed.
other_numbers <- function(mode, design) {
  own <- attempt(kept_numbers(design$statistic(design$model), is_coef(design$statistic)))
  if (!is.null(own) && !isTRUE(all.equal(own, mode, tolerance = 1e-3))) {
    "refitted with its own weights the model has other numbers: its fitter starts at random, or its data have changed"
  }
}

# NA are coefficients that the data do not determine.
kept_numbers <- function(value, coefficients) {
  if (coefficients && is.double(value) && is.null(dim(value))) value <- value[!is.na(value)]
  named_numbers(value)
}

keep_numbers <- function(solve, names, coefficients) {
  force(solve)
  if (!coefficients) return(solve)
  force(names)
  function(w, w0) {
    value <- solve(w, w0)
    if (length(value) == length(names) || !is.null(dim(value))) value else value[names]
  }
}

# A function that takes any argument may do nothing with the weights.
check_heeds_weights <- function(task, weights, mode, coefficients) {
  uneven <- weights * rep_len(c(0.5, 1.5), length(weights))
  other <- try_unit(function() kept_numbers(task$solve(uneven, 1), coefficients), "The model", "refitting it with other weights fails")
  if (identical(other, mode)) {
    bad_argument("object", "be fitted by a function that takes weights of the rows", NULL,
      "the one that made it gives the same numbers whatever they are",
      "If another function can fit it with weights, use that: wbb(function(w) ..., n = ).")
  }
}
