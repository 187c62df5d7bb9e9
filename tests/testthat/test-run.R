# Jobs -----------------------------------------------------------------------------

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

# Chunks ---------------------------------------------------------------------------

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
  expect_warning(quick(x, y, max_iterations = 1, tolerance = 1e-300, backend = "future"),
    class = "wbb_warning_convergence")
})

# Progress -------------------------------------------------------------------------

test_that("nobody watches a script or a knitted document", {
  expect_false(watched())
  old <- options(jupyter.in_kernel = TRUE)
  on.exit(options(old))
  expect_true(watched())
  old_knitr <- options(knitr.in.progress = TRUE)
  on.exit(options(old_knitr), add = TRUE)
  expect_false(watched())
})

test_that("the line shows share and time left", {
  state <- list(state = "running", stage = "draws", done = 250, total = 1000)
  expect_identical(progress_line(state, 10), "draws [=====               ] 250/1000 30 s left")
  state$done <- 0
  expect_identical(progress_line(state, 10), "draws [                    ] 0/1000")
  state <- list(state = "running", stage = "cv", done = 0, total = 0)
  expect_match(progress_line(state, 1), "^cross-validation")
  expect_identical(show_seconds(59.1), "60 s")
  expect_identical(show_seconds(150), "3 min")
  expect_identical(show_seconds(5400), "1.5 h")
})

test_that("it starts after a second, in a notebook on stdout, and clears itself", {
  old <- options(jupyter.in_kernel = TRUE)
  on.exit(options(old))
  state <- list(state = "running", stage = "draws", done = 1, total = 2)
  bar <- progress_bar(TRUE)
  expect_silent(progress_update(bar, state))
  bar$began <- bar$drawn <- bar$began - 2
  drawn <- capture.output(progress_update(bar, state))
  expect_match(drawn, "^\rdraws \\[==========          \\] 1/2")
  expect_silent(progress_update(bar, state))
  width <- bar$width
  expect_identical(capture.output(progress_clear(bar)), paste0("\r", strrep(" ", width), "\r"))
  expect_silent(progress_clear(bar))
  expect_silent(progress_update(progress_bar(FALSE), state))
})
