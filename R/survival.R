# Relative risks and survival curves of Cox models: each draw has its own baseline hazard, made with its own weights.

# predict() with type = "risk" or "survival".
predict_hazard <- function(fit, newdata, asked, lambda, newoffset, times) {
  if (asked$type == "risk" && !is.null(times)) bad_argument("times", "be NULL but for type = \"survival\"", times)
  rows <- linear_rows(fit, newdata, newoffset)
  if (asked$type == "survival") times <- check_times(times, fit)
  over_path(fit, lambda, function(at) {
    values <- if (asked$type == "risk") risk_values(fit, rows, at, asked) else survival_values(fit, rows, times, at, asked)
    pad_rows(if (is.null(newdata)) fit$na.action, values)
  })
}

# Against the mean of the columns, as for survival::coxph(): a row of zeros may be far from all data.
risk_values <- function(fit, rows, lambda, asked) {
  names <- rownames(rows$x)
  rows$x <- as.matrix(rows$x) - rep(fit$centre, each = nrow(rows$x))
  rownames(rows$x) <- names
  asked$type <- "response"
  point <- linear_point(fit, rows, lambda, "response", asked$estimate)
  if (asked$interval == "none") point else with_limits(point, row_limits(fit, rows, lambda, asked))
}

# All times of events, unless the user wants others.
check_times <- function(times, fit) {
  check_kept(fit, "y")
  if (is.null(times)) return(sort(unique(fit$y[fit$spec$status > 0])))
  times <- check_numbers(times, "times", lower = 0, must = "be times, not negative")
  if (!length(times)) bad_argument("times", "have an element", times, "is empty")
  times
}

# Rows by times; with an interval a third dimension.
survival_values <- function(fit, rows, times, lambda, asked) {
  index <- lambda_index(fit, lambda)
  n <- nrow(rows$x)
  shape <- c(n, length(times))
  names <- list(rownames(rows$x), vapply(times, format, "", digits = 7))
  point <- if (asked$estimate == "mode") {
    parts <- mode_parts(fit, index)
    eta <- link_values(rows, as.matrix(fit$mode)[, index, drop = FALSE], fit$spec)
    survival_at(parts$y, parts$status, parts$weights, parts$fitted, eta, times)
  }
  if (asked$estimate == "mode" && asked$interval == "none") return(array(point, shape, names))
  probs <- if (asked$interval != "none") interval_probs(asked$level)
  over_draws <- survival_over_draws(survival_parts(fit, rows, times, lambda), probs)
  if (is.null(point)) point <- over_draws[, 1L]
  if (is.null(probs)) return(array(point, shape, names))
  array(c(point, over_draws[, -1L]), c(shape, 3L), c(names, list(c("fit", "lwr", "upr"))))
}

# Of each draw the risks of the rows and the cumulative hazard at the times, a row a draw; blocks are small, so that a stop is heard.
survival_parts <- function(fit, rows, times, lambda, numbers = block_numbers / 8) {
  usable <- usable_draws(fit, lambda)
  draws <- draws_matrix(fit, lambda)
  own <- linear_rows(fit, NULL)
  size <- as.double(length(usable)) * (nrow(rows$x) + length(times)) + 3 * as.double(nrow(rows$x)) * length(times)
  check_size(size, "the curves", "times", times, "Ask for fewer rows or times.")
  risk <- matrix(0, length(usable), nrow(rows$x))
  hazard <- matrix(0, length(usable), length(times))
  step <- max(1, floor(numbers / fit$spec$n))
  for (start in seq(1, by = step, length.out = ceiling(length(usable) / step))) {
    at <- start:min(start + step - 1, length(usable))
    weights <- t(weights(fit, usable[at])[, seq_len(fit$spec$n), drop = FALSE])
    coefficients <- t(draws[at, , drop = FALSE])
    parts <- baseline_parts(fit$y, fit$spec$status, weights, link_values(own, coefficients, fit$spec),
      link_values(rows, coefficients, fit$spec), times)
    risk[at, ] <- t(parts$risk)
    hazard[at, ] <- t(parts$hazard)
    Sys.sleep(0)
  }
  list(risk = risk, hazard = hazard)
}

# The mean of all draws and their quantiles, a line for each row and time, rows first. All draws of all of them would be many times larger
# than what is made of them.
survival_over_draws <- function(parts, probs, numbers = block_numbers / 8) {
  n <- ncol(parts$risk)
  out <- matrix(0, n * ncol(parts$hazard), 1L + length(probs))
  for (part in parts_of(nrow(out), max(1, floor(numbers / nrow(parts$risk))))) {
    cell <- seq.int(part[1L], length.out = part[2L] - part[1L])
    draws <- exp(-parts$risk[, cell %% n + 1, drop = FALSE] * parts$hazard[, cell %/% n + 1, drop = FALSE])
    out[cell + 1, ] <- cbind(colMeans(draws), if (!is.null(probs)) t(column_quantiles(draws, probs)))
    Sys.sleep(0)
  }
  out
}

# exp(−H(t) e^η) at new rows and times, by the baseline of the weights and of η at the rows of the fit.
survival_at <- function(time, status, weights, own, eta, times) {
  parts <- baseline_parts(time, status, weights, own, eta, times)
  exp(-outer(parts$risk[, 1L], parts$hazard[, 1L]))
}

# Risks of new rows and cumulative hazards at times, a column for each of weights and of η; both are against the largest η of
# the rows of the fit, so that nothing overflows.
baseline_parts <- function(time, status, weights, own, eta, times) {
  own <- as.matrix(own)
  top <- own[cbind(max.col(t(own), "first"), seq_len(ncol(own)))]
  steps <- breslow(time, status, weights, exp(own - rep(top, each = nrow(own))))
  list(risk = exp(as.matrix(eta) - rep(top, each = nrow(eta))), hazard = baseline_at(steps, times))
}

# Curves ---------------------------------------------------------------------------

#' Survival curves with bands
#'
#' The survival functions of a Cox fit of [wbb_lasso()] at some rows, with pointwise credible bands, as a data frame and as a
#' picture.
#'
#' The curve of a draw is \eqn{\exp(-H_k(t) e^{x'b_k})}{exp(-H_k(t) exp(x'b_k))}, with Breslow's cumulative baseline hazard
#' \eqn{H_k} of that draw: its events and its risk sets have the draw's weights. With all weights one it is that of
#' `survival::survfit()` for a `coxph()` with `ties = "breslow"`. The bands are quantiles over the draws, time by time.
#'
#' @inheritParams predict.wbb_lasso
#' @param object A fit of [wbb_lasso()] with `family = "cox"`.
#' @param newdata The rows; by default one, the mean of the columns.
#' @param times The times; by default all at which there was an event.
#' @param x Curves.
#' @param col Colours, one a row.
#' @param main Title.
#' @return `survival_curve()`: a data frame of class `wbb_survival` with the columns `row` (the name or number of the row of
#'   `newdata`; for all lambdas of a path also that of its lambda), `time`, `survival`, `lower` and `upper`. `plot()` returns it invisibly; `autoplot()` a ggplot object.
#' @examplesIf requireNamespace("survival", quietly = TRUE)
#' lung <- na.omit(survival::lung[c("time", "status", "age", "sex", "ph.ecog")])
#' fit <- wbb_lasso(survival::Surv(time, status) ~ ., lung, family = "cox", lambda = 2,
#'   draws = 200, seed = 1)
#' curves <- survival_curve(fit, data.frame(age = 60, sex = 1:2, ph.ecog = 1), times = c(180, 365))
#' curves
#' plot(survival_curve(fit, data.frame(age = 60, sex = 1:2, ph.ecog = 1)))
#' @export
survival_curve <- function(object, newdata = NULL, times = NULL, level = 0.95, lambda = NULL, estimate = c("mode", "mean"),
                           newoffset = NULL) {
  if (!inherits(object, "wbb_lasso") || family_of(check_fit(object))$name != "cox") {
    bad_argument("object", "be a fit of wbb_lasso() with family = \"cox\"", object)
  }
  asked <- check_prediction("survival", "credible", level, estimate, family_of(object))
  rows <- if (is.null(newdata)) mean_row(object, newoffset) else linear_rows(object, newdata, newoffset)
  # A curve begins with all alive.
  times <- if (is.null(times)) c(0, check_times(NULL, object)) else check_times(times, object)
  times <- sort(unique(times))
  curves <- rows_over_path(object, lambda, function(at) {
    labels <- curve_labels(rows$x, if (whole_path(object, lambda)) at)
    values <- survival_values(object, rows, times, at, asked)
    part <- function(k) as.vector(t(matrix(values[, , k], nrow(rows$x))))
    data.frame(
      row = rep(factor(labels, unique(labels)), each = length(times)), time = rep(times, nrow(rows$x)),
      survival = part(1L), lower = part(2L), upper = part(3L)
    )
  })
  structure(curves, class = c("wbb_survival", "data.frame"), level = asked$level)
}

curve_labels <- function(x, lambda) {
  labels <- if (is.null(rownames(x))) as.character(seq_len(nrow(x))) else rownames(x)
  if (is.null(lambda)) labels else at_lambda(labels, lambda)
}

mean_row <- function(fit, newoffset) {
  if (!is.null(newoffset)) bad_argument("newoffset", "come with `newdata`", newoffset)
  offset <- fit$spec$offset
  list(x = matrix(fit$centre, 1L, dimnames = list("mean of the columns", NULL)), offset = if (!is.null(offset)) mean(offset))
}

#' @rdname survival_curve
#' @param ... For `plot()`: `sub`, `xlab`, `ylab`, `xlim`, `ylim` and `cex`, as in [plot.wbb()].
#' @export
plot.wbb_survival <- function(x, col = NULL, main = NULL, ...) {
  look <- plot_look(main, ..., .known = c("col", "main"))
  curves <- split(as.data.frame(x), x$row, drop = TRUE)
  check_curves(curves)
  col <- check_colours(col)
  col <- rep_len(col, length(curves))
  key <- if (length(curves) > 1L) names(curves)
  old <- one_panel(look, c(3.2, 3.8, 0.8 + key_lines(key), 1))
  on.exit(graphics::par(old))
  graphics::plot.new()
  graphics::plot.window(either(look$xlim, c(0, max(x$time))), either(look$ylim, c(0, 1)))
  graphics::abline(h = c(0, 1), col = pale, lwd = 0.8)
  for (k in seq_along(curves)) {
    steps <- as_steps(curves[[k]])
    graphics::polygon(c(steps$time, rev(steps$time)), c(steps$lower, rev(steps$upper)), col = tint(col[k], 0.2), border = NA)
    graphics::lines(steps$time, steps$survival, col = col[k], lwd = 1.6)
  }
  plain_axes(1L)
  plain_axes(2L)
  side_text(either(look$xlab, "time"), 1, 1.9, 1)
  side_text(either(look$ylab, survival_label(x)), 2, 2.6, 1)
  if (length(key)) key_above(key, lwd = 2, col = col)
  panel_words(look)
  invisible(x)
}

#' @rdname survival_curve
#' @method autoplot wbb_survival
#' @exportS3Method ggplot2::autoplot wbb_survival
autoplot.wbb_survival <- function(object, main = NULL, ...) {
  require_package("ggplot2", "`autoplot()`")
  check_dots(..., .function = "autoplot", .known = "main")
  .data <- ggplot2::.data
  curves <- split(as.data.frame(object), object$row, drop = TRUE)
  check_curves(curves)
  steps <- do.call(rbind, lapply(unname(curves), as_steps))
  ggplot2::ggplot(steps, ggplot2::aes(.data$time, .data$survival, colour = .data$row, fill = .data$row)) +
    ggplot2::geom_ribbon(ggplot2::aes(ymin = .data$lower, ymax = .data$upper), colour = NA, alpha = 0.2) +
    ggplot2::geom_line(linewidth = 0.7) +
    gg_colours(names(curves)) +
    ggplot2::coord_cartesian(ylim = c(0, 1)) +
    ggplot2::labs(x = "time", y = survival_label(object), title = check_label(main, "main")) +
    gg_look()
}

check_curves <- function(curves) {
  if (length(curves) > length(fit_colours)) {
    bad_argument("x", paste("hold at most", length(fit_colours), "curves in a picture"), NULL, paste("holds", length(curves)))
  }
}

survival_label <- function(curves) paste0("survival, ", interval_words(attr(curves, "level")))

# A curve stays where it is until its next time.
as_steps <- function(curve) {
  n <- nrow(curve)
  time <- rep(seq_len(n), each = 2L)[-1L]
  value <- rep(seq_len(n), each = 2L)[-2L * n]
  data.frame(row = curve$row[value], time = curve$time[time], curve[value, c("survival", "lower", "upper")], row.names = NULL)
}
