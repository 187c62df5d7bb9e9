# The fitter behind both interfaces of wbb_trendfilter(): check the settings, run
# the job, make the object.

trendfilter_fit <- function(design, settings, call) {
  began <- elapsed()
  backend <- check_choice(settings$backend, "backend", c("threads", "future"))
  progress <- check_progress(settings$progress)
  keep_data <- check_flag(settings$keep_data, "keep_data")
  options <- trendfilter_options(settings, design)
  fit <- if (backend == "future") {
    future_chunks(design, options, progress, trendfilter_job, trendfilter_object)
  } else {
    trendfilter_object(job_result(trendfilter_job(design, options, progress)), design, options)
  }
  finish_fit(fit, call, keep_data, began)
}

vector_design <- function(y, x) {
  if (missing(y) || is.null(y)) bad_argument("y", "be the response", NULL, "is missing")
  n <- if (is.null(x)) length(y) else length(x)
  if (is.list(x) || !(is.null(x) || is.numeric(x))) bad_argument("x", "be a numeric vector", x)
  row_names <- names(y)
  y <- check_response(y, "y", n)
  x <- if (is.null(x)) as.double(seq_len(n)) else check_numbers(as.vector(x), "x", n, must = "be finite numbers")
  list(x = x, y = y, row_names = row_names)
}

trendfilter_options <- function(settings, design) {
  order <- as.integer(check_count(settings$order, "order", 0, 3))
  points <- length(unique(design$x))
  if (points < order + 2L) {
    bad_argument("x", paste("have at least", order + 2L, "distinct values for order", order), design$x,
      paste("has", points))
  }
  # p counts the penalised differences, as many as there are prior weights with "coef".
  own <- list(order = order, p = points - order - 1L, intercept = FALSE)
  c(own, run_options(settings, length(design$x), points))
}

trendfilter_object <- function(result, design, options) {
  points <- result$points
  lambda <- result$lambda
  names <- paste0("f(", as.character(points), ")")
  # Points that differ only after their fifteenth digit.
  if (anyDuplicated(names)) names <- make.unique(names)
  draws <- result$draws
  result$draws <- NULL
  attributes(draws) <- draws_shape(options$draws, names, lambda)
  mode <- per_lambda_shape(result$mode, names, lambda)
  spec <- c(options, list(names = names, columns = seq_len(options$p), segments = run_segment(options)))
  knots <- knot_frame(result$knots, points, lambda, options$order)
  mode_knots <- knot_frame(result$mode_knots, points, lambda, options$order)
  knots$draw <- as.integer(knots$draw - options$first_draw + 1)
  diagnostics <- lasso_diagnostics(result, lambda, options)
  diagnostics$knots <- count_knots(result$knots, options$first_draw, options$draws, length(lambda))
  mode_diagnostics <- lasso_mode_diagnostics(result, lambda)
  mode_diagnostics$knots <- tabulate(result$mode_knots$mode, length(lambda))
  fitted <- as.matrix(mode)[match(design$x, points), , drop = FALSE]
  new_wbb(
    list(
      call = NULL, formula = design$formula, terms = design$terms, xlevels = design$xlevels,
      contrasts = design$contrasts, variables = design$variables,
      draws = draws, mode = mode, points = points, knots = knots,
      mode_knots = mode_knots[names(mode_knots) != "draw"], lambda = lambda,
      lambda_from = if (is.null(result$cv)) "user" else "cv", cv = lasso_cv(result$cv, options),
      diagnostics = diagnostics, mode_diagnostics = mode_diagnostics,
      spec = spec, method = result$method,
      y = design$y, x = design$x, model = design$model,
      fitted = per_lambda_shape(as.vector(fitted), design$row_names, lambda),
      na.action = design$na.action, seconds = NA_real_
    ),
    class = "wbb_trendfilter"
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
  before <- cumsum(c(0L, vapply(fits, function(fit) as.integer(fit$spec$draws), 1L)))
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
