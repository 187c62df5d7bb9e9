# How long an interrupt takes to reach the prompt, for every estimator, in its set-up, its draws, and what is asked of
# fits: writes bench/stops.md. Each case runs in an R of its own, gets SIGINT at several moments, and is timed by its own
# clock. The target is 0.2 s on an idle machine.
#   Rscript bench/stops.R [names of cases]
library(wbb)

cases <- list(
  lasso = "x <- matrix(rnorm(2e6), 2e4); y <- rnorm(2e4); go <- function() wbb_lasso(x, y, lambda = 100, draws = 1e5)",
  lasso_tall = "x <- matrix(rnorm(2e7), 4e5); y <- rnorm(4e5); go <- function() wbb_lasso(x, y, lambda = 100, draws = 1e4)",
  lasso_wide = "x <- matrix(rnorm(2.5e6), 500); y <- rnorm(500); go <- function() wbb_lasso(x, y, lambda = 70, draws = 1e4)",
  lasso_sparse = "x <- Matrix::rsparsematrix(1e5, 1000, 0.01); y <- rnorm(1e5); go <- function() wbb_lasso(x, y, lambda = 400, draws = 1e4)",
  lasso_cv = "x <- matrix(rnorm(2.5e6), 500); y <- rnorm(500); go <- function() wbb_lasso(x, y, draws = 10)",
  trend = "y <- cumsum(rnorm(1e6)); go <- function() wbb_trendfilter(y, order = 0, lambda = 50, draws = 300)",
  trend_cv = "y <- cumsum(rnorm(2e4)); go <- function() wbb_trendfilter(y, order = 2, draws = 1000)",
  genlasso = "n <- 2e5; D <- Matrix::bandSparse(n - 1, n, 0:1, list(rep(-1, n), rep(1, n))); y <- rnorm(n); go <- function() wbb_genlasso(y, D = D, lambda = 5, draws = 1000)",
  bridge_tall = "x <- matrix(rnorm(1e6), 1e4); y <- rnorm(1e4); go <- function() bayes_bridge(x, y, draws = 1e6)",
  bridge_wide = "x <- matrix(rnorm(1e6), 200); y <- rnorm(200); go <- function() bayes_bridge(x, y, draws = 1e5)",
  mlp = "x <- matrix(runif(2e4 * 784), 2e4); y <- factor(sample(10, 2e4, TRUE)); go <- function() wbb_mlp(x, y, draws = 100)",
  mlp_setup = "x <- matrix(runif(6e4 * 784), 6e4); y <- factor(sample(10, 6e4, TRUE)); go <- function() for (i in 1:99) wbb_mlp(x, y, hidden = NULL, draws = 1, epochs = 1)",
  mlp_single = "x <- matrix(runif(1e4 * 50), 1e4); y <- rnorm(1e4); go <- function() wbb_mlp(x, y, batch_size = 1, draws = 100)",
  weights = "f <- wbb_lasso(matrix(rnorm(1e6)), rnorm(1e6), lambda = 1, draws = 100); go <- function() repeat weights(f)",
  laplace = "y <- rnorm(1e5); go <- function() repeat laplace_wbb_draws(y, 1, draws = 1000)",
  predict = "x <- matrix(rnorm(2e6), 2e4); f <- wbb_lasso(x, rnorm(2e4), lambda = 1000, draws = 1000); go <- function() repeat predict(f, x, interval = 'prediction')",
  predict_mlp = "x <- matrix(runif(2e4 * 100), 2e4); f <- suppressWarnings(wbb_mlp(x, rnorm(2e4), draws = 50, epochs = 1)); go <- function() repeat predict(f, x, interval = 'prediction')",
  summary = "x <- matrix(rnorm(1e5), 20); f <- wbb_lasso(x, rnorm(20), lambda = 1, draws = 1000); go <- function() repeat summary(f)"
)
moments <- c(0.05, 0.3, 0.9, 1.7, 3)

# The child says when it is ready and, after each stop, how late its prompt was.
child <- function(setup) paste0(
  "suppressMessages(library(wbb)); options(wbb.threads = 2); set.seed(1); ", setup, "; ",
  "clock <- function() as.numeric(Sys.time()); ",
  "for (k in seq_len(", length(moments), ")) { cat('ready\\n'); flush(stdout()); ",
  "tryCatch({ go(); cat('done\\n') }, interrupt = function(i) cat('heard', format(clock(), digits = 17), '\\n')); flush(stdout()) }"
)

measure <- function(setup) {
  log <- tempfile()
  file.create(log)
  script <- tempfile(fileext = ".R")
  writeLines(child(setup), script)
  pid <- as.integer(system(paste("Rscript", script, ">", log, "2>/dev/null & echo $!"), intern = TRUE))
  on.exit(tools::pskill(pid, tools::SIGKILL))
  said <- function(word) grep(paste0("^", word), readLines(log, warn = FALSE), value = TRUE)
  await <- function(done) for (i in 1:6000) if (done()) return(TRUE) else Sys.sleep(0.02)
  vapply(seq_along(moments), function(k) {
    if (!isTRUE(await(function() length(said("ready")) >= k))) return(NA_real_)
    Sys.sleep(moments[k])
    sent <- as.numeric(Sys.time())
    tools::pskill(pid, tools::SIGINT)
    heard <- await(function() length(said("heard")) + length(said("done")) >= k)
    if (!isTRUE(heard) || length(said("done"))) return(NA_real_)
    as.numeric(sub("heard ", "", said("heard")[k])) - sent
  }, 0)
}

chosen <- commandArgs(TRUE)
if (!length(chosen)) chosen <- names(cases)
found <- t(vapply(cases[chosen], measure, numeric(length(moments))))
table <- data.frame(
  case = chosen, median = round(apply(found, 1L, stats::median, na.rm = TRUE), 3),
  worst = round(apply(found, 1L, max, na.rm = TRUE), 3), stops = rowSums(!is.na(found))
)
print(table, row.names = FALSE)
if (length(chosen) == length(cases)) {
  load <- strsplit(readLines("/proc/loadavg"), " ")[[1L]][1L]
  writeLines(c(
    "# Seconds from an interrupt to the prompt", "",
    paste0("Made by `Rscript bench/stops.R` on ", Sys.Date(), ", two threads, at moments of ", paste(moments, collapse = ", "),
      " s after the call. The machine's load at the end was ", load, "; the target, 0.2 s, is for an idle one."), "",
    "| case | median | worst | stops |", "|:--|--:|--:|--:|", sprintf("| %s | %.3f | %.3f | %d |", table$case, table$median, table$worst, as.integer(table$stops))
  ), "bench/stops.md")
}
