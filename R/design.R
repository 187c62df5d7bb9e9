# From the user's data to numbers: a design is list(x, y, names, ...) with x a
# double matrix or a dgCMatrix. What is kept of these steps repeats them for new
# data, in newdata.R.

# The x, y interface ------------------------------------------------------------

# `response` checks y and turns it into numbers, or classes.
matrix_design <- function(x, y, response = check_response) {
  if (missing(x) || is.null(x)) bad_argument("x", "be a matrix, a data frame or a formula", NULL, "is missing")
  coding <- term <- NULL
  if (is.data.frame(x)) {
    check_extent(x, "x")
    x <- from_integers64(x)
    coding <- data_frame_coding(x)
    x <- code_data_frame(x, coding, "x")
    term <- rep(names(coding), vapply(coding, function(columns) max(1L, ncol(columns)), 1L))
  }
  x <- numeric_x(x, "x")
  check_extent(x, "x")
  check_finite_x(x, "x")
  if (missing(y) || is.null(y)) bad_argument("y", "be the response", NULL, "is missing")
  row_names <- if (is.null(rownames(x))) names(y) else rownames(x)
  list(
    x = x, y = response(y, "y", nrow(x)), names = column_names(x), term = term, row_names = row_names,
    named = !is.null(colnames(x)), coding = coding, intercept = TRUE
  )
}

check_response <- function(y, argument, n) {
  y <- from_integer64(y)
  if (is.matrix(y) && ncol(y) == 1L) y <- y[, 1L]
  if (is.list(y) || is.matrix(y) || !(is.numeric(y) || is.logical(y))) {
    bad_argument(argument, "be a numeric vector", y)
  }
  if (length(y) != n) {
    bad_argument(argument, paste("have one element for", each_row(n), "of `x`"), y, paste("has length", length(y)))
  }
  y <- as.double(y)
  if (!all(is.finite(y))) {
    at <- first_bad(!is.finite(y))
    bad_argument(argument, "be finite", y, paste("element", at, "is", show_value(y[at])),
      "Remove or impute such rows.")
  }
  y
}

# Beyond these the squares of a response are infinite or zero, and with them the objective or the noise.
check_magnitude <- function(y, least = 1e-150) {
  largest <- max(abs(y))
  if (largest > 1e150 || (largest > 0 && largest < least)) {
    bad_argument("y", paste("be in units that keep its largest number", if (least > 0) "between 1e-150 and" else "below", "1e150"), y,
      paste("that is", format(largest, digits = 3)), "Divide it by its standard deviation.")
  }
}

each_row <- function(n) if (n == 1) "the row" else paste("each of the", n, "rows")

check_extent <- function(x, argument) {
  if (any(dim(x) == 0L)) {
    bad_argument(argument, "have at least one row and one column", x,
      paste("has", counted(nrow(x), "row"), "and", counted(ncol(x), "column")))
  }
}

check_finite_x <- function(x, argument) {
  values <- if (is.matrix(x)) x else x@x
  if (!length(values) || !anyNA(job_extent(values))) return(invisible())
  at <- first_bad(!is.finite(values))
  if (is.matrix(x)) {
    row <- (at - 1L) %% nrow(x) + 1L
    column <- (at - 1L) %/% nrow(x) + 1L
  } else {
    row <- x@i[at] + 1L
    column <- findInterval(at - 1L, x@p)
  }
  bad_argument(argument, "be finite", x,
    paste0("row ", row, " of column ", dQuote(column_names(x)[column], FALSE), " is ", show_value(values[at])),
    "Remove or impute such rows.")
}

column_names <- function(x) {
  names <- colnames(x)
  if (is.null(names)) names <- rep("", ncol(x))
  blank <- which(is.na(names) | names == "")
  names[blank] <- as_text(blank, "V")
  # Looking for duplicates is a tenth of making names unique.
  if (anyDuplicated(names)) make.unique(names) else names
}

# Data frames -------------------------------------------------------------------

# For each column NULL (a number) or its contrast matrix, a row a level. Columns
# are known by position, because their names may be duplicated.
data_frame_coding <- function(x) {
  columns <- lapply(seq_along(x), function(j) column_contrasts(x[[j]], names(x)[j]))
  stats::setNames(columns, names(x))
}

column_contrasts <- function(value, name) {
  if (is.null(dim(value)) && (is.numeric(value) || is.logical(value))) return(NULL)
  if (!(is.factor(value) || is.character(value))) {
    bad_argument("x", "have numeric, logical, character or factor columns", value,
      paste("column", dQuote(name, FALSE), "is", show_value(value)))
  }
  value <- if (is.factor(value)) droplevels(value) else factor(value)
  if (nlevels(value) < 2L) {
    bad_argument("x", "have factors of two or more levels", value,
      paste("column", dQuote(name, FALSE), "has", nlevels(value)))
  }
  contrasts <- stats::contrasts(value)
  rownames(contrasts) <- levels(value)
  contrasts
}

code_data_frame <- function(x, coding, argument) {
  blocks <- lapply(seq_along(coding), function(j) {
    code_column(x[[j]], coding[[j]], names(coding)[j], argument)
  })
  coded <- do.call(cbind, blocks)
  # Automatic row names are integers; only those the user gave are worth keeping.
  rownames(coded) <- if (.row_names_info(x) > 0L) row.names(x)
  coded
}

code_column <- function(value, contrasts, name, argument) {
  if (is.null(contrasts)) {
    # Logical values are numbers in this interface.
    if (!(is.numeric(value) || is.logical(value))) wrong_type(argument, name, value, "numeric")
    return(matrix(as.double(value), dimnames = list(NULL, name)))
  }
  if (!is_text(value) && !all(is.na(value))) wrong_type(argument, name, value, "factor")
  level <- match(as.character(value), rownames(contrasts))
  if (anyNA(level)) {
    at <- first_bad(is.na(level))
    known <- paste("column", dQuote(name, FALSE), "has", show_value(as.character(value)[at]))
    bad_argument(argument, paste("have the levels", show_values(rownames(contrasts))), value, known)
  }
  coded <- contrasts[level, , drop = FALSE]
  suffix <- if (is.null(colnames(contrasts))) seq_len(ncol(contrasts)) else colnames(contrasts)
  dimnames(coded) <- list(NULL, paste0(name, suffix))
  coded
}

# The formula interface -----------------------------------------------------------

# The design of a call of a formula interface, and the settings that may be columns of the data.
formula_inputs <- function(call, settings, row_arguments, values, response = check_response) {
  in_frame <- c("formula", "data", "subset", "na.action", row_arguments)
  check_unquoted(call, c("subset", row_arguments))
  for (name in intersect(row_arguments, names(call))) call[name] <- list(row_expression(call[[name]], values))
  contrasts <- formula_error(eval(call$contrasts, parent.env(values)), "contrasts")
  design <- formula_design(call[c(1L, match(in_frame, names(call), 0L))], values, response, contrasts)
  design$offset <- stats::model.offset(design$model)
  if (!is.null(design$offset) && !"offset" %in% row_arguments) {
    bad_argument("formula", "have no offset()", NULL, "has one", "Subtract it from the response.")
  }
  for (name in row_arguments) {
    settings[name] <- list(design$model[[paste0("(", name, ")")]])
  }
  list(design = design, settings = settings)
}

# A name that is no column and, where the formula was written, only that of a function, as `weights` is, means what it is where
# the call stands: parsnip makes formulas of its own.
row_expression <- function(expression, values) {
  if (!is.symbol(expression)) return(expression)
  name <- as.character(expression)
  from <- environment(values$formula)
  column <- name %in% names(get0("data", values, inherits = FALSE))
  if (column || is.null(from) || !is.function(get0(name, from))) return(expression)
  here <- get0(name, parent.env(values), ifnotfound = expression)
  if (is.function(here)) expression else here
}

# A column is named without quotes, as in lm(); model.frame() would speak of lengths.
check_unquoted <- function(call, arguments) {
  for (name in intersect(arguments, names(call))) {
    value <- call[[name]]
    if (is.character(value) && length(value) == 1L) {
      bad_argument(name, "be numbers, groups or a column of `data`", value, advice = paste0("A column is written without quotes: ", name, " = ", value, "."))
    }
  }
}

# The formula and the data of a call, each evaluated once: the expression may be slow, or random.
formula_values <- function(call, env) {
  values <- new.env(parent = env)
  for (name in intersect(c("formula", "data"), names(call))) assign(name, from_integers64(formula_error(eval(call[[name]], env))), values)
  values
}

formula_design <- function(frame_call, values, response = check_response, contrasts = NULL) {
  given <- intersect(c("formula", "data"), names(frame_call))
  frame_call[given] <- lapply(given, as.name)
  refuse_bars(values$formula)
  frame_call$drop.unused.levels <- TRUE
  omission <- quick_omission(frame_call, values)
  if (!is.null(omission)) frame_call$na.action <- omission
  frame_call[[1L]] <- quote(stats::model.frame)
  frame <- formula_error(eval(frame_call, values))
  Sys.sleep(0)
  terms <- attr(frame, "terms")
  if (attr(terms, "response") == 0L) {
    bad_argument("formula", "have a response on its left", NULL, "has none")
  }
  if (!length(attr(terms, "term.labels"))) {
    bad_argument("formula", "have a predictor", NULL, "has none")
  }
  if (!nrow(frame)) {
    chosen <- if (!is.null(frame_call$subset)) " that `subset` chooses"
    bad_argument("data", paste0("have at least one row without missing values", chosen), NULL, "has none")
  }
  check_contrasts(contrasts, frame)
  check_levels(frame, terms)
  columns <- formula_error(model_columns(terms, frame, contrasts), if (is.null(contrasts)) "formula" else "contrasts")
  contrasts <- columns$contrasts
  term <- attr(terms, "term.labels")[columns$assign]
  x <- columns$x
  check_finite_x(x, "data")
  # Without names, unlike model.response(): a text for each row is made as soon as they are copied.
  y <- frame[[1L]]
  design <- list(
    x = x, y = response(y, deparse1(terms[[2L]]), nrow(x)),
    names = column_names(x), term = term, row_names = row.names(frame), named = TRUE,
    intercept = attr(terms, "intercept") == 1L,
    formula = stats::formula(terms), terms = terms, contrasts = contrasts,
    xlevels = stats::.getXlevels(terms, frame), model = frame, na.action = attr(frame, "na.action")
  )
  design$variables <- data_variables(terms, get0("data", values, inherits = FALSE), nrow(frame))
  design
}

# A factor of one level says nothing, and contr.treatment() does not say which it is.
check_levels <- function(frame, terms) {
  for (name in rownames(attr(terms, "factors"))[-attr(terms, "response")]) {
    value <- frame[[name]]
    if (is_text(value) && length(unique(value)) < 2L) {
      bad_argument("data", "have factors of two or more levels", value,
        paste("column", dQuote(name, FALSE), "has only", show_value(as.character(value[1L]))))
    }
  }
}

# model.matrix() would ignore what is no factor.
check_contrasts <- function(contrasts, frame) {
  if (is.null(contrasts)) return(invisible())
  if (!is.list(contrasts) || is.null(names(contrasts))) {
    bad_argument("contrasts", "be a list with the names of factors, as in lm()", contrasts)
  }
  factors <- names(frame)[vapply(frame, is_text, NA) | vapply(frame, is.logical, NA)]
  unknown <- setdiff(names(contrasts), factors)
  if (length(unknown)) {
    bad_argument("contrasts", paste("have the names of factors:", show_values(factors)), contrasts, paste("has", show_value(unknown[1L])))
  }
}

formula_error <- function(expr, argument = "formula") {
  tryCatch(expr, error = function(e) {
    if (inherits(e, "wbb_error")) stop(e)
    abort("argument", paste0("`", argument, "` and the data do not fit together: ", conditionMessage(e), "."), argument)
  })
}

# na.omit() and na.exclude() copy all columns also where nothing is missing, which is most of the time that large data take on
# their way to a model frame: instead of them a function that looks first. NULL where model.frame() has another.
quick_omission <- function(frame_call, values) {
  given <- "na.action" %in% names(frame_call)
  # As for lm(), data may bring their own.
  if (!given && !is.null(attr(get0("data", values, inherits = FALSE), "na.action"))) return(NULL)
  action <- if (given) formula_error(eval(frame_call$na.action, values), "na.action") else getOption("na.action")
  if (is.character(action)) action <- get0(action[1L], values, mode = "function")
  if (!identical(action, stats::na.omit) && !identical(action, stats::na.exclude)) return(NULL)
  function(object, ...) if (anyNA(object, recursive = TRUE)) action(object, ...) else object
}

# A group of a mixed model, (1 | g), would be taken for a logical column.
refuse_bars <- function(formula) {
  bar <- find_bar(formula[[length(formula)]])
  if (!is.null(bar)) {
    bad_argument("formula", "have no random effects", NULL, paste0("has (", deparse1(bar), ")"),
      "The bootstraps' `cluster` lets rows of a group share a weight; a logical column is written I(a | b).")
  }
  refuse_specials(formula)
}

# What these mean to coxph() is no column; as functions they give one, and a fit would take it.
refuse_specials <- function(formula) {
  advice <- c(
    strata = "There is one baseline hazard: wbb(coxph(...)) draws from the posterior of a stratified model.",
    cluster = "Take it out and give the groups to the argument `cluster`.",
    frailty = "The argument `cluster` lets rows of a group share a weight.",
    ridge = "All columns are penalised: see `lambda`, `alpha` and `penalty_factor`.",
    pspline = "Use splines::ns(), or wbb(coxph(...))."
  )
  special <- find_special(formula[[length(formula)]], names(advice))
  if (!is.null(special)) {
    bad_argument("formula", "have columns alone", NULL, paste("has", deparse1(special)), advice[[called_function(special)]])
  }
}

find_special <- function(term, names) {
  if (!is.call(term)) return(NULL)
  if (called_function(term) %in% names) return(term)
  if (!called_function(term) %in% formula_operators) return(NULL)
  for (part in as.list(term)[-1L]) {
    special <- find_special(part, names)
    if (!is.null(special)) return(special)
  }
}

formula_operators <- c("+", "-", "*", ":", "/", "^", "%in%", "(")

# Also of survival::strata().
called_function <- function(term) utils::tail(as.character(term[[1L]]), 1L)

# Within any other function than a formula's operators a bar means "or".
find_bar <- function(term) {
  if (!is.call(term)) return(NULL)
  operator <- as.character(term[[1L]])[1L]
  if (operator %in% c("|", "||")) return(term)
  if (!operator %in% formula_operators) return(NULL)
  for (part in as.list(term)[-1L]) {
    bar <- find_bar(part)
    if (!is.null(bar)) return(bar)
  }
}

# The variables that newdata must bring, and their types. Without this check model.frame()
# would silently take a missing one from the user's workspace.
data_variables <- function(terms, data, n) {
  value <- function(name) if (name %in% names(data)) data[[name]] else get0(name, environment(terms))
  is_column <- function(name) name %in% names(data) || NROW(value(name)) >= n
  names <- Filter(is_column, all.vars(stats::delete.response(terms)))
  vapply(names, function(name) data_type(value(name)), "")
}

# As model frames have it, but the class of what is "other" there: days are no seconds.
data_type <- function(value) {
  type <- stats::.MFclass(value)
  if (type != "other") return(type)
  paste(c(class(value)[1L], if (inherits(value, "difftime")) paste("in", attr(value, "units"))), collapse = " ")
}

is_text <- function(value) is.factor(value) || is.character(value)

wrong_type <- function(argument, name, value, type) {
  bad_argument(argument, "have the column types of the fit", value,
    paste("column", dQuote(name, FALSE), "is", data_type(value), "instead of", type))
}
