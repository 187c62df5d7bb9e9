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
