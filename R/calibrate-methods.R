# What a calibration answers: intervals, tables, pictures.

#' Calibrated intervals, and what a calibration shows
#'
#' `confint()` gives intervals that cover as often as `level` says, so far as [calibrate()] can know. `summary()` shows the
#' coverage at several levels, and `plot()` and `autoplot()` draw it against the level: before the calibration, and after it.
#'
#' `"inverted"` intervals hold the truths under which the mean of the fit's draws would not be unusual, as the replicates
#' show it; they need truths that are drawn, and are then the default (see [calibrate()]). They may be narrower than the nominal ones. Where
#' no truth makes such a mean unusual, an interval has no end, and a warning says so: the penalty hides what the data say.
#'
#' `"studentized"` intervals, the default otherwise, are the mean of the fit's draws plus quantiles of the root \eqn{t_r} times their standard
#' deviation. Those of type `"level"` are the equal-tailed intervals of the draws at the calibrated level of each
#' coefficient. They stay within the range of the draws, and in its tails: a level of 0.995 needs some thousands of draws.
#' Both contain the nominal interval unless you ask for narrower ones: a coefficient that is zero in the truth is
#' covered by narrow intervals in all replicates, which says nothing of one that is small and not zero.
#' Where more than a share of 1 - `level` of the replicates have the truth beyond all draws, or draws without any spread
#' beside it, the range of the draws is given, and a warning says so.
#'
#' The curve after the calibration is that of the default intervals, and honest about the Monte Carlo error: they are
#' found from some of the replicates (half of them, of few up to nine tenths) and judged by the others. The grey band is where the curve of exact intervals would lie, point by
#' point in 95 of 100 cases.
#'
#' @param object,x A calibration, as from [calibrate()].
#' @param parm Names or numbers of coefficients; by default all.
#' @param level The coverage that the intervals are to have; by default that of the calibration. Any other may be asked
#'   for. For `summary()` one or more.
#' @param type `"inverted"` intervals, `"studentized"` ones, or the equal-tailed ones at the calibrated `"level"`. `NULL` is
#'   the first that the calibration has.
#' @param narrow Give a studentised or equal-tailed interval that does not contain the nominal one, where that covers in the replicates?
#' @param digits The number of significant digits.
#' @param row.names,optional As in [as.data.frame()].
#' @param pars Coefficients to show: names, or positions. `NULL` shows all but the intercept if they are at
#'   most `n`, else the mean over them.
#' @param n The largest number of coefficients that have a panel each.
#' @param col Two colours: before and after.
#' @param main Title.
#' @param ... For `plot()`: `sub`, `xlim`, `ylim` and `cex`, as in [plot.wbb()]. Otherwise not used.
#' @return `confint()`: a matrix with the limits as columns. `summary()`: an object of class
#'   `summary.wbb_calibration` with the data frame `table`, a row for each coefficient and level.
#'   `as.data.frame()`: the `table` of the calibration. `tidy()`: a data frame with `term`, `estimate` (the mode),
#'   the (calibrated) limits `conf.low` and `conf.high`, `coverage`, `coverage.se` and `calibrated.level`. `plot()`: the numbers shown,
#'   invisibly; `autoplot()`: a ggplot object.
#' @examples
#' fit <- wbb_lasso(y ~ bmi + map + ltg, diabetes[1:50, ], lambda = 100, draws = 400, seed = 1)
#' checked <- calibrate(fit, replicates = 100, seed = 1)
#' confint(checked)
#' confint(checked, level = 0.8)
#' summary(checked)
#' plot(checked)
#' @name confint.wbb_calibration
NULL

#' @rdname confint.wbb_calibration
#' @export
confint.wbb_calibration <- function(object, parm, level = object$level, type = NULL,
                                    narrow = FALSE, ...) {
  check_dots(..., .function = "confint", .known = c("parm", "level", "type", "narrow"))
  level <- check_level(level)
  type <- check_interval_type(type, object)
  narrow <- check_flag(narrow, "narrow")
  draws <- draws_matrix(object$fit)
  at <- if (missing(parm)) seq_len(ncol(draws)) else check_parm(parm, colnames(draws))
  draws <- draws[, at, drop = FALSE]
  limits <- if (type == "inverted") {
    mean <- object$mean[, at, drop = FALSE]
    narrower <- own_spread(object$truths, at, mean, object$root[, at, drop = FALSE], object$draws, draws)
    inverted_limits(object$truths[, at, drop = FALSE], mean, colMeans(draws), level, object$df, narrower)
  } else if (type == "level") {
    level_limits(draws, object$u[, at, drop = FALSE], level, narrow)
  } else {
    studentized_limits(draws, object$root[, at, drop = FALSE], level, narrow)
  }
  endless <- colSums(!is.finite(limits)) > 0
  if (any(endless) && type == "inverted") {
    warn("level", paste0("No truth that was tried is unlikely for ", show_values(colnames(draws)[endless]),
      ": the interval has no end; take more `replicates`, or a smaller `lambda`"))
  } else if (any(endless)) {
    warn("level", paste0("No interval of the draws covers in ", percent(level), " of the replicates for ",
      show_values(colnames(draws)[endless]), ": the range of the draws is given, and covers less"))
    limits[, endless] <- apply(draws[, endless, drop = FALSE], 2L, range)
  }
  matrix(t(limits), ncol = 2L, dimnames = list(colnames(draws), percent(interval_probs(level))))
}

check_interval_type <- function(type, calibration) {
  drawn <- !is.null(calibration$truths)
  if (is.null(type)) return(if (drawn) "inverted" else "studentized")
  type <- check_choice(type, "type", c("inverted", "studentized", "level"))
  if (type == "inverted" && !drawn) {
    bad_argument("type", "be \"studentized\" or \"level\" for a calibration whose truths are not drawn", type,
      advice = "Calibrate with `truth = \"drawn\"`.")
  }
  type
}

# By columns.
studentized_limits <- function(draws, root, level, narrow) {
  limits <- rep(colMeans(draws), each = 2L) + root_limits(root, level) * rep(column_sds(draws), each = 2L)
  if (narrow) return(limits)
  nominal <- column_quantiles(draws, interval_probs(level))
  rbind(pmin(limits[1L, ], nominal[1L, ]), pmax(limits[2L, ], nominal[2L, ]))
}

# By columns; infinite where no level covers.
level_limits <- function(draws, u, level, narrow) {
  chosen <- calibrated_level(u, level)
  if (!narrow) chosen <- pmax(chosen, level)
  limits <- vapply(seq_along(chosen), function(j) {
    column_quantiles(draws[, j, drop = FALSE], interval_probs(chosen[j]))[, 1L]
  }, numeric(2L))
  limits[, chosen >= 1] <- c(-Inf, Inf)
  limits
}

#' @rdname confint.wbb_calibration
#' @export
print.wbb_calibration <- function(x, digits = 3L, ...) {
  digits <- check_count(digits, "digits", 1, 22)
  print_calibration_header(x)
  cat("\nCoverage of ", percent(x$level), " intervals, and the level that would cover:\n", sep = "")
  print_calibration(x$table, digits)
  invisible(x)
}

print_calibration_header <- function(x) {
  words <- describe(x$fit)
  cat("Calibration of the ", sub("^W", "w", words$title), "\n\n", sep = "")
  cat(call_text(x$call), "\n", sep = "")
  cat("Replicates: ", counted(x$replicates, "data set"), " from ", if (x$from == "drawn") "truths that are drawn" else paste("the", x$from), " (", x$scheme, "), ",
    counted(x$draws, "draw"), " each\n", sep = "")
  cat("Lambda: ", if (x$rule == "fixed") {
    paste(format_lambda(x$fit$lambda), "in all")
  } else {
    paste0("rechosen, from ", paste(format_lambda(range(x$lambda)), collapse = " to "))
  }, "\n", sep = "")
}

# Of many rows the average says more.
print_calibration <- function(table, digits, most = 40L) {
  if (nrow(table) > most) {
    cat("  mean over ", nrow(table), " of them ", format(mean(table$coverage), digits = digits), ", from ",
      format(min(table$coverage), digits = digits), " (", table$term[which.min(table$coverage)], ") to ",
      format(max(table$coverage), digits = digits), "; after the calibration ", format(mean(table$after), digits = digits), "\n", sep = "")
    return(invisible())
  }
  shares <- setdiff(names(table), c("term", "nominal", "truth"))
  shown <- cbind(
    truth = vapply(table$truth, format, "", digits = digits),
    vapply(table[shares], function(share) formatC(share, format = "f", digits = 3L), character(nrow(table)))
  )
  colnames(shown) <- c("truth", "coverage", "MCSE", "level", "MCSE", "after")
  rownames(shown) <- table$term
  print(shown, quote = FALSE, right = TRUE)
}

#' @rdname confint.wbb_calibration
#' @export
summary.wbb_calibration <- function(object, level = c(0.5, 0.8, 0.9, 0.95, 0.99), digits = 3L, ...) {
  check_dots(..., .function = "summary", .known = c("level", "digits"))
  level <- check_numbers(level, "level", lower = 0, must = "be levels between 0 and 1")
  for (one in level) check_level(one)
  table <- do.call(rbind, lapply(level, function(one) cbind(nominal = one, coverage_table(object, one))))
  structure(
    list(calibration = object, table = table, level = level, digits = check_count(digits, "digits")),
    class = c("summary.wbb_calibration", "summary.wbb")
  )
}

#' @rdname confint.wbb_calibration
#' @export
print.summary.wbb_calibration <- function(x, digits = x$digits, ...) {
  digits <- check_count(digits, "digits", 1, 22)
  print_calibration_header(x$calibration)
  for (level in x$level) {
    cat("\n", percent(level), " intervals:\n", sep = "")
    print_calibration(x$table[x$table$nominal == level, ], digits)
  }
  invisible(x)
}

#' @rdname confint.wbb_calibration
#' @export
as.data.frame.wbb_calibration <- function(x, row.names = NULL, optional = FALSE, ...) {
  with_row_names(x$table, row.names)
}

#' @rdname confint.wbb_calibration
#' @method tidy wbb_calibration
#' @exportS3Method generics::tidy wbb_calibration
tidy.wbb_calibration <- function(x, ...) {
  check_dots(..., .function = "tidy", .known = character())
  limits <- confint(x)
  data.frame(
    term = x$table$term, estimate = unname(coef(x$fit)), conf.low = limits[, 1L], conf.high = limits[, 2L],
    coverage = x$table$coverage, coverage.se = x$table$coverage_se, calibrated.level = x$table$level, row.names = NULL
  )
}

# Pictures ---------------------------------------------------------------------------

#' @rdname confint.wbb_calibration
#' @export
plot.wbb_calibration <- function(x, pars = NULL, n = 12, col = NULL, main = NULL, ...) {
  look <- plot_look(main, ..., .known = names(formals(plot.wbb_calibration)))
  data <- coverage_data(x, pars, n)
  draw_coverage(data, check_colours(col, fit_colours[2:1]), look)
  invisible(data)
}

#' @rdname confint.wbb_calibration
#' @method autoplot wbb_calibration
#' @exportS3Method ggplot2::autoplot wbb_calibration
autoplot.wbb_calibration <- function(object, pars = NULL, n = 12, ...) {
  require_package("ggplot2", "`autoplot()`")
  check_dots(..., .function = "autoplot", .known = names(formals(autoplot.wbb_calibration)))
  gg_coverage(coverage_data(object, pars, n))
}

calibration_words <- c(before = "intervals as they are", after = "calibrated")

# Coverage at each level, a panel a coefficient or one for their mean.
coverage_data <- function(x, pars, n) {
  terms <- x$table$term
  n <- check_count(n, "n")
  at <- if (is.null(pars)) setdiff(seq_along(terms), which(terms == "(Intercept)")) else match_pars(pars, terms)
  mean <- is.null(pars) && length(at) > n
  levels <- seq(0.5, 0.99, by = 0.01)
  u <- x$u[, at, drop = FALSE]
  curve <- lapply(levels, function(level) {
    shares <- list(before = achieved(u, level), after = achieved_after(x, level, at))
    if (mean) shares <- lapply(shares, base::mean)
    # The mean over coefficients is less uncertain than each of them; how much less is not known.
    off <- 2 * sqrt(level * (1 - level) / nrow(u))
    data.frame(index = if (mean) 1L else at, level = level, shares, low = level - off, high = pmin(1, level + off), row.names = NULL)
  })
  curve <- do.call(rbind, curve)
  curve$name <- if (mean) paste("mean over", length(at)) else terms[curve$index]
  curve[order(curve$index, curve$level), ]
}

draw_coverage <- function(data, col, look) {
  panels <- unique(data$index)
  foot <- "Across: level of the intervals. Upwards: share that covers. Grey: where exact intervals would be."
  page <- panel_page(length(panels), mar = c(2, 2.6, 1.6, 0.7), foot = foot, look = look, fits = calibration_words)
  on.exit(graphics::par(page$old))
  bottom <- min(data$before, data$after, data$low)
  for (index in panels) {
    panel <- data[data$index == index, ]
    graphics::plot.new()
    graphics::plot.window(either(look$xlim, range(panel$level)), either(look$ylim, c(bottom, 1)))
    graphics::polygon(c(panel$level, rev(panel$level)), c(panel$low, rev(panel$high)), col = tint(pale, 0.5), border = NA)
    graphics::lines(panel$level, panel$level, col = pale)
    graphics::lines(panel$level, panel$before, col = col[1], lwd = 1.6)
    graphics::lines(panel$level, panel$after, col = col[2], lwd = 1.6)
    value_axis(range(panel$level))
    graphics::axis(2, at = pretty(c(bottom, 1), 4), col = NA, col.ticks = ink, col.axis = ink, cex.axis = 0.85)
    panel_title(panel$name[1])
  }
  page_words(page, look, col)
}

gg_coverage <- function(data) {
  .data <- ggplot2::.data
  long <- do.call(rbind, lapply(names(calibration_words), function(which) {
    data.frame(data[c("index", "level")], coverage = data[[which]], fit = calibration_words[[which]])
  }))
  long$fit <- factor(long$fit, calibration_words)
  first <- data[!duplicated(data$index), ]
  ggplot2::ggplot(long, ggplot2::aes(.data$level, .data$coverage)) +
    ggplot2::geom_ribbon(ggplot2::aes(.data$level, ymin = .data$low, ymax = .data$high), data, inherit.aes = FALSE, fill = pale, alpha = 0.5) +
    ggplot2::geom_abline(colour = pale) +
    ggplot2::geom_line(ggplot2::aes(colour = .data$fit), linewidth = 0.7) +
    gg_panels(first$index, first$name, "fixed") +
    ggplot2::scale_x_continuous(n.breaks = 4, guide = gg_apart()) +
    ggplot2::scale_colour_manual(values = stats::setNames(fit_colours[2:1], calibration_words)) +
    ggplot2::labs(x = "level of the intervals", y = "share that covers", subtitle = "Grey: where exact intervals would be.") +
    gg_look()
}
