# How errors and warnings are raised, and the checks of arguments by their type; those of a
# single setting stand beside it. A check returns the value in the type the rest relies on.
#
# Messages are pasted, never formatted: names of the user's columns may hold `%`.

# `partial` is a fit of what was done before the error.
abort <- function(kind, message, argument = NULL, value = NULL, call = user_call(), partial = NULL) {
  stop(structure(
    class = c(paste0("wbb_error_", kind), "wbb_error", "error", "condition"),
    list(message = message, call = call, argument = argument, value = value, partial = partial)
  ))
}

warn <- function(kind, message, call = user_call()) {
  warning(structure(
    class = c(paste0("wbb_warning_", kind), "wbb_warning", "warning", "condition"),
    list(message = message, call = call)
  ))
}

# What the user may want to know, and can silence by its class.
note <- function(kind, message, call = user_call()) {
  message(structure(
    class = c(paste0("wbb_message_", kind), "wbb_message", "message", "condition"),
    list(message = paste0(message, "\n"), call = call)
  ))
}

# The value of `code`, or what `failed` makes of its error. Not of a time limit of setTimeLimit(), which strikes once, wherever R is just
# then: it is meant for the whole run, as a press of the stop button is.
attempt <- function(code, failed = function(e) NULL) {
  tryCatch(code, error = function(e) if (is_time_limit(e)) stop(e) else failed(e))
}

is_time_limit <- function(e) {
  texts <- c("reached elapsed time limit", "reached CPU time limit", "reached session elapsed time limit", "reached session CPU time limit")
  conditionMessage(e) %in% gettext(texts, domain = "R")
}

# The outermost call of one of our functions: what the user typed, whichever
# check further down found the fault.
user_call <- function() {
  ours <- topenv()
  for (frame in seq_len(sys.nframe())) {
    if (identical(environment(sys.function(frame)), ours)) return(sys.call(frame))
  }
  NULL
}

bad_argument <- function(argument, must, value, but = paste("is", show_value(value)), advice = NULL) {
  message <- paste0("`", argument, "` must ", must, ", but ", but, ".")
  abort("argument", paste(c(message, advice), collapse = " "), argument, value)
}

show_value <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.function(x)) return("a function")
  if (is.atomic(x) && !is.object(x) && length(x) == 1L) {
    if (is.character(x) && !is.na(x)) return(dQuote(x, FALSE))
    return(format(x, digits = 15))
  }
  if (is.object(x) || is.matrix(x)) return(paste0("of class ", dQuote(class(x)[1L], FALSE)))
  type <- if (is.numeric(x)) "numeric vector" else if (is.atomic(x)) paste(typeof(x), "vector") else typeof(x)
  paste("a", type, "of length", length(x))
}

show_values <- function(x, most = 6L) {
  shown <- vapply(utils::head(x, most), show_value, "")
  paste0(paste(shown, collapse = ", "), if (length(x) > most) paste(" and", length(x) - most, "more"))
}

# Single values ---------------------------------------------------------------

is_number <- function(x) {
  is.numeric(x) && !is.object(x) && length(x) == 1L && is.finite(x)
}

check_flag <- function(value, argument) {
  if (!(is.logical(value) && length(value) == 1L && !is.na(value))) {
    bad_argument(argument, "be TRUE or FALSE", value)
  }
  value
}

check_choice <- function(value, argument, choices) {
  if (identical(value, choices)) return(choices[1L])
  at <- if (is.character(value) && length(value) == 1L) pmatch(value, choices) else NA
  if (is.na(at)) bad_argument(argument, paste("be one of", show_values(choices, Inf)), value)
  choices[at]
}

check_number <- function(value, argument, lower = -Inf, upper = Inf, open = FALSE) {
  inside <- is_number(value) &&
    (if (open) value > lower && value < upper else value >= lower && value <= upper)
  if (!inside) {
    range <- if (is.finite(upper)) {
      paste0("between ", lower, " and ", upper, if (open) " (both excluded)")
    } else if (is.finite(lower)) {
      paste(if (open) "above" else "of at least", lower)
    }
    bad_argument(argument, paste(c("be one number", range), collapse = " "), value)
  }
  as.double(value)
}

check_count <- function(value, argument, lower = 1, upper = .Machine$integer.max) {
  if (!(is_number(value) && value == trunc(value) && value >= lower && value <= upper)) {
    # Bounds that are only those of the number's type are no help, unless crossed.
    bounded <- upper < .Machine$integer.max || (is_number(value) && abs(value) > upper)
    range <- if (bounded) {
      paste("from", format(lower, scientific = FALSE), "to", format(upper, scientific = FALSE))
    } else if (lower >= 0) {
      paste("of at least", lower)
    }
    bad_argument(argument, paste(c("be a whole number", range), collapse = " "), value)
  }
  as.double(value)
}

check_level <- function(value, argument = "level") {
  check_number(value, argument, 0, 1, open = TRUE)
}

check_file <- function(value, argument) {
  if (!(is.character(value) && length(value) == 1L && !is.na(value))) {
    bad_argument(argument, "be the path of a file", value)
  }
  fault <- if (!file.exists(value)) {
    "does not exist"
  } else if (dir.exists(value)) {
    "is a folder"
  } else if (file.access(value, 4L) != 0L) {
    "may not be read"
  } else if (file.size(value) == 0) {
    "is empty"
  }
  if (!is.null(fault)) bad_argument(argument, "be the path of a file", value, paste(show_value(value), fault))
  value
}

# Vectors ---------------------------------------------------------------------

first_bad <- function(bad) which(bad)[1L]

# A table with a class of its own, as survival::Surv(), is numeric for R and has operators that refuse what is done with numbers.
is_classed_table <- function(value) is.object(value) && !is.null(dim(value))

is_numeric <- function(value) is.numeric(value) && !is_classed_table(value)

# Whole numbers of 64 bits, as databases and bit64 have them: to R they are doubles, whose bits mean other numbers.
from_integer64 <- function(value) {
  if (!inherits(value, "integer64")) return(value)
  halves <- matrix(readBin(writeBin(as.double(unclass(value)), raw(), endian = "little"), "integer", 2L * length(value), 4L, endian = "little"), 2L)
  low <- ifelse(is.na(halves[1L, ]), -2^31, halves[1L, ])
  # That of the smallest number is their NA.
  number <- halves[2L, ] * 2^32 + ifelse(low < 0, low + 2^32, low)
  if (is.null(dim(value))) number else array(number, dim(value), dimnames(value))
}

# All such columns of a table.
from_integers64 <- function(table) {
  if (!is.list(table)) return(table)
  for (at in which(vapply(table, inherits, NA, "integer64"))) table[[at]] <- from_integer64(table[[at]])
  table
}

check_numbers <- function(value, argument, n = NULL, lower = -Inf, must = "be numbers") {
  value <- from_integer64(value)
  if (!(is.numeric(value) || is.logical(value)) || is_classed_table(value)) {
    bad_argument(argument, must, value)
  }
  if (!is.null(n) && length(value) != n) {
    bad_argument(argument, paste("have length", n), value, paste("has length", length(value)))
  }
  at <- first_outside(value, lower)
  if (!is.na(at)) bad_argument(argument, must, value, paste("element", at, "is", show_value(value[[at]])))
  as.double(value)
}

# The first element that is not a finite number of at least `lower`, or NA. R hears no interrupt inside a vectorised
# call, so that a long vector is looked at in parts.
first_outside <- function(value, lower, size = 2^20, look = function() Sys.sleep(0)) {
  outside <- function(part) first_bad(!is.finite(part) | part < lower)
  if (length(value) <= size) return(outside(value))
  for (from in seq(0, length(value) - 1, by = size)) {
    at <- outside(value[seq.int(from + 1, min(from + size, length(value)))])
    if (!is.na(at)) return(from + at)
    look()
  }
  NA
}

# Probabilities of intervals, as many as there are to be.
check_probabilities <- function(value, argument) {
  levels <- check_numbers(value, argument, must = "be probabilities")
  if (!length(levels) || any(levels <= 0 | levels >= 1)) bad_argument(argument, "be probabilities between 0 and 1", value)
  levels
}

# The table with the user's names for its rows, if there are any.
with_row_names <- function(table, names) {
  if (is.null(names)) return(table)
  if (!is.atomic(names) || !is.null(dim(names)) || length(names) != nrow(table) || anyNA(names) || anyDuplicated(names)) {
    bad_argument("row.names", paste("be", nrow(table), "distinct names, or NULL"), names)
  }
  row.names(table) <- as.character(names)
  table
}

# Refuses a result of this many doubles before anything is allocated.
check_size <- function(numbers, what, argument, value, advice = NULL) {
  bytes <- 8 * numbers
  most <- check_number(getOption("wbb.max_bytes", 8e9), "options(wbb.max_bytes)", 0)
  if (bytes > most) {
    bad_argument(argument, paste("give a result of at most", show_gb(most)), value,
      paste(what, "would take", show_gb(bytes)),
      paste(c(advice, "The limit is `options(wbb.max_bytes = )`."), collapse = " "))
  }
}

show_gb <- function(bytes) paste(format(bytes / 1e9, digits = 3, big.mark = ","), "GB")

# Names of arguments ----------------------------------------------------------

# What users of glmnet, lm, boot, fwb, rstanarm and brms type for our arguments; the first that a function has is meant.
synonyms <- list(
  newx = "newdata", s = "lambda", parallel = "threads", ncpus = "threads", cores = "threads", mc.cores = "threads", cl = "backend",
  k = "order", size = "hidden", hidden_units = "hidden", maxit = c("epochs", "max_iterations"), lr = "learning_rate",
  n = "draws", B = "draws", R = "draws", iter = "draws", nsim = "draws", ndraws = "draws", nboot = "draws", n_draws = "draws",
  n_iter = "draws", n.iter = "draws", niter = "draws", nrep = "draws", num_samples = "draws", warmup = "burn", burnin = "burn", verbose = "progress", refresh = "progress", wtype = "weights",
  penalty.factor = "penalty_factor", type.measure = "cv_measure", exposure = "offset",
  conf.level = c("level", "prob"), level = c("conf.level", "prob"), prob = c("level", "conf.level"),
  pars = c("parm", "parameters"), parm = c("pars", "parameters"), parameters = c("parm", "pars"),
  type = "estimate", se.fit = "interval", se_fit = "interval", se = "interval", id = "cluster", strata = "cluster", weights = "case_weights"
)

# What others have, and a bootstrap has no need of.
needless <- c(
  chains = "Draws of a bootstrap are independent: there are no chains, and `draws` is their number.",
  warmup = "Draws of a bootstrap are independent: there is nothing to warm up.",
  burn = "Draws of a bootstrap are independent: there is nothing to burn in.",
  burnin = "Draws of a bootstrap are independent: there is nothing to burn in.",
  thin = "Draws of a bootstrap are independent: there is nothing to thin.",
  control = "See `tolerance` and `max_iterations`.",
  prior = "The penalty is the prior: see `lambda`, `alpha` and `prior_weight`.",
  statistic = "A function of the draws is computed from as.matrix(fit)."
)

# `.function` is the one that the user called, `.known` are its arguments; `.foreign` are names that other packages pass to
# all methods, and mean nothing here.
check_dots <- function(..., .function, .known, .foreign = character()) {
  if (...length() == 0L) return(invisible())
  name <- setdiff(dots_names(...), .foreign)
  if (!length(name)) return(invisible())
  name <- name[1L]
  if (name == "") {
    abort("argument", paste0("`", .function, "()` was given an unnamed argument too many."), "...")
  }
  unknown_argument(name, .function, .known)
}

# What packages that make tables of models, such as modelsummary, pass on to all of them.
of_tables <- c("vcov", "vcov_type", "coef_rename", "gof_map")

# R takes the beginning of a name for the whole. What belongs elsewhere (`k`, which is not `keep_data`), or begins several
# names, is refused as if it were none.
check_shortened <- function(given, called, known) {
  for (name in setdiff(given, c("", known))) {
    meant <- sum(startsWith(known, name))
    if (meant > 1L || (meant == 1L && name %in% c(names(synonyms), names(needless)))) unknown_argument(name, called, known)
  }
}

unknown_argument <- function(name, called, known) {
  # A picture knows the arguments of those beside it.
  hint <- if (name %in% known) " for this `type`; another has it." else paste0(".", argument_hint(name, called, known))
  abort("argument", paste0("`", called, "()` has no argument `", name, "`", hint), name)
}

argument_hint <- function(name, called, known) {
  if (name %in% c("formula", "data")) return(paste0(" A formula comes first: ", called, "(formula, data)."))
  nearest <- nearest_name(name, known)
  if (length(nearest)) return(paste0(" Did you mean `", nearest, "`?"))
  if (name %in% names(needless) && "draws" %in% known) paste0(" ", needless[[name]])
}

nearest_name <- function(name, known) {
  meant <- intersect(synonyms[[name]], known)
  if (length(meant) || name %in% names(needless)) return(utils::head(meant, 1L))
  distance <- utils::adist(name, known, ignore.case = TRUE)[1L, ]
  utils::head(known[distance == min(distance) & distance <= max(1, nchar(name) %/% 3)], 1L)
}

# ...names() of R 4.2 is wrong when some arguments have no name.
dots_names <- function(...) {
  given <- names(match.call())[-1L]
  if (is.null(given)) rep("", ...length()) else given
}

require_package <- function(package, what) {
  if (!requireNamespace(package, quietly = TRUE)) {
    abort("package", paste0(what, " needs the package ", package,
      "; install it with install.packages(\"", package, "\")."), package)
  }
}
