# The only way into Rust. Rust works in background threads while R polls, so that
# an interrupt is an ordinary R interrupt: on.exit stops the job and joins its
# threads. Errors come back as data and are raised here, once, with the user's call.

poll_ms <- 50

lasso_job <- function(design, options, progress = FALSE) {
  run_job(function() rust_lasso_job(rust_design(design$x), design$y, options), progress)
}

trendfilter_job <- function(design, options, progress = FALSE) {
  result <- run_job(function() rust_trendfilter_job(design$x, design$y, options), progress)
  if (is_job_error(result)) return(result)
  c(result$solved, result[c("points", "knots", "mode_knots")])
}

genlasso_job <- function(design, options, progress = FALSE) {
  shaped <- function(x) c(rust_design(x), list(nrow = nrow(x), ncol = ncol(x)))
  x <- if (is.null(design$x)) list() else shaped(design$x)
  run_job(function() rust_genlasso_job(design$y, x, shaped(options$penalty_matrix), options), progress)
}

bridge_job <- function(design, options, progress = FALSE) {
  # A Gram matrix is dense whatever x was.
  run_job(function() rust_bridge_job(as.matrix(design$x), design$y, options), progress)
}

mlp_job <- function(design, options, progress = FALSE) {
  # Classes are counted from 0.
  y <- if (is.factor(design$y)) as.double(design$y) - 1 else design$y
  test <- if (is.null(design$test_x)) list() else rust_design(design$test_x)
  result <- run_job(function() rust_mlp_job(rust_design(design$x), y, test, options), progress)
  if (!is_job_error(result) && !is.null(result$networks)) {
    result$networks <- from_shelf(result$networks, options$draws, network_bytes(options))
  }
  result
}

# R-hat and the effective sample size of one quantity, chain after chain.
job_diagnose <- function(values, chains) rust_diagnose(as.double(values), as.double(chains))

# The smallest and the largest number, NaN if one is not finite: one pass and no copy.
job_extent <- function(values) rust_extent(values)

# The result of the job, or its error list.
run_job <- function(start, progress) {
  job <- NULL
  on.exit(if (typeof(job) == "externalptr") rust_job_cancel(job))
  job <- start()
  if (is_job_error(job)) return(job)
  bar <- progress_bar(progress)
  on.exit(progress_clear(bar), add = TRUE, after = FALSE)
  repeat {
    state <- rust_job_poll(job, poll_ms)
    if (is_job_error(state)) return(state)
    if (state$state == "done") break
    progress_update(bar, state)
    # The evaluator looks for interrupts only every thousand calls or so.
    Sys.sleep(0)
  }
  rust_job_collect(job)
}

rust_design <- function(x) {
  if (is.matrix(x)) return(list(x = x))
  list(i = x@i, p = x@p, x = x@x)
}

is_job_error <- function(result) is.list(result) && !is.null(result$wbb_error)

# Separate from run_job(): a worker of another process returns its error list to
# the session that knows the user's call.
job_result <- function(result) {
  if (is_job_error(result)) abort(result$wbb_error, result$message, result$argument)
  result
}

# One row a draw, one column a weight.
job_weights <- function(options, draws) {
  weights <- job_result(rust_weights(options, as.double(draws)))
  matrix(weights, length(draws))
}
