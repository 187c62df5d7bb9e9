# What the packages of easystats (bayestestR, parameters, performance) ask for. They know Bayesian models by a list of
# their own; here their work is done on the draws.

#' Descriptions of the posterior by bayestestR, parameters and performance
#'
#' Methods for the generics of these packages. Each works on the draws, as the package does for a data frame of draws; the
#' region of practical equivalence is by default, as for their other models, a tenth of the standard deviation of the response around
#' zero, of that of the logistic law (0.18) for classes, and 0.1 for counts and hazards. `performance::r2()` is the median of `rstantools::bayes_R2()`.
#'
#' @param x,posteriors,model A fit, as from [wbb_lasso()].
#' @param lambda Which value of `lambda`, when the fit has several; by default all, see [wbb-path].
#' @param rope_range,range The region of practical equivalence; `"default"` is the one above.
#' @param ci The probability of the intervals.
#' @param ci_method As in `parameters::model_parameters()`; methods of maximum likelihood, such as `"wald"`, are taken for `"eti"`.
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
model_parameters.wbb <- function(model, ci = 0.95, lambda = NULL, ci_method = "eti", ...) {
  draws <- as.matrix(plain_draws(model, lambda))
  if (!is.null(ci)) ci <- check_probabilities(ci, "ci")
  out <- parameters::model_parameters(posterior::as_draws_df(posterior::as_draws_matrix(draws)), ci = ci,
    ci_method = if (is.null(ci_method) || identical(ci_method %in% of_likelihoods, TRUE)) "eti" else ci_method, ...)
  # Tables of models, as those of modelsummary, ask for one.
  if (is.null(out$SE) && nrow(out) == ncol(draws)) out <- with_spread(out, unname(column_sds(draws)))
  out
}

# Intervals of models that maximise a likelihood, which sjPlot asks of all.
of_likelihoods <- c("wald", "normal", "profile", "residual", "uniroot", "satterthwaite", "kenward", "ml1", "betwithin", "boot")

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

#' @rdname bayestestR.wbb
#' @param data Rows to predict; by default those of the fit.
#' @param predict `"expectation"` for the mean of the response, `"prediction"` for a new one.
#' @method get_predicted wbb
#' @exportS3Method insight::get_predicted wbb
get_predicted.wbb <- function(x, data = NULL, predict = "expectation", ci = 0.95, lambda = NULL, ...) {
  x <- predicting(x, "get_predicted()")
  need_numbers(x, "number to predict", "predict() gives the probabilities of its classes")
  noisy <- check_choice(predict, "predict", c("expectation", "prediction", "predict")) != "expectation"
  level <- if (is.null(ci)) 0.95 else check_level(ci, "ci")
  list_path(x, lambda, function(at) {
    draws <- if (noisy) posterior_predict.wbb(x, data, lambda = at) else posterior_epred.wbb(x, data, lambda = at)
    limits <- t(column_quantiles(draws, interval_probs(level)))
    structure(colMeans(draws),
      ci_data = data.frame(SE = column_sds(draws), CI_low = limits[, 1L], CI_high = limits[, 2L], row.names = NULL),
      data = if (is.null(data)) predicted_data(x) else data, ci = level, predict = predict, class = c("get_predicted", "numeric"))
  })
}

predicted_data <- function(fit) if (is.null(fit$terms)) augment_data(fit, NULL, fit$spec$n) else insight::get_data(fit)

# Without a formula insight finds no data.
#' @rdname bayestestR.wbb
#' @method get_data wbb
#' @exportS3Method insight::get_data wbb
get_data.wbb <- function(x, ...) {
  check_fit(x)
  if (is.null(x$terms) && keeps_columns(x)) return(augment_data(x, NULL, x$spec$n))
  utils::getS3method("get_data", "default", envir = asNamespace("insight"))(x, ...)
}

# One row a number, with the names of the draws: that of a path or of classes is a matrix, which insight would not know.
#' @rdname bayestestR.wbb
#' @method get_parameters wbb
#' @exportS3Method insight::get_parameters wbb
get_parameters.wbb <- function(x, ..., lambda = NULL) {
  estimates <- if (inherits(x, "wbb_mlp")) coef(x) else coef(x, lambda = lambda)
  names <- if (is.null(dim(estimates))) names(estimates) else find_parameters.wbb(x, TRUE, lambda = lambda)
  data.frame(Parameter = names, Estimate = as.vector(estimates))
}

# A fit of wbb() knows of its data what its model knows.
#' @rdname bayestestR.wbb
#' @method model_info wbb_any
#' @exportS3Method insight::model_info wbb_any
model_info.wbb_any <- function(x, ...) insight::model_info(own_model(x, "model_info()"), ...)

#' @rdname bayestestR.wbb
#' @method get_data wbb_any
#' @exportS3Method insight::get_data wbb_any
get_data.wbb_any <- function(x, ...) insight::get_data(own_model(x, "get_data()"), ...)

#' @rdname bayestestR.wbb
#' @param flatten As in `insight::find_parameters()`.
#' @method find_parameters wbb
#' @exportS3Method insight::find_parameters wbb
find_parameters.wbb <- function(x, flatten = FALSE, ..., lambda = NULL) {
  names <- colnames(all_draws(x, lambda, FALSE, .function = "as.matrix"))
  if (check_flag(flatten, "flatten")) names else list(conditional = names)
}
