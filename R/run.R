# Work that takes time: a job in Rust, chunks of draws over the workers of the current future::plan(), and the
# line that shows how far they are.

# Jobs -----------------------------------------------------------------------------

# The longest wait for a job before R looks for an interrupt.
poll_ms <- 50

# The result of the job that `start` begins, or its error list. Rust works in background threads while R polls,
# so that an interrupt is an ordinary R interrupt: on.exit stops the job and joins its threads.
run_job <- function(start, progress = FALSE) {
  job <- NULL
  on.exit(if (typeof(job) == "externalptr") rust_job_cancel(job))
  job <- start()
  if (is_job_error(job)) return(job)
  bar <- NULL
  repeat {
    state <- rust_job_poll(job, poll_ms)
    if (is_job_error(state)) return(state)
    if (state$state == "done") break
    if (is.null(bar)) {
      bar <- progress_bar(progress)
      on.exit(progress_clear(bar), add = TRUE, after = FALSE)
    }
    progress_update(bar, state)
    # The evaluator looks for interrupts only every thousand calls or so.
    Sys.sleep(0)
  }
  result <- rust_job_collect(job)
  for (name in rust_job_tables(job)) result[[name]] <- job_table(job, name)
  result
}

# A large result, copied part by part: a gigabyte at once would be deaf to an interrupt.
job_table <- function(job, name) {
  table <- rust_job_room(job, name)
  copied <- 0
  while (copied < length(table)) {
    # Into its place; nobody else has seen it yet.
    copied <- rust_job_copy(job, name, table, copied)
    Sys.sleep(0)
  }
  table
}

# A matrix as Rust reads it: its values, or the slots of a sparse one.
rust_matrix <- function(x) {
  slots <- if (is.matrix(x)) list(x = x) else list(i = x@i, p = x@p, x = x@x)
  c(slots, list(nrow = nrow(x), ncol = ncol(x)))
}

is_job_error <- function(result) is.list(result) && !is.null(result$wbb_error)

# Errors come back as data and are raised here, once, with the user's call. Separate from run_job(): a worker of
# another process returns its error list to the session that knows the call.
job_result <- function(result) {
  if (is_job_error(result)) abort(result$wbb_error, result$message, result$argument)
  result
}

# The smallest and the largest number, NaN if one is not finite: one pass and no copy.
job_extent <- function(values) rust_extent(values)

# A text that other data, or another order of the same, do not have.
fingerprint <- function(...) {
  parts <- lapply(list(...), function(x) {
    if (is.double(x)) list(x) else if (isS4(x)) list(x@i, x@p, x@x) else list(as.double(x))
  })
  job_result(rust_fingerprint(unlist(parts, recursive = FALSE)))
}

# Chunks ---------------------------------------------------------------------------

# A draw depends on the seed and its number alone, so that chunks joined by c() are what one run gives. `job` is
# the estimator's. Returns the settings of each chunk with its result.
run_chunks <- function(job, design, settings, progress) {
  require_package("future.apply", "backend = \"future\"")
  cv <- NULL
  if (identical(settings$lambda, "cv")) {
    # Once, here, with all threads and without draws.
    before <- settings[setdiff(names(settings), c("draws", "first_draw"))]
    chosen <- job_result(job(design, before, progress))
    settings$lambda <- chosen$lambda
    cv <- chosen$cv
  }
  chunks <- lapply(split_draws(settings$first_draw, settings$draws, future_workers()), function(chunk) {
    settings[names(chunk)] <- chunk
    settings
  })
  results <- future.apply::future_lapply(chunks, run_chunk,
    design = design[intersect(c("x", "y", "test_x"), names(design))], job = job,
    # No random numbers are drawn in R; NULL also silences the check for them.
    future.seed = NULL, future.packages = "wbb"
  )
  Map(chunks, results, f = function(chunk, result) {
    result <- job_result(result)
    result["cv"] <- list(cv)
    list(settings = chunk, result = result)
  })
}

# Runs in a worker; an error list travels back as data.
run_chunk <- function(settings, design, job) {
  settings$threads <- 1L
  job(design, settings)
}

split_draws <- function(first_draw, draws, chunks) {
  chunks <- min(chunks, draws)
  start <- floor(draws * (seq_len(chunks) - 1) / chunks)
  size <- diff(c(start, draws))
  Map(function(first, size) list(first_draw = first, draws = size), first_draw + start, size)
}

# A scheduler's queue has no bound: then as many chunks as a job array usually has.
future_workers <- function() {
  workers <- future::nbrOfWorkers()
  if (is.finite(workers)) workers else 100
}

# Progress -------------------------------------------------------------------------

# In a notebook interactive() is FALSE, but somebody is watching; in knitr nobody
# is, whatever the session says.
watched <- function() {
  (interactive() || isTRUE(getOption("jupyter.in_kernel"))) &&
    !isTRUE(getOption("knitr.in.progress"))
}

# A line with the time that is left, for anything over a second. It redraws itself in place and is cleared at
# the end. Any loop may have one: update it with list(stage, done, total), and clear it on exit.
progress_bar <- function(enabled) {
  bar <- new.env(parent = emptyenv())
  bar$enabled <- enabled
  bar$began <- bar$drawn <- bar$stage_began <- elapsed()
  bar$stage <- ""
  bar$width <- 0L
  bar
}

progress_update <- function(bar, state) {
  if (!bar$enabled) return(invisible())
  now <- elapsed()
  if (state$stage != bar$stage) {
    bar$stage <- state$stage
    bar$stage_began <- now
  }
  if (now - bar$began < 1 || now - bar$drawn < 0.2) return(invisible())
  bar$drawn <- now
  redraw(bar, progress_line(state, now - bar$stage_began))
}

progress_clear <- function(bar) {
  if (bar$width > 0L) redraw(bar, "")
}

redraw <- function(bar, line) {
  # Jupyter keeps the line in place only on stdout; at a terminal stdout may be
  # a file.
  out <- if (isTRUE(getOption("jupyter.in_kernel"))) stdout() else stderr()
  blank <- strrep(" ", max(0L, bar$width - nchar(line)))
  cat("\r", line, blank, if (line == "") "\r", sep = "", file = out)
  utils::flush.console()
  bar$width <- nchar(line)
}

stage_names <- c(mode = "mode", cv = "cross-validation", draws = "draws", epochs = "epochs", predictions = "predictions",
  replicates = "replicates")

progress_line <- function(state, seconds) {
  share <- if (state$total > 0) min(1, state$done / state$total) else 0
  full <- floor(20 * share)
  left <- if (share > 0) paste(show_seconds(seconds * (1 - share) / share), "left")
  paste(c(
    stage_names[[state$stage]],
    paste0("[", strrep("=", full), strrep(" ", 20 - full), "]"),
    paste0(format(state$done, scientific = FALSE), "/", format(state$total, scientific = FALSE)),
    left
  ), collapse = " ")
}

show_seconds <- function(seconds) {
  if (seconds < 60) return(paste(ceiling(seconds), "s"))
  if (seconds < 3600) return(paste(ceiling(seconds / 60), "min"))
  paste(format(seconds / 3600, digits = 2), "h")
}

elapsed <- function() proc.time()[["elapsed"]]
