# How long an interrupt takes to reach the prompt, for every estimator, in its set-up, its draws, and what is asked of
# fits: writes bench/stops.md in some eight minutes, and begins no case after the twelfth. Each case runs in an R of its own, gets SIGINT at several moments, and is
# timed by its own clock; the time that its threads worked meanwhile is there for machines that are busy. The target is 0.2 s on an
# idle one. The cases can be measured in parts: what was found is in output/stops.csv, and the page is of the last measurement of each.
#   Rscript bench/stops.R [names of cases]
library(wbb)

# A case makes its data and says what `go()` is; one that could end before the last stop repeats itself.
normal <- function(n, p) sprintf("n <- %d; p <- %d; x <- matrix(rnorm(n * p), n); y <- rnorm(n); ", n, p)
chain <- function(n) sprintf("n <- %d; D <- Matrix::bandSparse(n - 1, n, 0:1, list(rep(-1, n), rep(1, n))); ", n)
lasso <- function(n, p, settings) paste0(normal(n, p), "go <- function() repeat wbb_lasso(x, y, ", settings, ")")
family <- function(n, p, response, settings) {
  paste0(normal(n, p), "eta <- x[, 1] - x[, 2]; y <- ", response, "; go <- function() repeat wbb_lasso(x, y, ", settings, ")")
}
cases <- list(
  lasso = lasso(20000L, 100L, "lambda = 100, draws = 1e5"),
  lasso_few = lasso(442L, 10L, "lambda = 10, draws = 1e6"),
  lasso_tall = lasso(400000L, 50L, "lambda = 100, draws = 1e4"),
  lasso_wide = lasso(500L, 5000L, "lambda = 70, draws = 1e4"),
  lasso_very_wide = lasso(100L, 200000L, "lambda = 30, draws = 4000"),
  lasso_dense = lasso(3000L, 1500L, "lambda = 1, draws = 1e4"),
  lasso_ridge = lasso(2000L, 1000L, "lambda = 10, alpha = 0, draws = 1e4"),
  lasso_free = lasso(20000L, 300L, "lambda = 10, penalty_factor = rep(0:1, c(100, 200)), draws = 1e4"),
  lasso_refit = lasso(2000L, 500L, "lambda = 30, refit = TRUE, draws = 1e4"),
  lasso_path = lasso(5000L, 200L, "lambda = 2^(9:0), draws = 1e4"),
  lasso_sparse = "x <- Matrix::rsparsematrix(1e5, 1000, 0.01); y <- rnorm(1e5); go <- function() wbb_lasso(x, y, lambda = 400, draws = 1e4)",
  lasso_large_sparse = "x <- Matrix::rsparsematrix(1e6, 2000, 0.005); y <- rnorm(1e6); go <- function() wbb_lasso(x, y, lambda = 1e4, draws = 1e4)",
  lasso_cv = lasso(500L, 5000L, "draws = 10"),
  lasso_cv_tall = lasso(100000L, 100L, "draws = 10"),
  lasso_formula = paste0("d <- as.data.frame(matrix(rnorm(2e7), 4e5)); d$g <- gl(4, 1e5); d$y <- rnorm(4e5); ",
    "go <- function() repeat wbb_lasso(y ~ ., d, lambda = 100, draws = 1e4)"),
  lasso_frame = "x <- as.data.frame(matrix(rnorm(2e7), 4e5)); x$g <- gl(4, 1e5); y <- rnorm(4e5); go <- function() repeat wbb_lasso(x, y, lambda = 100, draws = 2)",
  lasso_integer = "x <- matrix(sample(0:9, 3e7, TRUE), 3e5); y <- rnorm(3e5); go <- function() repeat wbb_lasso(x, y, lambda = 1e3, draws = 2)",
  lasso_triplets = paste0("x <- as(Matrix::rsparsematrix(1e6, 1000, 0.01), 'TsparseMatrix'); y <- rnorm(1e6); ",
    "go <- function() repeat wbb_lasso(x, y, lambda = 1e4, draws = 2)"),
  lasso_marglik = lasso(5000L, 50L, "lambda = 'marglik', draws = 10"),
  binomial = family(20000L, 50L, "rbinom(n, 1, plogis(eta))", "family = 'binomial', lambda = 20, draws = 1e5"),
  binomial_wide = family(300L, 3000L, "rbinom(n, 1, plogis(eta))", "family = 'binomial', lambda = 8, draws = 1e5"),
  binomial_cv = family(5000L, 200L, "rbinom(n, 1, plogis(eta))", "family = 'binomial', draws = 10"),
  binomial_sparse = paste0("x <- Matrix::rsparsematrix(1e5, 1000, 0.01); y <- rbinom(1e5, 1, 0.3); ",
    "go <- function() wbb_lasso(x, y, family = 'binomial', lambda = 50, draws = 1e4)"),
  poisson = family(100000L, 30L, "rpois(n, exp(eta / 4))", "family = 'poisson', lambda = 20, draws = 1e5"),
  multinomial = family(20000L, 50L, "factor(sample(8, n, TRUE))", "family = 'multinomial', lambda = 20, draws = 1e5"),
  cox = family(50000L, 30L, "survival::Surv(rexp(n, exp(eta / 4)), rbinom(n, 1, 0.7))", "family = 'cox', lambda = 20, draws = 1e5"),
  survival = paste0(family(20000L, 10L, "survival::Surv(rexp(n, exp(eta / 4)), rbinom(n, 1, 0.7))", "family = 'cox'"),
    "; f <- wbb_lasso(x, y, family = 'cox', lambda = 20, draws = 200); go <- function() repeat survival_curve(f, x[1:20, ])"),
  moments = "d <- as.data.frame(matrix(rnorm(4e7), 1e6)); s <- wbb_source(d); go <- function() repeat wbb_moments(V1 ~ ., s, draws = 200, seed = 1)",
  moments_lasso = paste0("d <- as.data.frame(matrix(rnorm(1.2e6), 2e4)); m <- wbb_moments(V1 ~ ., wbb_source(d), draws = 5000, seed = 1); ",
    "go <- function() repeat wbb_lasso(m)"),
  source_predict = paste0("d <- as.data.frame(matrix(rnorm(4e7), 1e6)); f <- wbb_lasso(V1 ~ ., d[1:1000, ], lambda = 10, draws = 1000); ",
    "go <- function() repeat predict(f, wbb_source(d), interval = 'prediction')"),
  calibrate = paste0(normal(2000L, 50L), "f <- wbb_lasso(x, y, lambda = 30, draws = 100); go <- function() repeat calibrate(f, replicates = 1e4)"),
  calibrate_trend = "f <- wbb_trendfilter(cumsum(rnorm(5e4)), order = 1, lambda = 50, draws = 100); go <- function() repeat calibrate(f, replicates = 2000)",
  trend = "y <- cumsum(rnorm(1e6)); go <- function() wbb_trendfilter(y, order = 0, lambda = 50, draws = 300)",
  trend_smooth = "y <- cumsum(rnorm(1e6)); go <- function() wbb_trendfilter(y, order = 2, lambda = 1e4, draws = 300)",
  trend_cv = "y <- cumsum(rnorm(2e4)); go <- function() repeat wbb_trendfilter(y, order = 2, draws = 1000)",
  trend_short = "y <- rnorm(20); go <- function() repeat wbb_trendfilter(y, order = 1, lambda = 1, draws = 2e6)",
  trend_predict = paste0("f <- wbb_trendfilter(cumsum(rnorm(5e4)), order = 1, lambda = 50, draws = 500); ",
    "go <- function() repeat { predict(f, runif(1e5, 1, 5e4), interval = 'prediction'); knots(f); summary(f) }"),
  genlasso = paste0(chain(200000L), "y <- rnorm(n); go <- function() repeat wbb_genlasso(y, D = D, lambda = 5, draws = 1000)"),
  genlasso_grid = paste0(chain(200L), "one <- Matrix::Diagonal(n); D <- rbind(kronecker(one, D), kronecker(D, one)); y <- rnorm(n^2); ",
    "go <- function() repeat wbb_genlasso(y, D = D, lambda = 5, draws = 1000)"),
  genlasso_x = paste0(chain(1000L), "x <- matrix(rnorm(300 * n), 300); y <- rnorm(300); go <- function() repeat wbb_genlasso(y, x, D, lambda = 5, draws = 1000)"),
  genlasso_cv = paste0(chain(3000L), "y <- cumsum(rnorm(n)); go <- function() repeat wbb_genlasso(y, D = D, lambda = 'cv', draws = 1000)"),
  bridge_tall = paste0(normal(10000L, 100L), "go <- function() bayes_bridge(x, y, draws = 1e6)"),
  bridge_wide = paste0(normal(200L, 5000L), "go <- function() repeat bayes_bridge(x, y, draws = 2e4)"),
  bridge_square = paste0(normal(3000L, 2000L), "go <- function() repeat bayes_bridge(x, y, draws = 1e4)"),
  marglik = paste0(normal(5000L, 50L), "go <- function() repeat marginal_likelihood(x, y, lambda = c(10, 100, 1000))"),
  wbb = "d <- as.data.frame(matrix(rnorm(1e6), 1e5)); m <- lm(V1 ~ ., d); go <- function() repeat wbb(m, draws = 1e4)",
  wbb_refit = "d <- as.data.frame(matrix(rnorm(1e6), 1e5)); m <- lm(V1 ~ ., d); go <- function() repeat wbb(m, draws = 1e4, refit = TRUE)",
  wbb_function = "z <- rnorm(1e6); go <- function() repeat wbb(function(w) c(mean = sum(w * z) / sum(w)), n = 1e6, draws = 1e4)",
  mlp = "x <- matrix(runif(2e4 * 784), 2e4); y <- factor(sample(10, 2e4, TRUE)); go <- function() repeat wbb_mlp(x, y, lambda = 1e-4, draws = 100)",
  mlp_setup = "x <- matrix(runif(6e4 * 784), 6e4); y <- factor(sample(10, 6e4, TRUE)); go <- function() repeat wbb_mlp(x, y, lambda = 1e-4, hidden = NULL, draws = 1, epochs = 1)",
  mlp_single = paste0(normal(10000L, 50L), "go <- function() repeat wbb_mlp(x, y, lambda = 1e-4, batch_size = 1, draws = 100)"),
  mlp_layers = paste0(normal(1000L, 100L), "go <- function() repeat wbb_mlp(x, y, lambda = 1e-4, hidden = c(3000, 3000), draws = 10)"),
  mlp_cv = paste0(normal(5000L, 20L), "go <- function() repeat wbb_mlp(x, y, lambda = 'cv', draws = 100)"),
  weights = paste0(normal(1000000L, 1L), "f <- wbb_lasso(x, y, lambda = 1, draws = 100); go <- function() repeat weights(f)"),
  laplace = "y <- rnorm(1e5); go <- function() repeat laplace_wbb_draws(y, 1, draws = 1000)",
  laplace_mean = "y <- rnorm(1e7); go <- function() repeat laplace_posterior_mean(y, 1)",
  predict = paste0(normal(20000L, 100L), "f <- wbb_lasso(x, y, lambda = 1000, draws = 1000); go <- function() repeat predict(f, x, interval = 'prediction')"),
  predict_draws = paste0(normal(20000L, 100L), "f <- wbb_lasso(x, y, lambda = 10, draws = 1000); go <- function() repeat predict(f, x, type = 'draws')"),
  predict_mlp = paste0(normal(20000L, 100L), "f <- suppressWarnings(wbb_mlp(x, y, lambda = 1e-4, draws = 50, epochs = 1)); go <- function() repeat predict(f, x, interval = 'prediction')"),
  simulate = paste0(normal(20000L, 20L), "f <- wbb_lasso(x, y, lambda = 10, draws = 1000); go <- function() repeat rstantools::posterior_predict(f)"),
  summary = paste0(normal(20L, 5000L), "f <- wbb_lasso(x, y, lambda = 1, draws = 1000); go <- function() repeat summary(f)"),
  join = paste0(normal(1000L, 100L), "f <- lapply(1:4, function(s) wbb_lasso(x, y, lambda = 1, draws = 20000, seed = s)); go <- function() repeat do.call(c, f)")
)
moments <- c(0.05, 0.2, 0.5, 1.1, 2)

# The child says when it is ready and, after each stop, how late its prompt was and how long its threads have worked.
child <- function(setup) paste0(
  "suppressMessages(library(wbb)); options(wbb.threads = 2); set.seed(1); ", setup, "; ",
  "quiet <- function(code) suppressMessages(suppressWarnings(code)); ",
  "for (k in seq_len(", length(moments), ")) { cat('ready\n'); flush(stdout()); ",
  "tryCatch({ quiet(go()); cat('done\n') }, interrupt = function(i) cat('heard', format(as.numeric(Sys.time()), digits = 17), sum(proc.time()[1:2]), '\n'), ",
  "error = function(e) cat('error', conditionMessage(e), '\n')); flush(stdout()) }"
)

# Seconds that all threads of a process have worked.
worked <- function(pid) {
  fields <- strsplit(sub(".*\\) ", "", readLines(file.path("/proc", pid, "stat"))), " ")[[1L]]
  sum(as.numeric(fields[12:13])) / 100
}

# A row a stop: seconds of the clock and of the threads; NA where there was none.
measure <- function(setup) {
  log <- tempfile()
  file.create(log)
  script <- tempfile(fileext = ".R")
  writeLines(child(setup), script)
  pid <- as.integer(system(paste("Rscript", script, ">", log, "2>&1 & echo $!"), intern = TRUE))
  on.exit(tools::pskill(pid, tools::SIGKILL))
  lines <- function() readLines(log, warn = FALSE)
  said <- function(word) grep(paste0("^", word), lines(), value = TRUE)
  await <- function(done) for (i in 1:3000) if (done()) return(TRUE) else Sys.sleep(0.02)
  stops <- matrix(NA_real_, length(moments), 2L)
  for (k in seq_along(moments)) {
    if (!isTRUE(await(function() length(said("ready")) >= k))) break
    Sys.sleep(moments[k])
    before <- worked(pid)
    sent <- as.numeric(Sys.time())
    tools::pskill(pid, tools::SIGINT)
    heard <- await(function() length(said("(heard|done|error)")) >= k)
    answer <- strsplit(said("(heard|done|error)")[k], " ")[[1L]]
    if (!isTRUE(heard) || answer[1L] != "heard") break
    stops[k, ] <- as.numeric(answer[2:3]) - c(sent, before)
  }
  if (anyNA(stops)) message(paste(c("Not all stops were heard:", utils::tail(lines(), 3L)), collapse = "\n"))
  stops
}

chosen <- commandArgs(TRUE)
if (!length(chosen)) chosen <- names(cases)
load_now <- function() as.double(strsplit(readLines("/proc/loadavg"), " ")[[1L]][1L])
row <- function(name) {
  stops <- measure(cases[[name]])
  found <- data.frame(case = name, median = stats::median(stops[, 1L], na.rm = TRUE), worst = max(stops[, 1L], na.rm = TRUE),
    worked = max(stops[, 2L], na.rm = TRUE), stops = sum(!is.na(stops[, 1L])), load = load_now(), date = format(Sys.Date()))
  cat(sprintf("%-20s median %.3f  worst %.3f  worked %.3f  stops %d\n", name, found$median, found$worst, found$worked, found$stops))
  found
}
kept <- "output/stops.csv"
table <- if (file.exists(kept)) utils::read.csv(kept)
begun <- proc.time()[["elapsed"]]
for (name in chosen) {
  if (proc.time()[["elapsed"]] - begun > 12 * 60) {
    message("No time was left for ", paste(chosen[match(name, chosen):length(chosen)], collapse = ", "))
    break
  }
  table <- rbind(table[table$case != name, ], row(name))
  dir.create(dirname(kept), FALSE, TRUE)
  utils::write.csv(table, kept, row.names = FALSE)
}
if (all(names(cases) %in% table$case)) {
  table <- table[match(names(cases), table$case), ]
  above <- table$case[table$worst > 0.2]
  writeLines(c(
    "# Seconds from an interrupt to the prompt", "",
    paste0("Made by `Rscript bench/stops.R` on ", paste(unique(table$date), collapse = ", "), ", two threads, at moments of ", paste(moments, collapse = ", "),
      " s after the call. `worked` is the most that all threads together worked meanwhile. The machine's load was ", paste(range(table$load), collapse = " to "),
      "; the target, 0.2 s, is for an idle one. Above it: ", if (length(above)) paste(above, collapse = ", ") else "none", "."), "",
    "| case | median | worst | worked | stops |", "|:--|--:|--:|--:|--:|",
    sprintf("| %s | %.3f | %.3f | %.3f | %d |", table$case, table$median, table$worst, table$worked, table$stops)
  ), "bench/stops.md")
}
