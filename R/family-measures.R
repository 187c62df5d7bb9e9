# How good the predicted classes of a lasso are, and how right its probabilities: what mlp-measures.R is for networks.

#' @rdname accuracy
#' @param lambda,newoffset For a lasso: which `lambda`, and the offset of `x`; see [predict.wbb_lasso()].
#' @export
#' @exportS3Method generics::accuracy wbb_lasso
accuracy.wbb_lasso <- function(object, x = NULL, y = NULL, type = c("draws", "mean"), lambda = NULL, newoffset = NULL, ...) {
  check_dots(..., .function = "accuracy", .known = names(formals()))
  class_measure(object, x, y, type, lambda, newoffset, class_hit)
}

#' @rdname accuracy
#' @export
log_loss.wbb_lasso <- function(object, x = NULL, y = NULL, type = c("draws", "mean"), lambda = NULL, newoffset = NULL, ...) {
  check_dots(..., .function = "log_loss", .known = names(formals()))
  class_measure(object, x, y, type, lambda, newoffset, class_loss)
}

# Means over the trials of all rows; `measure` takes probabilities and what was seen.
class_measure <- function(fit, x, y, type, lambda, newoffset, measure) {
  need_lasso_classes(fit)
  type <- check_choice(type, "type", c("draws", "mean"))
  seen <- seen_classes(fit, x, y)
  share <- seen$trials / sum(seen$trials)
  fit <- common_draws(with_rows_of(fit, NULL), lambda)
  if (type == "mean") {
    return(each_lambda(fit, lambda, function(index) {
      sum(share * measure(predict(fit, x, estimate = "mean", lambda = fit$lambda[index], newoffset = newoffset), seen$y))
    }))
  }
  over_path(fit, lambda, function(at) {
    draws <- predict(fit, x, "draws", lambda = at, newoffset = newoffset)
    of_draw <- function(k) if (length(dim(draws)) == 3L) matrix(draws[k, , ], ncol(draws)) else draws[k, ]
    vapply(seq_len(nrow(draws)), function(k) sum(share * measure(of_draw(k), seen$y)), 0)
  })
}

# Of successes, a vector, or of classes, a matrix.
class_hit <- function(share, y) if (is.matrix(share)) max.col(share, "first") == y else ifelse(share > 0.5, y, 1 - y)

class_loss <- function(share, y) {
  least <- function(p) log(pmax(p, .Machine$double.eps))
  if (is.matrix(share)) -least(share[cbind(seq_along(y), y)]) else -(y * least(share) + (1 - y) * least(1 - share))
}

need_lasso_classes <- function(fit) {
  if (!length(check_fit(fit)$levels)) {
    abort("argument", paste0("`object` has no classes, but family = ", show_value(family_of(fit)$name),
      "; deviance() and predict() say how good it is."), "object")
  }
}

#' @rdname calibration
#' @export
#' @exportS3Method caret::calibration wbb_lasso
calibration.wbb_lasso <- function(object, x = NULL, y = NULL, class = NULL, bins = 10, level = 0.95, lambda = NULL,
                                  newoffset = NULL, ...) {
  check_dots(..., .function = "calibration", .known = names(formals()))
  need_lasso_classes(object)
  bins <- check_count(bins, "bins", 1, 1e6)
  level <- check_level(level)
  if (!is.null(class)) class <- match(check_choice(class, "class", object$levels), object$levels)
  seen <- seen_classes(object, x, y)
  rows_over_path(object, lambda, function(at) {
    share <- predict(with_rows_of(object, NULL), x, estimate = "mean", lambda = at, newoffset = newoffset)
    if (is.null(object$spec$classes)) {
      # The second class is the success.
      success <- is.null(class) || class == 2L
      return(calibration_table(if (success) share else 1 - share, if (success) seen$y else 1 - seen$y, bins, level, seen$trials))
    }
    chosen <- if (is.null(class)) max.col(share, "first") else rep(class, nrow(share))
    calibration_table(share[cbind(seq_along(chosen), chosen)], seen$y == chosen, bins, level)
  })
}

# What was observed at the fit's rows or at new ones, and in how many trials.
seen_classes <- function(fit, x, y) {
  if (is.null(x)) {
    if (!is.null(y)) bad_argument("x", "be given with `y`", NULL, "is missing")
    check_kept(fit, "y")
    seen <- fit[c("y", "trials")]
    # Proportions have their trials in the weights.
    if (is.null(seen$trials) && is.null(fit$spec$classes) && any(fit$y > 0 & fit$y < 1)) seen$trials <- row_weights(fit)
  } else {
    if (is.null(y) && is.data.frame(x)) y <- observed_response(fit$terms, x)
    if (is.null(y)) bad_argument("y", "be what was observed at `x`", NULL, "is missing")
    seen <- family_of(fit)$code(y, "y", nrow(x), fit$levels)
  }
  list(y = seen$y, trials = if (is.null(seen$trials)) rep(1L, length(seen$y)) else seen$trials)
}
