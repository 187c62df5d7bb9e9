# One posterior from the fits of several imputations of the same data.

#' Pool fits over imputations
#'
#' Puts the draws of fits to several imputations of one data set together, all of the same weight: the posterior with the
#' uncertainty of the missing values. Draws need no rules such as Rubin's; they are simply stacked (Gelman, Carlin, Stern,
#' Dunson, Vehtari and Rubin 2013, section 18.2).
#'
#' All methods that work from the draws work on the result. It has no data: the completed responses and columns differ, so
#' that `predict()` needs `newdata`. Its mode is the mean of the modes. `lambda` may differ
#' between the imputations if it was chosen by cross-validation; the fit then has their mean.
#'
#' @param fits Fits of [wbb_lasso()], [bayes_bridge()], [wbb_genlasso()] or [wbb()] with the same coefficients: a list of them, or
#'   what `with(imputed, wbb_lasso(...))` gives for data imputed by package mice. Let `seed` be `NULL`
#'   (the default), so that the imputations have different weights.
#' @param ... More fits.
#' @return A fit of the same class.
#' @references Gelman, A., Carlin, J. B., Stern, H. S., Dunson, D. B., Vehtari, A. and Rubin, D. B. (2013). *Bayesian
#'   Data Analysis*, third edition. Chapman & Hall.
#' @examples
#' # Three guesses of what is missing, by hand
#' fits <- lapply(1:3, function(i) {
#'   guess <- sample(na.omit(airquality$Ozone), 153, TRUE)
#'   full <- transform(airquality, Ozone = ifelse(is.na(Ozone), guess, Ozone))
#'   wbb_lasso(Ozone ~ Wind + Temp, full, lambda = 10, draws = 100, seed = i)
#' })
#' pool_wbb(fits)
#' @examplesIf requireNamespace("mice", quietly = TRUE)
#' imputed <- mice::mice(airquality, m = 3, printFlag = FALSE, seed = 1)
#' fits <- with(imputed, wbb_lasso(Ozone ~ Wind + Temp + Solar.R, lambda = 10, draws = 100))
#' summary(pool_wbb(fits))
#' @export
pool_wbb <- function(fits, ...) {
  fits <- pooled_fits(fits, ...)
  first <- fits[[1L]]
  for (fit in fits[-1L]) check_poolable(first, fit)
  pooled <- first
  pooled$draws <- join_draws(lapply(fits, `[[`, "draws"))
  pooled$diagnostics <- do.call(rbind, lapply(seq_along(fits), function(i) {
    cbind(imputation = i, fits[[i]]$diagnostics)
  }))
  pooled[c("x", "y", "model", "na.action", "cv", "marglik")] <- list(NULL)
  pooled$fingerprint <- paste(vapply(fits, `[[`, "", "fingerprint"), collapse = " ")
  mean_of <- function(part) Reduce(`+`, lapply(fits, `[[`, part)) / length(fits)
  pooled["fitted"] <- list(NULL)
  if (has_mode(first)) pooled$mode <- mean_of("mode")
  pooled <- if (is.null(first$spec$segments)) pool_chains(pooled, fits) else pool_bootstraps(pooled, fits, mean_of)
  pooled$seconds <- sum(unlist(lapply(fits, `[[`, "seconds")))
  pooled$spec$imputations <- length(fits)
  pooled
}

# A list, a mira object of mice, or single fits.
pooled_fits <- function(fits, ...) {
  if (!is.list(fits)) bad_argument("fits", "be a list of fits", fits)
  fits <- c(if (inherits(fits, "wbb")) list(fits) else if (inherits(fits, "mira")) fits$analyses else fits, list(...))
  if (!length(fits)) bad_argument("fits", "be a list of fits", fits)
  for (fit in fits) {
    if (!inherits(fit, "wbb")) bad_argument("fits", "all be fits of wbb", fit, paste("one is", show_value(fit)))
    if (inherits(fit, c("wbb_mlp", "wbb_trendfilter"))) {
      bad_argument("fits", "be of linear models", fit, paste("one is", show_value(fit)),
        "Put the predictions of such fits together: predict(type = \"draws\") of each.")
    }
    check_fit(fit)
    if (!is.null(fit$spec$imputations)) bad_argument("fits", "be single fits", fit, "one is pooled already")
  }
  fits
}

check_poolable <- function(first, other) {
  refuse <- function(what) abort("argument", paste0("Fits can be pooled only if they differ in their data alone, but their ", what, " differ."), "fits")
  if (!identical(class(first), class(other))) refuse("classes")
  if (!identical(first$spec$names, other$spec$names)) refuse("coefficients")
  if (length(first$lambda) != length(other$lambda)) refuse("numbers of lambdas")
  if (is_path(first) && !isTRUE(all.equal(first$lambda, other$lambda))) refuse("paths of lambda")
}

# Their draws are told apart by segments, one for each imputation.
pool_bootstraps <- function(pooled, fits, mean_of) {
  pooled$spec$segments <- do.call(rbind, lapply(fits, function(fit) fit$spec$segments))
  if (is_path(pooled)) {
    pooled$diagnostics <- pooled$diagnostics[order(match(pooled$diagnostics$lambda, pooled$lambda)), ]
    row.names(pooled$diagnostics) <- NULL
  } else if (!is.null(pooled$lambda)) {
    pooled$lambda <- mean_of("lambda")
    pooled$lambda_from <- if (length(unique(vapply(fits, `[[`, 0, "lambda"))) > 1L) "pooled" else "user"
  }
  # Only Gaussian fits have one.
  if (!is.null(pooled$mode_diagnostics$sigma)) {
    pooled$mode_diagnostics$sigma <- sqrt(Reduce(`+`, lapply(fits, function(fit) fit$mode_diagnostics$sigma^2)) / length(fits))
  }
  if (inherits(pooled, "wbb_any")) join_faults(pooled, fits) else pooled
}

# Chains of all imputations stand side by side: their R-hat says how far the imputations differ, too.
pool_chains <- function(pooled, fits) {
  draws <- unique(vapply(fits, function(fit) fit$spec$draws, 0))
  if (length(draws) > 1L) {
    abort("argument", paste0("Chains to be pooled must have one length, but they have ", show_values(draws), " draws."), "fits")
  }
  pooled$spec$chains <- sum(vapply(fits, function(fit) fit$spec$chains, 0))
  pooled$spec$seed <- unlist(lapply(fits, function(fit) fit$spec$seed))
  pooled$diagnostics$chain <- rep(seq_len(pooled$spec$chains), each = draws)
  measures <- job_diagnose(chain_draws(pooled), pooled$spec$chains, pooled$spec$threads)
  pooled$mcmc[c("rhat", "ess")] <- list(measures["rhat", ], measures["ess", ])
  pooled
}
