# The settings that estimators share, checked and typed. A function takes what the user gave, by the names
# of the arguments, and returns fields of the same names: they go to Rust, and are kept in the fit as its `spec`.
# What the user left open is NULL.

# How the fit is made, which changes nothing in it.
run_settings <- function(given) {
  list(
    # Chains have no such argument.
    backend = if ("backend" %in% names(given)) check_choice(given$backend, "backend", c("threads", "future")) else "threads",
    progress = check_progress(given$progress),
    keep_data = check_flag(given$keep_data, "keep_data")
  )
}

check_progress <- function(value) if (is.null(value)) watched() else check_flag(value, "progress")

# Which draws. `numbers` is the size of one in doubles, `what` it is made of. They come last among the settings:
# the seed may take a number from R's generator, which a fit that is refused must not do.
draw_settings <- function(given, numbers, what) {
  draws <- check_count(given$draws, "draws", 1, 2^53)
  check_size(draws * numbers, paste(show_value(draws), "draws of", what), "draws", draws,
    "Run chunks with `first_draw` and summarise each.")
  if (draws > .Machine$integer.max) {
    bad_argument("draws", "be below 2^31, the most rows of a matrix", draws)
  }
  list(
    draws = draws, first_draw = check_count(given$first_draw, "first_draw", 1, 2^53 - draws),
    threads = check_threads(given$threads), seed = check_seed(given$seed)
  )
}

# Draws of coefficients, at all lambdas.
coefficient_settings <- function(given, coefficients, lambda) {
  lambdas <- if (is.character(lambda)) 1L else length(lambda)
  what <- paste0(coefficients, " coefficients", if (lambdas > 1L) paste(" at", lambdas, "lambdas"))
  draw_settings(given, coefficients * lambdas, what)
}

# A fixed seed leaves R's generator alone; NULL takes one number from it, so that
# set.seed() reproduces.
check_seed <- function(value, argument = "seed") {
  if (is.null(value)) return(as.double(sample.int(.Machine$integer.max, 1L)))
  check_count(value, argument, -2^53, 2^53)
}

most_threads <- 1024

# NULL: all cores, which Rust counts.
check_threads <- function(value) {
  if (is.null(value)) value <- getOption("wbb.threads")
  if (!is.null(value)) return(as.integer(check_count(value, "threads", 1, most_threads)))
  if (nzchar(Sys.getenv("_R_CHECK_LIMIT_CORES_"))) 2L
}

# The weights of the draws ---------------------------------------------------------

weight_settings <- function(given, n, prior_weights = c("random", "fixed", "coef")) {
  list(
    weights = check_law(given$weights),
    prior_weight = check_choice(given$prior_weight, "prior_weight", prior_weights),
    case_weights = check_case_weights(given$case_weights, n),
    cluster = check_cluster(given$cluster, n),
    n = n
  )
}

check_case_weights <- function(value, n) {
  if (is.null(value)) return(NULL)
  value <- check_numbers(value, "case_weights", n, lower = 0, must = "be non-negative numbers")
  if (all(value == 0)) {
    bad_argument("case_weights", "have a positive element", value, "all are 0")
  }
  value
}

check_cluster <- function(value, n) if (!is.null(value)) check_groups(value, n, "cluster")

# Ids 1, 2, ... in the order of appearance.
check_groups <- function(value, n, argument) {
  if (!is.atomic(value) || is.matrix(value)) {
    bad_argument(argument, "be a vector or factor of ids", value)
  }
  if (length(value) != n) {
    bad_argument(argument, paste("have length", n), value, paste("has length", length(value)))
  }
  if (anyNA(value)) {
    bad_argument(argument, "have no missing values", value,
      paste("element", first_bad(is.na(value)), "is NA"))
  }
  match(value, unique(value))
}

# The penalty ----------------------------------------------------------------------

# Distinct numbers, or one of the `words` that the estimator knows; "marglik" has become a number before.
check_lambda <- function(value, words = character()) {
  for (word in setdiff(words, "marglik")) if (identical(value, word)) return(value)
  if (is.character(value) || is.null(value) || length(value) == 0L) {
    must <- c(if (length(words)) paste(dQuote(words, FALSE), collapse = ", "), "non-negative numbers")
    bad_argument("lambda", paste("be", paste(must, collapse = " or ")), value)
  }
  value <- check_numbers(value, "lambda", lower = 0, must = "be non-negative numbers")
  if (anyDuplicated(value)) {
    bad_argument("lambda", "have distinct values", value,
      paste(show_value(value[anyDuplicated(value)]), "is there twice"))
  }
  value
}

# Checked also where lambda is given: a mistake is one all the same.
cv_settings <- function(given, n, cluster, lambda) {
  foldid <- check_foldid(given$foldid, n)
  nfolds <- check_count(given$nfolds, "nfolds", 2)
  units <- if (is.null(cluster)) n else max(cluster)
  if (is.character(lambda) && is.null(foldid) && units < 2) {
    bad_argument("lambda", "be given when there is a single row or cluster", lambda)
  }
  list(
    lambda_rule = check_choice(given$lambda_rule, "lambda_rule", c("min", "1se")),
    nfolds = if (is.null(foldid)) as.integer(min(nfolds, max(2, units))) else max(foldid),
    foldid = foldid,
    nlambda = as.integer(check_count(given$nlambda, "nlambda", 2, 1e5)),
    lambda_min_ratio = if (!is.null(given$lambda_min_ratio)) {
      check_number(given$lambda_min_ratio, "lambda_min_ratio", 0, 1, open = TRUE)
    }
  )
}

check_foldid <- function(value, n) {
  if (is.null(value)) return(NULL)
  must <- "be fold numbers 1, 2, ..."
  value <- check_numbers(value, "foldid", n, lower = 1, must = must)
  if (any(value != trunc(value))) {
    at <- first_bad(value != trunc(value))
    bad_argument("foldid", must, value, paste("element", at, "is", show_value(value[at])))
  }
  empty <- setdiff(seq_len(max(value)), value)
  if (length(empty)) {
    bad_argument("foldid", must, value, paste("fold", empty[1L], "has no rows"))
  }
  if (max(value) < 2) bad_argument("foldid", "name at least two folds", value, "all are 1")
  as.integer(value)
}

# When a solver stops.
limit_settings <- function(given) {
  list(
    tolerance = check_number(given$tolerance, "tolerance", 0, 1, open = TRUE),
    max_iterations = as.integer(check_count(given$max_iterations, "max_iterations"))
  )
}
