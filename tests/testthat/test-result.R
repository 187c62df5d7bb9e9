test_that("shapes are by draw, coefficient and lambda", {
  expect_identical(draws_shape(2, c("a", "b"), 5), list(dim = c(2, 2), dimnames = list(NULL, c("a", "b"))))
  expect_identical(draws_shape(2, "a"), draws_shape(2, "a", 5))
  path <- draws_shape(2, c("a", "b"), c(5, 0.1))
  expect_identical(path$dim, c(2, 2, 2))
  expect_identical(path$dimnames[[3]], c("5", "0.1"))
  expect_identical(per_lambda_shape(1:2, c("a", "b"), 5), c(a = 1L, b = 2L))
  expect_identical(per_lambda_shape(1:2, c("a", "b")), c(a = 1L, b = 2L))
  expect_identical(per_lambda_shape(1:4, c("a", "b"), c(5, 1)), matrix(1:4, 2, dimnames = list(c("a", "b"), c("5", "1"))))
})

test_that("a fit without lambda has one place and no other", {
  fit <- list(lambda = NULL)
  expect_identical(lambda_index(fit, NULL), 1L)
  expect_bad(lambda_index(fit, 5), "lambda", "has no lambda")
  fit <- list(lambda = c(5, 0))
  expect_identical(lambda_index(fit, 0), 2L)
  expect_identical(lambda_index(fit, 5 * (1 + 1e-8)), 1L)
  expect_bad(lambda_index(fit, NULL), "lambda", "5, 0")
  expect_bad(lambda_index(fit, 4), "lambda", "5, 0")
})

test_that("status has Rust's codes", {
  expect_identical(as.character(status_factor(0:2)), c("converged", "not converged", "empty"))
  expect_identical(as.integer(status_factor(c(3, 0, 5, 4, 2), mlp_status)), 1:5)
  expect_identical(failed_status(status_levels), c(FALSE, TRUE, TRUE, FALSE, TRUE, FALSE, TRUE))
})

test_that("diagnostics go by lambda and then by draw", {
  settings <- list(first_draw = 11, draws = 2)
  measures <- list(status = c("a", "b", "c", "d"), gap = 1:4)
  path <- draw_diagnostics(measures, settings, c(5, 1))
  expect_identical(path$draw, c(11, 12, 11, 12))
  expect_identical(path$lambda, c(5, 5, 1, 1))
  expect_identical(names(path), c("draw", "lambda", "status", "gap"))
  one <- draw_diagnostics(list(gap = 1:2), settings, 5)
  expect_identical(one, data.frame(draw = c(11, 12), gap = 1:2))
})

test_that("draws are counted from segments, or from chains", {
  expect_identical(draw_count(list(segments = data.frame(draws = c(3, 4)))), 7)
  expect_identical(draw_count(list(draws = 5, chains = 2)), 10)
})
