redrawn <- wbb_lasso(y ~ bmi + map + ltg + age, diabetes[1:60, ], lambda = "redrawn", draws = 30, nfolds = 5, seed = 1, threads = 1)

test_that("every draw has a lambda of its own, which depends on seed and number alone", {
  lambdas <- redrawn$diagnostics$lambda
  expect_length(lambdas, 30)
  expect_gt(length(unique(lambdas)), 5)
  expect_true(all(lambdas > 0))
  expect_identical(redrawn$lambda, update(redrawn, lambda = "cv")$lambda)
  expect_identical(coef(redrawn), coef(update(redrawn, lambda = "cv")))
  first <- update(redrawn, draws = 12, threads = 2)
  joined <- c(first, update(redrawn, draws = 18, first_draw = 13))
  expect_identical(as.matrix(joined), as.matrix(redrawn))
  expect_identical(joined$diagnostics$lambda, lambdas)
  # A draw is that of a fit at its lambda.
  for (k in c(1, 7)) {
    alone <- update(redrawn, lambda = lambdas[k], draws = 1, first_draw = k)
    expect_equal(as.matrix(alone)[1, ], as.matrix(redrawn)[k, ], tolerance = 1e-5)
  }
})

test_that("it is said by print() and summary()", {
  expect_output(print(redrawn), "redrawn: median")
  expect_output(print(summary(redrawn)), "redrawn: median")
})

test_that("families and refits have it, and it is refused where there is none", {
  logistic <- suppressWarnings(wbb_lasso(am ~ wt + hp, mtcars, family = "binomial", lambda = "redrawn", draws = 8, nfolds = 4,
    refit = 0.1, seed = 1, threads = 1))
  expect_gt(length(unique(logistic$diagnostics$lambda)), 1)
  expect_error(c(redrawn, update(redrawn, lambda = redrawn$lambda, first_draw = 31)), "lambda", class = "wbb_error_argument")
  expect_error(wbb_lasso(wbb_moments(y ~ bmi, diabetes, draws = 5, seed = 1), lambda = "redrawn"), class = "wbb_error_argument")
  expect_error(wbb_trendfilter(1:9, lambda = "redrawn"), class = "wbb_error_argument")
  expect_error(calibrate(redrawn, 4, lambda = "fixed"), class = "wbb_error_argument")
  again <- calibrate(redrawn, 4, draws = 6, seed = 1, threads = 1)
  expect_identical(again$rule, "rechosen")
})
