# Data that are read in chunks and never whole: where they are, and how a reader of them is opened.
#
# A source is a list of
#   kind      what it is, in words
#   open      function(part): a reader of all rows (NULL), or of one of the shards; readers are those of source-readers.R
#   rows      how many rows there are, NULL if nobody knows
#   parts     function(shards): list of the parts that `open` takes; NULL where there is only the whole
#   count     function(): how many rows there are, where somebody can say; `plain`: to count lines takes no unpacking
#   levels    levels of factors by column, as far as they were declared
#   travels   can it be opened in another process?
#   functions that open it, by names: what they use of the workspace travels, too

#' Data that are read in chunks
#'
#' Describes data that may be larger than the memory: [wbb_moments()] and [wbb_lasso()] read them chunk by chunk, and
#' [predict()][predict.wbb_lasso] takes them as `newdata`. Nothing is read yet.
#'
#' | **`x`** | **what is read** |
#' |:---|:---|
#' | a `DBIConnection`, or a function that makes one | the rows of `query`, an SQL query or the name of a table |
#' | names of files | CSV files with a header, also compressed (gz, bz2, xz), one after the other |
#' | a `big.matrix` of package bigmemory | its rows; columns need names |
#' | `function(reset)` | as in package biglm: `x(reset = TRUE)` rewinds, `x(reset = FALSE)` gives the next data frame, `NULL` at the end |
#' | an Arrow stream | anything that `nanoarrow::as_nanoarrow_array_stream()` takes, or an object of class `nanoarrow_array_stream`: its `get_next()` gives the next batch, which `as.data.frame()` converts, and `NULL` at the end. A stream can be read once: declare `levels` |
#' | a data frame | its rows |
#'
#' **The order of rows matters.** The random weight of a row is a function of the seed, the draw and the number of the row, so that the
#' rows must come in the same order each time. A query must therefore have an `ORDER BY`, and a table needs `order_by`.
#'
#' CSV files are in UTF-8, or else in Latin-1, and their first line has the names of the columns. A field that is empty or `NA` is missing; text may be in
#' quotes, among which a quote is written twice. Numbers are the nearest to what is written. A column of `TRUE` and `FALSE` is logical, and one of days
#' (`2024-01-31`) or times (`2024-01-31 12:00:00`, in UTC) has dates, as that type. Files may have their columns in other orders. A compressed file that was cut off is an error.
#'
#' @param x Where the data are; see the table.
#' @param query For a connection: an SQL query with `ORDER BY`, or the name of a table.
#' @param order_by For a table: the columns (a key) that order its rows.
#' @param levels A named list with the levels of columns that are factors or text. Those that are not declared are found in
#'   a pass over the source, if the formula needs them. A level that turns up and is not among them is an error. The response may be among
#'   them, its classes in their order, and the ids of a `cluster`; see [wbb_moments()].
#' @param rows The number of rows, if you know it: for the time that is left, and for shards. By default it is counted where
#'   that is cheap.
#' @param shards The number of parts (ranges of rows, or groups of files) that are summed apart, by the workers of `backend = "future"` or
#'   one after the other, and then added. By default there is one, or with `"future"` one for each worker.
#' @param sep,dec The separator of CSV files, and what their numbers have for a decimal point: `";"` and `","` for those of [write.csv2()].
#' @return An object of class `wbb_source`.
#' @examples
#' files <- tempfile(c("a", "b"), fileext = ".csv")
#' write.csv(diabetes[1:200, ], files[1], row.names = FALSE)
#' write.csv(diabetes[201:442, ], files[2], row.names = FALSE)
#' source <- wbb_source(files)
#' source
#' fit <- wbb_lasso(y ~ ., source, draws = 100, seed = 1)
#' all.equal(coef(fit), coef(wbb_lasso(y ~ ., diabetes, draws = 100, seed = 1)))
#' @export
wbb_source <- function(x, query = NULL, order_by = NULL, levels = NULL, rows = NULL, shards = NULL, sep = ",", dec = ".") {
  if (missing(x)) bad_argument("x", "say where the data are", NULL, "is missing")
  made <- if (is.data.frame(x)) {
    frame_source(x)
  } else if (is(x, "DBIConnection") || (is.function(x) && !is.null(query))) {
    database_source(x, query, order_by)
  } else if (is.function(x)) {
    function_source(x)
  } else if (is(x, "big.matrix")) {
    bigmatrix_source(x)
  } else if (is.character(x)) {
    file_source(x, list(sep = sep, dec = dec))
  } else if (is_stream(x)) {
    stream_source(x)
  } else {
    bad_argument("x", "be a database connection, files, a big.matrix, a function, an Arrow stream or a data frame", x)
  }
  if (!is.null(query) && made$kind != "database") bad_argument("query", "be NULL but for a database", query)
  if (!is.null(order_by) && made$kind != "database") bad_argument("order_by", "be NULL but for a database", order_by)
  made$levels <- check_source_levels(levels)
  if (!is.null(rows)) made$rows <- check_count(rows, "rows", 1, 2^53)
  if (!is.null(shards)) made$shards <- check_shards(shards, made)
  structure(made, class = "wbb_source")
}

check_source_levels <- function(value) {
  if (is.null(value)) return(list())
  named <- is.list(value) && length(names(value)) == length(value) && all(nzchar(names(value)))
  if (!named || !all(vapply(value, function(l) is.character(l) && !anyNA(l) && !anyDuplicated(l), NA))) {
    bad_argument("levels", "be a named list of distinct levels", value)
  }
  value
}

check_shards <- function(value, source) {
  value <- check_count(value, "shards", 1, 1e4)
  if (value > 1 && is.null(source$parts)) {
    bad_argument("shards", paste("be 1:", source$label, "has no parts that can be read apart"), value)
  }
  value
}

check_source <- function(value, argument = "source") {
  if (!inherits(value, "wbb_source")) bad_argument(argument, "be a wbb_source()", value)
  value
}

#' @export
print.wbb_source <- function(x, ...) {
  rows <- if (is.null(x$rows)) "rows not counted" else counted(x$rows, "row")
  cat("<wbb source: ", x$label, ", ", rows, ">\n", sep = "")
  invisible(x)
}

# Kinds ----------------------------------------------------------------------------

frame_source <- function(x) {
  list(
    kind = "data frame", label = "a data frame", rows = nrow(x), travels = TRUE,
    open = function(part = NULL) frame_reader(x, part), parts = function(shards) row_parts(nrow(x), shards)
  )
}

function_source <- function(x) {
  if (!"reset" %in% names(formals(x))) bad_argument("x", "have the argument `reset`, as functions(reset) of biglm", x, "has none")
  list(kind = "function", label = "a function(reset)", travels = TRUE, open = function(part = NULL) function_reader(x))
}

bigmatrix_source <- function(x) {
  require_package("bigmemory", "A big.matrix")
  if (is.null(colnames(x))) bad_argument("x", "have column names", x, "has none")
  # A pointer does not travel; its description does, if others may see the memory.
  described <- attempt(bigmemory::describe(x))
  n <- nrow(x)
  attached <- if (is.null(described)) function() x else function() bigmemory::attach.big.matrix(described)
  list(
    kind = "big.matrix", label = paste("a big.matrix of", counted(ncol(x), "column")), rows = n,
    travels = !is.null(described), open = function(part = NULL) bigmatrix_reader(attached(), part),
    parts = function(shards) row_parts(n, shards)
  )
}

# Not suggested: the oldest Debian that the package is checked on does not have it.
arrow_package <- "nanoarrow"

is_stream <- function(x) {
  inherits(x, "nanoarrow_array_stream") ||
    (is.object(x) && requireNamespace(arrow_package, quietly = TRUE) && length(stream_methods(x)) > 0L)
}

stream_methods <- function(x) {
  Filter(Negate(is.null), lapply(class(x), function(class) {
    utils::getS3method("as_nanoarrow_array_stream", class, optional = TRUE, envir = asNamespace(arrow_package))
  }))
}

stream_source <- function(x) {
  once <- inherits(x, "nanoarrow_array_stream")
  list(
    kind = "stream", label = "an Arrow stream", once = once, travels = FALSE,
    open = function(part = NULL) stream_reader(if (once) x else nanoarrow_stream(x))
  )
}

nanoarrow_stream <- function(x) getExportedValue(arrow_package, "as_nanoarrow_array_stream")(x)

database_source <- function(x, query, order_by) {
  require_package("DBI", "A database")
  if (!(is.character(query) && length(query) == 1L && !is.na(query) && nzchar(query))) {
    bad_argument("query", "be an SQL query or the name of a table", query)
  }
  table <- !grepl("[[:space:]]", trimws(query))
  if (table) {
    if (is.null(order_by)) {
      bad_argument("order_by", "name the columns that order the rows of the table", NULL, "is missing",
        "The weight of a row depends on its number, and a table has no order of its own.")
    }
    if (!is.character(order_by)) bad_argument("order_by", "be names of columns", order_by)
    query <- paste("SELECT * FROM", query, "ORDER BY", paste(order_by, collapse = ", "))
  } else {
    if (!is.null(order_by)) bad_argument("order_by", "be NULL: the query orders its rows", order_by)
    if (!has_clause(query, "order[[:space:]]+by")) {
      bad_argument("query", "have an ORDER BY", query, "has none",
        "The weight of a row depends on its number, and without it a database may give the rows in any order.")
    }
  }
  query <- sub("[;[:space:]]+$", "", query)
  list(
    kind = "database", label = paste0("a database, ", dQuote(query, FALSE)), travels = is.function(x),
    open = function(part = NULL) database_reader(x, query, part),
    parts = function(shards) {
      if (has_clause(query, "(limit|offset)[[:space:]]+[0-9]+|fetch[[:space:]]+(first|next)")) {
        bad_argument("query", "have no LIMIT of its own where it is read in shards", query, "has one", "Choose its rows by WHERE, or in a view.")
      }
      row_parts(count_query(x, query), shards)
    },
    count = function() count_query(x, query), functions = list(connect = x)
  )
}

# Has the query itself such a clause? Texts, names in quotes, comments and what is in parentheses have their own words.
has_clause <- function(query, words) {
  for (own in c("'[^']*'", "\"[^\"]*\"", "--[^\n]*", "(?s)/\\*.*?\\*/")) query <- gsub(own, " ", query, perl = TRUE)
  while (query != (less <- gsub("\\([^()]*\\)", " ", query))) query <- less
  grepl(paste0("\\b(", words, ")\\b"), query, ignore.case = TRUE)
}

file_source <- function(x, format) {
  if (!length(x)) bad_argument("x", "name at least one file", x)
  for (file in x) check_file(file, "x")
  for (name in names(format)) {
    value <- format[[name]]
    if (!(is.character(value) && length(value) == 1L && nchar(value) %in% 1L)) bad_argument(name, "be one character", value)
  }
  if (format$sep == format$dec) bad_argument("dec", "be another character than `sep`", format$dec)
  x <- normalizePath(x)
  list(
    kind = "files", label = if (length(x) == 1L) paste("the file", basename(x)) else counted(length(x), "file"),
    travels = TRUE, plain = !any(vapply(x, is_compressed, NA)), open = function(part = NULL) file_reader(if (is.null(part)) x else x[part$files], format),
    parts = function(shards) file_parts(length(x), shards)
  )
}

# Shards ---------------------------------------------------------------------------

# Ranges of rows, and where the next begins: the weight of a row depends on its number.
row_parts <- function(n, shards) {
  lapply(split_draws(1, n, shards), function(range) list(from = range$first_draw, count = range$draws))
}

# Files go together as they come. Where their rows begin is known when those before are counted.
file_parts <- function(files, shards) {
  lapply(split_draws(1, files, shards), function(range) list(files = range$first_draw - 1 + seq_len(range$draws)))
}
