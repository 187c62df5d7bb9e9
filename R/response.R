# How the response of each family is coded: what the user has, as the numbers that Rust takes. A coding is
# list(y, levels, trials, status), NULL where there is none. `levels` are given for new data, which need not
# hold every class.

# A number for each row. `open`: the user did not say that it is Gaussian.
code_gaussian <- function(y, argument, n, levels = NULL, open = FALSE) {
  advice <- other_family(y)
  if (!is.null(advice)) bad_argument(argument, "be numbers with family = \"gaussian\"", y, advice = advice)
  y <- check_response(y, argument, n)
  # Small ones do no harm: the lasso has units of its own.
  check_magnitude(y, least = 0)
  if (open && all(y == 0 | y == 1) && any(y != y[1L])) {
    note("response", paste0("`", argument, "` holds only 0 and 1 and is taken as numbers; for probabilities use ",
      "family = \"binomial\", and family = \"gaussian\" to be asked no more."))
  }
  list(y = y)
}

# What a response that is no numbers was meant for; NULL where it is numbers.
other_family <- function(y) {
  if (inherits(y, "Surv")) return("Use family = \"cox\" for times.")
  if (is.data.frame(y)) return(NULL)
  if (is.matrix(y) && ncol(y) == 2L && is.numeric(y)) {
    return("Use family = \"binomial\" for cbind(successes, failures).")
  }
  if (is.logical(y) && !all(is.na(y))) return("Use family = \"binomial\", or as.numeric() if numbers are meant.")
  if (!is_text(y)) return(NULL)
  family <- if (length(unique(as.character(y))) > 2L) "multinomial" else "binomial"
  paste0("Use family = ", show_value(family), " for classes.")
}

# The share of successes in the trials of each row.
code_binomial <- function(y, argument, n, levels = NULL) {
  y <- one_column(y)
  if (inherits(y, "Surv")) bad_argument(argument, "be a binary response", y, advice = other_family(y))
  coded <- if (is.matrix(y)) {
    code_counts(y, argument, n)
  } else if (is_text(y) || is.logical(y)) {
    code_two_classes(y, argument, n, levels)
  } else {
    list(y = check_share(y, argument, n), levels = c("0", "1"))
  }
  positive <- if (is.null(coded$trials)) TRUE else coded$trials > 0
  seen <- range(coded$y[positive])
  if (is.null(levels) && seen[1L] == seen[2L] && seen[1L] %in% 0:1) {
    bad_argument(argument, "have both outcomes", y, paste("all are", show_value(coded$levels[seen[1L] + 1])))
  }
  coded
}

one_column <- function(y) if (is.matrix(y) && ncol(y) == 1L && !inherits(y, "Surv")) y[, 1L] else y

# cbind(successes, failures), as in glm(). A row without trials says nothing and weighs nothing.
code_counts <- function(y, argument, n) {
  if (ncol(y) != 2L || !is.numeric(y)) {
    bad_argument(argument, "be a vector or cbind(successes, failures)", y,
      paste("is a", if (is.numeric(y)) paste("matrix of", ncol(y), "columns") else paste(typeof(y), "matrix")))
  }
  check_rows(y, argument, n)
  bad <- !is.finite(y) | y < 0
  if (any(bad)) {
    at <- which(bad, arr.ind = TRUE)[1L, ]
    bad_argument(argument, "be counts of successes and failures", y,
      paste("row", at[[1L]], "has", show_value(y[[at[[1L]], at[[2L]]]])))
  }
  trials <- as.double(y[, 1L] + y[, 2L])
  if (all(trials == 0)) bad_argument(argument, "have a row with trials", y, "all counts are 0")
  # The first column is the success: the second of the classes.
  levels <- rev(colnames(y))
  if (length(unique(levels)) != 2L || any(!nzchar(levels))) levels <- c("0", "1")
  list(y = ifelse(trials > 0, as.double(y[, 1L]) / pmax(trials, .Machine$double.xmin), 0), levels = levels, trials = trials)
}

code_two_classes <- function(y, argument, n, levels) {
  check_labels(y, argument, n)
  if (is.null(levels)) {
    levels <- if (is.logical(y)) c("FALSE", "TRUE") else base::levels(droplevels(as.factor(y)))
    if (length(levels) != 2L) {
      bad_argument(argument, "have two classes with family = \"binomial\"", y,
        paste0("has ", counted(length(levels), "level"), " (", show_values(levels), ")"),
        if (length(levels) > 2L) "Use family = \"multinomial\".")
    }
  }
  list(y = match_classes(y, argument, levels) - 1, levels = levels)
}

check_share <- function(y, argument, n) {
  y <- check_response(y, argument, n)
  if (any(y < 0 | y > 1)) {
    at <- first_bad(y < 0 | y > 1)
    bad_argument(argument, "be 0 or 1, proportions, two classes or cbind(successes, failures) with family = \"binomial\"", y,
      paste("element", at, "is", show_value(y[at])), "Use factor() for two classes that are numbers.")
  }
  y
}

code_poisson <- function(y, argument, n, levels = NULL) {
  advice <- other_family(y)
  if (!is.null(advice)) bad_argument(argument, "be counts with family = \"poisson\"", y, advice = advice)
  y <- check_response(y, argument, n)
  if (any(y < 0)) {
    at <- first_bad(y < 0)
    bad_argument(argument, "be counts, not negative", y, paste("element", at, "is", show_value(y[at])))
  }
  if (is.null(levels) && all(y == 0)) bad_argument(argument, "have a positive count", y, "all are 0")
  list(y = y)
}

# Codes 1, ..., K in the order of the levels.
code_multinomial <- function(y, argument, n, levels = NULL) {
  y <- one_column(y)
  if (!is_text(y) || !is.null(dim(y))) {
    bad_argument(argument, "be a factor or character vector with family = \"multinomial\"", y,
      advice = if (is.numeric(y) && is.null(dim(y))) "Use factor() for classes that are numbers.")
  }
  check_labels(y, argument, n)
  if (is.null(levels)) {
    levels <- base::levels(droplevels(as.factor(y)))
    if (length(levels) < 3L) {
      bad_argument(argument, "have three or more classes with family = \"multinomial\"", y,
        paste("has", show_values(levels)), if (length(levels) == 2L) "Use family = \"binomial\" for two.")
    }
  }
  list(y = match_classes(y, argument, levels), levels = levels)
}

check_labels <- function(y, argument, n) {
  if (length(y) != n) {
    bad_argument(argument, paste("have one element for", each_row(n)), y, paste("has length", length(y)))
  }
  if (anyNA(y)) {
    bad_argument(argument, "have no missing values", y, paste("element", first_bad(is.na(y)), "is NA"),
      "Remove or impute such rows.")
  }
}

match_classes <- function(y, argument, levels) {
  at <- match(as.character(y), levels)
  if (anyNA(at)) {
    bad_argument(argument, paste("have the classes", show_values(levels)), y,
      paste("element", first_bad(is.na(at)), "is", show_value(as.character(y)[is.na(at)][1L])))
  }
  as.double(at)
}

# A Surv object of right-censored times, or the matrix of columns `time` and `status` that glmnet takes.
code_cox <- function(y, argument, n, levels = NULL) {
  must <- "be survival::Surv(time, status) with family = \"cox\""
  surv <- inherits(y, "Surv")
  if (!surv && !(is.matrix(y) && is.numeric(y) && all(c("time", "status") %in% colnames(y)))) bad_argument(argument, must, y)
  kind <- if (surv) attr(y, "type") else "right"
  if (kind != "right") {
    bad_argument(argument, must, y, paste("is a Surv of type", show_value(kind)),
      "Only right-censored times are understood: neither left or interval censoring, nor (start, stop] intervals.")
  }
  check_rows(y, argument, n)
  values <- unclass(y)
  time <- as.double(values[, "time"])
  status <- as.double(values[, "status"])
  bad <- !is.finite(time) | time < 0 | !status %in% 0:1
  if (any(bad)) {
    at <- first_bad(bad)
    bad_argument(argument, "have times that are not negative and a status of 0 or 1", y,
      paste0("row ", at, " has time ", show_value(time[at]), " and status ", show_value(status[at])))
  }
  if (is.null(levels) && !any(status == 1)) bad_argument(argument, "have an event", y, "all times are censored")
  list(y = time, status = status)
}

check_rows <- function(y, argument, n) {
  if (nrow(y) != n) bad_argument(argument, paste("have one row for", each_row(n), "of `x`"), y, paste("has", counted(nrow(y), "row")))
}
