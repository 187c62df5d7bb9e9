# Weighted sums of all draws, made in one pass over a source, and the lasso from such sums.

#' Sums of all draws, in one pass over the data
#'
#' Everything that a draw of least squares needs of the rows is in weighted sums of products of columns, and the weight of a row
#' is a function of the seed, the draw and the row's number. So one pass over data of any size gives the sums of all draws. [wbb_lasso()]
#' makes draws from them; sums of other rows, made by another process or machine, are added by `c()`.
#'
#' @section What is identical, and what is equal to rounding:
#' Sums of a source have the same bits whatever the size of the chunks (`options(wbb.chunk_rows = )`), the number of threads and the
#' kind of the source. `c()` adds sums that were made apart: what it gives equals the sums of one pass to rounding, and so
#' do draws from them those of [wbb_lasso()] in memory (to about 1e-10). With the `shards` of a [wbb_source()] the parts and the order in which they are added are given,
#' and the bits are the same for both backends.
#'
#' @section Memory:
#' The sums take 8 bytes for each draw and each of (p + 2)(p + 3)/2 products, p the number of columns. Above
#' `options(wbb.max_moments = 4e8)` bytes `wbb_moments()` stops before it reads a row, and [wbb_lasso()] keeps the rows in a form that can be gone
#' over again, or reads a source several times, some of the draws each time, and says so.
#'
#' @section Several machines:
#' Each makes the sums of its own rows with the same formula, `seed`, draws and `levels`, and with `first_row`, the number of its first row in
#' the whole: one more than the rows that were used before. `saveRDS()` and `c()` do the rest.
#'
#' Rows of a `cluster` share a weight, and may be in several parts. Ids are matched as text (a whole number is its digits, whatever its type). In one call they
#' get their numbers in the order in which they come, as in memory; with several `shards` that takes one more reading. Machines that sum apart must agree on the numbers: the `levels` of
#' their sources declare the ids, under the name of the column, and their place there is the number.
#'
#' `backend = "future"` does this over the workers of the current [future::plan()]: each of the source's `shards`, ranges of rows or groups of files,
#' is read by a worker; only sums travel. A part whose worker dies is tried again on the others. A database must then be given by a function
#' that connects (what it uses of the workspace goes with it), and missing values must be left out in the query: the rows of the parts before are counted.
#'
#' @param formula A formula, `response ~ predictors`, with terms that depend on their own row alone: no `scale()` or `poly()`.
#' @param source A [wbb_source()].
#' @param draws,seed,weights,nfolds,first_draw,threads,progress As in [wbb_lasso()].
#' @param case_weights,cluster,foldid,subset Columns of the source, or expressions in them; see [wbb_lasso()].
#' @param na.action `na.omit` leaves rows with missing values out and counts them, `na.fail` stops at the first.
#' @param first_row The number of the first row in the whole.
#' @param backend `"threads"`, or `"future"` to let the workers of the current [future::plan()] read the source's shards.
#' @param ... For `c()`: more sums, of other rows.
#' @return An object of class `wbb_moments`; `nobs()` is the number of its rows. It can be saved and read back.
#' @examples
#' source <- wbb_source(diabetes)
#' m <- wbb_moments(y ~ ., source, draws = 200, seed = 1)
#' m
#' fit <- wbb_lasso(m, lambda = 50)
#' summary(fit)
#'
#' # By two machines
#' m1 <- wbb_moments(y ~ ., wbb_source(diabetes[1:200, ]), draws = 200, seed = 1)
#' m2 <- wbb_moments(y ~ ., wbb_source(diabetes[201:442, ]), draws = 200, seed = 1, first_row = 201)
#' all.equal(coef(wbb_lasso(c(m1, m2), lambda = 50), "mean"), coef(fit, "mean"))
#' @export
wbb_moments <- function(formula, source, draws = 1000, seed = NULL, weights = "exponential", case_weights, cluster, foldid,
                        nfolds = 10, subset, na.action = NULL, first_draw = 1, first_row = 1, threads = NULL,
                        backend = c("threads", "future"), progress = NULL) {
  source <- check_source(source)
  of_rows <- c("case_weights", "cluster", "foldid", "subset")
  rows <- row_expressions(match.call(), of_rows)
  given <- evaluated(setdiff(names(formals()), c("formula", "source", "na.action", of_rows)), environment(), of_rows)
  model <- source_model(formula, source, rows, na.action, parent.frame(), check_progress(progress))
  settings <- moments_settings(model, source, given)
  most <- draws_at_once(model$p)
  if (settings$draws > most) {
    bad_argument("draws", paste("need sums of at most", show_gb(max_moments())), draws,
      paste("those of", show_value(settings$draws), "draws of", counted(model$p, "column"), "would take", show_gb(8 * settings$draws * products(model$p))),
      paste0("Take ", most, " draws at a time with `first_draw`, or wbb_lasso(formula, source), which does; the limit is `options(wbb.max_moments = )`."))
  }
  settings$seed <- check_seed(seed)
  make_moments(model, source, settings)
}

row_expressions <- function(call, names) {
  given <- intersect(names, names(call))
  stats::setNames(as.list(call)[given], given)
}

max_moments <- function() check_number(getOption("wbb.max_moments", 4e8), "options(wbb.max_moments)", 1)

products <- function(p) (p + 2) * (p + 3) / 2

draws_at_once <- function(p) {
  most <- floor(max_moments() / (8 * products(p)))
  if (most < 1) {
    bad_argument("formula", paste("have sums of at most", show_gb(max_moments()), "a draw"), NULL,
      paste("those of", counted(p, "column"), "take", show_gb(8 * products(p))), "The limit is `options(wbb.max_moments = )`.")
  }
  most
}

moments_settings <- function(model, source, given) {
  law <- check_law(given$weights)
  if (law$name == "multinomial") {
    bad_argument("weights", "be a law that needs no second pass", "multinomial", advice = "Its counts are shared out among all rows: \"poisson\" weights are independent and nearly the same.")
  }
  draws <- check_count(given$draws, "draws", 1, .Machine$integer.max)
  nfolds <- as.integer(check_count(given$nfolds, "nfolds", 2, 1e4))
  backend <- check_choice(given$backend, "backend", c("threads", "future"))
  list(
    weights = law, draws = draws, first_draw = check_count(given$first_draw, "first_draw", 1, 2^53 - draws),
    nfolds = nfolds, first_row = check_count(given$first_row, "first_row", 1, 2^52), prior_weight = "random",
    threads = check_threads(given$threads), p = model$p, n = 2^53, backend = backend,
    shards = count_shards(source, backend), progress = check_progress(given$progress)
  )
}

# In how many parts the source is summed.
count_shards <- function(source, backend) {
  if (backend == "future" && !source$travels) {
    bad_argument("backend", "be \"threads\" for this source", "future", "it cannot be opened by another process",
      if (source$kind == "database") "Give a function that connects: wbb_source(function() DBI::dbConnect(...), query).")
  }
  if (backend == "future" && is.null(source$parts)) {
    bad_argument("backend", "be \"threads\" for this source", "future", paste(source$label, "has no parts that workers could read"))
  }
  if (!is.null(source$shards)) return(source$shards)
  if (backend == "future") future_workers() else 1
}

# The pass -------------------------------------------------------------------------

make_moments <- function(model, source, settings) {
  whole <- settings$shards == 1 && settings$backend == "threads"
  settings$ids <- cluster_ids(model, source, find = !whole)
  if (whole) return(part_moments(model, source, settings, NULL))
  parts <- source$parts(settings$shards)
  parts <- place_parts(parts, source, settings)
  work <- part_work(model, source, settings)
  do.call(c, do_parts(parts, work, source, settings))
}

# The work of each part, by workers or here; the first error of one is raised.
do_parts <- function(parts, work, source, settings) {
  made <- if (settings$backend == "future") parts_by_workers(parts, work, source, settings) else lapply(parts, work)
  lapply(made, function(m) if (is_job_error(m)) abort(m$wbb_error, m$message, m$argument, m$value) else m)
}

# Where each part begins in the whole. Files are counted, by those who will read them; nothing else is looked at.
place_parts <- function(parts, source, settings) {
  counts <- lapply(parts, `[[`, "count")
  if (any(lengths(counts) == 0L)) {
    settings$progress <- FALSE
    places <- Map(function(part, number) list(part = part, draws = 1, number = number), parts, seq_along(parts))
    counts <- do_parts(places, count_work(source), source, settings)
  }
  counts <- unlist(counts)
  # A file without rows adds nothing; where none has any, the first says so.
  filled <- if (any(counts > 0)) counts > 0 else seq_along(counts) == 1L
  parts <- parts[filled]
  counts <- counts[filled]
  first <- settings$first_row + c(0, utils::head(cumsum(counts), -1L))
  Map(function(part, first, count, number) {
    list(part = part, first_row = first, draws = count, number = number, last = number == length(parts))
  }, parts, first, counts, seq_along(parts))
}

count_work <- function(source) {
  force(source)
  function(place) part_errors(place, count_rows(source, place$part))
}

# Errors come back as data, with the number of the part.
part_errors <- function(place, code) {
  tryCatch(code, wbb_error = function(e) {
    list(wbb_error = sub("wbb_error_", "", class(e)[1L]), message = paste0("Part ", place$number, ". ", conditionMessage(e)), argument = e$argument, value = e$value)
  })
}

count_rows <- function(source, part) {
  reader <- open_source(source, part)
  on.exit(reader$close())
  reader$count()
}

# Made apart from the settings of the session, which are not to travel with it.
part_work <- function(model, source, settings) {
  force(model)
  force(source)
  force(settings)
  function(place) {
    settings$first_row <- place$first_row
    settings$rows <- settings$counted <- place$draws
    settings$progress <- FALSE
    if (settings$backend == "future") settings$threads <- 1L
    part_errors(place, {
      made <- part_moments(model, source, settings, place$part)
      if (made$n < place$draws && !place$last) {
        abort("source", paste0("Some of its rows are left out, by `subset` or for missing values, so that the numbers of the rows after it are not known: leave such rows out in the query, or use one shard."), "source")
      }
      made
    })
  }
}

parts_by_workers <- function(parts, work, source, settings) {
  require_package("future", "backend = \"future\"")
  made <- vector("list", length(parts))
  take <- function(place, result) {
    made[[place$number]] <<- result
    !is_job_error(result)
  }
  abroad <- used_abroad(source$functions)
  lost <- run_chunks(parts, work, take, settings$progress, abroad$globals, abroad$packages, stage = "rows")
  failed <- Filter(is_job_error, made)
  if (length(failed)) return(failed)
  if (length(lost)) {
    abort("worker", paste0("Part ", paste(names(lost), collapse = ", "), " of ", length(parts), " could not be summed: each failed ", chunk_tries,
      " times or found no worker. The last fault was: ", first_line(lost[[length(lost)]]), "."))
  }
  made
}

# The sums of one part, or of the whole.
part_moments <- function(model, source, settings, part) {
  if (is.null(settings$rows)) settings$rows <- if (is.null(source$rows) && !is.null(source$count)) source$count() else source$rows
  if (!is.null(model$rows$foldid)) settings$nfolds <- fold_count(model, source, part)
  reader <- if (is.null(model$reader)) open_source(source, part) else model$reader
  on.exit(reader$close())
  ids <- new_ids(settings$ids)
  read <- list2env(list(dropped = 0, rows = 0, size = chunk_size(model$p + 2)))
  give <- function(job) {
    taken <- reader$take(read$size)
    if (is.null(taken)) return(FALSE)
    numbers <- chunk_numbers(model, taken$chunk, taken$at, ids)
    if (any(numbers$foldid > settings$nfolds)) source_error(taken$at, paste("`foldid` was at most", settings$nfolds, "before: the source has changed"))
    read$rows <- read$rows + nrow(taken$chunk)
    read$dropped <- read$dropped + numbers$dropped
    if (numbers$count > 0) job_result(rust_moments_give(job, numbers))
    TRUE
  }
  result <- job_result(run_fed_job(function() rust_moments_job(settings), give, settings$progress))
  if (!is.null(settings$counted) && read$rows != settings$counted) source_changed(settings$counted, read$rows)
  if (result$rows == 0) bad_argument("source", "have at least one row without missing values", NULL, "has none")
  if (result$cases[2L] <= 0) bad_argument("case_weights", "have a positive element", 0, "all are 0")
  new_moments(model, source, settings, result, read$dropped)
}

source_changed <- function(before, now) {
  how <- if (before == now) "its rows are others than before" else paste("it had", counted(before, "row"), "and now has", sql_number(now))
  abort("source", paste0("The source has changed while it was read: ", how, ". Read it in one transaction, or from a copy."), "source")
}

# The user's folds are numbers up to the largest; how many there are is found before.
fold_count <- function(model, source, part) {
  if (isTRUE(source$once)) bad_argument("foldid", "be left out: this source can be read only once", NULL, "is given")
  reader <- open_source(source, part)
  on.exit(reader$close())
  most <- 0L
  while (!is.null(taken <- reader$take(chunk_size(model$columns)))) {
    value <- chunk_settings(model, taken$chunk, taken$at)$values$foldid
    most <- max(most, chunk_setting("foldid", value[!is.na(value)], taken$at, which(!is.na(value))))
  }
  if (most < 2L) bad_argument("foldid", "name at least two folds", most, "all are 1")
  most
}

new_moments <- function(model, source, settings, result, dropped) {
  dim(result$sums) <- c(products(model$p), settings$draws)
  dim(result$folds) <- c(products(model$p), length(result$folds) / products(model$p))
  # Sums of clusters add only where their ids have the same numbers.
  model$ids <- if (!is.null(settings$ids)) fingerprint(utf8ToInt(paste(settings$ids, collapse = "\n")))
  kept <- c("formula", "terms", "levels", "contrasts", "variables", "names", "term", "intercept", "p", "rows", "ids")
  structure(c(
    list(version = wbb_version), model[kept], settings[c("weights", "seed", "first_draw", "draws")],
    list(
      range = data.frame(first = settings$first_row, last = settings$first_row + result$rows - 1),
      n = result$rows, dropped = dropped
    ),
    result[c("sums", "unit", "folds", "totals", "shift", "scale", "low", "high", "cases", "head_case", "head_unit")]
  ), class = "wbb_moments")
}

#' @export
print.wbb_moments <- function(x, ...) {
  check_moments(x)
  cat("Sums of a weighted Bayesian bootstrap\n\n")
  cat("Formula: ", deparse1(x$formula), "\n", sep = "")
  ranges <- paste0(sql_number(x$range$first), " to ", sql_number(x$range$last))
  cat("Rows: ", counted(x$n, "row"), " (", paste(ranges, collapse = ", "), ")",
    if (x$dropped > 0) paste0(", ", sql_number(x$dropped), " with missing values left out"), "\n", sep = "")
  cat("Draws: ", with_commas(x$draws), " from ", sql_number(x$first_draw), " on, ", format(x$weights), " weights, seed ", sql_number(x$seed), "\n", sep = "")
  cat("Size: ", show_mb(8 * length(x$sums)), " (", counted(x$p, "column"), ", ", counted(ncol(x$folds), "fold"), ")\n", sep = "")
  invisible(x)
}

show_mb <- function(bytes) paste(format(bytes / 1e6, digits = 3, big.mark = ","), "MB")

#' @export
nobs.wbb_moments <- function(object, ...) {
  check_moments(object)
  object$n
}

# Adding ---------------------------------------------------------------------------

#' @rdname wbb_moments
#' @export
c.wbb_moments <- function(...) {
  all <- list(...)
  for (one in all) {
    if (!inherits(one, "wbb_moments")) bad_argument("...", "all be sums of wbb_moments()", one, paste("one is", show_value(one)))
    check_moments(one)
  }
  sum <- all[[1L]]
  for (one in all[-1L]) sum <- add_moments(sum, one)
  sum
}

add_moments <- function(a, b) {
  same <- c(
    formula = "formulas", levels = "levels", names = "columns", contrasts = "contrasts", p = "columns", intercept = "intercepts", seed = "seeds", first_draw = "draws",
    draws = "draws", weights = "laws"
  )
  for (part in names(same)) {
    alike <- if (part == "formula") identical(deparse1(a$formula), deparse1(b$formula)) else identical(a[[part]], b[[part]])
    if (!alike) abort("argument", paste0("Sums can be added only if they differ in their rows alone, but their ", same[[part]], " differ."), "...")
  }
  if (ncol(a$folds) != ncol(b$folds)) abort("argument", "Sums can be added only if they have as many folds.", "...")
  clustered <- !is.null(a$rows$cluster) || !is.null(b$rows$cluster)
  if (clustered && (is.null(a$ids) || !identical(a$ids, b$ids))) {
    abort("argument", paste("Sums with `cluster` can be added only if the `levels` of both sources declare the same ids of clusters:",
      "rows of a cluster that are in both share a weight by the place of their id there."), "...")
  }
  a$range <- join_ranges(rbind(a$range, b$range))
  b <- move_moments(b, a$shift, a$scale)
  for (part in c("sums", "unit", "folds", "totals", "cases", "n", "dropped")) a[[part]] <- a[[part]] + b[[part]]
  a$low <- pmin(a$low, b$low)
  a$high <- pmax(a$high, b$high)
  for (part in c("head_case", "head_unit")) a[[part]] <- ifelse(is.nan(a[[part]]), b[[part]], a[[part]])
  a
}

join_ranges <- function(ranges) {
  ranges <- ranges[order(ranges$first), ]
  before <- utils::head(ranges$last, -1L)
  overlap <- which(ranges$first[-1L] <= before)
  if (length(overlap)) {
    abort("argument", paste0("Sums of the same rows cannot be added, but row ", sql_number(ranges$first[overlap[1L] + 1L]),
      " is there twice; `first_row` says where the rows of a part begin in the whole."), "...")
  }
  run <- cumsum(c(TRUE, ranges$first[-1L] != before + 1))
  data.frame(first = as.vector(tapply(ranges$first, run, min)), last = as.vector(tapply(ranges$last, run, max)))
}

# Sums of z in other units, z' = r z + d with z = (1, x, y): S'_ab = r_a r_b S_ab + r_a d_b S_0a + r_b d_a S_0b + d_a d_b S_00.
move_moments <- function(m, shift, scale) {
  if (identical(m$shift, shift) && identical(m$scale, scale)) return(m)
  r <- c(1, m$scale / scale)
  d <- c(0, (m$shift - shift) / scale)
  size <- m$p + 2
  a <- rep(seq_len(size), size:1)
  b <- unlist(lapply(seq_len(size), function(from) from:size))
  move <- function(s) {
    s <- as.matrix(s)
    first <- s[seq_len(size), , drop = FALSE]
    r[a] * r[b] * s + r[a] * d[b] * first[a, , drop = FALSE] + r[b] * d[a] * first[b, , drop = FALSE] +
      (d[a] * d[b]) %o% s[1L, ]
  }
  m$sums <- move(m$sums)
  m$folds <- move(m$folds)
  m$unit <- as.vector(move(m$unit))
  m
}

# The lasso from sums ----------------------------------------------------------------

#' @rdname wbb_lasso
#' @export
wbb_lasso.wbb_moments <- function(x, lambda = "cv", prior_weight = c("random", "fixed", "coef"), alpha = 1, penalty_factor = 1,
                                  standardize = TRUE, intercept = TRUE, refit = FALSE, lambda_rule = c("min", "1se"),
                                  nlambda = 100, lambda_min_ratio = NULL, threads = NULL, progress = NULL, tolerance = 1e-8,
                                  max_iterations = 1000, ...) {
  estimator <- sums_estimator()
  known <- setdiff(names(formals()), c("x", "..."))
  check_dots(..., .function = "wbb_lasso", .known = known)
  given <- formals(wbb_lasso.default)[setting_names(lasso_estimator())]
  given <- lapply(given, eval, envir = environment())
  given[known] <- mget(known)
  fit_with(estimator, check_moments(x), given, fit_call(match.call(), "wbb_lasso"))
}

sums_estimator <- function() {
  utils::modifyList(lasso_estimator(), list(prepare = sums_prepare, job = sums_job, object = rowless_object))
}

# `m` are the sums; what they were made with is no question any more.
sums_prepare <- function(m, given, call) {
  if (identical(given$lambda, "marglik") || identical(given$lambda, "redrawn")) {
    bad_argument("lambda", "be \"cv\" or numbers where there are only sums", given$lambda)
  }
  given[c("draws", "seed", "first_draw", "weights", "nfolds")] <- list(m$draws, m$seed, m$first_draw, m$weights, ncol(m$folds))
  given$family <- "gaussian"
  for (name in c("case_weights", "cluster", "foldid", "offset")) given[name] <- list(NULL)
  design <- list(
    x = no_rows(m$n, m$p), names = m$names, term = m$term, named = TRUE, intercept = m$intercept, formula = m$formula, terms = m$terms,
    contrasts = m$contrasts, xlevels = m$levels, variables = m$variables,
    sums = m[c("sums", "unit", "folds", "totals", "shift", "scale", "low", "high", "cases", "head_case", "head_unit", "first_draw", "draws")]
  )
  design$sums$rows <- m$n
  design$fingerprint <- fingerprint(m$unit, m$shift, m$scale)
  settings <- lasso_settings(design, given)
  settings$n <- m$n
  settings$nfolds <- ncol(m$folds)
  design$rows <- m$rows
  list(design = design, settings = settings)
}

# Rows that are counted and not there; a matrix of R counts to 2^31. Not by sparseMatrix(), which needs memory for each of them.
no_rows <- function(n, p) methods::new("dgCMatrix", p = integer(p + 1), Dim = as.integer(c(min(n, .Machine$integer.max), p)))

sums_job <- function(design, settings, progress = FALSE) {
  run_job(function() rust_lasso_sums_job(design$sums, settings), progress, keep = TRUE)
}

# A fit without rows: nothing of a row is kept.
rowless_object <- function(result, design, settings) {
  design$x <- no_rows(0, settings$p)
  settings["offset"] <- list(NULL)
  own <- lasso_object(result, design, settings)
  own["fitted"] <- list(NULL)
  own$spec$summed <- TRUE
  own$spec$by_row <- names(design$rows)
  own$cv$foldid <- NULL
  own
}

# From a formula and a source, in as many passes as the sums of all draws need.
fit_sums <- function(model, source, given, call) {
  # Everything is checked before the first row is read.
  settings <- moments_settings(model, source, c(given, list(first_row = 1)))
  most <- draws_at_once(model$p)
  passes <- split_draws(settings$first_draw, settings$draws, ceiling(settings$draws / most))
  if (length(passes) > 1L) {
    if (isTRUE(source$once)) bad_argument("draws", paste("be at most", most, "for a source that can be read once"), settings$draws)
    note("passes", paste0("The sums of all draws would take ", show_gb(8 * settings$draws * products(model$p)), ": ", length(passes), " passes over the source"))
  }
  settings$seed <- check_seed(given$seed)
  given$backend <- "threads"
  fits <- list()
  for (pass in passes) {
    settings[names(pass)] <- pass
    m <- make_moments(model, source, settings)
    if (!length(fits)) first <- m[c("n", "unit")] else if (!identical(m[c("n", "unit")], first)) source_changed(first$n, m$n)
    fit <- fit_with(sums_estimator(), m, given, call)
    if (length(fits)) fit$lambda_from <- fits[[1L]]$lambda_from else given$lambda <- fit$lambda
    fits[[length(fits) + 1L]] <- fit
  }
  fit <- do.call(c, fits)
  fit$call <- call
  fit
}
