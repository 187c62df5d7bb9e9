# Stops `code` as a press of the stop button would: between two polls.
stopped_after <- function(seconds, code) {
  tryCatch(
    {
      setTimeLimit(elapsed = seconds, transient = TRUE)
      code
      stop("was not stopped")
    },
    error = function(e) expect_match(conditionMessage(e), "time limit"),
    finally = setTimeLimit()
  )
}

test_that("a stopped run loses no draw that it has finished", {
  skip_on_cran()
  d <- made_data(300, 40)
  expect_message(
    stopped_after(1, quick(d$x, d$y, lambda = 1, draws = 1e5, tolerance = 1e-13, threads = 2)),
    "Stopped after [0-9,]+ of 100,000 draws"
  )
  part <- last_wbb()
  expect_s3_class(part, "wbb_lasso")
  count <- nrow(as.matrix(part))
  expect_identical(part$spec$segments, data.frame(seed = 1, first_draw = 1, draws = as.double(count)))
  first <- quick(d$x, d$y, lambda = 1, draws = min(count, 20), tolerance = 1e-13)
  expect_identical(part$draws[seq_len(min(count, 20)), ], first$draws)
  expect_output(print(part), "Unfinished")
  # It goes on where it ended, and c() forgets that it was stopped.
  more <- update(part, draws = 5, first_draw = count + 1)
  both <- c(part, more)
  expect_identical(nrow(as.matrix(both)), count + 5L)
  expect_null(both$asked)
})

test_that("networks, trends and generalised lassos keep theirs, too", {
  skip_on_cran()
  series <- paper_series()
  expect_message(stopped_after(1, quick_trend(series, draws = 1e5, lambda = c(1000, 10))), "Stopped after")
  part <- last_wbb()
  count <- draw_count(part$spec)
  same_draws(part, quick_trend(series, draws = count, lambda = c(1000, 10)))
  expect_identical(part$knots, quick_trend(series, draws = count, lambda = c(1000, 10))$knots)
  expect_message(stopped_after(1, quick_mlp(draws = 1e5, epochs = 20)), "Stopped after")
  part <- last_wbb()
  count <- draw_count(part$spec)
  same_draws(part, quick_mlp(draws = count, epochs = 20))
})

test_that("chains that are stopped are those of a shorter run", {
  skip_on_cran()
  for (threads in 1:2) {
    expect_message(
      stopped_after(1, bayes_bridge(y ~ ., diabetes, draws = 1e6, burn = 100, chains = 3, seed = 3, threads = threads)),
      "Stopped after [0-9,]+ of 3,000,000 draws; last_wbb"
    )
    part <- last_wbb()
    expect_identical(part$spec$chains, as.double(threads))
    again <- update(part, draws = part$spec$draws, chains = part$spec$chains)
    for (what in c("draws", "diagnostics", "mcmc", "fitted")) expect_identical(part[[what]], again[[what]])
    expect_output(print(part), paste("Unfinished:", with_commas(nrow(part$draws)), "of 3,000,000 draws"))
    expect_equal(part$spec$sigma2_prior, again$spec$sigma2_prior)
  }
  more <- update(part, draws = part$spec$draws, chains = 1, seed = 4)
  both <- c(part, more)
  expect_identical(both$spec$chains, 3)
  expect_null(both$asked)
  # Before the first draw there is nothing to keep.
  expect_no_message(stopped_after(0.5, bayes_bridge(y ~ ., diabetes, draws = 10, thin = 1e6)), message = "Stopped after")
})

test_that("a time limit stops a run, wherever it strikes", {
  skip_on_cran()
  never <- function(w) {
    Sys.sleep(0.01)
    c(mean = mean(w))
  }
  # It is no draw that failed.
  for (on_error in c("stop", "drop")) {
    expect_message(
      stopped_after(0.5, wbb(never, n = 3, draws = 1000, seed = 1, on_error = on_error)),
      "Stopped after [0-9,]+ of 1,000 draws"
    )
    expect_identical(unique(as.character(last_wbb()$diagnostics$status)), "finished")
  }
  # Where an error would mean that there is nothing to be had.
  slow <- function() {
    for (k in 1:100) Sys.sleep(0.05)
    cars
  }
  model <- lm(dist ~ speed, cars)
  model$call$data <- quote(slow())
  began <- elapsed()
  stopped_after(0.3, wbb(model, draws = 10, seed = 1, refit = TRUE))
  expect_lt(elapsed() - began, 4)
  expect_identical(attempt(stop("another"), conditionMessage), "another")
  expect_null(attempt(stop("another")))
})

test_that("a seed that was drawn is in the call of the part, so that the run can go on", {
  run <- new_run(list(seed = 7, first_draw = 1, draws = 30), function(result, settings) result)
  whole <- quick_diabetes(draws = 30, seed = 7)
  part <- quick_diabetes(draws = 12, seed = 7)
  part$call$seed <- NULL
  add_part(run, part)
  kept <- suppressMessages(keep_partial(run))
  expect_identical(last_wbb()$call$seed, 7)
  rest <- update(last_wbb(), draws = 18, first_draw = 13)
  same_draws(c(last_wbb(), rest), whole)
})

test_that("parts are joined in the order of their draws, whichever ended first", {
  run <- new_run(list(), identity)
  for (first in c(11, 1, 21)) add_part(run, quick_diabetes(draws = 10, first_draw = first))
  same_draws(finish_run(run), quick_diabetes(draws = 30))
})

test_that("an error carries the part that was done", {
  run <- new_run(list(seed = 1, first_draw = 1, draws = 30), identity)
  add_part(run, quick_diabetes(draws = 10))
  error <- suppressMessages(expect_error(stop_run(run, "worker", "100% lost."), class = "wbb_error_worker"))
  expect_match(conditionMessage(error), "100% lost. `last_wbb()` has the draws that are done.", fixed = TRUE)
  expect_identical(error$partial, last_wbb())
  # Without any there is nothing to keep.
  error <- expect_error(stop_run(new_run(list(), identity), "worker", "Lost."), "Lost.$", class = "wbb_error")
  expect_null(error$partial)
})

test_that("dead workers are reported with what the others have done", {
  skip_on_cran()
  skip_if_not_installed("future")
  skip_if_not("wbb" %in% rownames(utils::installed.packages()), "wbb is not installed")
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  made <- quick_diabetes(draws = 4)
  run <- new_run(list(seed = 1, first_draw = 1, draws = 8), function(result, settings) {
    quick_diabetes(draws = settings$draws, first_draw = settings$first_draw)
  })
  dies <- function(design, settings) if (settings$first_draw > 1) tools::pskill(Sys.getpid(), 9L) else list(draws = 1)
  environment(dies) <- globalenv()
  error <- suppressMessages(expect_error(run_with_future(run, dies, list(), FALSE), class = "wbb_error_worker"))
  expect_match(conditionMessage(error), "4 of 8 draws are done")
  same_draws(error$partial, made)
})

# Over workers ---------------------------------------------------------------------

x <- as.matrix(diabetes[1:10])
y <- diabetes$y

test_that("the future backend gives the draws of threads", {
  skip_if_not_installed("future")
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
  skip_if_not_installed("future")
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
