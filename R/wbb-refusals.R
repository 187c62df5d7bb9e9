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

#' @export
model.frame.wbb_any <- function(formula, ...) stats::model.frame(own_model(formula, "model.frame()"), ...)

#' @export
model.matrix.wbb_any <- function(object, ...) stats::model.matrix(own_model(object, "model.matrix()"), ...)

#' @export
formula.wbb_any <- function(x, ...) {
  check_fit(x)
  if (is.null(x$formula)) refuse_of_any("formula()", ask_model) else x$formula
}

#' @export
terms.wbb_any <- function(x, ...) stats::terms(own_model(x, "terms()"), ...)

#' @export
family.wbb_any <- function(object, ...) stats::family(own_model(object, "family()"), ...)

#' @rdname tidy.wbb
#' @method glance wbb_any
#' @exportS3Method generics::glance wbb_any
glance.wbb_any <- function(x, ...) {
  check_dots(..., .function = "glance", .known = character(), .foreign = of_tables)
  check_fit(x)
  data.frame(nobs = x$spec$n, draws = draw_count(x$spec), numbers = length(x$mode), failed = sum(failed_solutions(x)))
}
