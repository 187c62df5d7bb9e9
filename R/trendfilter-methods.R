# What a trend has beyond the methods of all fits: knots, and tables of them.

#' The knots of a trend
#'
#' Where the draws of a trend have knots, how often, and which way they bend.
#'
#' Knots are exact: they are the differences that are not zero, not those above a
#' threshold. A bend that the data place only roughly is shared between
#' neighbouring points; `width` counts knots that lie close to each other together.
#' For order 0 the trend jumps right after the knot. Draws that failed are left out.
#'
#' @param Fn A fit of [wbb_trendfilter()].
#' @param type `"probability"`: for each place the share of draws with a knot; `"mode"`:
#'   the knots of the mode; `"number"`: the number of knots of each draw;
#'   `"draws"`: all knots of all draws.
#' @param width Count a draw as having a knot at a place if it has one at most this far
#'   from it.
#' @param lambda Which value of `lambda`; without it a fit with several has rows, or elements of a list, for each.
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
  one <- function(index) {
    found <- switch(type,
      probability = knot_probability(Fn, index, width),
      mode = knots_at(Fn$mode_knots, Fn, index),
      number = knot_numbers(Fn, index),
      draws = usable_knots(Fn, index)
    )
    if (type != "number") found$x <- as_time(found$x, Fn$time)
    found
  }
  over <- if (type == "number") list_path else rows_over_path
  over(Fn, lambda, function(at) one(lambda_index(Fn, at)))
}

knots_at <- function(knots, fit, index) {
  if (!is_path(fit)) return(knots)
  rows <- knots$lambda == fit$lambda[index]
  out <- knots[rows, names(knots) != "lambda", drop = FALSE]
  row.names(out) <- NULL
  out
}

# Those of draws that have a solution.
usable_knots <- function(fit, index) {
  knots <- knots_at(fit$knots, fit, index)
  kept <- knots$draw %in% usable_draws(fit, fit$lambda[index])
  if (all(kept)) knots else `row.names<-`(knots[kept, ], NULL)
}

knot_numbers <- function(fit, index) {
  lambda <- fit$lambda[index]
  of_draws(fit, fit$diagnostics$knots, lambda)[usable_draws(fit, lambda)]
}

knot_probability <- function(fit, index, width = 0) {
  all <- usable_knots(fit, index)
  of_mode <- knots_at(fit$mode_knots, fit, index)
  x <- sort(unique(c(all$x, of_mode$x)))
  share <- function(knots) draws_near(knots, x, width) / length(usable_draws(fit, fit$lambda[index]))
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

#' @rdname wbb-methods
#' @export
print.wbb_trendfilter <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- check_count(digits, "digits", 1, 22)
  check_fit(x)
  print_header(x)
  mode <- x$mode_diagnostics
  middle <- vapply(seq_along(x$lambda), knot_quantiles, numeric(3L), fit = x)
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

# Also a fit without any usable draw is to be looked at.
knot_quantiles <- function(index, fit) {
  if (!length(solved_draws(fit, fit$lambda[index]))) return(rep(NA_real_, 3L))
  stats::quantile(knot_numbers(fit, index), c(0.025, 0.5, 0.975), names = FALSE)
}

#' @export
summary.wbb_trendfilter <- function(object, probs = c(0.025, 0.5, 0.975), lambda = NULL,
                                    digits = max(3L, getOption("digits") - 3L), ...) {
  check_dots(..., .function = "summary", .known = c("probs", "lambda", "digits"))
  out <- summary_parts(object, probs, lambda, digits)
  out$knots <- do.call(rbind, lapply(out$lambda, function(at) {
    places <- knot_probability(object, lambda_index(object, at))
    places$x <- as_time(places$x, object$time)
    if (is_path(object) && nrow(places)) cbind(lambda = at, places) else places
  }))
  out$numbers <- lapply(out$lambda, function(at) table(knots = knot_numbers(object, lambda_index(object, at))))
  class(out) <- c("summary.wbb_trendfilter", class(out))
  out
}

#' @export
print.summary.wbb_trendfilter <- function(x, digits = x$digits, ...) {
  digits <- check_count(digits, "digits", 1, 22)
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
      format(sum(number * x$numbers[[i]]) / sum(x$numbers[[i]]), digits = digits), "\n", sep = "")
  }
  print_not_converged(x)
  invisible(x)
}

# Tables ---------------------------------------------------------------------------

#' @rdname tidy.wbb
#' @method tidy wbb_trendfilter
#' @exportS3Method generics::tidy wbb_trendfilter
tidy.wbb_trendfilter <- function(x, conf.int = FALSE, conf.level = 0.95, estimate = c("mode", "mean", "median"),
                                 lambda = NULL, exponentiate = FALSE, effects = "fixed", parametric = TRUE, ...) {
  check_dots(..., .function = "tidy", .known = names(formals()), .foreign = of_tables)
  estimate <- check_choice(estimate, "estimate", c("mode", "mean", "median"))
  table <- tidy_table(x, conf.int, conf.level, estimate, exponentiate, effects, lambda)
  table <- table[!names(table) %in% c("p.zero", "p.positive")]
  after <- match("term", names(table))
  points <- as_time(rep_len(x$points, nrow(table)), x$time)
  cbind(table[seq_len(after)], x = points, table[-seq_len(after)])
}

#' @rdname tidy.wbb
#' @method glance wbb_trendfilter
#' @exportS3Method generics::glance wbb_trendfilter
glance.wbb_trendfilter <- function(x, ...) {
  check_dots(..., .function = "glance", .known = character(), .foreign = of_tables)
  check_fit(x)
  failed <- matrix(failed_solutions(x), ncol = length(x$lambda))
  data.frame(
    nobs = x$spec$n, draws = draw_count(x$spec), order = x$spec$order, lambda = x$lambda,
    knots = x$mode_diagnostics$knots, df = x$mode_diagnostics$knots + x$spec$order + 1L,
    sigma = x$mode_diagnostics$sigma, not.converged = as.integer(colSums(failed)), row.names = NULL
  )
}

#' @rdname tidy.wbb
#' @method augment wbb_trendfilter
#' @exportS3Method generics::augment wbb_trendfilter
augment.wbb_trendfilter <- function(x, data = NULL, newdata = NULL,
                                    interval = c("none", "credible", "se", "simultaneous", "prediction"),
                                    conf.level = 0.95, lambda = NULL, ...) {
  check_dots(..., .function = "augment", .known = names(formals()))
  check_fit(x)
  if (!is.null(newdata)) newdata <- trend_frame(x, newdata)
  x <- with_rows_of(x, data)
  rows_over_path(x, lambda, function(at) {
    augment_table(x, data, newdata, predict(x, newdata, interval = interval, level = conf.level, lambda = at))
  })
}
