# Tries to break the package: calls with wrong values of every kind, stops at random moments, saved fits and files with
# wrong bytes, forks, threads and memory that the system refuses, a garbage collection at every turn, valgrind, a fuzzer. What is found goes to
# standard error, a line a fault. Any crash, hang or silent NaN fails; so do errors that have no class.
#   Rscript tools/torture.R calls=300 seed=2                            # some parts alone; without any, all but the slow ones in short
#   Rscript tools/torture.R stops=1000 minutes=40 keep=output/torture   # what was found is kept; on a busy machine with more than 12 minutes for the stops
#   Rscript tools/torture.R keep=output/torture report=robustness.md    # a report of all that was kept
library(wbb)
load_now <- function() as.double(strsplit(readLines("/proc/loadavg"), " ")[[1L]][1L])
loads <- if (file.exists("/proc/loadavg")) load_now()

short <- list(calls = "300", stops = "20", bytes = "150", forks = "2", limits = "1")
parts <- c(names(short), "collections", "valgrind", "fuzz")
asked <- c(stats::setNames(as.list(rep("0", length(parts))), parts), list(seed = "1", minutes = "12", keep = "", report = ""))
given <- strsplit(commandArgs(TRUE), "=", fixed = TRUE)
if (!any(vapply(given, `[`, "", 1L) %in% c(parts, "report"))) asked[names(short)] <- short
for (setting in given) {
  if (!setting[1L] %in% names(asked)) stop("unknown setting ", setting[1L])
  asked[[setting[1L]]] <- setting[2L]
}
count <- function(name) as.integer(asked[[name]])
set.seed(count("seed"))
options(wbb.threads = 2L, warn = -1L)
# A call that takes longer than this hangs.
patience <- 20
faults <- character()
tally <- list()
counted <- 0L
# To standard error: what code under `try_out()` prints is swallowed.
fault <- function(...) {
  text <- gsub("[[:space:]]+", " ", paste0(...))
  faults <<- c(faults, text)
  cat("FAULT ", text, "\n", sep = "", file = stderr())
}
# The faults are those since the last count, so that each is in the table, wherever it was found.
count_up <- function(what, outcomes, worst = NA) {
  if (!length(outcomes)) return(invisible())
  tally[[what]] <<- c(tried = length(outcomes), refused = sum(outcomes == "refused"), faults = length(faults) - counted, worst = worst)
  counted <<- length(faults)
}

# The outcome of code: "value", "refused" (an error with a class of ours), or a fault.
try_out <- function(code, what, allowed = character()) {
  began <- proc.time()[["elapsed"]]
  before <- length(faults)
  setTimeLimit(elapsed = patience, transient = TRUE)
  on.exit(setTimeLimit())
  value <- NULL
  outcome <- tryCatch({
    utils::capture.output(value <- force(code))
    "value"
  }, wbb_error = function(e) "refused", error = function(e) {
    if (proc.time()[["elapsed"]] - began >= patience) return("hang")
    if (any(vapply(allowed, grepl, NA, conditionMessage(e)))) return("refused")
    paste("unclassed:", conditionMessage(e), "in", deparse1(conditionCall(e))[1L])
  })
  if (!outcome %in% c("value", "refused")) fault(what, ": ", substr(outcome, 1L, 300L))
  if (outcome == "value" && has_nan(value)) fault(what, ": NaN in silence")
  # The code may have reported one itself.
  if (length(faults) > before) "fault" else outcome
}

# In the draws and the mode of a fit: what comes from the user's own NaN is refused before. A draw that failed is NA and counted.
has_nan <- function(value) {
  if (!inherits(value, "wbb") || !is.numeric(value$draws)) return(FALSE)
  failed <- value$diagnostics$status != "ok"
  sum(is.na(value$draws)) > sum(failed) * length(value$draws) / max(1, dim(value$draws)[1L])
}

pick <- function(from) from[[sample.int(length(from), 1L)]]

# In a process of its own: `code` is a text, or the path of a script; the last line of what it says.
in_process <- function(code, before = "", with = character(), seconds = 600) {
  script <- tempfile(fileext = ".R")
  writeLines(c(sprintf(".libPaths(%s)", deparse1(.libPaths())), code), script)
  command <- paste(before, "timeout", seconds, file.path(R.home("bin"), "R"), paste(with, collapse = " "), "--no-echo --no-restore -f", script)
  suppressWarnings(system2("bash", c("-c", shQuote(command)), stdout = TRUE, stderr = TRUE))
}

here <- file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "torture")
grDevices::pdf(NULL)
late <- numeric()
# A run that ends before its time leaves its mark.
trying <- parts[vapply(parts, count, 0L) > 0L]
kept <- if (nzchar(asked$keep)) file.path(asked$keep, paste(c(trying, asked$seed), collapse = "-"))
mark <- if (length(trying) && length(kept)) paste0(kept, ".begun")
if (length(mark)) {
  dir.create(asked$keep, FALSE, TRUE)
  file.create(mark)
}
if (length(trying)) {
  for (part in c("fits", "calls", "stops", "bytes", "system", "memory", "fuzz")) source(file.path(here, paste0(part, ".R")))
}

# The report -----------------------------------------------------------------------------

if (length(loads)) loads <- range(loads, load_now())
found <- list(
  table = do.call(rbind, tally), faults = faults, late = late, seed = asked$seed, minutes = proc.time()[["elapsed"]] / 60, loads = loads,
  version = utils::packageVersion("wbb")
)
if (length(found$table)) print(found$table, na.print = "")
if (length(mark)) {
  saveRDS(found, paste0(kept, ".rds"))
  unlink(mark)
}
if (nzchar(asked$report)) source(file.path(here, "report.R"))
if (length(faults)) {
  cat(length(faults), "faults\n")
  quit(status = 1L)
}
cat("nothing broke\n")
