# Tries to break the package: calls with wrong values of every kind, stops at random moments, saved fits and files with
# wrong bytes, forks, threads and memory that the system refuses, a garbage collection at every turn, valgrind. What is found goes to
# standard error, a line a fault, and with `report=` into a table. Any crash, hang or silent NaN fails; so do errors that have no class.
#   Rscript tools/torture.R calls=20000 stops=1000 bytes=5000 forks=50 limits=5 collections=1 valgrind=1 seed=1 report=bench/robustness.md
library(wbb)
load_now <- function() strsplit(readLines("/proc/loadavg"), " ")[[1L]][1L]
loads <- if (file.exists("/proc/loadavg")) load_now()

asked <- list(calls = "300", stops = "20", bytes = "150", forks = "2", limits = "1", collections = "0", valgrind = "0", seed = "1", report = "")
for (given in strsplit(commandArgs(TRUE), "=", fixed = TRUE)) {
  if (!given[1] %in% names(asked)) stop("unknown setting ", given[1])
  asked[[given[1]]] <- given[2]
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
  faults <<- c(faults, paste0(...))
  cat("FAULT ", ..., "\n", sep = "", file = stderr())
}
# The faults are those since the last count, so that each is in the table, wherever it was found.
count_up <- function(what, outcomes, worst = NA) {
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
for (part in c("fits", "calls", "stops", "bytes", "system", "memory")) source(file.path(here, paste0(part, ".R")))

# The report -----------------------------------------------------------------------------

if (length(loads)) loads <- c(loads, load_now())
table <- do.call(rbind, tally)
print(table, na.print = "")
if (nzchar(asked$report)) {
  rows <- apply(table, 1L, function(row) paste(ifelse(is.na(row), "", vapply(row, format, "", digits = 3)), collapse = " | "))
  writeLines(c(
    "# Robustness", "", "Made by `make torture`; see tools/torture for what is tried.", "",
    paste0("wbb ", utils::packageVersion("wbb"), ", ", R.version.string, ", seed ", asked$seed, ", ", format(round(proc.time()[["elapsed"]] / 60)), " minutes; the load of the machine was ",
      paste(loads, collapse = ", "), " at the beginning and the end, with ", parallel::detectCores(), " processors."), "",
    "| what | tried | refused with a class | faults | worst latency of a stop, s |", "|---|---|---|---|---|",
    paste("|", rownames(table), "|", rows, "|"), "",
    if (length(late)) c("Seconds from the time limit to the prompt, by what was stopped:", "", "| stopped | stops | median | worst |", "|---|--:|--:|--:|",
      sprintf("| %s | %d | %.3f | %.3f |", sort(unique(names(late))), tapply(late, names(late), length), tapply(late, names(late), stats::median), tapply(late, names(late), max)), ""), if (length(faults)) c("Faults:", "", paste("-", unique(faults)))
  ), asked$report)
}
if (length(faults)) {
  cat(length(faults), "faults\n")
  quit(status = 1L)
}
cat("nothing broke\n")
