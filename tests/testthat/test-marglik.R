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
  y <- diabetes$y - mean(diabetes$y)
  lambda <- 400
  sigma <- 55
  fit <- bayes_bridge(x, diabetes$y, alpha = 1, nu = lambda / sigma^2, sigma = sigma, draws = 10000, chains = 2, seed = 3)
  log_posterior <- function(b, data) {
    objective <- sum((y - x %*% b)^2) / 2 + lambda * sum(abs(b))
    4 * log(lambda / 2) - 441 / 2 * log(2 * pi) - log(442) / 2 - (4 + 441 / 2) * log(sigma^2) - objective / sigma^2
  }
  limits <- function(v) stats::setNames(rep(v, 4), colnames(x))
  theirs <- with_seed(1, bridgesampling::bridge_sampler(as.matrix(fit)[, -1],
    log_posterior = log_posterior, data = NULL, lb = limits(-Inf), ub = limits(Inf), silent = TRUE
  ))
  ours <- marginal_likelihood(x, diabetes$y, lambda, sigma = sigma, seed = 1)
  expect_lt(ours$se, 0.005)
  # Five standard errors, theirs no larger than ours.
  expect_lt(abs(ours$log_ml - theirs$logml), 5 * sqrt(2) * 0.005)
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

test_that("an edge of the grid is warned of", {
  noise <- made_data(40, 3)
  at <- function(y) wbb_lasso(noise$x, y, lambda = "marglik", draws = 5, seed = 1, threads = 2)
  expect_warning(fit <- at(sin(1:40)), "largest lambda of its grid.*marginal_likelihood", class = "wbb_warning_grid")
  expect_identical(fit$lambda, max(fit$marglik$lambda))
  exact <- drop(noise$x %*% c(5, 4, 3)) + 1e-4 * sin(1:40)
  expect_warning(fit <- at(exact), "smallest lambda of its grid", class = "wbb_warning_grid")
  expect_identical(fit$lambda, min(fit$marglik$lambda))
  expect_silent(at(noise$y))
})

test_that("sparse columns, other scales and constant columns are as elsewhere", {
  found <- marginal_likelihood(data$x, data$y, c(2, 20), seed = 1, draws = 500)
  sparse <- Matrix::Matrix(data$x, sparse = TRUE)
  expect_identical(marginal_likelihood(sparse, data$y, c(2, 20), seed = 1, draws = 500), found)
  scaled <- data$x * rep(c(1000, 1e-3), each = 20) + 5
  expect_equal(marginal_likelihood(scaled, data$y, c(2, 20), seed = 1, draws = 500), found, tolerance = 1e-6)
  # A column without information changes nothing but the Monte Carlo error.
  more <- marginal_likelihood(cbind(data$x, 1), data$y, 2, seed = 1)
  plain <- marginal_likelihood(data$x, data$y, 2, seed = 1)
  expect_lt(abs(more$log_ml - plain$log_ml), 5 * sqrt(more$se^2 + plain$se^2))
})

test_that("it can be interrupted", {
  skip_on_cran()
  wide <- made_data(200, 400)
  began <- proc.time()[["elapsed"]]
  setTimeLimit(elapsed = 0.5, transient = TRUE)
  expect_error(marginal_likelihood(wide$x, wide$y, c(1, 10, 100), seed = 1, draws = 1e5), "time limit")
  setTimeLimit()
  expect_lt(proc.time()[["elapsed"]] - began, 5)
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
  expect_bad(marginal_likelihood(data$x[1, , drop = FALSE], 1, 1), "x", "two or more rows")
  expect_bad(marginal_likelihood(data$x, rep(1, 20), 1), "y", "does not vary")
  expect_bad(marginal_likelihood(data$x, data$y, 1, progress = 2), "progress")
  wide <- made_data(30, 150)
  expect_bad(marginal_likelihood(wide$x, wide$y, 1, draws = 100), "draws", "must be larger")
})
