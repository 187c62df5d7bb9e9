# What the packages of easystats (bayestestR, parameters, performance) ask for. They know Bayesian models by a list of
# their own; here their work is done on the draws.

#' Descriptions of the posterior by bayestestR, parameters and performance
#'
#' Methods for the generics of these packages. Each works on the draws, as the package does for a data frame of draws; the
#' region of practical equivalence is by default, as for their other models, a tenth of the standard deviation of the response around
#' zero, of that of the logistic law (0.18) for classes, and 0.1 for counts and hazards. `performance::r2()` is the median of `rstantools::bayes_R2()`.
#' `insight::is_model()` and `performance::compare_performance()` know models by a list that no other package can add to: [compare()] and
#' `loo::loo_compare()` are there for fits.
#' By way of insight `ggeffects::ggpredict()` shows the mean of the response along a term, also of fits without a formula; of several lambdas give it one.
#'
#' @param x,posteriors,model A fit, as from [wbb_lasso()].
#' @param lambda Which value of `lambda`, when the fit has several; by default all, see [wbb-path].
#' @param rope_range,range The region of practical equivalence; `"default"` is the one above.
#' @param ci The probability of the intervals.
#' @param ci_method As in `parameters::model_parameters()`; methods of maximum likelihood, such as `"wald"`, are taken for `"eti"`.
#' @param exponentiate As in `parameters::model_parameters()`: `TRUE` for ratios of odds, rates or hazards.
#' @param centrality As in `bayestestR::point_estimate()`.
#' @param ... More arguments of the functions of bayestestR and parameters.
#' @return What the generics return: data frames with their classes.
#' @examplesIf requireNamespace("bayestestR", quietly = TRUE)
#' fit <- wbb_lasso(y ~ bmi + map + age, diabetes, lambda = 20, draws = 500, seed = 1)
#' bayestestR::describe_posterior(fit)
#' bayestestR::p_direction(fit)
#' @name bayestestR.wbb
NULL

# A tenth of a standard deviation of the response, as bayestestR::rope_range() has it; coefficients on the scale of a link know nothing
# of that of the response.
rope_of <- function(fit, range) {
  if (!identical(range, "default")) {
    limits <- check_numbers(range, "range", must = "be \"default\" or two numbers")
    if (length(limits) != 2L || limits[1L] > limits[2L]) bad_argument("range", "be \"default\" or two numbers, the lower one first", range)
    return(limits)
  }
  c(-0.1, 0.1) * effect_unit(fit)
}

effect_unit <- function(fit) {
  if (inherits(fit, "wbb_any")) return(attempt(10 * bayestestR::rope_range(fit$model, verbose = FALSE)[2L], function(e) 1))
  if (length(fit$levels) || identical(fit$spec$family, "binomial")) return(pi / sqrt(3))
  if (is.null(fit$y) || !(is.null(fit$spec$family) || fit$spec$family == "gaussian")) 1 else stats::sd(fit$y)
}

# Their bandwidth, that of Sheather and Jones, need not exist where many draws are equal, as at zero: there the rule of thumb is used.
smoothed <- function(values) {
  if (all(values == values[1L])) return(list(x = values[1L], y = 1))
  attempt(stats::density(values, bw = "SJ", n = 1024L), function(e) stats::density(values, n = 1024L))
}

at_peak <- function(curve) curve$x[which.max(curve$y)]

share_at_zero <- function(curve) {
  if (length(curve$x) == 1L) return(as.numeric(curve$x == 0))
  stats::approx(curve$x, curve$y, 0, yleft = 0, yright = 0)$y / max(curve$y)
}

by_column <- function(draws, name, of, class) {
  values <- vapply(draws, function(column) of(smoothed(column)), 1)
  structure(stats::setNames(data.frame(names(draws), values, row.names = NULL), c("Parameter", name)), class = c(class, "data.frame"))
}

# Of a path without `lambda` all lambdas, side by side.
plain_draws <- function(fit, lambda) as.data.frame(all_draws(fit, lambda, FALSE, .function = "as.matrix"), optional = TRUE)

#' @rdname bayestestR.wbb
#' @method describe_posterior wbb
#' @exportS3Method bayestestR::describe_posterior wbb
describe_posterior.wbb <- function(posteriors, ..., rope_range = "default", lambda = NULL) {
  bayestestR::describe_posterior(plain_draws(posteriors, lambda), rope_range = rope_of(posteriors, rope_range), ...)
}

#' @rdname bayestestR.wbb
#' @method hdi wbb
#' @exportS3Method bayestestR::hdi wbb
hdi.wbb <- function(x, ci = 0.95, ..., lambda = NULL) bayestestR::hdi(plain_draws(x, lambda), ci = check_probabilities(ci, "ci"), ...)

#' @rdname bayestestR.wbb
#' @method eti wbb
#' @exportS3Method bayestestR::eti wbb
eti.wbb <- function(x, ci = 0.95, ..., lambda = NULL) bayestestR::eti(plain_draws(x, lambda), ci = check_probabilities(ci, "ci"), ...)

#' @rdname bayestestR.wbb
#' @method ci wbb
#' @exportS3Method bayestestR::ci wbb
ci.wbb <- function(x, ci = 0.95, ..., lambda = NULL) bayestestR::ci(plain_draws(x, lambda), ci = check_probabilities(ci, "ci"), ...)

#' @rdname bayestestR.wbb
#' @method p_direction wbb
#' @exportS3Method bayestestR::p_direction wbb
p_direction.wbb <- function(x, ..., lambda = NULL) bayestestR::p_direction(plain_draws(x, lambda), ...)

#' @rdname bayestestR.wbb
#' @method point_estimate wbb
#' @exportS3Method bayestestR::point_estimate wbb
point_estimate.wbb <- function(x, centrality = "all", ..., lambda = NULL) {
  known <- c("median", "mean", "map", "trimmed", "mode", "all")
  if (!is.character(centrality) || !length(centrality) || !all(tolower(centrality) %in% known)) {
    bad_argument("centrality", paste("be some of", show_values(known)), centrality)
  }
  draws <- plain_draws(x, lambda)
  attempt(bayestestR::point_estimate(draws, centrality, ...), function(e) {
    others <- c(setdiff(tolower(centrality), c("all", "map")), if ("all" %in% centrality) c("median", "mean"))
    map <- map_estimate.wbb(x, lambda = lambda)
    if (!length(others)) return(map)
    out <- bayestestR::point_estimate(draws, others, ...)
    out$MAP <- map$MAP_Estimate
    out
  })
}

#' @rdname bayestestR.wbb
#' @method map_estimate wbb
#' @exportS3Method bayestestR::map_estimate wbb
map_estimate.wbb <- function(x, ..., lambda = NULL) {
  draws <- plain_draws(x, lambda)
  attempt(bayestestR::map_estimate(draws, ...), function(e) by_column(draws, "MAP_Estimate", at_peak, c("map_estimate", "see_point_estimate")))
}

#' @rdname bayestestR.wbb
#' @method spi wbb
#' @exportS3Method bayestestR::spi wbb
spi.wbb <- function(x, ci = 0.95, ..., lambda = NULL) {
  ci <- check_probabilities(ci, "ci")
  attempt(bayestestR::spi(plain_draws(x, lambda), ci = ci, ...), function(e) {
    require_package("quadprog", "`spi()`")
    stop(e)
  })
}

#' @rdname bayestestR.wbb
#' @method p_map wbb
#' @exportS3Method bayestestR::p_map wbb
p_map.wbb <- function(x, ..., lambda = NULL) {
  draws <- plain_draws(x, lambda)
  attempt(bayestestR::p_map(draws, ...), function(e) by_column(draws, "p_MAP", share_at_zero, "p_map"))
}

#' @rdname bayestestR.wbb
#' @param threshold The smallest effect that counts, `"default"` a tenth of the standard deviation of the response.
#' @method p_significance wbb
#' @exportS3Method bayestestR::p_significance wbb
p_significance.wbb <- function(x, threshold = "default", ..., lambda = NULL) {
  threshold <- if (identical(threshold, "default")) rope_of(x, "default")[2L] else check_number(threshold, "threshold", 0)
  bayestestR::p_significance(plain_draws(x, lambda), threshold = threshold, ...)
}

#' @rdname bayestestR.wbb
#' @method rope wbb
#' @exportS3Method bayestestR::rope wbb
rope.wbb <- function(x, range = "default", ci = 0.95, ..., lambda = NULL) {
  bayestestR::rope(plain_draws(x, lambda), range = rope_of(x, range), ci = check_probabilities(ci, "ci"), ...)
}

#' @rdname bayestestR.wbb
#' @method p_rope wbb
#' @exportS3Method bayestestR::p_rope wbb
p_rope.wbb <- function(x, range = "default", ..., lambda = NULL) {
  bayestestR::p_rope(plain_draws(x, lambda), range = rope_of(x, range), ...)
}

#' @rdname bayestestR.wbb
#' @method bci wbb
#' @exportS3Method bayestestR::bci wbb
bci.wbb <- function(x, ci = 0.95, ..., lambda = NULL) bayestestR::bci(plain_draws(x, lambda), ci = check_probabilities(ci, "ci"), ...)

#' @rdname bayestestR.wbb
#' @method equivalence_test wbb
#' @exportS3Method bayestestR::equivalence_test wbb
equivalence_test.wbb <- function(x, range = "default", ci = 0.95, ..., lambda = NULL) {
  bayestestR::equivalence_test(plain_draws(x, lambda), range = rope_of(x, range), ci = check_probabilities(ci, "ci"), ...)
}

#' @rdname bayestestR.wbb
#' @method estimate_density wbb
#' @exportS3Method bayestestR::estimate_density wbb
estimate_density.wbb <- function(x, ..., lambda = NULL) {
  draws <- plain_draws(x, lambda)
  attempt(bayestestR::estimate_density(draws, ...), function(e) if ("bw" %in% names(list(...))) stop(e) else bayestestR::estimate_density(draws, ..., bw = "nrd0"))
}

#' @rdname bayestestR.wbb
#' @method model_parameters wbb
#' @exportS3Method parameters::model_parameters wbb
model_parameters.wbb <- function(model, ci = 0.95, lambda = NULL, ci_method = "eti", exponentiate = FALSE, ...) {
  draws <- as.matrix(plain_draws(model, lambda))
  if (!is.null(ci)) ci <- check_probabilities(ci, "ci")
  out <- parameters::model_parameters(posterior::as_draws_df(posterior::as_draws_matrix(draws)), ci = ci,
    ci_method = check_ci_method(ci_method), ...)
  # Tables of models, as those of modelsummary, ask for one.
  if (is.null(out$SE) && nrow(out) == ncol(draws)) out <- with_spread(out, unname(column_sds(draws)))
  if (identical(exponentiate, "nongaussian")) exponentiate <- !identical(attempt(family(model)$link), "identity")
  if (check_flag(exponentiate, "exponentiate")) ratios_of(out) else out
}

# As parameters does for its models: standard errors by the delta method. It leaves draws as they are.
ratios_of <- function(table) {
  estimate <- intersect(c("Median", "Mean", "MAP"), names(table))
  if (!is.null(table$SE) && length(estimate)) table$SE <- table$SE * exp(table[[estimate[1L]]])
  for (name in intersect(c(estimate, "CI_low", "CI_high"), names(table))) table[[name]] <- exp(table[[name]])
  attr(table, "exponentiate") <- TRUE
  table
}

# Intervals of models that maximise a likelihood, which sjPlot asks of all; and those of draws.
of_likelihoods <- c("wald", "normal", "profile", "residual", "uniroot", "satterthwaite", "kenward", "ml1", "betwithin", "boot")
interval_kinds <- c("eti", "hdi", "bci", "bcai", "si", "spi", "ci", "quantile")

check_ci_method <- function(method) {
  if (is.null(method)) return("eti")
  word <- if (is_word(method)) tolower(method) else method
  found <- check_choice(word, "ci_method", c(interval_kinds, of_likelihoods))
  if (found %in% of_likelihoods) "eti" else found
}

# Beside the estimate, with all that parameters has noted of its table.
with_spread <- function(table, sd) {
  kept <- attributes(table)
  at <- max(match(c("Median", "Mean", "MAP"), names(table), 2L))
  columns <- append(unclass(as.list(table)), list(SE = sd), at)
  kept$names <- names(columns)
  attributes(columns) <- kept
  columns
}

#' @rdname bayestestR.wbb
#' @method r2 wbb
#' @exportS3Method performance::r2 wbb
r2.wbb <- function(model, lambda = NULL, ...) {
  list_path(model, lambda, function(at) {
    structure(list(R2 = c(`R2` = stats::median(bayes_R2.wbb(model, lambda = at)))), model_type = "Bayesian", class = "r2_generic")
  })
}

#' @rdname bayestestR.wbb
#' @method model_performance wbb
#' @exportS3Method performance::model_performance wbb
model_performance.wbb <- function(model, lambda = NULL, ...) {
  model <- predicting(model, "model_performance()")
  need_numbers(model, "R-squared", "accuracy() and log_loss() say how good it is")
  measures <- rows_over_path(model, lambda, function(at) {
    of <- function(method) if (is_path(model)) method(model, lambda = at) else method(model)
    error <- stats::na.omit(as.vector(of(residuals)))
    data.frame(R2 = stats::median(bayes_R2.wbb(model, lambda = at)), RMSE = sqrt(mean(error^2)), Sigma = of(sigma))
  })
  structure(measures, class = c("performance_model", "data.frame"))
}
