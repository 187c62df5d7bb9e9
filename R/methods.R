#' Methods for fits of the weighted Bayesian bootstrap
#'
#' `coef()` gives a point estimate: the mode (the fit with all weights one, the
#' default), or the mean or median of the draws. `vcov()` is the covariance matrix
#' of the draws and `confint()` their equal-tailed credible intervals. `fitted()`
#' and `residuals()` belong to the mode. A fit without mode ([bayes_bridge()]) gives the
#' mean of the draws in its place. Draws that failed are left out of all of these; `print()` and `summary()` say
#' how many. `update()` evaluates the call again with changes.
#'
#' @param object,x,formula A fit, as from [wbb_lasso()].
#' @param estimate For `coef()` the point estimate; `type` is the same.
#' @param type For `residuals()` the type, as for [stats::lm()] and [stats::glm()]: `"response"`,
#'   `"working"`, `"deviance"` or `"pearson"`, the last two times the root of the case weights. With the family `"cox"`
#'   `"response"` are martingale residuals; with `"multinomial"` there is a column for each class.
#' @param lambda Which value of `lambda`. When the fit has several, `coef()`,
#'   `fitted()` and `residuals()` otherwise give a matrix with one column for each, and `vcov()` and `confint()` an array
#'   with a third dimension: see [wbb-path].
#' @param parm Names or numbers of coefficients; by default all.
#' @param level The probability of the interval.
#' @param complete Not used: functions that take any model give it to `coef()` and `vcov()`.
#' @param data New data: by default those of the fit.
#' @param na.action What to do with missing values in `data`.
#' @param digits The number of significant digits.
#' @param ... Not used.
#' @return `coef()`, `fitted()`, `residuals()`: a named vector, or a matrix for a
#'   path. With the family `"multinomial"` all have a column for each class, and for a path a third dimension; with `"cox"`
#'   `fitted()` is the linear predictor, as for `survival::coxph()`. `confint()`: a matrix with the limits as columns. `nobs()`: the number of
#'   rows used. `formula()` and `terms()`: those of the formula interface; an error for a fit of `x` and `y`.
#'   `head()` and `tail()`: the first and the last draws, as a data frame.
#'   `variable.names()`: the names of the coefficients, `labels()` those of the terms, `case.names()` those of the rows. `model.frame()`: the variables of the formula.
#'   `model.matrix()`: a matrix with a column for each coefficient, so that `model.matrix(fit) %*% coef(fit)` is
#'   `fitted(fit)`, on the scale of the link; for a trend it is sparse, and for networks it has the inputs.
#' @examples
#' fit <- wbb_lasso(y ~ bmi + map + ltg + age, diabetes, lambda = 50, draws = 200, seed = 1)
#' fit
#' coef(fit)
#' coef(fit, "mean")
#' sqrt(diag(vcov(fit)))
#' confint(fit, c("bmi", "ltg"), level = 0.9)
#' head(residuals(fit))
#' update(fit, . ~ . - age, draws = 100)
#' @name wbb-methods
NULL

#' @rdname wbb-methods
#' @export
coef.wbb <- function(object, type = c("mode", "mean", "median"), lambda = NULL, complete = TRUE, estimate = type, ...) {
  check_dots(..., .function = "coef", .known = c("estimate", "lambda"))
  type <- check_choice(estimate, "estimate", c("mode", "mean", "median"))
  lambdas <- chosen_lambdas(object, lambda)
  estimates <- vapply(lambdas, point_estimate, numeric(length(object$spec$names)), fit = object, type = type)
  if (!is.null(object$spec$classes)) return(class_shape(estimates, object, lambdas))
  per_lambda_shape(estimates, object$spec$names, lambdas)
}

# A column for each class; a path has a third dimension.
class_shape <- function(estimates, fit, lambdas) {
  path <- length(lambdas) > 1L
  columns <- c(if (has_intercept(fit)) "(Intercept)", fit$spec$columns)
  array(estimates, c(length(columns), fit$spec$classes, if (path) length(lambdas)),
    c(list(columns, fit$levels), if (path) list(format_lambda(lambdas))))
}

point_estimate <- function(fit, lambda, type) {
  switch(type,
    mode = if (has_mode(fit)) mode_estimate(fit, lambda) else draw_means(draws_matrix(fit, lambda)),
    mean = draw_means(draws_matrix(fit, lambda)),
    median = column_quantiles(draws_matrix(fit, lambda), 0.5)[1L, ]
  )
}

# NA where a picture would show it.
mode_estimate <- function(fit, lambda) {
  if (has_mode(fit)) as.matrix(fit$mode)[, lambda_index(fit, lambda)] else rep(NA_real_, length(fit$spec$names))
}

# Chains have none: their fits give the mean in its place.
has_mode <- function(fit) !is.null(fit$mode)

#' @rdname wbb-methods
#' @export
vcov.wbb <- function(object, lambda = NULL, complete = TRUE, ...) {
  check_dots(..., .function = "vcov", .known = "lambda")
  check_fit(object)
  over_path(object, lambda, function(at) stats::cov(draws_matrix(object, at)))
}

#' @rdname wbb-methods
#' @export
confint.wbb <- function(object, parm, level = 0.95, lambda = NULL, ...) {
  check_dots(..., .function = "confint", .known = c("parm", "level", "lambda"))
  check_fit(object)
  names <- object$spec$names
  chosen <- if (missing(parm)) seq_along(names) else check_parm(parm, names)
  over_path(object, lambda, function(at) credible_limits(draws_matrix(object, at)[, chosen, drop = FALSE], level))
}

credible_limits <- function(draws, level) {
  probs <- interval_probs(check_level(level))
  limits <- t(column_quantiles(draws, probs))
  colnames(limits) <- percent(probs)
  limits
}

check_parm <- function(parm, names, argument = "parm") {
  if (!is.atomic(parm) || is_classed_table(parm)) bad_argument(argument, paste("name coefficients of the fit:", show_values(names)), parm)
  at <- if (is.character(parm)) match_name(parm, names) else match(parm, seq_along(names))
  if (anyNA(at)) {
    bad_argument(argument, paste("name coefficients of the fit:", show_values(names)), parm,
      paste("has", show_value(parm[is.na(at)][1L])))
  }
  at
}

interval_probs <- function(level) c((1 - level) / 2, 1 - (1 - level) / 2)

percent <- function(probs) paste(format(100 * probs, trim = TRUE, digits = 3), "%")

#' @rdname wbb-methods
#' @export
fitted.wbb <- function(object, lambda = NULL, ...) {
  check_dots(..., .function = "fitted", .known = "lambda")
  check_fit(object)
  if (is.null(object$fitted)) check_kept(object, "fitted")
  pad_rows(object$na.action, of_lambda(object, object$fitted, lambda))
}

#' @rdname wbb-methods
#' @export
residuals.wbb <- function(object, type = c("response", "working", "deviance", "pearson"), lambda = NULL, ...) {
  check_dots(..., .function = "residuals", .known = c("type", "lambda"))
  check_fit(object)
  check_kept(object, "y")
  type <- check_choice(type, "type", residual_types)
  of <- function(index) family_of(object)$residuals(mode_parts(object, index), type)
  pad_rows(object$na.action, over_path(object, lambda, function(at) of(lambda_index(object, at))))
}

residual_types <- c("response", "working", "deviance", "pearson")

# Columns of a path stay together unless one is asked for.
of_lambda <- function(fit, values, lambda) {
  if (is_path(fit)) {
    if (is.null(lambda)) return(values)
    index <- lambda_index(fit, lambda)
    return(if (length(dim(values)) == 3L) values[, , index] else values[, index])
  }
  if (!is.null(lambda)) lambda_index(fit, lambda)
  values
}

check_kept <- function(fit, part) {
  if (isTRUE(fit$spec$summed)) {
    abort("rows", paste("The fit was made from sums, or from rows that were read in chunks, and has no rows of its own: there are no fitted values, residuals or other things of a row.",
      "Use predict() with `newdata`, which may be a wbb_source()."), "object")
  }
  if (is.null(fit[[part]]) && !is.null(fit$spec$imputations)) {
    abort("argument", paste("The fit is pooled over imputations and has no data of its own; give `newdata`,",
      "or ask the fits of the imputations."), "object")
  }
  if (inherits(fit, "wbb_any")) refuse_of_any("This", use_statistic)
  if (is.null(fit[[part]])) {
    abort("argument", "The fit was made with `keep_data = FALSE` and has no data; refit with `keep_data = TRUE`.",
      "keep_data")
  }
}

#' @rdname wbb-methods
#' @export
nobs.wbb <- function(object, ...) {
  check_fit(object)
  object$spec$n
}

#' @rdname wbb-methods
#' @export
formula.wbb <- function(x, ...) {
  check_fit(x)
  need_formula(x, "formula")
  x$formula
}

#' @rdname wbb-methods
#' @importFrom stats terms
#' @export
terms.wbb <- function(x, ...) {
  check_fit(x)
  need_formula(x, "terms")
  x$terms
}

need_formula <- function(fit, what) {
  if (is.null(fit$terms)) {
    abort("argument", paste0("The fit was made from data and not from a formula, and has no ", what,
      "; model.matrix(), variable.names() and nobs() say what it was made from."), "formula")
  }
}

#' @rdname wbb-methods
#' @export
model.frame.wbb <- function(formula, data = NULL, na.action = stats::na.omit, ...) {
  check_dots(..., .function = "model.frame", .known = c("data", "na.action"))
  fit <- check_fit(formula)
  need_formula(fit, "model frame")
  if (is.null(data)) check_kept(fit, "y")
  if (is.null(data)) return(fit$model)
  if (!is.list(data)) bad_argument("data", "be a data frame", data)
  check_columns(all.vars(fit$terms[[2L]]), names(data), "data")
  formula_error(match.fun(na.action)(new_frame(fit, fit$terms, data, "data")), "data")
}

#' @rdname wbb-methods
#' @export
model.matrix.wbb <- function(object, data = NULL, ...) {
  check_dots(..., .function = "model.matrix", .known = "data")
  check_fit(object)
  x <- if (is.null(data)) own_columns(object) else new_x(object, data, "data")
  if (isTRUE(object$spec$intercept)) x <- cbind(`(Intercept)` = 1, x)
  # Others find the columns of a term by it.
  if (!is.null(object$terms) && is.matrix(x)) attributes(x)[c("assign", "contrasts")] <- column_terms(object)
  x
}

# The term that each column belongs to, and the codings of factors, as model.matrix() has them.
column_terms <- function(fit) {
  if (is.null(fit$model)) return(list(NULL, fit$contrasts))
  assign <- first_block(fit$terms, fit$model, fit$contrasts)$assign
  list(c(if (isTRUE(fit$spec$intercept)) 0L, assign), fit$contrasts)
}

#' @rdname wbb-methods
#' @param n The number of draws to show, as in [utils::head()].
#' @importFrom utils head
#' @export
head.wbb <- function(x, n = 6L, ...) utils::head(as.data.frame(x), check_rows_shown(n), ...)

#' @rdname wbb-methods
#' @importFrom utils tail
#' @export
tail.wbb <- function(x, n = 6L, ...) utils::tail(as.data.frame(x), check_rows_shown(n), ...)

# A number of draws or, below zero, of those to leave out.
check_rows_shown <- function(n) check_count(n, "n", lower = -.Machine$integer.max)

#' @rdname wbb-methods
#' @export
variable.names.wbb <- function(object, ...) {
  check_fit(object)
  object$spec$names
}

#' @rdname wbb-methods
#' @importFrom stats case.names
#' @export
case.names.wbb <- function(object, ...) {
  check_fit(object)
  check_kept(object, "y")
  of_rows <- rownames(as.matrix(fitted(object)))
  if (is.null(of_rows)) as.character(seq_len(nobs(object))) else of_rows
}

#' @rdname wbb-methods
#' @export
labels.wbb <- function(object, ...) labels(terms(object))

#' @rdname wbb-methods
#' @export
print.wbb <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- check_count(digits, "digits", 1, 22)
  check_fit(x)
  print_header(x)
  if (is_path(x)) print_path(x, digits) else print_posterior(x, digits)
  print_failures(x)
  invisible(x)
}

# The most coefficients that are shown without being asked for: as in a notebook.
print_most <- 30L

# What a notebook shows, without pictures.
print_posterior <- function(fit, digits) {
  # Also a fit without any usable draw is to be looked at.
  if (!length(solved_draws(fit, fit$lambda))) {
    cat("\nMode:\n")
    return(print(utils::head(coef(fit), print_most), digits = digits))
  }
  table <- summary_table(fit$lambda, fit, c(0.025, 0.975))
  all <- nrow(table)
  table <- table[shown_rows(table), ]
  if (!has_mode(fit)) table$mode <- NULL
  if (!any_zeros(table)) table$p_zero <- NULL
  cat("\n")
  print(summary_matrix(table[setdiff(names(table), c("p_positive", "mcse"))], digits), quote = FALSE, right = TRUE)
  if (nrow(table) < all) write_wrapped(paste("and", all - nrow(table), "more, zero in most draws or with a smaller |mean| / sd"))
}

# Of many coefficients those that matter: seldom zero, and far from it.
shown_rows <- function(table) {
  if (nrow(table) <= print_most) return(seq_len(nrow(table)))
  seldom <- which(table$p_zero <= 0.5)
  signal <- ifelse(table$mean == 0, 0, abs(table$mean) / table$sd)[seldom]
  sort(seldom[utils::head(order(table$p_zero[seldom], -signal), print_most)])
}

print_path <- function(fit, digits) {
  cat("\nMode:\n")
  mode <- fit$mode
  hidden <- hidden_zeros(rowSums(mode != 0) == 0)
  print(mode[!hidden, , drop = FALSE], digits = digits)
  print_hidden(hidden, "zero")
}

# Of many coefficients those that are zero are not worth a line.
hidden_zeros <- function(zero, most = 40L) if (length(zero) > most) zero else zero & FALSE

print_hidden <- function(hidden, what) {
  if (any(hidden)) cat("and", sum(hidden), "that are", what, "\n")
}

# What print() and summary() open with.
print_header <- function(fit) {
  words <- describe(fit)
  write_wrapped(words$title)
  cat("\n")
  cat(call_text(fit$call), "\n", sep = "")
  write_wrapped(paste0(c("Data", names(words$lines)), ": ", c(data_text(fit, words), words$lines)))
}

# Sentences that are longer than the console is wide, the rest of each moved in.
write_wrapped <- function(lines, width = getOption("width")) {
  for (line in lines) writeLines(if (nchar(line) > width) strwrap(line, width + 1L, exdent = 2) else line)
}

print_failures <- function(fit) {
  words <- failure_words(fit)
  if (!is.null(words)) cat("\n", words, "\n", sep = "")
}

failure_words <- function(fit) {
  failed <- failed_solutions(fit)
  words <- c(
    if (any(failed)) {
      paste0("Left out: ", sum(failed), " of ", counted(length(failed), "solution"), " (", status_words(fit$diagnostics$status[failed]), ")")
    },
    if (any(failed_status(fit$mode_diagnostics$status))) "The mode did not converge"
  )
  if (length(words)) words <- paste0(paste(words, collapse = ". "), "; see fit$diagnostics")
  # The run was stopped: see last_wbb().
  unfinished <- if (!is.null(fit$asked)) {
    paste0("Unfinished: ", with_commas(draw_count(fit$spec)), " of ", counted(settings_draws(fit$asked), "draw"), "; ?last_wbb says how to go on")
  }
  words <- c(words, unfinished)
  if (length(words)) paste(words, collapse = ". ")
}
