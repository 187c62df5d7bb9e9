# Time a draw of wbb_lasso beside the loop over glmnet that users write today:
# both from the same weights, in the same run, interleaved; medians and their
# ratio. Accuracy is the relative excess of the objective over our certified one.

source(file.path("bench", "workloads.R"))

# glmnet divides weights by their sum, so its lambda is ours times w0 / sum(w).
glmnet_draw <- function(data, w, w0) {
  fit <- glmnet::glmnet(data$x, data$y, weights = w, standardize = FALSE,
    lambda = data$lambda * w0 / sum(w))
  c(fit$a0, as.vector(fit$beta))
}

objective <- function(data, theta, w, w0) {
  residual <- data$y - theta[1] - as.vector(data$x %*% theta[-1])
  sum(w * residual^2) / 2 + data$lambda * w0 * sum(abs(theta[-1]))
}

seconds <- function(expr) system.time(expr, gcFirst = FALSE)[["elapsed"]]

run_wbb <- function(data, draws) {
  wbb::wbb_lasso(data$x, data$y, lambda = data$lambda, draws = draws, seed = 1,
    standardize = FALSE, threads = 2)
}

bench_lasso <- function(name, rounds = 3) {
  workload <- workloads[[name]]
  message(name, ": ", workload$label)
  data <- workload$make()
  n <- length(data$y)
  ours <- peer <- numeric()
  for (round in seq_len(rounds)) {
    # A fit of some milliseconds is below what the clock resolves: several, then.
    repeats <- max(1, workload$repeats)
    time <- seconds(for (i in seq_len(repeats)) fit <- run_wbb(data, workload$draws))
    ours <- c(ours, time / repeats / workload$draws)
    w <- weights(fit, draws = seq_len(workload$peer_draws))
    time <- numeric()
    excess <- numeric()
    for (k in seq_len(nrow(w))) {
      w_k <- w[k, seq_len(n)]
      w0 <- w[k, n + 1]
      time[k] <- seconds(theta <- glmnet_draw(data, w_k, w0))
      best <- objective(data, as.matrix(fit)[k, ], w_k, w0)
      excess[k] <- objective(data, theta, w_k, w0) / best - 1
    }
    peer <- c(peer, mean(time))
  }
  data.frame(workload = name, label = workload$label, method = fit$method,
    ours_ms = 1e3 * median(ours), glmnet_ms = 1e3 * median(peer),
    ratio = median(peer) / median(ours),
    our_worst_gap = max(fit$diagnostics$gap), glmnet_median_excess = median(excess))
}
