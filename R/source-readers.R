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

# Bytes are cut where a line ends.
file_reader <- function(files, format) {
  state <- list2env(list(at = 0L, connection = NULL, header = NULL, known = NULL, text = NULL, plain = TRUE, texts = character(), rest = raw(), line_bytes = 100, bytes = 0))
  close_file <- function() {
    if (!is.null(state$connection)) close(state$connection)
    state$connection <- NULL
  }
  next_file <- function() {
    close_file()
    state$at <- state$at + 1L
    if (state$at > length(files)) return(FALSE)
    file <- files[state$at]
    # Takes plain files, too.
    state$connection <- gzfile(file, "rb")
    state$bytes <- 0
    state$header <- csv_names(first_csv_line(state), format)
    # The rows of a plain file are read without R.
    state$plain <- !is_compressed(file)
    state$text <- csv_result(rust_csv_text(if (state$plain) enc2utf8(file) else "", state$bytes))
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
      if (!is.null(lines)) csv_rows(state, lines, format)
    },
    skip = next_lines, close = close_file
  )
}

newline <- as.raw(10L)
quote_byte <- as.raw(34L)

# The number of lines that wait in the text now, about as many as were asked for; NULL at the end of the file.
csv_lines <- function(state, n) {
  wanted <- min(max(ceiling(n * state$line_bytes), 1000), csv_bytes)
  repeat {
    # What came behind the header is first.
    more <- if (length(state$rest)) state$rest else if (state$plain) raw() else file_bytes(state, wanted)
    state$rest <- raw()
    cut <- csv_result(rust_csv_cut(state$text, more, wanted))
    if (cut[3L] > 0) {
      state$line_bytes <- cut[2L] / cut[3L]
      return(cut[3L])
    }
    # Empty lines, as at the end of a file.
    if (cut[1L] == 0) return(NULL)
  }
}

# Bytes that are read at a time, for as long as they are looked at in the processor's own memory.
csv_bytes <- 1e6

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

csv_names <- function(line, format) {
  text <- rawToChar(line)
  Encoding(text) <- if (validUTF8(text)) "UTF-8" else "latin1"
  names <- scan(text = sub("[\r\n]+$", "", enc2utf8(text)), what = "", sep = format$sep, quote = "\"", strip.white = TRUE, na.strings = character(),
    comment.char = "", encoding = "UTF-8", quiet = TRUE)
  if (!length(names)) stop("a file has no header", call. = FALSE)
  # That of row names.
  ifelse(nzchar(names), names, paste0("V", seq_along(names)))
}

csv_rows <- function(state, lines, format) {
  names <- state$header
  columns <- csv_result(rust_csv_columns(state$text, format$sep, format$dec, as.integer(names %in% state$texts)))
  if (is.double(columns)) odd_row(columns[1L], paste("it has", counted(columns[2L], "field"), "and the header", length(names)))
  names(columns) <- names
  text <- setdiff(names[vapply(columns, is.character, NA)], state$texts)
  for (name in text) columns[[name]] <- typed_text(columns[[name]])
  # What was text is text, also where a chunk has nothing but numbers; but not for a text here and there, which is a fault of the data.
  state$texts <- c(state$texts, Filter(function(name) mostly_text(columns[[name]]), text))
  list2DF(columns, lines)
}

mostly_text <- function(value) {
  is.character(value) && mean(is.na(suppressWarnings(as.numeric(unique(value[!is.na(value)]))))) > 0.5
}

csv_result <- function(result) if (is_job_error(result)) stop(result$message, call. = FALSE) else result

# A fault of a row, counted from the first of those that were to be read.
odd_row <- function(row, what) stop(structure(class = c("wbb_odd_row", "error", "condition"), list(message = what, call = NULL, row = row)))

# Text that says TRUE or FALSE, a day, or a time (in UTC, as databases write it) everywhere.
typed_text <- function(value) {
  some <- unique(value[!is.na(value)])
  if (all(some %in% c("TRUE", "FALSE", "True", "False", "true", "false"))) return(as.logical(value))
  day <- "^[0-9]{4}-[0-9]{2}-[0-9]{2}"
  typed <- if (all(grepl(paste0(day, "$"), some))) {
    as.Date(value, "%Y-%m-%d")
  } else if (all(grepl(paste0(day, "[T ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?Z?$"), some))) {
    as.POSIXct(sub("T", " ", value, fixed = TRUE), "UTC", "%Y-%m-%d %H:%M:%OS")
  }
  # No day of a calendar is text.
  if (is.null(typed) || any(is.na(typed) & !is.na(value))) value else typed
}
