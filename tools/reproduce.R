# The published tables again, by our own code of their designs: writes "published | ours | Monte Carlo error" and fails where
# they disagree beyond that error without an explanation in this file.
#   Rscript tools/reproduce.R sets=200 seed=1 report=bench/reproduce.md
# Newton, Polson & Xu (2021), tables 1 and 3, n = 50; Ng & Newton (2022), tables of the two-step estimator. Settings are those of
# the papers' text and of the scripts that their authors published.
library(wbb)

asked <- list(sets = "200", seed = "1", report = "")
for (given in strsplit(commandArgs(TRUE), "=", fixed = TRUE)) {
  if (!given[1] %in% names(asked)) stop("unknown setting ", given[1])
  asked[[given[1]]] <- given[2]
}
sets <- as.integer(asked$sets)
options(warn = -1L)

correlated <- function(n, sigma) matrix(stats::rnorm(n * ncol(sigma)), n) %*% chol(sigma)
covers <- function(draws, truth, level) {
  limits <- apply(draws, 2L, stats::quantile, c((1 - level) / 2, (1 + level) / 2))
  limits[1L, ] <= truth & truth <= limits[2L, ]
}
# Mean and standard error over data sets, by columns.
over_sets <- function(one) {
  found <- do.call(rbind, lapply(seq_len(sets), function(set) {
    set.seed(1000 * as.integer(asked$seed) + set)
    one(set)
  }))
  rbind(mean = colMeans(found), se = apply(found, 2L, stats::sd) / sqrt(sets))
}

# Newton, Polson & Xu (2021): n = 50, signal to noise 2 ---------------------------------------

# The script's penalty weights: glmnet divides factors by their mean, so that what a draw is left with are
# weights relative to each other; and the script's lambda is from all 2n rows, the test set's included.
script_draws <- function(x, y, lambda, seed) {
  set.seed(seed)
  t(vapply(1:200, function(k) {
    w <- stats::rexp(nrow(x))
    factor <- stats::rexp(ncol(x))
    fit <- wbb_lasso(x, y, lambda = lambda * nrow(x), case_weights = w / mean(w), penalty_factor = factor / mean(factor),
      weights = "ones", prior_weight = "fixed", intercept = FALSE, draws = 1, seed = 1, threads = 1)
    fit$mode
  }, numeric(ncol(x))))
}

newton <- function(p, case) {
  truth <- if (case == "A(i)") c(rep(1, 10), rep(0, p - 10)) else rep(1, p)
  sigma <- 0.1 * 0.8^abs(outer(1:p, 1:p, "-"))
  over_sets(function(set) {
    x <- correlated(100, sigma)
    mean <- drop(x %*% truth)
    y <- mean + stats::rnorm(100, sd = sqrt(sum(mean^2) / 200))
    half <- 1:50
    text <- wbb_lasso(x[half, ], y[half], prior_weight = "coef", intercept = FALSE, draws = 200, nfolds = 10, seed = set, threads = 2)
    both <- wbb_lasso(x, y, intercept = FALSE, draws = 2, nfolds = 3, seed = set, threads = 2)
    draws <- list(text = as.matrix(text), script = script_draws(x[half, ], y[half], both$lambda / 100, set))
    unlist(lapply(draws, function(d) c(mse = mean((colMeans(d) - truth)^2), coverage = mean(covers(d, truth, 0.95)))))
  })
}

published_newton <- list(
  "A(i)" = list(p = c(40, 60, 80, 100, 120), mse = c(.19, .06, .05, .04, .03), coverage = c(.92, .92, .93, .94, .95)),
  B = list(p = c(40, 60, 80, 100, 120), mse = c(1.77, .49, .50, .51, .52), coverage = c(.95, .96, .94, .93, .91))
)

# Ng & Newton (2022): two steps, 90 % intervals of the six coefficients that are not zero --------

ng <- function(n, p) {
  truth <- c(0.75 + 0.25 * 1:6, rep(0, p - 6))
  sigma <- diag(p)
  sigma[1:6, 1:6] <- 0.3^abs(outer(1:6, 1:6, "-"))
  over_sets(function(set) {
    x <- correlated(n, sigma)
    y <- drop(x %*% truth) + stats::rnorm(n)
    fit <- function(prior, lambda = "cv") {
      # Weights that are divided by their mean, as glmnet does.
      wbb_lasso(x, y, lambda = lambda, refit = TRUE, prior_weight = prior, weights = "dirichlet", intercept = FALSE, draws = 1000, nfolds = 4, seed = set, threads = 2)
    }
    fixed <- fit("fixed")
    all <- list(fixed = fixed, random = fit("random", fixed$lambda), coef = fit("coef", fixed$lambda))
    vapply(all, function(f) mean(covers(as.matrix(f), truth, 0.9)[1:6]), 0)
  })
}

published_ng <- list(
  list(n = 100, p = 10, coverage = c(.865, .872, .899)), list(n = 500, p = 10, coverage = c(.899, .897, .908)),
  list(n = 100, p = 50, coverage = c(.865, .897, .988)), list(n = 500, p = 50, coverage = c(.878, .879, .895))
)

# The table ----------------------------------------------------------------------------------

# Why a row may differ: a pattern of its name, and the reason. Only what has been looked into.
explained <- c(
  "^Newton.*, text, " = "the published figures are the script's, with penalty weights divided by their mean and lambda chosen on the test rows as well"
)
rows <- list()
add <- function(name, published, ours, se, published_se, digits) {
  allowed <- 3 * sqrt(se^2 + published_se^2) + 0.5 * 10^-digits
  off <- abs(published - ours) > allowed
  reason <- Filter(function(pattern) grepl(pattern, name), names(explained))
  note <- if (!off) "" else if (length(reason)) explained[[reason[1L]]] else "NOT EXPLAINED"
  rows[[length(rows) + 1L]] <<- data.frame(what = name, published, ours, se, note)
  cat(sprintf("%-48s %7.3f %7.3f %6.3f %s\n", name, published, ours, se, if (off) "differs" else ""))
}
for (case in names(published_newton)) {
  published <- published_newton[[case]]
  for (k in seq_along(published$p)) {
    found <- newton(published$p[k], case)
    for (column in colnames(found)) {
      measure <- sub(".*[.]", "", column)
      se <- found["se", column]
      # Theirs are means over 500 sets.
      add(paste0("Newton et al., ", case, ", p = ", published$p[k], ", ", sub("[.]", ", ", column)), published[[measure]][k], found["mean", column], se,
        se * sqrt(sets / 500), 2)
    }
  }
}
for (published in published_ng) {
  found <- ng(published$n, published$p)
  for (k in 1:3) {
    se <- found["se", k]
    add(paste0("Ng & Newton, n = ", published$n, ", p = ", published$p, ", ", colnames(found)[k]), published$coverage[k], found["mean", k], se, se * sqrt(sets / 500), 3)
  }
}
table <- do.call(rbind, rows)
if (nzchar(asked$report)) {
  writeLines(c(
    "# The published tables, again", "", paste0("Made by `make reproduce`: ", sets, " data sets a row, seed ", asked$seed, ", wbb ", utils::packageVersion("wbb"), "."),
    "A row says why where it differs by more than three Monte Carlo errors (ours and theirs) and half a printed digit.", "",
    "| what | published | ours | Monte Carlo error | |", "|---|---|---|---|---|",
    sprintf("| %s | %.3f | %.3f | %.3f | %s |", table$what, table$published, table$ours, table$se, table$note)
  ), asked$report)
}
left <- sum(table$note == "NOT EXPLAINED")
cat(nrow(table), "rows,", sum(table$note != ""), "that differ,", left, "without an explanation\n")
if (left) quit(status = 1L)
