# Draws over the workers of the current future::plan(). A draw depends on the
# seed and its number alone, so that chunks joined by c() are what one run gives.

# `job` and `object` are the estimator's: the run in a worker, and the fit made of its result.
future_chunks <- function(design, options, progress, job, object) {
  require_package("future.apply", "backend = \"future\"")
  cv <- NULL
  if (!length(options$lambda)) {
    chosen <- choose_lambda(design, options, progress, job)
    options$lambda <- chosen$lambda
    cv <- chosen$cv
  }
  chunks <- split_draws(options$first_draw, options$draws, future_workers())
  results <- future.apply::future_lapply(chunks, run_chunk,
    design = design[intersect(c("x", "y", "test_x"), names(design))], options = options, job = job,
    # No random numbers are drawn in R; NULL also silences the check for them.
    future.seed = NULL, future.packages = "wbb"
  )
  fits <- Map(results, chunks, f = function(result, chunk) {
    result <- job_result(result)
    result$cv <- cv
    object(result, design, chunk_options(options, chunk))
  })
  fit <- do.call(c, unname(fits))
  fit$spec$threads <- options$threads
  fit
}

# Cross-validation happens once, here, with all threads and no draws.
choose_lambda <- function(design, options, progress, job) {
  options$draws <- 0
  job_result(job(design, options, progress))
}

# Runs in a worker; an error list travels back as data.
run_chunk <- function(chunk, design, options, job) {
  options$threads <- 1L
  job(design, chunk_options(options, chunk))
}

chunk_options <- function(options, chunk) {
  options[c("first_draw", "draws")] <- chunk
  options
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
