test_that("an error list is raised once, with its class and the user's call", {
  raise <- function() job_result(list(wbb_error = "internal", message = "100%s in draw 3", argument = NULL))
  error <- expect_error(raise(), class = "wbb_error_internal")
  expect_s3_class(error, "wbb_error")
  expect_identical(conditionMessage(error), "100%s in draw 3")
  expect_identical(job_result(list(draws = 1)), list(draws = 1))
})

test_that("a job that is stopped stops at once", {
  skip_on_cran()
  d <- made_data(2000, 100)
  # The time limit arrives where an interrupt would: between two polls.
  began <- proc.time()[["elapsed"]]
  stopped <- tryCatch(
    {
      setTimeLimit(elapsed = 0.5, transient = TRUE)
      quick(d$x, d$y, lambda = 1, draws = 1e6, tolerance = 1e-13)
      FALSE
    },
    error = function(e) grepl("time limit", conditionMessage(e)),
    finally = setTimeLimit()
  )
  expect_true(stopped)
  expect_lt(proc.time()[["elapsed"]] - began, 3)
})

test_that("a job shows how far it is, and clears the line", {
  skip_on_cran()
  d <- made_data(2000, 100)
  old <- options(jupyter.in_kernel = TRUE)
  on.exit(options(old))
  # Stopped after the second from which on progress is shown.
  watch <- function(progress) {
    capture.output(tryCatch(
      {
        setTimeLimit(elapsed = 1.6, transient = TRUE)
        quick(d$x, d$y, lambda = 1, draws = 1e6, tolerance = 1e-13, progress = progress)
      },
      error = function(e) invisible(), finally = setTimeLimit()
    ))
  }
  shown <- paste(watch(TRUE), collapse = "")
  expect_match(shown, "\rdraws \\[=* *\\] [0-9]+/1000000")
  expect_match(shown, "\r *\r$")
  expect_identical(paste(watch(FALSE), collapse = ""), "")
})

test_that("short jobs show nothing", {
  expect_silent(quick(x = as.matrix(diabetes[1:10]), y = diabetes$y, progress = TRUE))
})

test_that("weights can be stopped, too", {
  skip_on_cran()
  fit <- quick(as.matrix(rep(0:1, 1e4)), rep(0:1, 1e4), draws = 2000)
  began <- proc.time()[["elapsed"]]
  setTimeLimit(elapsed = 0.2, transient = TRUE)
  expect_error(weights(fit), "time limit")
  setTimeLimit()
  expect_lt(proc.time()[["elapsed"]] - began, 2)
})

test_that("a large table arrives whole, in parts", {
  # Five million numbers are more than one part; without shrinkage a draw is y.
  y <- seq_len(5000) / 7
  expect_identical(laplace_wbb_draws(y, 0, draws = 1000, seed = 1), matrix(rep(y, each = 1000), 1000))
})

test_that("large data arrive whole, in parts", {
  skip_on_cran()
  n <- 2200000
  x <- cbind(a = sin(seq_len(n)), b = cos(3 * seq_len(n)))
  expect_gt(length(x), part_size)
  y <- 1 + 2 * x[, "a"] - x[, "b"]
  for (data in list(x, as(x, "CsparseMatrix"))) {
    fit <- quick(data, y, lambda = 0, draws = 1, keep_data = FALSE)
    expect_equal(coef(fit), c(`(Intercept)` = 1, a = 2, b = -1), tolerance = 1e-8)
  }
  # The last part counts, too.
  expect_identical(job_extent(c(y, -9)), c(-9, max(y)))
  other <- x
  other[n, 2] <- 0
  expect_false(fingerprint(other) == fingerprint(x))
  expect_identical(as_text(c(seq_len(200000L), NA)), c(as.character(seq_len(200000L)), NA))
})
