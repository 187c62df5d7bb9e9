# Predictions of a fit of wbb() whose draws are the coefficients of lm() or glm(): it is a lasso without penalty, and answers as one.

# The same draws as a fit of wbb_lasso() at lambda = 0. Of another fit the refusal that `what` deserves.
as_linear <- function(fit, what, advice = use_statistic) {
  check_fit(fit)
  fault <- linear_fault(fit)
  if (!is.null(fault)) refuse_of_any(what, paste0(advice, fault))
  attempt(linear_twin(fit), function(e) {
    abort("fit", paste0("This fit has been changed and cannot be used: its model is not as it was (", conditionMessage(e), ")."))
  })
}

linear_twin <- function(fit) {
  model <- fit$model
  terms <- stats::terms(model)
  frame <- stats::model.frame(model)
  intercept <- attr(terms, "intercept") == 1L
  columns <- if (intercept) fit$spec$names[-1L] else fit$spec$names
  family <- fast_family(model)
  response <- stats::model.response(frame)
  sigma <- if (family == "gaussian") stats::sigma(model) else NULL
  fit$mode_diagnostics <- list2DF(c(list(status = factor("converged", "converged")), if (!is.null(sigma)) list(sigma = sigma)))
  fit[c("terms", "model", "y", "fitted")] <- list(terms, frame, fast_response(model), model$fitted.values)
  fit[c("xlevels", "contrasts", "na.action", "variables")] <- list(model$xlevels, model$contrasts, model$na.action, model_variables(model, terms, frame))
  fit["levels"] <- list(if (is.factor(response)) levels(response) else if (family == "binomial") as.character(if (is.logical(response)) c(FALSE, TRUE) else 0:1))
  fit[c("lambda", "lambda_from", "estimator")] <- list(0, "user", "wbb_lasso")
  weights <- if (inherits(model, "glm")) model$prior.weights else model$weights
  fit$spec[c("family", "columns", "named", "intercept", "p", "alpha", "offset", "case_weights")] <-
    list(family, columns, TRUE, intercept, length(columns), 1, model$offset, if (!is.null(weights) && any(weights != 1)) as.vector(weights))
  fit$spec["refit"] <- list(NULL)
  structure(fit, class = c("wbb_lasso", "wbb"))
}

# From the data of the model where they are still there, else from what it kept of them.
model_variables <- function(model, terms, frame) {
  data <- attempt(eval(model$call$data, environment(terms)))
  data_variables(terms, if (is.data.frame(data)) data else frame, nrow(frame))
}

# For methods that all fits share.
predicting <- function(fit, what) if (inherits(fit, "wbb_any")) as_linear(fit, what) else fit

# Why it is none, to follow the advice; NULL if it is.
linear_fault <- function(fit) {
  if (is.null(fit$model)) return(" The model was not kept: `keep_data` was FALSE.")
  if (!(is.list(fit$model) && inherits(fit$model, "lm") && identical(fit$spec$road, "core"))) return("")
  if (!identical(names(stats::coef(fit$model)), fit$spec$names)) return(" Some coefficients of the model are not determined.")
  if (!is.null(fit$model$call$offset)) return(" Its `offset` is not in its formula.")
  family <- fast_family(fit$model)
  if (family == "gaussian" && !is_finite(fit$diagnostics$sigma)) return(" Some of its draws have no `sigma`.")
  if (family == "binomial" && !all(fit$model$y %in% 0:1)) return(" Its rows are several trials each.")
}

#' @rdname predict.wbb_lasso
#' @export
predict.wbb_any <- function(object, newdata = NULL, ...) predict(as_linear(object, "predict()"), newdata, ...)

#' @export
fitted.wbb_any <- function(object, ...) fitted(as_linear(object, "fitted()"), ...)

#' @export
residuals.wbb_any <- function(object, ...) residuals(as_linear(object, "residuals()", ask_model), ...)

#' @export
sigma.wbb_any <- function(object, ...) sigma(as_linear(object, "sigma()", ask_model), ...)

#' @export
deviance.wbb_any <- function(object, ...) deviance(as_linear(object, "deviance()", ask_model), ...)

#' @export
df.residual.wbb_any <- function(object, ...) df.residual(as_linear(object, "df.residual()", ask_model), ...)

#' @export
logLik.wbb_any <- function(object, ...) logLik(as_linear(object, "logLik()", ask_model), ...)

#' @importFrom stats simulate
#' @export
simulate.wbb_any <- function(object, nsim = 1, seed = NULL, ...) simulate(as_linear(object, "simulate()"), nsim, seed, ...)

#' @method augment wbb_any
#' @exportS3Method generics::augment wbb_any
augment.wbb_any <- function(x, ...) augment.wbb_lasso(as_linear(x, "augment()"), ...)

#' @export
#' @exportS3Method generics::accuracy wbb_any
accuracy.wbb_any <- function(object, ...) accuracy(as_linear(object, "accuracy()"), ...)

#' @export
log_loss.wbb_any <- function(object, ...) log_loss(as_linear(object, "log_loss()"), ...)

#' @export
#' @exportS3Method caret::calibration wbb_any
calibration.wbb_any <- function(object, ...) calibration(as_linear(object, "calibration()"), ...)
