x <- as.matrix(diabetes[1:10])
y <- diabetes$y

quick_bridge <- function(...) {
  call <- match.call()
  call[[1L]] <- quote(bayes_bridge)
  defaults <- list(draws = 500, burn = 200, chains = 2, seed = 1, threads = 1)
  for (name in setdiff(names(defaults), names(call))) call[[name]] <- defaults[[name]]
  eval(call, parent.frame())
}

test_that("the object holds what it promises", {
  fit <- quick_bridge(x, y)
  expect_s3_class(fit, c("wbb_bridge", "wbb"), exact = TRUE)
  expect_identical(dim(as.matrix(fit)), c(1000L, 11L))
  expect_identical(colnames(as.matrix(fit)), c("(Intercept)", colnames(x)))
  expect_identical(names(fit$diagnostics), c("chain", "iteration", "sigma", "nu"))
  expect_identical(fit$diagnostics$chain, rep(1:2, each = 500L))
  expect_identical(fit$mcmc$term, c("(Intercept)", colnames(x), "sigma", "nu"))
  expect_false(any(as.matrix(fit) == 0))
  expect_identical(unserialize(serialize(fit, NULL)), fit)
})

test_that("both interfaces give the same chains", {
  formula <- quick_bridge(y ~ ., diabetes)
  matrix <- quick_bridge(x, y)
  expect_identical(formula$draws, matrix$draws)
  expect_identical(quick_bridge(formula = y ~ ., data = diabetes)$draws, matrix$draws)
  expect_identical(quick_bridge(Matrix::Matrix(x, sparse = TRUE), y)$draws, matrix$draws)
  expect_identical(formula(formula), y ~ age + sex + bmi + map + tc + ldl + hdl + tch + ltg + glu)
  expect_identical(colnames(as.matrix(quick_bridge(y ~ 0 + bmi, diabetes))), "bmi")
  expect_identical(update(formula, seed = 2)$call$seed, 2)
})

test_that("a chain depends on the seed and its number alone", {
  fit <- quick_bridge(x, y)
  expect_identical(quick_bridge(x, y, threads = 2)$draws, fit$draws)
  expect_identical(quick_bridge(x, y, chains = 3)$draws[1:1000, ], fit$draws)
  expect_false(identical(quick_bridge(x, y, seed = 2)$draws, fit$draws))
  set.seed(3)
  before <- .Random.seed
  quick_bridge(x, y)
  expect_identical(.Random.seed, before)
  a <- quick_bridge(x, y, seed = NULL)
  set.seed(3)
  expect_identical(quick_bridge(x, y, seed = NULL)$draws, a$draws)
})

test_that("scaling a column scales its coefficient", {
  scaled <- x
  scaled[, "bmi"] <- 1000 * x[, "bmi"] + 5
  a <- as.matrix(quick_bridge(x, y))
  b <- as.matrix(quick_bridge(scaled, y))
  expect_equal(b[, "bmi"] * 1000, a[, "bmi"], tolerance = 1e-6)
})

test_that("known values are kept", {
  expect_true(all(quick_bridge(x, y, sigma = 54)$diagnostics$sigma == 54))
  fixed <- quick_bridge(x, y, nu = 0.25)
  expect_true(all(fixed$diagnostics$nu == 0.25))
  expect_identical(quick_bridge(x, y, tau = 16)$draws, fixed$draws)
  expect_identical(quick_bridge(x, y, nu = c(rate = 2, shape = 3))$spec$nu, c(3, 2))
})

test_that("more columns than rows need a proper prior of the variance", {
  wide <- made_data(20, 40)
  expect_warning(fit <- quick_bridge(wide$x, wide$y, draws = 1000), "improper", class = "wbb_warning_prior")
  expect_identical(fit$spec$sigma2_prior[1], 1)
  silent <- quick_bridge(wide$x, wide$y, draws = 1000, sigma2_prior = fit$spec$sigma2_prior)
  expect_identical(silent$draws, fit$draws)
  expect_bad(quick_bridge(wide$x, wide$y, sigma2_prior = c(1, 0)), "sigma2_prior", "improper")
  # An exact linear relation is as bad with few columns.
  expect_bad(quick_bridge(x, drop(x %*% 1:10)), "sigma2_prior", "improper")
  expect_bad(quick_bridge(x, rep(1, 442)), "y", "does not vary")
})

test_that("columns that add nothing to the others do not make a posterior improper", {
  five <- made_data(10, 5)
  mixed <- cbind(five$x, five$x %*% matrix(sin(1:50), 5), five$x, one = 1)
  expect_silent(fit <- quick_bridge(mixed, five$y, draws = 2000))
  expect_identical(fit$spec$sigma2_prior, c(0, 0))
  expect_identical(update(fit, sigma2_prior = c(0, 0))$draws, fit$draws)
  # Nine independent ones and an intercept fit any ten rows.
  nine <- made_data(10, 9)
  expect_warning(quick_bridge(nine$x, nine$y, draws = 2000), "improper", class = "wbb_warning_prior")
  expect_output(print(fit), "1/sigma^2", fixed = TRUE)
})

test_that("chains that did not meet are warned of", {
  expect_warning(quick_bridge(x, y, draws = 20, burn = 0), class = "wbb_warning_mixing")
})

test_that("bad arguments get classed errors", {
  expect_bad(quick_bridge(x, y, alpha = 0), "alpha", "at most 2")
  expect_bad(quick_bridge(x, y, alpha = 2.1), "alpha")
  expect_bad(quick_bridge(x, y, alpha = c(1, 2)), "alpha")
  expect_bad(quick_bridge(x, y, nu = -1), "nu")
  expect_bad(quick_bridge(x, y, nu = c(2, 0)), "nu", "has 0")
  expect_bad(quick_bridge(x, y, nu = c(shape = 2, scale = 2)), "nu", "scale")
  expect_bad(quick_bridge(x, y, nu = "a"), "nu")
  expect_bad(quick_bridge(x, y, nu = 2, tau = 1), "tau", "together")
  expect_bad(quick_bridge(y ~ ., diabetes, nu = 2, tau = 1), "tau", "together")
  expect_bad(quick_bridge(x, y, tau = 0), "tau")
  expect_bad(quick_bridge(x, y, sigma = -2), "sigma")
  expect_bad(quick_bridge(x, y, sigma = 2, sigma2_prior = c(1, 1)), "sigma", "together")
  expect_bad(quick_bridge(x, y, sigma2_prior = c(-1, 1)), "sigma2_prior")
  expect_bad(quick_bridge(x, y, draws = 0), "draws")
  expect_bad(quick_bridge(x, y, burn = -1), "burn")
  expect_bad(quick_bridge(x, y, thin = 0), "thin")
  expect_bad(quick_bridge(x, y, chains = 1.5), "chains")
  expect_bad(quick_bridge(x, y, draws = 1e9), "draws", "GB")
  expect_bad(quick_bridge(x, y, lambda = 3), "lambda", "no argument")
  expect_bad(quick_bridge(x, y[-1]), "y")
  expect_bad(quick_bridge(y ~ age + bmi, diabetes, offset = 2), "offset")
  expect_bad(bayes_bridge(), "x")
})

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

test_that("scales below what numbers can square are refused, and large nu of a prior does not last for ever", {
  data <- made_data()
  expect_bad(bayes_bridge(data$x, data$y, nu = 1e200), "nu", "1e+50")
  expect_bad(bayes_bridge(data$x, data$y, alpha = 1.5, nu = 1e300), "nu")
  expect_bad(bayes_bridge(data$x, data$y, tau = 1e-101), "tau")
  for (alpha in c(0.1, 0.5, 0.7, 1.5)) {
    nu <- list(1e-100^-alpha, c(shape = 1e150, rate = 1), c(shape = 2, rate = 1e-200))
    for (nu in nu) {
      fit <- suppressWarnings(bayes_bridge(data$x, data$y, alpha = alpha, nu = nu, draws = 30, burn = 20, chains = 1, seed = 1, threads = 1))
      expect_true(all(is.finite(as.matrix(fit))))
    }
  }
})

test_that("an interrupt stops the chains", {
  skip_on_cran()
  skip_on_os("windows")
  data <- made_data(200, 50)
  began <- proc.time()[["elapsed"]]
  setTimeLimit(elapsed = 0.3, transient = TRUE)
  expect_error(suppressMessages(bayes_bridge(data$x, data$y, draws = 1e6, thin = 100, chains = 2, seed = 1)), "time limit")
  setTimeLimit()
  expect_lt(proc.time()[["elapsed"]] - began, 5)
})
