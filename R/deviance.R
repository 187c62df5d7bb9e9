# How well the mode fits: what packages that take any model ask it for.

#' Residual scale, deviance and degrees of freedom
#'
#' Measures of the mode, for functions that expect them of any linear model. For [bayes_bridge()] and
#' [wbb_mlp()], which have no mode, the mean of the draws stands in its place.
#'
#' `sigma()` is the residual standard deviation: `mode_diagnostics$sigma`, for chains and networks the mean of
#' `diagnostics$sigma`; 1 for families of [wbb_lasso()] other than the Gaussian. `deviance()` is the residual sum of squares,
#' weighted by the case weights; for the binomial and the Poisson family what [stats::glm()] calls so; for the multinomial
#' \eqn{-2 \log L}{-2 log L}, and for Cox the same of the partial likelihood (ties after Breslow). `family()` is the family.
#' `df.residual()` is the number of rows (with positive case weight) less the effective degrees of freedom: for
#' the lasso the number of coefficients that are not zero, intercept included; with a ridge part (`alpha` below 1)
#' the trace of the hat matrix on the selected columns; for a trend the number of knots plus order plus one. It takes the
#' penalty as given, and selection as free. Where nothing of the kind is known it is an error, and so is the
#' deviance of a classification (see [log_loss()]).
#'
#' `logLik()` of [wbb_lasso()] is the log-likelihood of the mode (for Cox the partial one), with the degrees of freedom above,
#' so that `AIC()` and `BIC()` are those of Zou, Hastie and Tibshirani; at `lambda = 0` they are those of [stats::lm()] and
#' [stats::glm()]. For other fits it is an error: their mode does not maximise the likelihood. Compare penalties by
#' cross-validation (`lambda = "cv"`) or by [marginal_likelihood()].
#'
#' @param object A fit, as from [wbb_lasso()].
#' @param lambda Which value of `lambda`; a fit with several otherwise gives one number for each, see [wbb-path].
#' @param ... Not used.
#' @return A number, or for a path one for each `lambda`; so are `AIC()` and `BIC()`.
#' @references Zou, H., Hastie, T. and Tibshirani, R. (2007). On the "degrees of freedom" of the lasso. *Annals
#'   of Statistics* 35, 2173--2192.
#' @examples
#' fit <- wbb_lasso(y ~ ., diabetes, lambda = 50, draws = 100, seed = 1)
#' sigma(fit)
#' deviance(fit)
#' df.residual(fit)
#' @name deviance.wbb
NULL

#' @rdname deviance.wbb
#' @importFrom stats sigma
#' @export
sigma.wbb <- function(object, lambda = NULL, ...) {
  check_dots(..., .function = "sigma", .known = "lambda")
  check_fit(object)
  each_lambda(object, lambda, function(index) mode_sigma(object, index))
}

# One where the family has no scale of its own, as for glm().
mode_sigma <- function(fit, index) {
  if (family_of(fit)$name == "gaussian") fit$mode_diagnostics$sigma[index] else 1
}

#' @export
sigma.wbb_bridge <- function(object, ...) {
  check_dots(..., .function = "sigma", .known = character())
  check_fit(object)
  mean(draw_sigma(object))
}

#' @export
sigma.wbb_mlp <- function(object, ...) {
  check_dots(..., .function = "sigma", .known = character())
  need_numbers(object, "sigma")
  mean(draw_sigma(object))
}

#' @rdname deviance.wbb
#' @importFrom stats deviance
#' @export
deviance.wbb <- function(object, lambda = NULL, ...) {
  check_dots(..., .function = "deviance", .known = "lambda")
  check_fit(object)
  check_kept(object, "y")
  each_lambda(object, lambda, function(index) family_of(object)$deviance(mode_parts(object, index)))
}

#' @export
deviance.wbb_mlp <- function(object, ...) {
  check_dots(..., .function = "deviance", .known = character())
  need_numbers(object, "deviance")
  object$na.action <- NULL
  sum(row_weights(object) * residuals(object)^2)
}

#' @rdname deviance.wbb
#' @importFrom stats df.residual
#' @export
df.residual.wbb <- function(object, lambda = NULL, ...) {
  check_dots(..., .function = "df.residual", .known = "lambda")
  check_fit(object)
  rows <- sum(row_weights(object) > 0)
  each_lambda(object, lambda, function(index) rows - mode_df(object, index))
}

# Effective degrees of freedom of the mode at one lambda.
mode_df <- function(fit, index) UseMethod("mode_df")

#' @export
mode_df.wbb <- function(fit, index) {
  abort("argument", paste0("The degrees of freedom of `object`, a fit of class ", show_value(class(fit)[1L]),
    ", are not known; sigma() is the residual scale, and intervals come from the draws."), "object")
}

#' @export
mode_df.wbb_lasso <- function(fit, index) linear_df(fit, index)

#' @export
mode_df.wbb_trendfilter <- function(fit, index) fit$mode_diagnostics$knots[index] + fit$spec$order + 1

#' @rdname deviance.wbb
#' @importFrom stats family
#' @export
family.wbb <- function(object, ...) {
  check_dots(..., .function = "family", .known = character())
  check_fit(object)
  # A network for classes is fitted by the likelihood of classes.
  if (inherits(object, "wbb_mlp") && length(object$levels)) return(multinomial_entry()$object())
  family_of(object)$object()
}

#' @rdname deviance.wbb
#' @importFrom stats logLik
#' @export
logLik.wbb_lasso <- function(object, lambda = NULL, ...) {
  check_dots(..., .function = "logLik", .known = "lambda")
  check_fit(object)
  check_kept(object, "y")
  entry <- family_of(object)
  of <- function(value) each_lambda(object, lambda, value)
  structure(of(function(index) entry$log_likelihood(mode_parts(object, index))),
    class = c(if (whole_path(object, lambda)) "wbb_path_logLik", "logLik"),
    # A scale that is estimated is a parameter.
    df = of(function(index) mode_df(object, index)) + (entry$name == "gaussian"), nobs = sum(row_weights(object) > 0))
}

# That of stats knows of one number.
#' @export
print.wbb_path_logLik <- function(x, digits = getOption("digits"), ...) {
  print(data.frame(lambda = names(x), logLik = as.vector(x), df = attr(x, "df")), digits = digits, row.names = FALSE)
  invisible(x)
}

#' @rdname deviance.wbb
#' @export
logLik.wbb <- function(object, ...) {
  check_fit(object)
  abort("argument", paste("`object` does not maximise a likelihood, so that logLik(), AIC() and BIC() would mislead;",
    "compare penalties by lambda = \"cv\" or marginal_likelihood(), predictions by data that were held out."), "object")
}

# A number, or one for each lambda; `value` takes its place.
each_lambda <- function(fit, lambda, value) {
  out <- list_path(fit, lambda, function(at) as.double(value(lambda_index(fit, at))))
  if (is.list(out)) unlist(out) else out
}

need_numbers <- function(fit, what, instead = "see accuracy() and log_loss()") {
  check_fit(fit)
  # Two classes of a logistic lasso are the numbers 0 and 1.
  if (length(fit$levels) && !identical(fit$spec$family, "binomial")) {
    abort("argument", paste0("`object` is a classification and has no ", what, "; ", instead, "."), "object")
  }
}
