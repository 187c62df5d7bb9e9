# Data larger than memory: one pass for all draws over SQLite, CSV and a big.matrix, beside reading alone and arithmetic alone, threads and
# workers, one weighted fit by other packages, and rows that are kept, for a logistic lasso. Writes bench/scale.md.
#   Rscript bench/scale.R [rows=1e7] [draws=1000] [share=0.2] [minutes=60] [page=bench/scale.md]
# Each measurement has a process of its own, whose memory is looked at while it works. Passes over a source read all rows; arithmetic alone and
# other packages have a share of them, from memory, and are counted up. No measurement begins after so many minutes: the page has NA for it.

library(wbb)
given <- strsplit(commandArgs(TRUE), "=")
setting <- function(name, default) {
  found <- Filter(function(pair) pair[1L] == name, given)
  if (!length(found)) default else if (is.numeric(default)) as.numeric(found[[1L]][2L]) else found[[1L]][2L]
}
size <- min(setting("rows", 1e7), 1e5)
parts <- ceiling(setting("rows", 1e7) / size)
rows <- parts * size
draws <- setting("draws", 1000)
page <- setting("page", file.path("bench", "scale.md"))
share <- max(1, round(parts * setting("share", 0.2)))
p <- 20
names_x <- paste0("x", seq_len(p))
form <- stats::as.formula(paste("y ~", paste(names_x, collapse = " + ")))
# A folder of the disk: that for temporary files may be in memory.
folder <- setting("folder", normalizePath(tempfile("scale", "output"), mustWork = FALSE))
csv <- file.path(folder, c("a.csv", "b.csv"))
sqlite <- file.path(folder, "rows.sqlite")

# A part is a window of the same numbers, another for each column and part: what is to be measured is not making them.
set.seed(1)
pool <- round(stats::rnorm(2 * size), 4)
make_rows <- function(part) {
  window <- function(j) pool[(part * 7919 + j * 104729) %% size + seq_len(size)]
  x <- vapply(seq_len(p), window, numeric(size))
  colnames(x) <- names_x
  y <- round(drop(x[, 1:3] %*% c(1, -1, 0.5)) + window(p + 1), 4)
  data.frame(id = (part - 1) * size + seq_len(size), x, y = y)
}

# The child: one measurement ---------------------------------------------------------

# The same rows again and again from memory: reading costs nothing.
repeated <- function() {
  held <- make_rows(1)
  left <- 0
  wbb_source(function(reset = FALSE) {
    if (reset) left <<- share else left <<- left - 1
    if (reset || left < 0) NULL else held
  }, rows = share * size)
}

source_of <- function(kind, ...) {
  # Every worker connects itself, by what the function has in it.
  connect <- eval(bquote(function() DBI::dbConnect(RSQLite::SQLite(), .(sqlite))), globalenv())
  switch(kind,
    SQLite = wbb_source(connect, "SELECT * FROM rows ORDER BY id", rows = rows, ...),
    CSV = wbb_source(csv, rows = rows, ...),
    big.matrix = wbb_source(bigmemory::attach.big.matrix(file.path(folder, "rows.desc")), ...),
    memory = repeated()
  )
}

read_all <- function(source) {
  reader <- wbb:::open_source(source)
  on.exit(reader$close())
  count <- 0
  while (!is.null(taken <- reader$take(wbb:::chunk_size(p + 2)))) count <- count + nrow(taken$chunk)
  stopifnot(count == rows)
}

# One fit of as many rows: biglm and speedglm weight them and take a part at a time, biglasso does a lasso without weights.
peer_fit <- function(package) {
  held <- make_rows(1)
  held$w <- stats::rexp(size)
  # Where speedlm() looks for its weights.
  assign("held", held, globalenv())
  switch(package,
    biglm = function() {
      fit <- biglm::biglm(form, held, weights = ~w)
      for (part in seq_len(share)[-1]) fit <- stats::update(fit, held)
    },
    speedglm = function() {
      fit <- speedglm::speedlm(form, held, weights = held$w)
      for (part in seq_len(share)[-1]) fit <- speedglm::updateWithMoreData(fit, held, weights = held$w)
    },
    biglasso = {
      x <- bigmemory::big.matrix(share * size, p)
      for (part in seq_len(share)) x[seq_len(size) + (part - 1) * size, ] <- as.matrix(held[names_x])
      y <- rep(held$y, share)
      function() biglasso::biglasso(x, y, lambda = 0.01 * stats::sd(y))
    }
  )
}

# A logistic lasso: rows are kept, in a file or in memory.
logistic <- function(in_file) {
  if (in_file) options(wbb.max_moments = 1e6)
  count <- min(rows, 2e5)
  big <- bigmemory::attach.big.matrix(file.path(folder, "rows.desc"))
  held <- as.data.frame(big[seq_len(count), ])
  suppressMessages(wbb_lasso(stats::update(form, I(y > 0) ~ .), if (in_file) wbb_source(held) else held, family = "binomial",
    lambda = 50, draws = 100, seed = 1, threads = 1, progress = FALSE))
}

work <- function() {
  kind <- setting("kind", "memory")
  threads <- setting("threads", 1)
  count <- setting("count", draws)
  pass <- function(...) wbb_moments(form, ..., draws = count, seed = 1, progress = FALSE)
  switch(setting("child", "none"),
    pass = {
      source <- source_of(kind)
      function() pass(source, threads = threads)
    },
    read = {
      source <- source_of(kind)
      function() read_all(source)
    },
    workers = {
      future::plan(future::cluster, workers = setting("workers", 2))
      source <- source_of(kind, shards = 2)
      function() pass(source, backend = "future")
    },
    peer = peer_fit(kind),
    logistic = function() logistic(kind == "file")
  )
}

if (setting("child", "none") != "none") {
  run <- work()
  spent <- system.time(run(), gcFirst = FALSE)
  writeLines(as.character(c(spent[["elapsed"]], spent[["user.self"]] + spent[["sys.self"]])), setting("out", ""))
  quit(save = "no")
}

# The parent --------------------------------------------------------------------------

begun <- proc.time()[["elapsed"]]
minutes <- setting("minutes", 60)
# What others do on the machine is in every second by the clock.
load <- suppressWarnings(tryCatch(sub(" .*", "", readLines("/proc/loadavg")), error = function(e) "unknown"))
say <- function(...) cat(sprintf("[%4.0f s] ", proc.time()[["elapsed"]] - begun), ..., "\n", sep = "")

# Seconds by the clock and of the processor, and the most memory in MB: its own, and with the pages of files that it maps.
measure <- function(...) finish(begin(...))

begin <- function(...) {
  what <- paste(names(list(...)), list(...), sep = "=", collapse = " ")
  if (proc.time()[["elapsed"]] - begun > 60 * minutes) return(list(what = what, pid = NULL))
  out <- tempfile("out", folder)
  settings <- c(list(...), rows = rows, draws = draws, share = setting("share", 0.2), folder = folder, out = out)
  call <- paste(shQuote(c(file.path(R.home("bin"), "Rscript"), "bench/scale.R", paste(names(settings), settings, sep = "="))), collapse = " ")
  # What it says goes into a file: system() would wait for its end else.
  list(what = what, call = call, out = out, pid = system(paste(call, ">", shQuote(paste0(out, ".log")), "2>&1 & echo $!"), intern = TRUE)[1L])
}

finish <- function(child) {
  if (is.null(child$pid)) {
    say("no time was left for ", child$what)
    return(c(seconds = NA, processor = NA, own = NA, all = NA))
  }
  own <- all <- 0
  status <- file.path("/proc", child$pid, "status")
  value <- function(lines, name) sum(as.numeric(gsub("[^0-9]", "", grep(paste0("^", name), lines, value = TRUE)))) / 1024
  repeat {
    lines <- suppressWarnings(tryCatch(readLines(status), error = function(e) NULL))
    if (is.null(lines) || !length(lines) || any(grepl("^State:\\s*Z", lines))) break
    own <- max(own, value(lines, "RssAnon"))
    all <- max(all, value(lines, "VmHWM"))
    Sys.sleep(0.1)
  }
  if (!file.exists(child$out)) stop("this failed: ", child$call, "\n", paste(readLines(paste0(child$out, ".log")), collapse = "\n"))
  spent <- as.numeric(readLines(child$out))
  say(child$what, sprintf(": %.1f s, %.1f s of the processor, %.0f MB", spent[1L], spent[2L], own))
  c(seconds = spent[1L], processor = spent[2L], own = own, all = all)
}

# R's own way takes minutes for so many.
write_rows <- function(part, file) {
  if (requireNamespace("data.table", quietly = TRUE)) return(data.table::fwrite(part, file, append = file.exists(file)))
  utils::write.table(part, file, append = file.exists(file), sep = ",", row.names = FALSE, col.names = !file.exists(file))
}

dir.create(folder, recursive = TRUE)
con <- DBI::dbConnect(RSQLite::SQLite(), sqlite)
for (pragma in c("journal_mode = OFF", "synchronous = OFF")) DBI::dbExecute(con, paste("PRAGMA", pragma))
DBI::dbExecute(con, paste0("CREATE TABLE rows (id INTEGER PRIMARY KEY, ", paste(c(names_x, "y"), "REAL", collapse = ", "), ")"))
big <- bigmemory::filebacked.big.matrix(rows, p + 2, backingfile = "rows.bin", backingpath = folder, descriptorfile = "rows.desc",
  dimnames = list(NULL, c("id", names_x, "y")))
for (part in seq_len(parts)) {
  chunk <- make_rows(part)
  # Two files of half the rows each.
  for (half in list(list(csv[1L], chunk[chunk$id <= rows / 2, ]), list(csv[2L], chunk[chunk$id > rows / 2, ]))) {
    if (nrow(half[[2L]])) write_rows(half[[2L]], half[[1L]])
  }
  DBI::dbAppendTable(con, "rows", chunk)
  big[chunk$id, ] <- as.matrix(chunk)
}
DBI::dbDisconnect(con)
rm(big)
say("data are written")

kinds <- c("SQLite", "CSV", "big.matrix")
up <- parts / share
arithmetic <- lapply(c(one = 1, two = 2), function(threads) measure(child = "pass", kind = "memory", threads = threads))
# Two processes that share nothing but the machine: more than they have of it no threads can have.
apart <- lapply(list(begin(child = "pass", kind = "memory"), begin(child = "pass", kind = "memory")), finish)
reading <- lapply(kinds, function(kind) measure(child = "read", kind = kind))
one <- lapply(kinds, function(kind) measure(child = "pass", kind = kind, threads = 1))
two <- measure(child = "pass", kind = "CSV", threads = 2)
few <- measure(child = "pass", kind = "CSV", threads = 2, count = 100)
workers <- lapply(kinds, function(kind) lapply(c(1, 2), function(count) measure(child = "workers", kind = kind, workers = count)))
peers <- Filter(function(package) requireNamespace(package, quietly = TRUE), c("biglm", "speedglm", "biglasso"))
fits <- lapply(peers, function(package) measure(child = "peer", kind = package))
kept <- lapply(c("file", "memory"), function(kind) measure(child = "logistic", kind = kind))

# The page -----------------------------------------------------------------------------

take <- function(list, what = "seconds") vapply(list, `[[`, 0, what)
number <- function(value) format(value, big.mark = ",", scientific = FALSE)
by_one <- lapply(workers, `[[`, 1L)
by_two <- lapply(workers, `[[`, 2L)
counted_up <- take(arithmetic) * up
ratio <- take(one) / pmax(take(reading), counted_up[["one"]])
lines <- c(
  "# Data larger than memory", "",
  sprintf("%s rows by %d columns, %s draws, %s; R %s. Made by `Rscript bench/scale.R rows=%s draws=%s` in %.0f minutes. Seconds are those of the clock, each measurement in a process of its own; the load of the machine was %s before it began.",
    number(rows), p, number(draws), wbb:::rust_info()$simd, getRversion(), format(rows, scientific = FALSE), draws, (proc.time()[["elapsed"]] - begun) / 60, load), "",
  sprintf("Arithmetic alone (%s rows from memory, counted up): %.1f s on one thread, %.1f on two, %.2f times as fast, where two processes of one thread side by side do %.2f times the work of one; on one thread %.1f ns of the processor a row and draw, all included.",
    number(share * size), counted_up[["one"]], counted_up[["two"]], counted_up[["one"]] / counted_up[["two"]],
    2 * take(arithmetic)[["one"]] / max(take(apart)), 1e9 * take(arithmetic, "processor")[["one"]] / (share * size) / draws), "",
  "| source | reading alone, s | one thread, s | over the larger of reading and arithmetic | memory, MB | with mapped files, MB |", "|---|---|---|---|---|---|",
  sprintf("| %s | %.1f | %.1f | %.2f | %.0f | %.0f |", kinds, take(reading), take(one), ratio, take(one, "own"), take(one, "all")), "",
  sprintf("From CSV on two threads: %.1f s; 100 draws: %.1f s.", two[["seconds"]], few[["seconds"]]), "",
  "Two shards (two CSV files, or halves of the rows) by workers of one thread. One worker reads on the second processor while it works; two share what that takes.", "",
  "| source | one worker, s | two workers, s | times as fast |", "|---|---|---|---|",
  sprintf("| %s | %.1f | %.1f | %.2f |", kinds, take(by_one), take(by_two), take(by_one) / take(by_two)), "",
  if (length(peers)) {
    sprintf("One fit of as many rows from memory by %s: %.1f s (%s rows, counted up); our pass is %s draws.", peers, take(fits) * up, number(share * size), number(draws))
  } else {
    "biglm, speedglm and biglasso were not there to compare with."
  }, "",
  sprintf("A logistic lasso of %s of the rows, 100 draws, one thread: %.1f s from rows that are kept in a file (%.0f MB of memory), %.1f s from a data frame.",
    number(min(rows, 2e5)), kept[[1L]][["seconds"]], kept[[1L]][["own"]], kept[[2L]][["seconds"]])
)
writeLines(lines, page)
writeLines(lines)
say("done")
unlink(folder, recursive = TRUE)
