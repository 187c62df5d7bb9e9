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
#' effective number of draws.
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
                                draws = 10000, burn = 1000, seed = NULL, threads = NULL) {
  design <- matrix_design(x, y)
  if (missing(lambda)) bad_argument("lambda", "be positive numbers", NULL, "is missing")
  lambda <- check_numbers(lambda, "lambda", lower = .Machine$double.xmin, must = "be positive numbers")
  problem <- marglik_problem(design, sigma, standardize, intercept, draws, burn, threads)
  marglik_curve(problem, lambda, check_seed(seed))
}

# What all lambdas share: the centred, scaled data and the settings of the chains.
marglik_problem <- function(design, sigma, standardize, intercept, draws = 10000, burn = 1000, threads = NULL) {
  x <- as.matrix(design$x)
  y <- design$y
  n <- nrow(x)
  intercept <- check_flag(intercept, "intercept") && design$intercept
  if (!is.null(sigma)) sigma <- check_number(sigma, "sigma", 0, open = TRUE)
  if (check_flag(standardize, "standardize")) {
    centred <- x - rep(colMeans(x), each = n)
    scale <- sqrt(colMeans(centred^2))
    x <- x / rep(ifelse(scale > 0, scale, 1), each = n)
  }
  if (intercept) {
    x <- x - rep(colMeans(x), each = n)
    y <- y - mean(y)
  }
  if (n - intercept < 1) bad_argument("x", "have two or more rows", x, "has one")
  settings <- list(
    alpha = 1, sigma = sigma, sigma2_prior = if (is.null(sigma)) c(0, 0), standardize = FALSE,
    intercept = intercept, draws = check_count(draws, "draws", 100), burn = check_count(burn, "burn", 0),
    thin = 1, chains = 2, threads = check_threads(threads)
  )
  list(x = x, y = y, sigma = sigma, intercept = intercept, freedom = n - intercept, settings = settings)
}

marglik_curve <- function(problem, lambda, seed) {
  rows <- lapply(lambda, function(l) c(l, marglik_one(problem, l, seed)))
  stats::setNames(as.data.frame(do.call(rbind, rows)), c("lambda", "log_ml", "se"))
}

# log m and its standard error at one lambda. One chain gives the normal distribution
# at the bridge's other end, the other is bridged: they must not be the same draws.
marglik_one <- function(problem, lambda, seed) {
  # nu = lambda / sigma^2, known if sigma is.
  shrinkage <- if (is.null(problem$sigma)) list(lambda = lambda) else list(nu = lambda / problem$sigma^2)
  settings <- c(problem$settings, shrinkage, list(seed = seed))
  result <- job_result(bridge_job(problem, settings))
  draws <- matrix(result$draws, 2 * settings$draws)
  if (problem$intercept) draws <- draws[, -1L, drop = FALSE]
  first <- seq_len(settings$draws)
  density <- marglik_density(problem, lambda, colMeans(draws))
  bridge_estimate(draws[first, , drop = FALSE], draws[-first, , drop = FALSE], density, seed)
}

# log of likelihood times prior as a function of the coefficients (a row each), intercept and
# unknown variance integrated out.
marglik_density <- function(problem, lambda, centre) {
  x <- problem$x
  p <- ncol(x)
  # About a good fit, so that the residual sum of squares is not a difference of large numbers.
  residual <- problem$y - drop(x %*% centre)
  slope <- drop(crossprod(x, residual))
  gram <- crossprod(x)
  base <- sum(residual^2)
  constant <- p * log(lambda / 2) - problem$freedom / 2 * log(2 * pi) -
    (if (problem$intercept) log(nrow(x)) / 2 else 0)
  function(b) {
    step <- b - rep(centre, each = nrow(b))
    square <- base - 2 * drop(step %*% slope) + rowSums((step %*% gram) * step)
    objective <- square / 2 + lambda * rowSums(abs(b))
    if (is.null(problem$sigma)) {
      power <- problem$freedom / 2 + p
      constant + lgamma(power) - power * log(objective)
    } else {
      variance <- problem$sigma^2
      constant - (p + problem$freedom / 2) * log(variance) - objective / variance
    }
  }
}

# Meng and Wong's (1996) iteration for the log of the integral of exp(density).
bridge_estimate <- function(fitted, bridged, density, seed) {
  p <- ncol(fitted)
  centre <- colMeans(fitted)
  root <- tryCatch(chol(stats::cov(fitted)), error = function(e) {
    abort("argument", paste0("`draws` must be larger: ", nrow(fitted), " draws of ", p,
      " coefficients do not determine their covariance."), "draws")
  })
  normals <- with_local_seed(seed, matrix(stats::rnorm(length(bridged)), nrow(bridged)))
  proposed <- normals %*% root + rep(centre, each = nrow(normals))
  log_normal <- function(z) -rowSums(z^2) / 2 - p / 2 * log(2 * pi) - sum(log(diag(root)))
  back <- backsolve(root, t(bridged) - centre, transpose = TRUE)
  at_draws <- density(bridged) - log_normal(t(back))
  at_normal <- density(proposed) - log_normal(normals)
  middle <- stats::median(at_draws)
  draws <- exp(at_draws - middle)
  normal <- exp(at_normal - middle)
  ratio <- 1
  for (iteration in 1:1000) {
    last <- ratio
    ratio <- mean(2 * normal / (normal + ratio)) / mean(2 / (draws + ratio))
    if (abs(ratio / last - 1) < 1e-10) break
  }
  c(middle + log(ratio), bridge_error(draws / ratio, normal / ratio))
}

# Relative error of the ratio; `draws` and `normal` are normalised density over normal density.
bridge_error <- function(draws, normal) {
  upper <- normal / (normal + 1)
  lower <- 1 / (draws + 1)
  size <- job_diagnose(lower, 1)[2L]
  sqrt(stats::var(upper) / mean(upper)^2 / length(upper) + stats::var(lower) / mean(lower)^2 / size)
}

# R's generator is left as it was.
with_local_seed <- function(seed, code) {
  old <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(if (is.null(old)) rm(".Random.seed", envir = globalenv()) else assign(".Random.seed", old, globalenv()))
  set.seed(abs(seed) %% .Machine$integer.max, "Mersenne-Twister", "Inversion")
  code
}

# The choice of lambda ---------------------------------------------------------------

# A coarse grid over four decades below the lambda that sets all coefficients to zero, and a
# fine one about its best point.
choose_by_marglik <- function(design, settings) {
  for (name in c("case_weights", "cluster")) {
    if (!is.null(settings[[name]])) {
      bad_argument("lambda", paste0("be \"cv\" or numbers with `", name, "`"), "marglik")
    }
  }
  if (!identical(as.double(settings$alpha), 1)) bad_argument("alpha", "be 1 with `lambda = \"marglik\"`", settings$alpha)
  if (!all(settings$penalty_factor == 1)) {
    bad_argument("penalty_factor", "be 1 with `lambda = \"marglik\"`", settings$penalty_factor)
  }
  seed <- check_seed(settings$seed)
  problem <- marglik_problem(design, NULL, settings$standardize, settings$intercept, threads = settings$threads)
  largest <- max(abs(crossprod(problem$x, problem$y)))
  if (largest == 0) bad_argument("lambda", "be given when no column is correlated with `y`", "marglik")
  grid <- function(from, to, count) exp(seq(log(from), log(to), length.out = count))
  coarse <- marglik_curve(problem, grid(largest, 1e-4 * largest, 15L), seed)
  best <- which.max(coarse$log_ml)
  ends <- coarse$lambda[c(max(1L, best - 1L), min(15L, best + 1L))]
  # The ends are there already, and an even number leaves out the middle, which is too.
  fine <- marglik_curve(problem, grid(ends[1L], ends[2L], 16L)[2:15], seed)
  curve <- rbind(coarse, fine)
  curve <- curve[order(-curve$lambda), ]
  row.names(curve) <- NULL
  list(lambda = curve$lambda[which.max(curve$log_ml)], curve = curve, seed = seed)
}
