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
#' @param lambda Which value of `lambda`. Without it a fit with several answers for all: arrays and matrices have one more
#'   dimension, `simulate()` more columns, `loo()`, `waic()` and `pp_check()` give a list; see [wbb-path].
#' @param trials For `posterior_predict()` of a binomial lasso: of how many trials a row is, as in [predict()][predict.wbb_lasso]; responses are
#'   shares of them.
#' @param transform For `posterior_linpred()`: give the mean of the response instead?
#' @param prob The probability of the interval.
#' @param pars Names or numbers of coefficients; by default all.
#' @param y What was observed at `newdata`; by default its column of the formula's response.
#' @param type For `pp_check()`: the picture, a word that follows `ppc_` in the names of bayesplot's functions.
#' @param nreps For `pp_check()`: the number of draws to show; `ndraws` is the same.
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
  object <- predicting(object, "posterior_epred()")
  mean_draws(object, newdata, ndraws, lambda)
}

#' @rdname posterior_predict.wbb
#' @method posterior_linpred wbb
#' @exportS3Method rstantools::posterior_linpred wbb
posterior_linpred.wbb <- function(object, transform = FALSE, newdata = NULL, draws = NULL, lambda = NULL, ndraws = draws, ...) {
  check_dots(..., .function = "posterior_linpred", .known = names(formals()), .foreign = foreign)
  object <- predicting(object, "posterior_linpred()")
  if (check_flag(transform, "transform")) return(mean_draws(object, newdata, ndraws, lambda))
  if (!inherits(object, "wbb_lasso")) need_numbers(object, "linear predictor", "posterior_epred() gives the probabilities")
  check_fit(object)
  if (family_of(object)$name == "gaussian") return(mean_draws(object, newdata, ndraws, lambda))
  object <- common_draws(object, lambda)
  rows <- linear_rows(object, newdata)
  # Not by the link of the means: a probability near 1 has lost its digits.
  over_path(object, lambda, function(at) {
    link <- linear_draws(object, rows, at, "link")
    pad_draws(if (is.null(newdata)) object$na.action, some_draws(link, spread_draws(object, ndraws, at)))
  })
}

#' @rdname posterior_predict.wbb
#' @method posterior_predict wbb
#' @exportS3Method rstantools::posterior_predict wbb
posterior_predict.wbb <- function(object, newdata = NULL, draws = NULL, seed = NULL, lambda = NULL, ndraws = draws, trials = NULL, ...) {
  check_dots(..., .function = "posterior_predict", .known = names(formals()), .foreign = foreign)
  object <- predicting(object, "posterior_predict()")
  check_fit(object)
  check_sampled(object)
  object <- common_draws(object, lambda)
  over_path(object, lambda, function(at) {
    means <- mean_draws(object, newdata, ndraws, at)
    sigma <- noise_scale(object, at)[spread_draws(object, ndraws, at)]
    with_seed(seed, new_responses(object, means, sigma, predicted_trials(object, newdata, trials, ncol(means))))
  })
}

# Of each row that there is a mean of. Fits of other kinds have none.
predicted_trials <- function(fit, newdata = NULL, trials = NULL, n = NULL) {
  if (inherits(fit, "wbb_lasso")) {
    of_rows <- trials_of_rows(fit, newdata, trials, n)
    return(if (is.null(newdata) && is.null(trials)) stats::naresid(fit$na.action, of_rows) else of_rows)
  }
  if (!is.null(trials)) bad_argument("trials", "be NULL but for a lasso with family = \"binomial\"", trials)
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

# By draw and row, class where there are some, and lambda for all of a path.
mean_draws <- function(fit, newdata, draws, lambda) {
  check_fit(fit)
  some_draws(predict_lambda(fit, newdata, lambda, type = "draws"), spread_draws(fit, draws, lambda))
}

# Not all fits that have no path know `lambda`.
predict_lambda <- function(fit, newdata, lambda, ...) {
  if (is_path(fit)) return(predict(fit, newdata, ..., lambda = lambda))
  lambda_index(fit, lambda)
  predict(fit, newdata, ...)
}

# The first dimension is the draws.
some_draws <- function(values, chosen) {
  if (identical(as.integer(chosen), seq_len(nrow(values)))) return(values)
  array(matrix(values, nrow(values))[chosen, ], c(length(chosen), dim(values)[-1L]), dimnames(values))
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
  draws <- nrow(mean)
  # R makes some ten million numbers a second, and hears no interrupt meanwhile.
  for (part in parts_of(ncol(mean), max(1, text_size %/% draws))) {
    at <- seq.int(part[1L] + 1, part[2L])
    # Not of rows that na.exclude() left out: R's laws warn of them.
    at <- at[!is.na(mean[1L, at])]
    if (!length(at)) next
    of_rows <- if (is.null(trials)) 1 else rep(trials[at], each = draws)
    mean[, at] <- family_of(fit)$random(mean[, at], sigma, of_rows)
    Sys.sleep(0)
  }
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
  seed <- check_r_seed(seed)
  before <- globalenv()$.Random.seed
  on.exit(if (is.null(before)) rm(".Random.seed", envir = globalenv()) else assign(".Random.seed", before, globalenv()))
  set.seed(seed)
  expr
}

check_r_seed <- function(seed) check_count(seed, "seed", -.Machine$integer.max)

#' @rdname posterior_predict.wbb
#' @importFrom stats simulate
#' @export
simulate.wbb <- function(object, nsim = 1, seed = NULL, lambda = NULL, ...) {
  check_dots(..., .function = "simulate", .known = names(formals()), .foreign = foreign)
  check_fit(object)
  check_sampled(object)
  nsim <- check_count(nsim, "nsim")
  if (!is.null(seed)) check_r_seed(seed)
  object <- common_draws(object, lambda)
  state <- generator_state(seed)
  simulated <- list_path(object, lambda, function(at) simulate_at(object, nsim, seed, at))
  if (!is.data.frame(simulated)) {
    names <- as.vector(vapply(object$lambda, function(at) at_lambda(names(simulated[[1L]]), at), character(nsim)))
    simulated <- stats::setNames(do.call(cbind, unname(simulated)), names)
  }
  structure(simulated, seed = state)
}

simulate_at <- function(fit, nsim, seed, lambda) {
  values <- with_seed(seed, {
    chosen <- sample.int(length(usable_draws(fit, lambda)), nsim, replace = TRUE)
    new_responses(fit, some_draws(mean_draws(fit, NULL, NULL, lambda), chosen), noise_scale(fit, lambda)[chosen], predicted_trials(fit))
  })
  columns <- lapply(seq_len(nsim), function(i) {
    if (is.null(attr(values, "levels"))) values[i, ] else factor(attr(values, "levels")[values[i, ]], attr(values, "levels"))
  })
  as.data.frame(stats::setNames(columns, as_text(seq_len(nsim), "sim_")), row.names = colnames(values))
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
  object <- predicting(object, "predictive_interval()")
  check_fit(object)
  prob <- check_level(prob, "prob")
  need_numbers(object, "predictive interval", "predict() gives the probabilities of the classes")
  over_path(object, lambda, function(at) {
    limits <- predict_lambda(object, newdata, at, interval = "prediction", level = prob)[, c("lwr", "upr"), drop = FALSE]
    colnames(limits) <- stan_percent(prob)
    limits
  })
}

# "5%" "95%"
stan_percent <- function(prob) paste0(100 * interval_probs(prob), "%")

#' @rdname posterior_predict.wbb
#' @method posterior_interval wbb
#' @exportS3Method rstantools::posterior_interval wbb
posterior_interval.wbb <- function(object, prob = 0.9, pars = NULL, lambda = NULL, ...) {
  check_dots(..., .function = "posterior_interval", .known = names(formals()), .foreign = c("type", "regex_pars"))
  check_fit(object)
  prob <- check_level(prob, "prob")
  over_path(object, lambda, function(at) {
    limits <- credible_limits(draws_matrix(object, at, pars = pars), prob)
    colnames(limits) <- stan_percent(prob)
    limits
  })
}

#' @rdname posterior_predict.wbb
#' @method predictive_error wbb
#' @exportS3Method rstantools::predictive_error wbb
predictive_error.wbb <- function(object, newdata = NULL, draws = NULL, seed = NULL, lambda = NULL, y = NULL, ...) {
  check_dots(..., .function = "predictive_error", .known = names(formals()), .foreign = foreign)
  object <- predicting(object, "predictive_error()")
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
  object <- predicting(object, "log_lik()")
  check_fit(object)
  # The likelihood is that of the rows that were used.
  if (is.null(newdata)) object$na.action <- NULL
  check_sampled(object)
  y <- observed_at(object, newdata, y)
  object <- common_draws(object, lambda)
  over_path(object, lambda, function(at) {
    mean <- mean_draws(object, newdata, draws, at)
    sigma <- noise_scale(object, at)[spread_draws(object, draws, at)]
    out <- matrix(row_log_density(object, rep(y, each = nrow(mean)), mean, sigma), nrow(mean), dimnames = dimnames(mean)[1:2])
    if (is.null(newdata)) out * rep(row_weights(object), each = nrow(out)) else out
  })
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
  object <- predicting(object, "bayes_R2()")
  need_numbers(object, "R-squared", "accuracy() and log_loss() say how good it is")
  check_sampled(object)
  if (is.null(newdata)) object$na.action <- NULL
  object <- common_draws(object, lambda)
  over_path(object, lambda, function(at) {
    mean <- mean_draws(object, newdata, draws, at)
    explained <- apply(mean, 1L, stats::var)
    unexplained <- noise_scale(object, at)[spread_draws(object, draws, at)]^2 *
      rowMeans(matrix(family(object)$variance(mean), nrow(mean)))
    explained / (explained + unexplained)
  })
}

#' @rdname posterior_predict.wbb
#' @method nsamples wbb
#' @exportS3Method rstantools::nsamples wbb
nsamples.wbb <- function(object, lambda = NULL, ...) {
  check_dots(..., .function = "nsamples", .known = "lambda")
  count_usable(object, lambda)
}

# Of a path those that all lambdas have, unless one is asked for.
count_usable <- function(fit, lambda = NULL) {
  check_fit(fit)
  length(usable_draws(fit, lambda))
}
