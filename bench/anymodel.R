# `Rscript bench/anymodel.R`: what wbb() adds to a loop written by hand, and what the core saves, at 1,000 × 5 with
# 1,000 draws; beside boot where it is installed. CPU time of this process, interleaved; the best of the rounds, since a
# shared machine only adds. Writes bench/anymodel.md.
library(wbb)

n <- 1000
draws <- 1000
set.seed(1)
x <- matrix(rnorm(5 * n), n, dimnames = list(NULL, paste0("x", 1:5)))
d <- data.frame(x, y = as.vector(x %*% 1:5) + rnorm(n))
d$event <- rbinom(n, 1, plogis(x[, 1] - x[, 2]))
d$count <- rpois(n, exp(x[, 1] / 2))
design <- cbind(1, x)

# What is fitted with the weights, by hand.
fits <- list(
  nothing = function(w) c(a = w[1]),
  "lm.wfit()" = function(w) lm.wfit(design, d$y, w)$coefficients,
  "lm()" = function(w) coef(lm(y ~ x1 + x2 + x3 + x4 + x5, d, weights = w)),
  "glm(binomial)" = function(w) coef(suppressWarnings(glm(event ~ x1 + x2 + x3 + x4 + x5, binomial, d, weights = w))),
  "glm(poisson)" = function(w) coef(glm(count ~ x1 + x2 + x3 + x4 + x5, poisson, d, weights = w))
)
by_hand <- function(f) function() t(vapply(seq_len(draws), function(k) f(rexp(n)), f(rep(1, n))))
by_wbb <- function(f) function() wbb(f, n = n, draws = draws, seed = 1)
models <- list(
  "lm()" = lm(y ~ x1 + x2 + x3 + x4 + x5, d), "glm(binomial)" = glm(event ~ x1 + x2 + x3 + x4 + x5, binomial, d),
  "glm(poisson)" = glm(count ~ x1 + x2 + x3 + x4 + x5, poisson, d)
)
by_core <- function(model) function() wbb(model, draws = draws, seed = 1, threads = 1)
by_boot <- function(f) {
  if (!requireNamespace("boot", quietly = TRUE)) return(NULL)
  function() boot::boot(d, function(data, i) f(tabulate(i, n)), draws)
}

cpu_us <- function(run) if (is.null(run)) NA else 1e6 * sum(system.time(run(), gcFirst = FALSE)[c("user.self", "sys.self")]) / draws
measure <- function(name) {
  f <- fits[[name]]
  c(hand = cpu_us(by_hand(f)), wbb = cpu_us(by_wbb(f)), boot = cpu_us(by_boot(f)),
    core = if (name %in% names(models)) cpu_us(by_core(models[[name]])) else NA)
}
rounds <- lapply(seq_len(as.integer(Sys.getenv("ROUNDS", "3"))), function(round) vapply(names(fits), measure, numeric(4)))
best <- Reduce(pmin, rounds)
table <- data.frame(fit = names(fits), t(best), row.names = NULL)
table$ratio <- table$hand / table$core
print(table, digits = 3)

number <- function(v, digits = 3) ifelse(is.na(v), "", format(signif(v, digits), big.mark = ",", scientific = FALSE, trim = TRUE))
writeLines(c(
  "# Any fitter: wbb() beside a loop by hand",
  "",
  sprintf("Made by `Rscript bench/anymodel.R` on %s, %s. 1,000 × 5, 1,000 draws; CPU microseconds a draw, best of the rounds.",
    format(Sys.Date()), R.version.string),
  "The loop by hand draws its weights by `rexp()`; `wbb()` of the same function adds seeds, checks, silence, progress and what is needed to",
  "lose no draw. The core solves the model without refitting, on one thread; the ratio is that of the loop by hand to it.",
  "",
  "| fit | loop by hand | wbb(function) | boot | wbb(model), core | ratio |",
  "|---|---|---|---|---|---|",
  sprintf("| %s | %s | %s | %s | %s | %s |", table$fit, number(table$hand), number(table$wbb), number(table$boot),
    number(table$core), ifelse(is.na(table$ratio), "", paste0("**", number(table$ratio, 2), "×**")))
), file.path("bench", "anymodel.md"))
