data <- made_data(20, 2, seed = 3)

# log of the integral over b (standardised), by quadrature with variance and intercept done exactly.
by_quadrature <- function(x, y, lambda, sigma = NULL) {
  n <- nrow(x)
  p <- ncol(x)
  x <- scale(x, scale = FALSE)
  x <- x / rep(sqrt(colMeans(x^2)), each = n)
  y <- y - mean(y)
  log_density <- function(b) {
    q <- sum((y - x %*% b)^2) / 2 + lambda * sum(abs(b))
    base <- p * log(lambda / 2) - (n - 1) / 2 * log(2 * pi) - log(n) / 2
    if (!is.null(sigma)) return(base - ((n - 1) / 2 + p) * log(sigma^2) - q / sigma^2)
    # The integral over the variance, by quadrature as well.
    top <- -(n / 2 + p) * log(q)
    inner <- integrate(function(u) exp(-((n - 1) / 2 + p) * u - q * exp(-u) - top), -8, 12, rel.tol = 1e-10)$value
    base + top + log(inner)
  }
  centre <- log_density(drop(solve(crossprod(x) + lambda * diag(p), crossprod(x, y))))
  sides <- function(g) {
    integrate(g, -6, 0, rel.tol = 1e-7)$value + integrate(g, 0, 2, rel.tol = 1e-7)$value +
      integrate(g, 2, 8, rel.tol = 1e-7)$value
  }
  at <- function(b) exp(log_density(b) - centre)
  each <- function(f) function(values) vapply(values, f, 0)
  value <- if (p == 1) sides(each(at)) else sides(each(function(a) sides(each(function(b) at(c(a, b))))))
  centre + log(value)
}

test_that("it is that of quadrature with one column and with two", {
  # 6 comparisons at 5 standard errors, and the errors are small.
  check <- function(x, lambda, sigma) {
    found <- marginal_likelihood(x, data$y, lambda, sigma = sigma, seed = 2, threads = 2)
    for (k in seq_along(lambda)) {
      exact <- by_quadrature(x, data$y, lambda[k], sigma)
      expect_lt(abs(found$log_ml[k] - exact), 5 * found$se[k])
      expect_lt(found$se[k], 0.02)
    }
  }
  check(data$x[, 1, drop = FALSE], c(1, 20), NULL)
  check(data$x[, 1, drop = FALSE], c(1, 20), 1.3)
  check(data$x, 5, 1.3)
  skip_on_cran()
  check(data$x, 5, NULL)
})

test_that("the package bridgesampling finds the same", {
  skip_if_not_installed("bridgesampling")
  x <- scale(as.matrix(diabetes[c("bmi", "hdl", "ltg", "tc")])) * sqrt(442 / 441)
  lambda <- 400
  problem <- marglik_problem(matrix_design(x, diabetes$y), NULL, TRUE, TRUE)
  ours <- marglik_one(problem, lambda, 1)
  density <- marglik_density(problem, lambda, stats::coef(stats::lm(diabetes$y ~ x))[-1])
  settings <- c(problem$settings, list(lambda = lambda, seed = 3))
  draws <- matrix(job_result(bridge_job(problem, settings))$draws, 20000)[, -1]
  colnames(draws) <- colnames(x)
  limits <- function(v) stats::setNames(rep(v, 4), colnames(x))
  theirs <- with_seed(1, bridgesampling::bridge_sampler(draws,
    log_posterior = function(row, data) density(matrix(row, 1)), data = NULL, lb = limits(-Inf), ub = limits(Inf), silent = TRUE
  ))
  # Two standard errors of about 0.002.
  expect_equal(ours[1], theirs$logml, tolerance = 0.02 / abs(ours[1]))
})

test_that("more columns than rows work", {
  wide <- made_data(15, 25)
  found <- marginal_likelihood(wide$x, wide$y, c(2, 20), seed = 1, threads = 2)
  expect_true(all(is.finite(found$log_ml)) && all(found$se < 1))
})

test_that("wbb_lasso() chooses lambda by it", {
  fit <- wbb_lasso(data$x, data$y, lambda = "marglik", draws = 20, seed = 1, threads = 1)
  expect_identical(fit$lambda_from, "marglik")
  expect_identical(fit$lambda, fit$marglik$lambda[which.max(fit$marglik$log_ml)])
  expect_identical(names(fit$marglik), c("lambda", "log_ml", "se"))
  expect_false(anyDuplicated(signif(fit$marglik$lambda, 8)) > 0)
  expect_output(print(fit), "largest marginal likelihood")
  same_draws(fit, wbb_lasso(data$x, data$y, lambda = fit$lambda, draws = 20, seed = 1, threads = 1))
  formula <- wbb_lasso(y ~ ., data.frame(data$x, y = data$y), lambda = "marglik", draws = 20, seed = 1, threads = 1)
  expect_identical(formula$lambda, fit$lambda)
  for (bad in list(list(alpha = 0.5), list(penalty_factor = 2))) {
    expect_bad(do.call(wbb_lasso, c(list(data$x, data$y, lambda = "marglik"), bad)), names(bad))
  }
  expect_bad(wbb_lasso(data$x, data$y, lambda = "marglik", case_weights = rep(1, 20)), "lambda", "marglik")
  expect_bad(wbb_lasso(data$x, data$y, lambda = "marglike"), "lambda")
})

test_that("a seed reproduces and leaves R's generator alone", {
  set.seed(1)
  before <- .Random.seed
  a <- marginal_likelihood(data$x, data$y, 2, seed = 7, draws = 500)
  expect_identical(.Random.seed, before)
  expect_identical(marginal_likelihood(data$x, data$y, 2, seed = 7, draws = 500), a)
})

test_that("bad arguments get classed errors", {
  expect_bad(marginal_likelihood(data$x, data$y), "lambda", "missing")
  expect_bad(marginal_likelihood(data$x, data$y, 0), "lambda")
  expect_bad(marginal_likelihood(data$x, data$y, 1, sigma = 0), "sigma")
  expect_bad(marginal_likelihood(data$x, data$y, 1, draws = 5), "draws")
  expect_bad(marginal_likelihood(data$x, data$y, 1, standardize = NA), "standardize")
  expect_bad(marginal_likelihood(1:3, data$y, 1), "x")
})
