# log m(y | lambda) under the Laplace prior by bridge sampling, and the lambda that it chooses.

#' Marginal likelihood of lambda
#'
#' The log of the marginal likelihood \eqn{m_\lambda(y)}{m(y | lambda)} of a linear model with the
#' Laplace prior whose posterior mode is the lasso, by bridge sampling: the paper's other
#' way to choose `lambda`, which `wbb_lasso(lambda = "marglik")` takes.
#'
#' The model is \eqn{y \sim N(b_0 + Xb, \sigma^2)}{y ~ N(b0 + Xb, sigma^2)} with a flat prior for the
#' intercept and independent Laplace priors of rate \eqn{\lambda/\sigma^2}{lambda/sigma^2} for the
#' coefficients (of columns with standard deviation one if `standardize = TRUE`). The posterior
#' mode given \eqn{\sigma}{sigma} is then the lasso at `lambda` in the scale of [wbb_lasso()],
#' whatever \eqn{\sigma}{sigma} is. An unknown \eqn{\sigma^2}{sigma^2} has prior density
#' \eqn{1/\sigma^2}{1/sigma^2}. Since the priors of intercept and \eqn{\sigma^2}{sigma^2} are
#' improper, only differences between values of `lambda` have a meaning.
#'
#' \eqn{\sigma^2}{sigma^2} and the intercept are integrated out exactly. The coefficients are drawn by
#' the sampler of [bayes_bridge()], and the normalising constant of their density is found by the
#' optimal bridge of Meng and Wong (1996) to a normal distribution with the mean and covariance
#' of one half of the draws. The standard error is that of Frühwirth-Schnatter (2004), with the
#' effective number of draws. All values of `lambda` share their random numbers, so that
#' differences are more exact than `se` says.
#'
#' `wbb_lasso(lambda = "marglik")` tries 15 values over the four decades below the `lambda` that sets
#' all coefficients to zero, and 14 more about the best of them. If the best lies at either end, a
#' warning of class `wbb_warning_grid` says at which and what to do.
#'
#' @inheritParams bayes_bridge
#' @param x A numeric matrix, a data frame or a sparse matrix.
#' @param lambda Positive numbers, in the scale of [wbb_lasso()].
#' @param draws,burn The number of draws, and of iterations before the first.
#' @return A data frame with the columns `lambda`, `log_ml` and `se`, the standard error of
#'   `log_ml`.
#' @references
#' Gelman, A. and Meng, X.-L. (1998). Simulating normalizing constants: from importance sampling
#' to bridge sampling to path sampling. *Statistical Science* 13, 163--185.
#'
#' Meng, X.-L. and Wong, W. H. (1996). Simulating ratios of normalizing constants via a simple
#' identity: a theoretical exploration. *Statistica Sinica* 6, 831--860.
#'
#' Frühwirth-Schnatter, S. (2004). Estimating marginal likelihoods for mixture and Markov
#' switching models using bridge sampling techniques. *Econometrics Journal* 7, 143--167.
#' @examples
#' x <- as.matrix(diabetes[names(diabetes) != "y"])
#' marginal_likelihood(x, diabetes$y, lambda = c(100, 400, 1600), seed = 1)
#'
#' fit <- wbb_lasso(x, diabetes$y, lambda = "marglik", draws = 200, seed = 1)
#' fit
#' fit$marglik[which.max(fit$marglik$log_ml), ]
#' @export
marginal_likelihood <- function(x, y, lambda, sigma = NULL, standardize = TRUE, intercept = TRUE,
                                draws = 10000, burn = 1000, seed = NULL, threads = NULL, progress = NULL) {
  design <- matrix_design(x, y)
  progress <- check_progress(progress)
  if (missing(lambda)) bad_argument("lambda", "be positive numbers", NULL, "is missing")
  settings <- marglik_settings(design, list(
    lambda = check_numbers(lambda, "lambda", lower = .Machine$double.xmin, must = "be positive numbers"),
    sigma = sigma, standardize = standardize, intercept = intercept, draws = draws, burn = burn,
    threads = threads, seed = seed
  ))
  marglik_curve(design, settings, progress)
}

# Without lambda Rust makes a grid.
marglik_settings <- function(design, given) {
  intercept <- check_flag(given$intercept, "intercept") && design$intercept
  if (nrow(design$x) - intercept < 1) bad_argument("x", "have two or more rows", design$x, "has one")
  list(
    lambda = given$lambda, sigma = if (!is.null(given$sigma)) check_number(given$sigma, "sigma", 0, open = TRUE),
    standardize = check_flag(given$standardize, "standardize"), intercept = intercept,
    draws = check_count(given$draws, "draws", 100), burn = check_count(given$burn, "burn", 0),
    threads = check_threads(given$threads), seed = check_seed(given$seed)
  )
}

marglik_curve <- function(design, settings, progress) {
  start <- function() rust_marglik_job(rust_matrix(design$x), design$y, settings)
  list2DF(job_result(run_job(start, progress)))
}

# The choice of lambda ---------------------------------------------------------------

choose_by_marglik <- function(design, given) {
  if (check_family(given$family)$name != "gaussian") {
    bad_argument("lambda", "be \"cv\" or numbers with another family than the Gaussian", "marglik")
  }
  for (name in c("case_weights", "cluster", "offset")) {
    if (!is.null(given[[name]])) {
      bad_argument("lambda", paste0("be \"cv\" or numbers with `", name, "`"), "marglik")
    }
  }
  if (!identical(as.double(given$alpha), 1)) bad_argument("alpha", "be 1 with `lambda = \"marglik\"`", given$alpha)
  if (!all(given$penalty_factor == 1)) {
    bad_argument("penalty_factor", "be 1 with `lambda = \"marglik\"`", given$penalty_factor)
  }
  settings <- marglik_settings(design, c(
    given[c("standardize", "intercept", "threads", "seed")], list(draws = 10000, burn = 1000)
  ))
  progress <- check_progress(given$progress)
  curve <- marglik_curve(design, settings, progress)
  best <- which.max(curve$log_ml)
  warn_edge(curve$lambda, best)
  list(lambda = curve$lambda[best], curve = curve, seed = settings$seed)
}

# Beyond an edge the marginal likelihood may be larger still.
warn_edge <- function(lambda, best) {
  if (!best %in% c(1L, length(lambda))) return(invisible())
  edge <- if (best == 1L) {
    "largest lambda of its grid, where the lasso sets all coefficients to zero: the data may hold no signal"
  } else {
    "smallest lambda of its grid: the data ask for next to no shrinkage"
  }
  warn("grid", paste0("The marginal likelihood is largest at ", format(lambda[best], digits = 4), ", the ", edge,
    ". Look beyond it with marginal_likelihood(), and give `lambda` as a number"))
}
