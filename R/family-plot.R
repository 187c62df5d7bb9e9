# Pictures that only some families have: whether probabilities are right, and survival curves.

#' @rdname plot.wbb
#' @param newdata,y For `"calibration"` and `"survival"`: other rows than those of the fit, and what was observed there.
#' @param bins For `"calibration"`, as in [calibration()].
#' @export
plot.wbb_lasso <- function(x, type = NULL, pars = NULL, n = NULL, lambda = NULL, level = c(0.5, 0.95),
                           standardize = NULL, col = NULL, main = NULL, newdata = NULL, y = NULL, bins = 10, ...) {
  look <- plot_look(main, ..., .known = names(formals(plot.wbb_lasso)))
  shown <- family_plot_data(x, type, lambda, level, newdata, y, bins)
  if (is.null(shown)) return(plot.wbb(x, type, pars, n, lambda, level, standardize, col, main, ...))
  if (inherits(shown, "wbb_survival")) return(plot(shown, col = col, main = main, ...))
  draw_calibration(shown, look)
  invisible(shown)
}

#' @rdname plot.wbb
#' @method autoplot wbb_lasso
#' @exportS3Method ggplot2::autoplot wbb_lasso
autoplot.wbb_lasso <- function(object, type = NULL, pars = NULL, n = NULL, lambda = NULL, level = c(0.5, 0.95),
                               standardize = NULL, newdata = NULL, y = NULL, bins = 10, ...) {
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
  # A picture has room for one.
  lambda_index(fit, lambda)
  of <- if (is.null(fit$spec$classes)) paste0(show_value(fit$levels[2L])) else "the predicted class"
  list(type = type, level = level, table = calibration(fit, newdata, y, bins = bins, level = level, lambda = lambda),
    bins = bins, of = of, note = dropped_note(fit, lambda))
}
