# What linear fits share: x'b, at the rows of the fit and elsewhere. The lasso, the Bayesian bridge and the
# generalised lasso are linear; linear-predict.R is how they predict.

# The places of names, also of those that model.matrix() has put into backticks.
match_name <- function(given, names) {
  at <- match(given, names)
  ifelse(is.na(at), match(given, gsub("`", "", names, fixed = TRUE)), at)
}

linear_names <- function(design, settings) {
  names <- make.unique(c(if (settings$intercept) "(Intercept)", design$names))
  # One set after the other, where there are classes.
  if (is.null(settings$classes)) names else paste0(rep(design$levels, each = length(names)), ":", names)
}

# Which coefficients are intercepts.
intercept_places <- function(spec) {
  if (!isTRUE(spec$intercept)) return(integer())
  outputs <- max(1L, spec$classes)
  1L + (seq_len(outputs) - 1L) * (length(spec$names) %/% outputs)
}

# The generalised lasso knows of none.
has_intercept <- function(fit) isTRUE(fit$spec$intercept)

# Rows of x by columns of coefficients; an intercept is their first row.
linear_predictor <- function(x, coefficients, intercept) {
  slopes <- if (intercept) coefficients[-1L, , drop = FALSE] else coefficients
  fitted <- as.matrix(x %*% slopes)
  if (intercept) fitted <- fitted + rep(coefficients[1L, ], each = nrow(x))
  unname(fitted)
}

# Of the fit's own rows.
linear_fitted <- function(design, coefficients, intercept, lambda = NULL) {
  fitted <- linear_predictor(design$x, as.matrix(coefficients), intercept)
  per_lambda_shape(as.vector(fitted), design$row_names, lambda)
}
