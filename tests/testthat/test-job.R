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
