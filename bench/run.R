# `make bench [WORKLOADS="L1 L3"]`: our speed and exactness beside other packages
# in one run. Nothing else should run meanwhile. Writes bench/results.md.

library(wbb)
if (!requireNamespace("glmnet", quietly = TRUE)) stop("The benchmarks compare with glmnet: please install it.")
source(file.path("bench", "lasso.R"))
source(file.path("bench", "trendfilter.R"))

chosen <- strsplit(Sys.getenv("WORKLOADS", "L1 L2 L3 L4 L5 T1 T2a T2b T2c T3a T3b"), " ")[[1]]
trends <- intersect(chosen, names(trend_workloads))
if (length(trends)) {
  table <- do.call(rbind, lapply(trends, bench_trend))
  print(table, digits = 3)
  write_trend(table, file.path("bench", "trendfilter.md"))
}
chosen <- setdiff(chosen, trends)
if (!length(chosen)) quit(save = "no")
table <- do.call(rbind, lapply(chosen, bench_lasso))
print(table, digits = 3)

cpu <- grep("model name", readLines("/proc/cpuinfo", warn = FALSE), value = TRUE)
row <- function(r) {
  sprintf("| %s %s | %s | %.3g | %.3g | **%.0f×** | %.1e | %.1e |", r$workload, r$label, r$method,
    r$ours_ms, r$glmnet_ms, r$ratio, r$our_worst_gap, r$glmnet_median_excess)
}
writeLines(c(
  "# Benchmarks",
  "",
  sprintf("Made by `make bench` on %s: %d cores%s, %s, glmnet %s, wbb %s.", format(Sys.Date()),
    parallel::detectCores(), if (length(cpu)) paste0(" (", sub(".*: ", "", cpu[1]), ")") else "",
    R.version.string, packageVersion("glmnet"), packageVersion("wbb")),
  "Milliseconds a draw, medians of three interleaved rounds; ours with 2 threads, everything included",
  "(R, the mode, the draws); glmnet in a loop of single-lambda calls at its default threshold, one",
  "thread. The gap is certified; glmnet's excess is over our objective.",
  "",
  "| workload | method | wbb, ms | glmnet, ms | ratio | our worst gap | glmnet's median excess |",
  "|---|---|---|---|---|---|---|",
  vapply(split(table, seq_len(nrow(table))), row, "")
), file.path("bench", "results.md"))
