# Questions to all draws about some rows, answered in Rust: all draws at all rows may be far larger than the data, and
# only what is made of them comes back. A question says `what` and brings what that takes; see question.rs.

# The reply to a job about n rows: `draws`, all answers; or `rows`, what has a part for each of them, as a matrix with
# outputs as columns; or `sums` over them.
reply_of <- function(start, n) {
  reply <- job_result(run_job(start, watched()))
  reply$rows <- lapply(reply$rows, function(part) matrix(part, n))
  reply
}

# The mean of the draws and the limits of an interval; `sigma` is the residual scale of the draws.
interval_question <- function(interval, probs, sigma) {
  if (interval == "none") return(list(what = "mean"))
  list(what = interval, probs = probs, sigma = as.double(sigma))
}

# Draws by rows: x'b of draws (an intercept is their first column) at the rows of x.
draw_values <- function(draws, x, intercept, threads = NULL) {
  if (!nrow(x)) return(matrix(0, nrow(draws), 0L))
  x <- numeric_x(x, "newdata")
  start <- function() rust_linear_job(rust_matrix(x), rust_matrix(draws), intercept, list(what = "draws"), list(threads = threads))
  # No copy is made so.
  values <- reply_of(start, nrow(x))$draws
  dim(values) <- c(nrow(draws), nrow(x))
  values
}

# Rows by two limits, of draws (an intercept is their first column) at the rows of x.
draw_limits <- function(draws, x, intercept, question, threads = NULL) {
  if (!nrow(x)) return(matrix(0, 0L, 2L))
  x <- numeric_x(x, "newdata")
  start <- function() rust_linear_job(rust_matrix(x), rust_matrix(draws), intercept, question, list(threads = threads))
  reply <- reply_of(start, nrow(x))
  cbind(reply$rows$lower, reply$rows$upper)
}
