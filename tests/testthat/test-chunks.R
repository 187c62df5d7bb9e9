x <- as.matrix(diabetes[1:10])
y <- diabetes$y

test_that("draws are split without gaps", {
  chunks <- split_draws(5, 10, 3)
  expect_identical(vapply(chunks, `[[`, 0, "first_draw"), c(5, 8, 11))
  expect_identical(sum(vapply(chunks, `[[`, 0, "draws")), 10)
  expect_length(split_draws(1, 2, 8), 2L)
})

test_that("the future backend gives the draws of threads", {
  skip_if_not_installed("future.apply")
  old <- future::plan(future::sequential)
  on.exit(future::plan(old))
  set.seed(3)
  before <- .Random.seed
  expect_warning(fit <- quick(x, y, lambda = "cv", backend = "future"), NA)
  expect_identical(.Random.seed, before)
  threads <- quick(x, y, lambda = "cv")
  same_draws(fit, threads)
  expect_identical(fit$cv, threads$cv)
  expect_identical(fit$lambda_from, "cv")
  expect_identical(fit$spec$segments, threads$spec$segments)
})

test_that("so it does in other processes", {
  skip_on_cran()
  skip_if_not_installed("future.apply")
  skip_if_not("wbb" %in% rownames(utils::installed.packages()), "wbb is not installed")
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  for (lambda in list("cv", c(50, 5))) {
    expect_warning(fit <- quick(x, y, lambda = lambda, draws = 41, backend = "future"), NA)
    same_draws(fit, quick(x, y, lambda = lambda, draws = 41))
  }
  expect_warning(quick(x, y, max_iterations = 1, tolerance = 1e-17, backend = "future"),
    class = "wbb_warning_convergence")
})
