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
#' It is solved by an interior point to a certified duality gap. Differences \eqn{D\beta} that would be zero
#' are then tiny, not zero. Nothing is centred or standardised and there is no intercept: give `X` a
#' column of ones if there is to be one. A row of weight zero (laws `"poisson"` and `"multinomial"`) is
#' given \eqn{10^{-10}} of the mean weight.
#'
#' @param y The response.
#' @param X The design, a matrix or a sparse matrix of package Matrix; `NULL` is the identity, one
#'   coefficient for each element of `y`.
#' @param D The penalty matrix, with one column for each coefficient; a matrix or a sparse one.
#' @param lambda The strength of the penalty: a non-negative number, or several distinct ones (a path).
#' @param prior_weight The weight of the penalty in a draw: `"random"`, one Exp(1)
#'   number; `"fixed"`, always 1; `"coef"`, one Exp(1) number for each row of `D`.
#' @param tolerance The duality gap to reach, relative to the objective.
#' @param max_iterations The most iterations of the solver in a draw.
#' @inheritParams wbb_lasso
#' @return An object of class `c("wbb_genlasso", "wbb")` with the methods of all fits:
#'   [summary()][summary.wbb], [coef()][coef.wbb], [confint()][confint.wbb],
#'   [fitted()][coef.wbb], [predict()][predict.wbb_lasso], [as.matrix()][as.matrix.wbb], [plot()][plot.wbb].
#' @examples
#' # A step in a small picture: differences along the edges of a grid
#' side <- 8
#' at <- matrix(seq_len(side^2), side)
#' edges <- rbind(cbind(c(at[-side, ]), c(at[-1, ])), cbind(c(at[, -side]), c(at[, -1])))
#' rows <- seq_len(nrow(edges))
#' D <- Matrix::sparseMatrix(rep(rows, 2), c(edges), x = rep(c(-1, 1), each = nrow(edges)))
#' set.seed(1)
#' y <- rep(c(0, 3), each = side^2 / 2) + rnorm(side^2)
#' fit <- wbb_genlasso(y, D = D, lambda = 1, draws = 100, seed = 1)
#' image(matrix(coef(fit, "mean"), side))
#' @export
wbb_genlasso <- function(y, X = NULL, D, lambda, draws = 1000,
                         prior_weight = c("random", "fixed", "coef"),
                         weights = "exponential", case_weights = NULL, cluster = NULL,
                         seed = NULL, first_draw = 1, threads = NULL,
                         backend = c("threads", "future"), progress = NULL,
                         tolerance = 1e-6, max_iterations = 200, keep_data = TRUE, ...) {
  if (missing(lambda)) bad_argument("lambda", "be given as non-negative numbers", NULL, "is not")
  fit_default(..., .estimator = genlasso_estimator(), .design = genlasso_design(y, X, D), .call = match.call())
}

genlasso_estimator <- function() {
  list(
    name = "wbb_genlasso", class = "wbb_genlasso", default = wbb_genlasso, data = c("y", "X", "D"),
    prepare = genlasso_prepare, job = genlasso_job, shapes = genlasso_shapes, object = genlasso_object,
    doubt = convergence_doubt
  )
}

# Data and settings ----------------------------------------------------------------

genlasso_design <- function(y, x, d) {
  if (missing(y) || is.null(y)) bad_argument("y", "be the response", NULL, "is missing")
  if (missing(d)) bad_argument("D", "be a matrix", NULL, "is missing")
  row_names <- names(y)
  named <- !is.null(colnames(x))
  x <- if (!is.null(x)) genlasso_matrix(x, "X")
  y <- check_response(y, "y", if (is.null(x)) length(y) else nrow(x))
  names <- if (!is.null(x)) column_names(x) else if (!is.null(row_names)) make.unique(row_names) else paste0("b", seq_along(y))
  penalty <- genlasso_matrix(d, "D")
  if (ncol(penalty) != length(names)) {
    bad_argument("D", paste("have one column for each of the", length(names), "coefficients"), d,
      paste("has", ncol(penalty)))
  }
  list(x = x, y = y, D = penalty, names = names, named = named, row_names = row_names)
}

genlasso_matrix <- function(x, argument) {
  if (!is.matrix(x) && !is(x, "Matrix")) bad_argument(argument, "be a matrix", x)
  x <- numeric_x(x, argument)
  check_extent(x, argument)
  check_finite_x(x, argument)
  as(as(x, "CsparseMatrix"), "generalMatrix")
}

genlasso_prepare <- function(design, given, call) {
  lambda <- check_lambda(given$lambda)
  coefficients <- length(design$names)
  settings <- c(
    list(D = design$D, p = coefficients, penalties = nrow(design$D), lambda = lambda),
    weight_settings(given, length(design$y)), limit_settings(given),
    coefficient_settings(given, coefficients, lambda)
  )
  list(design = design, settings = settings)
}

# The object -----------------------------------------------------------------------

genlasso_job <- function(design, settings, progress = FALSE) {
  x <- if (!is.null(design$x)) rust_matrix(design$x)
  run_job(function() rust_genlasso_job(design$y, x, rust_matrix(settings$D), settings), progress)
}

genlasso_shapes <- function(result, design, settings) {
  list(draws = draws_shape(settings$draws, design$names, result$lambda))
}

genlasso_object <- function(result, design, settings) {
  mode <- per_lambda_shape(result$mode, design$names, result$lambda)
  fitted <- if (is.null(design$x)) as.matrix(mode) else as.matrix(design$x %*% as.matrix(mode))
  list(
    draws = result$draws, mode = mode, lambda = result$lambda, lambda_from = "user",
    diagnostics = solver_diagnostics(result, settings), mode_diagnostics = mode_diagnostics(result),
    spec = list(names = design$names, columns = design$names, named = design$named), method = result$method,
    fitted = per_lambda_shape(as.vector(fitted), design$row_names, result$lambda)
  )
}

#' @export
needed_parts.wbb_genlasso <- function(fit) {
  list(
    fit = c("mode", "lambda", "lambda_from", "mode_diagnostics", "fitted"),
    spec = c("names", "segments", "D", "penalties", "weights", "prior_weight"),
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
  check_dots(..., .function = "glance", .known = character())
  check_fit(x)
  failed <- matrix(failed_solutions(x), ncol = length(x$lambda))
  data.frame(
    nobs = x$spec$n, draws = draw_count(x$spec), lambda = x$lambda, sigma = x$mode_diagnostics$sigma,
    not.converged = as.integer(colSums(failed)), row.names = NULL
  )
}
