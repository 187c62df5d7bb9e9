#' Weighted Bayesian bootstrap of trend filtering
#'
#' Draws from the weighted Bayesian bootstrap posterior of a trend: a piecewise
#' polynomial whose knots are chosen by the data. Each draw gives random weights to
#' the observations and to the penalty and solves that weighted problem
#' exactly, to a certified duality gap. The knots are exact too, so that the
#' draws answer where the trend bends, and how often.
#'
#' With weights \eqn{w_1, \dots, w_n} of the observations and \eqn{w_0} of the
#' penalty a draw minimises
#' \deqn{\frac12 \sum_i w_i (y_i - \beta_i)^2 + \lambda w_0 \| D^{(k+1)} \beta \|_1,}{
#'   1/2 sum_i w_i (y_i - b_i)^2 + lambda w0 |D^(k+1) b|_1,}
#' where \eqn{k} is the `order` and \eqn{D^{(k+1)}} takes differences of order
#' \eqn{k + 1}: `order = 0` is a step function (the fused lasso), 1 is piecewise
#' linear, 2 quadratic, 3 cubic with fourth differences. (The paper writes
#' \eqn{D^{(k)}} and \eqn{D^{(k+1)}} for the same matrix.) At uneven `x` the differences are
#' divided by the distances as in Tibshirani (2014): entry j is the jump of the
#' k-th derivative. `lambda` is then in units of `x` to the power k: `x` in
#' other units needs another `lambda`.
#'
#' @section Data:
#' Rows are sorted by `x` inside. Rows with the same `x` are one point of the trend, at
#' their weighted mean with the sum of their weights. There must be at least
#' `order + 2` distinct points. Missing values are an error, but for the
#' formula interface with `na.action`.
#'
#' A law that gives weight zero (`"poisson"`, `"multinomial"`) leaves such a point with
#' \eqn{10^{-10}} of the mean weight, so that the trend beside it is determined.
#'
#' @section Choosing lambda:
#' The cross-validation leaves out every `nfolds`-th point and predicts it by the trend
#' through the others; the first and the last point are never left out. With `cluster`
#' whole clusters are left out. The likelihood is not reweighted. The lambdas
#' go from the smallest without any knot down by `lambda_min_ratio`.
#'
#' @param y The response, a numeric vector; or a formula.
#' @param x Where it was observed: a number for each element of `y`; `NULL` is
#'   1, 2, 3, ...
#' @param formula A formula with one predictor, `y ~ x`.
#' @param lambda The strength of the penalty: a non-negative number, several distinct
#'   ones (a path), or `"cv"` to choose it by cross-validation.
#' @param foldid Fold numbers 1, 2, ... of the rows, in place of `nfolds`.
#' @param order The degree of the polynomial pieces, 0 to 3.
#' @param prior_weight The weight of the penalty in a draw: `"random"`, one Exp(1)
#'   number; `"fixed"`, always 1; `"coef"`, one Exp(1) number for each
#'   difference.
#' @param lambda_min_ratio The smallest lambda of the cross-validation as a share
#'   of the largest; `NULL` is `10^(-2 * (order + 1))`.
#' @param max_iterations The most steps of the solver in a draw.
#' @inheritParams wbb_lasso
#' @return An object of class `c("wbb_trendfilter", "wbb")`. The coefficients of the draws
#'   are the values of the trend at the distinct points of `x`, named `f(x)`. Use
#'   [plot()][plot.wbb_trendfilter], [predict()][predict.wbb_trendfilter] (bands,
#'   other points), [knots()][knots.wbb_trendfilter] and the methods of all fits:
#'   [summary()][summary.wbb], [coef()][coef.wbb], [fitted()][coef.wbb],
#'   [as.matrix()][as.matrix.wbb], [weights()][weights.wbb], [tidy()][tidy.wbb].
#'   Its `diagnostics` have one row a draw, with the `status`, the relative duality `gap`
#'   and the number of `knots`; knots + order + 1 are the effective degrees of
#'   freedom.
#' @references
#' Newton, M. A., Polson, N. G. and Xu, J. (2021). Weighted Bayesian bootstrap
#' for scalable posterior distributions. *Canadian Journal of Statistics* 49,
#' 421--437.
#'
#' Tibshirani, R. J. (2014). Adaptive piecewise polynomial estimation via trend
#' filtering. *Annals of Statistics* 42, 285--323.
#' @seealso [wbb-objective] for the method and its limits.
#' @examples
#' set.seed(1)
#' i <- 1:200
#' y <- sin(4 * pi * i / 200) * exp(3 * i / 200) + rnorm(200, sd = 2)
#' fit <- wbb_trendfilter(y, order = 3, lambda = 200, draws = 200, seed = 1)
#' fit
#' plot(fit)
#' head(predict(fit, c(10.5, 60, 120), interval = "simultaneous"))
#' table(knots(fit, "number"))
#'
#' # Uneven x, lambda by cross-validation
#' bends <- wbb_trendfilter(dist ~ speed, cars, order = 1, draws = 200, seed = 1)
#' knots(bends)
#' @export
wbb_trendfilter <- function(y, ...) {
  formula <- if (missing(y)) match("formula", dots_names(...), 0L) else 0L
  UseMethod("wbb_trendfilter", if (formula > 0L) ...elt(formula) else if (!missing(y)) y)
}

#' @rdname wbb_trendfilter
#' @export
wbb_trendfilter.default <- function(y, x = NULL, order = 3, lambda = "cv", draws = 1000,
                                    prior_weight = c("random", "fixed", "coef"),
                                    weights = "exponential", case_weights = NULL, cluster = NULL,
                                    lambda_rule = c("min", "1se"), nfolds = 10, foldid = NULL,
                                    nlambda = 50, lambda_min_ratio = NULL,
                                    seed = NULL, first_draw = 1, threads = NULL,
                                    backend = c("threads", "future"), progress = NULL,
                                    tolerance = 1e-8, max_iterations = 10000,
                                    keep_data = TRUE, ...) {
  check_dots(..., .function = "wbb_trendfilter", .known = c("x", trendfilter_setting_names))
  settings <- mget(trendfilter_setting_names)
  trendfilter_fit(vector_design(y, x), settings, fit_call(match.call(), quote(wbb_trendfilter)))
}

#' @rdname wbb_trendfilter
#' @export
wbb_trendfilter.formula <- function(formula, data, ..., case_weights, cluster, foldid,
                                    subset, na.action) {
  call <- match.call()
  settings <- trendfilter_settings(...)
  inputs <- formula_inputs(call, settings, c("case_weights", "cluster", "foldid"), parent.frame())
  design <- inputs$design
  if (ncol(design$x) != 1L) {
    bad_argument("formula", "have one numeric predictor", NULL, paste("has", ncol(design$x), "columns"))
  }
  design$x <- design$x[, 1L]
  trendfilter_fit(design, inputs$settings, fit_call(call, quote(wbb_trendfilter)))
}

# Settings given through the dots of the formula interface; see lasso_settings().
trendfilter_settings <- function() {
  check_dots(..., .function = "wbb_trendfilter", .known = trendfilter_setting_names)
  mget(trendfilter_setting_names)
}
formals(trendfilter_settings) <- formals(wbb_trendfilter.default)[-(1:2)]
trendfilter_setting_names <- setdiff(names(formals(trendfilter_settings)), "...")
