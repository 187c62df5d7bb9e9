# What loo and bayesplot make of the draws of the likelihood and of new responses.

#' @rdname posterior_predict.wbb
#' @method loo wbb
#' @exportS3Method loo::loo wbb
loo.wbb <- function(x, lambda = NULL, ...) {
  over_likelihood(x, lambda, function(likelihood) loo::loo(likelihood, r_eff = relative_efficiency(x, likelihood), ...))
}

#' @rdname posterior_predict.wbb
#' @method waic wbb
#' @exportS3Method loo::waic wbb
waic.wbb <- function(x, lambda = NULL, ...) {
  over_likelihood(x, lambda, function(likelihood) loo::waic(likelihood, ...))
}

over_likelihood <- function(fit, lambda, value) {
  fit <- predicting(fit, "loo()")
  if (count_usable(fit, lambda) < 2L) abort("draws", "loo() and waic() need at least two draws; fit again with more `draws`.", "x")
  made <- list_path(fit, lambda, function(at) value(log_lik.wbb(fit, lambda = at)))
  say_loo(fit)
  made
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
  compared <- compared_fits(fits, comparison_labels(names(fits), typed), lambda)
  loo::loo_compare(Map(function(fit, at) loo::loo(fit, lambda = at), compared$fits, compared$lambda))
}

#' @rdname posterior_predict.wbb
#' @method pp_check wbb
#' @exportS3Method bayesplot::pp_check wbb
pp_check.wbb <- function(object, type = "dens_overlay", nreps = ndraws, seed = NULL, lambda = NULL, ndraws = NULL, ...) {
  object <- predicting(object, "pp_check()")
  check_fit(object)
  require_package("bayesplot", "`pp_check()`")
  known <- sub("^ppc_", "", grep("^ppc_", getNamespaceExports("bayesplot"), value = TRUE))
  if (!(is.character(type) && length(type) == 1L && type %in% known)) {
    bad_argument("type", paste("be a word that follows ppc_ in bayesplot, such as", show_values(c("dens_overlay", "stat", "intervals"))), type)
  }
  object$na.action <- NULL
  if (is.null(nreps)) nreps <- min(if (grepl("dens|ecdf", type)) 50 else if (grepl("hist|boxplot|error", type)) 8 else 500, count_usable(object, lambda))
  y <- observed_at(object, NULL, NULL)
  list_path(object, lambda, function(at) {
    new <- posterior_predict.wbb(object, draws = nreps, seed = seed, lambda = at)
    getExportedValue("bayesplot", paste0("ppc_", type))(as.numeric(y), matrix(as.numeric(new), nrow(new)), ...)
  })
}
