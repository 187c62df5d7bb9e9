# What a fit of wbb() answers by its model, and what it cannot answer, because it knows its draws alone; the errors say where the answer is.

refuse_of_any <- function(what, advice) {
  abort("argument", paste0(what, " is not known: `object` is a fit of wbb(), which has the numbers of `statistic` alone; ", advice), "object")
}

use_statistic <- "fit again with `statistic` = predict_at(newdata), or a function of the refitted model of your own."
ask_model <- "ask the model: fit$model has it."

# The model of a fit of wbb(); one of a function has none.
own_model <- function(fit, what) {
  check_fit(fit)
  if (is.null(fit$model)) refuse_of_any(what, "the model was not kept: fit again with `keep_data` = TRUE.")
  if (is.function(fit$model)) refuse_of_any(what, "it was made of a function, and not of a model.") else fit$model
}

# What it answers to a generic of stats; not all classes of models have all of them.
ask_own <- function(generic, fit, ...) {
  what <- paste0(generic, "()")
  model <- own_model(fit, what)
  attempt(get(generic, asNamespace("stats"))(model, ...), function(e) {
    refuse_of_any(what, paste0("its model, of class ", show_value(class(model)[1L]), ", says: ", conditionMessage(e), "."))
  })
}

#' @export
model.frame.wbb_any <- function(formula, ...) ask_own("model.frame", formula, ...)

#' @export
model.matrix.wbb_any <- function(object, ...) ask_own("model.matrix", object, ...)

#' @export
case.names.wbb_any <- function(object, ...) {
  found <- ask_own("case.names", object, ...)
  # Some models name no rows, and say so by NULL.
  if (is.null(found)) as.character(seq_len(object$spec$n)) else found
}

#' @export
formula.wbb_any <- function(x, ...) {
  check_fit(x)
  if (is.null(x$formula)) refuse_of_any("formula()", ask_model) else x$formula
}

#' @export
terms.wbb_any <- function(x, ...) ask_own("terms", x, ...)

#' @export
family.wbb_any <- function(object, ...) ask_own("family", object, ...)

#' @rdname tidy.wbb
#' @method glance wbb_any
#' @exportS3Method generics::glance wbb_any
glance.wbb_any <- function(x, ...) {
  check_dots(..., .function = "glance", .known = character(), .foreign = of_tables)
  check_fit(x)
  data.frame(nobs = x$spec$n, draws = draw_count(x$spec), numbers = length(x$mode), failed = sum(failed_solutions(x)))
}
