# Chunks of draws over the workers of the current future::plan(). A worker that dies takes only its chunk with it,
# and that is tried again on the others.

# How often a chunk is given to a worker before it is given up.
chunk_tries <- 3L

# The pause between two looks at the workers, in seconds: a fiftieth of the time since one has ended, since looking takes a processor's time.
chunk_pause <- function(since) min(max(0.02, (proc.time()[["elapsed"]] - since) / 50), 0.2)

# Does `work` for every one of `chunks`, lists that say how many `draws` they have. `take` gets each chunk with what
# its work returned, in the order in which they end; once it returns FALSE nothing more is begun or waited for. The work
# returns its errors as data, so that one that is raised is the workers' fault. Returns those of the chunks that could not be done, by
# the chunks' numbers.
run_chunks <- function(chunks, work, take, progress = FALSE, globals = list(), packages = "wbb", stage = "draws") {
  crew <- list2env(list(
    chunks = chunks, tries = integer(length(chunks)), waiting = seq_along(chunks), running = list(), faults = list(),
    done = 0, going = TRUE, dead = NULL, last = NULL, since = proc.time()[["elapsed"]]
  ))
  plan <- future::plan("list")
  # batchtools asks Slurm for the jobs of $USER, which containers seldom set, and takes those it is not told of for dead.
  if (inherits(plan[[1L]], "batchtools") && Sys.getenv("USER") == "") {
    Sys.setenv(USER = Sys.info()[["effective_user"]])
    on.exit(Sys.unsetenv("USER"), add = TRUE)
  }
  on.exit(if (isTRUE(crew$replanned)) future::plan(plan, .cleanup = FALSE, .init = FALSE), add = TRUE)
  file <- tempfile("wbb-run-")
  file.create(file)
  on.exit(unlink(file), add = TRUE)
  work <- awaited_work(work, file)
  begin <- function(chunk) {
    # Random numbers of R, if any are drawn, are seeded by draw; NULL also silences the check for them.
    future::future(work(chunk), globals = c(globals, list(work = work, chunk = chunk)), packages = packages, seed = NULL)
  }
  total <- sum(vapply(chunks, `[[`, 0, "draws"))
  bar <- progress_bar(progress)
  on.exit(progress_clear(bar), add = TRUE)
  repeat {
    begin_chunks(crew, begin)
    if (!length(crew$running) && is.null(crew$dead)) break
    end_chunks(crew, take)
    if (!crew$going) return(crew$faults)
    progress_update(bar, list(stage = stage, done = crew$done, total = total))
    Sys.sleep(chunk_pause(crew$since))
  }
  crew$faults[as.character(crew$waiting)] <- paste(c("no worker is left", crew$last), collapse = " after the fault: ")
  crew$faults
}

# A worker learns that nobody waits for its chunk any more (the run was interrupted, or failed) by a file that is gone; it looks for
# it between two polls of a job. One that never saw the file is on another machine, and finishes its chunk.
awaited <- new.env(parent = emptyenv())

# Made apart from the run, which is not to travel with it.
awaited_work <- function(work, file) {
  force(work)
  force(file)
  function(chunk) while_awaited(file, work(chunk))
}

while_awaited <- function(file, code) {
  if (!file.exists(file)) return(code)
  before <- awaited$file
  awaited$file <- file
  on.exit(awaited$file <- before)
  code
}

check_awaited <- function() {
  if (!is.null(awaited$file) && !file.exists(awaited$file)) abort("stopped", "The run that this chunk belongs to was stopped.")
}

begin_chunks <- function(crew, begin) {
  if (!is.null(crew$dead) && !length(crew$running)) leave_out(crew)
  while (crew$going && length(crew$waiting) && is.null(crew$dead) && has_room(crew)) {
    at <- crew$waiting[1L]
    crew$waiting <- crew$waiting[-1L]
    crew$tries[at] <- crew$tries[at] + 1L
    begun <- attempt(begin(crew$chunks[[at]]), identity)
    crew$dead <- dead_worker(begun)
    if (!is.null(crew$dead)) {
      # No fault of the chunk.
      crew$tries[at] <- crew$tries[at] - 1L
      crew$waiting <- c(at, crew$waiting)
    } else if (inherits(begun, "error")) {
      try_again(crew, at, begun)
    } else {
      crew$running[[as.character(at)]] <- begun
    }
  }
}

# A worker of a cluster that died before it was given anything counts as free, and would be the first to be asked each time: the
# number of it among its workers, where that is what `begun` failed for.
dead_worker <- function(begun) {
  if (!inherits(begun, "FutureError")) return(NULL)
  future <- if (is.null(begun$future)) attr(begun, "future") else begun$future
  if (is.null(future$node) || length(future$workers) < 2L) return(NULL)
  list(node = future$node, workers = future$workers)
}

# The others are asked alone from now on, in this run. Once none of them is at work: futures know them by their numbers.
leave_out <- function(crew) {
  plan <- future::plan("list")
  plan[[1L]] <- future::tweak(future::cluster, workers = crew$dead$workers[-crew$dead$node])
  future::plan(plan, .cleanup = FALSE, .init = FALSE)
  crew$replanned <- TRUE
  crew$dead <- NULL
}

# A worker that has died is never free again. Where none of ours has, all may be at work for somebody else: wait.
has_room <- function(crew) {
  lost <- sum(crew$tries) > length(crew$chunks) - length(crew$waiting)
  future::nbrOfFreeWorkers() > 0 || !(lost || length(crew$running))
}

end_chunks <- function(crew, take) {
  for (name in names(crew$running)) {
    ended <- attempt(future::resolved(crew$running[[name]]), function(e) TRUE)
    if (!ended) next
    # A fork that was killed warns as well.
    value <- attempt(suppressWarnings(future::value(crew$running[[name]])), identity)
    crew$running[[name]] <- NULL
    crew$since <- proc.time()[["elapsed"]]
    at <- as.integer(name)
    if (inherits(value, "error")) {
      try_again(crew, at, value)
    } else {
      crew$done <- crew$done + crew$chunks[[at]]$draws
      crew$going <- crew$going && !isFALSE(take(crew$chunks[[at]], value))
    }
  }
}

try_again <- function(crew, at, error) {
  crew$last <- conditionMessage(error)
  if (crew$tries[at] < chunk_tries) {
    crew$waiting <- c(crew$waiting, at)
  } else {
    crew$faults[[as.character(at)]] <- conditionMessage(error)
  }
}

# A part of the draws of `settings` for each worker, or several, but not where there are many: a scheduler begins each
# of them anew.
split_settings <- function(settings, each = 1L) {
  workers <- future_workers()
  lapply(split_draws(settings$first_draw, settings$draws, max(workers, min(each * workers, 100))), function(chunk) {
    settings[names(chunk)] <- chunk
    settings
  })
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

# What functions of the user need in another process: what they use of the workspace, and the packages that are attached here.
used_abroad <- function(functions) {
  functions <- Filter(is.function, functions)
  expression <- as.call(c(quote(list), lapply(names(functions), as.name)))
  found <- if (length(functions)) future::getGlobalsAndPackages(expression, envir = list2env(functions, parent = globalenv()), globals = TRUE)
  list(globals = as.list(found$globals), packages = unique(c("wbb", if (length(functions)) setdiff(.packages(), "base"), found$packages)))
}
