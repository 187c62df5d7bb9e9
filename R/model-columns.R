# The columns of a model frame without the intercept: what model.matrix() makes, where there are many a part of the rows at
# a time. On all of them R would hear no interrupt meanwhile, and to take the intercept out would copy them once more.

# list(x, assign, contrasts): `assign` has the term of each column.
model_columns <- function(terms, frame, contrasts = NULL) {
  frame <- texts_as_factors(terms, frame)
  block <- first_block(terms, frame, contrasts)
  if (nrow(frame) * ncol(block$x) <= part_size) return(model_block(terms, frame, contrasts))
  x <- rust_room(as.double(nrow(frame)) * ncol(block$x))
  dim(x) <- c(nrow(frame), ncol(block$x))
  for (part in parts_of(nrow(frame), max(1, part_size %/% ncol(x)))) {
    rows <- seq.int(part[1L] + 1, part[2L])
    x[rows, ] <- model_block(terms, frame_rows(frame, rows), contrasts)$x
    # The evaluator looks for interrupts only every thousand calls or so.
    Sys.sleep(0)
  }
  dimnames(x) <- list(row.names(frame), colnames(block$x))
  block$x <- x
  block
}

# What is known of the columns before they are made.
first_block <- function(terms, frame, contrasts) {
  model_block(terms, frame_rows(texts_as_factors(terms, frame), seq_len(min(1L, nrow(frame)))), contrasts)
}

# With the levels that occur in all rows, as model.matrix() has it.
texts_as_factors <- function(terms, frame) {
  texts <- setdiff(which(vapply(frame, is.character, NA)), attr(terms, "response"))
  frame[texts] <- lapply(frame[texts], factor)
  frame
}

model_block <- function(terms, frame, contrasts) {
  x <- stats::model.matrix(terms, frame, contrasts.arg = contrasts)
  assign <- attr(x, "assign")
  contrasts <- attr(x, "contrasts")
  x <- x[, assign != 0L, drop = FALSE]
  list(x = as_doubles(x), assign = assign[assign != 0L], contrasts = contrasts)
}

# With what model.matrix() asks a model frame for, and without a text for the name of each row.
frame_rows <- function(frame, rows) {
  part <- lapply(frame, function(column) if (is.null(dim(column))) column[rows] else column[rows, , drop = FALSE])
  structure(part, class = "data.frame", row.names = .set_row_names(length(rows)), terms = attr(frame, "terms"))
}
