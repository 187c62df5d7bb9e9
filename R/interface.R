# The two ways into every estimator, data or a formula, and the call that a fit remembers. An estimator brings
# only its own arguments; see R/fit.R for what it declares.

# What a generic dispatches on: its first argument, or a formula, which may be named and stand anywhere, as in lm(), also
# behind data that a pipe puts first.
entry <- function(first, ...) {
  at <- match("formula", dots_names(...), 0L)
  given <- !missing(first)
  if (at > 0L && (!given || is.data.frame(first) || inherits(first, "wbb_source"))) return(...elt(at))
  if (given && is.data.frame(first) && ...length() && inherits(tryCatch(...elt(1L), error = function(error) NULL), "formula")) {
    bad_argument("formula", "be named where the data come first", NULL, "is the second argument", "Give it by its name, formula = y ~ x.")
  }
  if (given) first
}

# From the method for data, whose arguments in this moment are the settings.
fit_default <- function(..., .estimator, .design, .call) {
  known <- setting_names(.estimator)
  all <- c(.estimator$data, known)
  check_shortened(names(sys.call(sys.parent())), .estimator$name, all)
  check_dots(..., .function = .estimator$name, .known = all)
  fit_with(.estimator, .design, evaluated(known, parent.frame()), fit_call(.call, .estimator$name))
}

# From the method for a formula, whose dots are the settings, but for those that are columns of the data.
fit_formula <- function(..., .estimator, .call, .env) {
  settings <- given_settings(..., .estimator = .estimator)
  .call <- behind_dots(.call, c("subset", .estimator$rows), .env)
  values <- formula_values(.call, .env)
  if (inherits(get0("data", values, inherits = FALSE), "wbb_source")) {
    if (is.null(.estimator$from_source)) {
      bad_argument("data", paste0("be a data frame for ", .estimator$name, "()"), values$data, "is a source that is read in chunks")
    }
    return(.estimator$from_source(values, settings, .call, .env))
  }
  response <- if (is.null(.estimator$response)) check_response else .estimator$response(settings)
  inputs <- formula_inputs(.call, settings, .estimator$rows, values, response)
  fit_with(.estimator, inputs$design, inputs$settings, fit_call(.call, .estimator$name))
}

# A function that hands its dots on, as lapply() does, leaves ..2 in the call: rows are what was typed there.
behind_dots <- function(call, names, env) {
  for (name in intersect(names, names(call))) {
    typed <- call[[name]]
    if (!is.symbol(typed) || !grepl("^[.][.][1-9][0-9]*$", typed)) next
    call[name] <- list(eval(quote(substitute(list(...))), env)[[as.integer(substring(typed, 3L)) + 1L]])
  }
  call
}

setting_names <- function(estimator) setdiff(names(formals(estimator$default)), c(estimator$data, "..."))

# Names and defaults are those of the method for data, where they are written once.
given_settings <- function(..., .estimator) {
  known <- setting_names(.estimator)
  read <- function() {
    check_dots(..., .function = .estimator$name, .known = known)
    evaluated(known, environment(), .estimator$rows)
  }
  formals(read) <- formals(.estimator$default)[c(known, "...")]
  check_shortened(dots_names(...), .estimator$name, known)
  read(...)
}

# Settings are evaluated where the user stands, and whoever comes from lm() expects the columns of the data there; `rows` are
# those that are looked for among them.
evaluated <- function(names, frame, rows = character()) {
  values <- list()
  name <- NULL
  explain <- function(error) {
    if (inherits(error, "wbb_error")) stop(error)
    advice <- if (name == "weights") {
      own <- if (!"case_weights" %in% c(names, rows)) "the model" else if (length(rows)) "`case_weights`, which may be a column of `data`" else "`case_weights`"
      paste0(" It is the law of the random weights; your own weights of the rows go into ", own, ".")
    } else if (length(rows)) {
      paste0(" Of the settings only ", paste0("`", rows, "`", collapse = ", "), " may be columns of `data`.")
    }
    abort("argument", paste0("`", name, "` cannot be evaluated: ", conditionMessage(error), ".", advice), name)
  }
  tryCatch(for (name in names) values[name] <- list(get(name, frame)), error = explain)
  values
}

# match.call() in a method names the method; update() and readers want what was
# typed, `wbb::wbb_lasso` included.
fit_call <- function(call, name) {
  typed <- user_call()[[1L]]
  call[[1L]] <- if (is.function(typed)) as.name(name) else typed
  call
}
