# From the chunks of a source to numbers: what design.R does for a data frame, with everything that depends on all rows
# (the levels of factors, the ids of clusters) found before, or refused.

# Rows that are read at a time, unless the user says so: 4 MB of numbers. Where a chunk is a large part of its memory, R collects all garbage for each.
chunk_size <- function(columns) {
  size <- getOption("wbb.chunk_rows")
  if (!is.null(size)) return(check_count(size, "options(wbb.chunk_rows)", 1))
  max(1000, min(1e5, ceiling(5e5 / columns)))
}

# A fault in a chunk, by its number and that of a row (in the source, from 1).
source_error <- function(at, what, row = NULL, advice = NULL) {
  where <- if (is.null(row)) paste0("from row ", sql_number(at$row), " on") else paste("row", sql_number(at$row + row - 1))
  abort("source", paste(c(paste0("Chunk ", at$chunk, " of the source, ", where, ": ", what, "."), advice), collapse = " "),
    "source", list(chunk = at$chunk, row = at$row + if (is.null(row)) 0 else row - 1))
}

# A reader that knows where it is: `look(n)` gives the next chunk without taking it.
open_source <- function(source, part = NULL) {
  at <- list(chunk = 1L, row = 1)
  reading <- function(code) {
    tryCatch(code, error = function(e) {
      if (inherits(e, "wbb_error")) stop(e)
      source_error(at, paste0("it could not be read: ", first_line(conditionMessage(e))), if (inherits(e, "wbb_odd_row")) e$row)
    })
  }
  reader <- reading(source$open(part))
  waiting <- NULL
  open <- TRUE
  fetch <- function(n) {
    repeat {
      chunk <- reading(reader$read(n))
      if (is.null(chunk)) return(NULL)
      if (!is.data.frame(chunk)) source_error(at, paste("it is", show_value(chunk), "and not a data frame"))
      chunk <- from_integers64(chunk)
      if (nrow(chunk)) return(chunk)
    }
  }
  list(
    look = function(n) {
      if (is.null(waiting)) waiting <<- fetch(n)
      waiting
    },
    # The chunk with its place, NULL after the last.
    take = function(n) {
      chunk <- if (is.null(waiting)) fetch(n) else waiting
      waiting <<- NULL
      if (is.null(chunk)) return(NULL)
      here <- at
      at <<- list(chunk = at$chunk + 1L, row = at$row + nrow(chunk))
      list(chunk = chunk, at = here)
    },
    # Rows that are left; none is there any more.
    count = function() {
      total <- 0
      repeat {
        more <- if (is.null(reader$skip)) nrow(fetch(1e5)) else reading(reader$skip(1e5))
        if (is.null(more)) return(total)
        total <- total + more
      }
    },
    close = function() {
      if (open) try(reader$close(), silent = TRUE)
      open <<- FALSE
    }
  )
}

# The model of a source -------------------------------------------------------------

# What every chunk is turned into numbers by. `rows` are the expressions of settings that may be columns.
source_model <- function(formula, source, rows, na_action, env, progress = FALSE) {
  if (!inherits(formula, "formula")) bad_argument("formula", "be a formula", formula)
  refuse_bars(formula)
  reader <- open_source(source)
  once <- isTRUE(source$once)
  if (!once) on.exit(reader$close())
  head <- reader$look(1000)
  # A connection has one result at a time.
  if (!once) reader$close()
  if (is.null(head)) bad_argument("source", "have at least one row", NULL, "has none")
  terms <- formula_error(stats::terms(formula, data = head))
  if (attr(terms, "response") == 0L) bad_argument("formula", "have a response on its left", NULL, "has none")
  if (!length(attr(terms, "term.labels"))) bad_argument("formula", "have a predictor", NULL, "has none")
  # Variables are columns: what is found in the workspace has the rows of no chunk.
  check_columns(all.vars(terms), names(head), "source")
  model <- list(
    formula = stats::formula(terms), terms = terms, rows = rows, env = env, omit = check_na_action(na_action),
    variables = vapply(all.vars(stats::delete.response(terms)), function(name) data_type(head[[name]]), ""),
    columns = length(head), reader = if (once) reader
  )
  model$odd <- lapply(head[vapply(head, is_text, NA)], odd_text)
  frame <- chunk_frame(model, head, list(chunk = 1L, row = 1))
  model$levels <- find_levels(model, source, frame, progress)
  x <- every_x(model, head)
  model$contrasts <- attr(x, "contrasts")
  model$term <- attr(x, "term")
  model$names <- column_names(x)
  model$p <- ncol(x)
  model$intercept <- attr(terms, "intercept") == 1L
  model$plain <- plain_variables(model, head)
  check_local(model, head, x)
  model
}

check_na_action <- function(value) {
  if (is.null(value)) value <- getOption("na.action", "na.omit")
  name <- if (is.character(value)) value else if (identical(value, stats::na.fail)) "na.fail" else "na.omit"
  known <- (is.character(value) && length(value) == 1L) || is.function(value)
  if (!known || !name %in% c("na.omit", "na.fail", "na.exclude")) {
    bad_argument("na.action", "be na.omit or na.fail", value)
  }
  name != "na.fail"
}

chunk_frame <- function(model, chunk, at) {
  lacks <- setdiff(all.vars(model$terms), names(chunk))
  if (length(lacks)) source_error(at, paste("it has no column", show_value(lacks[1L])))
  frame <- tryCatch(stats::model.frame(model$terms, chunk, na.action = stats::na.pass), error = function(e) {
    source_error(at, paste0("its columns do not fit the formula: ", conditionMessage(e)))
  })
  if (nrow(frame) != nrow(chunk)) source_error(at, "the variables of the formula are not of its length")
  frame
}

# Text and factors, by the levels that they have in the rows of all chunks that count.
find_levels <- function(model, source, frame, progress) {
  labels <- names(frame)[-1L]
  text <- labels[vapply(frame[labels], is_text, NA)]
  # The classes of a response may be declared, and need not be found.
  declared <- source$levels[intersect(c(text, names(frame)[1L][is_text(frame[[1L]])]), names(source$levels))]
  open <- setdiff(text, names(declared))
  if (!length(open)) return(declared)
  if (isTRUE(source$once)) {
    bad_argument("levels", paste("declare those of", show_values(open)), NULL, "does not",
      "This source can be read only once, so that they cannot be found before.")
  }
  found <- lapply(frame[0L, open, drop = FALSE], text_levels)
  reader <- open_source(source)
  on.exit(reader$close())
  bar <- progress_bar(progress)
  on.exit(progress_clear(bar), add = TRUE)
  done <- 0
  while (!is.null(part <- reader$take(chunk_size(model$columns)))) {
    frame <- chunk_frame(model, part$chunk, part$at)
    keep <- rows_that_count(model, frame, chunk_settings(model, part$chunk, part$at))$keep
    found <- Map(function(known, value) join_levels(known, text_levels(value)), found, frame[keep, open, drop = FALSE])
    done <- done + nrow(frame)
    progress_update(bar, list(stage = "rows", done = done, total = if (is.null(source$rows)) 0 else source$rows))
  }
  found <- lapply(found, function(levels) if (is.null(attr(levels, "order"))) sort(levels) else {
    intersect(attr(levels, "order"), levels)
  })
  few <- names(found)[lengths(found) < 2L]
  if (length(few)) {
    bad_argument("source", "have factors of two or more levels", NULL, paste("column", show_value(few[1L]), "has", lengths(found)[[few[1L]]]))
  }
  c(declared, found)
}

# Those that occur; a factor says in which order.
text_levels <- function(value) {
  if (is.factor(value)) structure(levels(droplevels(value)), order = levels(value)) else unique(value[!is.na(value)])
}

join_levels <- function(known, more) {
  order <- union(attr(known, "order"), attr(more, "order"))
  structure(union(known, more), order = if (length(order)) order)
}

# A level that is not known is an error in a row that counts.
with_levels <- function(model, frame, at, keep = TRUE) {
  for (name in names(model$levels)) {
    value <- as.character(frame[[name]])
    unknown <- keep & !is.na(value) & !value %in% model$levels[[name]]
    if (any(unknown)) {
      source_error(at, paste0("column ", show_value(name), " has the level ", show_value(value[first_bad(unknown)]),
        ", which is none of ", show_values(model$levels[[name]])), first_bad(unknown))
    }
    frame[[name]] <- factor(value, model$levels[[name]])
  }
  frame
}

# Those that `subset` chooses (`keep`) and that lack nothing; `missing` are the others of those.
rows_that_count <- function(model, frame, extra) {
  keep <- if (is.null(extra$subset)) rep(TRUE, nrow(frame)) else extra$subset %in% TRUE
  missing <- keep & !stats::complete.cases(frame, if (length(extra$values)) list2DF(extra$values))
  list(keep = keep & !missing, missing = missing)
}

chunk_x <- function(model, frame) {
  block <- model_block(model$terms, frame, model$contrasts)
  structure(block$x, contrasts = block$contrasts, term = attr(model$terms, "term.labels")[block$assign])
}

# Of the first rows, whether they count or not.
every_x <- function(model, head) {
  at <- list(chunk = 1L, row = 1)
  frame <- chunk_frame(model, head, at)
  chunk_x(model, with_levels(model, frame, at, rows_that_count(model, frame, chunk_settings(model, head, at))$keep))
}

# A term that looks at other rows (scale(), poly(), x / max(x)) would be another in every chunk: either half of the rows must be
# the same without the other.
check_local <- function(model, head, x) {
  half <- nrow(head) %/% 2L
  if (half > 0L) for (rows in list(seq_len(half), (half + 1L):nrow(head))) check_alone(model, head[rows, , drop = FALSE], x[rows, , drop = FALSE])
}

check_alone <- function(model, rows, x) {
  alone <- attempt(every_x(model, rows))
  if (identical(dim(alone), dim(x)) && isTRUE(all.equal(unname(alone), unname(x), check.attributes = FALSE))) return(invisible())
  differs <- if (identical(dim(alone), dim(x))) model$names[which(colSums(abs(alone - x) > 0, na.rm = TRUE) > 0)[1L]]
  bad_argument("formula", "have terms that depend on their own row alone", NULL,
    paste(c("has others", if (length(differs)) paste0("(", show_value(differs), ")")), collapse = " "),
    "Rows are seen chunk by chunk: compute such columns in the query or before.")
}

# A chunk as Rust takes it ----------------------------------------------------------

# The columns of x where the formula only names columns of numbers, and no setting is one; else NULL.
plain_variables <- function(model, head) {
  variables <- as.list(attr(model$terms, "variables"))[-1L]
  if (length(model$rows) || !all(vapply(variables, is.symbol, NA))) return(NULL)
  labels <- vapply(variables[-1L], deparse1, "", backtick = TRUE)
  names <- vapply(variables, as.character, "")
  if (identical(labels, attr(model$terms, "term.labels")) && !is.null(plain_columns(head, names))) names[-1L]
}

# A list of columns of numbers, without the detour over a model frame, which costs as much as the sums of hundreds of draws. NULL
# where one is anything else, or a number is missing or not finite: what becomes of it is said elsewhere.
plain_columns <- function(chunk, names) {
  columns <- unclass(chunk)[names]
  plain <- function(value) {
    is.numeric(value) && !is.object(value) && is.null(dim(value)) && !anyNA(if (is.double(value)) job_extent(value) else value)
  }
  if (all(vapply(columns, plain, NA))) unname(columns)
}

# The rows of a chunk that count: x, the response as it is, an offset, and `values` of settings.
chunk_rows <- function(model, chunk, at, ids = NULL) {
  plain <- if (!is.null(model$plain)) plain_columns(chunk, c(model$plain, as.character(model$terms[[2L]])))
  if (!is.null(plain)) {
    x <- matrix(as.double(unlist(plain[-length(plain)])), nrow(chunk))
    return(list(dropped = 0L, count = nrow(chunk), which = seq_len(nrow(chunk)), x = x, response = as.double(plain[[length(plain)]]), offset = NULL, values = list()))
  }
  check_chunk_types(model, chunk, at)
  frame <- chunk_frame(model, chunk, at)
  extra <- chunk_settings(model, chunk, at)
  counted <- rows_that_count(model, frame, extra)
  keep <- counted$keep
  if (any(counted$missing) && !model$omit) {
    source_error(at, "a variable is missing", first_bad(counted$missing), "Leave such rows out in the query, or use na.action = na.omit.")
  }
  frame <- with_levels(model, frame, at, keep)
  if (!all(keep)) {
    frame <- frame[keep, , drop = FALSE]
    extra$values <- lapply(extra$values, `[`, keep)
  }
  rows <- list(dropped = sum(counted$missing), count = nrow(frame), which = which(keep))
  if (!nrow(frame)) return(rows)
  rows$x <- chunk_x(model, frame)
  if (ncol(rows$x) != model$p) source_error(at, paste("the formula gives", ncol(rows$x), "columns and gave", model$p, "before"))
  check_chunk_finite(rows$x, model$names, rows$which, at)
  rows$response <- frame[[1L]]
  values <- Map(function(name, value) chunk_setting(name, value, at, rows$which, ids), names(extra$values), extra$values)
  offset <- stats::model.offset(frame)
  rows["offset"] <- list(if (is.null(offset)) values$offset else if (is.null(values$offset)) offset else offset + values$offset)
  rows$values <- values[setdiff(names(values), "offset")]
  rows
}

check_chunk_finite <- function(x, names, rows, at) {
  if (!anyNA(job_extent(x))) return(invisible())
  bad <- which(rowSums(!is.finite(x)) > 0)[1L]
  column <- names[which(!is.finite(x[bad, ]))[1L]]
  source_error(at, paste(dQuote(column, FALSE), "is", show_value(x[bad, !is.finite(x[bad, ])][[1L]])), rows[bad])
}

# The same for sums, the response as the last column. `ids` numbers clusters in the order in which they come, over all chunks.
chunk_numbers <- function(model, chunk, at, ids) {
  x <- if (!is.null(model$plain)) plain_columns(chunk, c(model$plain, as.character(model$terms[[2L]])))
  if (!is.null(x)) return(list(dropped = 0L, count = nrow(chunk), x = x))
  rows <- chunk_rows(model, chunk, at, ids)
  if (!rows$count) return(rows)
  response <- rows$response
  if (!is.numeric(response) || is.matrix(response)) source_error(at, paste("the response is", show_value(response), "and not numbers"))
  y <- as.matrix(as.double(response) - if (is.null(rows$offset)) 0 else rows$offset)
  check_chunk_finite(y, "the response", rows$which, at)
  c(list(dropped = rows$dropped, count = rows$count, x = cbind(rows$x, y)), rows$values)
}

# The first text that is no number, and its row: what may have made text of a column of numbers.
odd_text <- function(value) {
  row <- first_bad(is.na(suppressWarnings(as.numeric(as.character(value)))) & !is.na(value))
  if (!is.na(row)) list(value = as.character(value[row]), row = row)
}

# Types are those of the first chunk; a column of NA has none.
check_chunk_types <- function(model, chunk, at) {
  for (name in intersect(names(model$variables), names(chunk))) {
    value <- chunk[[name]]
    was <- model$variables[[name]]
    numbers <- c("numeric", "logical")
    same <- same_type(data_type(value), was) || all(c(data_type(value), was) %in% numbers)
    if (!same && !all(is.na(value))) {
      at_text <- if (is_text(value) && was == "numeric") first_bad(is.na(suppressWarnings(as.numeric(as.character(value)))) & !is.na(value))
      odd <- if (is.numeric(value)) model$odd[[name]]
      source_error(at, paste0("column ", show_value(name), " is ", data_type(value), " and was ", was, " before",
        if (!is.null(odd)) paste0(", for the ", show_value(odd$value), " of row ", odd$row)), if (!anyNA(at_text)) at_text)
    }
  }
}

chunk_settings <- function(model, chunk, at) {
  value <- function(expression) {
    tryCatch(eval(expression, chunk, model$env), error = function(e) source_error(at, conditionMessage(e)))
  }
  values <- lapply(model$rows[setdiff(names(model$rows), "subset")], value)
  values <- values[!vapply(values, is.null, NA)]
  for (name in names(values)) {
    if (length(values[[name]]) != nrow(chunk)) {
      bad_argument(name, "be a column of the source, or an expression in columns", values[[name]],
        paste("has", length(values[[name]]), "elements for a chunk of", counted(nrow(chunk), "row")))
    }
  }
  subset <- if (!is.null(model$rows$subset)) value(model$rows$subset)
  if (!is.null(subset) && !(is.logical(subset) || is_numeric(subset))) {
    bad_argument("subset", "say TRUE or FALSE for each row of the source", subset)
  }
  list(values = values, subset = if (!is.null(subset)) as.logical(subset))
}

chunk_setting <- function(name, value, at, rows, ids) {
  if (name == "cluster") {
    if (!is.atomic(value) || NCOL(value) != 1L) source_error(at, paste0("`cluster` must be a vector or factor of ids, but is ", described(value)), rows[1L])
    return(if (is.null(ids)) value else cluster_numbers(value, ids, at, rows))
  }
  fold <- name == "foldid"
  least <- if (name == "offset") -Inf else fold
  # What is no number has no whole parts, as a factor.
  numbers <- is_numeric(value)
  bad <- if (numbers) !is.finite(value) | value < least | (fold & value != trunc(value)) else rep(TRUE, length(value))
  if (any(bad)) {
    must <- switch(name, foldid = "fold numbers 1, 2, ...", offset = "numbers", "non-negative numbers")
    source_error(at, paste0("`", name, "` must be ", must, ", but is ", show_value(value[first_bad(bad)])), rows[first_bad(bad)])
  }
  if (fold) as.integer(value) else as.double(value)
}

# Ids are matched as text over all chunks and machines. A whole number is the same text whatever type a chunk has for it.
id_text <- function(value) {
  if (!is.numeric(value)) return(as.character(value))
  whole <- is.finite(value) & value == trunc(value) & abs(value) < 1e15
  ifelse(whole, sprintf("%.0f", value), as.character(value))
}

# Numbers 1, 2, ... in the order in which ids come, or of those that are known already, which then are all.
new_ids <- function(known = NULL) {
  numbers <- stats::setNames(as.list(as.double(seq_along(known))), known)
  list2env(list(known = list2env(numbers, hash = TRUE, parent = emptyenv()), count = length(known), closed = !is.null(known)))
}

cluster_numbers <- function(value, ids, at, rows) {
  text <- id_text(value)
  for (id in unique(text)) {
    if (!is.null(ids$known[[id]])) next
    if (ids$closed) {
      source_error(at, paste0("`cluster` has the id ", show_value(id), ", which is none of those that were declared or found before"), rows[match(id, text)])
    }
    ids$count <- ids$count + 1
    assign(id, ids$count, ids$known)
  }
  as.double(unlist(mget(text, ids$known), use.names = FALSE))
}

# The ids of clusters where several parts are summed apart: as `levels` of the source declare them, else (`find`) as they come in a pass over
# all rows; NULL where nobody needs them.
cluster_ids <- function(model, source, find) {
  if (is.null(model$rows$cluster)) return(NULL)
  declared <- source$levels[[deparse1(model$rows$cluster)]]
  if (!is.null(declared) || !find) return(declared)
  reader <- open_source(source)
  on.exit(reader$close())
  ids <- character()
  while (!is.null(taken <- reader$take(chunk_size(model$p + 2)))) {
    ids <- union(ids, id_text(chunk_rows(model, taken$chunk, taken$at)$values$cluster))
  }
  ids
}
