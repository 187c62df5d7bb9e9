#' Bayesian bridge regression
#'
#' Draws from the posterior of a linear model with the bridge prior of Polson,
#' Scott and Windle (2014) by Gibbs sampling: what Newton, Polson and Xu compare the
#' weighted Bayesian bootstrap with. The draws come from Markov chains, several at a
#' time, and [summary()][summary.wbb_bridge] says how far they can be trusted.
#'
#' @section The model:
#' \deqn{y_i \sim N(b_0 + x_i'b, \sigma^2), \quad
#'   p(b \mid \nu) \propto \nu^{p/\alpha} \exp(-\nu \sum_j |b_j|^\alpha), \quad
#'   \nu = \tau^{-\alpha} \sim \mathrm{Gamma}(\mathrm{shape}, \mathrm{rate}),}{
#'   y_i ~ N(b0 + x_i'b, sigma^2),
#'   p(b | nu) proportional to nu^(p/alpha) exp(-nu sum_j |b_j|^alpha),
#'   nu = tau^-alpha ~ Gamma(shape, rate),}
#' with a flat prior for the intercept and \eqn{p(\sigma^2) \propto 1/\sigma^2}{
#' p(sigma^2) proportional to 1/sigma^2}. `alpha = 1` is the Bayesian lasso, `alpha = 2`
#' ridge regression; the paper takes 1/2. The normaliser \eqn{\nu^{p/\alpha}}{nu^(p/alpha)},
#' which the paper leaves out, makes the conditional of \eqn{\nu} a
#' \eqn{\mathrm{Gamma}(\mathrm{shape} + p/\alpha, \mathrm{rate} + \sum_j |b_j|^\alpha)}{
#' Gamma(shape + p/alpha, rate + sum_j |b_j|^alpha)}. As in the paper the prior of b does not
#' scale with \eqn{\sigma}. With `standardize = TRUE` the \eqn{b_j} in the prior
#' belong to columns of standard deviation one; coefficients are reported on the original
#' scale. No draw is exactly zero.
#'
#' @section When columns can fit the data perfectly:
#' With \eqn{p(\sigma^2) \propto 1/\sigma^2}{p(sigma^2) proportional to 1/sigma^2} the
#' posterior is improper as soon as some b fits y exactly, as with more columns than rows: it
#' has infinite mass at \eqn{\sigma^2 = 0}{sigma^2 = 0}, and a chain that looks well has not been
#' there yet. `sigma2_prior = NULL` then takes an inverse gamma distribution with shape 1 and a
#' tenth of the variance of y as rate, and says so in a warning. Give your own to be silent.
#'
#' @section The sampler:
#' Given a positive scale for each coefficient b is Gaussian, and given b the scales are
#' exponentially tilted stable variables. They are drawn exactly: by inverse Gaussian
#' variables for `alpha` = 1, 1/2, 1/4, ..., otherwise by the rejection methods of Hofert
#' (2011) and Devroye (2009). \eqn{\nu} is drawn with the scales integrated out. With more
#' columns than rows b is drawn as in Bhattacharya, Chakraborty and Mallick (2016). A chain
#' depends on the data, the settings, `seed` and its number alone, not on `threads`.
#'
#' @inheritParams wbb_lasso
#' @param alpha The exponent of the prior, above 0 and at most 2.
#' @param nu The prior of \eqn{\nu}: `c(shape = , rate = )` of a gamma distribution; or one
#'   number, its known value.
#' @param tau The known scale \eqn{\tau = \nu^{-1/\alpha}}{tau = nu^(-1/alpha)}, in place of `nu`.
#' @param sigma2_prior `c(shape = , rate = )` of an inverse gamma prior of
#'   \eqn{\sigma^2}{sigma^2}. `NULL` is \eqn{1/\sigma^2}{1/sigma^2} (both 0) where that is
#'   proper; see below.
#' @param sigma The known standard deviation of the errors; `NULL` if unknown.
#' @param draws The number of draws kept of each chain.
#' @param burn The number of iterations of each chain before the first draw is kept.
#' @param thin Keep every `thin`-th iteration.
#' @param chains The number of chains.
#' @param seed A whole number that fixes the chains; `NULL` takes one from R's
#'   generator, so that [set.seed()] reproduces.
#' @param ... In the formula interface, the arguments of the `x`, `y` interface;
#'   otherwise nothing.
#' @return An object of class `c("wbb_bridge", "wbb")`, with the methods of the other fits:
#'   [summary()][summary.wbb_bridge], [coef()][coef.wbb], [confint()][confint.wbb],
#'   [predict()][predict.wbb_lasso], [as.matrix()][as.matrix.wbb], [plot()][plot.wbb] and
#'   [compare()]. It has no mode: where other fits give the mode, it gives the posterior mean.
#'   `posterior::as_draws_array()` keeps iterations and chains apart and adds `sigma` and
#'   `nu`, which are also in the data frame `diagnostics`, one row a draw. `mcmc` has the
#'   R-hat and the effective sample size of each quantity. `c()` joins the chains of fits
#'   that differ in `seed`.
#' @references
#' Polson, N. G., Scott, J. G. and Windle, J. (2014). The Bayesian bridge. *Journal of the
#' Royal Statistical Society B* 76, 713--733.
#'
#' Devroye, L. (2009). Random variate generation for exponentially and polynomially tilted
#' stable distributions. *ACM Transactions on Modeling and Computer Simulation* 19, 18.
#'
#' Hofert, M. (2011). Sampling exponentially tilted stable distributions. *ACM Transactions on
#' Modeling and Computer Simulation* 22, 3.
#'
#' Bhattacharya, A., Chakraborty, A. and Mallick, B. K. (2016). Fast sampling with Gaussian
#' scale mixture priors in high-dimensional regression. *Biometrika* 103, 985--991.
#' @examples
#' fit <- bayes_bridge(y ~ ., data = diabetes, draws = 2000, chains = 2, seed = 1)
#' summary(fit)
#' confint(fit, c("bmi", "hdl"))
#'
#' # Beside the weighted Bayesian bootstrap of the lasso
#' wbb <- wbb_lasso(y ~ ., data = diabetes, draws = 500, seed = 1)
#' compare(WBB = wbb, bridge = fit)
#' @export
bayes_bridge <- function(x, ...) {
  formula <- if (missing(x)) match("formula", dots_names(...), 0L) else 0L
  UseMethod("bayes_bridge", if (formula > 0L) ...elt(formula) else if (!missing(x)) x)
}

#' @rdname bayes_bridge
#' @export
bayes_bridge.default <- function(x, y, alpha = 0.5, nu = c(shape = 2, rate = 2), tau = NULL,
                                 sigma2_prior = NULL, sigma = NULL,
                                 standardize = TRUE, intercept = TRUE,
                                 draws = 10000, burn = 2000, thin = 1, chains = 4,
                                 seed = NULL, threads = NULL, progress = NULL,
                                 keep_data = TRUE, ...) {
  check_dots(..., .function = "bayes_bridge", .known = bridge_setting_names)
  settings <- mget(bridge_setting_names)
  settings$nu_given <- !missing(nu)
  bridge_fit(matrix_design(x, y), settings, fit_call(match.call(), quote(bayes_bridge)))
}

#' @rdname bayes_bridge
#' @export
bayes_bridge.formula <- function(formula, data, ..., subset, na.action) {
  call <- match.call()
  settings <- bridge_settings(...)
  settings$nu_given <- "nu" %in% dots_names(...)
  inputs <- formula_inputs(call, settings, character(), parent.frame())
  bridge_fit(inputs$design, inputs$settings, fit_call(call, quote(bayes_bridge)))
}

# Settings given through the dots of the formula interface. Their names and
# defaults are written once, in bayes_bridge.default().
bridge_settings <- function() {
  check_dots(..., .function = "bayes_bridge", .known = bridge_setting_names)
  mget(bridge_setting_names)
}
formals(bridge_settings) <- formals(bayes_bridge.default)[-(1:2)]
bridge_setting_names <- setdiff(names(formals(bridge_settings)), "...")
