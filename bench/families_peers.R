# `make bench-families-peers [WORKLOADS="G1 P1 G2"]`: dense workloads of the families beside adelie, skglm and glum, from the same
# weights, in one run, one thread each. Nothing else should run meanwhile. Writes bench/families_peers.md.
source(file.path("bench", "families.R"))
source(file.path("bench", "python.R"))

peers <- data.frame(peer = c("adelie", "skglm", "glum"), families = c("binomial poisson", "binomial", "binomial poisson"))
install_missing(peers$peer, peers$peer)
peers <- peers[vapply(peers$peer, installed, NA), ]
names <- strsplit(Sys.getenv("WORKLOADS", "G1 G2 G3 G5 P1 P2"), " ")[[1]]
rounds <- 2

# The objective above the least that any fit could have, as gaps count it.
above_least <- function(data, theta, w, w0) {
  eta <- theta[1] + as.vector(data$x %*% theta[-1])
  y <- data$y
  losses <- switch(data$family,
    binomial = pmax(eta, 0) + log1p(exp(-abs(eta))) - y * eta,
    poisson = exp(eta) - y - y * (eta - log(pmax(y, 1e-300)))
  )
  sum(w * losses) + data$lambda * w0 * sum(abs(theta[-1]))
}

# Mean milliseconds of a draw and the median relative excess of its objective over our certified one: by default, then tight.
run_peer <- function(peer, folder, data, fit, w) {
  output <- system2(python, c("-B", file.path("bench", "families_peers.py"), folder, peer), stdout = TRUE, stderr = FALSE)
  of <- function(which, line) {
    # A peer that fails is left out, and says so by having no time.
    if (length(output) < 2) return(c(NA, NA))
    ms <- 1e3 * mean(as.double(strsplit(line, "\t")[[1]]))
    theta <- matrix(readBin(file.path(folder, paste0(peer, "-", which)), "double", nrow(w) * (ncol(data$x) + 1)), nrow(w), byrow = TRUE)
    excess <- vapply(seq_len(nrow(w)), function(k) {
      own <- head(w[k, ], -1)
      above_least(data, theta[k, ], own, w[k, ncol(w)]) / above_least(data, as.matrix(fit)[k, ], own, w[k, ncol(w)]) - 1
    }, 0)
    c(ms, stats::median(excess))
  }
  c(of("default", utils::tail(output, 2)[1]), of("tight", utils::tail(output, 1)))
}

rows <- list()
for (name in names) {
  workload <- family_workloads[[name]]
  message(name, ": ", workload$label)
  data <- workload$make()
  folder <- tempfile()
  dir.create(folder)
  put <- function(values, file) writeBin(as.double(values), file.path(folder, file))
  put(data$x, "x")
  put(data$y, "y")
  writeLines(data$family, file.path(folder, "family"))
  able <- peers$peer[vapply(strsplit(peers$families, " "), function(f) data$family %in% f, NA)]
  runs <- list()
  for (round in seq_len(rounds)) {
    cost <- cost_of_draws(data, workload$draws)
    w <- weights(cost$fit, draws = timed(workload$draws))
    put(w, "w")
    put(c(dim(data$x), nrow(w), data$lambda), "shape")
    theirs <- vapply(able, run_peer, double(4), folder, data, cost$fit, w)
    runs[[round]] <- cbind(wbb = c(1e3 * cost$each, NA, NA, NA), theirs)
  }
  unlink(folder, recursive = TRUE)
  middle <- apply(simplify2array(runs), 1:2, stats::median)
  ours <- middle[[1, "wbb"]]
  theirs <- middle[, able, drop = FALSE]
  rows[[name]] <- data.frame(workload = name, label = workload$label, peer = able, ours_ms = ours, default_ms = theirs[1, ],
    default_ratio = theirs[1, ] / ours, default_excess = theirs[2, ], tight_ms = theirs[3, ], tight_ratio = theirs[3, ] / ours,
    tight_excess = theirs[4, ], row.names = NULL)
}
table <- do.call(rbind, rows)
print(table, digits = 3, row.names = FALSE)
writeLines(c(
  "# Families beside Python", "",
  sprintf("Made by `make bench-families-peers` on %s: %s, wbb %s, %s. Milliseconds a draw on one thread, medians of %d rounds in one run;",
    format(Sys.Date()), R.version.string, utils::packageVersion("wbb"), paste(vapply(peers$peer, version, ""), collapse = ", "), rounds),
  "theirs the call that fits only. Excess: median relative excess of the objective over ours, which is certified to 1e-8.",
  "skglm has no weights in its logistic loss: it was given one that has.", "",
  "| | data | wbb | peer | its time | ratio | its excess | tight | ratio | its excess |",
  "|---|---|---|---|---|---|---|---|---|---|",
  sprintf("| %s | %s | %.3g | %s | %.3g | **%.1f×** | %.0e | %.3g | **%.1f×** | %.0e |", table$workload, table$label, table$ours_ms,
    table$peer, table$default_ms, table$default_ratio, table$default_excess, table$tight_ms, table$tight_ratio, table$tight_excess)
), file.path("bench", "families_peers.md"))
