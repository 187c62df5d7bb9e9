test_that("draws are split without gaps", {
  chunks <- split_draws(5, 10, 3)
  expect_identical(vapply(chunks, `[[`, 0, "first_draw"), c(5, 8, 11))
  expect_identical(sum(vapply(chunks, `[[`, 0, "draws")), 10)
  expect_length(split_draws(1, 2, 8), 2L)
})

# Chunks of three draws; `work` tells its process and what it was given.
three <- lapply(c(1, 4, 7, 10), function(first) list(first_draw = first, draws = 3))

on_workers <- function(code, workers = 2) {
  old <- future::plan(future::multisession, workers = workers)
  on.exit(future::plan(old))
  force(code)
}

taken <- function(work, ...) {
  parts <- list()
  faults <- run_chunks(three, work, function(chunk, value) parts[[as.character(chunk$first_draw)]] <<- value, packages = NULL, ...)
  list(parts = parts, faults = faults)
}

test_that("every chunk is done once, and its value goes with it", {
  skip_if_not_installed("future")
  old <- future::plan(future::sequential)
  on.exit(future::plan(old))
  found <- taken(function(chunk) 10 * chunk$first_draw)
  expect_identical(found$parts, list(`1` = 10, `4` = 40, `7` = 70, `10` = 100))
  expect_length(found$faults, 0L)
})

test_that("a worker that dies loses only its chunk, which another does", {
  skip_on_cran()
  skip_if_not_installed("future")
  mark <- tempfile()
  on.exit(unlink(mark))
  dies_once <- function(chunk) {
    if (chunk$first_draw == 4 && !file.exists(mark)) {
      file.create(mark)
      tools::pskill(Sys.getpid(), 9L)
      Sys.sleep(5)
    }
    10 * chunk$first_draw
  }
  environment(dies_once) <- list2env(list(mark = mark), parent = globalenv())
  found <- on_workers(taken(dies_once))
  expect_length(found$faults, 0L)
  expect_identical(found$parts[order(as.double(names(found$parts)))], list(`1` = 10, `4` = 40, `7` = 70, `10` = 100))
})

test_that("a worker that is dead before the run begins is left out, and the plan stays as it was", {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("future")
  workers <- future::makeClusterPSOCK(3, autoStop = FALSE)
  on.exit(suppressWarnings(try(parallel::stopCluster(workers[2:3]), silent = TRUE)))
  old <- future::plan(future::cluster, workers = workers)
  on.exit(future::plan(old), add = TRUE, after = FALSE)
  tools::pskill(parallel::clusterCall(workers[1], Sys.getpid)[[1L]], 9L)
  Sys.sleep(0.5)
  before <- future::nbrOfWorkers()
  work <- function(chunk) 10 * chunk$first_draw
  environment(work) <- globalenv()
  found <- taken(work)
  expect_length(found$faults, 0L)
  expect_identical(found$parts[order(as.double(names(found$parts)))], list(`1` = 10, `4` = 40, `7` = 70, `10` = 100))
  expect_identical(future::nbrOfWorkers(), before)
})

test_that("a chunk that kills every worker is given up, and said", {
  skip_on_cran()
  skip_if_not_installed("future")
  dies <- function(chunk) {
    if (chunk$first_draw == 1) tools::pskill(Sys.getpid(), 9L)
    chunk$draws
  }
  environment(dies) <- globalenv()
  # It takes both workers with it before its third try; the others are done if a worker got to them.
  found <- on_workers(taken(dies))
  expect_true("1" %in% names(found$faults))
  expect_false("1" %in% names(found$parts))
  expect_match(found$faults[["1"]], "no worker is left")
})

test_that("an error of a worker's R is tried again, and then is the fault", {
  skip_if_not_installed("future")
  old <- future::plan(future::sequential)
  on.exit(future::plan(old))
  tries <- 0
  found <- taken(function(chunk) if (chunk$first_draw == 7) stop("100% broken") else 1)
  expect_identical(found$faults, list(`3` = "100% broken"))
  expect_identical(names(found$parts), c("1", "4", "10"))
})

test_that("nothing is begun once the taker has enough", {
  skip_if_not_installed("future")
  old <- future::plan(future::sequential)
  on.exit(future::plan(old))
  seen <- 0
  faults <- run_chunks(three, function(chunk) 1, function(chunk, value) {
    seen <<- seen + 1
    seen < 2
  }, packages = NULL)
  expect_identical(seen, 2)
  expect_length(faults, 0L)
})

test_that("work that nobody waits for stops", {
  file <- tempfile()
  # What was never there says nothing.
  expect_identical(while_awaited(file, 3), 3)
  file.create(file)
  gone <- function(w) {
    unlink(file)
    Sys.sleep(0.25)
    c(mean = 1)
  }
  expect_error(while_awaited(file, wbb(gone, n = 3, draws = 1000, seed = 1)), class = "wbb_error_stopped")
  file.create(file)
  expect_error(while_awaited(file, {
    unlink(file)
    quick_diabetes(draws = 1e6, keep_data = FALSE)
  }), class = "wbb_error_stopped")
  expect_identical(nrow(as.matrix(quick_diabetes())), 20L)
})

test_that("workers stop when the run is interrupted", {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("future")
  log <- tempfile()
  session <- Sys.getpid()
  slow <- function(w) {
    cat("a draw\n", file = log, append = TRUE)
    Sys.sleep(0.05)
    if (Sys.getpid() != session && length(readLines(log)) == 20L) tools::pskill(session, tools::SIGINT)
    c(mean = w[[1L]])
  }
  environment(slow) <- list2env(list(log = log, session = session), parent = globalenv())
  on_workers({
    stopped <- tryCatch(wbb(slow, n = 3, draws = 600, seed = 1, backend = "future"), interrupt = function(e) "interrupted")
    expect_identical(stopped, "interrupted")
    # Until nothing is written for a while: a busy machine tells its workers late. One that was never told writes all.
    repeat {
      written <- length(readLines(log))
      Sys.sleep(2)
      if (length(readLines(log)) == written) break
    }
    expect_lt(written, 600L)
  })
})
