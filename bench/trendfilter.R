# Time a draw of wbb_trendfilter beside the loops over other packages that users could write: the
# same weights, in the same run, interleaved; medians. Peers that are not installed are left out.
# Accuracy is the relative excess of the objective over our certified one.

paper_series <- function(n) {
  set.seed(1)
  t <- seq_len(n) / n
  sin(4 * pi * t) * exp(3 * t) + rnorm(n, sd = 2)
}

trend_workloads <- list(
  T1 = list(n = 500, order = 3, lambda = 1000, draws = 1000, peer_draws = 20),
  T2a = list(n = 1e4, order = 1, lambda = 1820, draws = 200, peer_draws = 4),
  T2b = list(n = 1e4, order = 2, lambda = 153413, draws = 100, peer_draws = 4),
  T2c = list(n = 1e4, order = 3, lambda = 1.116e7, draws = 100, peer_draws = 4),
  T3a = list(n = 1e5, order = 0, lambda = 30, draws = 300, peer_draws = 4),
  T3b = list(n = 1e5, order = 1, lambda = 18200, draws = 50, peer_draws = 4)
)

# Each takes a workload, its y and the weights of a draw, and gives the trend, or NULL where it
# has no such problem.
trend_peers <- list(
  glmgen = function(job, y, w, w0) {
    fit <- glmgen::trendfilter(seq_along(y), y, w, k = job$order, lambda = job$lambda * w0)
    drop(fit$beta)
  },
  tvdenoising = function(job, y, w, w0) {
    if (job$order > 0) return(NULL)
    tvdenoising::tvdenoising(y, job$lambda * w0, weights = w)
  },
  genlasso = function(job, y, w, w0) {
    if (length(y) > 1000) return(NULL)
    # Weights by a diagonal design: its path has no other way.
    root <- sqrt(w)
    path <- genlasso::genlasso(root * y, diag(root), genlasso::getDtfSparse(length(y), job$order), minlam = job$lambda * w0)
    drop(coef(path, lambda = job$lambda * w0)$beta)
  },
  `wbb_genlasso` = function(job, y, w, w0) {
    if (length(y) > 1e4 || job$order > 1) return(NULL)
    d <- Matrix::Diagonal(length(y))
    for (r in 0:job$order) d <- Matrix::diff(d)
    wbb::wbb_genlasso(y, D = d, lambda = job$lambda * w0, case_weights = w, draws = 1, weights = "ones", seed = 1)$mode
  }
)

installed_peers <- function() {
  there <- vapply(names(trend_peers), function(name) name == "wbb_genlasso" || requireNamespace(name, quietly = TRUE), NA)
  trend_peers[there]
}

trend_objective <- function(job, y, beta, w, w0) {
  sum(w * (y - beta)^2) / 2 + job$lambda * w0 * sum(abs(diff(beta, differences = job$order + 1)))
}

bench_trend <- function(name, rounds = 3) {
  job <- trend_workloads[[name]]
  label <- sprintf("n = %s, k = %d", format(job$n, big.mark = ",", scientific = FALSE), job$order)
  message(name, ": ", label)
  y <- paper_series(job$n)
  peers <- installed_peers()
  ours <- numeric()
  time <- excess <- matrix(NA_real_, 0, length(peers))
  for (round in seq_len(rounds)) {
    ours[round] <- seconds(fit <- wbb::wbb_trendfilter(y, order = job$order, lambda = job$lambda,
      draws = job$draws, seed = 1, threads = 2)) / job$draws
    weights <- weights(fit, draws = seq_len(job$peer_draws))
    for (k in seq_len(job$peer_draws)) {
      w <- unname(weights[k, seq_len(job$n)])
      w0 <- weights[[k, job$n + 1]]
      run <- vapply(peers, function(peer) {
        taken <- seconds(beta <- tryCatch(peer(job, y, w, w0), error = function(e) NULL))
        if (is.null(beta)) return(c(NA, NA))
        c(taken, trend_objective(job, y, beta, w, w0) / fit$diagnostics$objective[k] - 1)
      }, numeric(2))
      time <- rbind(time, run[1, ])
      excess <- rbind(excess, run[2, ])
    }
  }
  data.frame(
    workload = name, label = label, wbb_ms = 1e3 * median(ours), our_worst_gap = max(fit$diagnostics$gap),
    peer = names(peers), peer_ms = 1e3 * apply(time, 2, median), peer_median_excess = apply(excess, 2, median),
    row.names = NULL
  )
}

write_trend <- function(table, path) {
  shown <- function(value, format) if (is.na(value)) "–" else sprintf(format, value)
  row <- function(r) {
    sprintf("| %s %s | %.3g | %.1e | %s | %s | %s |", r$workload, r$label, r$wbb_ms, r$our_worst_gap,
      r$peer, shown(r$peer_ms, "%.3g"), shown(r$peer_median_excess, "%.1e"))
  }
  writeLines(c(
    "# Trend filtering",
    "",
    sprintf("Made by `make bench` on %s: %d cores, %s, wbb %s.", format(Sys.Date()), parallel::detectCores(),
      R.version.string, packageVersion("wbb")),
    "Milliseconds a draw, medians of three interleaved rounds; ours with 2 threads, everything included (R, the mode,",
    "the draws). The gap is certified; a peer's excess is over our objective. Peers that are not",
    "installed or cannot solve a workload have a dash.",
    "",
    "| workload | wbb, ms | our worst gap | peer | its ms | its median excess |",
    "|---|---|---|---|---|---|",
    vapply(split(table, seq_len(nrow(table))), row, "")
  ), path)
}
