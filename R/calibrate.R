# Do the intervals of a fit cover? The bootstrap run on data simulated from the fit, and what it says of each level.

#' Do the intervals cover? Calibration by prepivoting
#'
#' Simulates data sets from a fit, runs the same bootstrap on each, and reports how often the intervals
#' contain the truth that the data were simulated from. `confint()` of a calibration gives intervals that
#' cover as often as they say, so far as the replicates can know.
#'
#' A posterior by weighted bootstrap is not exact in small samples, and shrinkage moves its intervals off the
#' truth: nominal 95 % intervals need not cover in 95 % of cases. Newton's (1991) prepivoting asks the
#' procedure itself. In replicate r the truth is known, and
#' \eqn{u_r} is the smallest level at which the equal-tailed interval contains it. Were the intervals exact, \eqn{u}
#' would be uniform. The share of \eqn{u_r} at or below 0.95 is the coverage of the nominal 95 % intervals, and
#' the 0.95-quantile of \eqn{u} is the calibrated level: the intervals of that level cover
#' in 95 % of the replicates.
#'
#' @section Truths:
#' How far a penalty moves an interval depends on the truth: a coefficient that is zero is not moved at all, a large one by
#' all of the penalty. One truth therefore cannot calibrate a fit whose own estimate of it is shrunken. With
#' `truth = "drawn"` (the default of the lasso) each replicate has a truth of its own, a draw of the same model with a light ridge penalty in
#' place of the lasso: truths that are plausible, and not shrunken. The replicates then show how the mean of the draws answers to the
#' truth, and the calibrated interval holds those truths under which a mean as the fit's is not unusual (a test, inverted): where
#' the probability of a smaller mean, a probit line in the truth, is between 0.025 and 0.975. For the Gaussian family the quantiles are those
#' of Student's t, since the errors' variance is estimated. What the truths of other coefficients, which differ between replicates, add to the spread of the means is
#' taken off, by a linear regression on all of them where the replicates are twice as many; so is the larger Monte Carlo error of replicates that have fewer draws than the fit.
#'
#' With `truth = "mode"` or `"mean"` all replicates have the same truth, and intervals are moved and widened by
#' quantiles of the studentised root \eqn{t_r}, the distance of the truth from the mean of the draws in their standard deviations.
#'
#' @section How data are simulated:
#' `"parametric"` draws responses of the family: normal errors with the residual standard deviation, binomial and Poisson
#' counts, classes. Survival times come from Breslow's baseline hazard at the truth, and their censoring is kept: a row that was censored
#' is censored then again, if nothing happens before; for the others the time of censoring is drawn from its Kaplan-Meier estimate.
#' `"residual"` (Gaussian) adds residuals, drawn with replacement, about their mean and scaled to the
#' residual standard deviation. `"pairs"` draws rows of `x` and `y` (whole clusters, if there are any) with replacement, and with
#' them a model's faults; their truth is that of the data, so that it cannot be drawn. With `case_weights` the variance of a Gaussian error is divided by its row's weight; the trials of a
#' binomial row are as many as they were. Responses in clusters are not independent, so that fits with `cluster` need `"pairs"`. A trend has its points given:
#' there `"pairs"` has no meaning, nor has `"drawn"`, since a trend without a penalty is the data.
#'
#' Replicate r depends on the data, the settings, `seed` and r alone, whatever the number of threads.
#'
#' @section What it can and cannot do:
#' In simulations with truths that the fit does not know (`inst/scripts/trust.R`; the table is in `vignette("trust")`) plain 95 % intervals of
#' coefficients that are not zero covered in 8 to 88 %, and inverted ones in 93 to 98 % of five of these settings (standard errors up to 2 %). They are about as long as those of an unpenalised fit: what a
#' penalty hides is not known. Truths of least squares are normal about their estimate. Those of other families are draws of a weighted bootstrap; with fewer than three rows a column they have a larger ridge penalty. With no more rows than columns the penalty is that of
#' cross-validation: they are then shrunken themselves, and calibrated intervals may cover too rarely (see `vignette("trust")`). Intervals of one truth (`"mode"`, `"mean"`)
#' miss small coefficients: where the mode is zero the replicates know nothing of one that is small. A limit has a Monte Carlo error of its own,
#' so that fewer than 200 replicates are too few.
#' @param fit A fit of [wbb_lasso()] (of any family) or [wbb_trendfilter()] at one `lambda`, with its data.
#' @param replicates The number of data sets that are simulated. Intervals that are calibrated by fewer than a hundred cover less often than they say.
#' @param level The nominal level of the intervals.
#' @param truth What the data are simulated from: truths that are `"drawn"`, one for each replicate; the `"mode"`; or the `"mean"` of the
#'   draws. With `scheme = "pairs"` the default is `"mode"`.
#' @param scheme How: `"parametric"`, `"residual"` or `"pairs"`; see below.
#' @param lambda `"fixed"`: every replicate has the `lambda` of the fit. `"rechosen"`: each chooses its own by
#'   cross-validation (with `refit`, that of the two-step estimator), as the fit did; then the intervals are held to the whole procedure, at the cost of a
#'   cross-validation each. A fit with `lambda = "redrawn"` does so in any case.
#' @param draws The number of draws in each replicate; `NULL` is that of the fit.
#' @inheritParams wbb_lasso
#' @param ... Not used.
#' @return An object of class `wbb_calibration`, a list with
#'   - `table`: a data frame with a row for each coefficient (or point of a trend): `term`, the `truth` (of truths that are drawn
#'     the mode of what they are drawn from),
#'     the `coverage` of the nominal intervals and its Monte Carlo standard error `coverage_se`, the calibrated `level` and
#'     its error `level_se`, and `after`, the coverage of the calibrated intervals, found from some of the
#'     replicates (half of them, of few up to nine tenths) and judged by the others;
#'   - `u`, `root` and `mean`: the levels \eqn{u_r}, the roots \eqn{t_r} and the means of the draws, a row for each replicate;
#'   - `truths`: the truths, a row for each replicate, where they are drawn;
#'   - `lambda` and `failed`: of each replicate its lambda, and the number of draws without a solution;
#'   - `fit` and the settings.
#'
#'   It has methods for `confint()`, `summary()`, `plot()`, `autoplot()`, `as.data.frame()` and `tidy()`; see
#'   [confint.wbb_calibration()].
#' @references
#' Beran, R. (1987). Prepivoting to reduce level error of confidence sets. *Biometrika* 74, 457--468.
#'
#' Hjort, N. L. (1985). Bootstrapping Cox's regression model. Technical report NSF-241, Stanford University.
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
calibrate.wbb_lasso <- function(fit, replicates = 500, level = 0.95, truth = c("drawn", "mode", "mean"),
                                scheme = c("parametric", "residual", "pairs"), lambda = c("fixed", "rechosen"),
                                draws = NULL, seed = NULL, threads = NULL, progress = NULL, ...) {
  check_dots(..., .function = "calibrate", .known = names(formals()))
  check_calibrated(fit)
  family <- family_of(fit)$name
  schemes <- c("parametric", if (family == "gaussian") "residual", "pairs")
  scheme <- check_scheme(scheme, schemes, family)
  truths <- c("drawn", "mode", "mean")
  if (identical(truth, truths) && scheme == "pairs") truth <- "mode"
  if (identical(truth, "drawn") && scheme == "pairs") {
    bad_argument("truth", "be \"mode\" or \"mean\" with scheme = \"pairs\": the truth of rows that are drawn is that of the data", truth)
  }
  calibrate_with(fit, given = mget(calibration_names), truths = truths, schemes = schemes, call = match.call(),
    problem = function(truth, replicates, seed, threads) {
      x <- own_columns(fit)
      centre <- if (truth == "drawn") {
        plausible_truths(fit, x, replicates, seed, threads)
      } else {
        list(mode = fitted_truth(fit, truth), sigma = fit$mode_diagnostics$sigma)
      }
      if (family == "gaussian") centre$residuals <- fit$y - link_values(linear_rows(fit, NULL), as.matrix(centre$mode), fit$spec)[, 1L]
      centre$sizes <- response_sizes(fit)
      centre$start <- function(settings) rust_calibrate_lasso_job(rust_matrix(x), fit$y, settings)
      centre
    })
}

#' @rdname calibrate
#' @export
calibrate.wbb_trendfilter <- function(fit, replicates = 500, level = 0.95, truth = c("mode", "mean"),
                                      scheme = c("parametric", "residual"), lambda = c("fixed", "rechosen"),
                                      draws = NULL, seed = NULL, threads = NULL, progress = NULL, ...) {
  check_dots(..., .function = "calibrate", .known = names(formals()))
  check_calibrated(fit)
  calibrate_with(fit, given = mget(calibration_names), truths = c("mode", "mean"), schemes = c("parametric", "residual"),
    call = match.call(),
    problem = function(truth, ...) {
      mode <- fitted_truth(fit, truth)
      fitted <- unname(mode[match(fit$x, fit$points)])
      list(
        mode = mode, sigma = fit$mode_diagnostics$sigma, residuals = fit$y - fitted, fitted = fitted,
        start = function(settings) rust_calibrate_trendfilter_job(fit$x, fit$y, settings)
      )
    })
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

check_scheme <- function(value, schemes, family) {
  if (identical(value, "residual") && !"residual" %in% schemes) {
    bad_argument("scheme", paste0("be \"parametric\" or \"pairs\" with family = ", show_value(family)), value,
      advice = "Only errors that are added to the mean can be drawn anew.")
  }
  check_choice(value, "scheme", if (identical(value, c("parametric", "residual", "pairs"))) value else schemes)
}

# All coefficients, those of classes too.
fitted_truth <- function(fit, truth) if (truth == "mode") fit$mode else colMeans(draws_matrix(fit))

# Trials of a binomial row, or exposures where counts were divided by them; NULL: each row is one.
response_sizes <- function(fit) {
  whole <- all(fit$y == trunc(fit$y))
  weights <- fit$spec$case_weights
  sizes <- switch(family_of(fit)$name,
    binomial = if (!is.null(fit$trials)) fit$trials else if (!whole && !is.null(weights)) round(weights),
    poisson = if (!whole) weights
  )
  if (!is.null(sizes)) ifelse(sizes > 0, sizes, 1)
}

# `truths` and `schemes` are those that the estimator knows; `problem` finds the truths and begins the job: a list of `mode` (what the table
# shows), `draws` (a row for each replicate, where they differ), `sigma`, `residuals` and `start`, and what else the job is to know.
calibrate_with <- function(fit, given, truths, schemes, call, problem) {
  began <- elapsed()
  progress <- check_progress(given$progress)
  asked <- calibration_settings(fit, given, truths, schemes)
  found <- problem(asked$truth, asked$replicates, asked$seed, asked$threads)
  check_errors(fit, asked, found)
  settings <- fit$spec
  settings[c("scheme", "replicates", "draws", "seed")] <- asked[c("scheme", "replicates", "draws", "seed")]
  settings["threads"] <- asked["threads"]
  settings$lambda <- if (is_redrawn(fit)) "redrawn" else if (asked$lambda == "fixed") fit$lambda else "cv"
  settings$coefficients <- length(found$mode)
  settings$truths <- as.double(if (is.null(found$draws)) found$mode else t(found$draws))
  settings$sigma <- if (is.null(found$sigma)) 0 else found$sigma
  settings$residuals <- as.double(found$residuals)
  settings[c("fitted", "sizes")] <- found[c("fitted", "sizes")]
  result <- job_result(run_job(function() found$start(settings), progress))
  made <- new_calibration(fit, result, found, asked, fit_call(call, "calibrate"))
  made$seconds <- elapsed() - began
  if (any(made$failed > 0)) {
    warn("convergence", paste0(sum(made$failed), " of ", length(made$failed) * asked$draws,
      " draws of the replicates have no solution within the tolerance ", format(fit$spec$tolerance), " and were left out"))
  }
  made
}

calibration_settings <- function(fit, given, truths, schemes) {
  replicates <- check_count(given$replicates, "replicates", 2)
  draws <- if (is.null(given$draws)) draw_count(fit$spec) else given$draws
  asked <- list(
    replicates = replicates, level = check_level(given$level),
    truth = check_choice(given$truth, "truth", truths), scheme = check_choice(given$scheme, "scheme", schemes),
    lambda = check_choice(given$lambda, "lambda", c("fixed", "rechosen")),
    draws = check_count(draws, "draws", 2), seed = check_seed(given$seed), threads = check_threads(given$threads)
  )
  check_size(5 * replicates * length(fit$spec$names), paste(show_value(replicates), "replicates"), "replicates", replicates)
  if (is_redrawn(fit)) {
    if (identical(given$lambda, "fixed")) {
      bad_argument("lambda", "be \"rechosen\" for a fit that chooses lambda in every draw", "fixed")
    }
    asked$lambda <- "rechosen"
  } else if (asked$lambda == "rechosen" && !identical(fit$spec$lambda, "cv")) {
    bad_argument("lambda", "be \"fixed\" for a fit whose lambda is not from cross-validation", "rechosen",
      advice = "Fit with `lambda = \"cv\"` to calibrate the choice as well.")
  }
  if (!is.null(fit$spec$cluster) && asked$scheme != "pairs") {
    bad_argument("scheme", "be \"pairs\" for a fit with clusters, whose errors are not independent", asked$scheme)
  }
  asked
}

check_errors <- function(fit, asked, found) {
  sigma <- min(found$sigma, fit$mode_diagnostics$sigma, Inf)
  if (asked$scheme != "pairs" && !isTRUE(sigma > 1e-10 * max(abs(fit$y)))) {
    abort("argument", "The fit has no residuals to simulate errors from: its mode fits perfectly.", "fit")
  }
}

new_calibration <- function(fit, result, found, asked, call) {
  truth <- found$mode
  shape <- list(dim = c(asked$replicates, length(truth)), dimnames = list(NULL, names(truth)))
  for (part in c("first", "last", "root", "mean")) attributes(result[[part]]) <- shape
  u <- entry_levels(result$first, result$last)
  made <- list(
    table = NULL, u = u, root = result$root, mean = result$mean, truth = truth, truths = found$draws, score = NULL, df = found$df,
    level = asked$level, from = asked$truth, scheme = asked$scheme,
    rule = asked$lambda, replicates = asked$replicates, draws = asked$draws, seed = asked$seed,
    lambda = result$lambda, failed = result$failed, fit = fit, call = call
  )
  if (!is.null(made$truths)) made$score <- inversion_scores(made$truths, made$mean)
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
    level_se = calibrated_error(u, level), after = achieved_after(calibration, level), row.names = NULL
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

# Coverage of the calibrated intervals of these coefficients: found from some of the replicates, judged by the others.
achieved_after <- function(calibration, level, at = seq_len(ncol(calibration$u))) {
  if (!is.null(calibration$score)) return(colMeans(abs(calibration$score[, at, drop = FALSE]) <= inversion_quantile(level), na.rm = TRUE))
  studentized_after(calibration$root[, at, drop = FALSE], calibration$u[, at, drop = FALSE], level)
}

# An interval is never narrower than the nominal one.
studentized_after <- function(root, u, level) {
  covers <- u <= level
  for (judged in judged_parts(nrow(root))) {
    limits <- root_limits(root[-judged, , drop = FALSE], level)
    other <- root[judged, , drop = FALSE]
    inside <- other >= rep(limits[1L, ], each = nrow(other)) & other <= rep(limits[2L, ], each = nrow(other))
    covers[judged, ] <- inside | covers[judged, ]
  }
  colMeans(covers, na.rm = TRUE)
}

# Parts of the replicates, each to be judged by intervals from the others. Half of few replicates would make far worse intervals than all of
# them do: these are in more parts, at about the same cost.
judged_parts <- function(replicates) {
  parts <- min(replicates, max(2, min(10, ceiling(600 / replicates))))
  split(seq_len(replicates), seq_len(replicates) %% parts)
}
