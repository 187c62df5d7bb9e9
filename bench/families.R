# `make bench-families [WORKLOADS="G1 P2"] [CELLS=24] [SEED=1]`: a draw of each family beside the loop over glmnet that
# users write today, from the same weights, in the same run, interleaved: CPU time of one thread, so that a busy
# machine tells the same, and of the named workloads two threads by the clock, which wants a machine with nothing else to do. Nothing but the ratio counts. Beside the named workloads a map of cells that the seed
# chooses, and cross-validation beside cv.glmnet() with its folds and lambdas: some minutes in all. Writes bench/families.md.

library(wbb)
if (!requireNamespace("glmnet", quietly = TRUE)) stop("The benchmarks compare with glmnet: please install it.")
source(file.path("bench", "workloads.R"))

# The workloads of the targets -----------------------------------------------------------------------

# A response of the family for a linear predictor.
respond <- function(family, eta) {
  n <- NROW(eta)
  switch(family,
    binomial = stats::rbinom(n, 1, stats::plogis(eta)),
    poisson = stats::rpois(n, exp(eta)),
    multinomial = factor(apply(exp(eta), 1, function(p) sample(ncol(eta), 1, prob = p))),
    cox = survival::Surv(stats::rexp(n, exp(eta)) + 1e-6, stats::rbinom(n, 1, 0.7))
  )
}

# The lambda (on our scale) of glmnet's path whose fit has about `active` nonzeros.
family_lambda <- function(x, y, family, active) {
  # What lies far beyond is not needed, and costs most.
  path <- glmnet::glmnet(x, y, family = family, standardize = FALSE, nlambda = 60, dfmax = active + 2,
    lambda.min.ratio = if (nrow(x) < ncol(x)) 2e-2 else 1e-3)
  nrow(x) * path$lambda[which.min(abs(path$df - active))]
}

family_workload <- function(family, n, p, signals, size, active, seed, classes = 1, density = 1) {
  set.seed(seed)
  x <- if (density < 1) {
    x <- Matrix::rsparsematrix(n, p, density)
    sd <- sqrt(Matrix::colMeans(x^2) - Matrix::colMeans(x)^2)
    methods::as(x %*% Matrix::Diagonal(x = 1 / sd), "CsparseMatrix")
  } else {
    standardised(matrix(stats::rnorm(n * p), n))
  }
  beta <- replicate(classes, sample(c(seq(size / 10, size, length.out = signals), numeric(p - signals))))
  y <- respond(family, as.matrix(x %*% beta)[, seq_len(classes)])
  list(x = x, y = y, family = family, lambda = if (!is.null(active)) family_lambda(x, y, family, active))
}

of_diabetes <- function(family) {
  x <- standardised(as.matrix(wbb::diabetes[1:10]))
  y <- wbb::diabetes$y
  y <- if (family == "binomial") as.numeric(y > stats::median(y)) else round(y / 30)
  list(x = x, y = y, family = family, lambda = family_lambda(x, y, family, 8))
}

family_workloads <- list(
  G1 = list(label = "logistic 442 x 10", target = 60, draws = 1000, make = function() of_diabetes("binomial")),
  G2 = list(label = "logistic 10,000 x 100", target = 20, draws = 64,
    make = function() family_workload("binomial", 1e4, 100, 50, 0.3, 69, 2)),
  G3 = list(label = "logistic 500 x 5,000", target = 15, draws = 32,
    make = function() family_workload("binomial", 500, 5000, 50, 0.8, 170, 3)),
  G4 = list(label = "logistic 100,000 x 1,000, 1 % nonzero", target = 8, draws = 32,
    make = function() family_workload("binomial", 1e5, 1000, 250, 0.3, 517, 4, density = 0.01)),
  G5 = list(label = "logistic 1,000,000 x 50", target = 30, draws = 16,
    make = function() family_workload("binomial", 1e6, 50, 25, 0.3, 29, 5)),
  P1 = list(label = "poisson 442 x 10", target = 60, draws = 1000, make = function() of_diabetes("poisson")),
  P2 = list(label = "poisson 10,000 x 100", target = 15, draws = 64,
    make = function() family_workload("poisson", 1e4, 100, 50, 0.15, 58, 6)),
  M1 = list(label = "multinomial 150 x 4 x 3 (iris)", target = 20, draws = 800, make = function() {
    x <- standardised(as.matrix(datasets::iris[1:4]))
    list(x = x, y = datasets::iris$Species, family = "multinomial", lambda = 1.5)
  }),
  M2 = list(label = "multinomial 10,000 x 50 x 5", target = 5, draws = 32,
    make = function() family_workload("multinomial", 1e4, 50, 25, 0.3, 40, 7, classes = 5)),
  C1 = list(label = "cox 400 x 15", target = 20, draws = 800,
    make = function() family_workload("cox", 400, 15, 8, 0.4, 10, 8)),
  C2 = list(label = "cox 5,000 x 50", target = 8, draws = 64,
    make = function() family_workload("cox", 5000, 50, 25, 0.3, 35, 9))
)

# A draw of ours and a draw of glmnet's ----------------------------------------------------------------

cpu <- function(expr) sum(system.time(expr, gcFirst = FALSE)[1:2])
clock <- function(expr) system.time(expr, gcFirst = FALSE)[["elapsed"]]

run_family <- function(data, draws, threads = 1) {
  wbb::wbb_lasso(data$x, data$y, family = data$family, lambda = data$lambda, draws = draws, seed = 1,
    standardize = FALSE, threads = threads, progress = FALSE, keep_data = FALSE)
}

# glmnet divides weights by their sum, so its lambda is ours times w0 / sum(w).
glmnet_family_draw <- function(data, w, w0, thresh) {
  glmnet::glmnet(data$x, data$y, family = data$family, weights = w, standardize = FALSE,
    lambda = data$lambda * w0 / sum(w), thresh = thresh)
}

# What a draw costs, and what is paid once: everything before the draws, and the unit-weight solutions that they
# start from, nearly all of which the first quarter finds. The others are timed, again and again until this many seconds are spent.
# A single draw with a small prior weight can cost ten times as much as the others, so a peer is given the very same.
timed <- function(draws) seq(max(1, draws %/% 4) + 1, draws)

cost_of_draws <- function(data, draws, threads = 1, seconds = 0) {
  few <- min(timed(draws)) - 1
  time <- if (threads > 1) clock else cpu
  first <- all <- numeric()
  while (!length(all) || sum(all) < seconds) {
    first <- c(first, time(run_family(data, few, threads)))
    all <- c(all, time(fit <- run_family(data, draws, threads)))
  }
  first <- mean(first)
  all <- mean(all)
  # A busy machine may say that more draws cost less: then all of them count, with what is paid once.
  each <- if (all > first) (all - first) / (draws - few) else all / draws
  list(each = each, once = max(first - few * each, 0), fit = fit)
}

# The same draws of glmnet's, from their weights.
peer_draws <- function(data, fit, thresh, which = timed(nrow(fit$diagnostics))) {
  n <- nrow(data$x)
  w <- weights(fit, draws = which)
  for (k in seq_along(which)) glmnet_family_draw(data, w[k, seq_len(n)], w[k, n + 1], thresh)
}

# Three rounds, or as many as begin within these seconds.
bench_family <- function(name, rounds = 3, seconds = 10) {
  workload <- family_workloads[[name]]
  message(name, ": ", workload$label)
  data <- workload$make()
  ours <- once <- two <- peer <- peer_clock <- tight <- numeric()
  began <- sum(proc.time()[1:2])
  for (round in seq_len(rounds)) {
    if (round > 1 && sum(proc.time()[1:2]) - began > seconds) break
    cost <- cost_of_draws(data, workload$draws, seconds = 1)
    fit <- cost$fit
    ours <- c(ours, cost$each)
    once <- c(once, cost$once)
    two <- c(two, cost_of_draws(data, workload$draws, threads = 2, seconds = 1)$each)
    which <- timed(workload$draws)
    spent <- system.time(peer_draws(data, fit, 1e-7), gcFirst = FALSE)
    peer <- c(peer, sum(spent[1:2]) / length(which))
    peer_clock <- c(peer_clock, spent[["elapsed"]] / length(which))
    fewer <- which[seq_len(max(1, length(which) %/% 4))]
    tight <- c(tight, cpu(peer_draws(data, fit, 1e-12, fewer)) / length(fewer))
  }
  data.frame(workload = name, label = workload$label, method = fit$method, ours_ms = 1e3 * stats::median(ours),
    once_ms = 1e3 * stats::median(once), glmnet_ms = 1e3 * stats::median(peer), tight_ms = 1e3 * stats::median(tight),
    ratio = stats::median(peer) / stats::median(ours), ratio_tight = stats::median(tight) / stats::median(ours),
    two_ms = 1e3 * stats::median(two), two_ratio = stats::median(peer_clock) / stats::median(two), target = workload$target,
    iterations = stats::median(fit$diagnostics$iterations), worst_gap = max(fit$diagnostics$gap),
    converged = mean(fit$diagnostics$status == "converged"))
}

# A map by chance -------------------------------------------------------------------------------------------

map_of_families <- expand.grid(family = c("binomial", "poisson", "multinomial", "cox"), n = c(200, 1000, 5000, 20000, 50000),
  p = c(50, 200, 1000, 3000, 5000), density = c(0.005, 0.01, 0.05, 0.2, 1), share = c(0.3, 0.1, 0.03, 0.01),
  classes = c(3, 5, 10), stringsAsFactors = FALSE)
# Other families have one predictor; what is larger takes minutes, and columns of less than two entries say nothing.
map_of_families <- subset(map_of_families, (family == "multinomial" | classes == 3) & n * density >= 2 &
  n * p * density * ifelse(family == "multinomial", classes, 1) <= 1e6)

# A cell that takes longer than this many seconds of CPU is left out, and counted.
longest <- 20

chance_cell <- function(cell, seconds = 0.5) {
  setTimeLimit(cpu = longest)
  on.exit(setTimeLimit())
  signals <- min(cell$p, 30)
  classes <- if (cell$family == "multinomial") cell$classes else 1
  data <- family_workload(cell$family, cell$n, cell$p, signals, 2 / sqrt(signals), NULL, cell$n + cell$p, classes, cell$density)
  largest <- nrow(data$x) * suppressWarnings(glmnet::glmnet(data$x, data$y, family = cell$family, standardize = FALSE,
    nlambda = 3, lambda.min.ratio = 0.9))$lambda[1]
  data$lambda <- cell$share * largest
  # As many draws as glmnet takes these seconds for.
  about <- cpu(suppressWarnings(peer_draws(data, suppressWarnings(run_family(data, 4)), 1e-7))) / 3
  draws <- min(1000, max(12, round(4 / 3 * seconds / about)))
  cost <- suppressWarnings(cost_of_draws(data, draws, seconds = seconds))
  spent <- cpu(suppressWarnings(peer_draws(data, cost$fit, 1e-7))) / length(timed(draws))
  data.frame(cell, method = cost$fit$method, ours_ms = 1e3 * cost$each, once_ms = 1e3 * cost$once, glmnet_ms = 1e3 * spent,
    ratio = spent / cost$each, worst_gap = max(cost$fit$diagnostics$gap),
    converged = mean(cost$fit$diagnostics$status == "converged"))
}

bench_map <- function(cells, seed) {
  set.seed(seed)
  chosen <- map_of_families[sample(nrow(map_of_families), cells), ]
  left_out <- character()
  rows <- lapply(split(chosen, seq_len(cells)), function(cell) {
    message(paste(unlist(cell), collapse = " "))
    tryCatch(chance_cell(cell), error = function(e) {
      message("  left out: ", conditionMessage(e))
      left_out <<- c(left_out, paste(unlist(cell), collapse = " "))
      NULL
    })
  })
  structure(do.call(rbind, rows), left_out = left_out)
}

cell_row <- function(r) {
  sprintf("| %s%s | %s × %s | %s | %s | %s | %.3g | %.3g | %.3g | **%.2g×** | %.1e | %.0f %% |", r$family,
    if (r$family == "multinomial") paste0(", ", r$classes, " classes") else "", format(r$n, big.mark = ","),
    format(r$p, big.mark = ","), if (r$density < 1) paste(100 * r$density, "%") else "dense", r$share, r$method, r$ours_ms,
    r$once_ms, r$glmnet_ms, r$ratio, r$worst_gap, 100 * r$converged)
}

# Cross-validation beside cv.glmnet() ---------------------------------------------------------------------------

cv_cells <- data.frame(
  family = rep(c("binomial", "poisson", "multinomial", "cox"), each = 3),
  n = rep(c(500, 2000, 2000), 4), p = rep(c(20, 100, 300), 4), density = rep(c(1, 1, 0.02), 4)
)

bench_cv <- function(cell) {
  message("cross-validation: ", paste(unlist(cell), collapse = " "))
  classes <- if (cell$family == "multinomial") 3 else 1
  data <- family_workload(cell$family, cell$n, cell$p, 15, 0.5, NULL, 3, classes, cell$density)
  set.seed(1)
  fold <- sample(rep(1:10, length.out = cell$n))
  theirs <- cpu(peer <- suppressWarnings(glmnet::cv.glmnet(data$x, data$y, family = cell$family, foldid = fold,
    standardize = FALSE)))
  ours <- cpu(fit <- suppressWarnings(wbb::wbb_lasso(data$x, data$y, family = cell$family, foldid = fold, draws = 1, seed = 1,
    nlambda = length(peer$lambda), lambda_min_ratio = min(peer$lambda) / max(peer$lambda), standardize = FALSE,
    threads = 1, progress = FALSE, keep_data = FALSE)))
  data.frame(cell, ours_s = ours, theirs_s = theirs, ratio = theirs / ours, lambda = fit$lambda / (cell$n * peer$lambda.min))
}

cv_row <- function(r) {
  sprintf("| %s | %s × %s | %s | %.3g | %.3g | **%.2g×** | %.3g |", r$family, format(r$n, big.mark = ","), r$p,
    if (r$density < 1) paste(100 * r$density, "%") else "dense", r$ours_s, r$theirs_s, r$ratio, r$lambda)
}

rows_of <- function(table, row) vapply(split(table, seq_len(nrow(table))), row, "", USE.NAMES = FALSE)

family_row <- function(r) {
  sprintf("| %s %s | %s | %.3g | %.3g | %.3g | %.1f× | %.3g | %.0f× | %.3g | **%.1f×** | %d× | %.0f | %.1e |", r$workload, r$label,
    r$method, r$ours_ms, r$once_ms, r$glmnet_ms, r$ratio, r$tight_ms, r$ratio_tight, r$two_ms, r$two_ratio, r$target, r$iterations,
    r$worst_gap)
}

if (sys.nframe() == 0L) {
  chosen <- strsplit(Sys.getenv("WORKLOADS", paste(names(family_workloads), collapse = " ")), " ")[[1]]
  cells <- as.integer(Sys.getenv("CELLS", "24"))
  seed <- as.integer(Sys.getenv("SEED", "1"))
  table <- do.call(rbind, lapply(chosen, bench_family))
  print(table, digits = 3)
  map <- bench_map(cells, seed)
  left_out <- attr(map, "left_out")
  print(map, digits = 3)
  cv <- do.call(rbind, lapply(split(cv_cells, seq_len(nrow(cv_cells))), bench_cv))
  print(cv, digits = 3)
  worst <- map[which.min(map$ratio), ]
  writeLines(c(
    "# Families", "",
    sprintf("Made by `make bench-families` on %s: %s, glmnet %s, wbb %s.", format(Sys.Date()), R.version.string,
      utils::packageVersion("glmnet"), utils::packageVersion("wbb")),
    "CPU milliseconds on one thread; glmnet in a loop of single-lambda calls from the same weights. Our gap is certified.",
    "\"Once\" is what a fit pays whatever the number of draws: everything before them, and the solutions that they start from.", "",
    "## The workloads of the targets", "",
    "Medians of up to three interleaved rounds; glmnet at its default threshold and at 1e-12. Two threads: our draws on two, by the clock,",
    "beside glmnet's default call by the clock; the target is for that ratio.", "",
    "| workload | method | a draw, ms | once, ms | glmnet, ms | ratio | glmnet at 1e-12, ms | ratio | two threads, ms | ratio | target | our rounds | our worst gap |",
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    rows_of(table, family_row), "",
    "## Cells by chance", "",
    sprintf("%d of %d cells of the map, by seed %d: a draw is %.1f times as fast as glmnet's default call in the median, below 1 in %d.",
      nrow(map), nrow(map_of_families), seed, stats::median(map$ratio), sum(map$ratio < 1)),
    sprintf("Left out, because both together took more than %d CPU seconds or one ended in an error: %s.", longest,
      if (length(left_out)) toString(left_out) else "none"),
    sprintf("The worst: %s, %s × %s, density %s, lambda %s of the largest: %.2g times.", worst$family, format(worst$n, big.mark = ","),
      format(worst$p, big.mark = ","), worst$density, worst$share, worst$ratio), "",
    "| family | rows × columns | nonzero | lambda / largest | method | a draw, ms | once, ms | glmnet, ms | ratio | our worst gap | converged |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
    rows_of(map[order(map$ratio), ], cell_row), "",
    "## Cross-validation", "",
    "Ten folds, the folds and lambdas of `cv.glmnet()`; CPU seconds of the whole call (ours with the mode and one draw), and our lambda over theirs.", "",
    sprintf("%.1f times as fast in the median, %.2g at worst.", stats::median(cv$ratio), min(cv$ratio)), "",
    "| family | rows × columns | nonzero | wbb, s | cv.glmnet, s | ratio | lambda |",
    "|---|---|---|---|---|---|---|",
    rows_of(cv[order(cv$ratio), ], cv_row)
  ), file.path("bench", "families.md"))
}
