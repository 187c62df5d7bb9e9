# The sampler's correctness is tested in the core: calibration, quadrature, an independent Bayesian
# lasso. Here the whole way through R.

test_that("one coefficient agrees with quadrature, nu and variance unknown", {
  data <- made_data(15, 2, seed = 4)
  x <- data$x[, 2, drop = FALSE]
  fit <- bayes_bridge(x, data$y, alpha = 0.7, nu = c(2, 2), intercept = FALSE, standardize = FALSE,
    draws = 20000, burn = 500, chains = 2, seed = 5, threads = 2)
  # With nu and variance integrated out: (rate + |b|^alpha)^-(shape + 1/alpha) RSS^-(n/2).
  density <- function(b) {
    rss <- vapply(b, function(b) sum((data$y - x * b)^2), 0)
    (2 + abs(b)^0.7)^-(2 + 1 / 0.7) * (rss / 20)^(-15 / 2)
  }
  total <- function(f) {
    integrate(f, -10, 0, rel.tol = 1e-10, subdivisions = 1000)$value +
      integrate(f, 0, 10, rel.tol = 1e-10, subdivisions = 1000)$value
  }
  exact <- total(function(b) b * density(b)) / total(density)
  table <- summary(fit)$table
  # 5 standard errors: a false alarm in 1.7 million.
  expect_lt(abs(table$mean[1] - exact) / table$mcse[1], 5)
})

test_that("a constant column keeps its prior and harms nobody", {
  data <- made_data()
  fit <- bayes_bridge(cbind(data$x, one = 1), data$y, draws = 500, chains = 2, seed = 1, threads = 1, alpha = 1)
  expect_true(all(is.finite(as.matrix(fit))))
  expect_equal(coef(fit)[["x1"]], 2, tolerance = 0.2)
})

test_that("an interrupt stops the chains", {
  skip_on_cran()
  skip_on_os("windows")
  data <- made_data(200, 50)
  began <- proc.time()[["elapsed"]]
  setTimeLimit(elapsed = 0.3, transient = TRUE)
  expect_error(bayes_bridge(data$x, data$y, draws = 1e6, thin = 100, chains = 2, seed = 1), "time limit")
  setTimeLimit()
  expect_lt(proc.time()[["elapsed"]] - began, 5)
})
