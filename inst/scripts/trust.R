# The numbers of the vignette "trust": how often intervals contain the truth, over data that were simulated from it.
#   Rscript inst/scripts/trust.R sets=24 seed=1 out=inst/extdata/trust.csv.gz
#   Rscript inst/scripts/trust.R sets=72 seed=1 only=map
#   Rscript inst/scripts/trust.R sets=40 seed=4 only=few
# One row a setting, method and kind of coefficient: coverage of nominal 95 % intervals with its standard error over data sets, and
# the median width. `only=map,methods` makes some of the parts again and leaves the others as they are.
library(wbb)

asked <- list(sets = "24", seed = "1", out = "inst/extdata/trust.csv.gz", only = "")
for (given in strsplit(commandArgs(TRUE), "=", fixed = TRUE)) asked[[given[1]]] <- given[2]
sets <- as.integer(asked$sets)
options(wbb.threads = 2L, warn = -1L)

# Data sets ------------------------------------------------------------------------

begin <- function(set) set.seed(1000 * as.integer(asked$seed) + set)
columns <- function(n, p, rho) matrix(rnorm(n * p), n) %*% chol(rho^abs(outer(1:p, 1:p, "-")))

# What became of each kind of coefficient.
judge <- function(limits, truth, kind) {
  do.call(rbind, lapply(names(limits), function(method) {
    slopes <- limits[[method]]
    inside <- slopes[, 1L] <= truth & truth <= slopes[, 2L]
    kinds <- factor(kind, unique(kind))
    data.frame(method = method, kind = levels(kinds), inside = as.vector(tapply(inside, kinds, mean)),
      width = as.vector(tapply(slopes[, 2L] - slopes[, 1L], kinds, median)))
  }))
}

slopes <- function(object, ...) confint(object, ...)[-1L, , drop = FALSE]
checked <- function(fit, set, ...) calibrate(fit, 200, draws = 50, seed = set, ...)

# A map of settings: a quarter of the columns have coefficients like 1, -1, 0.5, times a strength.
map_set <- function(setting, set) {
  begin(set)
  p <- setting$p
  count <- max(2, ceiling(p / 4))
  truth <- c(rep_len(c(1, -1, 0.5), count) * setting$strength, rep(0, p - count))
  x <- columns(setting$n, p, setting$rho)
  y <- drop(x %*% truth) + rnorm(setting$n)
  lambda <- if (setting$lambda == "cv") "cv" else as.numeric(setting$lambda) * sqrt(2 * setting$n * log(2 * p))
  fit <- wbb_lasso(x, y, lambda = lambda, prior_weight = setting$prior_weight, draws = 400, seed = set)
  judge(list(plain = slopes(fit), calibrated = slopes(checked(fit, set))), truth, ifelse(truth != 0, "not zero", "zero"))
}

map <- data.frame(
  n = c(30, 30, 40, 40, 60, 60, 100, 100, 100, 200, 24, 50), p = c(5, 20, 6, 10, 20, 40, 5, 40, 10, 40, 12, 35),
  rho = c(0, 0.5, 0.9, 0, 0.9, 0.5, 0, 0.5, 0.5, 0.5, 0.2, 0.4), strength = c(0.5, 0.6, 0.6, 1.5, 1, 0.5, 0.3, 0.5, 1, 0.4, 0.7, 0.6),
  lambda = c("cv", "cv", "cv", "0.5", "cv", "cv", "cv", "cv", "2", "1", "cv", "cv"),
  prior_weight = c("fixed", "random", "fixed", "fixed", "fixed", "random", "fixed", "fixed", "random", "fixed", "fixed", "random")
)

# Few rows a column, and others that the map has not.
few <- data.frame(
  n = c(36, 25, 50, 80), p = c(24, 15, 12, 30), rho = c(0.3, 0.6, 0, 0.7), strength = c(0.6, 0.8, 1.2, 0.6), lambda = c("cv", "cv", "0.6", "cv"),
  prior_weight = c("random", "fixed", "fixed", "fixed")
)

# Two strong coefficients, two weak ones, four that are zero: what the settings of a fit change.
methods_set <- function(setting, set) {
  begin(set)
  truth <- c(1, -1, 0.3, -0.3, 0, 0, 0, 0)
  x <- columns(setting$n, 8, setting$rho)
  y <- drop(x %*% truth) + rnorm(setting$n)
  random <- wbb_lasso(x, y, draws = 400, seed = set)
  again <- function(..., lambda = random$lambda, draws = 400) wbb_lasso(x, y, lambda = lambda, draws = draws, seed = set, ...)
  fixed <- again(prior_weight = "fixed")
  judge(list(
    random = slopes(random), fixed = slopes(fixed), coef = slopes(again(prior_weight = "coef")),
    refit = slopes(again(prior_weight = "fixed", refit = TRUE, lambda = "cv")),
    `fixed, redrawn` = slopes(again(prior_weight = "fixed", lambda = "redrawn", draws = 150)),
    `random, redrawn` = slopes(again(lambda = "redrawn", draws = 150)),
    `fixed, calibrated` = slopes(checked(fixed, set)), `least squares` = slopes(lm(y ~ x))
  ), truth, c("strong", "strong", "weak", "weak", rep("zero", 4)))
}

methods <- data.frame(n = c(40, 40, 200), p = 8, rho = c(0, 0.8, 0))

# Families, with lambda by cross-validation and a fixed prior weight.
family_set <- function(setting, set) {
  begin(set)
  truth <- c(0.8, -0.8, 0.4, 0, 0, 0)
  x <- columns(setting$n, 6, setting$rho)
  eta <- drop(x %*% truth)
  end <- rexp(setting$n, 0.5)
  time <- rexp(setting$n, exp(eta))
  y <- switch(setting$family,
    binomial = rbinom(setting$n, 1, plogis(eta)), poisson = rpois(setting$n, exp(eta / 2)),
    cox = survival::Surv(pmin(time, end), time <= end)
  )
  if (setting$family == "poisson") truth <- truth / 2
  fit <- wbb_lasso(x, y, family = setting$family, prior_weight = "fixed", draws = 300, seed = set)
  every <- function(limits) limits[rownames(limits) != "(Intercept)", , drop = FALSE]
  judge(list(plain = every(confint(fit)), calibrated = every(confint(checked(fit, set)))), truth, ifelse(truth != 0, "not zero", "zero"))
}

families <- data.frame(n = 80, p = 6, rho = 0.5, family = c("binomial", "poisson", "cox"))

# A smooth signal: bands at every point, and of all points at once.
trend_set <- function(setting, set) {
  begin(set)
  at <- seq_len(setting$n) / setting$n
  signal <- sin(6 * at)
  fit <- wbb_trendfilter(signal + rnorm(setting$n, sd = 0.3), order = 2, draws = 300, seed = set)
  band <- function(method, limits) {
    inside <- limits[, 1L] <= signal & signal <= limits[, 2L]
    data.frame(method = method, kind = "trend", inside = if (method == "simultaneous") all(inside) else mean(inside),
      width = median(limits[, 2L] - limits[, 1L]))
  }
  of <- function(interval) predict(fit, interval = interval)[, c("lwr", "upr")]
  rbind(band("pointwise", of("credible")), band("simultaneous", of("simultaneous")),
    band("pointwise, calibrated", confint(calibrate(fit, 100, draws = 100, seed = set))))
}

trends <- data.frame(n = c(60, 200), p = NA, rho = NA)

# A network's probabilities of a class, at points where they are known.
network_set <- function(setting, set) {
  begin(set)
  chance <- function(x) plogis(2 * sin(2 * x[, 1L]) + x[, 2L])
  draw <- function(n) matrix(runif(2 * n, -1.5, 1.5), n)
  x <- draw(setting$n)
  fit <- wbb_mlp(x, factor(rbinom(setting$n, 1, chance(x))), hidden = 8, draws = 60, lambda = 1e-2, seed = set)
  new <- draw(50)
  draws <- predict(fit, new, type = "draws")[, , 2L]
  limits <- t(apply(draws, 2L, quantile, c(0.025, 0.975)))
  judge(list(network = limits), chance(new), rep("probability", 50))
}

networks <- data.frame(n = c(200, 1000), p = 2, rho = 0)

# Truths from a Laplace prior, and the place of each among the draws: uniform where a posterior is exact.
exact_set <- function(set) {
  begin(set)
  tau <- 0.3
  truth <- rexp(4, 1 / tau) * sample(c(-1, 1), 4, TRUE)
  x <- columns(40, 4, 0.5)
  y <- drop(x %*% truth) + rnorm(40)
  bridge <- bayes_bridge(x, y, alpha = 1, tau = tau, sigma = 1, standardize = FALSE, intercept = FALSE, draws = 500, burn = 200,
    thin = 2, chains = 1, seed = set)
  wbb <- function(...) wbb_lasso(x, y, lambda = 1 / tau, standardize = FALSE, intercept = FALSE, draws = 500, seed = set, ...)
  place <- function(fit) floor(10 * (colMeans(as.matrix(fit)[, 1:4] < rep(truth, each = nrow(as.matrix(fit)))) * 0.9999))
  rbind(data.frame(method = "bridge", tenth = place(bridge)), data.frame(method = "random", tenth = place(wbb())),
    data.frame(method = "fixed", tenth = place(wbb(prior_weight = "fixed"))))
}

# The table ------------------------------------------------------------------------

over_sets <- function(what, settings, one, count = sets) {
  do.call(rbind, lapply(seq_len(nrow(settings)), function(k) {
    found <- do.call(rbind, lapply(seq_len(count), function(set) one(settings[k, ], set)))
    by <- found[c("method", "kind")]
    mean <- aggregate(found["inside"], by, mean)
    error <- aggregate(found["inside"], by, function(v) sd(v) / sqrt(length(v)))
    width <- aggregate(found["width"], by, median)
    extra <- settings[k, setdiff(names(settings), c("n", "p", "rho")), drop = FALSE]
    cat(what, k, round(proc.time()[["elapsed"]]), "s\n")
    data.frame(what = what, settings[k, c("n", "p", "rho")], setting = paste(names(extra), unlist(extra), collapse = " "), mean[c("method", "kind")],
      coverage = round(mean$inside, 3), se = round(error$inside, 3), width = signif(width$width, 3), sets = count, row.names = NULL)
  }))
}

exact <- function(count) {
  found <- do.call(rbind, lapply(seq_len(count), exact_set))
  counts <- as.data.frame(table(method = found$method, kind = found$tenth))
  data.frame(what = "exact", n = 40, p = 4, rho = 0.5, setting = "", method = counts$method, kind = counts$kind,
    coverage = round(counts$Freq / (4 * count), 4), se = NA, width = NA, sets = count)
}

parts <- list(
  map = function() over_sets("map", map, map_set), few = function() over_sets("few", few, map_set),
  methods = function() over_sets("methods", methods, methods_set, ceiling(sets / 2)),
  families = function() over_sets("families", families, family_set, ceiling(2 * sets / 3)),
  trends = function() over_sets("trends", trends, trend_set, ceiling(2 * sets / 3)),
  networks = function() over_sets("networks", networks, network_set, ceiling(sets / 3)),
  exact = function() exact(4 * sets)
)
wanted <- if (nzchar(asked$only)) strsplit(asked$only, ",")[[1L]] else names(parts)
table <- if (nzchar(asked$only) && file.exists(asked$out)) utils::read.csv(asked$out) else NULL
for (part in wanted) {
  table <- rbind(table[table$what != part, ], parts[[part]]())
  # It is installed, so it is small, and compressed.
  quoted <- which(vapply(table, function(column) any(grepl(",", column)), NA))
  utils::write.csv(table, gzfile(asked$out), row.names = FALSE, na = "", quote = quoted)
}
print(table)
