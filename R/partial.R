# Runs that may end early: the parts of a run that are done are kept as they come, so that an error or a press of the
# stop button loses none of them.

# A run is an environment: its settings, `make(result, settings)`, which turns the result of some of its draws into a
# fit, and the fits of the parts that are done.
new_run <- function(settings, make) {
  list2env(list(settings = settings, make = make, parts = list(), whole = FALSE))
}

add_part <- function(run, fit) run$parts[[length(run$parts) + 1L]] <- fit

# Chunks over workers: a draw depends on the seed and its number alone, so that parts joined by c() are what one run
# gives. `job` is the estimator's; each worker gets so many chunks as `each` says, and besides the data what the user's functions
# need, `globals` and `packages`.
run_with_future <- function(run, job, design, progress, each = 1L, globals = list(), packages = "wbb") {
  require_package("future", "backend = \"future\"")
  cv <- NULL
  if (identical(run$settings$lambda, "cv")) {
    # Once, here, with all threads and without draws.
    before <- run$settings[setdiff(names(run$settings), c("draws", "first_draw"))]
    chosen <- job_result(job(design, before, progress))
    run$settings$lambda <- chosen$lambda
    cv <- chosen$cv
  }
  fault <- NULL
  take <- function(chunk, result) {
    if (is_job_error(result)) {
      fault <<- result
      add_done(run, result$done, chunk)
      return(FALSE)
    }
    # A lambda that is redrawn needs it in every worker.
    if (!is.null(cv)) result["cv"] <- list(cv)
    add_part(run, run$make(result, chunk))
  }
  lost <- run_chunks(split_settings(run$settings, each), chunk_work(job, design), take, progress, globals, packages)
  if (!is.null(fault)) stop_run(run, fault$wbb_error, fault$message, fault$argument)
  if (length(lost)) lost_chunks(run, lost)
}

# Runs in a worker; made apart from the run, which is not to travel with it.
chunk_work <- function(job, design) {
  force(job)
  force(design)
  function(settings) {
    settings$threads <- 1L
    job(design, settings)
  }
}

lost_chunks <- function(run, faults) {
  done <- parts_done(run)
  stop_run(run, "worker", paste0("Workers were lost: ", done, " of ", run$settings$draws, " draws are done, the others failed ",
    chunk_tries, " times or found no worker. The last fault was: ", first_line(faults[[length(faults)]]), "."))
}

first_line <- function(text) {
  line <- strsplit(paste(text, collapse = "\n"), "\n", fixed = TRUE)[[1L]][1L]
  if (is.na(line)) "an error without words" else sub("[[:space:].]+$", "", line)
}

# The fit of the parts, in the order of their draws.
finish_run <- function(run) {
  run$whole <- TRUE
  parts <- run$parts
  run$parts <- list()
  if (length(parts) == 1L) return(parts[[1L]])
  do.call(c, parts[order(vapply(parts, function(part) part$spec$segments$first_draw[1L], 0))])
}

# The result of a job; its error, if it has one, carries what is done.
run_result <- function(run, result) {
  if (!is_job_error(result)) return(result)
  add_done(run, result$done, run$settings)
  stop_run(run, result$wbb_error, result$message, result$argument)
}

# What a job had done when it was stopped or failed, if anything.
add_done <- function(run, result, settings) {
  settings <- settings_done(result, settings)
  if (settings_draws(settings) > 0) add_part(run, run$make(result, settings))
}

# `settings` with fewer draws, the first of them; chains, which grow side by side, may be fewer, too.
settings_done <- function(result, settings) {
  if (is.null(result$kept)) {
    settings$draws <- length(result$diagnostics$status) / max(1L, length(result$lambda))
  } else {
    settings[c("draws", "chains")[seq_along(result$kept)]] <- as.list(result$kept)
  }
  settings
}

settings_draws <- function(settings) settings$draws * if (is.null(settings$chains)) 1 else settings$chains

stop_run <- function(run, kind, message, argument = NULL) {
  partial <- if (keep_partial(run, quiet = TRUE) > 0) last_run$partial
  how <- if (!is.null(partial)) " `last_wbb()` has the draws that are done."
  abort(kind, paste0(message, how), argument, partial = partial)
}

# Where a run ends before it is whole: what it has done becomes the fit that last_wbb() gives. On exit, after an error or
# an interrupt. The number of its draws.
keep_partial <- function(run, quiet = FALSE) {
  if (run$whole) return(invisible(0))
  run$whole <- TRUE
  left <- take_stopped()
  done <- parts_done(run) + settings_draws(settings_done(left$result, run$settings))
  if (done == 0) return(invisible(0))
  delayedAssign("partial", partial_fit(run, left), assign.env = last_run)
  if (!quiet) message("Stopped after ", with_commas(done), " of ", counted(settings_draws(run$settings), "draw"), "; last_wbb() has them.")
  invisible(done)
}

# Made when it is asked for: to fetch what the job has left may take longer than a stop may.
partial_fit <- function(run, left) {
  if (!is.null(left)) add_done(run, left$fetch(), run$settings)
  fit <- finish_run(run)
  # The seed may have come from R's generator: the rest of the run needs the same.
  fit$call$seed <- run$settings$seed
  fit$asked <- run$settings[intersect(c("first_draw", "draws", "chains"), names(run$settings))]
  fit
}

parts_done <- function(run) sum(vapply(run$parts, function(part) draw_count(part$spec), 0))

last_run <- new.env(parent = emptyenv())

#' What a stopped run had finished
#'
#' A run that is interrupted, or that ends in an error, loses no draw that was finished: they are a fit like any other,
#' only with fewer draws. `last_wbb()` gives the last of this session. After an error it is also the element `partial` of the
#' condition, of class `wbb_error`.
#'
#' Draw k depends on the seed and k alone. So the rest can be computed at any time, and `c()` makes of both the fit that
#' would have been; the call of the partial fit has the seed, also where none was given. `fit$spec$segments` says which draws a
#' fit has: without the loss of a worker, they are the first ones.
#'
#' The chains of [bayes_bridge()] grow side by side. Of those that have begun the first are kept, cut to one length, such that most draws
#' remain: `spec$chains` of `spec$draws` each, what a shorter run with that seed gives. A chain does not go on later, but chains with
#' another seed can be added: `c(part, update(part, draws = part$spec$draws, seed = 2))`.
#'
#' @return A fit, of the class of the run that was stopped; an error of class `wbb_error_argument` if none was.
#' @examples
#' # A function that fails now and then
#' shaky <- function(w) if (w[1] > 3) stop("no luck") else c(mean = weighted.mean(cars$dist, w))
#' failed <- tryCatch(wbb(shaky, n = 50, draws = 100, seed = 1), wbb_error = identity)
#' part <- last_wbb()
#' identical(part, failed$partial)
#'
#' # The rest of the run, without the draws that fail
#' done <- nrow(as.matrix(part))
#' rest <- update(part, draws = 100 - done, first_draw = done + 1, on_error = "drop")
#' c(part, rest)
#' @export
last_wbb <- function() {
  if (is.null(last_run$partial)) {
    abort("argument", "No run was stopped in this session before it was done; a finished fit is the value of the call that made it.", "last_wbb")
  }
  last_run$partial
}
