# The numbers of the vignette "trust": how often intervals contain the truth, over data that were simulated from it.
#   Rscript inst/scripts/trust.R sets=200 seed=1 out=inst/extdata/trust.csv
# One row a setting, method and kind of coefficient: coverage of nominal 95 % intervals with its standard error over data sets, and
# their mean width.
library(wbb)

asked <- list(sets = "40", seed = "1", out = "inst/extdata/trust.csv")
for (given in strsplit(commandArgs(TRUE), "=", fixed = TRUE)) asked[[given[1]]] <- given[2]
sets <- as.integer(asked$sets)
options(wbb.threads = 2L, warn = -1L)

# Two strong coefficients, two weak ones, four that are zero.
truth <- c(1, -1, 0.3, -0.3, 0, 0, 0, 0)
kind <- c("strong", "strong", "weak", "weak", rep("zero", 4))

lasso_set <- function(n, rho, set) {
  set.seed(1000 * as.integer(asked$seed) + set)
  x <- matrix(rnorm(8 * n), n) %*% chol(rho^abs(outer(1:8, 1:8, "-")))
  y <- drop(x %*% truth) + rnorm(n)
  random <- wbb_lasso(x, y, draws = 500, seed = set)
  again <- function(...) wbb_lasso(x, y, lambda = random$lambda, draws = 500, seed = set, ...)
  limits <- list(
    random = confint(random), fixed = confint(again(prior_weight = "fixed")), coef = confint(again(prior_weight = "coef")),
    refit = confint(wbb_lasso(x, y, draws = 500, seed = set, prior_weight = "fixed", refit = TRUE)),
    `random, calibrated` = confint(calibrate(random, 100, draws = 200, seed = set)),
    `fixed, calibrated` = confint(calibrate(again(prior_weight = "fixed"), 100, draws = 200, seed = set)),
    `least squares` = confint(lm(y ~ x))
  )
  do.call(rbind, lapply(names(limits), function(method) {
    slopes <- limits[[method]][-1L, ]
    inside <- slopes[, 1L] <= truth & truth <= slopes[, 2L]
    data.frame(method = method, kind = unique(kind), inside = as.vector(tapply(inside, factor(kind, unique(kind)), mean)),
      width = as.vector(tapply(slopes[, 2L] - slopes[, 1L], factor(kind, unique(kind)), mean)))
  }))
}

# A smooth signal: bands at every point, and of all points at once.
trend_set <- function(n, set) {
  set.seed(1000 * as.integer(asked$seed) + set)
  at <- seq_len(n) / n
  signal <- sin(6 * at)
  fit <- wbb_trendfilter(signal + rnorm(n, sd = 0.3), order = 2, draws = 300, seed = set)
  band <- function(interval) {
    limits <- predict(fit, interval = interval)
    inside <- limits[, "lwr"] <= signal & signal <= limits[, "upr"]
    data.frame(method = interval, kind = "trend", inside = if (interval == "simultaneous") all(inside) else mean(inside),
      width = mean(limits[, "upr"] - limits[, "lwr"]))
  }
  rbind(band("credible"), band("simultaneous"))
}

over_sets <- function(one, ...) {
  found <- do.call(rbind, lapply(seq_len(sets), one))
  by <- found[c("method", "kind")]
  mean <- aggregate(found[c("inside", "width")], by, mean)
  error <- aggregate(found["inside"], by, function(v) sd(v) / sqrt(length(v)))
  data.frame(..., mean[c("method", "kind")], coverage = round(mean$inside, 3), se = round(error$inside, 3), width = round(mean$width, 3))
}

settings <- expand.grid(n = c(40, 200), rho = c(0, 0.8))
rows <- lapply(seq_len(nrow(settings)), function(k) {
  n <- settings$n[k]
  rho <- settings$rho[k]
  over_sets(function(set) lasso_set(n, rho, set), what = "lasso", n = n, rho = rho)
})
trends <- lapply(c(60, 200), function(n) over_sets(function(set) trend_set(n, set), what = "trend", n = n, rho = NA))
table <- do.call(rbind, c(rows, trends))
table$sets <- sets
utils::write.csv(table, asked$out, row.names = FALSE)
print(table)
