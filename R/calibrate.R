# Do the intervals of a fit cover? The bootstrap run on data simulated from the fit, and what it says of each level.

#' Do the intervals cover? Calibration by prepivoting
#'
#' Simulates data sets from a fit, runs the same bootstrap on each, and reports how often the intervals
#' contain the truth that the data were simulated from; and the level at which they would contain it as often as
#' they say. `confint()` of a calibration gives the fit's intervals at those levels.
#'
#' A posterior by weighted bootstrap is not exact in small samples, and shrinkage moves its intervals off the
#' truth: nominal 95 % intervals need not cover in 95 % of cases. Newton's (1991) prepivoting asks the
#' procedure itself. In replicate r the truth is known, and
#' \eqn{u_r} is the smallest level at which the equal-tailed interval contains it. Were the intervals exact, \eqn{u}
#' would be uniform. The share of \eqn{u_r} at or below 0.95 is the coverage of the nominal 95 % intervals, and
#' the 0.95-quantile of \eqn{u} is the calibrated level: the intervals of that level cover
#' in 95 % of the replicates. Levels alone cannot move an interval, nor leave the range of the draws. The studentised root,
#' \eqn{t_r}, the distance of the truth from the mean of the draws in their standard deviations, can do both: its quantiles
#' give the intervals that `confint()` of a calibration returns unless told otherwise.
#'
#' @section What it can and cannot do:
#' The truth of the replicates is an estimate, and a coefficient that the mode sets to zero is zero in all of them: they say
#' nothing of one that is small and not zero. Calibrated intervals are therefore never narrower than the nominal ones
#' unless you ask for it. Where `lambda` is so large that the mode is far from the truth, the replicates do not know how far,
#' and calibrated intervals still cover too rarely.
#'
#' In a simulation with truths that the fit does not know (n = 40, six columns, four of them not zero, 100 intervals) plain
#' 95 % intervals of the coefficients that are not zero covered in 77 % and 84 % (fixed and random prior weight), those at
#' calibrated levels in 89 % and 94 %, and studentised ones in 97 % and 98 %; with a `lambda` that is far too large plain ones
#' in 43 % and 80 %, studentised ones in 84 % and 87 %.
#'
#' @section How data are simulated:
#' `"parametric"` adds normal errors with the fit's residual standard deviation to what the truth predicts;
#' `"residual"` adds residuals of the fit, drawn with replacement, about their mean and scaled to that standard
#' deviation; `"pairs"` draws rows of `x` and `y` (whole clusters, if there are any) with replacement, and with
#' them a model's faults. With `case_weights` the variance of an error is divided by its row's weight. Errors in
#' clusters are not independent, so that fits with `cluster` need `"pairs"`. A trend has its points given:
#' there `"pairs"` has no meaning.
#'
#' Replicate r depends on the data, the settings, `seed` and r alone, whatever the number of threads.
#'
#' @param fit A fit of [wbb_lasso()] (of the family `"gaussian"`) or [wbb_trendfilter()] at one `lambda`, with its data.
#' @param replicates The number of data sets that are simulated.
#' @param level The nominal level of the intervals.
#' @param truth What the data are simulated from: the `"mode"`, or the `"mean"` of the draws.
#' @param scheme How: `"parametric"`, `"residual"` or `"pairs"`; see below.
#' @param lambda `"fixed"`: every replicate has the `lambda` of the fit. `"rechosen"`: each chooses its own by
#'   cross-validation, as the fit did; then the intervals are held to the whole procedure, at the cost of a
#'   cross-validation each.
#' @param draws The number of draws in each replicate; `NULL` is that of the fit.
#' @inheritParams wbb_lasso
#' @param ... Not used.
#' @return An object of class `wbb_calibration`, a list with
#'   - `table`: a data frame with a row for each coefficient (or point of a trend): `term`, the `truth`,
#'     the `coverage` of the nominal intervals and its Monte Carlo standard error `coverage_se`, the calibrated `level` and
#'     its error `level_se`, and `after`, the coverage of the (studentised) calibrated intervals: quantiles from each half
#'     of the replicates, judged by the other half;
#'   - `u` and `root`: the levels \eqn{u_r} and the roots \eqn{t_r}, a row for each replicate;
#'   - `lambda` and `failed`: of each replicate its lambda, and the number of draws without a solution;
#'   - `fit` and the settings.
#'
#'   It has methods for `confint()`, `summary()`, `plot()`, `autoplot()`, `as.data.frame()` and `tidy()`; see
#'   [confint.wbb_calibration()].
#' @references
#' Beran, R. (1987). Prepivoting to reduce level error of confidence sets. *Biometrika* 74, 457--468.
#'
#' Newton, M. A. (1991). *The weighted likelihood bootstrap and an algorithm for prepivoting*. PhD thesis,
#' University of Washington.
#' @examples
#' fit <- wbb_lasso(y ~ ., diabetes[1:60, ], lambda = 100, draws = 400, seed = 1)
#' checked <- calibrate(fit, replicates = 100, seed = 1)
#' checked
#' confint(fit, "bmi")
#' confint(checked, "bmi")
#' plot(checked, pars = c("bmi", "ltg"))
#' @export
calibrate <- function(fit, ...) UseMethod("calibrate")

#' @rdname calibrate
#' @export
calibrate.default <- function(fit, ...) {
  bad_argument("fit", "be a fit of wbb_lasso() or wbb_trendfilter()", fit)
}

#' @rdname calibrate
#' @export
calibrate.wbb_lasso <- function(fit, replicates = 500, level = 0.95, truth = c("mode", "mean"),
                                scheme = c("parametric", "residual", "pairs"), lambda = c("fixed", "rechosen"),
                                draws = NULL, seed = NULL, threads = NULL, progress = NULL, ...) {
  check_dots(..., .function = "calibrate", .known = names(formals()))
  check_calibrated(fit)
  if (family_of(fit)$name != "gaussian") {
    bad_argument("fit", "be of the family \"gaussian\"", fit, paste("its family is", show_value(family_of(fit)$name)))
  }
  x <- own_columns(fit)
  # An offset only shifts the response.
  y <- if (is.null(fit$spec$offset)) fit$y else fit$y - fit$spec$offset
  calibrate_with(fit,
    given = mget(calibration_names), schemes = c("parametric", "residual", "pairs"), call = match.call(),
    fitted = function(truth) linear_predictor(x, as.matrix(truth), has_intercept(fit))[, 1L],
    start = function(settings) rust_calibrate_lasso_job(rust_matrix(x), y, settings)
  )
}

#' @rdname calibrate
#' @export
calibrate.wbb_trendfilter <- function(fit, replicates = 500, level = 0.95, truth = c("mode", "mean"),
                                      scheme = c("parametric", "residual"), lambda = c("fixed", "rechosen"),
                                      draws = NULL, seed = NULL, threads = NULL, progress = NULL, ...) {
  check_dots(..., .function = "calibrate", .known = names(formals()))
  check_calibrated(fit)
  calibrate_with(fit,
    given = mget(calibration_names), schemes = c("parametric", "residual"), call = match.call(),
    fitted = function(truth) truth[match(fit$x, fit$points)],
    start = function(settings) rust_calibrate_trendfilter_job(fit$x, fit$y, settings)
  )
}

calibration_names <- c("replicates", "level", "truth", "scheme", "lambda", "draws", "seed", "threads", "progress")

check_calibrated <- function(fit) {
  check_fit(fit)
  if (is_path(fit)) {
    bad_argument("fit", "be a fit at one lambda", fit, paste("has", length(fit$lambda)),
      "Fit again, e.g. with update(fit, lambda = ).")
  }
  check_kept(fit, "y")
}

# `schemes` are those that the estimator knows; `fitted` is what a truth predicts, `start` begins the job.
calibrate_with <- function(fit, given, schemes, call, fitted, start) {
  began <- elapsed()
  progress <- check_progress(given$progress)
  asked <- calibration_settings(fit, given, schemes)
  truth <- coef(fit, asked$truth)
  settings <- fit$spec
  settings[c("scheme", "replicates", "draws", "seed")] <- asked[c("scheme", "replicates", "draws", "seed")]
  settings["threads"] <- asked["threads"]
  settings$lambda <- if (asked$lambda == "fixed") fit$lambda else "cv"
  settings[c("truth", "fitted")] <- list(unname(truth), as.double(fitted(truth)))
  settings$sigma <- fit$mode_diagnostics$sigma
  result <- job_result(run_job(function() start(settings), progress))
  made <- new_calibration(fit, result, truth, asked, fit_call(call, "calibrate"))
  made$seconds <- elapsed() - began
  if (any(made$failed > 0)) {
    warn("convergence", paste0(sum(made$failed), " of ", length(made$failed) * asked$draws,
      " draws of the replicates have no solution within the tolerance ", format(fit$spec$tolerance), " and were left out"))
  }
  made
}

calibration_settings <- function(fit, given, schemes) {
  replicates <- check_count(given$replicates, "replicates", 2)
  draws <- if (is.null(given$draws)) draw_count(fit$spec) else given$draws
  asked <- list(
    replicates = replicates, level = check_level(given$level),
    truth = check_choice(given$truth, "truth", c("mode", "mean")), scheme = check_choice(given$scheme, "scheme", schemes),
    lambda = check_choice(given$lambda, "lambda", c("fixed", "rechosen")),
    draws = check_count(draws, "draws", 2), seed = check_seed(given$seed), threads = check_threads(given$threads)
  )
  check_size(3 * replicates * length(fit$spec$names), paste(show_value(replicates), "replicates"), "replicates", replicates)
  if (asked$lambda == "rechosen" && !identical(fit$spec$lambda, "cv")) {
    bad_argument("lambda", "be \"fixed\" for a fit whose lambda is not from cross-validation", "rechosen",
      advice = "Fit with `lambda = \"cv\"` to calibrate the choice as well.")
  }
  if (!is.null(fit$spec$cluster) && asked$scheme != "pairs") {
    bad_argument("scheme", "be \"pairs\" for a fit with clusters, whose errors are not independent", asked$scheme)
  }
  if (asked$scheme != "pairs" && !isTRUE(fit$mode_diagnostics$sigma > 1e-10 * max(abs(fit$y)))) {
    abort("argument", "The fit has no residuals to simulate errors from: its mode fits perfectly.", "fit")
  }
  asked
}

new_calibration <- function(fit, result, truth, asked, call) {
  shape <- list(dim = c(asked$replicates, length(truth)), dimnames = list(NULL, names(truth)))
  attributes(result$first) <- attributes(result$last) <- attributes(result$root) <- shape
  u <- entry_levels(result$first, result$last)
  made <- list(
    table = NULL, u = u, root = result$root, truth = truth, level = asked$level, from = asked$truth, scheme = asked$scheme,
    rule = asked$lambda, replicates = asked$replicates, draws = asked$draws, seed = asked$seed,
    lambda = result$lambda, failed = result$failed, fit = fit, call = call
  )
  made$table <- coverage_table(made, asked$level)
  structure(made, class = "wbb_calibration")
}

# Levels -----------------------------------------------------------------------------

# The smallest level at which the equal-tailed interval contains the truth, which is the quantile of the draws at
# the probabilities from `first` to `last`.
entry_levels <- function(first, last) pmax(1 - 2 * pmin(last, 1 - first), 0)

coverage_table <- function(calibration, level) {
  u <- calibration$u
  data.frame(
    term = colnames(u), truth = unname(calibration$truth), coverage = achieved(u, level),
    coverage_se = achieved_error(u, level), level = calibrated_level(u, level),
    level_se = calibrated_error(u, level), after = achieved_after(calibration$root, u, level), row.names = NULL
  )
}

# Replicates without a draw that could be used say nothing.
achieved <- function(u, level) colMeans(u <= level, na.rm = TRUE)

# With two successes and two failures more, as of Agresti and Coull (1998): not zero where all covered.
achieved_error <- function(u, level) {
  known <- colSums(!is.na(u))
  share <- (colSums(u <= level, na.rm = TRUE) + 2) / (known + 4)
  sqrt(share * (1 - share) / (known + 4))
}

# The order statistic that covers a next replicate with at least this probability; 1 where there is none.
calibrated_level <- function(u, level, off = 0) {
  apply(u, 2L, function(u) {
    u <- sort(u)
    at <- ceiling(level * (length(u) + 1) + off)
    if (at > length(u)) 1 else u[max(1, at)]
  })
}

# From the order statistics one standard error of their rank away on either side.
calibrated_error <- function(u, level) {
  off <- sqrt(nrow(u) * level * (1 - level))
  (calibrated_level(u, level, off) - calibrated_level(u, level, -off)) / 2
}

# The quantiles of the studentised roots, by columns: what the limits are made of.
root_limits <- function(root, level) {
  apply(root, 2L, stats::quantile, probs = interval_probs(level), type = 6, na.rm = TRUE, names = FALSE)
}

# Quantiles from one half of the replicates, judged by the other; an interval is never narrower than the nominal one.
achieved_after <- function(root, u, level) {
  odd <- seq_len(nrow(root)) %% 2L == 1L
  shares <- vapply(list(odd, !odd), function(half) {
    limits <- root_limits(root[half, , drop = FALSE], level)
    other <- root[!half, , drop = FALSE]
    inside <- other >= rep(limits[1L, ], each = nrow(other)) & other <= rep(limits[2L, ], each = nrow(other))
    colMeans(inside | u[!half, , drop = FALSE] <= level, na.rm = TRUE)
  }, numeric(ncol(root)))
  rowMeans(matrix(shares, ncol(root)))
}
