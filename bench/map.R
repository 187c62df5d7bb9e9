# `make bench-map`: wbb_lasso() beside glmnet on a map of shapes, kinds of columns, lambdas and mixings, in one process
# and one thread, processor time. The cells are drawn from the whole map by a seed, so that none is known beforehand:
#
#   make bench-map MAP="cells=120 cv=24 seed=1 minutes=8 kinds=sparse,ar"      other cells, more of them, more time, some kinds
#
# The set-up (everything but the draws) and the cost of a draw are told apart by fits of one, ten and more draws.
# Cross-validation has the folds and the lambdas of cv.glmnet(). Writes bench/map.md and bench/map.png.

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
  max(sum((proc.time() - before)[1:2]), 1e-4)
}

# Mean time of calls of f(k), k = 1, 2, ..., for about this many seconds.
repeated <- function(f, most, seconds) {
  spent <- numeric()
  while (length(spent) < most && (length(spent) < 3 || sum(spent) < seconds) && sum(spent) < 10 * seconds) {
    spent <- c(spent, processor(f(length(spent) + 1)))
  }
  mean(spent)
}

measure_draws <- function(n, p, kind, density, share, alpha, seconds = 0.3) {
  data <- make_data(n, p, kind, density)
  lambda <- share * data$largest / alpha
  run <- function(draws) {
    wbb_lasso(data$x, data$y, lambda = lambda, alpha = alpha, draws = draws, seed = 1, threads = 1,
      standardize = FALSE, keep_data = FALSE)
  }
  one <- repeated(function(k) run(1), 20, seconds / 3)
  ten <- processor(run(10))
  draws <- max(20, min(10000, round(9 * seconds / max(ten - one, 1e-4))))
  more <- processor(fit <- run(draws))
  w <- weights(fit, draws = seq_len(min(draws, 100)))
  peer <- repeated(function(k) {
    w_k <- w[k, seq_len(n)]
    glmnet::glmnet(data$x, data$y, weights = w_k, standardize = FALSE, alpha = alpha,
      lambda = lambda * w[k, n + 1] / sum(w_k))
  }, nrow(w), seconds)
  draw <- max((more - one) / (draws - 1), 1e-7)
  setup <- max(one - draw, 0)
  data.frame(n, p, kind, density, share, alpha, method = fit$method,
    active = round(mean(rowSums(as.matrix(fit)[, -1, drop = FALSE] != 0))),
    setup, draw, peer, ratio = peer / draw, fits = setup / peer, ten = 10 * peer / ten,
    thousand = 1000 * peer / (setup + 1000 * draw), gap = max(fit$diagnostics$gap))
}

# `off` is the largest difference of the curves in standard errors of cv.glmnet's; it restandardises in each fold.
measure_cv <- function(n, p, kind, density, alpha) {
  data <- make_data(n, p, kind, density)
  foldid <- sample(rep_len(1:10, n))
  peer <- processor(cv <- glmnet::cv.glmnet(data$x, data$y, foldid = foldid, alpha = alpha))
  ours <- processor(fit <- wbb_lasso(data$x, data$y, alpha = alpha, foldid = foldid, draws = 1, seed = 1,
    threads = 1, keep_data = FALSE))
  same <- seq_len(min(length(cv$lambda), length(fit$cv$curve$lambda)))
  data.frame(n, p, kind, density, alpha, lambdas = length(same), ours, peer, ratio = peer / ours,
    off = max(abs(fit$cv$curve$mean[same] - cv$cvm[same]) / cv$cvsd[same]))
}

settings <- list(cells = 120, cv = 24, seed = 1, minutes = 8, kinds = "dense,ar,binary,sparse")
given <- strsplit(commandArgs(TRUE), "=", fixed = TRUE)
for (g in given) settings[[g[1]]] <- if (g[1] == "kinds") g[2] else as.numeric(g[2])
kinds <- strsplit(settings$kinds, ",")[[1]]

# The whole map: what fits into a minute of glmnet.
shapes <- expand.grid(n = c(50, 200, 1000, 5000, 30000, 200000, 1e6), p = c(2, 5, 30, 200, 1000, 3000, 10000, 50000),
  kind = kinds, density = c(0.001, 0.01, 0.05, 0.2), stringsAsFactors = FALSE)
shapes$density[shapes$kind != "sparse"] <- 1
shapes <- unique(shapes)
entries <- shapes$n * shapes$p * shapes$density
shapes <- shapes[entries <= 1.2e7 & entries >= 50 & shapes$n * shapes$p <= 5e8, ]
draws_map <- merge(shapes, expand.grid(share = c(0.5, 0.1, 0.03, 0.01, 0.001), alpha = c(1, 1, 0.5)))
entries <- shapes$n * shapes$p * shapes$density
cv_map <- merge(shapes[entries <= 2.5e6, ], data.frame(alpha = c(1, 0.5)))

# As many of each kind, in random order: the time may end before the cells do.
sample_cells <- function(map, count) {
  set.seed(settings$seed)
  of_kind <- split(seq_len(nrow(map)), factor(map$kind, kinds))
  chosen <- lapply(of_kind, function(rows) rows[sample.int(length(rows), min(length(rows), ceiling(count / length(kinds))))])
  map[sample(unlist(chosen)), ]
}

run_cells <- function(cells, measure, say, minutes) {
  start <- proc.time()[["elapsed"]]
  rows <- lapply(seq_len(nrow(cells)), function(k) {
    if (k > 1 && proc.time()[["elapsed"]] - start > 60 * minutes) return(NULL)
    row <- do.call(measure, cells[k, ])
    message(say(row))
    gc(FALSE)
    row
  })
  do.call(rbind, rows)
}
shape <- function(r) sprintf("%s × %s", format(r$n, big.mark = ",", scientific = FALSE), format(r$p, big.mark = ",", scientific = FALSE))
columns_of <- function(r) if (r$kind == "sparse") sprintf("sparse, %.3g %%", 100 * r$density) else r$kind

table <- run_cells(sample_cells(draws_map, settings$cells), measure_draws, function(r) {
  sprintf("%s %s, lambda %.3g: set-up %.1f ms (%.1f fits), a draw %.3f ms, glmnet %.3f ms, %.1f times", shape(r), columns_of(r),
    r$share, 1e3 * r$setup, r$fits, 1e3 * r$draw, 1e3 * r$peer, r$ratio)
}, 0.7 * settings$minutes)
cv_table <- run_cells(sample_cells(cv_map, settings$cv), measure_cv, function(r) {
  sprintf("%s %s: cross-validation %.1f ms, cv.glmnet %.1f ms, %.1f times", shape(r), columns_of(r), 1e3 * r$ours,
    1e3 * r$peer, r$ratio)
}, 0.3 * settings$minutes)

line <- function(r) {
  sprintf("| %s | %s | %.3g / %.2g | %d | %s | %.1f | %.3f | %.3f | **%.1f** | %.1f | %.1f | %.1f |",
    shape(r), columns_of(r), r$share, r$alpha, r$active, r$method, 1e3 * r$setup, 1e3 * r$draw, 1e3 * r$peer, r$ratio,
    r$fits, r$ten, r$thousand)
}
cv_line <- function(r) {
  sprintf("| %s | %s | %.2g | %d | %.1f | %.1f | **%.1f** | %.2f |", shape(r), columns_of(r), r$alpha, r$lambdas,
    1e3 * r$ours, 1e3 * r$peer, r$ratio, r$off)
}
lines <- function(rows, line) vapply(split(rows, seq_len(nrow(rows))), line, "")
head <- c("| n × p | columns | lambda / largest, alpha | active | method | set-up, ms | a draw, ms | glmnet, ms | ratio | set-up, glmnet fits | ratio at 10 draws | at 1,000 |",
  "|---|---|---|---|---|---|---|---|---|---|---|---|")
cv_head <- c("| n × p | columns | alpha | lambdas | wbb, ms | cv.glmnet, ms | ratio | curves differ, standard errors |", "|---|---|---|---|---|---|---|---|")
worst <- function(rows, by, count = 8) rows[order(by), ][seq_len(min(count, nrow(rows))), ]
summary_of <- function(what, ratio) {
  sprintf("%s: %.1f in the median, %.2f at worst, below 1 in %d of %d cells.", what, median(ratio), min(ratio),
    sum(ratio < 1), length(ratio))
}

writeLines(c(
  "# The map", "",
  sprintf("Made by `make bench-map` (seed %d) on %s: %s, glmnet %s. Milliseconds of one processor; a ratio is glmnet's default call over ours, set-up apart unless draws are named. Our worst gap is %.1e.",
    settings$seed, format(Sys.Date()), R.version.string, packageVersion("glmnet"), max(table$gap)), "",
  paste("-", c(summary_of("A draw, set-up apart", table$ratio), summary_of("Ten draws, everything counted", table$ten),
    summary_of("A thousand draws, everything counted", table$thousand), summary_of("Cross-validation", cv_table$ratio),
    sprintf("Set-up: %.1f glmnet fits in the median, %.1f at most; above 3 in %d of %d cells.", median(table$fits),
      max(table$fits), sum(table$fits > 3), nrow(table)))), "",
  "![ratios by shape](map.png)", "",
  "## The worst cells by a draw", "", head, lines(worst(table, table$ratio), line), "",
  "## The worst cells by set-up", "", head, lines(worst(table, -table$fits), line), "",
  "## Cross-validation, the worst first", "", cv_head, lines(worst(cv_table, cv_table$ratio, Inf), cv_line), "",
  "## All cells", "", head, lines(worst(table, table$ratio, Inf), line)
), file.path("bench", "map.md"))

# One panel a kind: n across, p upwards, the ratio as colour; red is slower than glmnet.
breaks <- c(0, 0.5, 1, 3, 10, 30, 100, Inf)
colours <- c("#a50026", "#f46d43", "#fee090", "#abd9e9", "#74add1", "#4575b4", "#313695")
names_of <- c("< 0.5", "0.5–1", "1–3", "3–10", "10–30", "30–100", "> 100")
panel <- function(rows, title, sized) {
  plot(NA, xlim = c(30, 2e6), ylim = c(0.6, 1e5), log = "xy", xlab = "n", ylab = "p", main = title, xaxt = "n", yaxt = "n")
  axis(1, 10^(2:6), c("100", "1,000", "10⁴", "10⁵", "10⁶"))
  axis(2, 10^(0:4), c("1", "10", "100", "1,000", "10⁴"), las = 1)
  set.seed(1)
  points(rows$n * exp(runif(nrow(rows), -0.35, 0.35)), rows$p * exp(runif(nrow(rows), -0.35, 0.35)), pch = 21, cex = sized,
    bg = colours[cut(rows$ratio, breaks, labels = FALSE)], col = "grey30", lwd = 0.6)
}
png(file.path("bench", "map.png"), 1100, 760, res = 110)
par(mfrow = c(2, 3), mar = c(4, 4, 2, 1), mgp = c(2.4, 0.7, 0), cex.main = 1)
for (kind in kinds) {
  rows <- table[table$kind == kind, ]
  panel(rows, if (kind == "sparse") "sparse, larger: denser" else kind,
    if (kind == "sparse") 1 + 0.5 * (log10(rows$density) + 3) else 1.4)
}
panel(cv_table, "cross-validation", 1.4)
plot.new()
legend("center", names_of, pch = 21, pt.bg = colours, col = "grey30", pt.cex = 1.6, bty = "n",
  title = "glmnet's time over ours")
invisible(dev.off())
