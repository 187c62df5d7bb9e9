# What sets the families of the lasso apart: one small entry each. Methods ask the entry and know no family.
#
# An entry is a list of
#   name       the word of users, and of Rust
#   words      what a title says before "lasso"
#   object     function(): the family as stats has it
#   code       function(y, argument, n, levels): the response as numbers (response.R)
#   measures   what cross-validation can measure, as pictures call it; the first is the default
#   mean       function(eta): the mean of the response from the link
#   fitted     the type that fitted() gives
#   types      what predict() can give of a row, beside its draws
#   residuals  function(parts, type): of the mode; `parts` come from mode_parts()
#   deviance   function(parts)
#   log_likelihood  function(parts)
#   predictive whether intervals of a new response make sense
#   quantile   function(p, mean, trials): of a new response, rows of means by draws; NULL where it is the Gaussian's
#   trials     whether a row may be of several trials
#   random     function(mean, sigma, trials): new responses, one for each element of `mean`
#   log_density  function(y, mean, sigma): of responses at means; a share is that of one trial, for trials are case weights
#   ratios     what exp() of a coefficient is
#   picture    one that only this family has

family_names <- c("gaussian", "binomial", "poisson", "multinomial", "cox")

family_entry <- function(name) {
  switch(name,
    gaussian = gaussian_entry(), binomial = binomial_entry(), poisson = poisson_entry(),
    multinomial = multinomial_entry(), cox = cox_entry()
  )
}

# Fits that know no family are of numbers.
family_of <- function(fit) {
  word <- if (is.null(fit$spec$family)) "gaussian" else fit$spec$family
  if (!word %in% family_names) {
    abort("fit", paste0("This fit has been changed and cannot be used: its family is ", show_value(word), "."))
  }
  family_entry(word)
}

gaussian_entry <- function() {
  glm_entry(stats::gaussian(), NULL, code_gaussian, identity,
    measures = c(mse = "mean squared error"), types = c("response", "link"),
    predictive = TRUE,
    random = function(mean, sigma, trials) mean + sigma * stats::rnorm(length(mean)),
    log_density = function(y, mean, sigma) stats::dnorm(y, mean, sigma, log = TRUE))
}

binomial_entry <- function() {
  glm_entry(stats::binomial(), "logistic", code_binomial, stats::plogis,
    measures = c(deviance = "binomial deviance", class = "misclassification", auc = "area under the ROC curve"),
    types = c("response", "link", "class"), predictive = TRUE, quantile = binomial_mixture_quantile, trials = TRUE,
    random = function(mean, sigma, trials) stats::rbinom(length(mean), trials, mean) / pmax(trials, 1),
    log_density = function(y, mean, sigma) {
      y * log(pmax(mean, .Machine$double.xmin)) + (1 - y) * log(pmax(1 - mean, .Machine$double.xmin))
    },
    ratios = "odds ratios", picture = "calibration")
}

poisson_entry <- function() {
  glm_entry(stats::poisson(), "Poisson", code_poisson, exp,
    measures = c(deviance = "Poisson deviance"), types = c("response", "link"),
    predictive = TRUE, quantile = poisson_mixture_quantile,
    random = function(mean, sigma, trials) stats::rpois(length(mean), mean),
    # Not dpois(): rates need not be whole.
    log_density = function(y, mean, sigma) ifelse(y > 0, y * log(mean), 0) - mean - lgamma(y + 1), ratios = "rate ratios")
}

multinomial_entry <- function() {
  list(
    name = "multinomial", words = "multinomial", code = code_multinomial, mean = softmax,
    object = function() plain_family("multinomial", "softmax", softmax),
    measures = c(deviance = "multinomial deviance", class = "misclassification"),
    types = c("response", "link", "class"), fitted = "response", predictive = FALSE, picture = "calibration",
    residuals = class_residuals,
    deviance = function(parts) -2 * class_log_likelihood(parts), log_likelihood = class_log_likelihood
  )
}

cox_entry <- function() {
  list(
    name = "cox", words = "Cox", code = code_cox, mean = exp,
    object = function() plain_family("cox", "log", exp),
    measures = c(deviance = "partial-likelihood deviance"),
    # The risk of a row may be too large for a number: there is no intercept to hold x'b near zero.
    types = c("link", "response", "risk", "survival"), fitted = "link", predictive = FALSE, picture = "survival",
    residuals = cox_residuals,
    deviance = function(parts) -2 * partial_log_likelihood(parts), log_likelihood = partial_log_likelihood,
    ratios = "hazard ratios"
  )
}

# The families that stats has, with their canonical link.
glm_entry <- function(object, words, code, mean, measures, types, predictive, quantile = NULL, trials = FALSE, random, log_density,
                      ratios = NULL, picture = NULL) {
  list(
    name = object$family, words = words, object = function() object, code = code, mean = mean, measures = measures,
    types = types, fitted = "response", predictive = predictive, quantile = quantile, trials = trials, random = random,
    log_density = log_density, ratios = ratios, picture = picture, variance = object$variance,
    residuals = function(parts, type) glm_residuals(object, parts, type),
    deviance = function(parts) sum(object$dev.resids(parts$y, parts$fitted, parts$weights)),
    log_likelihood = function(parts) glm_log_likelihood(object, parts)
  )
}

plain_family <- function(family, link, linkinv) {
  structure(list(family = family, link = link, linkinv = linkinv), class = "family")
}

# The argument ---------------------------------------------------------------------

# The entry of what the user gave, and whether that was anything.
check_family <- function(value) {
  open <- identical(value, family_names)
  if (open) value <- "gaussian"
  if (is.function(value)) value <- tryCatch(value(), error = function(e) value)
  if (inherits(value, "family")) value <- family_word(value)
  if (!(is.character(value) && length(value) == 1L && value %in% family_names)) {
    bad_argument("family", paste("be one of", show_values(family_names, Inf), "or a family of stats"), value)
  }
  family <- family_entry(value)
  if (open) family$code <- function(y, argument, n, levels = NULL) code_gaussian(y, argument, n, levels, open = TRUE)
  family
}

# A family object means its word, if it has the link that is understood.
family_word <- function(family) {
  links <- c(gaussian = "identity", binomial = "logit", poisson = "log")
  word <- family$family
  if (!word %in% names(links) || family$link != links[[word]]) {
    bad_argument("family", "be gaussian(link = \"identity\"), binomial(link = \"logit\") or poisson(link = \"log\")", family,
      paste0("is ", word, "(link = ", show_value(family$link), ")"),
      "\"multinomial\" and \"cox\" are given as words; other models go through wbb(function(w, w0) ...).")
  }
  word
}

check_measure <- function(value, family) {
  if (is.null(value)) return(names(family$measures)[1L])
  known <- names(family$measures)
  if (!(is.character(value) && length(value) == 1L && value %in% known)) {
    bad_argument("cv_measure", paste0("be one of ", show_values(known), " with family = ", show_value(family$name)), value)
  }
  value
}

# Values of rows -------------------------------------------------------------------

# x'b + offset: rows of x, by classes where there are several, by columns of coefficients.
link_values <- function(rows, coefficients, spec) {
  outputs <- max(1L, spec$classes)
  # The coefficients of a class follow each other.
  eta <- linear_predictor(rows$x, matrix(coefficients, nrow(coefficients) / outputs), isTRUE(spec$intercept))
  if (!is.null(rows$offset)) eta <- eta + as.vector(rows$offset)
  if (outputs > 1L) dim(eta) <- c(nrow(rows$x), outputs, ncol(coefficients))
  eta
}

row_values <- function(rows, coefficients, spec, family, type = "response") {
  eta <- link_values(rows, coefficients, spec)
  if (type == "link") return(eta)
  # plogis() of nothing has no dimensions.
  array(family$mean(eta), dim(eta))
}

# Rows by classes by anything.
softmax <- function(eta) {
  classes <- seq_len(ncol(eta))
  if (length(dim(eta)) == 2L) dim(eta) <- c(dim(eta), 1L)
  top <- eta[, 1L, ]
  for (k in classes) top <- pmax(top, eta[, k, ])
  total <- 0
  for (k in classes) {
    eta[, k, ] <- exp(eta[, k, ] - top)
    total <- total + eta[, k, ]
  }
  for (k in classes) eta[, k, ] <- eta[, k, ] / total
  eta
}

# The mode at the rows of the fit: a vector, for classes a matrix; a path has one more dimension.
family_fitted <- function(design, coefficients, settings, lambda) {
  family <- family_entry(settings$family)
  rows <- list(x = design$x, offset = settings$offset)
  fitted <- row_values(rows, as.matrix(coefficients), settings, family, family$fitted)
  if (is.null(settings$classes)) return(per_lambda_shape(as.vector(fitted), design$row_names, lambda))
  path <- length(lambda) > 1L
  array(fitted, c(dim(fitted)[1:2], if (path) length(lambda)),
    c(list(design$row_names, design$levels), if (path) list(format_lambda(lambda))))
}

# What the measures of the mode at one lambda are made from.
mode_parts <- function(fit, index) {
  fitted <- fit$fitted
  spec <- fit$spec
  if (is_path(fit)) fitted <- if (is.null(spec$classes)) fitted[, index] else fitted[, , index]
  list(y = fit$y, fitted = fitted, weights = row_weights(fit), trials = fit$trials, status = spec$status, levels = fit$levels)
}

# The user's own weights of the rows, trials included.
row_weights <- function(fit) {
  weights <- fit$spec$case_weights
  if (length(weights)) weights else rep(1, fit$spec$n)
}

# Measures -------------------------------------------------------------------------

glm_residuals <- function(object, parts, type) {
  plain <- parts$y - parts$fitted
  switch(type,
    response = plain,
    working = plain / object$variance(parts$fitted),
    pearson = plain * sqrt(parts$weights / object$variance(parts$fitted)),
    deviance = sign(plain) * sqrt(pmax(object$dev.resids(parts$y, parts$fitted, parts$weights), 0))
  )
}

# By what glm() calls the aic of a family: −2 log L, and 2 for the scale of the Gaussian.
glm_log_likelihood <- function(object, parts) {
  used <- parts$weights > 0
  y <- parts$y[used]
  mean <- parts$fitted[used]
  weights <- parts$weights[used]
  trials <- if (is.null(parts$trials)) rep(1, length(y)) else parts$trials[used]
  deviance <- sum(object$dev.resids(y, mean, weights))
  (object$family == "gaussian") - object$aic(y, trials, mean, weights, deviance) / 2
}

# The probability of the class that was observed.
observed_probability <- function(parts) parts$fitted[cbind(seq_along(parts$y), parts$y)]

class_log_likelihood <- function(parts) sum(parts$weights * log(observed_probability(parts)))

class_residuals <- function(parts, type) {
  if (type == "deviance") {
    return(stats::setNames(sqrt(-2 * parts$weights * log(observed_probability(parts))), rownames(parts$fitted)))
  }
  seen <- outer(parts$y, seq_along(parts$levels), `==`)
  plain <- seen - parts$fitted
  switch(type,
    response = plain, working = plain / (parts$fitted * (1 - parts$fitted)),
    pearson = plain * sqrt(parts$weights / (parts$fitted * (1 - parts$fitted)))
  )
}

# Martingale residuals, and those that are made of them (Therneau, Grambsch and Fleming 1990).
cox_residuals <- function(parts, type) {
  if (type %in% c("pearson", "working")) {
    bad_argument("type", "be \"response\" (martingale residuals) or \"deviance\" with family = \"cox\"", type)
  }
  expected <- relative_risk(parts$fitted) * baseline_at(cox_baseline(parts), parts$y)[, 1L]
  martingale <- parts$status - expected
  if (type == "response") return(martingale)
  events <- ifelse(parts$status > 0, parts$status * log(pmax(parts$status - martingale, .Machine$double.xmin)), 0)
  sign(martingale) * sqrt(pmax(-2 * parts$weights * (martingale + events), 0))
}

poisson_mixture_quantile <- function(p, mean, trials) {
  count_mixture_quantile(p, stats::qpois(p, mean), function(count, rows) stats::ppois(count, mean[rows, ]), nrow(mean))
}

# As the share of the trials of each row.
binomial_mixture_quantile <- function(p, mean, trials) {
  reached <- function(count, rows) stats::pbinom(count, trials[rows], mean[rows, ])
  count_mixture_quantile(p, stats::qbinom(p, trials, mean), reached, nrow(mean)) / pmax(trials, 1)
}

# The smallest count that a mixture of laws stays within with probability p: `ends` are the quantiles of its components,
# `below` their probabilities to stay within counts at some of the n rows.
count_mixture_quantile <- function(p, ends, below, n) {
  reached <- function(count, rows) rowMeans(matrix(below(count, rows), length(rows)))
  rows <- seq_len(n)
  # They bracket that of the mixture.
  ends <- matrix(ends, n)
  lower <- ends[cbind(rows, max.col(-ends, "first"))] - 1
  upper <- ends[cbind(rows, max.col(ends, "first"))]
  while (length(open <- which(upper - lower > 1))) {
    middle <- floor((lower[open] + upper[open]) / 2)
    enough <- reached(middle, open) >= p
    upper[open[enough]] <- middle[enough]
    lower[open[!enough]] <- middle[!enough]
  }
  upper
}

# The baseline hazard --------------------------------------------------------------

# Against the largest, so that none is too large for a number.
relative_risk <- function(eta) exp(eta - max(eta))

cox_baseline <- function(parts) breslow(parts$y, parts$status, parts$weights, relative_risk(parts$fitted))

# Breslow's steps: at each time of an event the weight of its events over the weighted risk of all still there. Columns of
# weights and risks are draws.
breslow <- function(time, status, weights, risk) {
  weights <- as.matrix(weights)
  times <- sort(unique(time[status > 0]))
  events <- sums_by(match(time, times), weights * (status > 0), length(times))
  # The last of the times that a row has lived to see.
  ended <- sums_by(findInterval(time, times), weights * risk, length(times))
  at_risk <- cumulate(ended[rev(seq_along(times)), , drop = FALSE])[rev(seq_along(times)), , drop = FALSE]
  list(time = times, hazard = ifelse(events > 0, events / at_risk, 0), events = events, at_risk = at_risk)
}

# Sums of the rows of each bin 1, 2, ...; others are left out.
sums_by <- function(bin, values, bins) {
  keep <- bin %in% seq_len(bins)
  sums <- rowsum(values[keep, , drop = FALSE], bin[keep])
  out <- matrix(0, bins, ncol(values))
  out[as.integer(rownames(sums)), ] <- sums
  out
}

cumulate <- function(values) matrix(apply(values, 2L, cumsum), nrow(values))

# The cumulative hazard at any times, a row for each.
baseline_at <- function(baseline, times) {
  rbind(0, cumulate(baseline$hazard))[findInterval(times, baseline$time) + 1L, , drop = FALSE]
}

# Ties after Breslow: each event has the risk set of its time.
partial_log_likelihood <- function(parts) {
  baseline <- cox_baseline(parts)
  seen <- parts$status > 0
  sum((parts$weights * (parts$fitted - max(parts$fitted)))[seen]) -
    sum(ifelse(baseline$events > 0, baseline$events * log(baseline$at_risk), 0))
}

# The fit's classes for the coding of new responses, empty where it has none.
known_classes <- function(fit) if (is.null(fit$levels)) character() else fit$levels
