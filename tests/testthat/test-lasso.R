x <- as.matrix(diabetes[1:10])
y <- diabetes$y

test_that("the object holds what it promises", {
  fit <- quick(x, y)
  expect_s3_class(fit, c("wbb_lasso", "wbb"), exact = TRUE)
  expect_identical(names(fit$diagnostics), c("draw", "status", "iterations", "objective", "gap", "sigma"))
  expect_identical(fit$diagnostics$draw, as.double(1:20))
  expect_identical(levels(fit$diagnostics$status), c("converged", "not converged", "empty", "separated"))
  expect_true(all(fit$diagnostics$status == "converged"))
  expect_lte(max(fit$diagnostics$gap, fit$mode_diagnostics$gap), 1e-8)
  expect_identical(fit$lambda_from, "user")
  expect_null(fit$cv)
  path <- quick(x, y, lambda = c(5, 50))
  expect_identical(names(path$diagnostics)[2], "lambda")
  expect_identical(path$diagnostics$lambda, rep(c(5, 50), each = 20))
  expect_identical(dim(path$draws), c(20L, 11L, 2L))
})

test_that("a seed reproduces and leaves R's generator alone", {
  set.seed(10)
  before <- .Random.seed
  fit <- quick(x, y)
  expect_identical(.Random.seed, before)
  a <- quick(x, y, seed = NULL)
  set.seed(10)
  b <- quick(x, y, seed = NULL)
  same_draws(a, b)
  expect_false(identical(a$draws, quick(x, y, seed = NULL)$draws))
  same_draws(quick(x, y, seed = 1L), fit)
  expect_s3_class(quick(x, y, seed = 2^53, draws = 2), "wbb")
})

test_that("threads and chunks do not change a draw, whatever the method", {
  wide <- made_data(30, 80)
  tall <- made_data(20000, 100)
  sparse <- Matrix::Matrix(x * (x > 50), sparse = TRUE)
  designs <- list(list(x = x, y = y), wide, tall, list(x = sparse, y = y))
  methods <- character()
  for (d in designs) {
    one <- quick(d$x, d$y, lambda = c(100, 20), draws = 31)
    same_draws(quick(d$x, d$y, lambda = c(100, 20), draws = 31, threads = 3), one)
    same_draws(c(quick(d$x, d$y, lambda = c(100, 20), draws = 4, threads = 2),
      quick(d$x, d$y, lambda = c(100, 20), draws = 27, first_draw = 5)), one)
    methods <- c(methods, one$method)
  }
  expect_setequal(methods, c("gram", "working set", "reference"))
})

test_that("cross-validation chooses lambda, reproducibly", {
  fit <- quick(x, y, lambda = "cv")
  same_draws(quick(x, y, lambda = "cv", threads = 2), fit)
  expect_identical(fit$lambda_from, "cv")
  expect_identical(fit$lambda, fit$cv$lambda_min)
  expect_identical(names(fit$cv$curve), c("lambda", "mean", "se", "nonzero"))
  # All columns are in it, and the fit no longer changes.
  expect_gt(nrow(fit$cv$curve), 70L)
  expect_lt(nrow(fit$cv$curve), 100L)
  expect_identical(utils::tail(fit$cv$curve$nonzero, 1L), 10L)
  expect_identical(sort(unique(fit$cv$foldid)), 1:10)
  one_se <- quick(x, y, lambda = "cv", lambda_rule = "1se")
  expect_identical(one_se$lambda, fit$cv$lambda_1se)
  expect_gt(one_se$lambda, fit$lambda)
  # The chosen lambda given as a number is the same fit.
  expect_identical(quick(x, y, lambda = fit$lambda)$draws, fit$draws)
  groups <- rep(1:34, 13)
  clustered <- quick(x, y, lambda = "cv", cluster = groups, nfolds = 5)
  expect_true(all(tapply(clustered$cv$foldid, groups, function(f) length(unique(f))) == 1))
  expect_identical(clustered$cv$nfolds, 5L)
  expect_identical(quick(x[1:6, ], y[1:6], lambda = "cv")$cv$nfolds, 6L)
})

test_that("the CV curve is cv.glmnet's", {
  skip_if_not_installed("glmnet")
  n <- nrow(x)
  z <- scale(x) * sqrt(n / (n - 1))
  foldid <- rep(1:10, length.out = n)
  fit <- quick(z, y, lambda = "cv", foldid = foldid, standardize = FALSE, nlambda = 40)
  peer <- glmnet::cv.glmnet(z, y, foldid = foldid, lambda = fit$cv$curve$lambda / n, standardize = FALSE,
    thresh = 1e-20, maxit = 1e7)
  expect_equal(fit$cv$curve$mean, unname(peer$cvm), tolerance = 1e-5)
  expect_equal(fit$cv$curve$se, unname(peer$cvsd), tolerance = 1e-5)
  expect_equal(fit$cv$lambda_min / n, peer$lambda.min)
  expect_equal(fit$cv$lambda_1se / n, peer$lambda.1se)
  # At the first, largest lambda one coefficient is zero but for rounding.
  expect_identical(fit$cv$curve$nonzero[-1], as.integer(peer$nzero)[-1])
})

test_that("refit solves again on the selected columns", {
  fit <- quick(x, y, lambda = 300, refit = TRUE)
  plain <- quick(x, y, lambda = 300)
  expect_identical(as.matrix(fit) == 0, as.matrix(plain) == 0)
  w <- weights(fit)
  for (k in c(1, 20)) {
    kept <- as.matrix(plain)[k, -1] != 0
    least_squares <- lm.wfit(cbind(1, x[, kept, drop = FALSE]), y, w[k, 1:442])
    expect_equal(as.matrix(fit)[k, c(TRUE, kept)], least_squares$coefficients, ignore_attr = TRUE, tolerance = 1e-6)
  }
  # With the same lambda nothing changes.
  expect_equal(as.matrix(quick(x, y, lambda = 300, refit = 300)), as.matrix(plain), tolerance = 1e-5)
})

test_that("its own settings are checked", {
  expect_bad(quick(x, y, alpha = 2), "alpha")
  expect_bad(quick(x, y, penalty_factor = c(1, 2)), "penalty_factor")
  for (wrong in list(quote(x), y ~ x, sum, globalenv())) expect_bad(quick(x, y, penalty_factor = wrong), "penalty_factor")
  expect_bad(quick(x, y, penalty_factor = c(rep(1, 9), -1)), "penalty_factor", "element 10 is -1")
  expect_bad(quick(x, y, standardize = NA), "standardize")
  expect_bad(quick(x, y, intercept = 1), "intercept")
  expect_bad(quick(x, y, refit = "yes"), "refit")
  expect_bad(quick(x, y, refit = -1), "refit")
})

test_that("penalty factors go by name, or by position without names", {
  data <- diabetes[c("bmi", "age", "sex", "y")]
  by_name <- quick(y ~ bmi + age + sex, data, penalty_factor = c(age = 0, bmi = 1, sex = 2), lambda = 200)
  expect_identical(by_name$spec$penalty_factor, c(1, 0, 2))
  expect_identical(by_name$draws, quick(y ~ bmi + age + sex, data, penalty_factor = c(1, 0, 2), lambda = 200)$draws)
  expect_identical(quick(x, y, penalty_factor = rev(stats::setNames(1:10, colnames(x))))$spec$penalty_factor, as.double(1:10))
  # Columns of one name are told apart as the coefficients are.
  twins <- cbind(a = 1:30, a = sin(1:30))
  expect_identical(quick(twins, cos(1:30), penalty_factor = c(a = 1, a = 2))$spec$penalty_factor, c(1, 2))
  for (bad in list(c(age = 0, bmi = 1, SEX = 1), c(age = 0, bmi = 1, 1))) {
    expect_bad(quick(y ~ bmi + age + sex, data, penalty_factor = bad), "penalty_factor", "\"sex\"")
  }
  # What is not named has factor 1, and a factor is one term; a column goes before its term.
  expect_identical(quick(y ~ bmi + age + sex, data, penalty_factor = c(age = 0))$spec$penalty_factor, c(1, 0, 1))
  data$g <- factor(rep(c("a", "b", "c"), length.out = nrow(data)))
  expect_identical(quick(y ~ bmi + g, data, penalty_factor = c(g = 0))$spec$penalty_factor, c(1, 0, 0))
  expect_identical(quick(y ~ bmi + g, data, penalty_factor = c(gc = 3, g = 2))$spec$penalty_factor, c(1, 2, 3))
  expect_identical(quick(data[c("g", "bmi")], data$y, penalty_factor = c(g = 0))$spec$penalty_factor, c(0, 0, 1))
})

# The draws against other solvers and exact results (MATH 3) ------------------------

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
        abs(slope - penalty * (alpha * sign(b) + (1 - alpha) * b / sd_n(cbind(d$y)))))
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

# Units and neighbours --------------------------------------------------------------

test_that("glmnet's lambda times n is ours for every alpha, with and without intercept", {
  skip_if_not_installed("glmnet")
  d <- made_data(n = 80, p = 6)
  y <- 30 + 8 * d$y
  for (alpha in c(1, 0.5, 0.05, 0)) {
    for (intercept in c(TRUE, FALSE)) {
      theirs <- glmnet::glmnet(d$x, y, alpha = alpha, lambda = 0.7, intercept = intercept, thresh = 1e-14, standardize = FALSE)
      ours <- quick(d$x, y, lambda = 0.7 * 80, alpha = alpha, intercept = intercept, standardize = FALSE, draws = 1)
      expect_equal(unname(coef(ours)), c(if (intercept) theirs$a0[[1]], as.vector(theirs$beta)), tolerance = 1e-5)
    }
  }
})

test_that("units of y and x change coefficients as they should, and the choice of lambda not at all", {
  columns <- as.matrix(diabetes[1:10])
  fit <- function(alpha, y_unit, x_unit, ...) {
    suppressWarnings(wbb_lasso(sweep(columns, 2, x_unit, "*"), y_unit * diabetes$y, alpha = alpha, draws = 5, seed = 1, nlambda = 40, ...))
  }
  x_unit <- 10^seq(-4, 4, length.out = 10)
  for (alpha in c(1, 0.5, 0.05, 0)) {
    plain <- fit(alpha, 1, 1)
    for (unit in c(1e-6, 1e6)) {
      other <- fit(alpha, unit, x_unit)
      expect_equal(other$lambda, unit * plain$lambda, tolerance = 1e-6)
      expect_equal(as.matrix(other)[, -1] * rep(x_unit, each = 5) / unit, as.matrix(plain)[, -1], tolerance = 1e-5)
      expect_equal(other$diagnostics$sigma, unit * plain$diagnostics$sigma, tolerance = 1e-6)
    }
  }
})

test_that("the cross-validated error of ridge and elastic net is that of cv.glmnet", {
  skip_if_not_installed("glmnet")
  columns <- as.matrix(diabetes[1:10])
  foldid <- rep_len(1:10, 442)
  for (alpha in c(0, 0.05, 0.5)) {
    for (unit in c(1, 1000)) {
      theirs <- glmnet::cv.glmnet(columns, unit * diabetes$y, alpha = alpha, foldid = foldid)
      # The minimum of ridge is at the end of the grid, in glmnet too.
      ours <- suppressWarnings(wbb_lasso(columns, unit * diabetes$y, alpha = alpha, foldid = foldid, draws = 1, seed = 1))
      # glmnet stops at 1e-7 of the deviance, and standardises each fold anew.
      expect_equal(min(ours$cv$curve$mean), min(theirs$cvm), tolerance = 2e-3)
      expect_equal(ours$cv$curve$lambda[1] / 442, theirs$lambda[1], tolerance = 1e-6)
    }
  }
  expect_warning(ridge <- wbb_lasso(y ~ ., diabetes, alpha = 0, draws = 1, seed = 2), class = "wbb_warning_grid")
  expect_equal(coef(ridge)[["bmi"]], 5.6, tolerance = 0.1)
})

test_that("a minimum at either end of the grid is said", {
  d <- made_data(n = 60, p = 3)
  low <- expect_warning(quick(d$x, d$y, lambda = "cv", lambda_min_ratio = 0.5, nlambda = 5), class = "wbb_warning_grid")
  expect_match(conditionMessage(low), "smallest lambda.*lambda_min_ratio")
  noise <- with_seed(5, stats::rnorm(60))
  high <- expect_warning(quick(d$x, noise, lambda = "cv", nlambda = 30, foldid = rep(1:2, 30)), class = "wbb_warning_grid")
  expect_match(conditionMessage(high), "largest lambda.*predicts")
  expect_no_warning(quick(d$x, d$y, lambda = "cv"), class = "wbb_warning_grid")
})

test_that("with refit the cross-validation is that of the two-step estimator", {
  d <- made_data(n = 50, p = 8, seed = 3)
  foldid <- rep_len(1:5, 50)
  fit <- quick(d$x, d$y, lambda = "cv", refit = TRUE, foldid = foldid, nlambda = 12, standardize = FALSE, draws = 1)
  curve <- fit$cv$curve
  error <- vapply(curve$lambda, function(lambda) {
    squares <- vapply(1:5, function(k) {
      out <- foldid == k
      # The penalty is to the training rows what lambda is to all.
      step <- quick(d$x[!out, ], d$y[!out], lambda = lambda * mean(!out), standardize = FALSE, draws = 1)
      chosen <- which(coef(step)[-1] != 0)
      refit <- stats::lm.fit(cbind(1, d$x[!out, chosen, drop = FALSE]), d$y[!out])
      sum((d$y[out] - cbind(1, d$x[out, chosen, drop = FALSE]) %*% refit$coefficients)^2)
    }, 0)
    sum(squares) / 50
  }, 0)
  expect_equal(curve$mean, error, tolerance = 1e-4)
})

test_that("unpenalised columns that depend on each other have small coefficients, and the draws converge", {
  u <- with_seed(1, stats::rnorm(500))
  z <- with_seed(2, matrix(stats::rnorm(500 * 40), 500))
  y <- with_seed(3, stats::rnorm(500))
  x <- cbind(z[, 1:9], u, z[, 10:40], u)
  fit <- quick(x, y, lambda = 1, penalty_factor = as.numeric(!seq_len(42) %in% c(10, 42)), draws = 100)
  expect_true(all(fit$diagnostics$status == "converged"))
  expect_lt(max(abs(as.matrix(fit))), 2)
  expect_equal(as.matrix(fit)[, 11], as.matrix(fit)[, 43], tolerance = 1e-8, ignore_attr = TRUE)
  d <- data.frame(g = factor(rep(1:15, each = 3)), z = with_seed(4, stats::rnorm(45)), y = with_seed(5, stats::rnorm(45)))
  for (law in c("multinomial", "poisson")) {
    fit <- quick(y ~ g + z, d, lambda = 1, penalty_factor = c(rep(0, 14), 1), weights = law, draws = 300)
    expect_true(all(fit$diagnostics$status == "converged"))
    expect_lt(max(abs(as.matrix(fit))), 20)
  }
})

test_that("columns that no penalty tells apart are named", {
  set.seed(1)
  x <- cbind(u = rnorm(60), v = rnorm(60))
  x <- cbind(x, sum = x[, 1] + x[, 2], one = 1, copy = x[, 1] + 5e4)
  y <- rnorm(60)
  given <- function(fit) capture.output(print(fit))
  for (family in c("gaussian", "binomial")) {
    fit <- wbb_lasso(x, if (family == "gaussian") y else y > 0, lambda = 0, draws = 4, seed = 1, family = family)
    # The constant column has nothing to tell.
    expect_identical(fit$spec$dependent, c("sum", "copy"))
    said <- "Undetermined: \"sum\", \"copy\" depend on other columns"
    expect_match(given(fit), said, all = FALSE, fixed = TRUE)
    expect_match(given(summary(fit)), said, all = FALSE, fixed = TRUE)
    expect_true(all(fit$diagnostics$status == "converged"))
    expect_identical(draw_count(c(fit, update(fit, first_draw = 5))$spec), 8)
  }
  free <- wbb_lasso(x, y, lambda = 1, penalty_factor = c(0, 1, 1, 1, 0), draws = 4, seed = 1)
  expect_identical(free$spec$dependent, "copy")
  expect_match(given(free), "Undetermined: \"copy\" depends on other columns", all = FALSE, fixed = TRUE)
  # A penalty decides.
  expect_null(wbb_lasso(x, y, lambda = 1, draws = 4, seed = 1)$spec$dependent)
  expect_no_match(given(wbb_lasso(x, y, lambda = 1, draws = 4, seed = 1)), "Undetermined")
})
