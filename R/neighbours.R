# What car, caret and broom.helpers (for gtsummary) ask of any model.

# Of several lambdas they want one.
at_one_lambda <- function(fit, lambda) {
  check_fit(fit)
  if (is_path(fit)) fit$lambda[lambda_index(fit, lambda)] else lambda
}

#' @exportS3Method car::linearHypothesis wbb
linearHypothesis.wbb <- function(model, ..., lambda = NULL) {
  lambda <- at_one_lambda(model, lambda)
  asked <- if (is_path(model)) {
    list(coef. = coef(model, lambda = lambda), vcov. = stats::vcov(model, lambda = lambda), error.df = stats::df.residual(model, lambda = lambda))
  }
  ask_car("linearHypothesis", model, ..., .more = asked)
}

#' @exportS3Method car::deltaMethod wbb
deltaMethod.wbb <- function(object, ..., lambda = NULL) {
  lambda <- at_one_lambda(object, lambda)
  if (inherits(object, "wbb_mlp")) bad_argument("object", "have coefficients that mean something, as a linear model", object)
  ask_car("deltaMethod", coef(object, lambda = lambda), ..., .more = list(vcov. = stats::vcov(object, lambda = lambda)))
}

#' @exportS3Method car::vif wbb
vif.wbb <- function(mod, ...) {
  check_one_vector(mod, "mod")
  ask_car("vif", mod, ..., .more = NULL)
}

#' @exportS3Method car::Anova wbb
Anova.wbb <- function(mod, ...) {
  check_one_vector(mod, "mod")
  ask_car("Anova", mod, ..., .more = NULL)
}

# Their tests are of the terms of one vector of coefficients.
check_one_vector <- function(fit, argument) {
  check_fit(fit)
  kind <- if (inherits(fit, "wbb_mlp")) "a network" else if (is_path(fit)) "a fit with several lambdas" else if (!is.null(fit$spec$classes)) "a fit with several classes"
  if (!is.null(kind)) {
    bad_argument(argument, "have one coefficient for each column", NULL, paste("is", kind), "update(fit, lambda = ) fits one lambda; plot(fit, \"importance\") shows what terms add.")
  }
}

# Its default method, which knows what `...` may be; its errors are of the hypothesis.
ask_car <- function(generic, ..., .more) {
  default <- utils::getS3method(generic, "default", envir = asNamespace("car"))
  attempt(do.call(default, c(list(...), .more)), function(e) {
    if (inherits(e, "wbb_error")) stop(e)
    abort("argument", paste0("car::", generic, "() cannot answer that: ", conditionMessage(e)))
  })
}

# Medians, as plot(fit, "importance") shows them.
#' @exportS3Method caret::varImp wbb
varImp.wbb <- function(object, lambda = NULL, ...) {
  check_dots(..., .function = "varImp", .known = "lambda")
  lambda <- at_one_lambda(object, lambda)
  shown <- if (inherits(object, "wbb_mlp")) network_importance(object, 0.95) else plot_data(object, "importance", n = .Machine$integer.max, lambda = lambda)
  data.frame(Overall = shown$interval$median, row.names = shown$interval$name)
}

# A table of gtsummary is one of terms; those of classes are grouped as it groups the rows of multinom().
tbl_regression.wbb <- function(x, ...) {
  check_fit(x)
  kind <- if (is_path(x)) "a fit with several lambdas" else if (inherits(x, c("wbb_mlp", "wbb_trendfilter", "wbb_genlasso"))) "a fit without terms"
  if (!is.null(kind)) bad_argument("x", "have one coefficient for each column", NULL, paste("is", kind), "generics::tidy() makes a table of any fit.")
  grouped <- !is.null(tidy_classes(x, x$spec$names))
  utils::getS3method("tbl_regression", if (grouped) "multinom" else "default", envir = asNamespace("gtsummary"))(x, ...)
}

# Weights of rows; our weights() are those of the draws.
model_get_weights.wbb <- function(model) {
  own <- model$spec$case_weights
  if (is.null(own)) rep(1, stats::nobs(model)) else own
}

# insight's word for those of rows; NULL, as of lm(), where there are none.
get_weights.wbb <- function(x, ...) {
  check_fit(x)
  if (inherits(x, "wbb_any")) insight::get_weights(own_model(x, "get_weights()"), ...) else x$spec$case_weights
}

# Likelihoods that are not maximised cannot be compared so; extractAIC() is what drop1() and step() ask for.
no_comparison <- function(what) {
  abort("argument", paste0(what, " compares models by their maximised likelihoods, and that of a penalised fit is not: see P(=0) in summary(fit), ",
    "plot(fit, \"importance\"), loo_compare(), or choose `lambda` by \"cv\"."), "object")
}

#' @importFrom stats anova
#' @export
anova.wbb <- function(object, ...) no_comparison("anova()")

#' @importFrom stats extractAIC
#' @export
extractAIC.wbb <- function(fit, ...) no_comparison("step() or drop1()")

# What packages do with draws they do with those of a fit.
register_on_draws <- function() {
  with_package("posterior", function() {
    for (name in c("subset_draws", "mutate_variables", "rename_variables", "thin_draws", "order_draws", "merge_chains", "resample_draws", "weight_draws")) {
      if (name %in% getNamespaceExports("posterior")) registerS3method(name, "wbb", on_draws("posterior", name, "as_draws_df"), asNamespace("posterior"))
    }
  })
  with_package("coda", function() registerS3method("HPDinterval", "wbb", on_draws("coda", "HPDinterval", "as.mcmc"), asNamespace("coda")))
}

# Arguments are not evaluated here: mutate_variables() takes expressions.
on_draws <- function(package, generic, as_draws) {
  ask <- getExportedValue(package, generic)
  convert <- getExportedValue(package, as_draws)
  function(.x, ...) ask(convert(.x), ...)
}
