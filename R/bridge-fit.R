# The fitter behind both interfaces of bayes_bridge(): check the settings, run the
# chains, make the object.

bridge_fit <- function(design, settings, call) {
  began <- elapsed()
  progress <- check_progress(settings$progress)
  keep_data <- check_flag(settings$keep_data, "keep_data")
  options <- bridge_options(settings, design)
  fit <- bridge_object(job_result(bridge_job(design, options, progress)), design, options)
  fit$call <- call
  if (!keep_data) fit[c("y", "x", "model")] <- list(NULL)
  fit$seconds <- elapsed() - began
  warn_mixing(fit)
  fit
}

# The settings in the form that Rust takes; also the record of the run.
bridge_options <- function(settings, design) {
  n <- nrow(design$x)
  p <- ncol(design$x)
  alpha <- settings$alpha
  if (!is_number(alpha) || alpha <= 0 || alpha > 2) {
    bad_argument("alpha", "be one number above 0 and at most 2", alpha)
  }
  intercept <- check_flag(settings$intercept, "intercept") && design$intercept
  shrinkage <- bridge_shrinkage(settings, alpha)
  noise <- bridge_noise(settings, design$y, n, p, intercept)
  draws <- check_count(settings$draws, "draws")
  chains <- check_count(settings$chains, "chains", 1, 1e4)
  check_size(draws * chains * (p + intercept + 2), paste(show_value(draws * chains), "draws"), "draws", draws,
    "Thin the chains.")
  if (draws * chains > .Machine$integer.max) {
    bad_argument("draws", "times `chains` be below 2^31, the most rows of a matrix", draws)
  }
  list(
    alpha = as.double(alpha), shrinkage = shrinkage$kind, shrinkage_values = shrinkage$values,
    noise = noise$kind, noise_values = noise$values,
    standardize = check_flag(settings$standardize, "standardize"), intercept = intercept,
    draws = draws, burn = check_count(settings$burn, "burn", 0), thin = check_count(settings$thin, "thin"),
    chains = chains, threads = check_threads(settings$threads), n = n, p = p,
    # Last, because it may take a number from R's generator.
    seed = check_seed(settings$seed)
  )
}

bridge_shrinkage <- function(settings, alpha) {
  if (!is.null(settings$tau)) {
    if (isTRUE(settings$nu_given)) bad_argument("tau", "not be given together with `nu`", settings$tau)
    tau <- check_number(settings$tau, "tau", 0, open = TRUE)
    return(list(kind = "fixed", values = c(tau^-alpha, 0)))
  }
  nu <- settings$nu
  if (is_number(nu)) {
    return(list(kind = "fixed", values = c(check_number(nu, "nu", 0, open = TRUE), 0)))
  }
  list(kind = "gamma", values = check_gamma(nu, "nu", "be c(shape = , rate = ), both positive, or one positive number"))
}

# c(shape, rate), in this order or by name.
check_gamma <- function(value, argument, must, lower = .Machine$double.xmin) {
  if (!is.numeric(value) || length(value) != 2L || !all(is.finite(value))) bad_argument(argument, must, value)
  if (!is.null(names(value))) {
    if (!setequal(names(value), c("shape", "rate"))) {
      bad_argument(argument, must, value, paste("has the names", show_values(names(value))))
    }
    value <- value[c("shape", "rate")]
  }
  if (any(value < lower)) {
    bad_argument(argument, must, value, paste("has", show_value(unname(value[value < lower][1L]))))
  }
  as.double(value)
}

bridge_noise <- function(settings, y, n, p, intercept) {
  if (!is.null(settings$sigma)) {
    if (!is.null(settings$sigma2_prior)) {
      bad_argument("sigma", "not be given together with `sigma2_prior`", settings$sigma)
    }
    return(list(kind = "fixed", values = c(check_number(settings$sigma, "sigma", 0, open = TRUE)^2, 0)))
  }
  prior <- settings$sigma2_prior
  if (!is.null(prior)) {
    must <- "be c(shape = , rate = ), neither negative"
    return(list(kind = "prior", values = check_gamma(prior, "sigma2_prior", must, lower = 0)))
  }
  if (p < n - intercept) return(list(kind = "prior", values = c(0, 0)))
  rate <- mean((y - intercept * mean(y))^2) / 10
  warn("prior", paste0("With ", p, " columns and ", n, " rows the posterior under p(sigma^2) = 1/sigma^2 is ",
    "improper; `sigma2_prior = c(shape = 1, rate = ", format(rate, digits = 4), ")` is used instead"))
  list(kind = "prior", values = c(1, rate))
}

# The object ---------------------------------------------------------------------

bridge_object <- function(result, design, options) {
  names <- make.unique(c(if (options$intercept) "(Intercept)", design$names))
  rows <- options$draws * options$chains
  draws <- result$draws
  result$draws <- NULL
  dim(draws) <- c(rows, length(names))
  dimnames(draws) <- list(NULL, names)
  mean <- colMeans(draws)
  fitted <- linear_predictor(design$x, as.matrix(mean), options$intercept)[, 1L]
  names(fitted) <- design$row_names
  new_wbb(
    list(
      call = NULL, formula = design$formula, terms = design$terms, xlevels = design$xlevels,
      contrasts = design$contrasts, coding = design$coding, variables = design$variables,
      # A chain has no mode to speak of, and the bridge no lambda.
      draws = draws, mode = stats::setNames(rep(NA_real_, length(names)), names), lambda = NA_real_,
      diagnostics = data.frame(
        chain = rep(seq_len(options$chains), each = options$draws),
        iteration = rep(seq_len(options$draws), options$chains), sigma = result$sigma, nu = result$nu
      ),
      mcmc = data.frame(term = make.unique(c(names, "sigma", "nu")), rhat = result$rhat, ess = result$ess),
      spec = c(options, list(names = names, columns = design$names, named = design$named)),
      y = design$y, x = if (is.null(design$terms)) design$x, model = design$model,
      fitted = fitted, na.action = design$na.action, seconds = NA_real_
    ),
    class = "wbb_bridge"
  )
}

# A known value has no R-hat; any other quantity without one has not moved, or has
# too few draws to tell.
bad_mixing <- function(fit) {
  moving <- !is.nan(fit$mcmc$rhat)
  list(
    rhat = if (any(moving)) max(fit$mcmc$rhat[moving]) else NaN,
    ess = if (any(moving)) min(fit$mcmc$ess[moving]) else NaN
  )
}

# The usual limits for a first look; a small ESS is only noise in the answer, and is
# reported by summary().
warn_mixing <- function(fit) {
  worst <- bad_mixing(fit)
  apart <- isTRUE(worst$rhat > 1.05)
  short <- isTRUE(worst$ess < 100)
  if (!apart && !short) return(invisible())
  problems <- c(
    if (apart) paste("the largest R-hat is", format(worst$rhat, digits = 3)),
    if (short) paste("the smallest effective sample size is", format(worst$ess, digits = 2))
  )
  warn("mixing", paste0("The chains cannot be trusted yet: ", paste(problems, collapse = " and "),
    "; run more iterations, and see fit$mcmc"))
}
