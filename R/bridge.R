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
#' posterior is improper as soon as some b fits y exactly: it has infinite mass at
#' \eqn{\sigma^2 = 0}{sigma^2 = 0}, and a chain that looks well has not been there yet. Any y is
#' fitted by as many independent columns as there are rows, or one less beside an intercept (columns
#' that repeat or add up to others do not count). `sigma2_prior = NULL` then takes an inverse gamma
#' distribution with shape 1 and a tenth of the variance of y as rate, and says so in a
#' warning. Give your own to be silent. A y that fewer columns fit by chance is an error.
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
#' @param y The response, a numeric vector with one element for each row of `x`.
#' @param alpha The exponent of the prior, above 0 and at most 2.
#' @param nu The prior of \eqn{\nu}: `c(shape = , rate = )` of a gamma distribution; or one
#'   number, its known value.
#' @param tau The known scale \eqn{\tau = \nu^{-1/\alpha}}{tau = nu^(-1/alpha)}, at least 1e-100, in place of `nu`.
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
bayes_bridge <- function(x, ...) UseMethod("bayes_bridge", entry(x, ...))

#' @rdname bayes_bridge
#' @export
bayes_bridge.default <- function(x, y, alpha = 0.5, nu = c(shape = 2, rate = 2), tau = NULL,
                                 sigma2_prior = NULL, sigma = NULL,
                                 standardize = TRUE, intercept = TRUE,
                                 draws = 10000, burn = 2000, thin = 1, chains = 4,
                                 seed = NULL, threads = NULL, progress = NULL,
                                 keep_data = TRUE, ...) {
  fit_default(..., .estimator = bridge_estimator(), .design = matrix_design(x, y), .call = match.call())
}

#' @rdname bayes_bridge
#' @export
bayes_bridge.formula <- function(formula, data, ..., subset, na.action, contrasts = NULL) {
  fit_formula(..., .estimator = bridge_estimator(), .call = match.call(), .env = parent.frame())
}

bridge_estimator <- function() {
  list(
    name = "bayes_bridge", class = "wbb_bridge", default = bayes_bridge.default, data = c("x", "y"), rows = character(),
    prepare = bridge_prepare, job = bridge_job, shapes = bridge_shapes, object = bridge_object, doubt = mixing_doubt
  )
}

# Settings -------------------------------------------------------------------------

bridge_prepare <- function(design, given, call) {
  # Its default is no wish of the user's.
  if (!is.null(given$tau) && "nu" %in% names(call)) {
    bad_argument("tau", "not be given together with `nu`", given$tau)
  }
  check_magnitude(design$y)
  list(design = design, settings = bridge_settings(design, given))
}

bridge_settings <- function(design, given) {
  n <- nrow(design$x)
  p <- ncol(design$x)
  alpha <- given$alpha
  if (!is_number(alpha) || alpha <= 0 || alpha > 2) {
    bad_argument("alpha", "be one number above 0 and at most 2", alpha)
  }
  intercept <- check_flag(given$intercept, "intercept") && design$intercept
  own <- list(
    alpha = as.double(alpha), nu = check_nu(given$nu, given$tau, alpha),
    standardize = check_flag(given$standardize, "standardize"), intercept = intercept, n = n, p = p
  )
  draws <- check_count(given$draws, "draws")
  chains <- check_count(given$chains, "chains", 1, 1e4)
  check_size(draws * chains * (p + intercept + 2), paste(show_value(draws * chains), "draws"), "draws", draws,
    "Thin the chains.")
  if (draws * chains > .Machine$integer.max) {
    bad_argument("draws", "times `chains` be below 2^31, the most rows of a matrix", draws)
  }
  c(own, noise_settings(given), list(
    draws = draws, burn = check_count(given$burn, "burn", 0), thin = check_count(given$thin, "thin"),
    chains = chains, threads = check_threads(given$threads),
    # Last, because it may take a number from R's generator.
    seed = check_seed(given$seed)
  ))
}

# Below it the squares of |b| / tau are more than a number can be.
smallest_scale <- 1e-100

# Its known value, or shape and rate of its prior.
check_nu <- function(nu, tau, alpha) {
  if (!is.null(tau)) return(check_number(tau, "tau", smallest_scale)^-alpha)
  if (is_number(nu)) {
    check_number(nu, "nu", 0, open = TRUE)
    most <- smallest_scale^-alpha
    if (nu > most) bad_argument("nu", paste0("be at most ", format(most, digits = 3), ", a scale tau of ", smallest_scale), nu)
    return(nu)
  }
  check_gamma(nu, "nu", "be c(shape = , rate = ), both positive, or one positive number")
}

# c(shape, rate), in this order or by name.
check_gamma <- function(value, argument, must, lower = .Machine$double.xmin) {
  if (!is_numeric(value) || length(value) != 2L || !all(is.finite(value))) bad_argument(argument, must, value)
  if (!is.null(names(value))) {
    if (!setequal(names(value), c("shape", "rate"))) {
      bad_argument(argument, must, value, paste("has the names", show_values(names(value))))
    }
    value <- value[c("shape", "rate")]
  }
  if (any(value < lower)) {
    bad_argument(argument, must, value, paste("has", show_value(unname(value[value < lower][1L]))))
  }
  as.double(value)
}

# One or neither. Rust then knows the rank of x, and takes 1/sigma^2 where that is proper.
noise_settings <- function(given) {
  prior <- given$sigma2_prior
  if (!is.null(given$sigma)) {
    if (!is.null(prior)) bad_argument("sigma", "not be given together with `sigma2_prior`", given$sigma)
    return(list(sigma = check_number(given$sigma, "sigma", 0, open = TRUE)))
  }
  if (is.null(prior)) return(list(sigma = NULL))
  list(sigma = NULL, sigma2_prior = check_gamma(prior, "sigma2_prior", "be c(shape = , rate = ), neither negative", lower = 0))
}

# The object -----------------------------------------------------------------------

bridge_job <- function(design, settings, progress = FALSE) {
  read <- function(result) read_chains(result, settings$threads)
  result <- run_job(function() rust_bridge_job(rust_matrix(design$x), design$y, settings), progress, read, keep = TRUE)
  if (!is_job_error(result) && prior_is_open(settings) && any(result$sigma2_prior > 0)) {
    warn("prior", paste0("The ", ncol(design$x), " columns of ", nrow(design$x), " rows fit any `y` perfectly, and the ",
      "posterior under p(sigma^2) = 1/sigma^2 is improper; `sigma2_prior = c(shape = 1, rate = ",
      format(result$sigma2_prior[2L], digits = 4), ")` is used instead"))
  }
  result
}

# Chains that were stopped are one table of all quantities, and nobody has seen yet how they mixed.
read_chains <- function(result, threads) {
  if (is.null(result$kept)) return(result)
  lines <- matrix(result$lines, prod(result$kept))
  last <- ncol(lines)
  measures <- job_diagnose(lines, result$kept[2L], threads)
  c(result[c("kept", "sigma2_prior")], list(
    draws = lines[, seq_len(last - 2L)], sigma = lines[, last - 1L], nu = lines[, last], rhat = measures["rhat", ], ess = measures["ess", ]
  ))
}

prior_is_open <- function(settings) is.null(settings$sigma) && is.null(settings$sigma2_prior)

# R-hat and the effective sample size (rows) of quantities (columns), chain after chain.
job_diagnose <- function(values, chains, threads = NULL) {
  values <- as.matrix(values)
  start <- function() rust_diagnose_job(as.double(values), ncol(values), chains, list(threads = threads))
  measures <- job_result(run_job(start))
  rbind(rhat = measures$rhat, ess = measures$ess)
}

bridge_shapes <- function(result, design, settings) {
  list(draws = draws_shape(settings$draws * settings$chains, linear_names(design, settings)))
}

# A chain has no mode to speak of, and the bridge no lambda.
bridge_object <- function(result, design, settings) {
  names <- colnames(result$draws)
  list(
    draws = result$draws,
    diagnostics = list2DF(list(
      chain = rep(seq_len(settings$chains), each = settings$draws),
      iteration = rep(seq_len(settings$draws), settings$chains), sigma = result$sigma, nu = result$nu
    )),
    mcmc = list2DF(list(term = make.unique(c(names, "sigma", "nu")), rhat = result$rhat, ess = result$ess)),
    spec = c(
      list(names = names, columns = design$names, named = design$named),
      # What was taken where the user left it open.
      if (prior_is_open(settings)) result["sigma2_prior"]
    ),
    fitted = linear_fitted(design, colMeans(result$draws), settings$intercept)
  )
}

#' @export
needed_parts.wbb_bridge <- function(fit) {
  list(
    fit = c("mcmc", "fitted"),
    spec = c("names", "columns", "named", "draws", "chains", "burn", "thin", "seed", "intercept", "p", "alpha", "nu"),
    diagnostics = c("chain", "sigma", "nu")
  )
}

# A known value has no R-hat; any other quantity without one has not moved, or has
# too few draws to tell.
bad_mixing <- function(fit) {
  moving <- !is.nan(fit$mcmc$rhat)
  list(
    rhat = if (any(moving)) max(fit$mcmc$rhat[moving]) else NaN,
    ess = if (any(moving)) min(fit$mcmc$ess[moving]) else NaN
  )
}

# The usual limits for a first look; a small ESS is only noise in the answer, and is
# reported by summary().
mixing_doubt <- function(fit) {
  worst <- bad_mixing(fit)
  problems <- c(
    if (isTRUE(worst$rhat > 1.05)) paste("the largest R-hat is", format(worst$rhat, digits = 3)),
    if (isTRUE(worst$ess < 100)) paste("the smallest effective sample size is", format(worst$ess, digits = 2))
  )
  if (!length(problems)) return(NULL)
  list(kind = "mixing", message = paste0("The chains cannot be trusted yet: ", paste(problems, collapse = " and "),
    "; run more iterations, and see fit$mcmc"))
}
