# The lasso from the rows of a source: kept in a form that passes over them are cheap, in memory or in a file, where sums of all draws
# would be too large, or say too little.

# The fit of a formula and a source, on the road that costs less.
fit_source <- function(values, given, call, env) {
  source <- values$data
  family <- check_family(given$family)
  if (identical(given$lambda, "marglik")) bad_argument("lambda", "be \"cv\" or numbers where data are read in chunks", "marglik")
  rows <- row_expressions(call, c("case_weights", "cluster", "foldid", "subset", "offset"))
  na_action <- if (!is.null(call$na.action)) eval(call$na.action, env)
  call <- fit_call(call, "wbb_lasso")
  model <- source_model(values$formula, source, rows, na_action, env, check_progress(given$progress))
  if (rows_are_kept(model, source, given)) fit_rows(model, source, given, call) else fit_sums(model, source, given, call)
}

# The road -------------------------------------------------------------------------

# Multiplications that a random weight costs, that reading a number does (as text, by far the most) and writing it to a file, passes of a draw
# whose model is the Gram matrix of unit weights, and sums that are made side by side, whether they are wanted or not.
weight_cost <- 75
read_cost <- 500
write_cost <- 300
draw_passes <- 8
sum_lanes <- 8

# Sums need the products of all columns in each draw, and one more reading for each set of draws whose sums the memory holds. Rows that
# are kept are read once, and then gone over by passes of gradients; their own Gram matrix has half of the products of their columns.
rows_are_kept <- function(model, source, given) {
  if (check_family(given$family)$name != "gaussian") return(TRUE)
  # Parts are summed where they are.
  if (count_shards(source, check_choice(given$backend, "backend", c("threads", "future"))) > 1) return(FALSE)
  # Counts that are shared out among all rows.
  if (check_law(given$weights)$name == "multinomial") return(TRUE)
  draws <- check_count(given$draws, "draws", 1, .Machine$integer.max)
  room <- max_moments()
  p <- model$p
  products <- products(p)
  readings <- ceiling(draws / max(floor(room / (8 * products)), 0))
  if (isTRUE(source$once) && readings > 1) readings <- Inf
  # The folds have sums, too, and all rows.
  made <- sum_lanes * (ceiling(draws / sum_lanes) + ceiling((check_count(given$nfolds, "nfolds", 2) + 1) / sum_lanes))
  sums <- readings * read_cost * model$columns + draws * weight_cost + made * products
  passes <- draw_passes * (weight_cost + 2 * p)
  rows <- read_cost * model$columns + write_cost * p + p^2 + draws * min(passes, weight_cost + products)
  # A file is written for something only.
  may_keep <- !isFALSE(scratch_folder()) || isTRUE(8 * p * source$rows <= room)
  may_keep && rows < 0.8 * sums
}

# Where rows are kept that the memory does not hold; FALSE: nowhere.
scratch_folder <- function() {
  folder <- getOption("wbb.scratch")
  if (is.null(folder)) return(tempdir())
  if (isFALSE(folder)) return(FALSE)
  if (!(is.character(folder) && length(folder) == 1L && dir.exists(folder))) {
    bad_argument("options(wbb.scratch)", "be a folder, or FALSE for none", folder)
  }
  folder
}

# Rows -----------------------------------------------------------------------------

fit_rows <- function(model, source, given, call) {
  if (check_choice(given$backend, "backend", c("threads", "future")) == "future") {
    bad_argument("backend", "be \"threads\" where rows are kept", "future", "the rows would have to be kept by every worker",
      "Sums can be made by workers: those of family \"gaussian\".")
  }
  family <- check_family(given$family)
  # Cox's likelihood wants the rows in the order of their times, so that all are in memory once.
  kept <- keep_rows(model, source, check_progress(given$progress), if (family$name == "cox") FALSE else scratch_folder())
  on.exit(rust_store_clear(kept$store))
  if (kept$count == 0) bad_argument("source", "have at least one row without missing values", NULL, "has none")
  for (name in c("case_weights", "cluster", "foldid")) given[name] <- list(kept[[name]])
  response <- deparse1(model$terms[[2L]])
  coded <- code_kept(family, kept, response)
  # The response is with the job alone once it has begun: up to eight bytes a row for each who holds it.
  held <- list2env(coded["y"])
  # By which proportions are known; all others are the job's.
  coded$y <- if (family$name == "binomial") a_share(coded$y)
  kept$response <- NULL
  design <- list(
    x = no_rows(kept$count, model$p), store = kept$store, y = coded, held = held, offset = kept$offset, names = model$names, term = model$term, named = TRUE,
    intercept = model$intercept, formula = model$formula, terms = model$terms, contrasts = model$contrasts, xlevels = model$levels[setdiff(names(model$levels), response)],
    variables = model$variables, rows = model$rows
  )
  design$fingerprint <- paste0(do.call(fingerprint, if (is.list(held$y)) held$y else list(held$y)), rust_store_fingerprint(kept$store))
  given$backend <- "threads"
  fit_with(rows_estimator(), design, given, call)
}

# All rows of a source: x in a store, the rest as it is.
keep_rows <- function(model, source, progress, folder) {
  room <- max_moments()
  total <- rows_to_keep(source)
  need <- 8 * model$p * total
  check_disk(folder, need, room)
  file <- if (isFALSE(folder)) "" else tempfile("wbb-rows-", folder)
  store <- rust_store(model$p, if (isFALSE(folder)) 2^53 else room / 8, file)
  done <- FALSE
  on.exit(if (!done) rust_store_clear(store))
  reader <- if (is.null(model$reader)) open_source(source) else model$reader
  on.exit(reader$close(), add = TRUE)
  bar <- progress_bar(progress)
  on.exit(progress_clear(bar), add = TRUE)
  columns <- list()
  few <- few_values()
  count <- dropped <- 0
  in_file <- FALSE
  while (!is.null(taken <- reader$take(chunk_size(model$p + 2)))) {
    rows <- chunk_rows(model, taken$chunk, taken$at)
    dropped <- dropped + rows$dropped
    if (rows$count > 0) {
      count <- count + rows$count
      if (isFALSE(folder) && 8 * model$p * count > room) {
        bad_argument("source", paste("have rows of at most", show_gb(room)), NULL, paste("those up to row", sql_number(count), "take more"),
          "Raise the limit, `options(wbb.max_moments = )`; but for family \"cox\" they can be kept in a file, `options(wbb.scratch = )`.")
      }
      was <- in_file
      in_file <- job_result(rust_store_add(store, rows$x, rows$count))
      if (in_file && !was) {
        size <- if (need > 0) show_gb(need) else paste("more than", show_gb(room))
        note("scratch", paste0("The rows take ", size, ": they are kept in a file in ", folder, " until the fit is made"))
      }
      places <- few_places(few, rows$response)
      if (!is.null(places)) rows$response <- places
      for (name in names(part <- Filter(Negate(is.null), c(rows[c("response", "offset")], rows$values)))) {
        columns[[name]] <- c(columns[[name]], list(part[[name]]))
      }
    }
    progress_update(bar, list(stage = "rows", done = taken$at$row - 1 + nrow(taken$chunk), total = total))
    # The evaluator looks for interrupts only every thousand calls or so.
    Sys.sleep(0)
  }
  done <- TRUE
  kept <- list(store = store, count = count, dropped = dropped)
  if (!few$open) columns$response <- lapply(columns$response, few_restored, few = few)
  for (name in names(columns)) {
    kept[[name]] <- join_parts(columns[[name]])
    columns[[name]] <- NULL
  }
  if (few$open) kept$values <- few$values
  kept
}

# How many rows there are; 0 where only reading them all would tell. To count the lines of plain files takes less than to write them once more.
rows_to_keep <- function(source) {
  if (!is.null(source$rows)) source$rows else if (!is.null(source$count)) source$count() else if (isTRUE(source$plain)) count_rows(source, NULL) else 0
}

# Before the first row is read, where their number is known.
check_disk <- function(folder, need, room) {
  if (isFALSE(folder) || need <= room) return(invisible())
  free <- free_disk(folder)
  if (!is.na(free) && need > free) {
    bad_argument("source", "have rows that the disk has room for", NULL,
      paste("they take", show_gb(need), "and", folder, "has", show_gb(free)), "Name a folder on a larger disk, `options(wbb.scratch = )`.")
  }
}

# Bytes that are free where a folder is; NA where nobody says.
free_disk <- function(folder) {
  if (.Platform$OS.type != "unix") return(NA_real_)
  told <- attempt(suppressWarnings(system2("df", c("-Pk", shQuote(folder)), stdout = TRUE, stderr = FALSE)))
  # All blocks of 1,024 bytes, those in use, those that are free, and the share in use: a name before or after may have blanks.
  found <- regmatches(told, regexec("([0-9]+) +([0-9]+) +([0-9]+) +[0-9]+%", told))
  found <- Filter(length, found)
  if (length(found)) 1024 * as.numeric(found[[1L]][4L]) else NA_real_
}

# What belongs to rows, chunk after chunk.
join_parts <- function(values) {
  if (!is.matrix(values[[1L]])) return(do.call(c, values))
  joined <- do.call(rbind, lapply(values, unclass))
  # Survival times.
  if (is.object(values[[1L]])) structure(joined, class = class(values[[1L]]), type = attr(values[[1L]], "type")) else joined
}

# The response -----------------------------------------------------------------------

# Where it has few values (classes, counts) a row needs a byte that says which, and not eight: `values` are those of all chunks so far.
few_values <- function() list2env(list(values = NULL, open = TRUE))

most_values <- 256L

# Of each of these its place among the values, from 0; NULL where they have become too many, or cannot be told apart.
few_places <- function(few, y) {
  if (!few$open) return(NULL)
  few$open <- is.atomic(y) && is.null(dim(y)) && (is.factor(y) || !is.object(y))
  if (!few$open) return(NULL)
  new <- unique(y)
  # c(NULL, a factor) would be its codes.
  values <- if (is.null(few$values)) new else c(few$values, new[!new %in% few$values])
  few$open <- length(values) <= most_values
  if (!few$open) return(NULL)
  few$values <- values
  as.raw(match(y, values) - 1L)
}

# The first that is neither 0 nor 1.
a_share <- function(y) {
  values <- if (is.list(y)) y$values else y
  at <- first_bad(values > 0 & values < 1)
  if (!is.na(at)) values[at]
}

few_restored <- function(few, response) if (is.raw(response)) few$values[as.integer(response) + 1L] else response

# As the family has it: one number a row, or list(values, at). What a coding says of values it says of rows, but for the number of a row
# that is wrong.
code_kept <- function(family, kept, argument) {
  if (is.null(kept$values)) return(family$code(kept$response, argument, kept$count))
  coded <- tryCatch(family$code(kept$values, argument, length(kept$values)), wbb_error = function(e) {
    family$code(few_restored(kept, kept$response), argument, kept$count)
  })
  coded$y <- list(values = as.double(coded$y), at = kept$response)
  coded
}

# The estimator --------------------------------------------------------------------

rows_estimator <- function() {
  utils::modifyList(lasso_estimator(), list(prepare = rows_prepare, job = rows_job, object = rows_object))
}

# Settings that have a number for each row go to the job and not into the fit.
of_rows <- c("case_weights", "cluster", "foldid", "offset")

rows_prepare <- function(design, given, call) {
  problem <- lasso_prepare(design, given, call)
  problem$design$of_rows <- problem$settings[of_rows]
  problem$settings[of_rows] <- list(NULL)
  problem
}

rows_job <- function(design, settings, progress = FALSE) {
  settings[of_rows] <- design$of_rows
  start <- function() {
    job <- rust_lasso_job(job_result(rust_store_matrix(design$store)), design$held$y, settings)
    rm("y", envir = design$held)
    # What is left of the chunks goes now: R would wait until it needs room itself.
    gc(FALSE)
    job
  }
  run_job(start, progress, keep = TRUE)
}

rows_object <- function(result, design, settings) {
  own <- rowless_object(result, design, settings)
  own[c("y", "trials", "status")] <- list(NULL)
  own$spec$by_row <- union(own$spec$by_row, names(Filter(Negate(is.null), design$of_rows)))
  own
}
