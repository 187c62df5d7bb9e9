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

test_that("progressr gets signals where somebody listens, and then no line is drawn", {
  skip_if_not_installed("progressr")
  state <- function(done) list(stage = "draws", done = done, total = 10)
  signals <- list()
  listen <- function(code) {
    note <- function(p) signals[[length(signals) + 1L]] <<- p
    progressr::with_progress(withCallingHandlers(code, progression = note), handlers = progressr::handler_void(), enable = TRUE)
  }
  expect_false(progress_bar(TRUE)$relayed)
  listen({
    bar <- progress_bar(TRUE)
    expect_false(bar$enabled)
    for (done in c(0, 3, 3, 10)) progress_update(bar, state(done))
    progress_clear(bar)
  })
  type <- vapply(signals, `[[`, "", "type")
  amount <- vapply(signals, function(p) as.double(p$amount), 0)
  expect_identical(sum(amount[type == "update"]), 10)
  expect_true("finish" %in% type)
})
