# Slopes, comparisons and predictions by package marginaleffects, computed on the draws.

#' Marginal effects
#'
#' Fits work in the functions of package marginaleffects (`predictions()`, `comparisons()`, `slopes()` and what is built on
#' them), by draws: estimates are medians, intervals are quantiles, and `get_draws()` of their results (`posterior_draws()` in older versions) gives the
#' draws themselves; `type = "prediction"` is a new response, noise included. Loading wbb adds the class of its fits to the option `marginaleffects_model_classes`. A fit with several
#' lambdas, or with classes, has a `group` for each of them; give `lambda` to these functions for one. Its pictures
#' want that group beside the variable, as those of any model with classes do: `plot_predictions(fit, condition = c("x", "group"))`.
#'
#' `hypotheses()` of a fit does not work on the draws but on their covariance, by the delta method: estimates are those of
#' [coef()], `std.error` is the standard deviation of the posterior (exactly so for sums and differences), and intervals are
#' normal ones, which know nothing of a share of draws at zero. For those of the draws compute the hypothesis on `as.matrix(fit)`.
#' The parameters of a network have none.
#'
#' @name marginaleffects.wbb
NULL

# Registered when both packages are loaded, see zzz.R. `type` may be "prediction", a new response with its noise.

get_predict.wbb <- function(model, newdata = NULL, type = "response", lambda = NULL, ...) {
  type <- check_choice(type, "type", c("response", "link", "prediction"))
  draws <- switch(type,
    response = posterior_epred.wbb(model, newdata, lambda = lambda),
    link = posterior_linpred.wbb(model, newdata = newdata, lambda = lambda),
    prediction = posterior_predict.wbb(model, newdata, lambda = lambda)
  )
  groups <- group_labels(dimnames(draws)[-(1:2)])
  id <- intersect(c("rowid_internal", "rowid"), names(newdata))
  row <- if (length(id)) newdata[[id[1L]]] else seq_len(ncol(draws))
  draws <- matrix(draws, nrow(draws))
  out <- data.frame(rowid = rep(row, length.out = ncol(draws)), estimate = column_quantiles(draws, 0.5)[1L, ])
  if (length(groups)) out$group <- rep(groups, each = length(row))
  structure(out, posterior_draws = t(draws))
}

# Of classes, of lambdas, or of both.
group_labels <- function(names) {
  if (length(names) < 2L) return(unlist(names))
  paste0(rep(names[[1L]], length(names[[2L]])), "[", rep(names[[2L]], each = length(names[[1L]])), "]")
}

# For hypotheses() alone, which moves the coefficients one by one and asks for what became of the hypothesis: slopes and
# predictions have their draws. Those of a network have no meaning of their own.
get_vcov.wbb <- function(model, ...) {
  if (!inherits(model, "wbb_mlp")) return(stats::cov(all_draws(model, NULL, FALSE, .function = "vcov")))
  frame <- asking_frame("marginaleffects")
  if (!is.null(frame) && identical(sys.function(frame), asNamespace("marginaleffects")$hypotheses)) refuse_hypotheses()
}

get_coef.wbb <- function(model, ...) {
  found <- get_parameters.wbb(model)
  stats::setNames(found$Estimate, found$Parameter)
}

set_coef.wbb <- function(model, coefs, ...) {
  if (inherits(model, "wbb_mlp")) refuse_hypotheses()
  structure(list(coefficients = coefs), class = "wbb_moved")
}

refuse_hypotheses <- function() {
  abort("argument", paste("hypotheses() of the parameters of a network would have no meaning, because units can be exchanged: ask for one of its predictions,",
    "as in avg_comparisons(fit, hypothesis = )."), "model")
}
