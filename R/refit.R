# A fitted model as a function of the weights: its own call, with other weights, on the data it was fitted to.

# The task of a model (see R/loop.R), with the rows that it used of all there are, and the user's own weights of them.
# `caller` is where the user stands.
model_task <- function(model, statistic, data, caller) {
  call <- model_call(model)
  inputs <- find_inputs(model, call, data, caller)
  own <- inputs$weights[inputs$rows]
  list(
    solve = refitter(literal_call(model, call, inputs), inputs$env, statistic, inputs$weights, inputs$rows,
      inherits(model, c("coxph", "survreg"))),
    rows = inputs$rows, size = inputs$size, fitter = inputs$fitter, case_weights = if (!all(own == 1)) own,
    row_names = inputs$names[inputs$rows], needs = call_names(inputs)
  )
}

# What the call may look for in the workspace, which another process does not have.
call_names <- function(inputs) {
  setdiff(unique(c(all.names(inputs$call), all.names(inputs$formula))), names(inputs$data))
}

# Apart, so that nothing else travels with it to another process. What models of survival call invalid, weights of zero, they
# take as rows that are left out.
refitter <- function(call, env, statistic, weights, rows, positive) {
  for (argument in list(call, env, statistic, weights, rows, positive)) force(argument)
  function(w, w0) {
    weights[rows] <- w
    call$weights <- weights
    if (positive && any(w == 0)) call$subset <- replace(logical(length(weights)), rows[w > 0], TRUE)
    statistic(eval(call, env))
  }
}

model_call <- function(model) {
  call <- attempt(stats::getCall(model))
  if (!is.call(call)) {
    bad_argument("object", "be a fitted model that remembers its call, or a function of the weights", model,
      paste("is", described(model)), "For anything else write the function: wbb(function(w) ..., n = ).")
  }
  call
}

# Where the data are ---------------------------------------------------------------

# The environment of the formula is where model.frame() looks; a model made in a function from a formula of
# elsewhere has its data where that function was called, which may be where the user is now.
find_inputs <- function(model, call, data, caller) {
  formula <- attempt(stats::formula(model))
  faults <- character()
  for (env in unique(c(environment(formula), caller))) {
    inputs <- attempt(model_inputs(model, call, formula, data, env), identity)
    if (!inherits(inputs, "error")) return(inputs)
    if (inherits(inputs, "wbb_error")) stop(inputs)
    faults <- c(faults, conditionMessage(inputs))
  }
  given <- if (is.null(data)) "; give them as `data`" else ""
  abort("argument", paste0("The data of the model cannot be found again: ", one_line(faults[1L]), given,
    ", or fit the model where its data are."), "data")
}

# The data by their own values, so that the call means the same wherever it is evaluated.
model_inputs <- function(model, call, formula, data, env) {
  fitter <- find_fitter(call[[1L]], env, model)
  if (is.null(data)) data <- eval(call$data, env)
  typed <- attempt(eval(call$formula, env))
  if (inherits(typed, "formula")) formula <- typed
  values <- if ("x" %in% names(call)) list(x = eval(call$x, env), y = eval(call$y, env))
  inputs <- list(fitter = fitter, env = env, formula = formula, data = data, values = values, call = call)
  inputs$size <- input_size(inputs)
  inputs$names <- if (is.data.frame(data)) row.names(data) else as.character(seq_len(inputs$size))
  check_same_data(model, inputs)
  inputs$weights <- own_weights(inputs)
  inputs$rows <- used_rows(model, inputs)
  inputs
}

# As typed, or where methods that nobody exports live: nnet() remembers nnet.formula().
find_fitter <- function(head, env, model) {
  if (is.function(head)) return(head)
  found <- attempt(eval(head, env))
  if (is.function(found)) return(found)
  name <- as.character(head)[length(as.character(head))]
  for (package in intersect(fitter_homes(model), rownames(utils::installed.packages()))) {
    found <- get0(name, asNamespace(package), mode = "function")
    if (!is.null(found)) return(found)
  }
  stop("there is no function ", name, "()", call. = FALSE)
}

fitter_homes <- function(model) {
  homes <- c(
    lm = "stats", rlm = "MASS", polr = "MASS", coxph = "survival", survreg = "survival", rq = "quantreg", nnet = "nnet",
    gam = "mgcv", rpart = "rpart", lmerMod = "lme4", glmerMod = "lme4", glmnet = "glmnet"
  )
  unname(homes[intersect(class(model), names(homes))])
}

# The number of rows before any were left out.
input_size <- function(inputs) {
  if (is.data.frame(inputs$data)) return(nrow(inputs$data))
  if (!is.null(inputs$values$x)) return(NROW(inputs$values$x))
  if (length(inputs$formula) != 3L) stop("its formula has no response", call. = FALSE)
  NROW(eval(inputs$formula[[2L]], inputs$data, environment(inputs$formula)))
}

# Something else may have the name of the data by now: a model that keeps its frame knows.
check_same_data <- function(model, inputs) {
  kept <- if (isS4(model)) NULL else if (is.list(model)) model$model
  if (!is.data.frame(kept) || !inherits(inputs$formula, "formula") || length(inputs$formula) != 3L) return(invisible())
  at <- rows_among(kept, inputs)
  response <- eval(inputs$formula[[2L]], inputs$data, environment(inputs$formula))
  now <- if (is.null(dim(response))) response[at] else response[at, , drop = FALSE]
  if (anyNA(at) || !isTRUE(all.equal(as.vector(unclass(now)), as.vector(unclass(kept[[1L]])), check.attributes = FALSE))) {
    stop("what is called ", show_call(inputs$call$data), " is not what the model was fitted to", call. = FALSE)
  }
}

show_call <- function(expression) if (is.null(expression)) "its response" else paste0("`", substr(deparse1(expression), 1L, 40L), "`")

# The rows that were used, after `subset` and `na.action`.
used_rows <- function(model, inputs) {
  frame <- attempt(stats::model.frame(model))
  rows <- if (is.data.frame(frame)) rows_among(frame, inputs)
  if (is.null(rows) || anyNA(rows)) rows <- rows_by_rule(model, inputs)
  rows
}

# Which rows of the data those of a model frame are, by their names. Where the data have none and no row was left out they
# are all: to match a hundred thousand texts takes half a tenth of a second, in which R hears no interrupt.
rows_among <- function(frame, inputs) {
  # c(NA, n) with either sign; lm() changes it.
  unnamed <- function(table) !is.data.frame(table) || is.na(.row_names_info(table, 0L)[1L])
  if (nrow(frame) == inputs$size && unnamed(frame) && unnamed(inputs$data)) return(seq_len(inputs$size))
  match(row.names(frame), inputs$names)
}

# For models without a frame.
rows_by_rule <- function(model, inputs) {
  keep <- seq_len(inputs$size)
  subset <- eval(inputs$call$subset, inputs$data, inputs$env)
  if (!is.null(subset)) keep <- if (is.logical(subset)) keep[subset & !is.na(subset)] else keep[subset]
  omitted <- if (!isS4(model)) stats::na.action(model)
  if (is.null(names(omitted))) keep <- keep[!seq_along(keep) %in% omitted] else keep <- keep[!inputs$names[keep] %in% names(omitted)]
  keep
}

# The call again -------------------------------------------------------------------

literal_call <- function(model, call, inputs) {
  check_takes_weights(model, inputs$fitter)
  if (is.symbol(call[[1L]]) && is.null(get0(as.character(call[[1L]]), inputs$env, mode = "function"))) call[[1L]] <- inputs$fitter
  if (inherits(inputs$formula, "formula") && "formula" %in% names(call)) call$formula <- inputs$formula
  if (!is.null(inputs$data)) call$data <- inputs$data
  for (name in intersect(names(inputs$values), names(call))) call[name] <- inputs$values[name]
  adapt_call(model, call)
}

# What a fitter must be told for weights to be those of the likelihood, and for draws to be of one kind.
adapt_call <- function(model, call) {
  if (inherits(model, "rlm") && is.null(call$wt.method) && is.null(call$weights)) call$wt.method <- "case"
  if (inherits(model, "glmnet")) call$lambda <- model$lambda
  if (inherits(model, "nnet")) call$trace <- FALSE
  call
}

check_takes_weights <- function(model, fitter) {
  known <- names(formals(args(fitter)))
  if (!inherits(model, c("gls", "lme")) && any(c("weights", "...") %in% known)) return(invisible())
  reason <- if ("weights" %in% known) "reads `weights` as a model of the variance" else "has no argument `weights`"
  bad_argument("object", "be fitted by a function that takes weights of the rows", model,
    paste("the one that made", described(model), reason),
    "If another function can fit it with weights, use that: wbb(function(w) ..., n = ).")
}

# The user's own weights of all rows, one where there are none.
own_weights <- function(inputs) {
  weights <- eval(inputs$call$weights, inputs$data, inputs$env)
  if (is.null(weights)) return(rep(1, inputs$size))
  if (length(weights) != inputs$size) stop("its weights are not as many as the rows of its data", call. = FALSE)
  as.double(weights)
}

# Words on fitters that do something of their own with weights.
weight_notes <- function(model) {
  notes <- c(
    lmerMod = "lmer() reads weights as precisions of the residuals, the random effects have none: let rows of a group share a weight by `cluster`",
    glmnet = "glmnet() scales weights to sum to the number of rows: the penalty of a draw keeps the lambdas of the model",
    gam = "the smoothing parameters are chosen again in each draw",
    nnet = "the weights multiply the loss, not `decay`"
  )
  rlm <- if (inherits(model, "rlm") && (!is.null(model$call$weights) || !is.null(model$call$wt.method))) {
    "rlm() reads weights as precisions unless wt.method = \"case\""
  }
  classes <- if (inherits(model, "multinom")) "multinom" else class(model)
  unname(c(utils::head(notes[intersect(names(notes), classes)], 1L), rlm))
}
