# Readers: an open source, as list(read, close). `read(n)` gives the next rows, about n of them, as a data frame, and
# NULL after the last. Where it is cheaper to count rows than to read them, `skip(n)` goes past about n of them and gives their number.

frame_reader <- function(x, part) rows_reader(x, part, identity)

bigmatrix_reader <- function(x, part) rows_reader(x, part, as.data.frame)

# Of what has rows that can be picked; `frame` makes the data frame of some.
rows_reader <- function(x, part, frame) {
  from <- if (is.null(part)) 1 else part$from
  last <- if (is.null(part)) nrow(x) else from + part$count - 1
  list(
    read = function(n) {
      if (from > last) return(NULL)
      rows <- from:min(from + n - 1, last)
      from <<- from + length(rows)
      frame(x[rows, , drop = FALSE])
    },
    close = function() invisible()
  )
}

function_reader <- function(x) {
  x(reset = TRUE)
  list(read = function(n) x(reset = FALSE), close = function() invisible())
}

stream_reader <- function(stream) {
  list(
    read = function(n) {
      batch <- stream$get_next()
      if (!is.null(batch)) as.data.frame(batch)
    },
    close = function() if (is.function(stream$release)) stream$release()
  )
}

# Databases ------------------------------------------------------------------------

database_reader <- function(x, query, part) {
  connection <- if (is.function(x)) x() else x
  if (!is.null(part)) {
    # Numbers as they are: 1e5 is no whole number in SQL.
    # On a line of its own: the last of the query may end in a comment.
    query <- paste0(query, "\nLIMIT ", sql_number(part$count), " OFFSET ", sql_number(part$from - 1))
  }
  # The client of PostgreSQL would take the whole result at once; a cursor does not.
  rows <- if (is_postgres(connection)) cursor_rows(connection, query) else result_rows(connection, query)
  list(read = rows$read, close = function() {
    rows$close()
    if (is.function(x)) DBI::dbDisconnect(connection)
  })
}

sql_number <- function(value) format(value, scientific = FALSE, trim = TRUE)

is_postgres <- function(connection) is(connection, "PostgreSQLConnection") || is(connection, "PqConnection")

result_rows <- function(connection, query) {
  result <- DBI::dbSendQuery(connection, query)
  list(
    read = function(n) {
      rows <- as_stored(DBI::dbFetch(result, n))
      if (nrow(rows)) rows
    },
    close = function() DBI::dbClearResult(result)
  )
}

cursor_rows <- function(connection, query) {
  run <- function(sql) DBI::dbClearResult(DBI::dbSendQuery(connection, sql))
  run("BEGIN")
  run(paste("DECLARE wbb_rows NO SCROLL CURSOR FOR", query))
  list(
    read = function(n) {
      rows <- as_stored(DBI::dbGetQuery(connection, paste("FETCH FORWARD", sql_number(n), "FROM wbb_rows")))
      if (NROW(rows)) rows
    },
    # A connection that is broken has closed it already.
    close = function() try(run("ROLLBACK"), silent = TRUE)
  )
}

# A text among the numbers of a column would be the number 0, with a warning: SQLite has types for values and not for columns.
as_stored <- function(code) {
  withCallingHandlers(code, warning = function(w) {
    if (grepl("mixed type|coerc|introduced", conditionMessage(w))) stop(conditionMessage(w), call. = FALSE)
  })
}

count_query <- function(x, query) {
  connection <- if (is.function(x)) x() else x
  if (is.function(x)) on.exit(DBI::dbDisconnect(connection))
  as.double(DBI::dbGetQuery(connection, paste0("SELECT COUNT(*) AS n FROM (", query, "\n) AS wbb_rows"))[[1L]])
}

# Files ----------------------------------------------------------------------------

# Bytes are read as they come, compressed or not, and cut where a line ends.
file_reader <- function(files, format) {
  state <- list2env(list(at = 0L, connection = NULL, header = NULL, known = NULL, rest = raw(), line_bytes = 100, bytes = 0))
  close_file <- function() {
    if (!is.null(state$connection)) close(state$connection)
    state$connection <- NULL
  }
  next_file <- function() {
    close_file()
    state$at <- state$at + 1L
    if (state$at > length(files)) return(FALSE)
    # Plain files, too.
    state$connection <- gzfile(files[state$at], "rb")
    state$bytes <- 0
    state$header <- names(parse_csv(rust_csv_cut(first_csv_line(state), TRUE), format))
    if (is.null(state$known)) state$known <- state$header
    # Columns are found by their names, in any order.
    if (!setequal(state$header, state$known)) {
      stop("the header of ", basename(files[state$at]), " is not that of ", basename(files[1L]), call. = FALSE)
    }
    TRUE
  }
  next_lines <- function(n) {
    repeat {
      if (is.null(state$connection) && !next_file()) return(NULL)
      lines <- csv_lines(state, n)
      if (!is.null(lines)) return(lines)
      close_file()
      if (!is_whole(files[state$at], state$bytes)) stop("the compressed file ", basename(files[state$at]), " was cut off", call. = FALSE)
    }
  }
  list(
    read = function(n) {
      lines <- next_lines(n)
      if (!is.null(lines)) parse_csv(lines, format, state$header)
    },
    skip = function(n) next_lines(n)$lines, close = close_file
  )
}

newline <- as.raw(10L)
quote_byte <- as.raw(34L)

# Up to the last end of a line that is in no quotes; the rest waits for more. NULL at the end of the file.
csv_lines <- function(state, n) {
  wanted <- min(max(ceiling(n * state$line_bytes), 1000), 4e6)
  repeat {
    more <- file_bytes(state, wanted)
    bytes <- if (length(state$rest)) c(state$rest, more) else more
    if (!length(bytes)) return(NULL)
    cut <- rust_csv_cut(bytes, !length(more))
    state$rest <- cut$rest
    taken <- length(bytes) - length(cut$rest)
    if (taken == 0) next
    # Empty lines, as at the end of a file.
    if (cut$lines == 0) next
    state$line_bytes <- taken / cut$lines
    return(cut)
  }
}

first_csv_line <- function(state) {
  state$rest <- raw()
  repeat {
    more <- file_bytes(state, 1e4)
    state$rest <- c(state$rest, more)
    # A name in quotes may have several lines.
    quoted <- cumsum(state$rest == quote_byte) %% 2
    end <- which(state$rest == newline & quoted == 0)[1L]
    if (!is.na(end) || !length(more)) break
  }
  if (is.na(end)) end <- length(state$rest)
  # A mark of the encoding is no part of the first name.
  mark <- as.raw(c(0xef, 0xbb, 0xbf))
  line <- state$rest[seq_len(end)]
  if (length(line) >= 3L && identical(line[1:3], mark)) line <- line[-(1:3)]
  state$rest <- utils::tail(state$rest, -end)
  line
}

file_bytes <- function(state, n) {
  # A damaged compressed file is only a warning to R.
  bytes <- tryCatch(readBin(state$connection, "raw", n), warning = function(w) stop("the file is damaged: ", conditionMessage(w), call. = FALSE))
  state$bytes <- state$bytes + length(bytes)
  bytes
}

# With `names` there is no header. What is not UTF-8 is taken for Latin-1.
parse_csv <- function(lines, format, names = NULL) {
  if (is.raw(lines$text)) {
    text <- rawToChar(lines$text)
    Encoding(text) <- "latin1"
    lines$text <- enc2utf8(text)
  }
  parse <- if (requireNamespace("data.table", quietly = TRUE)) fast_csv else plain_csv
  rows <- parse(lines, format, is.null(names))
  if (!is.null(names)) {
    if (length(rows) != length(names)) {
      stop("a line has ", length(rows), " fields and the header ", length(names), call. = FALSE)
    }
    # A parser may leave out what it takes for something else.
    if (nrow(rows) != lines$lines) stop(counted(lines$lines, "line"), " gave ", counted(nrow(rows), "row"), ": not all lines have as many fields", call. = FALSE)
    names(rows) <- names
  }
  rows
}

# A warning says that lines were left out or misread: no row may be lost without a word. fread() must come to its end to clean up.
fast_csv <- function(lines, format, header) {
  said <- NULL
  rows <- withCallingHandlers(
    data.table::fread(text = lines$text, sep = format$sep, dec = format$dec, header = header, data.table = FALSE, na.strings = c("NA", ""),
      nThread = 1L, showProgress = FALSE, integer64 = "double", fill = FALSE, blank.lines.skip = TRUE, encoding = "UTF-8"),
    warning = function(w) {
      said <<- c(said, conditionMessage(w))
      invokeRestart("muffleWarning")
    }
  )
  # As one that was interrupted did not.
  said <- grep("not cleaned up properly", said, invert = TRUE, value = TRUE)
  if (length(said)) stop(said[1L], call. = FALSE)
  # A quote within quotes is written twice, and read so.
  if (lines$quotes) {
    names(rows) <- gsub("\"\"", "\"", names(rows), fixed = TRUE)
    for (j in which(vapply(rows, is.character, NA))) rows[[j]] <- gsub("\"\"", "\"", rows[[j]], fixed = TRUE)
  }
  rows
}

plain_csv <- function(lines, format, header) {
  utils::read.table(text = lines$text, sep = format$sep, dec = format$dec, header = header, quote = "\"", comment.char = "",
    na.strings = c("NA", ""), check.names = FALSE, encoding = "UTF-8")
}
