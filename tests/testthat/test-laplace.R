# E(theta | y) by quadrature, each side of the kink apart.
by_quadrature <- function(y, lambda, sigma) {
  density <- function(t) exp(-(y - t)^2 / (2 * sigma^2) - lambda * abs(t))
  side <- function(f, a, b) integrate(f, a, b, rel.tol = 1e-12, subdivisions = 1000)$value
  cut <- sort(unique(c(-abs(y) - 12 * sigma, 0, y, abs(y) + 12 * sigma)))
  whole <- function(f) sum(vapply(seq_along(cut[-1]), function(k) side(f, cut[k], cut[k + 1]), 0))
  whole(function(t) t * density(t)) / whole(density)
}

test_that("the posterior mean is that of quadrature", {
  cases <- expand.grid(y = c(-3, 0.2, 1, 2, 5), lambda = c(0.1, 1, 2, 4), sigma = c(1, 0.5, 3))
  exact <- mapply(by_quadrature, cases$y, cases$lambda, cases$sigma)
  found <- laplace_posterior_mean(cases$y, cases$lambda, cases$sigma)
  expect_lt(max(abs(found - exact)), 1e-10)
  # The paper's printed formula gives 0.0138 here.
  expect_equal(laplace_posterior_mean(2, 2), 0.6353, tolerance = 1e-4)
})

test_that("the means are stable everywhere", {
  y <- c(-1e6, -50, -1e-9, 0, 1e-300, 2, 50, 1e6)
  for (lambda in c(0, 1e-300, 1e-8, 1, 20, 1e6)) {
    means <- cbind(
      laplace_posterior_mean(y, lambda), laplace_wbb_mean(y, lambda), laplace_wbb_mean(y, lambda, "fixed")
    )
    expect_true(all(is.finite(means)))
    # Shrunk, of the sign of y, and rising in y.
    expect_true(all(abs(means) <= abs(y) & means * y >= 0))
    expect_true(all(diff(means) >= 0))
    expect_identical(laplace_posterior_mean(-y, lambda), -means[, 1])
  }
  expect_identical(laplace_posterior_mean(50, 20), 30)
})

test_that("the bootstrap's means have their closed forms", {
  y <- c(0.3, 2, 7)
  for (lambda in c(0.1, 1, 5)) {
    expect_equal(laplace_wbb_mean(y, lambda), y - lambda * log1p(y / lambda), tolerance = 1e-12)
    e1 <- vapply(lambda / y, function(v) integrate(function(t) exp(-v * t) / t, 1, Inf, rel.tol = 1e-12)$value, 0)
    expect_equal(laplace_wbb_mean(y, lambda, "fixed"), y * exp(-lambda / y) - lambda * e1, tolerance = 1e-10)
  }
  expect_identical(laplace_wbb_mean(y, 2, "coef"), laplace_wbb_mean(y, 2))
  expect_equal(laplace_wbb_mean(y, 0.5, sigma = 2), laplace_wbb_mean(y, 2))
})

test_that("draws have the exact mean and share of zeros", {
  # 3 prior weights, 3 values of y, means and shares: 18 comparisons at 5 standard errors, a false
  # alarm in 10^5 seeds.
  y <- c(a = -1, b = 0.5, c = 3)
  for (prior in c("random", "fixed", "coef")) {
    draws <- laplace_wbb_draws(y, lambda = 2, prior_weight = prior, draws = 2e4, seed = 4)
    expect_identical(dimnames(draws), list(NULL, names(y)))
    zero <- if (prior == "fixed") 1 - exp(-2 / abs(y)) else 2 / (2 + abs(y))
    for (j in seq_along(y)) {
      expect_mean(draws[, j], laplace_wbb_mean(y, 2, prior)[[j]])
      expect_mean(as.double(draws[, j] == 0), zero[[j]])
    }
  }
})

test_that("draws are those of the lasso with one row a mean", {
  y <- c(-1, 0.5, 3, 2)
  for (prior in c("random", "fixed", "coef")) {
    lasso <- wbb_lasso(diag(4), y, lambda = 0.7, prior_weight = prior, standardize = FALSE, intercept = FALSE,
      draws = 50, seed = 9, threads = 1)
    draws <- laplace_wbb_draws(y, 0.7, prior, draws = 50, seed = 9)
    expect_equal(draws, as.matrix(lasso), tolerance = 1e-6, ignore_attr = TRUE)
  }
})

test_that("arguments recycle, keep names and are checked", {
  expect_identical(names(laplace_posterior_mean(c(a = 1, b = 2), 1)), c("a", "b"))
  expect_length(laplace_posterior_mean(1, c(1, 2, 3)), 3)
  expect_identical(laplace_posterior_mean(double(), 1), double())
  expect_identical(dim(laplace_wbb_draws(double(), 1, draws = 3, seed = 1)), c(3L, 0L))
  expect_identical(laplace_wbb_draws(2, 0, draws = 2, seed = 1)[, 1], c(2, 2))
  expect_bad(laplace_posterior_mean("a", 1), "y")
  expect_bad(laplace_posterior_mean(NA_real_, 1), "y", "element 1 is NA")
  expect_bad(laplace_posterior_mean(1, -1), "lambda", "-1")
  expect_bad(laplace_posterior_mean(1, 1, 0), "sigma")
  expect_bad(laplace_posterior_mean(1:3, 1:2), "lambda", "has length 2")
  expect_bad(laplace_wbb_mean(1, 1, "none"), "prior_weight")
  expect_bad(laplace_wbb_draws(1, 1, draws = 0), "draws")
  expect_bad(laplace_wbb_draws(1, 1, seed = 0.5), "seed")
})

test_that("a seed reproduces and leaves R's generator alone", {
  set.seed(2)
  before <- .Random.seed
  expect_identical(laplace_wbb_draws(1:3, 1, draws = 5, seed = 1), laplace_wbb_draws(1:3, 1, draws = 5, seed = 1))
  expect_identical(.Random.seed, before)
})

test_that("lengths that do not divide each other are recycled to that of y", {
  y <- c(-2, -1, 0.5, 1, 2, 3)
  lambda <- c(0.5, 1)
  sigma <- c(1, 2, 3)
  one <- function(f) mapply(f, y, rep_len(lambda, 6), sigma = rep_len(sigma, 6))
  expect_identical(laplace_posterior_mean(y, lambda, sigma), one(laplace_posterior_mean))
  expect_identical(laplace_wbb_mean(y, lambda, sigma = sigma), one(laplace_wbb_mean))
  expect_identical(laplace_wbb_mean(y, lambda, sigma = 2), mapply(laplace_wbb_mean, y, rep_len(lambda, 6), sigma = 2))
  expect_identical(laplace_wbb_mean(double(), 1), double())
})
