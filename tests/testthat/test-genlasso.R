test_that("a trend filter is a special case", {
  y <- paper_series(60)
  for (order in 0:2) {
    d <- difference_matrix(1:60, order)
    a <- wbb_genlasso(y, D = d, lambda = 5, draws = 5, seed = 1, threads = 1)
    b <- quick_trend(y, order = order, lambda = 5, draws = 5)
    # A gap of 1e-6 bounds the distance by its root.
    expect_equal(as.matrix(a), as.matrix(b), tolerance = 2e-3, ignore_attr = TRUE)
    expect_equal(a$diagnostics$objective, b$diagnostics$objective, tolerance = 1e-6)
    expect_lte(max(a$diagnostics$gap), 1e-6)
  }
})

test_that("with the identity as penalty it is the lasso", {
  data <- made_data()
  a <- wbb_genlasso(data$y, data$x, diag(5), lambda = 10, draws = 5, seed = 1, threads = 1)
  b <- wbb_lasso(data$x, data$y, lambda = 10, draws = 5, seed = 1, intercept = FALSE, standardize = FALSE, threads = 1)
  expect_equal(as.matrix(a), as.matrix(b), tolerance = 1e-3)
  expect_equal(fitted(a), fitted(b), tolerance = 1e-3)
  expect_identical(names(coef(a)), colnames(data$x))
})

test_that("its fits answer the methods", {
  d <- Matrix::sparseMatrix(rep(1:3, 2), c(1:3, 2:4), x = rep(c(-1, 1), each = 3))
  fit <- wbb_genlasso(c(a = 1, b = 2, c = 5, d = 6), D = d, lambda = c(0, 1, 100), draws = 10, seed = 1, threads = 1)
  expect_equal(unname(coef(fit)[, 1]), c(1, 2, 5, 6), tolerance = 1e-4)
  expect_equal(unname(coef(fit)[, 3]), rep(3.5, 4), tolerance = 1e-3)
  expect_output(print(fit), "generalised lasso with 3 penalised differences")
  expect_output(print(summary(fit)), "lambda = 100")
  expect_identical(dim(weights(wbb_genlasso(1:4, D = d, lambda = 1, draws = 2, prior_weight = "coef"))), c(2L, 7L))
  whole <- wbb_genlasso(1:4, D = d, lambda = 1, draws = 6, seed = 2)
  parts <- c(update(whole, draws = 2), update(whole, draws = 4, first_draw = 3))
  expect_identical(as.matrix(parts), as.matrix(whole))
  skip_if_not_installed("generics")
  expect_identical(nrow(generics::glance(fit)), 3L)
})

test_that("bad input names its argument", {
  expect_bad(wbb_genlasso(D = diag(3), lambda = 1), "y")
  expect_bad(wbb_genlasso(1:3, lambda = 1), "D")
  expect_bad(wbb_genlasso(1:3, D = "a", lambda = 1), "D")
  expect_bad(wbb_genlasso(1:3, D = diag(4), lambda = 1), "D", "has 4")
  expect_bad(wbb_genlasso(1:3, X = diag(4), D = diag(4), lambda = 1), "y")
  expect_bad(wbb_genlasso(1:3, D = diag(3)), "lambda")
  expect_bad(wbb_genlasso(1:3, D = diag(3), lambda = "cv"), "lambda")
  expect_bad(wbb_genlasso(1:3, D = diag(c(1, NA, 1)), lambda = 1), "D")
  expect_bad(wbb_genlasso(1:3, D = diag(3), lambda = 1, order = 2), "order")
})
