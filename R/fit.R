# The way of every fit, whatever the estimator: check, run, make the object, warn; and how several are joined.
#
# An estimator is a plain list of
#   name      the function that users call
#   class     that of its fits
#   default   the function for data other than a formula: its arguments are the settings
#   data      those of its arguments that are data
#   rows      settings that may be columns of the data of a formula
#   from_source  function(values, given, call, env): the fit of a formula and a source that is read in chunks, where it can be
#   response  function(given): the check of the response, unless it is a number for each row
#   prepare   function(design, given, call): list(design, settings), checked, in the form that Rust takes
#   job       function(design, settings, progress): the result of Rust, or its error list
#   shapes    function(result, design, settings): attributes for parts of the result, by their names
#   object    function(result, design, settings): the parts of the fit that are its own
#   doubt     function(fit): NULL, or list(kind, message) of the one warning
#   abroad    function(design): what else than data its job needs in another process; see run_with_future().

fit_with <- function(estimator, design, given, call) {
  began <- elapsed()
  how <- run_settings(given)
  problem <- estimator$prepare(design, given, call)
  design <- problem$design
  if (is.null(design$fingerprint)) design$fingerprint <- fingerprint(design$x, design$y)
  dress <- function(fit) {
    fit$call <- call
    if (!how$keep_data) fit[c("y", "x", "model")] <- list(NULL)
    fit
  }
  run <- new_run(problem$settings, function(result, settings) dress(make_fit(estimator, result, design, settings)))
  on.exit(keep_partial(run))
  if (how$backend == "future") {
    data <- design[intersect(c("x", "y", "test_x", "task", "fast"), names(design))]
    needs <- if (!is.null(estimator$abroad)) estimator$abroad(design)
    do.call(run_with_future, c(list(run, estimator$job, data, how$progress), needs))
  } else {
    # Not by `run$make()`, which would be a second owner of the result.
    result <- function() run_result(run, estimator$job(design, run$settings, how$progress))
    add_part(run, dress(make_fit(estimator, result(), design, run$settings)))
  }
  fit <- finish_run(run)
  fit$call <- call
  fit$seconds <- elapsed() - began
  for (doubt in list(estimator$doubt(fit), grid_doubt(fit))) {
    if (!is.null(doubt)) warn(doubt$kind, doubt$message)
  }
  fit
}

# The object -----------------------------------------------------------------------

# Raised whenever the layout of the object changes.
wbb_version <- 2L

# `result` is to have no other owner: then its draws, which may be large, get their shape where they lie.
make_fit <- function(estimator, result, design, settings) {
  shapes <- estimator$shapes(result, design, settings)
  for (part in names(shapes)) attributes(result[[part]]) <- shapes[[part]]
  own <- estimator$object(result, design, settings)
  own$spec <- c(run_record(settings), own$spec)
  new_wbb(estimator$class, design, own)
}

# What all fits have, NULL where a fit has none, and what is its own.
new_wbb <- function(class, design, own) {
  fit <- list(
    version = wbb_version, estimator = class, call = NULL,
    formula = design$formula, terms = design$terms, xlevels = design$xlevels, contrasts = design$contrasts,
    coding = design$coding, variables = design$variables,
    draws = NULL, mode = NULL, lambda = NULL, diagnostics = NULL, spec = NULL, fitted = NULL,
    # A formula's x can be made again from the model frame.
    y = design$y, x = if (is.null(design$terms)) design$x, model = design$model,
    na.action = design$na.action, fingerprint = design$fingerprint, seconds = NA_real_
  )
  fit[names(own)] <- own
  class(fit) <- c(class, "wbb")
  fit
}

# The settings as the fit keeps them: which draws it holds is said by segments, of which c() makes several.
# Chains are told apart by their seeds.
run_record <- function(settings) {
  run <- c("seed", "first_draw", "draws")
  if (!all(run %in% names(settings))) return(settings)
  c(settings[setdiff(names(settings), run)], list(segments = list2DF(settings[run])))
}

# The one warning of a bootstrap: draws that failed. `more` are faults that the estimator knows of.
convergence_doubt <- function(fit, more = NULL) {
  status <- fit$diagnostics$status
  failed <- count_status(status, "not converged")
  empty <- count_status(status, "empty")
  separated <- count_status(status, "separated")
  mode_failed <- count_status(fit$mode_diagnostics$status, "not converged") > 0L
  mode_separated <- count_status(fit$mode_diagnostics$status, "separated") > 0L
  if (!failed && !empty && !separated && !mode_failed && !mode_separated && is.null(more)) return(NULL)
  unit <- if (is_path(fit)) "solutions (draws by lambdas)" else "draws"
  tolerance <- format(fit$spec$tolerance)
  problems <- c(
    if (failed) paste(failed, "of", length(status), unit, "did not reach the tolerance", tolerance),
    if (mode_failed) paste("the mode did not reach the tolerance", tolerance),
    if (empty) paste(empty, "of", length(status), unit, "had no positive weight"),
    if (separated || mode_separated) {
      who <- c(if (separated) paste(separated, "of", length(status), unit), if (mode_separated) "the mode")
      paste(paste(who, collapse = " and "), "would be infinite: what is not penalised separates the response;",
        "take a larger `lambda` or fewer columns")
    },
    more
  )
  list(kind = "convergence", message = paste0(paste(problems, collapse = "; "), "; see fit$diagnostics"))
}

# Joining --------------------------------------------------------------------------

#' @rdname as.matrix.wbb
#' @export
c.wbb <- function(...) {
  fits <- list(...)
  for (fit in fits) {
    if (!inherits(fit, "wbb")) bad_argument("...", "all be fits of wbb", fit, paste("one is", show_value(fit)))
    check_fit(fit)
  }
  joined <- fits[[1L]]
  if (length(fits) == 1L) return(joined)
  for (fit in fits[-1L]) check_same_problem(joined, fit)
  segments <- join_segments(lapply(fits, function(fit) fit$spec$segments))
  # There may be none: networks need not be kept.
  joined["draws"] <- list(join_draws(lapply(fits, `[[`, "draws")))
  joined$diagnostics <- join_diagnostics(fits)
  joined$seconds <- sum(unlist(lapply(fits, `[[`, "seconds")))
  joined$spec$segments <- segments
  joined$asked <- NULL
  if (!is.null(joined$call)) joined$call$draws <- sum(segments$draws)
  joined
}

# What may differ: the draws themselves, how lambda was found, and who computed.
free_settings <- c(
  "seed", "draws", "segments", "chains", "threads", "on_error",
  "lambda", "lambda_rule", "nfolds", "foldid", "nlambda", "lambda_min_ratio"
)

check_same_problem <- function(first, other) {
  refuse <- function(what) {
    abort("argument", paste0("Fits can be joined only if they differ in their draws alone, but their ",
      what, " differ."), "...")
  }
  if (!identical(class(first), class(other))) refuse("classes")
  if (!isTRUE(all.equal(first$lambda, other$lambda, tolerance = 1e-12))) refuse("lambdas")
  if (!identical(first$fingerprint, other$fingerprint)) refuse("data")
  if (is_redrawn(first) != is_redrawn(other)) refuse("ways to choose lambda")
  # How lambda was found matters where it is found in every draw.
  free <- if (is_redrawn(first)) setdiff(free_settings, c("lambda_rule", "nfolds", "nlambda", "lambda_min_ratio")) else free_settings
  settings <- setdiff(union(names(first$spec), names(other$spec)), free)
  for (name in settings) {
    if (!identical(first$spec[[name]], other$spec[[name]])) refuse(paste0("settings of `", name, "`"))
  }
}

# Runs that continue each other become one, so that joined chunks are recorded as
# the single run they equal.
join_segments <- function(segments) {
  segments <- do.call(rbind, segments)
  check_overlap(segments)
  last <- segments$first_draw + segments$draws
  continues <- c(FALSE, segments$seed[-1L] == utils::head(segments$seed, -1L) &
    segments$first_draw[-1L] == utils::head(last, -1L))
  run <- cumsum(!continues)
  merged <- segments[!continues, , drop = FALSE]
  merged$draws <- as.vector(rowsum(segments$draws, run))
  row.names(merged) <- NULL
  merged
}

check_overlap <- function(segments) {
  for (same in split(segments, segments$seed)) {
    same <- same[order(same$first_draw), ]
    gap <- same$first_draw[-1L] - utils::head(same$first_draw + same$draws, -1L)
    if (any(gap < 0)) {
      abort("argument", paste0("Fits to be joined must not share draws, but draw ",
        format(same$first_draw[-1L][gap < 0][1L], digits = 15), " of seed ",
        format(same$seed[1L], digits = 16),
        " is there twice; use another `seed`, or `first_draw` to continue."), "...")
    }
  }
}

join_draws <- function(draws) {
  shape <- dim(draws[[1L]])
  # Networks are a list.
  if (is.null(shape)) return(do.call(c, draws))
  names <- dimnames(draws[[1L]])
  if (length(shape) == 2L) return(do.call(rbind, draws))
  # rbind sees draws by everything else, which is how the array lies in memory.
  flat <- do.call(rbind, lapply(draws, function(d) matrix(d, nrow(d))))
  array(flat, c(nrow(flat), shape[-1L]), names)
}

# By lambda and then by draw, as in a single run.
join_diagnostics <- function(fits) {
  all <- do.call(rbind, lapply(fits, `[[`, "diagnostics"))
  if (is_path(fits[[1L]])) {
    all <- all[order(match(all$lambda, fits[[1L]]$lambda)), ]
  }
  row.names(all) <- NULL
  all
}
