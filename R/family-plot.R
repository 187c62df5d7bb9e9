# Pictures that only some families have: whether probabilities are right, and survival curves.

#' @rdname calibration
#' @param lambda For a path: which value of `lambda`.
#' @param newoffset The offset of `x`, as in [predict()][predict.wbb_lasso].
#' @export
calibration.wbb_lasso <- function(object, x = NULL, y = NULL, class = NULL, bins = 10, level = 0.95, lambda = NULL,
                                  newoffset = NULL, ...) {
  check_dots(..., .function = "calibration", .known = names(formals()))
  if (!length(check_fit(object)$levels)) {
    abort("argument", "`object` has no classes; calibration() is for the families \"binomial\" and \"multinomial\".", "object")
  }
  bins <- check_count(bins, "bins", 1, 1e6)
  level <- check_level(level)
  if (!is.null(class)) class <- match(check_choice(class, "class", object$levels), object$levels)
  seen <- seen_classes(object, x, y)
  share <- predict(with_rows_of(object, NULL), x, estimate = "mean", lambda = lambda, newoffset = newoffset)
  if (is.null(object$spec$classes)) {
    # The second class is the success.
    success <- is.null(class) || class == 2L
    return(calibration_table(if (success) share else 1 - share, if (success) seen$y else 1 - seen$y, bins, level, seen$trials))
  }
  chosen <- if (is.null(class)) max.col(share, "first") else rep(class, nrow(share))
  calibration_table(share[cbind(seq_along(chosen), chosen)], seen$y == chosen, bins, level)
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

#' @rdname plot.wbb
#' @param newdata,y For `"calibration"` and `"survival"`: other rows than those of the fit, and what was observed there.
#' @param bins For `"calibration"`, as in [calibration()].
#' @export
plot.wbb_lasso <- function(x, type = NULL, pars = NULL, n = 20, lambda = NULL, level = c(0.5, 0.95),
                           standardize = FALSE, col = NULL, main = NULL, newdata = NULL, y = NULL, bins = 10, ...) {
  check_dots(..., .function = "plot", .known = names(formals(plot.wbb_lasso)))
  shown <- family_plot_data(x, type, lambda, level, newdata, y, bins)
  if (is.null(shown)) return(plot.wbb(x, type, pars, n, lambda, level, standardize, col, main))
  if (inherits(shown, "wbb_survival")) return(plot(shown, col = col, main = main))
  draw_calibration(shown, main)
  invisible(shown)
}

#' @rdname plot.wbb
#' @method autoplot wbb_lasso
#' @exportS3Method ggplot2::autoplot wbb_lasso
autoplot.wbb_lasso <- function(object, type = NULL, pars = NULL, n = 20, lambda = NULL, level = c(0.5, 0.95),
                               standardize = FALSE, newdata = NULL, y = NULL, bins = 10, ...) {
  require_package("ggplot2", "`autoplot()`")
  check_dots(..., .function = "autoplot", .known = names(formals(autoplot.wbb_lasso)))
  shown <- family_plot_data(object, type, lambda, level, newdata, y, bins)
  if (is.null(shown)) return(autoplot.wbb(object, type, pars, n, lambda, level, standardize))
  if (inherits(shown, "wbb_survival")) autoplot.wbb_survival(shown) else gg_calibration(shown)
}

# NULL for the pictures that all fits have.
family_plot_data <- function(fit, type, lambda, level, newdata, y, bins) {
  check_fit(fit)
  type <- plot_type(fit, type)
  if (!type %in% family_pictures(fit)) {
    if (!is.null(newdata)) bad_argument("newdata", "be NULL for this picture, which shows the coefficients", newdata)
    return(NULL)
  }
  level <- max(plot_level(level))
  if (type == "survival") return(survival_curve(fit, newdata, level = level, lambda = lambda))
  of <- if (is.null(fit$spec$classes)) paste0(show_value(fit$levels[2L])) else "the predicted class"
  list(type = type, level = level, table = calibration(fit, newdata, y, bins = bins, level = level, lambda = lambda),
    bins = bins, of = of, note = dropped_note(fit, lambda))
}
