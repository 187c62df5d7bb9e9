# `make bench-families [WORKLOADS="G1 P2"]`: a draw of each family beside the loop over glmnet that users write
# today, from the same weights, in the same run, interleaved; CPU time of one thread, so that a busy
# machine tells the same. Nothing but the ratio counts. Writes bench/families.md.

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
  path <- glmnet::glmnet(x, y, family = family, standardize = FALSE, nlambda = 60,
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
  list(x = x, y = y, family = family, lambda = family_lambda(x, y, family, active))
}

of_diabetes <- function(family) {
  x <- standardised(as.matrix(wbb::diabetes[1:10]))
  y <- wbb::diabetes$y
  y <- if (family == "binomial") as.numeric(y > stats::median(y)) else round(y / 30)
  list(x = x, y = y, family = family, lambda = family_lambda(x, y, family, 8))
}

family_workloads <- list(
  G1 = list(label = "logistic 442 x 10", draws = 1000, peer_draws = 40, make = function() of_diabetes("binomial")),
  G2 = list(label = "logistic 10,000 x 100", draws = 200, peer_draws = 10,
    make = function() family_workload("binomial", 1e4, 100, 50, 0.3, 69, 2)),
  G3 = list(label = "logistic 500 x 5,000", draws = 64, peer_draws = 8,
    make = function() family_workload("binomial", 500, 5000, 50, 0.8, 170, 3)),
  G4 = list(label = "logistic 100,000 x 1,000, 1 % nonzero", draws = 32, peer_draws = 4,
    make = function() family_workload("binomial", 1e5, 1000, 250, 0.3, 517, 4, density = 0.01)),
  G5 = list(label = "logistic 1,000,000 x 50", draws = 16, peer_draws = 2,
    make = function() family_workload("binomial", 1e6, 50, 25, 0.3, 29, 5)),
  P1 = list(label = "poisson 442 x 10", draws = 1000, peer_draws = 40, make = function() of_diabetes("poisson")),
  P2 = list(label = "poisson 10,000 x 100", draws = 200, peer_draws = 10,
    make = function() family_workload("poisson", 1e4, 100, 50, 0.15, 58, 6)),
  M1 = list(label = "multinomial 150 x 4 x 3 (iris)", draws = 500, peer_draws = 40, make = function() {
    x <- standardised(as.matrix(datasets::iris[1:4]))
    list(x = x, y = datasets::iris$Species, family = "multinomial", lambda = 1.5)
  }),
  M2 = list(label = "multinomial 10,000 x 50 x 5", draws = 64, peer_draws = 4,
    make = function() family_workload("multinomial", 1e4, 50, 25, 0.3, 40, 7, classes = 5)),
  C1 = list(label = "cox 400 x 15", draws = 500, peer_draws = 40,
    make = function() family_workload("cox", 400, 15, 8, 0.4, 10, 8)),
  C2 = list(label = "cox 5,000 x 50", draws = 64, peer_draws = 8,
    make = function() family_workload("cox", 5000, 50, 25, 0.3, 35, 9))
)

# A draw of ours and a draw of glmnet's ----------------------------------------------------------------

cpu <- function(expr) sum(system.time(expr, gcFirst = FALSE)[1:2])

run_family <- function(data, draws, first_draw = 1) {
  wbb::wbb_lasso(data$x, data$y, family = data$family, lambda = data$lambda, draws = draws, seed = 1,
    first_draw = first_draw, standardize = FALSE, threads = 1, progress = FALSE, keep_data = FALSE)
}

# glmnet divides weights by their sum, so its lambda is ours times w0 / sum(w).
glmnet_family_draw <- function(data, w, w0, thresh) {
  glmnet::glmnet(data$x, data$y, family = data$family, weights = w, standardize = FALSE,
    lambda = data$lambda * w0 / sum(w), thresh = thresh)
}

bench_family <- function(name, rounds = 3) {
  workload <- family_workloads[[name]]
  message(name, ": ", workload$label)
  data <- workload$make()
  n <- nrow(data$x)
  ours <- peer <- tight <- numeric()
  for (round in seq_len(rounds)) {
    fit <- NULL
    # What comes before the draws is paid once: the draws are what two runs differ by.
    once <- cpu(run_family(data, 1))
    many <- cpu(fit <- run_family(data, workload$draws))
    ours <- c(ours, (many - once) / (workload$draws - 1))
    w <- weights(fit, draws = seq_len(workload$peer_draws))
    draw <- function(k, thresh) glmnet_family_draw(data, w[k, seq_len(n)], w[k, n + 1], thresh)
    peer <- c(peer, cpu(for (k in seq_len(nrow(w))) draw(k, 1e-7)) / nrow(w))
    tight <- c(tight, cpu(for (k in seq_len(max(1, nrow(w) %/% 4))) draw(k, 1e-12)) / max(1, nrow(w) %/% 4))
  }
  data.frame(workload = name, label = workload$label, method = fit$method, ours_ms = 1e3 * stats::median(ours),
    glmnet_ms = 1e3 * stats::median(peer), tight_ms = 1e3 * stats::median(tight),
    ratio = stats::median(peer) / stats::median(ours), ratio_tight = stats::median(tight) / stats::median(ours),
    iterations = stats::median(fit$diagnostics$iterations), worst_gap = max(fit$diagnostics$gap),
    converged = mean(fit$diagnostics$status == "converged"))
}

family_row <- function(r) {
  sprintf("| %s %s | %s | %.3g | %.3g | **%.0f×** | %.3g | %.0f× | %.0f | %.1e |", r$workload, r$label, r$method,
    r$ours_ms, r$glmnet_ms, r$ratio, r$tight_ms, r$ratio_tight, r$iterations, r$worst_gap)
}

if (sys.nframe() == 0L) {
  chosen <- strsplit(Sys.getenv("WORKLOADS", paste(names(family_workloads), collapse = " ")), " ")[[1]]
  table <- do.call(rbind, lapply(chosen, bench_family))
  print(table, digits = 3)
  writeLines(c(
    "# Families", "",
    sprintf("Made by `make bench-families` on %s: %s, glmnet %s, wbb %s.", format(Sys.Date()), R.version.string,
      utils::packageVersion("glmnet"), utils::packageVersion("wbb")),
    "CPU milliseconds a draw on one thread, medians of three interleaved rounds; glmnet in a loop of single-lambda",
    "calls from the same weights, at its default threshold and at 1e-12. Our gap is certified.", "",
    "| workload | method | wbb, ms | glmnet, ms | ratio | glmnet at 1e-12, ms | ratio | our rounds | our worst gap |",
    "|---|---|---|---|---|---|---|---|---|",
    vapply(split(table, seq_len(nrow(table))), family_row, "")
  ), file.path("bench", "families.md"))
}
