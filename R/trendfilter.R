#' Weighted Bayesian bootstrap of trend filtering
#'
#' Draws from the weighted Bayesian bootstrap posterior of a trend: a piecewise
#' polynomial whose knots are chosen by the data. Each draw gives random weights to
#' the observations and to the penalty and solves that weighted problem
#' exactly, to a certified duality gap. The knots are exact too, so that the
#' draws answer where the trend bends, and how often.
#'
#' With weights \eqn{w_1, \dots, w_n} of the observations and \eqn{w_0} of the
#' penalty a draw minimises
#' \deqn{\frac12 \sum_i w_i (y_i - \beta_i)^2 + \lambda w_0 \| D^{(k+1)} \beta \|_1,}{
#'   1/2 sum_i w_i (y_i - b_i)^2 + lambda w0 |D^(k+1) b|_1,}
#' where \eqn{k} is the `order` and \eqn{D^{(k+1)}} takes differences of order
#' \eqn{k + 1}: `order = 0` is a step function (the fused lasso), 1 is piecewise
#' linear, 2 quadratic, 3 cubic with fourth differences. (The paper writes
#' \eqn{D^{(k)}} and \eqn{D^{(k+1)}} for the same matrix.) At uneven `x` the differences are
#' divided by the distances as in Tibshirani (2014): entry j is the jump of the
#' k-th derivative. `lambda` is then in units of `x` to the power k: `x` in
#' other units needs another `lambda`.
#'
#' @section Data:
#' Rows are sorted by `x` inside. Rows with the same `x` are one point of the trend, at
#' their weighted mean with the sum of their weights. There must be at least
#' `order + 2` distinct points. Missing values are an error, but for the
#' formula interface with `na.action`.
#'
#' A law that gives weight zero (`"poisson"`, `"multinomial"`) leaves such a point with
#' \eqn{10^{-10}} of the mean weight, so that the trend beside it is determined.
#'
#' @section Choosing lambda:
#' The cross-validation leaves out every `nfolds`-th point and predicts it by the trend
#' through the others; the first and the last point are never left out. With `cluster`
#' whole clusters are left out. The likelihood is not reweighted. The lambdas
#' go from the smallest without any knot down by `lambda_min_ratio`.
#'
#' @param y The response, a numeric vector; or a formula.
#' @param x Where it was observed: a number, a date or a time for each element of `y`; `NULL` is
#'   1, 2, 3, ... Dates count in days and times in seconds, which matters to a `lambda` that is given.
#' @param formula A formula with one predictor, `y ~ x`.
#' @param lambda The strength of the penalty: a non-negative number, several distinct
#'   ones (a path), or `"cv"` to choose it by cross-validation.
#' @param foldid Fold numbers 1, 2, ... of the rows, in place of `nfolds`.
#' @param order The degree of the polynomial pieces, 0 to 3.
#' @param prior_weight The weight of the penalty in a draw: `"random"`, one Exp(1)
#'   number; `"fixed"`, always 1; `"coef"`, one Exp(1) number for each
#'   difference.
#' @param nlambda The number of lambdas of the cross-validation.
#' @param lambda_min_ratio The smallest lambda of the cross-validation as a share
#'   of the largest; `NULL` is `10^(-2 * (order + 1))`.
#' @param max_iterations The most steps of the solver in a draw.
#' @inheritParams wbb_lasso
#' @return An object of class `c("wbb_trendfilter", "wbb")`. The coefficients of the draws
#'   are the values of the trend at the distinct points of `x`, named `f(x)`. Use
#'   [plot()][plot.wbb_trendfilter], [predict()][predict.wbb_trendfilter] (bands,
#'   other points), [knots()][knots.wbb_trendfilter] and the methods of all fits:
#'   [summary()][summary.wbb], [coef()][coef.wbb], [fitted()][coef.wbb],
#'   [as.matrix()][as.matrix.wbb], [weights()][weights.wbb], [tidy()][tidy.wbb].
#'   Its `diagnostics` have one row a draw, with the `status`, the relative duality `gap`
#'   and the number of `knots`; knots + order + 1 are the effective degrees of
#'   freedom.
#' @references
#' Newton, M. A., Polson, N. G. and Xu, J. (2021). Weighted Bayesian bootstrap
#' for scalable posterior distributions. *Canadian Journal of Statistics* 49,
#' 421--437.
#'
#' Tibshirani, R. J. (2014). Adaptive piecewise polynomial estimation via trend
#' filtering. *Annals of Statistics* 42, 285--323.
#' @seealso [wbb-objective] for the method and its limits.
#' @examples
#' set.seed(1)
#' i <- 1:200
#' y <- sin(4 * pi * i / 200) * exp(3 * i / 200) + rnorm(200, sd = 2)
#' fit <- wbb_trendfilter(y, order = 3, lambda = 200, draws = 200, seed = 1)
#' fit
#' plot(fit)
#' head(predict(fit, c(10.5, 60, 120), interval = "simultaneous"))
#' table(knots(fit, "number"))
#'
#' # Uneven x, lambda by cross-validation
#' bends <- wbb_trendfilter(dist ~ speed, cars, order = 1, draws = 200, seed = 1)
#' knots(bends)
#' @export
wbb_trendfilter <- function(y, ...) UseMethod("wbb_trendfilter", entry(y, ...))

#' @rdname wbb_trendfilter
#' @export
wbb_trendfilter.default <- function(y, x = NULL, order = 3, lambda = "cv", draws = 1000,
                                    prior_weight = c("random", "fixed", "coef"),
                                    weights = "exponential", case_weights = NULL, cluster = NULL,
                                    lambda_rule = c("min", "1se"), nfolds = 10, foldid = NULL,
                                    nlambda = 50, lambda_min_ratio = NULL,
                                    seed = NULL, first_draw = 1, threads = NULL,
                                    backend = c("threads", "future"), progress = NULL,
                                    tolerance = 1e-8, max_iterations = 10000,
                                    keep_data = TRUE, ...) {
  fit_default(..., .estimator = trendfilter_estimator(), .design = vector_design(y, x), .call = match.call())
}

#' @rdname wbb_trendfilter
#' @export
wbb_trendfilter.formula <- function(formula, data, ..., case_weights, cluster, foldid,
                                    subset, na.action) {
  fit_formula(..., .estimator = trendfilter_estimator(), .call = match.call(), .env = parent.frame())
}

trendfilter_estimator <- function() {
  list(
    name = "wbb_trendfilter", class = "wbb_trendfilter", default = wbb_trendfilter.default, data = c("y", "x"),
    rows = c("case_weights", "cluster", "foldid"),
    prepare = trendfilter_prepare, job = trendfilter_job, shapes = trendfilter_shapes, object = trendfilter_object,
    doubt = convergence_doubt
  )
}

# Data and settings ----------------------------------------------------------------

vector_design <- function(y, x) {
  if (missing(y) || is.null(y)) bad_argument("y", "be the response", NULL, "is missing")
  n <- if (is.null(x)) length(y) else length(x)
  time <- time_kind(x)
  x <- time_numbers(x, time, "x")
  if (is.list(x) || !(is.null(x) || is.numeric(x))) bad_argument("x", "be a vector of numbers, dates or times", x)
  row_names <- names(y)
  y <- check_response(y, "y", n)
  x <- if (is.null(x)) as.double(seq_len(n)) else check_numbers(as.vector(x), "x", n, must = "be finite numbers")
  list(x = x, y = y, row_names = row_names, time = time)
}

# Dates and times ------------------------------------------------------------------

# Inside they are numbers (days, seconds, ...); what they are is kept as a vector of length zero. NULL for numbers.
time_kind <- function(x) {
  if (inherits(x, "POSIXlt")) x <- as.POSIXct(x)
  if (inherits(x, c("Date", "POSIXct", "difftime", "yearmon", "yearqtr"))) unname(x[0L])
}

# Times must be of the kind that is expected; numbers come as they are.
time_numbers <- function(x, kind, argument) {
  if (is.null(kind)) {
    if (!is.null(time_kind(x))) wrong_type(argument, "x", x, "numeric")
    return(x)
  }
  if (inherits(x, "POSIXlt")) x <- as.POSIXct(x)
  if (!inherits(x, class(kind)[1L])) wrong_type(argument, "x", x, class(kind)[1L])
  if (inherits(x, "difftime")) units(x) <- units(kind)
  as.double(unclass(x))
}

as_time <- function(numbers, kind) {
  if (!is.null(kind)) attributes(numbers) <- attributes(kind)
  numbers
}

trendfilter_prepare <- function(design, given, call) {
  if (is.matrix(design$x)) {
    if (ncol(design$x) != 1L) {
      bad_argument("formula", "have one numeric predictor", NULL, paste("has", ncol(design$x), "columns"))
    }
    design$x <- design$x[, 1L]
    design$time <- time_kind(design$model[[design$term]])
  }
  check_magnitude(design$y)
  list(design = design, settings = trendfilter_settings(design, given))
}

trendfilter_settings <- function(design, given) {
  n <- length(design$x)
  order <- as.integer(check_count(given$order, "order", 0, 3))
  points <- length(unique(design$x))
  if (points < order + 2L) {
    bad_argument("x", paste("have at least", order + 2L, "distinct values for order", order), design$x,
      paste("has", points))
  }
  lambda <- check_lambda(given$lambda, "cv")
  weights <- weight_settings(given, n)
  c(
    list(order = order, penalties = points - order - 1L, lambda = lambda),
    weights, cv_settings(given, n, weights$cluster, lambda), limit_settings(given),
    coefficient_settings(given, points, lambda)
  )
}

# The object -----------------------------------------------------------------------

trendfilter_job <- function(design, settings, progress = FALSE) {
  # The columns of a table of knots, which may be longer than the data.
  gather <- function(result) {
    columns <- c("draw", "mode", "row", "jump")
    of_knots <- paste0("knot_", columns)
    result$knots <- stats::setNames(result[of_knots], columns)
    result[of_knots] <- NULL
    result
  }
  run_job(function() rust_trendfilter_job(design$x, design$y, settings), progress, gather, keep = TRUE)
}

trendfilter_shapes <- function(result, design, settings) {
  # Points may differ only after their fifteenth digit.
  names <- as_text(as_time(result$points, design$time), "f(", ")")
  if (anyDuplicated(names)) names <- make.unique(names)
  list(draws = draws_shape(settings$draws, names, result$lambda))
}

trendfilter_object <- function(result, design, settings) {
  points <- result$points
  lambda <- result$lambda
  names <- colnames(result$draws)
  mode <- per_lambda_shape(result$mode, names, lambda)
  knots <- knot_frame(result$knots, points, lambda, settings$order)
  knots$draw <- as.integer(knots$draw - settings$first_draw + 1)
  mode_knots <- knot_frame(result$mode_knots, points, lambda, settings$order)
  diagnostics <- solver_diagnostics(result, settings)
  diagnostics$knots <- count_knots(result$knots, settings$first_draw, settings$draws, length(lambda))
  mode_diagnostics <- mode_diagnostics(result)
  mode_diagnostics$knots <- tabulate(result$mode_knots$mode, length(lambda))
  fitted <- as.matrix(mode)[match(design$x, points), , drop = FALSE]
  list(
    draws = result$draws, mode = mode, points = points, knots = knots,
    mode_knots = mode_knots[names(mode_knots) != "draw"], lambda = lambda,
    lambda_from = if (is.null(result$cv)) "user" else "cv", cv = cv_result(result$cv, settings),
    diagnostics = diagnostics, mode_diagnostics = mode_diagnostics,
    spec = list(names = names), method = result$method, x = design$x, time = design$time,
    fitted = per_lambda_shape(as.vector(fitted), design$row_names, lambda)
  )
}

#' @export
needed_parts.wbb_trendfilter <- function(fit) {
  list(
    fit = c("mode", "lambda", "lambda_from", "mode_diagnostics", "points", "knots", "mode_knots", "fitted"),
    spec = c("names", "segments", "order", "penalties", "weights", "prior_weight"),
    diagnostics = c("status", "sigma", "knots")
  )
}

# One row a knot. Difference j of order k + 1 looks at points j to j + k + 1; in the discrete
# spline the pieces change at point j + k.
knot_frame <- function(knots, points, lambda, order) {
  columns <- list(draw = knots$draw)
  if (length(lambda) > 1L) columns$lambda <- lambda[knots$mode]
  list2DF(c(columns, list(x = points[knots$row + order], jump = knots$jump)))
}

# In the order of the diagnostics: by lambda and then by draw.
count_knots <- function(knots, first_draw, draws, lambdas) {
  tabulate((knots$mode - 1L) * draws + knots$draw - first_draw + 1, draws * lambdas)
}

#' @export
c.wbb_trendfilter <- function(...) {
  fits <- list(...)
  joined <- c.wbb(...)
  before <- cumsum(c(0L, vapply(fits, function(fit) as.integer(draw_count(fit$spec)), 1L)))
  joined$knots <- do.call(rbind, Map(fits, before[seq_along(fits)], f = function(fit, by) {
    fit$knots$draw <- fit$knots$draw + by
    fit$knots
  }))
  joined
}

#' @export
describe.wbb_trendfilter <- function(fit) {
  spec <- fit$spec
  pieces <- c("constant", "linear", "quadratic", "cubic")
  describe_bootstrap(
    fit, paste0("trend filter of order ", spec$order, " (piecewise ", pieces[spec$order + 1L], ")"),
    paste(counted(spec$n, "row"), "at", counted(length(spec$names), "point"))
  )
}
