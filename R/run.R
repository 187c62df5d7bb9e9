# A job in Rust, which works while R listens for an interrupt.

# The longest wait for a job before R looks for an interrupt.
poll_ms <- 50

# The result of the job that `start` begins, or its error list. Rust works in background threads while R polls,
# so that an interrupt is an ordinary R interrupt: on.exit stops the job and joins its threads. What it has
# finished by then is left for whoever can make a fit of it. `read` takes a result into R's hands.
run_job <- function(start, progress = FALSE, read = identity, feed = NULL) {
  job <- NULL
  whole <- FALSE
  on.exit(if (typeof(job) == "externalptr") {
    rust_job_cancel(job)
    if (!whole) stopped_job$result <- read(collect_job(job))
  })
  job <- start()
  if (is_job_error(job)) return(job)
  bar <- NULL
  repeat {
    busy <- if (!is.null(feed)) feed(job)
    state <- rust_job_poll(job, if (is.null(busy)) poll_ms else if (busy) 0 else fed_ms)
    if (is_job_error(state)) return(state)
    if (state$state == "done") break
    if (is.null(bar)) {
      bar <- progress_bar(progress)
      on.exit(progress_clear(bar), add = TRUE, after = FALSE)
    }
    progress_update(bar, state)
    check_awaited()
    # The evaluator looks for interrupts only every thousand calls or so.
    Sys.sleep(0)
  }
  result <- read(collect_job(job))
  whole <- TRUE
  result
}

# A job that is fed is looked at often: it must not wait for R.
fed_ms <- 2

# A job on rows that R reads while Rust works: `give(job)` gives it some, FALSE when there are no more.
run_fed_job <- function(start, give, progress = FALSE) {
  ended <- FALSE
  run_job(start, progress, feed = function(job) {
    if (ended) return(NULL)
    if (!rust_moments_room(job)) return(FALSE)
    ended <<- !give(job)
    if (ended) rust_moments_end(job)
    TRUE
  })
}

# What the last job had finished when it was stopped: a result of fewer draws, or an error list.
stopped_job <- new.env(parent = emptyenv())

take_stopped <- function() {
  result <- stopped_job$result
  stopped_job$result <- NULL
  if (!is_job_error(result)) result
}

collect_job <- function(job) {
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
