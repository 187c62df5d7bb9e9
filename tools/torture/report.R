# What was found by all runs that were kept, as a page; faults of all of them count.

runs <- lapply(list.files(asked$keep, "[.]rds$", full.names = TRUE), readRDS)
if (!length(runs)) stop("nothing was kept in ", dQuote(asked$keep, FALSE))
of_all <- function(part) unlist(lapply(runs, `[[`, part))
unended <- sub("[.]begun$", "", list.files(asked$keep, "[.]begun$"))
faults <- c(of_all("faults"), sprintf("the run of %s did not come to its end", unended))
late <- of_all("late")
rows <- do.call(rbind, lapply(runs, function(run) data.frame(what = rownames(run$table), run$table, seed = run$seed)))
summed <- function(part) tapply(rows[[part]], factor(rows$what, unique(rows$what)), sum)
seeds <- tapply(rows$seed, factor(rows$what, unique(rows$what)), function(seed) paste(unique(seed), collapse = ", "))
numbers <- function(values) format(values, big.mark = ",", trim = TRUE)
writeLines(c(
  "# Robustness", "",
  paste0("Made by `make torture`; see tools/torture for what is tried. wbb ", format(runs[[1L]]$version), ", ", R.version.string, ", ", parallel::detectCores(),
    " processors, ", length(runs), " runs of ", round(sum(of_all("minutes"))), " minutes together; the load of the machine was ", paste(range(of_all("loads")), collapse = " to "),
    " at their beginnings and ends."), "",
  "| what | seed | tried | refused with a class | faults |", "|:--|:--|--:|--:|--:|",
  sprintf("| %s | %s | %s | %s | %s |", names(seeds), seeds, numbers(summed("tried")), numbers(summed("refused")), numbers(summed("faults"))), "",
  if (length(late)) {
    by_name <- split(late, names(late))
    c(sprintf("Seconds that the processors worked, all threads together, from the stop to the prompt, in %s stops: the median is %.3f, the worst %.3f.", numbers(length(late)), stats::median(late), max(late)), "",
      "| stopped | stops | median | worst |", "|:--|--:|--:|--:|",
      sprintf("| %s | %d | %.3f | %.3f |", names(by_name), lengths(by_name), vapply(by_name, stats::median, 0), vapply(by_name, max, 0)))
  },
  if (length(faults)) c("", "Faults:", "", paste("-", unique(faults)))
), asked$report)
