# From new data to a matrix with the columns of the fit: the steps of design.R once more,
# with what was kept of the first pass.

# `argument` is what the user knows the new data as.
new_x <- function(fit, newdata, argument = "newdata") {
  x <- if (!is.null(fit$terms)) formula_new_x(fit, newdata, argument) else matrix_new_x(fit, newdata, argument)
  check_finite_x(x, argument)
  x
}

# The formula interface -----------------------------------------------------------

formula_new_x <- function(fit, newdata, argument) {
  if (!is.list(newdata)) bad_argument(argument, "be a data frame", newdata)
  terms <- stats::delete.response(fit$terms)
  frame <- new_frame(fit, terms, newdata, argument)
  formula_error(model_columns(terms, frame, fit$contrasts), argument)$x
}

# Missing values stay: predict() refuses them, model.frame() treats them as it is told.
new_frame <- function(fit, terms, newdata, argument) {
  check_columns(names(fit$variables), names(newdata), argument)
  newdata <- from_integers64(newdata)
  check_new_types(fit, terms, newdata, argument)
  frame <- formula_error(stats::model.frame(terms, newdata, na.action = stats::na.pass), argument)
  for (name in names(fit$xlevels)) {
    frame[[name]] <- known_levels(frame[[name]], fit$xlevels[[name]], name, argument)
  }
  frame
}

check_columns <- function(needed, given, argument) {
  absent <- setdiff(needed, given)
  if (length(absent)) {
    bad_argument(argument, "have all columns of the fit", NULL, paste("lacks", show_values(absent)))
  }
}

# As lm() does: text in place of a number would become the dummies of its values. What factor()
# makes of a column is judged by its levels, whatever it was made of.
check_new_types <- function(fit, terms, newdata, argument) {
  types <- fit$variables
  for (name in intersect(names(types), typed_variables(terms, names(fit$xlevels)))) {
    value <- newdata[[name]]
    # A column of NA is logical, and found missing later.
    if (!same_type(data_type(value), types[[name]]) && !all(is.na(value))) {
      wrong_type(argument, name, value, types[[name]])
    }
  }
}

text_types <- c("factor", "ordered", "character")

same_type <- function(a, b) a == b || all(c(a, b) %in% text_types)

# All but those that occur only within expressions that give a factor, `factors` by their text.
typed_variables <- function(terms, factors) {
  expressions <- as.list(attr(terms, "variables"))[-1L]
  typed <- vapply(expressions, is.symbol, NA) | !vapply(expressions, deparse1, "") %in% factors
  unlist(lapply(expressions[typed], all.vars))
}

known_levels <- function(value, levels, name, argument) {
  new <- setdiff(as.character(value), c(levels, NA))
  if (length(new)) {
    bad_argument(argument, paste("have the levels", show_values(levels)), new,
      paste("column", dQuote(name, FALSE), "has", show_values(new)))
  }
  factor(as.character(value), levels)
}

# What is added to x'b at new rows: of the formula, or of the argument where the fit had it as an expression in columns.
new_offset <- function(fit, newdata, newoffset, n) {
  if (!has_offset(fit)) {
    if (!is.null(newoffset)) bad_argument("newoffset", "be NULL: the fit has no offset", newoffset)
    return(NULL)
  }
  if (!is.null(newoffset)) return(check_offset(newoffset, "newoffset", n, fit$spec$classes))
  terms <- if (is.null(fit$terms)) list() else as.list(attr(fit$terms, "variables"))[1L + attr(fit$terms, "offset")]
  argument <- fit$call$offset
  columns <- all.vars(argument)
  known <- is.null(argument) || (length(columns) > 0L && all(columns %in% names(newdata)))
  if (is.null(fit$terms) || !known) {
    bad_argument("newoffset", "be given: the fit has an `offset`, which the new data do not hold", NULL, "is missing")
  }
  parts <- lapply(c(terms, argument), eval, newdata, environment(fit$terms))
  check_offset(Reduce(`+`, parts), "offset", n, fit$spec$classes)
}

# A fit without rows of its own has no offsets, and yet was made with them.
has_offset <- function(fit) {
  !is.null(fit$spec$offset) || (isTRUE(fit$spec$summed) && (!is.null(fit$call$offset) || length(attr(fit$terms, "offset")) > 0L))
}

# One for each row; for classes a matrix with a column for each of them.
check_offset <- function(value, argument, n, classes = NULL) {
  if (is.null(value)) return(NULL)
  if (is.null(classes)) {
    if (is.matrix(value) && ncol(value) == 1L) value <- value[, 1L]
    if (is.matrix(value)) bad_argument(argument, "be a number for each row", value)
    return(unname(check_numbers(value, argument, n)))
  }
  if (!(is.matrix(value) && identical(dim(value), c(as.integer(n), as.integer(classes))))) {
    bad_argument(argument, paste("be a matrix of", counted(n, "row"), "and a column for each of the", classes, "classes"), value)
  }
  matrix(check_numbers(value, argument), n)
}

# The response of a formula in new data, if they have it.
observed_response <- function(terms, data) {
  if (is.null(terms) || !all(all.vars(terms[[2L]]) %in% names(data))) return(NULL)
  eval(terms[[2L]], from_integers64(data), environment(terms))
}

# The x, y interface ------------------------------------------------------------

matrix_new_x <- function(fit, newdata, argument) {
  if (!is.null(fit$y) && is.null(fit$x)) {
    bad_argument(argument, "be NULL: without `X` the coefficients are the values at the rows of the fit", newdata)
  }
  known <- known_columns(fit$spec)
  if (is.data.frame(newdata)) {
    newdata <- from_integers64(newdata)
    coding <- fit$coding
    # A fit of a matrix knows numbers only.
    if (is.null(coding)) coding <- stats::setNames(vector("list", length(known$columns)), known$columns)
    at <- column_places(names(coding), known$named, newdata, argument)
    return(code_data_frame(newdata[at], coding, argument))
  }
  x <- numeric_x(newdata, argument)
  at <- column_places(known$columns, known$named, x, argument)
  if (identical(at, seq_len(ncol(x)))) x else x[, at, drop = FALSE]
}

# The names of the columns, and whether the user gave them. The generalised lasso keeps those of its
# coefficients alone.
known_columns <- function(spec) {
  if (!is.null(spec$named)) return(spec[c("columns", "named")])
  list(columns = spec$names, named = !identical(spec$names, as_text(seq_along(spec$names), "V")))
}

# Where the fit's columns are in new data: by name where both have names, else by position.
column_places <- function(columns, named, newdata, argument) {
  given <- if (!is.null(colnames(newdata))) column_names(newdata)
  columns <- make.unique(columns)
  if (!is.null(given) && (named || all(columns %in% given))) {
    check_columns(columns, given, argument)
    return(match(columns, given))
  }
  if (ncol(newdata) != length(columns)) {
    bad_argument(argument, paste("have", counted(length(columns), "column")), newdata, paste("has", ncol(newdata)))
  }
  if (!is.null(given)) {
    warn("names", paste0("The fit was made from columns without names: those of `", argument, "` (",
      show_values(given, 3L), ") are taken by position"))
  }
  seq_along(columns)
}
