# `make bench-lasso-peers`: the dense lasso workloads of the targets beside scikit-learn and celer, from the same
# weights, in one run. Nothing else should run meanwhile. Writes bench/lasso_peers.md.
source(file.path("bench", "lasso.R"))
source(file.path("bench", "python.R"))

peers <- data.frame(peer = c("sklearn", "celer"), package = c("scikit-learn", "celer"), module = c("sklearn", "celer"))
install_missing(peers$package, peers$module)
peers <- peers[vapply(peers$module, installed, NA), ]
names <- strsplit(Sys.getenv("WORKLOADS", "L1 L2 L3 L5"), " ")[[1]]
rounds <- 2

# Mean seconds of a draw, and the median relative excess of its objective over our certified one.
run_peer <- function(peer, folder, data, fit, w) {
  output <- system2(python, c("-B", file.path("bench", "lasso_peers.py"), folder, peer), stdout = TRUE, stderr = FALSE)
  seconds <- as.double(strsplit(utils::tail(output, 1), "\t")[[1]])
  theta <- matrix(readBin(file.path(folder, peer), "double", nrow(w) * (ncol(data$x) + 1)), nrow(w), byrow = TRUE)
  excess <- vapply(seq_len(nrow(w)), function(k) {
    own <- head(w[k, ], -1)
    objective(data, theta[k, ], own, w[k, ncol(w)]) / objective(data, as.matrix(fit)[k, ], own, w[k, ncol(w)]) - 1
  }, 0)
  c(mean(seconds), median(excess))
}

rows <- list()
for (name in names) {
  workload <- workloads[[name]]
  message(name, ": ", workload$label)
  data <- workload$make()
  folder <- tempfile()
  dir.create(folder)
  put <- function(values, file) writeBin(as.double(values), file.path(folder, file))
  put(data$x, "x")
  put(data$y, "y")
  runs <- list()
  for (round in seq_len(rounds)) {
    repeats <- max(1, workload$repeats)
    time <- seconds(for (i in seq_len(repeats)) fit <- run_wbb(data, workload$draws)) / repeats / workload$draws
    w <- weights(fit, draws = seq_len(workload$peer_draws))
    put(w, "w")
    put(c(dim(data$x), nrow(w), data$lambda), "shape")
    runs[[round]] <- cbind(wbb = c(time, NA), vapply(peers$peer, run_peer, double(2), folder, data, fit, w))
  }
  unlink(folder, recursive = TRUE)
  middle <- apply(simplify2array(runs), 1:2, median)
  rows[[name]] <- data.frame(workload = name, label = workload$label, peer = peers$peer, ours_ms = 1e3 * middle[[1, "wbb"]],
    peer_ms = 1e3 * middle[1, peers$peer], ratio = middle[1, peers$peer] / middle[[1, "wbb"]],
    excess = middle[2, peers$peer], row.names = NULL)
}
table <- do.call(rbind, rows)
print(table, digits = 3, row.names = FALSE)
writeLines(c(
  "# The lasso beside Python",
  "",
  sprintf("Made by `make bench-lasso-peers` on %s: %d cores, %s, wbb %s, %s. Milliseconds a draw, medians of %d rounds in one run; ours", format(Sys.Date()),
    parallel::detectCores(), R.version.string, packageVersion("wbb"), paste(vapply(peers$module, version, ""), collapse = ", "), rounds),
  "with two threads and everything included, theirs at their default tolerance, the call to `fit()` only. Excess: median relative excess of the",
  "objective over ours, which is certified to 1e-8. scikit-learn uses a Gram matrix where there are more rows than columns.",
  "",
  "| | data | wbb | peer | its time | ratio | its excess |",
  "|---|---|---|---|---|---|---|",
  sprintf("| %s | %s | %.3g | %s | %.3g | **%.1f×** | %.0e |", table$workload, table$label, table$ours_ms, table$peer, table$peer_ms,
    table$ratio, table$excess)
), file.path("bench", "lasso_peers.md"))
