#' Summarise the draws
#'
#' For each coefficient the mode, the mean and standard deviation of the draws,
#' quantiles, the probabilities of being exactly zero and of being positive, and
#' the Monte Carlo standard error of the mean. The draws are independent, so that
#' this error is the standard deviation over the root of the number of draws. Draws that failed are left out, and
#' counted.
#'
#' @param object A fit, as from [wbb_lasso()].
#' @param probs The probabilities of the quantiles.
#' @param lambda Which value of `lambda`; by default all that were fitted.
#' @param x A summary.
#' @param digits The number of significant digits that are printed.
#' @param ... Not used.
#' @return An object of class `summary.wbb`: a list with the data frame `table` (one
#'   row a coefficient; for a path one row a lambda and coefficient), the number of
#'   draws and those that did not converge, and lambda.
#'   `table` has the columns `term`, `mode`, `mean`, `sd`, one for each
#'   quantile, `p_zero`, `p_positive` and `mcse`; for a path `lambda` comes first. `head()` and `tail()` are those of the table.
#' @examples
#' fit <- wbb_lasso(y ~ ., diabetes, lambda = 50, draws = 200, seed = 1)
#' summary(fit)
#' summary(fit, probs = c(0.05, 0.95))$table
#' @export
summary.wbb <- function(object, probs = c(0.025, 0.5, 0.975), lambda = NULL,
                        digits = max(3L, getOption("digits") - 3L), ...) {
  check_dots(..., .function = "summary", .known = c("probs", "lambda", "digits"))
  summary_parts(object, probs, lambda, digits)
}

summary_parts <- function(fit, probs, lambda, digits) {
  lambdas <- chosen_lambdas(fit, lambda)
  probs <- check_probs(probs)
  table <- do.call(rbind, lapply(lambdas, summary_table, fit = fit, probs = probs))
  structure(
    list(
      fit = structure(
        c(fit[c("call", "lambda", "lambda_from", "cv", "spec", "na.action")], list(redrawn = redrawn_lambdas(fit))),
        class = class(fit)
      ),
      table = table, lambda = lambdas, draws = draw_count(fit$spec),
      not_converged = sum(failed_solutions(fit, lambda)), digits = check_count(digits, "digits")
    ),
    class = "summary.wbb"
  )
}

check_probs <- function(probs) {
  probs <- check_numbers(probs, "probs", lower = 0, must = "be probabilities")
  if (!length(probs)) bad_argument("probs", "be probabilities", probs, "has none")
  if (any(probs > 1)) bad_argument("probs", "be probabilities", probs, paste("has", show_value(probs[probs > 1][1L])))
  probs
}

# Rows of coefficients, a column named as a percentage for each probability.
quantile_columns <- function(draws, probs) {
  quantiles <- t(column_quantiles(draws, probs))
  colnames(quantiles) <- paste0(vapply(100 * probs, format, "", digits = 4), "%")
  quantiles
}

summary_table <- function(lambda, fit, probs) {
  draws <- draws_matrix(fit, lambda)
  sd <- column_sds(draws)
  table <- data.frame(
    term = colnames(draws), mode = point_estimate(fit, lambda, "mode"), mean = draw_means(draws), sd = sd,
    quantile_columns(draws, probs), p_zero = draw_zeros(draws), p_positive = draw_signs(draws),
    mcse = sd / sqrt(nrow(draws)), check.names = FALSE, row.names = NULL
  )
  if (is_path(fit)) cbind(lambda = lambda, table) else table
}

#' @export
coef.summary.wbb <- function(object, ...) object$table

#' @rdname summary.wbb
#' @export
print.summary.wbb <- function(x, digits = x$digits, ...) {
  digits <- check_count(digits, "digits", 1, 22)
  print_header(x$fit)
  for (lambda in x$lambda) {
    rows <- if (is.null(x$table$lambda)) TRUE else x$table$lambda == lambda
    if (length(x$fit$lambda) > 1L) cat("\nlambda = ", format_lambda(lambda), ":\n", sep = "") else cat("\n")
    table <- x$table[rows, ]
    hidden <- hidden_zeros(table$p_zero > 0.5)
    if (!any_zeros(table)) table$p_zero <- NULL
    print(summary_matrix(table[!hidden, ], digits), quote = FALSE, right = TRUE)
    print_hidden(hidden, "zero in most draws")
  }
  cat("\n")
  print_ratios(x$fit)
  print_not_converged(x)
  print_doubt(x$fit)
  invisible(x)
}

#' @rdname summary.wbb
#' @param n The number of coefficients, as in [utils::head()].
#' @importFrom utils head
#' @export
head.summary.wbb <- function(x, n = 6L, ...) utils::head(x$table, n, ...)

# For knitr::kable() and others that make a table of anything.
#' @export
as.data.frame.summary.wbb <- function(x, ...) as.data.frame(x$table, ...)

#' @rdname summary.wbb
#' @importFrom utils tail
#' @export
tail.summary.wbb <- function(x, n = 6L, ...) utils::tail(x$table, n, ...)

print_ratios <- function(fit) {
  ratios <- family_of(fit)$ratios
  if (!is.null(ratios)) write_wrapped(paste0("exp() of coefficients are ", ratios, ": tidy(fit, exponentiate = TRUE)"))
}

# What the fit warned of when it was made, and remains true.
print_doubt <- function(fit) {
  doubt <- grid_doubt(fit)
  if (!is.null(doubt)) write_wrapped(paste0(doubt$message, "."), min(100, getOption("width")))
}

print_not_converged <- function(x) {
  cat("Draws that did not converge: ", x$not_converged, " of ", x$draws * length(x$lambda),
    if (x$not_converged) ", left out", "\n", sep = "")
}

# Coefficients differ in scale: each number has its own digits, probabilities have
# three decimals.
summary_matrix <- function(table, digits) {
  values <- as.matrix(table[setdiff(names(table), c("lambda", "term"))])
  shown <- values
  shown[] <- vapply(values, format, "", digits = digits)
  probabilities <- intersect(c("p_zero", "p_positive"), colnames(values))
  shown[, probabilities] <- probability_text(values[, probabilities])
  if ("mcse" %in% colnames(shown)) shown[, "mcse"] <- vapply(values[, "mcse"], format, "", digits = 2)
  printed <- c(p_zero = "P(=0)", p_positive = "P(>0)", mcse = "MCSE")
  known <- intersect(names(printed), colnames(shown))
  colnames(shown)[match(known, colnames(shown))] <- printed[known]
  rownames(shown) <- table$term
  shown
}
