# A job in Rust, which works while R listens for an interrupt.

# The longest wait for a job before R looks for an interrupt.
poll_ms <- 50

# The result of the job that `start` begins, or its error list. Rust works in background threads while R polls,
# so that an interrupt is an ordinary R interrupt: on.exit stops the job and joins its threads. What it has
# finished by then is left, if it is to be kept, for whoever can make a fit of it. `read` takes a result into R's hands.
run_job <- function(start, progress = FALSE, read = identity, feed = NULL, keep = FALSE) {
  job <- rest <- NULL
  whole <- FALSE
  on.exit(if (typeof(job) == "externalptr") {
    rust_job_cancel(job)
    if (keep && !whole) leave_job(job, rest, read)
  })
  job <- start()
  if (is_job_error(job)) return(job)
  bar <- NULL
  wait <- 0
  repeat {
    busy <- if (!is.null(feed)) feed(job)
    wait <- if (is.null(busy)) poll_ms else if (busy) 0 else min(max(2 * wait, fed_ms), poll_ms)
    state <- rust_job_poll(job, wait)
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
  rest <- rust_job_collect(job)
  result <- read(with_tables(rest, job))
  whole <- TRUE
  rust_job_release(job)
  result
}

# The first look at a job that has enough to work on; the next ones are further and further apart, as long as nothing is wanted.
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

# What the last job had finished when it was stopped: list(result, fetch), a result of fewer draws. Its tables are
# fetched when they are asked for: they may be large, and whoever stops a run waits for the prompt.
stopped_job <- new.env(parent = emptyenv())

leave_job <- function(job, rest, read) {
  if (is.null(rest)) rest <- rust_job_collect(job)
  if (is_job_error(rest)) return(invisible())
  stopped_job$left <- list(result = rest, fetch = function() read(with_tables(rest, job)))
}

# The same for work that R does itself.
leave_result <- function(result) {
  stopped_job$left <- list(result = result, fetch = function() result)
}

take_stopped <- function() {
  left <- stopped_job$left
  stopped_job$left <- NULL
  left
}

# The whole result of a job: its large tables are fetched apart; "a/b" is element b of its list a.
with_tables <- function(result, job) {
  for (name in rust_job_tables(job)) result[[strsplit(name, "/", fixed = TRUE)[[1L]]]] <- job_table(job, name)
  result
}

# No function is made here that could own the table, too: R would copy it when it gets its dimensions.
job_table <- function(job, name) {
  table <- rust_job_room(job, name)
  for (part in parts_of(length(table))) {
    # Into its place; nobody else has seen it yet.
    rust_job_copy(job, name, table, part[1L], part[2L])
    Sys.sleep(0)
  }
  table
}

# Numbers that R's own thread works on between two looks for an interrupt: some hundredths of a second.
part_size <- 2^20

# The parts of a long vector: after which element each begins, and with which it ends. Nothing is one part.
parts_of <- function(length, size = part_size) {
  if (length <= size) return(list(c(0, length)))
  from <- seq(0, length - 1, by = size)
  Map(c, from, pmin(from + size, length))
}

# Numbers as text, of which R writes a million in half a second, and collects garbage among them in a tenth; with something
# before and after each.
as_text <- function(values, before = "", after = "") {
  if (length(values) <= text_size) return(paste0(before, values, after, recycle0 = TRUE))
  text <- character(length(values))
  for (part in parts_of(length(values), text_size)) {
    at <- seq.int(part[1L] + 1, part[2L])
    text[at] <- paste0(before, values[at], after)
    Sys.sleep(0)
  }
  text
}

text_size <- 2e4

# A matrix on its way to Rust.
rust_matrix <- function(x) {
  sparse <- !is.matrix(x)
  values <- if (sparse) x@x else x
  rows <- if (sparse) x@i
  matrix <- job_result(rust_matrix_room(nrow(x), ncol(x), if (sparse) x@p))
  while (!job_result(rust_matrix_fill(matrix, values, rows, part_size))) Sys.sleep(0)
  matrix
}

is_job_error <- function(result) is.list(result) && !is.null(result$wbb_error)

# Errors come back as data and are raised here, once, with the user's call. Separate from run_job(): a worker of
# another process returns its error list to the session that knows the call.
job_result <- function(result) {
  if (is_job_error(result)) abort(result$wbb_error, result$message, result$argument)
  result
}

# The smallest and the largest number, NaN if one is not finite: one pass and no copy.
job_extent <- function(values) {
  extent <- c(Inf, -Inf)
  for (part in parts_of(length(values))) {
    found <- rust_extent(values, part[1L], part[2L])
    extent <- c(min(extent[1L], found[1L]), max(extent[2L], found[2L]))
    Sys.sleep(0)
  }
  extent
}

# A text that other data, or another order of the same, do not have.
fingerprint <- function(...) {
  parts <- lapply(list(...), function(x) {
    if (is.double(x) || is.raw(x)) list(x) else if (isS4(x)) list(x@i, x@p, x@x) else list(as.double(x))
  })
  hash <- ""
  for (values in unlist(parts, recursive = FALSE)) {
    for (part in parts_of(length(values))) {
      hash <- job_result(rust_fingerprint(hash, values, part[1L], part[2L]))
      Sys.sleep(0)
    }
  }
  hash
}
