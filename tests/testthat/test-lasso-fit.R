# The draws against other solvers and exact results (MATH 3).

# The objective of a draw, coefficients on the original scale.
objective <- function(theta, x, y, w, w0, lambda, scale) {
  residual <- y - theta[1] - drop(as.matrix(x %*% theta[-1]))
  sum(w * residual^2) / 2 + lambda * sum(w0 * abs(theta[-1] * scale))
}

# glmnet rescales weights to sum to one and penalty factors to sum to p.
glmnet_draw <- function(x, y, w, w0, lambda, scale) {
  p <- ncol(x)
  w0 <- rep_len(w0, p)
  z <- if (is.matrix(x)) sweep(x, 2, scale, "/") else x %*% Matrix::Diagonal(x = 1 / scale)
  fit <- glmnet::glmnet(z, y, weights = w, lambda = lambda * mean(w0) / sum(w), penalty.factor = w0,
    standardize = FALSE, thresh = 1e-20, maxit = 1e7)
  c(fit$a0, as.vector(fit$beta) / scale)
}

expect_glmnet <- function(x, y, lambda, ...) {
  fit <- wbb_lasso(x, y, lambda = lambda, draws = 6, seed = 1, threads = 1, ...)
  expect_true(all(fit$diagnostics$gap <= 1e-8))
  n <- nrow(x)
  scale <- if (fit$spec$standardize) sd_n(as.matrix(x)) else rep(1, ncol(x))
  w <- weights(fit)
  for (k in seq_len(6)) {
    w_k <- w[k, seq_len(n)]
    w0 <- w[k, -seq_len(n)] * fit$spec$penalty_factor
    peer <- glmnet_draw(x, y, w_k, w0, lambda, scale)
    ours <- objective(as.matrix(fit)[k, ], x, y, w_k, w0, lambda, scale)
    theirs <- objective(peer, x, y, w_k, w0, lambda, scale)
    expect_lt(abs(ours - theirs) / theirs, 1e-7)
    expect_equal(fit$diagnostics$objective[k], ours, tolerance = 1e-9)
  }
}

test_that("draws are glmnet's on tall, wide and sparse designs", {
  skip_if_not_installed("glmnet")
  x <- as.matrix(diabetes[1:10])
  expect_glmnet(x, diabetes$y, 50)
  expect_glmnet(x, diabetes$y, 400, prior_weight = "fixed", standardize = FALSE)
  expect_glmnet(x, diabetes$y, 50, prior_weight = "coef")
  expect_glmnet(x, diabetes$y, 50, penalty_factor = c(0, 1, 1, 1, 2, 2, 1, 1, 1, 0.5))
  tall <- made_data(2000, 20)
  expect_glmnet(tall$x, tall$y, 30, weights = "dirichlet")
  wide <- made_data(50, 200)
  expect_glmnet(wide$x, wide$y, 10)
  sparse <- with_seed(2, Matrix::rsparsematrix(300, 80, 0.05))
  y <- with_seed(3, as.vector(sparse %*% rep(c(1, 0), 40)) + rnorm(300))
  expect_glmnet(sparse, y, 8)
  expect_glmnet(sparse, y, 8, standardize = FALSE)
})

test_that("draws are glmnet's on collinear and badly scaled designs", {
  skip_if_not_installed("glmnet")
  d <- made_data(200, 10)
  collinear <- cbind(d$x, d$x[, 1:5] + with_seed(4, matrix(rnorm(1000, sd = 1e-3), 200)))
  colnames(collinear) <- paste0("c", 1:15)
  expect_glmnet(collinear, d$y, 20)
  expect_glmnet(cbind(d$x, copy = d$x[, 1]), d$y, 20)
  scaled <- sweep(d$x, 2, 10^seq(-6, 6, length.out = 10), "*")
  expect_glmnet(scaled, d$y, 20)
  shifted <- sweep(d$x, 2, seq(0, 1000, length.out = 10), "+")
  expect_glmnet(shifted, d$y + 1e4, 20)
})

test_that("elastic-net draws satisfy their optimality conditions", {
  d <- made_data(100, 8)
  lambda <- 15
  for (alpha in c(0, 0.3)) {
    fit <- quick(d$x, d$y, lambda = lambda, alpha = alpha, tolerance = 1e-12, draws = 5)
    w <- weights(fit)
    scale <- sd_n(d$x)
    z <- sweep(d$x, 2, scale, "/")
    for (k in 1:5) {
      theta <- as.matrix(fit)[k, ]
      b <- theta[-1] * scale
      w_k <- w[k, 1:100]
      penalty <- lambda * w[k, "prior"]
      slope <- drop(crossprod(z, w_k * (d$y - theta[1] - drop(d$x %*% theta[-1]))))
      violation <- ifelse(b == 0, pmax(0, abs(slope) - alpha * penalty),
        abs(slope - penalty * (alpha * sign(b) + (1 - alpha) * b)))
      expect_lt(max(violation), 1e-4 * max(abs(slope), 1))
    }
  }
})

test_that("lambda = 0 is weighted least squares", {
  d <- made_data()
  fit <- quick(d$x, d$y, lambda = 0, tolerance = 1e-13, draws = 5)
  w <- weights(fit)
  for (k in 1:5) {
    expect_equal(as.matrix(fit)[k, ], lm.wfit(cbind(1, d$x), d$y, w[k, 1:60])$coefficients,
      ignore_attr = TRUE, tolerance = 1e-6)
  }
  # Without a penalty, the sum of the weights does not matter.
  w_sum <- lm.wfit(cbind(1, d$x), d$y, 3 * w[1, 1:60])$coefficients
  expect_equal(as.matrix(fit)[1, ], w_sum, ignore_attr = TRUE, tolerance = 1e-6)
})

test_that("from lambda_max on all slopes are exactly zero", {
  d <- made_data()
  z <- sweep(d$x, 2, sd_n(d$x), "/")
  lambda_max <- max(abs(crossprod(z, d$y - mean(d$y))))
  at <- function(lambda) quick(d$x, d$y, lambda = lambda, weights = "ones", prior_weight = "fixed", draws = 2)
  expect_true(all(as.matrix(at(lambda_max * (1 + 1e-9)))[, -1] == 0))
  expect_equal(unname(as.matrix(at(lambda_max * 2))[, 1]), rep(mean(d$y), 2))
  expect_identical(sum(as.matrix(at(lambda_max * 0.99))[1, -1] != 0), 1L)
})

test_that("an integer weight repeats a row and weight zero removes it", {
  d <- made_data()
  times <- rep(0:3, 15)
  rows <- rep(seq_len(60), times)
  mode <- function(...) coef(quick(..., standardize = FALSE, draws = 1, tolerance = 1e-12))
  repeated <- mode(d$x[rows, ], d$y[rows])
  expect_equal(mode(d$x, d$y, case_weights = times), repeated, tolerance = 1e-6)
  expect_equal(mode(d$x[times > 0, ], d$y[times > 0], case_weights = times[times > 0]), repeated, tolerance = 1e-6)
  # Order does not matter, and weights and penalty may be multiplied by a number.
  expect_equal(mode(d$x[60:1, ], d$y[60:1], case_weights = rev(times)), repeated, tolerance = 1e-6)
  expect_equal(mode(d$x, d$y, case_weights = 7 * times, lambda = 35), repeated, tolerance = 1e-6)
})

test_that("the scale of y, and with standardize that of x, goes through", {
  d <- made_data()
  fit <- as.matrix(quick(d$x, d$y, tolerance = 1e-12))
  expect_equal(as.matrix(quick(d$x, 1000 * d$y, lambda = 5000, tolerance = 1e-12)), 1000 * fit, tolerance = 1e-6)
  expect_equal(as.matrix(quick(d$x, d$y + 10, tolerance = 1e-12))[, 1], fit[, 1] + 10, tolerance = 1e-6)
  scaled <- as.matrix(quick(sweep(d$x, 2, c(1, 10, 100, 0.1, 1), "*"), d$y, tolerance = 1e-12))
  expect_equal(sweep(scaled[, -1], 2, c(1, 10, 100, 0.1, 1), "*"), fit[, -1], tolerance = 1e-5)
})

normal_means <- function(y, lambda, prior_weight) {
  fit <- wbb_lasso(matrix(1), y, lambda = lambda, prior_weight = prior_weight, intercept = FALSE,
    standardize = FALSE, draws = 20000, seed = 11, threads = 1)
  as.matrix(fit)[, 1]
}

test_that("normal means have their exact distribution (MATH 3)", {
  # Each comparison alarms falsely once in 1.7 million (5 standard errors).
  for (lambda in c(0.5, 3)) {
    draws <- normal_means(2, lambda, "random")
    expect_mean(draws == 0, lambda / (lambda + 2))
    expect_mean(draws, 2 - lambda * log(1 + 2 / lambda))
    expect_true(all(draws >= 0 & draws < 2))
    draws <- normal_means(2, lambda, "fixed")
    expect_mean(draws == 0, 1 - exp(-lambda / 2))
    e1 <- integrate(function(t) exp(-t) / t, lambda / 2, Inf, rel.tol = 1e-10)$value
    expect_mean(draws, 2 * exp(-lambda / 2) - lambda * e1)
  }
  expect_equal(normal_means(-2, 1, "random"), -normal_means(2, 1, "random"))
})

test_that("with many rows the covariance is the sandwich", {
  d <- made_data(2000, 2, seed = 5)
  fit <- wbb_lasso(d$x, d$y, lambda = 0, draws = 4000, seed = 1, threads = 1)
  z <- cbind(1, d$x)
  least_squares <- lm.fit(z, d$y)
  bread <- solve(crossprod(z))
  sandwich <- bread %*% crossprod(z * least_squares$residuals) %*% bread
  # A variance from 4,000 draws has relative error 0.022; 5 of them, and terms of
  # order 1/n.
  expect_lt(max(abs(diag(vcov(fit)) / diag(sandwich) - 1)), 5 * sqrt(2 / 4000) + 10 / 2000)
})

test_that("draws without any weight are counted, not divided by", {
  d <- made_data(4, 2)
  expect_warning(fit <- quick(d$x, d$y, weights = "poisson", draws = 400), class = "wbb_warning_convergence")
  empty <- fit$diagnostics$status == "empty"
  w <- weights(fit)
  expect_identical(empty, unname(rowSums(w[, 1:4]) == 0))
  expect_true(all(is.finite(as.matrix(fit))))
  expect_true(all(as.matrix(fit, failed = TRUE)[empty, -1] == 0))
})
