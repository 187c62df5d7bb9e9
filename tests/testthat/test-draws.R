fit <- quick_diabetes()
path <- quick(as.matrix(diabetes[1:10]), diabetes$y, lambda = c(10, 200, 50))

test_that("draws come as matrix and data frame", {
  expect_identical(dim(as.matrix(fit)), c(20L, 11L))
  expect_identical(colnames(as.matrix(fit)), c("(Intercept)", names(diabetes)[1:10]))
  expect_identical(as.matrix(as.data.frame(fit)), as.matrix(fit), ignore_attr = "dimnames")
  expect_identical(names(as.data.frame(fit)), colnames(as.matrix(fit)))
})

test_that("a path needs a lambda and keeps the user's order", {
  expect_identical(path$lambda, c(10, 200, 50))
  expect_bad(as.matrix(path), "lambda", "10, 200, 50")
  expect_bad(as.matrix(path, lambda = 11), "lambda", "11")
  expect_bad(as.matrix(fit, lambda = 11), "lambda", "50")
  expect_equal(as.matrix(path, lambda = 50), as.matrix(fit), tolerance = 1e-6)
})

test_that("formats of posterior and coda", {
  skip_if_not_installed("posterior")
  expect_s3_class(posterior::as_draws(fit), "draws_matrix")
  expect_s3_class(posterior::as_draws_matrix(fit), "draws_matrix")
  expect_s3_class(posterior::as_draws_array(fit), "draws_array")
  expect_s3_class(posterior::as_draws_df(fit), "draws_df")
  expect_s3_class(posterior::as_draws_list(fit), "draws_list")
  expect_s3_class(posterior::as_draws_rvars(fit), "draws_rvars")
  expect_identical(posterior::variables(posterior::as_draws(path, lambda = 10)), colnames(as.matrix(fit)))
  skip_if_not_installed("coda")
  expect_identical(as.matrix(coda::as.mcmc(fit)), as.matrix(fit), ignore_attr = TRUE)
})

test_that("column_quantiles() are those of quantile()", {
  draws <- as.matrix(fit)
  probs <- c(0, 0.025, 0.3, 0.5, 1)
  expect_equal(column_quantiles(draws, probs), apply(draws, 2, quantile, probs, names = FALSE), ignore_attr = TRUE)
  expect_equal(column_sds(draws), apply(draws, 2, sd))
})
