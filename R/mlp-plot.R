# Pictures of networks: how the training went, how good the draws are, whether probabilities are right, and what matters.

#' Plot a network's posterior
#'
#' The training curves of the draws, the posterior of the accuracy, predicted probabilities against
#' observed frequencies, or what matters to the predictions. `plot()` uses base graphics; `autoplot()` makes the same pictures with
#' \pkg{ggplot2}, from the same numbers.
#'
#' @details
#' The types are:
#' \describe{
#'   \item{`"training"`}{The loss of every draw (with the penalty, over the sum of the weights) against the
#'     epoch, with the median of the draws and a band that holds the share `level` of them. A draw that
#'     stopped early keeps its last value. At most 100 draws are drawn; the median and the band are of all.}
#'   \item{`"accuracy"`}{The draws of the [accuracy()] on new data (or the test set in the fit) and on the
#'     training data, with the median and the interval at `level`; the triangle is the accuracy of the mean
#'     of the draws' probabilities.}
#'   \item{`"calibration"`}{The table of [calibration()]: the observed share against the mean predicted
#'     probability, with intervals, and below the number of rows in each bin. Points on the line are
#'     right probabilities; below it the networks are too sure.}
#'   \item{`"importance"`}{How much each term of the formula, or each column, moves the predictions: the root mean square of their change, over rows and
#'     classes, when the values of the term change places among the rows, divided by \eqn{\sqrt 2}{the root of two}; for a linear function
#'     that is the standard deviation that [plot.wbb()] shows. Of large data up to 1,000 rows are used.}
#' }
#' Regression has only `"training"` and `"importance"`, and a fit with `lambda = "cv"` also `"cv"`: see [plot.wbb()].
#'
#' @param x,object A fit of [wbb_mlp()].
#' @param type `"training"`, `"accuracy"`, `"calibration"`, `"importance"` or `"cv"`.
#' @param newdata,y New data, and what was observed there: arguments `x` and `y` of [accuracy()]. By default the
#'   test set in the fit.
#' @param level The probability of bands and intervals.
#' @param class,bins As in [calibration()].
#' @param main Title.
#' @param ... For `plot()`: `sub`, `xlab`, `ylab`, `xlim`, `ylim` and `cex`, as in [plot.wbb()]. Anything else is an error.
#' @return `plot()` returns the numbers shown, invisibly: a list of data frames. `autoplot()`
#'   returns a ggplot object.
#' @examples
#' odd <- seq(1, 150, by = 2)
#' fit <- wbb_mlp(Species ~ ., iris[odd, ], hidden = 8, draws = 50, epochs = 60, batch_size = 25,
#'   standardize = TRUE, test = iris[-odd, ], seed = 1)
#' plot(fit)
#' plot(fit, "accuracy")
#' plot(fit, "calibration", bins = 5)
#' plot(fit, "importance")
#' @export
plot.wbb_mlp <- function(x, type = c("training", "accuracy", "calibration", "importance", "cv"), newdata = NULL, y = NULL,
                         level = 0.95, class = NULL, bins = 10, main = NULL, ...) {
  look <- plot_look(main, ..., .known = names(formals()))
  shown <- mlp_plot_data(x, type, newdata, y, level, class, bins)
  switch(shown$type,
    training = draw_training(shown, look),
    accuracy = draw_accuracy(shown, look),
    calibration = draw_calibration(shown, look),
    importance = draw_interval(shown, fit_colours, look),
    cv = draw_cv(shown, fit_colours, look)
  )
  invisible(shown)
}

#' @rdname plot.wbb_mlp
#' @method autoplot wbb_mlp
#' @exportS3Method ggplot2::autoplot wbb_mlp
autoplot.wbb_mlp <- function(object, type = c("training", "accuracy", "calibration", "importance", "cv"), newdata = NULL, y = NULL,
                             level = 0.95, class = NULL, bins = 10, main = NULL, ...) {
  require_package("ggplot2", "`autoplot()`")
  check_dots(..., .function = "autoplot", .known = names(formals()))
  shown <- mlp_plot_data(object, type, newdata, y, level, class, bins)
  picture <- switch(shown$type,
    training = gg_training(shown),
    accuracy = gg_accuracy(shown),
    calibration = gg_calibration(shown),
    importance = gg_interval(shown),
    cv = gg_cv(shown)
  )
  gg_main(picture, main)
}

# The numbers ----------------------------------------------------------------------

mlp_plot_data <- function(fit, type, newdata, y, level, class, bins) {
  check_fit(fit)
  types <- c("training", "accuracy", "calibration", "importance", "cv")
  type <- check_choice(type, "type", types)
  if (type == "cv") {
    if (is.null(fit$cv)) bad_argument("type", "be another one for a fit whose `lambda` was given", type)
    return(cv_data(fit))
  }
  if (type %in% c("accuracy", "calibration") && !length(fit$levels)) bad_argument("type", "be \"training\" or \"importance\" for regression", type)
  level <- check_level(level)
  data <- switch(type,
    training = training_data(fit, level),
    accuracy = accuracy_data(fit, newdata, y, level),
    importance = network_importance(fit, level),
    calibration = list(
      table = calibration(fit, newdata, y, class, bins, level), bins = check_count(bins, "bins"),
      of = if (is.null(class)) "the predicted class" else check_choice(class, "class", fit$levels)
    )
  )
  dropped <- sum(failed_status(fit$diagnostics$status))
  note <- if (dropped) paste(dropped, "of", draw_count(fit$spec), "draws have no network and are left out")
  data$note <- c(data$note, note)
  c(list(type = type), if (is.null(data$level)) list(level = level), data)
}

training_data <- function(fit, level, most = 100L) {
  curves <- fit$curves[usable_draws(fit), , drop = FALSE]
  # No draw goes on after the last epoch that any of them ran.
  ran <- max(which(colSums(!is.na(curves)) > 0))
  curves <- curves[, seq_len(ran), drop = FALSE]
  lines <- data.frame(
    draw = rep(seq_len(nrow(curves)), ran), epoch = rep(seq_len(ran), each = nrow(curves)), loss = as.vector(curves)
  )
  lines <- lines[lines$draw <= most & !is.na(lines$loss), ]
  row.names(lines) <- NULL
  for (k in seq_len(ran)[-1L]) {
    stopped <- is.na(curves[, k])
    curves[stopped, k] <- curves[stopped, k - 1L]
  }
  middle <- column_quantiles(curves, c(0.5, interval_probs(level)))
  list(
    lines = lines,
    band = data.frame(epoch = seq_len(ran), median = middle[1L, ], lwr = middle[2L, ], upr = middle[3L, ], row.names = NULL),
    # Losses that fall a long way are read on a log scale.
    log = min(curves) > 0 && max(curves) > 10 * min(curves)
  )
}

accuracy_data <- function(fit, newdata, y, level) {
  values <- list(training = fit$diagnostics$accuracy[usable_draws(fit)])
  whole <- c(training = NA_real_)
  rows <- c(training = fit$spec$n)
  if (!is.null(newdata) || !is.null(fit$test$y)) {
    name <- if (is.null(newdata)) "test" else "new data"
    scores <- observed_scores(fit, newdata, y)
    rows <- c(stats::setNames(observed_rows(fit, newdata, y)$n, name), rows)
    values <- c(stats::setNames(list(scores$right), name), values)
    whole <- c(stats::setNames(scores$mean_right, name), whole)
  }
  probs <- c(0.5, interval_probs(level))
  middle <- vapply(values, stats::quantile, double(3), probs, names = FALSE)
  sets <- names(values)
  list(
    draws = data.frame(set = factor(rep(sets, lengths(values)), sets), accuracy = unlist(values, use.names = FALSE)),
    bars = accuracy_bars(values, rows),
    sets = data.frame(set = factor(sets, sets), median = middle[1L, ], lwr = middle[2L, ], upr = middle[3L, ],
      mean_prediction = whole, row.names = NULL)
  )
}

# Bars are as wide as a whole number of rows, and so are centred on what can be attained: an accuracy is a number of
# rows over all of them. Their widths are as nearly equal as that allows, so that the panels compare.
accuracy_bars <- function(values, rows) {
  ends <- range(unlist(values))
  # About as many as a histogram of so many draws bears.
  wanted <- max(diff(ends), 1e-6) / min(40, max(8, round(2 * sqrt(length(values[[1L]])))))
  parts <- lapply(names(values), function(set) {
    right <- round(values[[set]] * rows[[set]])
    # An odd number has a middle.
    step <- 2 * floor(wanted * rows[[set]] / 2) + 1
    bar <- (right - min(right)) %/% step
    from <- (min(right) - 0.5 + step * seq(0, max(bar))) / rows[[set]]
    data.frame(set = factor(set, names(values)), from = from, to = from + step / rows[[set]],
      share = tabulate(bar + 1, max(bar) + 1) / length(right))
  })
  do.call(rbind, parts)
}

# Base graphics --------------------------------------------------------------------

loss_label <- "mean loss and penalty"

epoch_ticks <- function(limits) {
  at <- unique(round(pretty(limits, 6)))
  at[at >= 1]
}

draw_training <- function(data, look) {
  col <- fit_colours[1L]
  key <- c("draws", "median", paste0(100 * data$level, "% of the draws"))
  old <- one_panel(look, c(3.2 + length(data$note), 4.4, 0.6 + key_lines(key), 0.8))
  on.exit(graphics::par(old))
  lines <- data$lines
  graphics::plot.new()
  epochs <- range(lines$epoch)
  graphics::plot.window(either(look$xlim, if (diff(epochs)) epochs else epochs + c(-0.5, 0.5)),
    either(look$ylim, range(lines$loss, data$band[c("lwr", "upr")])), log = if (data$log) "y" else "")
  for (one in split(lines, lines$draw)) graphics::lines(one$epoch, one$loss, col = tint("grey50", 0.3), lwd = 0.7)
  band <- data$band
  graphics::polygon(c(band$epoch, rev(band$epoch)), c(band$lwr, rev(band$upr)), col = tint(col, 0.2), border = NA)
  graphics::lines(band$epoch, band$median, col = shade(col), lwd = 2)
  if (!diff(epochs)) {
    graphics::points(lines$epoch, lines$loss, pch = 19, cex = 0.5, col = tint("grey50", 0.5))
    graphics::points(band$epoch, band$median, pch = 19, col = shade(col))
  }
  plain_axes(1L, at = epoch_ticks(epochs))
  plain_axes(2L)
  side_text(either(look$xlab, "epoch"), 1, 1.8)
  side_text(either(look$ylab, paste0(loss_label, if (data$log) " (log scale)")), 2, 3.1)
  key_above(key, pch = c(NA, NA, 15), pt.cex = 1.8, lwd = c(1, 2, NA), col = c("grey70", shade(col), tint(col, 0.3)))
  foot_notes(data$note, line = 2.8)
  panel_words(look)
}

draw_accuracy <- function(data, look) {
  count <- nrow(data$sets)
  foot <- c(either(look$xlab, "Across: accuracy."), accuracy_key(data), data$note)
  page <- panel_page(count, mar = c(1.9, 1, 1.6, 1), foot = foot, look = look, grid = c(count, 1L))
  on.exit(graphics::par(page$old))
  seen <- data$bars[data$bars$share > 0, ]
  limits <- either(look$xlim, range(seen$from, seen$to, data$sets$mean_prediction, na.rm = TRUE))
  for (i in seq_len(count)) {
    set <- data$sets[i, ]
    bars <- seen[seen$set == set$set, ]
    col <- fit_colours[i]
    top <- max(bars$share)
    graphics::plot.new()
    # Room below the bars for the interval.
    graphics::plot.window(limits, either(look$ylim, c(-0.2, 1.02) * top), yaxs = "i")
    graphics::rect(bars$from, 0, bars$to, bars$share, col = tint(col, 0.4), border = "white")
    graphics::segments(set$lwr, -0.07 * top, set$upr, -0.07 * top, col = shade(col), lwd = 1.5)
    graphics::points(set$median, -0.07 * top, pch = 21, bg = "white", col = shade(col), cex = 1.1)
    if (!is.na(set$mean_prediction)) {
      graphics::points(set$mean_prediction, -0.15 * top, pch = 24, bg = col, col = shade(col), cex = 0.8, xpd = NA)
    }
    value_axis(limits)
    size <- graphics::par("cex")
    graphics::mtext(set$set, side = 3, line = 0.25, adj = 0, font = 2, cex = size)
    graphics::mtext(accuracy_words(set), side = 3, line = 0.25, adj = 1, cex = 0.9 * size, col = ink)
  }
  page_words(page, look)
}

accuracy_words <- function(set) {
  shown <- vapply(c(set$median, set$lwr, set$upr), formatC, "", format = "f", digits = 3)
  paste0(shown[1L], " (", shown[2L], " to ", shown[3L], ")")
}

accuracy_key <- function(data) {
  paste0("bars: share of the draws; median (circle), ", interval_words(data$level),
    if (any(!is.na(data$sets$mean_prediction))) ", mean of the draws' probabilities (triangle)")
}

draw_calibration <- function(data, look) {
  table <- data$table
  limits <- calibration_range(table)
  col <- fit_colours[1L]
  old <- one_panel(look, c(3.2 + length(data$note), 4.2, 1, 3))
  on.exit(graphics::par(old))
  shown <- either(look$ylim, range(limits, table$lwr, table$upr))
  strip <- strip_below(shown, max(table$count))
  graphics::plot.new()
  graphics::plot.window(either(look$xlim, limits), c(strip$base, shown[2L]))
  graphics::segments(limits[1L], limits[1L], limits[2L], limits[2L], col = pale)
  graphics::segments(table$predicted, table$lwr, table$predicted, table$upr, col = tint(col, 0.6), lwd = 1.5)
  graphics::points(table$predicted, table$observed, pch = 21, bg = col, col = "white", cex = 1.2)
  graphics::rect(table$from, strip$base, table$to, strip$at(table$count), col = tint(col, 0.35), border = "white")
  plain_axes(1L)
  strip_axes(strip, "rows")
  side_text(either(look$ylab, paste0("observed share, ", interval_words(data$level))), 2, 3)
  side_text(either(look$xlab, calibration_label(data)), 1, 1.8)
  foot_notes(data$note, line = 2.8)
  panel_words(look)
}

calibration_range <- function(table) c(min(table$from), 1)

calibration_label <- function(data) paste("predicted probability of", data$of)

# ggplot2 --------------------------------------------------------------------------

gg_training <- function(data) {
  .data <- ggplot2::.data
  col <- fit_colours[1L]
  picture <- ggplot2::ggplot(data$band, ggplot2::aes(.data$epoch))
  # One epoch is points, not lines.
  picture <- if (max(data$band$epoch) == 1L) {
    picture +
      ggplot2::geom_point(ggplot2::aes(y = .data$loss), data$lines, colour = "grey50", alpha = 0.5, size = 0.8) +
      ggplot2::geom_point(ggplot2::aes(y = .data$median), colour = shade(col), size = 2)
  } else {
    picture +
      ggplot2::geom_line(ggplot2::aes(y = .data$loss, group = .data$draw), data$lines, colour = "grey50", alpha = 0.3, linewidth = 0.3) +
      ggplot2::geom_ribbon(ggplot2::aes(ymin = .data$lwr, ymax = .data$upr), fill = col, alpha = 0.2) +
      ggplot2::geom_line(ggplot2::aes(y = .data$median), colour = shade(col), linewidth = 0.8)
  }
  picture +
    (if (data$log) ggplot2::scale_y_log10()) +
    ggplot2::scale_x_continuous(breaks = epoch_ticks) +
    ggplot2::labs(y = paste0(loss_label, if (data$log) " (log scale)"),
      subtitle = gg_wrap(paste0("Thick: median. Band: ", 100 * data$level, "% of the draws. Thin: draws."))) +
    gg_look() + gg_note(data)
}

gg_accuracy <- function(data) {
  .data <- ggplot2::.data
  sets <- levels(data$sets$set)
  top <- vapply(split(data$bars$share, data$bars$set), max, 0)
  rows <- data$sets
  rows$at <- -0.07 * top[as.character(rows$set)]
  colours <- stats::setNames(fit_colours[seq_along(sets)], sets)
  bars <- data$bars[data$bars$share > 0, ]
  strip <- stats::setNames(paste0(sets, "   ", vapply(seq_along(sets), function(i) accuracy_words(rows[i, ]), "")), sets)
  ggplot2::ggplot(rows) +
    ggplot2::geom_rect(
      ggplot2::aes(xmin = .data$from, xmax = .data$to, ymin = 0, ymax = .data$share, fill = .data$set), bars, alpha = 0.4, colour = "white"
    ) +
    ggplot2::geom_segment(ggplot2::aes(.data$lwr, .data$at, xend = .data$upr, yend = .data$at, colour = .data$set), linewidth = 0.7) +
    ggplot2::geom_point(ggplot2::aes(.data$median, .data$at, colour = .data$set), shape = 21, fill = "white", size = 2.2) +
    ggplot2::geom_point(ggplot2::aes(.data$mean_prediction, 2 * .data$at, colour = .data$set), shape = 17, size = 2, na.rm = TRUE) +
    ggplot2::facet_wrap(~set, ncol = 1, scales = "free_y", labeller = ggplot2::labeller(set = strip)) +
    ggplot2::scale_fill_manual(values = colours, guide = "none") +
    ggplot2::scale_colour_manual(values = vapply(colours, shade, ""), guide = "none") +
    ggplot2::scale_y_continuous(breaks = NULL) +
    ggplot2::labs(x = "accuracy", y = NULL, subtitle = gg_wrap(accuracy_key(data))) +
    gg_look() + gg_note(data)
}

gg_calibration <- function(data) {
  .data <- ggplot2::.data
  panels <- c("observed share", "rows")
  in_panel <- function(table, k) cbind(table, panel = factor(panels[k], panels))
  col <- fit_colours[1L]
  ends <- calibration_range(data$table)
  line <- in_panel(data.frame(x = ends[1L], y = ends[1L], xend = ends[2L], yend = ends[2L]), 1L)
  ggplot2::ggplot(in_panel(data$table, 1L)) +
    ggplot2::geom_segment(ggplot2::aes(.data$x, .data$y, xend = .data$xend, yend = .data$yend), line, colour = pale) +
    ggplot2::geom_linerange(ggplot2::aes(.data$predicted, ymin = .data$lwr, ymax = .data$upr), colour = col, alpha = 0.6, linewidth = 0.7) +
    ggplot2::geom_point(ggplot2::aes(.data$predicted, .data$observed), colour = col, size = 2) +
    ggplot2::geom_rect(
      ggplot2::aes(xmin = .data$from, xmax = .data$to, ymin = 0, ymax = .data$count), in_panel(data$table, 2L), fill = col, alpha = 0.35, colour = "white"
    ) +
    ggplot2::facet_grid(panel ~ ., scales = "free_y", switch = "y") +
    ggplot2::labs(x = calibration_label(data), y = NULL, subtitle = paste("Lines:", interval_words(data$level))) +
    gg_look(strip.placement = "outside") +
    ggplot2::theme(strip.text.y.left = ggplot2::element_text(face = "plain", hjust = 0.5)) +
    gg_note(data)
}
