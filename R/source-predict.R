# Predictions for the rows of a source, chunk by chunk.

# `predict_chunk` predicts for a data frame. What comes out is joined, or given to `to` as it comes.
predict_source <- function(source, predict_chunk, to = NULL, progress = watched()) {
  reader <- open_source(source)
  on.exit(reader$close())
  bar <- progress_bar(progress)
  on.exit(progress_clear(bar), add = TRUE)
  parts <- list()
  done <- 0
  while (!is.null(taken <- reader$take(chunk_size(20)))) {
    chunk <- taken$chunk
    # Rows are numbered through all chunks.
    if (.row_names_info(chunk) < 0L) row.names(chunk) <- sql_numbers(taken$at$row - 1 + seq_len(nrow(chunk)))
    value <- tryCatch(predict_chunk(chunk), wbb_error = function(e) source_error(taken$at, sub("[.]$", "", conditionMessage(e))))
    if (is.null(to)) parts[[length(parts) + 1L]] <- value else to(value)
    done <- done + nrow(chunk)
    progress_update(bar, list(stage = "predictions", done = done, total = if (is.null(source$rows)) 0 else source$rows))
    Sys.sleep(0)
  }
  if (is.null(to)) parts else invisible(done)
}

sql_numbers <- function(values) format(values, scientific = FALSE, trim = TRUE)

# Vectors one after the other, rows below each other; draws are the rows of their matrix.
join_predictions <- function(parts, type) {
  if (!length(parts)) return(numeric())
  if (is.null(dim(parts[[1L]]))) return(do.call(c, parts))
  if (length(dim(parts[[1L]])) > 2L) {
    bad_argument("newdata", "be a data frame for predictions of several dimensions", NULL, "is a source")
  }
  do.call(if (type == "draws") cbind else rbind, parts)
}
