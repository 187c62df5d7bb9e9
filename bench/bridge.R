# `Rscript bench/bridge.R`: bayes_bridge() beside the samplers that are installed, on the diabetes
# data: workload B1, alpha = 1/2, nu ~ Gamma(2, rate 2), 10,000 draws after 2,000. All in one run,
# interleaved; the best of the rounds, since a shared machine only adds. Writes bench/bridge.md.
library(wbb)

x <- scale(as.matrix(diabetes[1:10])) * sqrt(442 / 441)
y <- diabetes$y - mean(diabetes$y)
draws <- 10000
burn <- 2000

# A sampler returns a list of chains, a matrix of draws of the ten coefficients each.
samplers <- list("wbb, 2 chains on 2 threads" = function() {
  fit <- bayes_bridge(x, y, draws = draws, burn = burn, chains = 2, threads = 2, standardize = FALSE)
  split_chains(as.matrix(fit)[, -1], 2)
}, "wbb, 1 chain" = function() {
  fit <- bayes_bridge(x, y, draws = draws, burn = burn, chains = 1, threads = 1, standardize = FALSE)
  split_chains(as.matrix(fit)[, -1], 1)
})
installed <- function(package) requireNamespace(package, quietly = TRUE)
if (installed("BayesBridge")) {
  # bridge.reg() ignores alpha, nu and burn; these two take them.
  samplers[["BayesBridge, triangle"]] <- function() list(BayesBridge::bridge.reg.tri(y, x, nsamp = draws, alpha = 0.5,
    sig2.shape = 0, sig2.scale = 0, nu.shape = 2, nu.rate = 2, burn = burn, verbose = 0)$beta)
  samplers[["BayesBridge, stable"]] <- function() list(BayesBridge::bridge.reg.stb(y, x, nsamp = draws, alpha = 0.5,
    sig2.shape = 0, sig2.scale = 0, nu.shape = 2, nu.rate = 2, burn = burn, verbose = 0)$beta)
}
if (installed("monomvn")) {
  samplers[["monomvn blasso (lasso prior)"]] <- function() {
    fit <- monomvn::blasso(x, y, T = draws + burn, RJ = FALSE, verb = 0, normalize = FALSE)
    list(fit$beta[-seq_len(burn), ])
  }
}
if (installed("bayesreg")) {
  samplers[["bayesreg (lasso prior)"]] <- function() {
    fit <- bayesreg::bayesreg(y ~ ., data.frame(x, y = y), prior = "lasso", n.samples = draws, burnin = burn)
    list(t(fit$beta))
  }
}

split_chains <- function(draws, chains) {
  lapply(split(seq_len(nrow(draws)), rep(seq_len(chains), each = nrow(draws) / chains)), function(rows) draws[rows, ])
}

measure <- function(sampler) {
  seconds <- system.time(chains <- sampler(), gcFirst = FALSE)[["elapsed"]]
  ess <- vapply(seq_len(10), function(j) {
    wbb:::job_diagnose(unlist(lapply(chains, function(chain) chain[, j])), length(chains))[2]
  }, 0)
  c(us = 1e6 * seconds / (draws + burn), min_ess = min(ess) / seconds, median_ess = stats::median(ess) / seconds)
}

rounds <- lapply(1:7, function(round) {
  set.seed(round)
  vapply(samplers, measure, numeric(3))
})
best <- function(what, choose) apply(vapply(rounds, function(r) r[what, ], numeric(length(samplers))), 1, choose)
table <- data.frame(sampler = names(samplers), us = best("us", min), min_ess = best("min_ess", max),
  median_ess = best("median_ess", max), row.names = NULL)
print(table, digits = 3)

number <- function(v) format(signif(v, 3), big.mark = ",", scientific = FALSE, trim = TRUE)
absent <- Filter(Negate(installed), c("BayesBridge", "monomvn", "bayesreg"))
writeLines(c(
  "# Bayesian bridge on the diabetes data",
  "",
  sprintf("Made by `Rscript bench/bridge.R` on %s, %s. 442 × 10, alpha = 1/2, nu ~ Gamma(2, rate 2), 10,000 draws", format(Sys.Date()), R.version.string),
  "a chain after 2,000; the whole call from R; best of seven rounds.",
  if (length(absent)) paste0("Not installed, so not measured: ", paste(absent, collapse = ", "), "."),
  "",
  "| sampler | µs per iteration | min ESS per second | median ESS per second |",
  "|---|---|---|---|",
  sprintf("| %s | %.2f | %s | %s |", table$sampler, table$us, number(table$min_ess), number(table$median_ess))
), file.path("bench", "bridge.md"))
