#' Normal means with a Laplace prior: exact answers
#'
#' One observation \eqn{y \sim N(\theta, \sigma^2)} and a Laplace prior
#' \eqn{p(\theta) \propto \exp(-\lambda |\theta|)}: the smallest problem in which
#' the weighted Bayesian bootstrap and the posterior can both be written down.
#' `laplace_posterior_mean()` is the posterior mean, `laplace_wbb_mean()` the mean
#' of the bootstrap's draws, and `laplace_wbb_draws()` makes such draws.
#'
#' The mode is soft thresholding, \eqn{\mathrm{sign}(y)(|y| - \lambda\sigma^2)_+}{
#' sign(y) (|y| - lambda sigma^2)+}, and a draw of the bootstrap thresholds at
#' \eqn{\lambda \sigma^2 w_0 / w_1}{lambda sigma^2 w0/w1}. With
#' \eqn{l = \lambda\sigma^2} and \eqn{y > 0} its mean is
#' \deqn{y - l \log(1 + y/l)}{y - l log(1 + y/l)}
#' when \eqn{w_0} is Exp(1), and \eqn{y E_2(l/y)}{y E2(l/y)} with the exponential
#' integral \eqn{E_2}{E2} when \eqn{w_0 = 1}; the probabilities of an exact zero are
#' \eqn{l/(l + y)} and \eqn{1 - e^{-l/y}}{1 - exp(-l/y)}. All means are odd in y.
#'
#' The posterior mean is Mitchell's (1994) formula with
#' \eqn{F(y) = e^{\lambda y}\Phi(-y - \lambda)}{F(y) = exp(lambda y) Phi(-y - lambda)} for
#' \eqn{\sigma = 1}; Newton, Polson and Xu print \eqn{e^y}{exp(y)}. It is computed in a form
#' that neither overflows nor cancels, from `lambda = 1e-300` to `1e6` and beyond.
#'
#' With one observation for each mean the bootstrap is not close to the posterior:
#' every draw lies between 0 and y. See `vignette("normal-means")`.
#'
#' @param y Observations.
#' @param lambda The rate of the Laplace prior, non-negative.
#' @param sigma The standard deviation of an observation, positive. The arguments
#'   `y`, `lambda` and `sigma` are recycled to one length, which each must divide.
#' @param prior_weight The weight of the prior in a draw: `"random"`, one Exp(1)
#'   number; `"fixed"`, always 1; for draws also `"coef"`, an Exp(1) number for each
#'   element of `y`. The mean is the same for `"random"` and `"coef"`.
#' @param draws The number of draws.
#' @param seed As in [wbb_lasso()].
#' @return The means: a vector with the names of `y`. The draws: a matrix with one row a
#'   draw and one column an element of `y`.
#' @references
#' Mitchell, A. F. S. (1994). A note on posterior moments for a normal mean with
#' double-exponential prior. *Journal of the Royal Statistical Society B* 56,
#' 605--610.
#' @examples
#' y <- c(-3, 0.5, 2)
#' laplace_posterior_mean(y, lambda = 2)
#' laplace_wbb_mean(y, lambda = 2)
#' laplace_wbb_mean(y, lambda = 2, prior_weight = "fixed")
#' colMeans(laplace_wbb_draws(y, lambda = 2, draws = 1e4, seed = 1))
#'
#' # No overflow far out
#' laplace_posterior_mean(c(50, 1e6), lambda = 20)
#' @export
laplace_posterior_mean <- function(y, lambda, sigma = 1) {
  problem <- laplace_problem(y, lambda, sigma)
  laplace_mean(problem, function() {
    rust_laplace_posterior_job(problem$y, problem$lambda, problem$sigma, mean_settings(problem))
  })
}

#' @rdname laplace_posterior_mean
#' @export
laplace_wbb_mean <- function(y, lambda, prior_weight = c("random", "fixed", "coef"), sigma = 1) {
  prior_weight <- check_choice(prior_weight, "prior_weight", c("random", "fixed", "coef"))
  problem <- laplace_problem(y, lambda, sigma)
  laplace_mean(problem, function() {
    rust_laplace_wbb_job(problem$y, problem$lambda, problem$sigma, prior_weight == "fixed", mean_settings(problem))
  })
}

#' @rdname laplace_posterior_mean
#' @export
laplace_wbb_draws <- function(y, lambda, prior_weight = c("random", "fixed", "coef"), sigma = 1,
                              draws = 1000, seed = NULL) {
  prior_weight <- check_choice(prior_weight, "prior_weight", c("random", "fixed", "coef"))
  problem <- laplace_problem(y, lambda, sigma)
  draws <- check_count(draws, "draws")
  n <- problem$n
  check_size(draws * n, "the draws", "draws", draws)
  settings <- list(
    weights = weight_law("exponential"), prior_weight = prior_weight, n = n, draws = draws,
    threads = check_threads(NULL), seed = check_seed(seed)
  )
  start <- function() rust_laplace_draws_job(problem$y, problem$lambda, problem$sigma, settings)
  result <- job_result(run_job(start, watched()))
  # In their place: they may be large.
  names <- if (!is.null(problem$names)) list(dimnames = list(NULL, problem$names))
  attributes(result$draws) <- c(list(dim = c(draws, n)), names)
  result$draws
}

# A few means are there before a second thread is.
mean_settings <- function(problem) {
  list(n = problem$n, threads = if (problem$n < 1e4) 1L else check_threads(NULL))
}

laplace_mean <- function(problem, start) {
  mean <- job_result(run_job(start))$mean
  # R would copy them to say that they have no names.
  if (!is.null(problem$names)) names(mean) <- problem$names
  mean
}

# The arguments, checked, and the length `n` to which Rust recycles them: copies of full length are not made here, where R
# hears no interrupt inside a call on millions of numbers.
laplace_problem <- function(y, lambda, sigma) {
  names <- names(y)
  y <- check_numbers(y, "y")
  lambda <- check_numbers(lambda, "lambda", lower = 0, must = "be non-negative numbers")
  sigma <- check_numbers(sigma, "sigma", lower = .Machine$double.xmin, must = "be positive numbers")
  lengths <- c(y = length(y), lambda = length(lambda), sigma = length(sigma))
  n <- if (all(lengths > 0L)) max(lengths) else 0L
  for (name in names(lengths)) {
    if (n %% max(1L, lengths[[name]]) != 0L || (lengths[[name]] == 0L && n > 0L)) {
      bad_argument(name, paste("have a length that divides", n), NULL, paste("has length", lengths[[name]]))
    }
  }
  list(y = y, lambda = lambda, sigma = sigma, n = n, names = if (length(names) == n) names)
}
