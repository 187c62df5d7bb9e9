# Data larger than memory: one pass for all draws over SQLite, CSV and a big.matrix, beside reading alone and arithmetic alone, the memory
# that it takes, threads and workers, one weighted fit by other packages; and rows that are kept, for a logistic lasso. Writes bench/scale.md.
#   Rscript bench/scale.R [rows] [draws]

library(wbb)
arguments <- as.numeric(commandArgs(TRUE))
rows <- if (length(arguments) >= 1L) arguments[1] else 1e7
draws <- if (length(arguments) >= 2L) arguments[2] else 1000
p <- 20
form <- stats::as.formula(paste("y ~", paste0("x", seq_len(p), collapse = " + ")))

# Rows in parts, so that the data are nowhere whole.
make_rows <- function(part, size) {
  set.seed(part)
  x <- matrix(round(rnorm(size * p), 4), size, dimnames = list(NULL, paste0("x", seq_len(p))))
  data.frame(id = (part - 1) * size + seq_len(size), x, y = round(drop(x[, 1:3] %*% c(1, -1, 0.5)) + rnorm(size), 4))
}

seconds <- function(expr) system.time(expr, gcFirst = FALSE)[["elapsed"]]

# Of this process, in MB, at its highest.
peak_memory <- function() {
  status <- readLines("/proc/self/status")
  as.numeric(gsub("[^0-9]", "", grep("^VmHWM", status, value = TRUE))) / 1024
}

folder <- tempfile("scale")
dir.create(folder)
size <- min(rows, 1e5)
parts <- ceiling(rows / size)
csv <- file.path(folder, "rows.csv")
con <- DBI::dbConnect(RSQLite::SQLite(), file.path(folder, "rows.sqlite"))
big <- bigmemory::filebacked.big.matrix(rows, p + 2, backingfile = "rows.bin", backingpath = folder, descriptorfile = "rows.desc",
  dimnames = list(NULL, names(make_rows(1, 2))))
for (part in seq_len(parts)) {
  chunk <- make_rows(part, size)
  data.table::fwrite(chunk, csv, append = part > 1)
  DBI::dbWriteTable(con, "rows", chunk, append = part > 1)
  big[(part - 1) * size + seq_len(size), ] <- as.matrix(chunk)
}
DBI::dbExecute(con, "CREATE UNIQUE INDEX by_id ON rows (id)")
sources <- list(
  SQLite = wbb_source(con, "SELECT * FROM rows ORDER BY id", rows = rows), CSV = wbb_source(csv, rows = rows), big.matrix = wbb_source(big)
)

read_all <- function(source) {
  reader <- wbb:::open_source(source)
  on.exit(reader$close())
  while (!is.null(reader$take(1e5))) NULL
}

# The same rows again and again from memory: reading costs nothing. A fifth of them says what all cost.
held <- make_rows(1, size)
share <- max(1, parts %/% 5)
repeated <- function() {
  left <- 0
  wbb_source(function(reset = FALSE) {
    if (reset) left <<- share
    left <<- left - 1
    if (reset || left < 0) NULL else held
  }, rows = share * size)
}

pass <- function(source, threads, count = draws) wbb_moments(form, source, draws = count, seed = 1, threads = threads, progress = FALSE)

arithmetic <- sapply(c(one = 1, two = 2), function(threads) seconds(pass(repeated(), threads))) * parts / share
# Two threads and few draws, where reading counts most, by the slowest reader alone.
slowest <- names(sources)[1L]
table <- lapply(names(sources), function(name) {
  reading <- seconds(read_all(sources[[name]]))
  one <- seconds(pass(sources[[name]], 1))
  two <- few <- NA
  if (name == slowest) {
    two <- seconds(pass(sources[[name]], 2))
    few <- seconds(pass(sources[[name]], 2, 100))
  }
  c(reading = reading, one = one, two = two, bound = one / max(reading, arithmetic[["one"]]), few = few)
})
table <- do.call(rbind, table)
memory <- peak_memory()

# Two files of half the rows each, one for each worker.
halves <- file.path(folder, c("a.csv", "b.csv"))
for (part in seq_len(parts)) {
  half <- halves[1 + (part > parts / 2)]
  data.table::fwrite(make_rows(part, size), half, append = file.exists(half))
}
future::plan(future::cluster, workers = 2)
sharded <- wbb_source(halves, shards = 2)
workers <- seconds(wbb_moments(form, sharded, draws = draws, seed = 1, backend = "future", progress = FALSE))
future::plan(future::sequential)

# One weighted fit of as many rows by others, from memory.
held$w <- stats::rexp(size)
peers <- c(
  biglm = if (requireNamespace("biglm", quietly = TRUE)) seconds({
    fit <- biglm::biglm(form, held, weights = ~w)
    for (part in seq_len(share)[-1]) fit <- stats::update(fit, held)
  }),
  speedglm = if (requireNamespace("speedglm", quietly = TRUE)) seconds({
    fit <- speedglm::speedlm(form, held, weights = held$w)
    for (part in seq_len(share)[-1]) fit <- speedglm::updateWithMoreData(fit, held, weights = held$w)
  })
) * parts / share

# A logistic lasso of a part of the rows: kept in a file, and in memory.
some <- min(rows, 1e6)
logistic <- function(data) wbb_lasso(stats::update(form, I(y > 0) ~ .), data, family = "binomial", lambda = 50, draws = 100, seed = 1, threads = 1, progress = FALSE)
plain <- as.data.frame(big[seq_len(some), ])
options(wbb.max_moments = 1e7)
from_file <- seconds(a <- suppressMessages(logistic(wbb_source(plain))))
options(wbb.max_moments = NULL)
in_memory <- seconds(b <- logistic(plain))
stopifnot(identical(unname(a$draws), unname(b$draws)))

cell <- function(value) ifelse(is.na(value), "", sprintf("%.1f", value))
lines <- c(
  "# Data larger than memory", "",
  sprintf("%s rows by %d columns, %s draws, %s; R %s. Made by `Rscript bench/scale.R %s %s`.", format(rows, big.mark = ",", scientific = FALSE), p,
    format(draws, big.mark = ","), wbb:::rust_info()$simd, getRversion(), format(rows, scientific = FALSE), draws), "",
  sprintf("Arithmetic alone (rows from memory): %.1f s on one thread, %.1f on two: %.1f ns a row and draw on one, %.2f times as fast on two.",
    arithmetic[["one"]], arithmetic[["two"]], 1e9 * arithmetic[["one"]] / rows / draws, arithmetic[["one"]] / arithmetic[["two"]]), "",
  "| source | reading alone, s | one thread, s | over the larger of reading and arithmetic | two threads, s | two threads, 100 draws, s |", "|---|---|---|---|---|---|",
  sprintf("| %s | %.1f | %.1f | %.2f | %s | %s |", names(sources), table[, "reading"], table[, "one"], table[, "bound"], cell(table[, "two"]), cell(table[, "few"])), "",
  sprintf("Highest resident memory of the process, all of this included: %.0f MB.", memory), "",
  sprintf("Two workers, one thread each, two CSV files: %.1f s, %.2f times as fast as one thread.", workers, table[names(sources) == "CSV", "one"] / workers), "",
  if (length(peers)) sprintf("One weighted fit of as many rows from memory by %s: %.1f s.", names(peers), peers) else "biglm and speedglm were not there to compare with.", "",
  sprintf("A logistic lasso of %s of the rows, 100 draws, one thread: %.1f s from rows that are kept in a file, %.1f s in memory, with the same bits.",
    format(some, big.mark = ",", scientific = FALSE), from_file, in_memory)
)
writeLines(lines, file.path("bench", "scale.md"))
writeLines(lines)
unlink(folder, recursive = TRUE)
