# What networks are trained on and tested with: numbers or classes, and a test set.

# Numbers, or a factor of two or more levels that all occur.
check_outcome <- function(y, argument, n) {
  if (is.matrix(y) && ncol(y) == 1L) y <- y[, 1L]
  if (!is_label(y)) return(check_response(y, argument, n))
  check_labels(y, argument, n)
  y <- droplevels(as.factor(unname(y)))
  if (nlevels(y) < 2L) {
    bad_argument(argument, "have two or more classes", y,
      paste("all are", show_value(levels(y))), "Numbers are needed for regression.")
  }
  # Names of rows are kept once, beside the data.
  names(y) <- NULL
  y
}

is_label <- function(y) is.null(dim(y)) && (is.factor(y) || is.character(y) || is.logical(y))

# What was observed at new rows, in the form of the fit's own response.
new_outcome <- function(y, levels, argument, n) {
  if (is.null(levels)) return(check_response(y, argument, n))
  if (is.matrix(y) && ncol(y) == 1L) y <- y[, 1L]
  if (!is_label(y) && !is.numeric(y)) bad_argument(argument, "hold classes", y)
  check_labels(y, argument, n)
  factor(levels[match_classes(y, argument, levels)], levels)
}

# list(x, y, n, names) of the test set, y NULL if it was not given.
check_test <- function(test, design) {
  if (is.null(test)) return(NULL)
  # A data frame is data in both interfaces; a list names its parts in that of `x` and `y`.
  parts <- is.list(test) && !is.data.frame(test) && is.null(design$terms)
  if (parts && !(setequal(names(test), "x") || setequal(names(test), c("x", "y")))) {
    bad_argument("test", "be a matrix like `x` or list(x = , y = )", test,
      if (is.null(names(test))) "is a list without names" else paste("has the elements", show_values(names(test))))
  }
  like <- c(design[c("terms", "xlevels", "contrasts", "coding", "variables")],
    list(spec = list(columns = design$names, named = design$named)))
  data <- if (parts) test$x else test
  x <- new_x(like, data, "test")
  check_extent(x, "test")
  y <- if (parts) test$y else observed_response(design$terms, data)
  if (!is.null(y)) y <- new_outcome(y, levels(design$y), "test", nrow(x))
  list(x = x, y = y, n = nrow(x), names = rownames(x), fingerprint = fingerprint(x))
}

