# What differs for chains: they have no mode, no lambda and no weights, iterations
# and chains are kept apart, and the summary says how they mixed.

#' @export
describe.wbb_bridge <- function(fit) {
  spec <- fit$spec
  draws <- paste0(with_commas(spec$draws), " in ", if (spec$chains > 1) "each of ", counted(spec$chains, "chain"), ", after ",
    counted(spec$burn, "iteration"), if (spec$thin > 1) paste0(", one in ", spec$thin, " kept"))
  values <- format(spec$nu, digits = 4, trim = TRUE)
  shrinkage <- if (length(spec$nu) == 1L) {
    paste("nu =", values)
  } else {
    paste0("nu ~ Gamma(", values[1L], ", rate ", values[2L], ")")
  }
  values <- format(spec$sigma2_prior, digits = 4, trim = TRUE)
  noise <- if (!is.null(spec$sigma)) {
    paste("sigma =", format(spec$sigma, digits = 4))
  } else if (all(spec$sigma2_prior == 0)) {
    "p(sigma^2) = 1/sigma^2"
  } else {
    paste0("sigma^2 ~ InvGamma(", values[1L], ", rate ", values[2L], ")")
  }
  list(
    title = paste0("Bayesian bridge (alpha = ", format(spec$alpha), ")"),
    lines = c(Draws = draws, Prior = paste(shrinkage, noise, sep = ", "))
  )
}

#' @rdname wbb-methods
#' @export
print.wbb_bridge <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- check_count(digits, "digits", 1, 22)
  check_fit(x)
  print_header(x)
  print_posterior(x, digits)
  worst <- bad_mixing(x)
  cat("\nLargest R-hat ", format(worst$rhat, digits = 4), ", smallest effective sample size ",
    with_commas(round(worst$ess)), "\n", sep = "")
  print_failures(x)
  invisible(x)
}

#' Summarise the chains of a Bayesian bridge
#'
#' For each coefficient, and for sigma and nu, the mean and standard deviation of the
#' draws, quantiles, the probability of being positive, the Monte Carlo standard error
#' of the mean, the effective sample size and R-hat.
#'
#' R-hat compares the variance between and within the halves of all chains: 1 is good,
#' and above 1.05 the fit comes with a warning. The effective sample size is the number of
#' independent draws with the same error of the mean. They are the `rhat_basic()` and
#' `ess_mean()` of package posterior; its `summarise_draws()` has those based on ranks.
#'
#' @inheritParams summary.wbb
#' @param object A fit of [bayes_bridge()].
#' @return An object of class `summary.wbb_bridge`: a list with the data frame `table`, with the
#'   columns `term`, `mean`, `sd`, one for each quantile, `p_positive`, `mcse`, `ess` and
#'   `rhat`.
#' @examples
#' fit <- bayes_bridge(y ~ bmi + map + ltg, diabetes, draws = 1000, chains = 2, seed = 1)
#' summary(fit)
#' summary(fit, probs = c(0.05, 0.95))$table
#' @export
summary.wbb_bridge <- function(object, probs = c(0.025, 0.5, 0.975), digits = max(3L, getOption("digits") - 3L), ...) {
  check_dots(..., .function = "summary", .known = c("probs", "digits"))
  check_fit(object)
  probs <- check_probs(probs)
  draws <- chain_draws(object)
  sd <- column_sds(draws)
  table <- data.frame(
    term = colnames(draws), mean = draw_means(draws), sd = sd, quantile_columns(draws, probs), p_positive = draw_signs(draws),
    mcse = sd / sqrt(object$mcmc$ess), ess = object$mcmc$ess, rhat = object$mcmc$rhat,
    check.names = FALSE, row.names = NULL
  )
  fit <- structure(object[c("call", "lambda", "spec", "na.action")], class = class(object))
  structure(list(fit = fit, table = table, digits = check_count(digits, "digits")), class = c("summary.wbb_bridge", "summary.wbb"))
}

# The coefficients, sigma and nu.
chain_draws <- function(fit) {
  draws <- cbind(fit$draws, fit$diagnostics$sigma, fit$diagnostics$nu)
  colnames(draws) <- fit$mcmc$term
  draws
}

#' @rdname summary.wbb_bridge
#' @export
print.summary.wbb_bridge <- function(x, digits = x$digits, ...) {
  digits <- check_count(digits, "digits", 1, 22)
  print_header(x$fit)
  cat("\n")
  values <- as.matrix(x$table[-1L])
  shown <- values
  shown[] <- vapply(values, format, "", digits = digits)
  shown[, "p_positive"] <- format(round(values[, "p_positive"], 3), nsmall = 3)
  shown[, "mcse"] <- vapply(values[, "mcse"], format, "", digits = 2)
  shown[, "ess"] <- format(round(values[, "ess"]))
  shown[, "rhat"] <- format(round(values[, "rhat"], 3), nsmall = 3)
  last <- c("p_positive", "mcse", "ess", "rhat")
  colnames(shown)[match(last, colnames(shown))] <- c("P(>0)", "MCSE", "ESS", "R-hat")
  rownames(shown) <- x$table$term
  print(shown, quote = FALSE, right = TRUE)
  invisible(x)
}

#' @rdname tidy.wbb
#' @method tidy wbb_bridge
#' @exportS3Method generics::tidy wbb_bridge
tidy.wbb_bridge <- function(x, conf.int = FALSE, conf.level = 0.95, estimate = c("mean", "median"),
                            exponentiate = FALSE, effects = "fixed", parametric = TRUE, ...) {
  check_dots(..., .function = "tidy", .known = names(formals()), .foreign = of_tables)
  tidy_table(x, conf.int, conf.level, check_choice(estimate, "estimate", c("mean", "median")), exponentiate, effects)
}

#' @rdname tidy.wbb
#' @method glance wbb_bridge
#' @exportS3Method generics::glance wbb_bridge
glance.wbb_bridge <- function(x, ...) {
  check_dots(..., .function = "glance", .known = character(), .foreign = of_tables)
  check_fit(x)
  worst <- bad_mixing(x)
  data.frame(
    nobs = x$spec$n, draws = nrow(x$draws), chains = x$spec$chains, alpha = x$spec$alpha,
    sigma = mean(x$diagnostics$sigma), nu = mean(x$diagnostics$nu), max.rhat = worst$rhat, min.ess = worst$ess
  )
}

#' @export
weights.wbb_bridge <- function(object, ...) {
  # It means the weights of rows, and there are none.
  if (identical(sys.function(sys.parent()), stats::weighted.residuals)) return(NULL)
  abort("argument", "`object` is a Bayesian bridge and has no random weights: its draws are those of Markov chains.", "object")
}

# Other formats --------------------------------------------------------------------

# Iterations by chains by variables. `failed` is for all fits; chains cannot fail.
chain_array <- function(x, failed = FALSE, ..., .function) {
  check_dots(..., .function = .function, .known = character())
  check_fit(x)
  draws <- chain_draws(x)
  shape <- c(x$spec$draws, x$spec$chains, ncol(draws))
  posterior::as_draws_array(array(draws, shape, list(NULL, NULL, colnames(draws))))
}

#' @rdname as.matrix.wbb
#' @method as_draws_array wbb_bridge
#' @exportS3Method posterior::as_draws_array wbb_bridge
as_draws_array.wbb_bridge <- function(x, ...) chain_array(x, ..., .function = "as_draws_array")

#' @rdname as.matrix.wbb
#' @method as_draws wbb_bridge
#' @exportS3Method posterior::as_draws wbb_bridge
as_draws.wbb_bridge <- function(x, ...) chain_array(x, ..., .function = "as_draws")

#' @rdname as.matrix.wbb
#' @method as_draws_matrix wbb_bridge
#' @exportS3Method posterior::as_draws_matrix wbb_bridge
as_draws_matrix.wbb_bridge <- function(x, ...) {
  posterior::as_draws_matrix(chain_array(x, ..., .function = "as_draws_matrix"))
}

#' @rdname as.matrix.wbb
#' @method as_draws_df wbb_bridge
#' @exportS3Method posterior::as_draws_df wbb_bridge
as_draws_df.wbb_bridge <- function(x, ...) posterior::as_draws_df(chain_array(x, ..., .function = "as_draws_df"))

#' @rdname as.matrix.wbb
#' @method as_draws_list wbb_bridge
#' @exportS3Method posterior::as_draws_list wbb_bridge
as_draws_list.wbb_bridge <- function(x, ...) posterior::as_draws_list(chain_array(x, ..., .function = "as_draws_list"))

#' @rdname as.matrix.wbb
#' @method as_draws_rvars wbb_bridge
#' @exportS3Method posterior::as_draws_rvars wbb_bridge
as_draws_rvars.wbb_bridge <- function(x, ...) posterior::as_draws_rvars(chain_array(x, ..., .function = "as_draws_rvars"))

#' @rdname as.matrix.wbb
#' @method as.mcmc wbb_bridge
#' @exportS3Method coda::as.mcmc wbb_bridge
as.mcmc.wbb_bridge <- function(x, ...) {
  check_dots(..., .function = "as.mcmc", .known = character())
  check_fit(x)
  draws <- chain_draws(x)
  chains <- split(seq_len(nrow(draws)), x$diagnostics$chain)
  thin <- x$spec$thin
  coda::mcmc.list(lapply(unname(chains), function(rows) {
    coda::mcmc(draws[rows, , drop = FALSE], start = x$spec$burn + thin, thin = thin)
  }))
}

#' @export
c.wbb_bridge <- function(...) {
  fits <- list(...)
  for (fit in fits) {
    if (!inherits(fit, "wbb_bridge")) {
      bad_argument("...", "all be fits of bayes_bridge()", fit, paste("one is", show_value(fit)))
    }
    check_fit(fit)
  }
  joined <- fits[[1L]]
  for (fit in fits[-1L]) {
    check_same_problem(joined, fit)
    if (fit$spec$draws != joined$spec$draws) {
      abort("argument", paste("Chains to be joined must have one length, but some have", show_value(joined$spec$draws),
        "draws and some", paste0(show_value(fit$spec$draws), ".")), "...")
    }
  }
  seeds <- unlist(lapply(fits, function(fit) fit$spec$seed))
  if (anyDuplicated(seeds)) {
    abort("argument", paste0("Fits to be joined must have different seeds, but ",
      show_value(seeds[anyDuplicated(seeds)]), " is there twice."), "...")
  }
  joined$asked <- NULL
  joined$draws <- join_draws(lapply(fits, `[[`, "draws"))
  joined$diagnostics <- do.call(rbind, lapply(fits, `[[`, "diagnostics"))
  joined$spec$seed <- seeds
  joined$spec$chains <- sum(vapply(fits, function(fit) fit$spec$chains, 0))
  joined$diagnostics$chain <- rep(seq_len(joined$spec$chains), each = joined$spec$draws)
  joined$seconds <- sum(unlist(lapply(fits, `[[`, "seconds")))
  measures <- job_diagnose(chain_draws(joined), joined$spec$chains, joined$spec$threads)
  joined$mcmc[c("rhat", "ess")] <- list(measures["rhat", ], measures["ess", ])
  joined
}
