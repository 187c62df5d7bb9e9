# What a trend has beyond the methods of all fits: knots, bands and other points.

#' The knots of a trend
#'
#' Where the draws of a trend have knots, how often, and which way they bend.
#'
#' Knots are exact: they are the differences that are not zero, not those above a
#' threshold. A bend that the data place only roughly is shared between
#' neighbouring points; `width` counts knots that lie close to each other together.
#' For order 0 the trend jumps right after the knot.
#'
#' @param Fn A fit of [wbb_trendfilter()].
#' @param type `"probability"`: for each place the share of draws with a knot; `"mode"`:
#'   the knots of the mode; `"number"`: the number of knots of each draw;
#'   `"draws"`: all knots of all draws.
#' @param width Count a draw as having a knot at a place if it has one at most this far
#'   from it.
#' @param lambda Which value of `lambda`; needed only when the fit has several.
#' @param ... Not used.
#' @return A data frame: for `"probability"` the columns `x`, `probability`, `p_up` (the
#'   share of draws where the k-th derivative jumps up; with `width`, where
#'   any knot within it does) and `in_mode`, with one row for each place that is a
#'   knot of any draw or of the mode. For `"mode"` and `"draws"`
#'   (`draw`,) `x` and `jump`, the jump of the k-th derivative. For `"number"` an integer
#'   vector; adding order + 1 gives effective degrees of freedom.
#' @examples
#' fit <- wbb_trendfilter(Nile, time(Nile), order = 0, lambda = 500, draws = 200, seed = 1)
#' places <- knots(fit)
#' places[places$probability > 0.2, ]
#' summary(knots(fit, "number"))
#' @importFrom stats knots
#' @export
knots.wbb_trendfilter <- function(Fn, type = c("probability", "mode", "number", "draws"),
                                  width = 0, lambda = NULL, ...) {
  check_dots(..., .function = "knots", .known = names(formals()))
  check_fit(Fn)
  type <- check_choice(type, "type", c("probability", "mode", "number", "draws"))
  width <- check_number(width, "width", 0)
  index <- lambda_index(Fn, lambda)
  switch(type,
    probability = knot_probability(Fn, index, width),
    mode = knots_at(Fn$mode_knots, Fn, index),
    number = knot_numbers(Fn, index),
    draws = knots_at(Fn$knots, Fn, index)
  )
}

knots_at <- function(knots, fit, index) {
  if (!is_path(fit)) return(knots)
  rows <- knots$lambda == fit$lambda[index]
  out <- knots[rows, names(knots) != "lambda", drop = FALSE]
  row.names(out) <- NULL
  out
}

knot_numbers <- function(fit, index) {
  matrix(fit$diagnostics$knots, ncol = length(fit$lambda))[, index]
}

knot_probability <- function(fit, index, width = 0) {
  all <- knots_at(fit$knots, fit, index)
  of_mode <- knots_at(fit$mode_knots, fit, index)
  x <- sort(unique(c(all$x, of_mode$x)))
  share <- function(knots) draws_near(knots, x, width) / draw_count(fit$spec)
  data.frame(
    x = x, probability = share(all), p_up = share(all[all$jump > 0, ]), in_mode = x %in% of_mode$x
  )
}

# Number of draws with a knot within `width` of each x: a draw's knots cover intervals, whose union
# is counted once.
draws_near <- function(knots, x, width) {
  if (!nrow(knots)) return(integer(length(x)))
  knots <- knots[order(knots$draw, knots$x), ]
  from <- findInterval(knots$x - width, x, left.open = TRUE) + 1L
  to <- findInterval(knots$x + width, x)
  same <- c(FALSE, diff(knots$draw) == 0L)
  # Sorted by x, intervals begin and end in order: each starts after the one before.
  from <- ifelse(same, pmax(from, c(0L, utils::head(to, -1L)) + 1L), from)
  covered <- from <= to
  steps <- tabulate(from[covered], length(x) + 1L) - tabulate(to[covered] + 1L, length(x) + 1L)
  cumsum(steps)[seq_along(x)]
}

#' A trend at other points, with bands
#'
#' Predicts the trend at any `x`, with pointwise or simultaneous bands, or gives the trend of
#' every draw.
#'
#' Between the points of the data the trend is the discrete spline: the polynomial of
#' degree `order` through the point to the right and the `order` points before it. Beyond
#' the data the last polynomial goes on; of that little is known, and the bands
#' show only what the draws do.
#'
#' The bands:
#' - `"credible"`: pointwise quantiles of the draws;
#' - `"se"`: the mean of the draws plus and minus standard deviations, as many as a normal
#'   distribution needs for `level` (`level = 0.9545` gives the 2 of the paper);
#' - `"simultaneous"`: the mean of the draws plus and minus that multiple of the standard deviations
#'   (sup-t) which holds the whole trend in a share `level` of the draws;
#' - `"prediction"`: quantiles for a new observation, as in [predict.wbb_lasso()].
#'
#' @param object A fit of [wbb_trendfilter()].
#' @param newdata Points: a numeric vector, or a data frame with the predictor of the
#'   formula (or a column `x`); by default those of the data, row by row.
#' @param type `"response"`, or `"draws"` for the trends of all draws.
#' @param interval The band.
#' @inheritParams predict.wbb_lasso
#' @return A vector; with a band a matrix with columns `fit`, `lwr` and `upr`; for
#'   `type = "draws"` a matrix with one row a draw and one column a point.
#' @examples
#' fit <- wbb_trendfilter(Nile, time(Nile), order = 1, lambda = 500, draws = 200, seed = 1)
#' predict(fit, c(1900.5, 1950), interval = "credible")
#' predict(fit, c(1900.5, 1950), interval = "simultaneous")
#' @export
predict.wbb_trendfilter <- function(object, newdata = NULL, type = c("response", "draws"),
                                    interval = c("none", "credible", "se", "simultaneous", "prediction"),
                                    level = 0.95, lambda = NULL, estimate = c("mode", "mean"), ...) {
  check_dots(..., .function = "predict", .known = names(formals()))
  type <- check_choice(type, "type", c("response", "draws"))
  interval <- check_choice(interval, "interval", trendfilter_bands)
  estimate <- check_choice(estimate, "estimate", c("mode", "mean"))
  level <- check_level(level)
  check_fit(object)
  if (type == "draws" && interval != "none") {
    bad_argument("interval", "be \"none\" with type = \"draws\"", interval)
  }
  if (is.null(newdata)) check_kept(object, "x")
  at <- if (is.null(newdata)) object$x else new_points(object, newdata)
  through <- interpolation(object$points, at, object$spec$order)
  if (type == "draws") {
    draws <- draws_matrix(object, lambda)
    check_size(as.double(nrow(draws)) * length(at), "the predictions", "newdata", NULL, "Predict fewer points at a time.")
    return(interpolated(draws, through))
  }
  coefficients <- coef.wbb(object, estimate, lambda)
  point <- interpolated(t(as.matrix(coefficients)), through)
  point <- if (is.matrix(coefficients)) t(point) else point[1L, ]
  if (interval != "none") point <- cbind(fit = point, trendfilter_limits(object, through, lambda, interval, level))
  if (is.null(newdata)) stats::napredict(object$na.action, point) else point
}

trendfilter_bands <- c("none", "credible", "se", "simultaneous", "prediction")

new_points <- function(fit, newdata) {
  if (is.numeric(newdata) && is.null(dim(newdata))) {
    return(check_numbers(as.vector(newdata), "newdata", must = "be finite numbers"))
  }
  if (!is.data.frame(newdata)) bad_argument("newdata", "be a numeric vector or a data frame", newdata)
  if (!is.null(fit$terms)) return(unname(new_x(fit, newdata)[, 1L]))
  check_columns("x", names(newdata), "newdata")
  check_numbers(newdata$x, "newdata", must = "have finite numbers `x`")
}

# Rows of weights: the value at `at` is a combination of `order` + 1 points (Lagrange).
interpolation <- function(points, at, order) {
  right <- pmin(findInterval(at, points, left.open = TRUE) + 1L, length(points))
  first <- pmin(pmax(right - order, 1L), length(points) - order)
  columns <- outer(first, 0:order, `+`)
  near <- matrix(points[columns], nrow(columns))
  weight <- vapply(seq_len(order + 1L), function(j) {
    others <- near[, -j, drop = FALSE]
    terms <- (at - others) / (near[, j] - others)
    Reduce(`*`, lapply(seq_len(order), function(i) terms[, i]), rep(1, length(at)))
  }, numeric(length(at)))
  list(columns = columns, weight = matrix(weight, length(at)))
}

interpolated <- function(draws, through) {
  draws <- unname(draws)
  out <- 0
  for (j in seq_len(ncol(through$columns))) {
    out <- out + draws[, through$columns[, j], drop = FALSE] * rep(through$weight[, j], each = nrow(draws))
  }
  out
}

trendfilter_limits <- function(fit, through, lambda, interval, level) {
  draws <- interpolated(draws_matrix(fit, lambda), through)
  limits <- switch(interval,
    credible = t(column_quantiles(draws, interval_probs(level))),
    prediction = vapply(interval_probs(level), mixture_quantile, numeric(ncol(draws)),
      centre = t(draws), sigma = draw_sigma(fit, lambda)),
    se = colMeans(draws) + outer(column_sds(draws), stats::qnorm(interval_probs(level))),
    simultaneous = colMeans(draws) + outer(column_sds(draws), c(-1, 1) * sup_t(draws, level))
  )
  limits <- matrix(limits, ncol = 2L)
  colnames(limits) <- c("lwr", "upr")
  limits
}

# The multiple of the standard deviations that `level` of the draws never leave.
sup_t <- function(draws, level) {
  sd <- column_sds(draws)
  moves <- sd > 0
  if (!any(moves)) return(0)
  z <- abs(draws[, moves, drop = FALSE] - rep(colMeans(draws)[moves], each = nrow(draws))) /
    rep(sd[moves], each = nrow(draws))
  unname(stats::quantile(do.call(pmax, lapply(seq_len(ncol(z)), function(j) z[, j])), level))
}

#' @rdname wbb-methods
#' @export
print.wbb_trendfilter <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  check_fit(x)
  print_header(x)
  mode <- x$mode_diagnostics
  numbers <- matrix(x$diagnostics$knots, ncol = length(x$lambda))
  middle <- apply(numbers, 2L, stats::quantile, c(0.025, 0.5, 0.975))
  table <- data.frame(
    lambda = format_lambda(x$lambda), `knots of the mode` = mode$knots, `df` = mode$knots + x$spec$order + 1L,
    sigma = signif(mode$sigma, digits), `knots of the draws` = middle[2L, ],
    `95%` = paste(round(middle[1L, ]), "to", round(middle[3L, ])), check.names = FALSE
  )
  cat("\n")
  print(table, row.names = FALSE)
  print_failures(x)
  invisible(x)
}

#' @export
summary.wbb_trendfilter <- function(object, probs = c(0.025, 0.5, 0.975), lambda = NULL, ...) {
  out <- summary.wbb(object, probs, lambda, ...)
  out$knots <- do.call(rbind, lapply(out$lambda, function(at) {
    places <- knot_probability(object, lambda_index(object, at))
    if (is_path(object) && nrow(places)) cbind(lambda = at, places) else places
  }))
  out$numbers <- lapply(out$lambda, function(at) table(knots = knot_numbers(object, lambda_index(object, at))))
  class(out) <- c("summary.wbb_trendfilter", class(out))
  out
}

#' @export
print.summary.wbb_trendfilter <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_header(x$fit)
  for (i in seq_along(x$lambda)) {
    of_lambda <- function(table) if (is.null(table$lambda)) table else table[table$lambda == x$lambda[i], ]
    if (length(x$fit$lambda) > 1L) cat("\nlambda = ", format_lambda(x$lambda[i]), ":\n", sep = "")
    table <- of_lambda(x$table)
    shown <- unique(round(seq(1, nrow(table), length.out = min(10, nrow(table)))))
    cat("\nThe trend", if (length(shown) < nrow(table)) paste0(" (", length(shown), " of ", nrow(table), " points)"), ":\n", sep = "")
    columns <- setdiff(colnames(summary_matrix(table[shown, ], digits)), c("P(=0)", "P(>0)"))
    print(summary_matrix(table[shown, ], digits)[, columns, drop = FALSE], quote = FALSE, right = TRUE)
    places <- of_lambda(x$knots)
    likely <- utils::head(places[order(-places$probability), c("x", "probability", "p_up", "in_mode")], 8L)
    cat("\nLikeliest places of knots:\n")
    print(likely[order(likely$x), ], row.names = FALSE, digits = digits)
    number <- as.integer(names(x$numbers[[i]]))
    cat("\nNumber of knots: ", min(number), " to ", max(number), ", mean ",
      format(sum(number * x$numbers[[i]]) / x$draws, digits = digits), "\n", sep = "")
  }
  cat("Draws that did not converge: ", x$not_converged, " of ", x$draws * length(x$lambda), "\n", sep = "")
  invisible(x)
}

# Tables ---------------------------------------------------------------------------

#' @rdname tidy.wbb
#' @exportS3Method generics::tidy
tidy.wbb_trendfilter <- function(x, ...) {
  table <- tidy.wbb(x, ...)
  table <- table[!names(table) %in% c("p.zero", "p.positive")]
  after <- match("term", names(table))
  cbind(table[seq_len(after)], x = rep_len(x$points, nrow(table)), table[-seq_len(after)])
}

#' @rdname tidy.wbb
#' @exportS3Method generics::glance
glance.wbb_trendfilter <- function(x, ...) {
  check_dots(..., .function = "glance", .known = character())
  check_fit(x)
  failed <- matrix(x$diagnostics$status != "converged", ncol = length(x$lambda))
  data.frame(
    nobs = x$spec$n, draws = draw_count(x$spec), order = x$spec$order, lambda = x$lambda,
    knots = x$mode_diagnostics$knots, df = x$mode_diagnostics$knots + x$spec$order + 1L,
    sigma = x$mode_diagnostics$sigma, not.converged = as.integer(colSums(failed)), row.names = NULL
  )
}

#' @rdname tidy.wbb
#' @exportS3Method generics::augment
augment.wbb_trendfilter <- function(x, data = NULL, newdata = NULL,
                                    interval = c("none", "credible", "se", "simultaneous", "prediction"),
                                    conf.level = 0.95, lambda = NULL, ...) {
  check_dots(..., .function = "augment", .known = names(formals()))
  check_fit(x)
  lambda_index(x, lambda)
  if (is.null(data)) x$na.action <- NULL
  predicted <- predict.wbb_trendfilter(x, newdata, interval = interval, level = conf.level, lambda = lambda)
  if (!is.matrix(predicted)) predicted <- cbind(fit = predicted)
  out <- if (!is.null(newdata)) {
    if (is.data.frame(newdata)) newdata else data.frame(x = newdata)
  } else if (is.null(data) && is.null(x$model)) {
    data.frame(x = x$x, y = x$y)
  } else {
    augment_data(x, data, nrow(predicted))
  }
  out$.fitted <- unname(predicted[, "fit"])
  if (ncol(predicted) == 3L) {
    out$.lower <- unname(predicted[, "lwr"])
    out$.upper <- unname(predicted[, "upr"])
  }
  if (is.null(newdata)) out$.resid <- unname(residuals.wbb(x, lambda))
  out
}
