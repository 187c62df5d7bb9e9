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
  began <- elapsed()
  known <- setdiff(names(formals()), "...")
  check_dots(..., .function = "wbb_genlasso", .known = known)
  if (missing(y) || is.null(y)) bad_argument("y", "be the response", NULL, "is missing")
  if (missing(D)) bad_argument("D", "be a matrix", NULL, "is missing")
  if (missing(lambda) || identical(lambda, "cv")) {
    bad_argument("lambda", "be given as non-negative numbers", NULL, "is not")
  }
  design <- genlasso_design(y, X)
  settings <- c(
    mget(setdiff(known, c("y", "X", "D"))),
    list(nfolds = 2, foldid = NULL, nlambda = 2, lambda_min_ratio = NULL, lambda_rule = "min")
  )
  backend <- check_choice(backend, "backend", c("threads", "future"))
  progress <- check_progress(progress)
  keep_data <- check_flag(keep_data, "keep_data")
  penalty <- genlasso_matrix(D, "D")
  if (ncol(penalty) != length(design$names)) {
    bad_argument("D", paste("have one column for each of the", length(design$names), "coefficients"), D,
      paste("has", ncol(penalty)))
  }
  own <- list(penalty_matrix = penalty, p = nrow(penalty), intercept = FALSE)
  options <- c(own, run_options(settings, length(design$y), length(design$names)))
  fit <- if (backend == "future") {
    future_chunks(design, options, progress, genlasso_job, genlasso_object)
  } else {
    genlasso_object(job_result(genlasso_job(design, options, progress)), design, options)
  }
  finish_fit(fit, fit_call(match.call(), quote(wbb_genlasso)), keep_data, began)
}

genlasso_design <- function(y, x) {
  n <- if (is.null(x)) length(y) else nrow(x)
  row_names <- names(y)
  x <- if (!is.null(x)) genlasso_matrix(x, "X")
  y <- check_response(y, "y", if (is.null(n)) length(y) else n)
  names <- if (!is.null(x)) column_names(x) else if (!is.null(row_names)) make.unique(row_names) else paste0("b", seq_along(y))
  list(x = x, y = y, names = names, row_names = row_names)
}

genlasso_matrix <- function(x, argument) {
  if (!is.matrix(x) && !is(x, "Matrix")) bad_argument(argument, "be a matrix", x)
  x <- numeric_x(x, argument)
  check_extent(x, argument)
  check_finite_x(x, argument)
  as(as(x, "CsparseMatrix"), "generalMatrix")
}

genlasso_object <- function(result, design, options) {
  names <- design$names
  lambda <- result$lambda
  draws <- result$draws
  result$draws <- NULL
  attributes(draws) <- draws_shape(options$draws, names, lambda)
  mode <- per_lambda_shape(result$mode, names, lambda)
  fitted <- if (is.null(design$x)) as.matrix(mode) else as.matrix(design$x %*% as.matrix(mode))
  new_wbb(
    list(
      call = NULL, draws = draws, mode = mode, lambda = lambda, lambda_from = "user", cv = NULL,
      diagnostics = lasso_diagnostics(result, lambda, options),
      mode_diagnostics = lasso_mode_diagnostics(result, lambda),
      spec = c(options, list(names = names, columns = seq_len(options$p), segments = run_segment(options))),
      method = result$method, y = design$y, x = design$x,
      fitted = per_lambda_shape(as.vector(fitted), design$row_names, lambda), seconds = NA_real_
    ),
    class = "wbb_genlasso"
  )
}

#' @export
describe.wbb_genlasso <- function(fit) {
  describe_bootstrap(
    fit, paste("generalised lasso with", counted(nrow(fit$spec$penalty_matrix), "penalised difference")),
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
    nobs = x$spec$n, draws = x$spec$draws, lambda = x$lambda, sigma = x$mode_diagnostics$sigma,
    not.converged = as.integer(colSums(failed)), row.names = NULL
  )
}
