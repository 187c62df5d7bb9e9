# What the generics of rstantools, bayesplot and loo ask of a posterior: draws of the mean, of a new response, of the
# likelihood.

#' Draws of predictions, and how well they do
#'
#' Methods for the generics of package rstantools, for those who come from rstanarm or brms, and for the packages that
#' build on them (tidybayes, bayesplot, shinystan, ...).
#'
#' `posterior_epred()` are draws of the mean of the response, `predict(type = "draws")` by another name.
#' `posterior_linpred()` are the same on the scale of the linear predictor. `posterior_predict()` are draws of a
#' *new response*: noise with the draw's own \eqn{\sigma_k} is added, or a class is drawn, so that their spread is
#' that of prediction intervals and not of credible ones. `simulate()` gives a few of them, each from a draw chosen at
#' random, in the form that [stats::simulate()] has.
#'
#' `predictive_interval()` needs no random numbers: its limits are those of `predict(interval = "prediction")`.
#' `predictive_error()` is the response less `posterior_predict()`, `posterior_interval()` is [confint()] by another
#' name. `log_lik()` is the log-likelihood of each row under each draw, times the case weights.
#' `bayes_R2()` is the variance of the draw's fitted values over theirs plus \eqn{\sigma_k^2}, or plus the mean variance that the
#' family has (Gelman, Goodrich, Gabry and Vehtari 2019).
#'
#' `loo()` and `waic()` are those of package loo on `log_lik()`. They take the draws for a sample of a posterior that is
#' proportional to likelihood times prior. Those of a bootstrap are so only approximately, and a row that a draw
#' weighted heavily counts as if it had not been; they say so in a message. `loo_compare()` of fits
#' compares their `loo()`. To compare penalties by data that were held out, use `lambda = "cv"`.
#'
#' `pp_check()` is that of bayesplot: draws of new responses beside the response.
#'
#' @param object,x A fit, as from [wbb_lasso()].
#' @param newdata New data; by default those of the fit. See [predict()][predict.wbb_lasso].
#' @param draws,ndraws The number of draws to use, spread evenly over all; by default all.
#' @param nsim The number of responses to simulate.
#' @param seed A seed for the noise, which is drawn by R's generator; `NULL` leaves that as it is.
#' @param lambda Which value of `lambda`; needed only when the fit has several.
#' @param transform For `posterior_linpred()`: give the mean of the response instead?
#' @param prob The probability of the interval.
#' @param pars Names or numbers of coefficients; by default all.
#' @param y What was observed at `newdata`; by default its column of the formula's response.
#' @param type For `pp_check()`: the picture, a word that follows `ppc_` in the names of bayesplot's functions.
#' @param nreps For `pp_check()`: the number of draws to show.
#' @param ... For `loo()`, `waic()` and `pp_check()`: more arguments of the functions of loo and bayesplot; for
#'   `loo_compare()` more fits. Otherwise not used.
#' @return Matrices with one row a draw and one column a row of the data; for classes `posterior_epred()` has a
#'   third dimension, and `posterior_predict()` the numbers of the classes, with attribute `levels`. `bayes_R2()`: one number
#'   a draw. `predictive_interval()` and `posterior_interval()`: a matrix with two columns. `nsamples()`: the
#'   number of draws. `simulate()`: a data frame with `nsim` columns.
#' @references
#' Gelman, A., Goodrich, B., Gabry, J. and Vehtari, A. (2019). R-squared for Bayesian regression models.
#' *The American Statistician* 73, 307--309.
#' @examples
#' fit <- wbb_lasso(y ~ ., diabetes, lambda = 50, draws = 200, seed = 1)
#' head(simulate(fit, 2, seed = 1))
#' @examplesIf requireNamespace("rstantools", quietly = TRUE)
#' mean <- rstantools::posterior_epred(fit, diabetes[1:3, ])
#' new <- rstantools::posterior_predict(fit, diabetes[1:3, ], seed = 1)
#' rbind(sd_of_the_mean = apply(mean, 2, sd), sd_of_a_new_response = apply(new, 2, sd))
#' quantile(rstantools::bayes_R2(fit), c(0.025, 0.5, 0.975))
#' @name posterior_predict.wbb
NULL

# What generics of other packages pass, and means nothing here: there are no groups and no new levels of them.
foreign <- c("re.form", "re_formula", "re_form", "re.formula", "allow_new_levels", "sample_new_levels", "dpar", "fun")

#' @rdname posterior_predict.wbb
#' @method posterior_epred wbb
#' @exportS3Method rstantools::posterior_epred wbb
posterior_epred.wbb <- function(object, newdata = NULL, draws = NULL, lambda = NULL, ndraws = draws, ...) {
  check_dots(..., .function = "posterior_epred", .known = names(formals()), .foreign = foreign)
  mean_draws(object, newdata, ndraws, lambda)
}

#' @rdname posterior_predict.wbb
#' @method posterior_linpred wbb
#' @exportS3Method rstantools::posterior_linpred wbb
posterior_linpred.wbb <- function(object, transform = FALSE, newdata = NULL, draws = NULL, lambda = NULL, ndraws = draws, ...) {
  check_dots(..., .function = "posterior_linpred", .known = names(formals()), .foreign = foreign)
  if (check_flag(transform, "transform")) return(mean_draws(object, newdata, ndraws, lambda))
  need_numbers(object, "linear predictor", "posterior_epred() gives the probabilities")
  if (family_of(object)$name == "gaussian") return(mean_draws(object, newdata, ndraws, lambda))
  # Not by the link of the means: a probability near 1 has lost its digits.
  rows <- linear_rows(object, newdata)
  coefficients <- draws_matrix(object, lambda)[spread_draws(object, ndraws, lambda), , drop = FALSE]
  link <- t(link_values(rows, t(coefficients), object$spec))
  colnames(link) <- rownames(rows$x)
  pad_draws(if (is.null(newdata)) object$na.action, link)
}

#' @rdname posterior_predict.wbb
#' @method posterior_predict wbb
#' @exportS3Method rstantools::posterior_predict wbb
posterior_predict.wbb <- function(object, newdata = NULL, draws = NULL, seed = NULL, lambda = NULL, ndraws = draws, ...) {
  check_dots(..., .function = "posterior_predict", .known = names(formals()), .foreign = foreign)
  check_fit(object)
  check_sampled(object)
  means <- mean_draws(object, newdata, ndraws, lambda)
  sigma <- noise_scale(object, lambda)[spread_draws(object, ndraws, lambda)]
  with_seed(seed, new_responses(object, means, sigma, if (is.null(newdata)) object$trials))
}

# The draws' residual scale, 1 for families that have none.
noise_scale <- function(fit, lambda = NULL) {
  sigma <- draw_sigma(fit, lambda)
  if (is.null(sigma)) rep(1, length(usable_draws(fit, lambda))) else sigma
}

check_sampled <- function(fit) {
  if (identical(fit$spec$family, "cox")) {
    abort("argument", paste("`object` is a Cox model, which says nothing of times themselves and has no new responses;",
      "predict(type = \"survival\") gives survival curves with bands."), "object")
  }
}

# By draw and row, and class where there are some.
mean_draws <- function(fit, newdata, draws, lambda) {
  check_fit(fit)
  lambda_index(fit, lambda)
  predicted <- if (is_path(fit)) predict(fit, newdata, type = "draws", lambda = lambda) else predict(fit, newdata, type = "draws")
  chosen <- spread_draws(fit, draws, lambda)
  if (length(chosen) == nrow(predicted)) return(predicted)
  if (length(dim(predicted)) == 3L) predicted[chosen, , , drop = FALSE] else predicted[chosen, , drop = FALSE]
}

# Rows of the usable draws, spread evenly: those of chains follow each other.
spread_draws <- function(fit, draws, lambda) {
  total <- length(usable_draws(fit, lambda))
  if (is.null(draws)) return(seq_len(total))
  draws <- check_count(draws, "draws", 1, total)
  unique(round(seq(1, total, length.out = draws)))
}

# A response for each mean: by the law of the family, or a class by its probability. `trials` are those of the rows.
new_responses <- function(fit, mean, sigma, trials = NULL) {
  if (length(dim(mean)) == 3L) return(new_classes(mean))
  trials <- if (is.null(trials)) 1 else rep(trials, each = nrow(mean))
  mean[] <- family_of(fit)$random(mean, sigma, trials)
  mean
}

new_classes <- function(mean) {
  classes <- dim(mean)[3L]
  u <- stats::runif(length(mean) / classes)
  reached <- 0
  class <- matrix(1L, nrow(mean), ncol(mean), dimnames = dimnames(mean)[1:2])
  for (k in seq_len(classes - 1L)) {
    reached <- reached + as.vector(mean[, , k])
    class <- class + (u > reached)
  }
  structure(class, levels = dimnames(mean)[[3L]])
}

# With its own seed the work leaves R's generator as it found it.
with_seed <- function(seed, expr) {
  if (is.null(seed)) return(expr)
  seed <- check_count(seed, "seed", -.Machine$integer.max)
  before <- globalenv()$.Random.seed
  on.exit(if (is.null(before)) rm(".Random.seed", envir = globalenv()) else assign(".Random.seed", before, globalenv()))
  set.seed(seed)
  expr
}

#' @rdname posterior_predict.wbb
#' @importFrom stats simulate
#' @export
simulate.wbb <- function(object, nsim = 1, seed = NULL, lambda = NULL, ...) {
  check_dots(..., .function = "simulate", .known = names(formals()))
  check_fit(object)
  check_sampled(object)
  nsim <- check_count(nsim, "nsim")
  usable <- length(usable_draws(object, lambda))
  values <- with_seed(seed, {
    state <- generator_state(seed)
    chosen <- sample.int(usable, nsim, replace = TRUE)
    means <- mean_draws(object, NULL, NULL, lambda)
    means <- if (length(dim(means)) == 3L) means[chosen, , , drop = FALSE] else means[chosen, , drop = FALSE]
    new_responses(object, means, noise_scale(object, lambda)[chosen], object$trials)
  })
  columns <- lapply(seq_len(nsim), function(i) {
    if (is.null(attr(values, "levels"))) values[i, ] else factor(attr(values, "levels")[values[i, ]], attr(values, "levels"))
  })
  out <- as.data.frame(stats::setNames(columns, paste0("sim_", seq_len(nsim))), row.names = colnames(values))
  structure(out, seed = state)
}

# As stats::simulate() keeps it: how to have the same again.
generator_state <- function(seed) {
  if (!is.null(seed)) return(structure(seed, kind = as.list(RNGkind())))
  if (!exists(".Random.seed", globalenv(), inherits = FALSE)) stats::runif(1)
  get(".Random.seed", globalenv())
}

# Intervals and errors -------------------------------------------------------------

#' @rdname posterior_predict.wbb
#' @method predictive_interval wbb
#' @exportS3Method rstantools::predictive_interval wbb
predictive_interval.wbb <- function(object, prob = 0.9, newdata = NULL, lambda = NULL, ...) {
  check_dots(..., .function = "predictive_interval", .known = names(formals()), .foreign = c(foreign, "draws", "seed"))
  check_fit(object)
  prob <- check_level(prob, "prob")
  lambda_index(object, lambda)
  need_numbers(object, "predictive interval", "predict() gives the probabilities of the classes")
  limits <- if (is_path(object)) {
    predict(object, newdata, interval = "prediction", level = prob, lambda = lambda)
  } else {
    predict(object, newdata, interval = "prediction", level = prob)
  }
  limits <- limits[, c("lwr", "upr"), drop = FALSE]
  colnames(limits) <- stan_percent(prob)
  limits
}

# "5%" "95%"
stan_percent <- function(prob) paste0(100 * interval_probs(prob), "%")

#' @rdname posterior_predict.wbb
#' @method posterior_interval wbb
#' @exportS3Method rstantools::posterior_interval wbb
posterior_interval.wbb <- function(object, prob = 0.9, pars = NULL, lambda = NULL, ...) {
  check_dots(..., .function = "posterior_interval", .known = names(formals()), .foreign = c("type", "regex_pars"))
  draws <- draws_matrix(object, lambda, pars = pars)
  limits <- credible_limits(draws, check_level(prob, "prob"))
  colnames(limits) <- stan_percent(prob)
  limits
}

#' @rdname posterior_predict.wbb
#' @method predictive_error wbb
#' @exportS3Method rstantools::predictive_error wbb
predictive_error.wbb <- function(object, newdata = NULL, draws = NULL, seed = NULL, lambda = NULL, y = NULL, ...) {
  check_dots(..., .function = "predictive_error", .known = names(formals()), .foreign = foreign)
  need_numbers(object, "predictive error", "log_loss() and accuracy() say how good it is")
  y <- observed_at(object, newdata, y)
  new <- posterior_predict.wbb(object, newdata, draws, seed, lambda)
  rep(y, each = nrow(new)) - new
}

# The response that was observed at the rows of the fit, or at new ones, as numbers or classes.
observed_at <- function(fit, newdata, y) {
  if (is.null(newdata)) {
    if (!is.null(y)) bad_argument("y", "be NULL without `newdata`", y)
    check_kept(fit, "y")
    return(stats::naresid(fit$na.action, unname(fit$y)))
  }
  if (is.null(y) && is.data.frame(newdata)) y <- observed_response(fit$terms, newdata)
  if (is.null(y)) bad_argument("y", "be what was observed at `newdata`", NULL, "is missing")
  if (inherits(fit, "wbb_mlp")) return(new_outcome(y, fit$levels, "y", NROW(newdata)))
  family_of(fit)$code(y, "y", NROW(newdata), fit$levels)$y
}

# How well they do -----------------------------------------------------------------

#' @rdname posterior_predict.wbb
#' @method log_lik wbb
#' @exportS3Method rstantools::log_lik wbb
log_lik.wbb <- function(object, newdata = NULL, draws = NULL, lambda = NULL, y = NULL, ...) {
  check_dots(..., .function = "log_lik", .known = names(formals()), .foreign = foreign)
  check_fit(object)
  # The likelihood is that of the rows that were used.
  if (is.null(newdata)) object$na.action <- NULL
  check_sampled(object)
  y <- observed_at(object, newdata, y)
  mean <- mean_draws(object, newdata, draws, lambda)
  sigma <- noise_scale(object, lambda)[spread_draws(object, draws, lambda)]
  out <- matrix(row_log_density(object, rep(y, each = nrow(mean)), mean, sigma), nrow(mean), dimnames = dimnames(mean)[1:2])
  if (is.null(newdata)) out * rep(row_weights(object), each = nrow(out)) else out
}

# Of responses, each beside its mean (draws by rows).
row_log_density <- function(fit, y, mean, sigma) {
  if (length(dim(mean)) == 3L) {
    at <- cbind(rep(seq_len(nrow(mean)), ncol(mean)), rep(seq_len(ncol(mean)), each = nrow(mean)), as.integer(y))
    return(log(pmax(mean[at], .Machine$double.eps)))
  }
  family_of(fit)$log_density(y, mean, sigma)
}

#' @rdname posterior_predict.wbb
#' @method bayes_R2 wbb
#' @exportS3Method rstantools::bayes_R2 wbb
bayes_R2.wbb <- function(object, newdata = NULL, draws = NULL, lambda = NULL, ...) {
  check_dots(..., .function = "bayes_R2", .known = names(formals()), .foreign = c(foreign, "summary"))
  need_numbers(object, "R-squared", "accuracy() and log_loss() say how good it is")
  check_sampled(object)
  if (is.null(newdata)) object$na.action <- NULL
  mean <- mean_draws(object, newdata, draws, lambda)
  explained <- apply(mean, 1L, stats::var)
  unexplained <- noise_scale(object, lambda)[spread_draws(object, draws, lambda)]^2 *
    rowMeans(matrix(family(object)$variance(mean), nrow(mean)))
  explained / (explained + unexplained)
}

#' @rdname posterior_predict.wbb
#' @method nsamples wbb
#' @exportS3Method rstantools::nsamples wbb
nsamples.wbb <- function(object, lambda = NULL, ...) {
  check_dots(..., .function = "nsamples", .known = "lambda")
  count_usable(object, lambda)
}

# At all lambdas of a path, unless one is asked for.
count_usable <- function(fit, lambda = NULL) {
  counts <- vapply(chosen_lambdas(fit, lambda), function(at) length(usable_draws(fit, at)), 1L)
  if (length(unique(counts)) == 1L) counts[1L] else min(counts)
}

#' @rdname posterior_predict.wbb
#' @method loo wbb
#' @exportS3Method loo::loo wbb
loo.wbb <- function(x, lambda = NULL, ...) {
  likelihood <- log_lik.wbb(x, lambda = lambda)
  say_loo(x)
  loo::loo(likelihood, r_eff = relative_efficiency(x, likelihood), ...)
}

#' @rdname posterior_predict.wbb
#' @method waic wbb
#' @exportS3Method loo::waic wbb
waic.wbb <- function(x, lambda = NULL, ...) {
  likelihood <- log_lik.wbb(x, lambda = lambda)
  say_loo(x)
  loo::waic(likelihood, ...)
}

# Draws of a bootstrap are independent; chains are not.
relative_efficiency <- function(fit, likelihood) {
  if (is.null(fit$diagnostics$chain)) return(rep(1, ncol(likelihood)))
  loo::relative_eff(exp(likelihood), chain_id = fit$diagnostics$chain)
}

say_loo <- function(fit) {
  if (is.null(fit$diagnostics$chain)) {
    note("loo", paste("The draws of a weighted bootstrap are a posterior sample only approximately, and so is what loo makes",
      "of them; compare penalties by lambda = \"cv\"."))
  }
}

#' @rdname posterior_predict.wbb
#' @method loo_compare wbb
#' @exportS3Method loo::loo_compare wbb
loo_compare.wbb <- function(x, ..., lambda = NULL) {
  fits <- list(x, ...)
  typed <- vapply(as.list(substitute(list(x, ...)))[-1L], deparse1, "")
  names(fits) <- comparison_labels(names(fits), typed)
  loo::loo_compare(lapply(fits, function(fit) loo::loo(fit, lambda = if (is_path(fit)) lambda)))
}

#' @rdname posterior_predict.wbb
#' @method pp_check wbb
#' @exportS3Method bayesplot::pp_check wbb
pp_check.wbb <- function(object, type = "dens_overlay", nreps = NULL, seed = NULL, lambda = NULL, ...) {
  check_fit(object)
  require_package("bayesplot", "`pp_check()`")
  known <- sub("^ppc_", "", grep("^ppc_", getNamespaceExports("bayesplot"), value = TRUE))
  if (!(is.character(type) && length(type) == 1L && type %in% known)) {
    bad_argument("type", paste("be a word that follows ppc_ in bayesplot, such as", show_values(c("dens_overlay", "stat", "intervals"))), type)
  }
  object$na.action <- NULL
  if (is.null(nreps)) nreps <- min(if (grepl("dens|ecdf", type)) 50 else if (grepl("hist|boxplot|error", type)) 8 else 500, count_usable(object, lambda))
  y <- observed_at(object, NULL, NULL)
  new <- posterior_predict.wbb(object, draws = nreps, seed = seed, lambda = lambda)
  getExportedValue("bayesplot", paste0("ppc_", type))(as.numeric(y), matrix(as.numeric(new), nrow(new)), ...)
}
