# The paper's series, shortened, and a quick fit of it.

paper_series <- function(n = 100, seed = 1) {
  with_seed(seed, sin(4 * pi * seq_len(n) / n) * exp(3 * seq_len(n) / n) + rnorm(n, sd = 2))
}

quick_trend <- function(y = paper_series(), ..., order = 2, lambda = 20, draws = 30, seed = 1, threads = 1) {
  wbb_trendfilter(y, ..., order = order, lambda = lambda, draws = draws, seed = seed, threads = threads)
}

# D^(k+1) by the definition of Tibshirani (2014).
difference_matrix <- function(x, order) {
  d <- diff(diag(length(x)))
  for (r in seq_len(order)) {
    d <- diff(diag(r / (utils::tail(x, -r) - utils::head(x, -r)), length(x) - r) %*% d)
  }
  d
}
