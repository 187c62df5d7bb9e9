# Several fits of the same coefficients side by side: a table and a picture.

#' Compare fits
#'
#' Puts the posteriors of several fits side by side: weighted Bayesian bootstraps with
#' different settings, or a bootstrap and a [bayes_bridge()].
#'
#' Coefficients are matched by name; one that a fit does not have is left empty. A fit
#' with several values of `lambda` is compared at each of them, unless `lambda` says which: its label has the value, as in
#' `fit[50]`. Draws that failed are left out.
#'
#' @param ... Fits. The names of the arguments are their labels; a fit without one is labelled by the variable that
#'   was typed, or by its place (`"fit 2"`) if that was no variable. Equal labels are numbered.
#' @param lambda For fits with several values of `lambda`: which one; by default all.
#' @param level The probability of the interval in the table; in a picture of intervals the
#'   probabilities of the inner and the outer interval, or of one.
#' @param x A comparison.
#' @param row.names,optional As in [as.data.frame()].
#' @param digits The number of significant digits.
#' @return `compare()`: an object of class `wbb_comparison`, a list with the data frame
#'   `table`, the `fits` and the `lambda` of each that has several. `table`, which `as.data.frame()` also gives, has one row a
#'   coefficient and fit: `term`, `fit`, `mean`, `sd`, `lwr`, `upr`, `p_zero` and
#'   `p_positive`. `plot()` returns the numbers shown, invisibly; `autoplot()` a ggplot object.
#' @examples
#' random <- wbb_lasso(y ~ ., diabetes, draws = 500, seed = 1)
#' fixed <- update(random, prior_weight = "fixed")
#' both <- compare(random, fixed)
#' both
#' plot(both, pars = c("tc", "ldl", "hdl", "tch"))
#' head(as.data.frame(both))
#' @export
compare <- function(...) UseMethod("compare")

# loo has a function of this name, for objects of its own.
#' @export
compare.default <- function(...) {
  if (...length() && inherits(..1, c("loo", "compare.loo", "psis_loo", "waic"))) return(loo::loo_compare(...))
  compare.wbb(...)
}

#' @rdname compare
#' @export
compare.wbb <- function(..., lambda = NULL, level = 0.95) {
  fits <- list(...)
  level <- check_level(level)
  if (!length(fits)) bad_argument("...", "hold fits", NULL, "is empty")
  typed <- vapply(as.list(substitute(list(...)))[-1L], function(e) if (is.symbol(e)) as.character(e) else "", "")
  labels <- comparison_labels(names(fits), typed)
  for (fit in fits) {
    if (!inherits(fit, "wbb")) bad_argument("...", "all be fits of wbb", fit, paste("one is", show_value(fit)))
    if (inherits(fit, "wbb_mlp")) {
      bad_argument("...", "have coefficients that mean the same in all fits", fit, "one is a network",
        "Compare networks by what they predict: accuracy(), log_loss().")
    }
  }
  compared <- compared_fits(fits, labels, lambda)
  labels <- names(compared$fits)
  rows <- lapply(labels, function(label) comparison_rows(compared$fits[[label]], label, compared$lambda[[label]], level))
  table <- do.call(rbind, rows)
  terms <- unique(table$term)
  table <- table[order(match(table$term, terms), match(table$fit, labels)), ]
  row.names(table) <- NULL
  structure(c(list(table = table), compared, list(level = level)), class = "wbb_comparison")
}

# Fits and lambdas by label: a path is there once for each lambda that is meant. Others have none.
compared_fits <- function(fits, labels, lambda) {
  parts <- Map(fits, labels, f = function(fit, label) {
    check_fit(fit)
    if (!is_path(fit)) return(list(fits = stats::setNames(list(fit), label), lambda = stats::setNames(list(NULL), label)))
    at <- if (is.null(lambda)) fit$lambda else fit$lambda[lambda_index(fit, lambda)]
    label <- if (is.null(lambda)) at_lambda(label, at) else label
    list(fits = stats::setNames(rep(list(fit), length(at)), label), lambda = stats::setNames(as.list(at), label))
  })
  lapply(list(fits = "fits", lambda = "lambda"), function(part) do.call(c, unname(lapply(parts, `[[`, part))))
}

comparison_labels <- function(names, typed) {
  labels <- if (is.null(names)) rep("", length(typed)) else names
  labels[labels == ""] <- typed[labels == ""]
  blank <- labels == ""
  labels[blank] <- paste("fit", which(blank))
  make.unique(labels)
}

comparison_rows <- function(fit, label, lambda, level) {
  draws <- draws_matrix(fit, lambda)
  limits <- column_quantiles(draws, interval_probs(level))
  data.frame(
    term = colnames(draws), fit = label, mean = draw_means(draws), sd = column_sds(draws),
    lwr = limits[1L, ], upr = limits[2L, ], p_zero = draw_zeros(draws), p_positive = draw_signs(draws),
    row.names = NULL
  )
}

#' @rdname compare
#' @export
print.wbb_comparison <- function(x, digits = 3L, ...) {
  digits <- check_count(digits, "digits", 1, 22)
  terms <- unique(x$table$term)
  blocks <- lapply(names(x$fits), function(label) {
    rows <- x$table[x$table$fit == label, ]
    comparison_block(rows[match(terms, rows$term), ], label, digits)
  })
  names <- format(c("", "", terms))
  lines <- do.call(paste, c(list(names), blocks, list(sep = "   ")))
  writeLines(sub(" +$", "", lines))
  invisible(x)
}

# Lines of one fit, all of one width: its label, the columns' names, the numbers.
comparison_block <- function(rows, label, digits) {
  text <- list(
    c("mean", vapply(rows$mean, format, "", digits = digits)),
    c("sd", vapply(rows$sd, format, "", digits = digits)),
    if (any_zeros(rows)) c("P(=0)", probability_text(rows$p_zero))
  )
  text <- Filter(Negate(is.null), text)
  absent <- c(FALSE, is.na(rows$term))
  text <- lapply(text, function(column) ifelse(absent, "", column))
  columns <- do.call(paste, lapply(text, format, justify = "right"))
  width <- max(nchar(columns), nchar(label))
  c(format(label, width = width, justify = "centre"), formatC(columns, width = width))
}

#' @rdname compare
#' @export
as.data.frame.wbb_comparison <- function(x, row.names = NULL, optional = FALSE, ...) {
  with_row_names(x$table, row.names)
}

#' @rdname compare
#' @inheritParams plot.wbb
#' @param type `"density"` or `"interval"`.
#' @export
plot.wbb_comparison <- function(x, type = c("density", "interval"), pars = NULL, n = NULL, level = c(0.5, 0.95),
                                standardize = NULL, col = NULL, main = NULL, ...) {
  look <- plot_look(main, ..., .known = names(formals(plot.wbb_comparison)))
  type <- check_choice(type, "type", c("density", "interval"))
  data <- comparison_data(x, type, pars, either(n, room_for(type)), level, standardize)
  draw_plot_data(data, col, look)
  invisible(data)
}

#' @rdname compare
#' @param object A comparison.
#' @method autoplot wbb_comparison
#' @exportS3Method ggplot2::autoplot wbb_comparison
autoplot.wbb_comparison <- function(object, type = c("density", "interval"), pars = NULL, n = NULL,
                                    level = c(0.5, 0.95), standardize = NULL, ...) {
  require_package("ggplot2", "`autoplot()`")
  check_dots(..., .function = "autoplot", .known = names(formals(autoplot.wbb_comparison)))
  gg_plot_data(comparison_data(object, type, pars, n, level, standardize))
}

# The fits' own data, with panels numbered by the names of all fits: the same
# coefficient may stand in different columns.
comparison_data <- function(x, type, pars, n, level, standardize) {
  type <- check_choice(type, "type", c("density", "interval"))
  if (length(x$fits) > length(fit_colours)) {
    bad_argument("x", paste("compare at most", length(fit_colours), "fits in a picture"), NULL,
      paste("compares", length(x$fits)))
  }
  n <- if (is.null(n)) most_shown(type) else check_count(n, "n")
  # One scale for all.
  if (is.null(standardize)) standardize <- type == "interval" && all(vapply(x$fits, has_columns, NA))
  terms <- unique(x$table$term)
  if (!is.null(pars)) pars <- terms[match_pars(pars, terms)]
  data <- lapply(names(x$fits), function(label) {
    fit <- x$fits[[label]]
    chosen <- if (is.null(pars)) comparison_pars(x, n) else pars
    chosen <- intersect(chosen, fit_names(fit))
    if (!length(chosen)) return(NULL)
    one <- plot_data(fit, type, chosen, n, x$lambda[[label]], level, standardize, label)
    for (part in names(one)[vapply(one, is.data.frame, NA)]) one[[part]]$index <- match(one[[part]]$name, terms)
    one
  })
  stack_plot_data(Filter(Negate(is.null), data))
}

# Those that the first fit would show alone, so that all fits show the same.
comparison_pars <- function(x, n) {
  first <- x$fits[[1L]]
  fit_names(first)[plot_columns(first, NULL, n, x$lambda[[1L]])$index]
}
