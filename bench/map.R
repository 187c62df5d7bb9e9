# `make bench-map [CELLS="sparse"]`: wbb_lasso() beside a loop over glmnet on a map of shapes, densities and
# lambdas, in one process and one thread, processor time. The set-up (everything but the draws) and the cost of
# a draw are told apart by fits of few and of more draws. Writes bench/map.md and bench/map.png.

library(wbb)
suppressPackageStartupMessages(library(Matrix))

# Kinds of columns; `density` is the share of entries that are not zero.
columns <- list(
  dense = function(n, p, density) matrix(rnorm(n * p), n),
  ar = function(n, p, density) {
    x <- matrix(rnorm(n * p), n)
    for (j in seq_len(p)[-1]) x[, j] <- 0.9 * x[, j - 1] + sqrt(0.19) * x[, j]
    x
  },
  binary = function(n, p, density) matrix(as.numeric(runif(n * p) < 0.3), n),
  sparse = function(n, p, density) rsparsematrix(n, p, density)
)

# Thirty signals as strong as the noise; columns of unit variance, so that nobody has to standardise.
make_data <- function(n, p, kind, density) {
  set.seed(n + p)
  x <- columns[[kind]](n, p, density)
  signals <- sample(p, min(p, 30))
  fit <- as.vector(x[, signals, drop = FALSE] %*% rnorm(length(signals)))
  y <- fit + rnorm(n, sd = max(sd(fit), 1e-3))
  sd <- sqrt(colMeans(x^2) - colMeans(x)^2)
  sd[sd == 0] <- 1
  x <- if (kind == "sparse") as(x %*% Diagonal(x = 1 / sd), "CsparseMatrix") else sweep(x, 2, sd, "/")
  list(x = x, y = y, largest = max(abs(as.vector(crossprod(x, y - mean(y))))))
}

processor <- function(expr) {
  before <- proc.time()
  force(expr)
  sum((proc.time() - before)[1:2])
}

measure <- function(n, p, kind, density, share, alpha, seconds = 0.4) {
  data <- make_data(n, p, kind, density)
  lambda <- share * data$largest / alpha
  run <- function(draws) {
    wbb_lasso(data$x, data$y, lambda = lambda, alpha = alpha, draws = draws, seed = 1, threads = 1,
      standardize = FALSE, keep_data = FALSE)
  }
  one <- processor(run(1))
  ten <- processor(run(10))
  draws <- max(20, min(10000, round(9 * seconds / max(ten - one, 1e-4))))
  more <- processor(fit <- run(draws))
  w <- weights(fit, draws = seq_len(min(draws, 100)))
  peer <- numeric()
  while (length(peer) < nrow(w) && (length(peer) < 3 || sum(peer) < seconds)) {
    k <- length(peer) + 1
    w_k <- w[k, seq_len(n)]
    peer[k] <- processor(glmnet::glmnet(data$x, data$y, weights = w_k, standardize = FALSE, alpha = alpha,
      lambda = lambda * w[k, n + 1] / sum(w_k)))
  }
  draw <- (more - one) / (draws - 1)
  data.frame(n, p, kind, density, share, alpha, method = fit$method,
    active = round(mean(rowSums(as.matrix(fit)[, -1, drop = FALSE] != 0))),
    setup = max(one - draw, 0), draw, peer = mean(peer), ratio = mean(peer) / draw,
    ten = 10 * mean(peer) / ten, gap = max(fit$diagnostics$gap))
}

cells <- rbind(
  expand.grid(n = c(100, 1000), p = c(10, 100, 1000), kind = c("dense", "ar", "binary"), density = 1,
    share = c(0.3, 0.03), alpha = 1, stringsAsFactors = FALSE),
  expand.grid(n = c(300, 2000), p = c(200, 3000), kind = "sparse", density = c(0.002, 0.02, 0.2),
    share = c(0.3, 0.03), alpha = 1, stringsAsFactors = FALSE),
  data.frame(n = c(500, 20000, 20000, 200000, 1e6, 100, 1000, 300), p = c(5000, 300, 1000, 30, 5, 20000, 2000, 30000),
    kind = c("dense", "ar", "sparse", "binary", "dense", "dense", "ar", "sparse"),
    density = c(1, 1, 0.01, 1, 1, 1, 1, 0.01), share = c(0.1, 0.003, 0.01, 0.01, 0.1, 0.1, 0.05, 0.1),
    alpha = c(1, 1, 1, 1, 1, 1, 0.5, 0.5))
)
chosen <- strsplit(Sys.getenv("CELLS", "dense ar binary sparse"), " ")[[1]]
cells <- cells[cells$kind %in% chosen, ]
table <- NULL
for (k in seq_len(nrow(cells))) {
  row <- do.call(measure, cells[k, ])
  message(sprintf("%7d x %-5d %-6s %5.3g, lambda %5.3g: a draw %8.3f ms, glmnet %8.3f ms, %6.1f times",
    row$n, row$p, row$kind, row$density, row$share, 1e3 * row$draw, 1e3 * row$peer, row$ratio))
  table <- rbind(table, row)
}

line <- function(r) {
  sprintf("| %s × %s | %s | %.3g | %.3g / %.2g | %d | %s | %.1f | %.3f | %.3f | **%.1f** | %.1f | %.1f |",
    format(r$n, big.mark = ","), format(r$p, big.mark = ","), r$kind, r$density, r$share, r$alpha, r$active, r$method,
    1e3 * r$setup, 1e3 * r$draw, 1e3 * r$peer, r$ratio, r$setup / r$peer, r$ten)
}
lines <- function(rows) vapply(split(rows, seq_len(nrow(rows))), line, "")
head <- c("| n × p | columns | density | lambda / largest, alpha | active | method | set-up, ms | a draw, ms | glmnet, ms | ratio | set-up, glmnet fits | ratio at 10 draws |",
  "|---|---|---|---|---|---|---|---|---|---|---|---|")
worst <- table[order(table$ratio), ][seq_len(min(8, nrow(table))), ]
writeLines(c(
  "# The map", "",
  sprintf("Made by `make bench-map` on %s: %s, glmnet %s. Milliseconds of one processor; the ratio is glmnet's default call over a draw, set-up apart. Our worst gap is %.1e.",
    format(Sys.Date()), R.version.string, packageVersion("glmnet"), max(table$gap)), "",
  sprintf("%d cells: the ratio is %.1f in the median and %.2f at worst; %d cells are below 1. The set-up costs %.1f glmnet fits in the median, %.1f at most.",
    nrow(table), median(table$ratio), min(table$ratio), sum(table$ratio < 1), median(table$setup / table$peer),
    max(table$setup / table$peer)), "",
  "## The worst cells", "", head, lines(worst), "", "## All", "", head, lines(table), "", "![ratio by size](map.png)"
), file.path("bench", "map.md"))

png(file.path("bench", "map.png"), 900, 560, res = 110)
colours <- c(dense = "#1b6ca8", ar = "#7a4fa3", binary = "#c2571a", sparse = "#2a8a4a")
sizes <- c(0.8, 1.4)[1 + (table$share < 0.1)]
par(mar = c(4, 4, 1, 1), las = 1)
plot(table$n * table$p, table$ratio, log = "xy", pch = 19, cex = sizes, col = colours[table$kind],
  xlab = "n × p", ylab = "glmnet's time over ours, a draw")
abline(h = c(1, 10), lty = c(1, 3), col = "grey40")
legend("topright", c(names(colours), "large lambda", "small lambda"), pch = 19, bty = "n",
  col = c(colours, "grey40", "grey40"), pt.cex = c(1, 1, 1, 1, 0.8, 1.4))
invisible(dev.off())
