x <- as.matrix(diabetes[1:10])
y <- diabetes$y

test_that("the object holds what it promises", {
  fit <- quick(x, y)
  expect_s3_class(fit, c("wbb_lasso", "wbb"), exact = TRUE)
  expect_identical(names(fit$diagnostics), c("draw", "status", "iterations", "objective", "gap", "sigma"))
  expect_identical(fit$diagnostics$draw, as.double(1:20))
  expect_identical(levels(fit$diagnostics$status), c("converged", "not converged", "empty"))
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

test_that("threads come from the option, and are two under R CMD check", {
  old <- options(wbb.threads = 3)
  on.exit(options(old))
  expect_identical(quick(x, y, threads = NULL)$spec$threads, 3L)
  options(wbb.threads = 0)
  expect_bad(quick(x, y, threads = NULL), "threads")
  options(wbb.threads = NULL)
  before <- Sys.getenv("_R_CHECK_LIMIT_CORES_", NA)
  Sys.setenv("_R_CHECK_LIMIT_CORES_" = "TRUE")
  on.exit(if (is.na(before)) Sys.unsetenv("_R_CHECK_LIMIT_CORES_") else Sys.setenv("_R_CHECK_LIMIT_CORES_" = before),
    add = TRUE)
  expect_identical(check_threads(NULL), 2L)
})

test_that("cross-validation chooses lambda, reproducibly", {
  fit <- quick(x, y, lambda = "cv")
  same_draws(quick(x, y, lambda = "cv", threads = 2), fit)
  expect_identical(fit$lambda_from, "cv")
  expect_identical(fit$lambda, fit$cv$lambda_min)
  expect_identical(names(fit$cv$curve), c("lambda", "mean", "se", "nonzero"))
  expect_identical(nrow(fit$cv$curve), 100L)
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

test_that("progress can be asked for in a script", {
  expect_silent(quick(x, y, progress = TRUE))
  expect_silent(quick(x, y, progress = NULL))
})
