# What a fit of wbb() cannot answer, because it knows its draws alone; the errors say where the answer is.

refuse_of_any <- function(what, advice) {
  abort("argument", paste0(what, " is not known: `object` is a fit of wbb(), which has the numbers of `statistic` alone; ", advice), "object")
}

use_statistic <- "fit again with `statistic` = predict_at(newdata), or a function of the refitted model of your own."
ask_model <- "ask the model: fit$model has it."

#' @export
predict.wbb_any <- function(object, ...) refuse_of_any("predict()", use_statistic)

#' @export
fitted.wbb_any <- function(object, ...) refuse_of_any("fitted()", use_statistic)

#' @export
residuals.wbb_any <- function(object, ...) refuse_of_any("residuals()", ask_model)

#' @export
sigma.wbb_any <- function(object, ...) refuse_of_any("sigma()", ask_model)

#' @export
deviance.wbb_any <- function(object, ...) refuse_of_any("deviance()", ask_model)

#' @export
df.residual.wbb_any <- function(object, ...) refuse_of_any("df.residual()", ask_model)

#' @importFrom stats simulate
#' @export
simulate.wbb_any <- function(object, nsim = 1, seed = NULL, ...) refuse_of_any("simulate()", use_statistic)

#' @export
model.frame.wbb_any <- function(formula, ...) refuse_of_any("model.frame()", ask_model)

#' @export
model.matrix.wbb_any <- function(object, ...) refuse_of_any("model.matrix()", ask_model)

#' @export
formula.wbb_any <- function(x, ...) {
  check_fit(x)
  if (is.null(x$formula)) refuse_of_any("formula()", ask_model) else x$formula
}

#' @export
terms.wbb_any <- function(x, ...) refuse_of_any("terms()", ask_model)

#' @export
family.wbb_any <- function(object, ...) refuse_of_any("family()", ask_model)

#' @method augment wbb_any
#' @exportS3Method generics::augment wbb_any
augment.wbb_any <- function(x, ...) refuse_of_any("augment()", use_statistic)

#' @rdname tidy.wbb
#' @method glance wbb_any
#' @exportS3Method generics::glance wbb_any
glance.wbb_any <- function(x, ...) {
  check_dots(..., .function = "glance", .known = character())
  check_fit(x)
  data.frame(nobs = x$spec$n, draws = draw_count(x$spec), numbers = length(x$mode), failed = sum(failed_solutions(x)))
}
