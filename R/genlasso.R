#' Weighted Bayesian bootstrap of the generalised lasso
#'
#' Draws from the weighted Bayesian bootstrap posterior of a least squares problem
#' with the penalty \eqn{\lambda \|D\beta\|_1}{lambda |D b|_1} for any sparse matrix `D`: the fused
#' lasso on a graph, images on a grid, differences of your own. For a series use
#' [wbb_trendfilter()], which is much faster and has exact zeros.
#'
#' A draw minimises
#' \deqn{\frac12 \sum_i w_i (y_i - x_i'\beta)^2 + \lambda w_0 \| D \beta \|_1 .}{
#'   1/2 sum_i w_i (y_i - x_i'b)^2 + lambda w0 |D b|_1.}
#' It is solved by an interior point to a certified duality gap. Coefficients whose difference vanishes are then given
#' one value, so that rows of `D` with two entries \eqn{\pm a}{+a and -a} (the fused lasso on any graph) are exactly zero in
#' \eqn{D\beta}, as are those with one entry; rows with more, such as second differences, are tiny. Nothing is centred or
#' standardised. Without a formula there is no intercept: give `X` a column of ones if there is to be one. With a
#' formula there is one, which is not penalised, unless the formula says `0 +`. A row of weight zero (laws
#' `"poisson"` and `"multinomial"`) is given \eqn{10^{-10}} of the mean weight.
#'
#' @section Cross-validation:
#' `lambda = "cv"` holds out rows in turn and predicts them by the fit to the others, at lambdas from one at which all differences
#' vanish down. The held-out rows of a signal (`X = NULL`) are predicted by what the penalty makes of their neighbours; if `D`
#' does not connect a row to others, it says nothing of `lambda`.
#'
#' @param y The response; without `X` it may be a matrix, an image of which each element has a coefficient, column after
#'   column. Or a formula, whose predictors are the columns of `X`.
#' @param X The design, a matrix or a sparse matrix of package Matrix; `NULL` is the identity, one
#'   coefficient for each element of `y`.
#' @param D The penalty matrix, with one column for each coefficient (but the intercept of a formula); a matrix or a sparse one.
#'   Columns with the names of coefficients may come in any order.
#' @param lambda The strength of the penalty: `"cv"` for cross-validation, a non-negative number, or several distinct ones (a path).
#' @param nlambda The number of lambdas of the cross-validation.
#' @param lambda_min_ratio Their smallest as a share of the largest; `NULL` is `1e-4`.
#' @param prior_weight The weight of the penalty in a draw: `"random"`, one Exp(1)
#'   number; `"fixed"`, always 1; `"coef"`, one Exp(1) number for each row of `D`.
#' @param tolerance The duality gap to reach, relative to the objective.
#' @param max_iterations The most iterations of the solver in a draw.
#' @inheritParams wbb_lasso
#' @return An object of class `c("wbb_genlasso", "wbb")` with the methods of all fits:
#'   [summary()][summary.wbb], [coef()][coef.wbb], [confint()][confint.wbb],
#'   [fitted()][coef.wbb], [predict()][predict.wbb_lasso], [as.matrix()][as.matrix.wbb], [plot()][plot.wbb_genlasso].
#' @examples
#' # A step in a small picture: differences along the edges of a grid
#' side <- 8
#' at <- matrix(seq_len(side^2), side)
#' edges <- rbind(cbind(c(at[-side, ]), c(at[-1, ])), cbind(c(at[, -side]), c(at[, -1])))
#' rows <- seq_len(nrow(edges))
#' D <- Matrix::sparseMatrix(rep(rows, 2), c(edges), x = rep(c(-1, 1), each = nrow(edges)))
#' set.seed(1)
#' y <- matrix(rep(c(0, 3), each = side^2 / 2) + rnorm(side^2), side)
#' fit <- wbb_genlasso(y, D = D, draws = 100, nlambda = 20, seed = 1)
#' fit
#' plot(fit)
#'
#' # Neighbouring ages have similar effects: a fused lasso of a regression, with an intercept
#' aged <- transform(diabetes, age = cut(age, c(0, 30, 40, 50, 60, 90)))
#' bands <- wbb_genlasso(y ~ age + bmi, aged, D = cbind(rbind(c(1, 0, 0, 0), diff(diag(4))), 0),
#'   lambda = 500, draws = 100, seed = 1)
#' summary(bands)
#' @export
wbb_genlasso <- function(y, ...) UseMethod("wbb_genlasso", entry(y, ...))

#' @rdname wbb_genlasso
#' @export
wbb_genlasso.default <- function(y, X = NULL, D = NULL, lambda = "cv", draws = 1000,
                                 prior_weight = c("random", "fixed", "coef"),
                                 weights = "exponential", case_weights = NULL, cluster = NULL,
                                 lambda_rule = c("min", "1se"), nfolds = 10, foldid = NULL,
                                 nlambda = 30, lambda_min_ratio = NULL,
                                 seed = NULL, first_draw = 1, threads = NULL,
                                 backend = c("threads", "future"), progress = NULL,
                                 tolerance = 1e-6, max_iterations = 200, keep_data = TRUE, ...) {
  fit_default(..., .estimator = genlasso_estimator(), .design = genlasso_design(y, X), .call = match.call())
}

#' @rdname wbb_genlasso
#' @export
wbb_genlasso.formula <- function(formula, data, D, ..., case_weights, cluster, foldid, subset, na.action, contrasts = NULL) {
  if (missing(D)) D <- NULL
  fit_formula(D = D, ..., .estimator = genlasso_estimator(), .call = match.call(), .env = parent.frame())
}

genlasso_estimator <- function() {
  list(
    name = "wbb_genlasso", class = "wbb_genlasso", default = wbb_genlasso.default, data = c("y", "X"),
    rows = c("case_weights", "cluster", "foldid"),
    prepare = genlasso_prepare, job = genlasso_job, shapes = genlasso_shapes, object = genlasso_object,
    doubt = convergence_doubt
  )
}

# Data and settings ----------------------------------------------------------------

genlasso_design <- function(y, x) {
  if (missing(y) || is.null(y)) bad_argument("y", "be the response", NULL, "is missing")
  image <- if (is.null(x) && is.matrix(y) && ncol(y) > 1L) dim(y)
  if (!is.null(image)) y <- as.vector(y)
  row_names <- names(y)
  named <- !is.null(colnames(x))
  x <- if (!is.null(x)) genlasso_matrix(x, "X")
  y <- check_response(y, "y", if (is.null(x)) length(y) else nrow(x))
  names <- if (!is.null(x)) column_names(x) else if (!is.null(row_names)) make.unique(row_names) else as_text(seq_along(y), "b")
  list(x = x, y = y, names = names, named = named, row_names = row_names, image = image, intercept = FALSE)
}

# As Rust takes them: sparse, the intercept a column that is not penalised.
with_intercept <- function(matrix, value, intercept) {
  sparse <- as(as(matrix, "CsparseMatrix"), "generalMatrix")
  if (intercept) cbind(Matrix::Matrix(value, nrow(sparse), 1L, sparse = TRUE), sparse) else sparse
}

genlasso_penalty <- function(d, design) {
  if (is.null(d)) bad_argument("D", "be a matrix", NULL, "is missing")
  penalty <- genlasso_matrix(d, "D")
  if (ncol(penalty) != length(design$names)) {
    bad_argument("D", paste("have one column for each of the", length(design$names), "coefficients",
      if (design$intercept) "(the intercept has none)"), d, paste("has", ncol(penalty)))
  }
  penalty <- by_coefficient(penalty, colnames(d), design$names)
  as(with_intercept(penalty, 0, design$intercept), "generalMatrix")
}

# Columns that bear the names of coefficients are theirs, in whatever order; other names say nothing.
by_coefficient <- function(penalty, given, names) {
  known <- given %in% names
  if (!any(known) || identical(given, names)) return(penalty)
  if (!all(known) || anyDuplicated(given)) {
    wrong <- if (all(known)) given[anyDuplicated(given)] else given[!known][1L]
    bad_argument("D", "have the names of all coefficients as column names, or none of them", NULL,
      paste("has", show_values(given[known]), "and", show_value(wrong), if (all(known)) "a second time"))
  }
  penalty[, match(names, given), drop = FALSE]
}

genlasso_matrix <- function(x, argument) {
  if (!is(x, "Matrix") && (!is.matrix(x) || is_classed_table(x))) bad_argument(argument, "be a matrix", x)
  x <- numeric_x(x, argument)
  check_extent(x, argument)
  check_finite_x(x, argument)
  as(as(x, "CsparseMatrix"), "generalMatrix")
}

genlasso_prepare <- function(design, given, call) {
  penalty <- genlasso_penalty(given$D, design)
  lambda <- check_lambda(given$lambda, "cv")
  weights <- weight_settings(given, length(design$y))
  settings <- c(
    list(D = penalty, p = ncol(penalty), penalties = nrow(penalty), lambda = lambda, intercept = design$intercept),
    weights, cv_settings(given, length(design$y), weights$cluster, lambda), limit_settings(given),
    coefficient_settings(given, ncol(penalty), lambda)
  )
  list(design = design, settings = settings)
}

# The object -----------------------------------------------------------------------

genlasso_job <- function(design, settings, progress = FALSE) {
  x <- if (!is.null(design$x)) rust_matrix(with_intercept(design$x, 1, settings$intercept))
  run_job(function() rust_genlasso_job(design$y, x, rust_matrix(settings$D), settings), progress, keep = TRUE)
}

genlasso_shapes <- function(result, design, settings) {
  list(draws = draws_shape(settings$draws, linear_names(design, settings), result$lambda))
}

genlasso_object <- function(result, design, settings) {
  names <- linear_names(design, settings)
  mode <- per_lambda_shape(result$mode, names, result$lambda)
  x <- if (is.null(design$x)) Matrix::Diagonal(length(design$y)) else design$x
  list(
    draws = result$draws, mode = mode, lambda = result$lambda,
    lambda_from = if (is.null(result$cv)) "user" else "cv", cv = cv_result(result$cv, settings),
    diagnostics = solver_diagnostics(result, settings), mode_diagnostics = mode_diagnostics(result),
    spec = list(names = names, columns = design$names, named = design$named, signal = is.null(design$x), image = design$image),
    method = result$method,
    fitted = linear_fitted(list(x = x, row_names = design$row_names), mode, settings$intercept, result$lambda)
  )
}

#' @export
needed_parts.wbb_genlasso <- function(fit) {
  list(
    fit = c("mode", "lambda", "lambda_from", "mode_diagnostics", "fitted"),
    spec = c("names", "segments", "D", "penalties", "weights", "prior_weight", "signal"),
    diagnostics = c("status", "sigma")
  )
}

#' @export
describe.wbb_genlasso <- function(fit) {
  describe_bootstrap(
    fit, paste("generalised lasso with", counted(nrow(fit$spec$D), "penalised difference")),
    paste0(counted(fit$spec$n, "row"), ", ", counted(length(fit$spec$names), "column"))
  )
}

#' @rdname tidy.wbb
#' @method glance wbb_genlasso
#' @exportS3Method generics::glance wbb_genlasso
glance.wbb_genlasso <- function(x, ...) {
  check_dots(..., .function = "glance", .known = character(), .foreign = of_tables)
  check_fit(x)
  failed <- matrix(failed_solutions(x), ncol = length(x$lambda))
  data.frame(
    nobs = x$spec$n, draws = draw_count(x$spec), lambda = x$lambda, sigma = x$mode_diagnostics$sigma,
    not.converged = as.integer(colSums(failed)), row.names = NULL
  )
}
