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

test_that("chunks join to what one run gives", {
  whole <- quick_diabetes(draws = 30)
  joined <- c(quick_diabetes(draws = 12), quick_diabetes(draws = 10, first_draw = 13),
    quick_diabetes(draws = 8, first_draw = 23))
  same_draws(joined, whole)
  expect_identical(joined$spec, whole$spec)
  expect_identical(joined$call$draws, 30)
  expect_identical(weights(joined), weights(whole))

  part <- function(...) quick(as.matrix(diabetes[1:10]), diabetes$y, lambda = c(10, 200, 50), ...)
  same_draws(c(part(draws = 5), part(draws = 15, first_draw = 6)), path)
})

test_that("fits of other seeds can be joined, and their weights regenerated", {
  other <- quick_diabetes(seed = 2, draws = 5)
  joined <- c(fit, other, quick_diabetes(draws = 5, first_draw = 21))
  expect_identical(nrow(as.matrix(joined)), 30L)
  expect_identical(nrow(joined$spec$segments), 3L)
  expect_identical(weights(joined)[21:25, ], weights(other))
  expect_identical(weights(joined, draws = c(23, 2)), rbind(weights(other)[3, ], weights(fit)[2, ]))
})

test_that("fits of other problems cannot be joined", {
  expect_bad(c(fit, fit), "...", "draw 1 of seed 1 is there twice")
  expect_bad(c(fit, quick_diabetes(first_draw = 20)), "...", "draw 20")
  expect_bad(c(fit, quick(y ~ ., diabetes, lambda = 51, seed = 2)), "...", "lambda")
  expect_bad(c(fit, quick_diabetes(seed = 2, prior_weight = "fixed")), "...", "prior_weight")
  expect_bad(c(fit, quick(y ~ . - age, diabetes, lambda = 50, seed = 2)), "...")
  expect_bad(c(fit, quick(y ~ ., diabetes[442:1, ], lambda = 50, seed = 2)), "...", "data")
  expect_bad(c(fit, 1), "...")
  changed <- transform(diabetes, y = y + 1)
  expect_bad(c(quick_diabetes(keep_data = FALSE), quick(y ~ ., changed, lambda = 50, seed = 2, keep_data = FALSE)),
    "...", "data")
})

test_that("a fit can be saved and read back", {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  back <- readRDS(file)
  same_draws(back, fit)
  expect_identical(back$spec, fit$spec)
  expect_identical(weights(back, draws = 2), weights(fit, draws = 2))
  expect_identical(predict(back, diabetes[1:3, ]), predict(fit, diabetes[1:3, ]))
})

test_that("a fit of another version is recognised by every method", {
  old <- fit
  old$version <- 0L
  none <- fit
  none$version <- NULL
  methods <- list(as.matrix, as.data.frame, print, summary, coef, vcov, confint, fitted, residuals, nobs,
    formula, model.frame, model.matrix, variable.names, weights, predict, c)
  for (method in methods) {
    for (bad in list(old, none)) expect_error(method(bad), class = "wbb_error_version")
  }
  skip_if_not_installed("generics")
  for (method in list(generics::tidy, generics::glance, generics::augment)) {
    expect_error(method(old), class = "wbb_error_version")
  }
})

test_that("column_quantiles() are those of quantile()", {
  draws <- as.matrix(fit)
  probs <- c(0, 0.025, 0.3, 0.5, 1)
  expect_equal(column_quantiles(draws, probs), apply(draws, 2, quantile, probs, names = FALSE), ignore_attr = TRUE)
  expect_equal(column_sds(draws), apply(draws, 2, sd))
})
