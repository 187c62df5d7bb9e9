d <- source_data()
form <- y ~ a + b + c + g
by_frame <- wbb_moments(form, wbb_source(d), draws = 6, seed = 1)

# A database has no logical values; the numbers are the same.
expect_same_sums <- function(source) {
  made <- wbb_moments(form, source, draws = 6, seed = 1)
  parts <- c("sums", "unit", "folds", "totals", "shift", "scale", "low", "high", "n", "levels", "range")
  expect_identical(made[parts], by_frame[parts])
}

test_that("files give the rows that they hold, compressed or not, one or many", {
  for (size in c(70, 1e5)) {
    with_chunks(size, {
      expect_same_sums(wbb_source(csv_files(d, 1)))
      expect_same_sums(wbb_source(csv_files(d, 3)))
      expect_same_sums(wbb_source(csv_files(d, 2, compress = TRUE)))
    })
  }
})

test_that("quotes, line ends and a mark of the encoding are no data", {
  file <- tempfile(fileext = ".csv")
  text <- c("\"x\",\"g\",y", "1,\"a\nb\",2", "2,\"c,\"\"d\"\"\",1", "3,\"a\nb\",4", "4,\"c,\"\"d\"\"\",4.5", "")
  writeBin(c(as.raw(c(0xef, 0xbb, 0xbf)), charToRaw(paste(text, collapse = "\r\n"))), file)
  with_chunks(1, {
    m <- wbb_moments(y ~ x + g, wbb_source(file), draws = 2, seed = 1, nfolds = 2)
    expect_identical(m$n, 4)
    expect_length(m$levels$g, 2L)
  })
})

test_that("a last line may lack its end, and a name have several lines", {
  file <- tempfile(fileext = ".csv")
  for (text in c("y,\"a,\nb\"\n1,2\n3,4\n5,7", "y,\"a,\nb\"\r\n1,2\r\n3,4\r\n5,7")) {
    writeBin(charToRaw(text), file)
    for (size in c(1, 1e5)) {
      m <- with_chunks(size, wbb_moments(y ~ `a,\nb`, wbb_source(file), draws = 2, nfolds = 2))
      expect_identical(c(m$n, m$high), c(3, 7, 5))
    }
  }
})

test_that("a file without rows adds nothing, as a shard too", {
  none <- tempfile(fileext = ".csv")
  utils::write.csv(d[0, ], none, row.names = FALSE)
  files <- csv_files(d, 2)
  files <- c(none, files[1], none, files[2], none)
  expect_same_sums(wbb_source(files))
  plain <- wbb_moments(y ~ a, wbb_source(files[c(2, 4)], shards = 2), draws = 4, seed = 1)
  expect_identical(wbb_moments(y ~ a, wbb_source(files, shards = 5), draws = 4, seed = 1), plain)
  empty <- wbb_source(c(none, none), shards = 2)
  expect_bad(wbb_moments(y ~ a, empty), "source", "at least one row")
})

test_that("databases give their rows in order", {
  skip_if_not_installed("RSQLite")
  path <- tempfile()
  con <- DBI::dbConnect(RSQLite::SQLite(), path)
  on.exit(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "visits", d[sample(nrow(d)), ])
  with_chunks(93, {
    expect_same_sums(wbb_source(con, "SELECT * FROM visits ORDER BY id;"))
    expect_same_sums(wbb_source(con, "visits", order_by = "id"))
    expect_same_sums(wbb_source(function() DBI::dbConnect(RSQLite::SQLite(), path), "select * from visits order by id"))
  })
  # Not by the order of something else.
  elsewhere <- c("", ", (SELECT 1 ORDER BY 1) AS s", " -- order by id", " /* order\nby\nid */", " WHERE g <> 'order by'")
  for (rest in elsewhere) expect_bad(wbb_source(con, paste0("SELECT * FROM visits", rest)), "query", "ORDER BY")
  commented <- wbb_source(con, "SELECT * FROM visits ORDER BY id -- as they came", shards = 2)
  expect_equal(wbb_moments(form, commented, draws = 6, seed = 1)$n, nrow(d))
  limited <- wbb_source(con, "SELECT * FROM visits ORDER BY id LIMIT 100", shards = 2)
  expect_bad(wbb_moments(form, limited), "query", "no LIMIT")
  expect_bad(wbb_source(con, "visits"), "order_by", "no order of its own")
  expect_bad(wbb_source(con), "query")
  expect_error(wbb_moments(form, wbb_source(con, "SELECT * FROM nothing ORDER BY id")), "could not be read", class = "wbb_error_source")
  expect_bad(wbb_moments(form, wbb_source(con, "visits", "id"), backend = "future"), "backend", "function that connects")
})

test_that("a text among the numbers of a database is an error, and not the number 0", {
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "visits", d)
  DBI::dbExecute(con, "UPDATE visits SET a = 'unknown' WHERE id = 333")
  expect_error(wbb_moments(y ~ a, wbb_source(con, "visits", "id"), draws = 2), "Chunk 1.*mixed type", class = "wbb_error_source")
})

test_that("a connection that breaks is said with its chunk and row", {
  left <- 3
  read <- reset_source(d, 50)
  broken <- function(reset = FALSE) {
    if (!reset) left <<- left - 1
    if (left < 0) stop("server closed the connection")
    read(reset)
  }
  error <- expect_error(wbb_moments(y ~ a, wbb_source(broken), draws = 2), "Chunk 3.*row 101.*server closed", class = "wbb_error_source")
  expect_identical(error$value, list(chunk = 3L, row = 101))
})

test_that("functions, streams and big matrices are sources", {
  expect_same_sums(wbb_source(reset_source(d)))
  expect_same_sums(wbb_source(fake_stream(d), levels = list(g = c("low", "mid", "top"))))
  expect_bad(wbb_moments(form, wbb_source(fake_stream(d))), "levels", "only once")
  skip_if_not_installed("bigmemory")
  numbers <- c("y", "a", "b")
  x <- bigmemory::as.big.matrix(as.matrix(d[numbers]))
  plain <- wbb_moments(y ~ a + b, wbb_source(d), draws = 4, seed = 1)
  with_chunks(61, expect_identical(wbb_moments(y ~ a + b, wbb_source(x), draws = 4, seed = 1), plain))
})

test_that("no row of a CSV file is lost, and text is what was written", {
  d$g <- c("plain", "a \"quoted\" word", "with, comma", "line\nbreak")[1 + d$id %% 4]
  plain <- wbb_moments(form, wbb_source(d), draws = 4, seed = 1)
  same <- function(...) with_chunks(61, expect_identical(wbb_moments(form, wbb_source(...), draws = 4, seed = 1), plain))
  file <- csv_files(d, 1)
  same(file)
  # Whole lines only: the break within quotes is in every fourth.
  lines <- readLines(file)
  writeLines(c(lines[1:17], "", lines[18:500], "", "", lines[-(1:500)], "", ""), file)
  same(file)
  writeLines(lines, file, sep = "\r\n")
  with_chunks(61, expect_identical(wbb_moments(form, wbb_source(file), draws = 4, seed = 1)$sums, plain$sums))
  utils::write.csv2(d, file, row.names = FALSE)
  same(file, sep = ";", dec = ",")
  expect_bad(wbb_source(file, dec = ","), "dec", "sep")
  expect_bad(wbb_source(file, sep = ";", dec = ""), "dec", "one character")
  # Two files whose columns are in other orders.
  files <- tempfile(c("a", "b"), fileext = ".csv")
  utils::write.csv(d[1:300, ], files[1], row.names = FALSE)
  utils::write.csv(d[301:700, rev(names(d))], files[2], row.names = FALSE)
  same(files)
  # A line with fewer fields, or more, in the middle.
  for (bad in c("1,2", paste(rep("1", 30), collapse = ","))) {
    for (before in c(0, 400)) {
      writeLines(c("y,a,b", rep("1,2,3", before), bad, rep("1,2,3", 400)), file)
      said <- paste0("row ", before + 1, ": it could not be read: it has ", lengths(strsplit(bad, ",")), " fields")
      with_chunks(61, expect_error(wbb_moments(y ~ a + b, wbb_source(file), draws = 2), said, class = "wbb_error_source"))
    }
  }
})

test_that("numbers of CSV files are the nearest to what is written, and types are seen", {
  x <- c(d$a, exp(d$b / 1e5), d$w * 10^(d$id %% 60 - 30))
  some <- data.frame(
    x = sprintf("%.17g", x), y = sprintf("%.6f", x), whole = seq_along(x) - 5L, yes = x > 0, day = as.Date("2024-02-28") + seq_along(x) %% 9,
    time = as.POSIXct("2024-02-28 23:59:59.5", "UTC") + seq_along(x), text = c("31.12.2024", "007 ", NA)
  )
  some$whole[5] <- NA
  file <- tempfile()
  written <- within(some, time <- format(time, "%Y-%m-%dT%H:%M:%OS1Z"))
  utils::write.table(written, file, sep = ",", quote = FALSE, row.names = FALSE)
  reader <- open_source(wbb_source(file))
  on.exit(reader$close())
  read <- NULL
  while (!is.null(taken <- reader$take(100))) read <- rbind(read, taken$chunk)
  expect_identical(read[c("x", "y")], list2DF(lapply(some[c("x", "y")], as.numeric)))
  expect_identical(read$x[1:700], d$a)
  expect_identical(read[c("whole", "yes", "day")], some[c("whole", "yes", "day")])
  expect_equal(as.numeric(read$time), as.numeric(some$time))
  expect_identical(read$text, trimws(some$text))
  # Text stays text where a chunk has only numbers, or days.
  codes <- c(paste0("A", 1:999), sprintf("%03d", 1:600), rep("2024-02-28", 600))
  utils::write.csv(data.frame(code = codes, y = seq_along(codes)), file, row.names = FALSE)
  again <- open_source(wbb_source(file))
  on.exit(again$close(), add = TRUE)
  read <- NULL
  while (!is.null(taken <- again$take(30))) read <- c(read, taken$chunk$code)
  expect_identical(read, codes)
})

test_that("a compressed file that was cut off is an error, and not a shorter one", {
  file <- tempfile(fileext = ".csv")
  utils::write.csv(d, file, row.names = FALSE)
  text <- readBin(file, "raw", file.size(file))
  line_ends <- which(text == as.raw(10L))
  for (open in list(gzfile, bzfile, xzfile)) {
    packed <- tempfile()
    write_packed <- function(bytes, how = "wb") {
      out <- open(packed, how)
      writeBin(bytes, out)
      close(out)
    }
    # The end of what R makes of the first half need not be the end of a line.
    write_packed(text)
    whole <- readBin(packed, "raw", file.size(packed))
    fit <- function() wbb_moments(y ~ a, wbb_source(packed), draws = 2, seed = 1)
    expect_identical(fit()$n, 700)
    for (size in c(length(whole) %/% 2, length(whole) - 1)) {
      writeBin(whole[seq_len(size)], packed)
      expect_error(fit(), class = "wbb_error_source")
    }
    # A last line may lack its end, and there may be several parts.
    write_packed(utils::head(text, -1L))
    expect_identical(fit()$n, 700)
    write_packed(text[seq_len(line_ends[300])])
    write_packed(text[(line_ends[300] + 1):length(text)], "ab")
    expect_identical(fit()$n, 700)
  }
  # Cut where the text has the end of a line: only the file can tell.
  con <- gzcon(file(packed, "wb"), level = 0)
  writeBin(text, con)
  close(con)
  stored <- readBin(packed, "raw", file.size(packed))
  at <- utils::tail(which(stored == as.raw(10L)), 200)[1L]
  writeBin(stored[seq_len(at)], packed)
  expect_error(wbb_moments(y ~ a, wbb_source(packed), draws = 2, seed = 1), "was cut off", class = "wbb_error_source")
  expect_true(is_whole(file, 0))
})

test_that("text of other encodings is read", {
  d$g <- c("gro\u00df", "klein")[1 + d$id %% 2]
  names(d)[names(d) == "a"] <- "h\u00f6he"
  formula <- stats::as.formula("y ~ h\u00f6he + b + g")
  plain <- wbb_moments(formula, wbb_source(d), draws = 4, seed = 1)
  for (encoding in c("latin1", "UTF-8")) {
    file <- tempfile(fileext = ".csv")
    out <- file(file, "w", encoding = encoding)
    utils::write.csv(d, out, row.names = FALSE)
    close(out)
    with_chunks(61, expect_identical(wbb_moments(formula, wbb_source(file), draws = 4, seed = 1), plain))
  }
})

test_that("a text among numbers is named with its row", {
  bad <- d
  bad$a[77] <- "-"
  file <- csv_files(bad, 1)
  with_chunks(10, expect_error(wbb_moments(y ~ a + b, wbb_source(file), draws = 2), "row 77|\"-\"", class = "wbb_error_source"))
})

test_that("columns of numbers alone take a shorter way to the same sums", {
  numbers <- transform(d, i = as.integer(id %% 7), `odd name` = a^2, check.names = FALSE)
  for (formula in list(y ~ a + b + i + w, y ~ w + a - 1, y ~ `odd name` + b)) {
    source <- wbb_source(numbers)
    model <- source_model(formula, source, list(), NULL, environment())
    expect_identical(length(model$plain), model$p)
    longer <- within(model, rm(plain))
    at <- list(chunk = 1L, row = 1)
    columns <- function(model) within(chunk_numbers(model, numbers, at, NULL), x <- if (is.list(x)) do.call(cbind, x) else x)
    expect_equal(columns(model)[c("x", "count", "dropped")], columns(longer)[c("x", "count", "dropped")], ignore_attr = TRUE)
    expect_equal(chunk_rows(model, numbers, at)[c("x", "response")], chunk_rows(longer, numbers, at)[c("x", "response")], ignore_attr = TRUE)
    holes <- numbers
    holes$b[8] <- NA
    holes$w[9] <- NA
    expect_identical(chunk_numbers(model, holes, at, NULL), chunk_numbers(longer, holes, at, NULL))
  }
  for (formula in list(y ~ log(w) + a, y ~ a * b, y ~ a + g, y ~ a + c, log(w) ~ a, y ~ a + offset(b))) {
    expect_null(source_model(formula, wbb_source(numbers), list(), NULL, environment())$plain)
  }
})

test_that("what is in a chunk and should not be is named with chunk and row", {
  wrong <- function(says, row, ..., change = identity, levels = list(g = c("low", "mid", "top"))) {
    bad <- change(d)
    chunks <- lapply(split(bad, (seq_len(nrow(bad)) - 1) %/% 100), identity)
    at <- 0
    read <- function(reset = FALSE) {
      if (reset) at <<- 0 else at <<- at + 1
      if (reset || at > length(chunks)) NULL else if (at == 3) (list(...)[[1]])(chunks[[at]]) else chunks[[at]]
    }
    error <- expect_error(wbb_moments(form, wbb_source(read, levels = levels), draws = 2, na.action = na.fail), says, class = "wbb_error_source")
    expect_identical(error$value, list(chunk = 3L, row = row))
    expect_identical(error$argument, "source")
  }
  wrong("level \"huge\"", 205, function(x) within(x, g[5] <- "huge"))
  wrong("no column \"b\"", 201, function(x) x[setdiff(names(x), "b")])
  wrong("missing", 209, function(x) within(x, a[9] <- NA))
  wrong("\"a\" is Inf", 202, function(x) within(x, a[2] <- Inf))
  wrong("is character and was numeric", 201, function(x) within(x, a <- "three"))
  wrong("is character and was numeric", 201, function(x) within(x, a <- as.character(a)))
  wrong("not a data frame", 201, function(x) 3)
  wrong("an error without words", 201, function(x) stop(structure(class = c("odd", "error", "condition"), list(message = character(), call = NULL))))
})

test_that("terms that look at other rows are refused", {
  src <- wbb_source(d)
  for (term in c("scale(a)", "poly(a, 2)", "I(a / max(a))", "cut(a, 4)")) {
    expect_bad(wbb_moments(stats::as.formula(paste("y ~", term)), src, draws = 2), "formula", "their own row")
  }
  cuts <- stats::as.formula("y ~ cut(a, c(-9, -1, 0, 9)) + log(w + 1) + I(a^2) + a:c + factor(fold)")
  fit <- wbb_lasso(cuts, src, lambda = 3, draws = 5, seed = 1)
  expect_same_fit(fit, wbb_lasso(cuts, d, lambda = 3, draws = 5, seed = 1))
  expect_equal(predict(fit, d[1:9, ]), predict(wbb_lasso(cuts, d, lambda = 3, draws = 5, seed = 1), d[1:9, ]), tolerance = 1e-7)
})

test_that("factors keep the order of their levels and lose those that do not occur", {
  d$g <- factor(d$g, c("top", "none", "mid", "low"))
  fit <- wbb_lasso(form, wbb_source(d), lambda = 3, draws = 5, seed = 1)
  expect_same_fit(fit, wbb_lasso(form, d, lambda = 3, draws = 5, seed = 1))
})

test_that("levels are those of the rows that count", {
  # One of the first chunk and one of a later, in rows that are left out.
  d$g[c(2, nrow(d))] <- c("first", "last")
  d$a[2] <- NA
  d$keep <- seq_len(nrow(d)) < nrow(d)
  fit <- with_chunks(50, wbb_lasso(form, wbb_source(d), subset = keep, lambda = 3, draws = 5, seed = 1))
  expect_same_fit(fit, wbb_lasso(form, d, subset = keep, lambda = 3, draws = 5, seed = 1))
  # Where one counts after all, a declaration without it is refused.
  declared <- wbb_source(d, levels = list(g = c("low", "mid", "top")))
  expect_same_fit(wbb_lasso(form, declared, subset = keep, lambda = 3, draws = 5, seed = 1), fit)
  expect_error(wbb_lasso(form, declared, lambda = 3, draws = 5), "level \"last\"", class = "wbb_error_source")
})

test_that("wrong sources are refused", {
  expect_bad(wbb_source(), "x")
  expect_bad(wbb_source(7), "x", "big.matrix")
  expect_bad(wbb_source(tempfile()), "x", "does not exist")
  expect_bad(wbb_source(function(x) 1), "x", "reset")
  expect_bad(wbb_source(d, levels = list("a")), "levels")
  expect_bad(wbb_source(d, rows = -1), "rows")
  expect_bad(wbb_source(d, query = "SELECT"), "query")
  expect_bad(wbb_source(reset_source(d), shards = 2), "shards")
  expect_bad(wbb_moments(form, wbb_source(reset_source(d)), backend = "future"), "backend", "no parts")
  expect_bad(wbb_moments(form, wbb_source(d[0, ])), "source", "has none")
  expect_bad(wbb_moments(y ~ nothing, wbb_source(d)), "source", "nothing")
  expect_bad(wbb_moments(~a, wbb_source(d)), "formula", "response")
  one <- tempfile(fileext = ".csv")
  other <- tempfile(fileext = ".csv")
  writeLines(c("y,a", "1,2"), one)
  writeLines(c("y,b", "1,2"), other)
  expect_error(wbb_moments(y ~ a, wbb_source(c(one, other)), draws = 2), "header", class = "wbb_error_source")
  expect_output(print(wbb_source(d)), "a data frame, 700 rows")
})

test_that("shards give the same bits in one process and in several", {
  skip_on_cran()
  skip_if_not_installed("future")
  skip_if_not("wbb" %in% rownames(utils::installed.packages()), "wbb is not installed")
  files <- csv_files(d, 4)
  sources <- list(wbb_source(d, shards = 3), wbb_source(files, shards = 4))
  here <- lapply(sources, function(source) wbb_lasso(form, source, draws = 12, seed = 2))
  expect_same_fit(here[[1L]], wbb_lasso(form, d, draws = 12, seed = 2))
  old <- future::plan(future::cluster, workers = 2)
  on.exit(future::plan(old))
  for (k in 1:2) same_draws(wbb_lasso(form, sources[[k]], draws = 12, seed = 2, backend = "future"), here[[k]])
  d$a[5] <- NA
  expect_error(wbb_moments(form, wbb_source(d, shards = 2), backend = "future"), "Part 1.*missing", class = "wbb_error_source")
})

test_that("a shard whose worker dies is tried again on the others", {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("future")
  skip_if_not("wbb" %in% rownames(utils::installed.packages()), "wbb is not installed")
  path <- tempfile()
  con <- DBI::dbConnect(RSQLite::SQLite(), path)
  DBI::dbWriteTable(con, "visits", d)
  DBI::dbDisconnect(con)
  flag <- tempfile()
  connect <- eval(substitute(function() {
    # The first worker to come dies.
    if (Sys.getpid() != session && dir.create(flag, showWarnings = FALSE)) tools::pskill(Sys.getpid(), 9L)
    DBI::dbConnect(RSQLite::SQLite(), wbb_test_path)
  }, list(session = Sys.getpid(), flag = flag)), globalenv())
  # What it uses of the workspace goes with it.
  assign("wbb_test_path", path, globalenv())
  on.exit(rm("wbb_test_path", envir = globalenv()))
  source <- wbb_source(connect, "visits", order_by = "id", shards = 3)
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old), add = TRUE)
  made <- wbb_moments(form, source, draws = 4, seed = 1, backend = "future")
  expect_identical(made$sums, wbb_moments(form, source, draws = 4, seed = 1)$sums)
  expect_true(dir.exists(flag))
})
