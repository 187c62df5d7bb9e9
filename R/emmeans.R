# Marginal means and contrasts of factors, by package emmeans, computed on the draws.

#' Estimated marginal means and their contrasts
#'
#' Fits of [wbb_lasso()] and [bayes_bridge()] made from a formula work in `emmeans::emmeans()`, `emmeans::contrast()`,
#' `emmeans::emtrends()` and what is built on them. The draws go along, so that `emmeans` summarises them as a posterior
#' sample (medians and highest posterior density intervals), and `as.mcmc()` of its result gives the draws of every mean or
#' contrast. In a fit with several lambdas `lambda` is one more factor, and in one with classes `class` is: `emmeans(fit, ~ N | lambda)`.
#' Give `lambda` to `emmeans()` for one of them. A fit of [wbb()] works where emmeans knows its model and the draws are the model's coefficients.
#'
#' @param object A fit.
#' @param data The data of the fit, if they were not kept in it.
#' @param trms,xlev,grid What `emmeans` brings: terms, levels and the grid.
#' @param lambda Which value of `lambda`, when the fit has several; by default all.
#' @param ... Passed on by `emmeans`.
#' @return What the generics of emmeans are to return.
#' @examplesIf requireNamespace("emmeans", quietly = TRUE)
#' fit <- wbb_lasso(yield ~ block + N * P * K, npk, lambda = 1, draws = 500, seed = 1)
#' emmeans::emmeans(fit, pairwise ~ N)
#' @name emmeans.wbb
NULL

#' @rdname emmeans.wbb
#' @method recover_data wbb
#' @exportS3Method emmeans::recover_data wbb
recover_data.wbb <- function(object, data = NULL, ...) {
  check_fit(object)
  attempt({
    check_linear(object, "emmeans")
    if (is.null(data)) data <- called_variables(object)
    emmeans::recover_data(object$call, stats::delete.response(terms(object)), object$na.action, data = data, ...)
  }, told_emmeans)
}

# emmeans() takes a text for what it is to stop with, and hides errors behind one of its own.
told_emmeans <- function(error) {
  frame <- asking_frame("emmeans")
  asked_directly <- is.null(frame) || identical(sys.function(frame), emmeans::recover_data)
  if (asked_directly) stop(error) else conditionMessage(error)
}

# The variables themselves: the model frame has `poly(x, 2)` in place of x, and offsets by what they were computed as. They
# are those of the call, at the rows of the fit.
called_variables <- function(fit) {
  frame <- model.frame(fit)
  needed <- all.vars(stats::delete.response(terms(fit)))
  if (all(needed %in% names(frame))) return(frame)
  attempt({
    from <- eval(fit$call$data, environment(fit$formula))
    all <- stats::get_all_vars(stats::delete.response(terms(fit)), from)
    row.names(all) <- if (is.data.frame(from)) row.names(from)
    all[match(row.names(frame), row.names(all)), needed, drop = FALSE]
  }, function(e) {
    abort("argument", paste0("The variables of the formula are no longer found (", conditionMessage(e), "); give them as `data`."), "data")
  })
}

#' @rdname emmeans.wbb
#' @method emm_basis wbb
#' @exportS3Method emmeans::emm_basis wbb
emm_basis.wbb <- function(object, trms, xlev, grid, lambda = NULL, ...) {
  frame <- stats::model.frame(trms, grid, na.action = stats::na.pass, xlev = xlev)
  x <- stats::model.matrix(trms, frame, contrasts.arg = object$contrasts)
  if (!has_intercept(object)) x <- x[, attr(x, "assign") != 0L, drop = FALSE]
  draws <- all_draws(object, lambda, FALSE, .function = "emmeans")
  if (nrow(draws) < 2L) bad_argument("object", "have two draws or more for emmeans", object, "has one")
  # As for responses of several columns: their coefficients follow each other.
  several <- list(class = if (!is.null(object$spec$classes)) object$levels, lambda = if (whole_path(object, lambda)) format_lambda(object$lambda))
  several <- several[lengths(several) > 0L]
  x <- kronecker(diag(prod(lengths(several))), x)
  misc <- emmeans::.std.link.labels(family(object), list())
  if (length(several)) misc$ylevs <- several
  list(
    X = x, bhat = colMeans(draws), nbasis = matrix(NA), V = stats::cov(draws), dffun = function(k, dfargs) Inf,
    dfargs = list(), misc = misc, post.beta = draws
  )
}

#' @rdname emmeans.wbb
#' @method recover_data wbb_any
#' @exportS3Method emmeans::recover_data wbb_any
recover_data.wbb_any <- function(object, data = NULL, ...) {
  emmeans::recover_data(own_model(object, "emmeans()"), data = data, ...)
}

#' @rdname emmeans.wbb
#' @method emm_basis wbb_any
#' @exportS3Method emmeans::emm_basis wbb_any
emm_basis.wbb_any <- function(object, trms, xlev, grid, ...) {
  basis <- emmeans::emm_basis(object$model, trms, xlev, grid, ...)
  draws <- draws_matrix(object)
  # Those that the model could not determine are NA in it, and not in the draws.
  known <- which(!is.na(basis$bhat))
  names <- if (is.null(names(basis$bhat))) colnames(basis$X) else names(basis$bhat)
  if (!identical(names[known], colnames(draws))) {
    refuse_of_any("emmeans()", "here they are not the coefficients of the model: fit again without `statistic`.")
  }
  sample <- matrix(NA_real_, nrow(draws), length(basis$bhat), dimnames = list(NULL, names))
  sample[, known] <- draws
  basis$bhat[known] <- colMeans(draws)
  basis$V <- stats::cov(draws)
  basis[c("dffun", "dfargs", "post.beta")] <- list(function(k, dfargs) Inf, list(), if (anyNA(sample)) draws else sample)
  basis
}

# Where columns of a model matrix have a coefficient each.
check_linear <- function(fit, what) {
  if (!inherits(fit, c("wbb_lasso", "wbb_bridge"))) {
    abort("argument", paste0("`object` is a fit of class ", show_value(class(fit)[1L]), ", for which ", what,
      " has no meaning; it is there for fits of wbb_lasso() and bayes_bridge()."), "object")
  }
}
