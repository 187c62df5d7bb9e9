# autoplot() of a fit: the pictures of plot.R as ggplot objects, from the same numbers.
#
# ggplot2 is only suggested. Columns are named through `.data`, and panels are told apart
# by position, not by name: names may be duplicated.

#' @rdname plot.wbb
#' @method autoplot wbb
#' @exportS3Method ggplot2::autoplot wbb
autoplot.wbb <- function(object, type = NULL, pars = NULL, n = NULL, lambda = NULL, level = c(0.5, 0.95),
                         standardize = NULL, ...) {
  require_package("ggplot2", "`autoplot()`")
  check_dots(..., .function = "autoplot", .known = names(formals(autoplot.wbb)))
  gg_plot_data(plot_data(object, type, pars, n, lambda, level, standardize))
}

gg_plot_data <- function(data) {
  picture <- switch(data$type,
    density = gg_density(data),
    interval = gg_interval(data),
    importance = gg_interval(data),
    selection = gg_selection(data),
    path = gg_path(data),
    cv = gg_cv(data)
  )
  picture + gg_note(data)
}

gg_look <- function(...) {
  ggplot2::theme_minimal() + ggplot2::theme(
    panel.grid.minor = ggplot2::element_blank(), panel.spacing.x = ggplot2::unit(12, "pt"),
    axis.title = ggplot2::element_text(size = ggplot2::rel(0.85), colour = ink),
    legend.position = "top", legend.title = ggplot2::element_blank(),
    legend.margin = ggplot2::margin(), strip.text = ggplot2::element_text(hjust = 0, face = "bold"),
    plot.subtitle = ggplot2::element_text(size = ggplot2::rel(0.75), colour = ink),
    plot.caption = ggplot2::element_text(hjust = 0, size = ggplot2::rel(0.7), colour = ink), plot.caption.position = "plot",
    plot.title.position = "plot"
  ) + ggplot2::theme(...)
}

gg_main <- function(picture, main) if (is.null(main)) picture else picture + ggplot2::ggtitle(check_label(main, "main"))

gg_note <- function(data) {
  if (length(data$note) > 0) ggplot2::labs(caption = gg_wrap(data$note))
}

# Lines that a picture of 350 pixels has room for: ggplot2 does not break them.
gg_wrap <- function(text, width = 58) paste(unlist(lapply(text, strwrap, width)), collapse = "\n")

# Of labels that would run into each other some are left out.
gg_apart <- function() ggplot2::guide_axis(check.overlap = TRUE)

# Colours by fit; a fit alone needs no key.
gg_colours <- function(fits) {
  key <- if (length(fits) > 1) "legend" else "none"
  list(
    ggplot2::scale_colour_manual(values = stats::setNames(fit_colours[seq_along(fits)], fits), guide = key),
    ggplot2::scale_fill_manual(values = stats::setNames(fit_colours[seq_along(fits)], fits), guide = key)
  )
}

ordered_fit <- function(rows, fits) {
  rows$fit <- factor(rows$fit, fits)
  rows
}

# One panel a position; the strip shows the name, as it is, but for the middle of one that would run into the next.
gg_panels <- function(index, name, scales) {
  columns <- ggplot2::wrap_dims(length(index))[2L]
  label <- stats::setNames(short_name(name, min(28, if (columns > 4) 10 else floor(68 / columns))), index)
  ggplot2::facet_wrap(~index, scales = scales, labeller = ggplot2::labeller(index = function(i) label[i]))
}

gg_density <- function(data) {
  .data <- ggplot2::.data
  fits <- unique(data$panels$fit)
  panels <- ordered_fit(data$panels, fits)
  curve <- ordered_fit(data$curve, fits)
  mass <- ordered_fit(data$mass, fits)
  first <- panels[!duplicated(panels$index), ]
  mass <- spike_order(mass)
  mass$height <- mass$probability * first$top[match(mass$index, first$index)]
  # Room above probability 1, for the label if there is one.
  room <- if (length(fits) == 1) 1.25 else 1.08
  frame <- do.call(rbind, lapply(first$index, function(i) {
    data.frame(index = i, x = panel_limits(data, i), y = c(0, room) * first$top[first$index == i])
  }))
  spike <- shade(fit_colours[as.integer(mass$fit)])
  picture <- ggplot2::ggplot() +
    ggplot2::geom_blank(ggplot2::aes(.data$x, .data$y), frame) +
    ggplot2::geom_hline(yintercept = 0, colour = pale, linewidth = 0.3) +
    gg_zero_line(frame, room) +
    ggplot2::geom_area(
      ggplot2::aes(.data$x, .data$density, fill = .data$fit, colour = .data$fit, group = interaction(.data$fit, .data$side)),
      curve, alpha = 0.25, position = "identity", outline.type = "upper"
    ) +
    ggplot2::geom_segment(
      ggplot2::aes(.data$at, 0, xend = .data$at, yend = .data$height), mass, linewidth = 1.1 * mass$width, colour = spike
    ) +
    ggplot2::geom_point(ggplot2::aes(.data$at, .data$height), mass, size = 2 * sqrt(mass$width), colour = spike) +
    ggplot2::geom_point(
      ggplot2::aes(.data$mode, 0, colour = .data$fit), panels[is.finite(panels$mode), ],
      shape = 24, fill = "white", size = 1.6, show.legend = FALSE
    )
  words <- density_words(data)
  if (length(fits) == 1) {
    said <- first[which(first$p_zero > 0), ]
    # The words stand above the panels: small ones have room for the number only.
    words <- sub("Spike: P(=0)", "Spike and number: P(=0)", words, fixed = TRUE)
    said$label <- probability_text(said$p_zero)
    picture <- picture +
      ggplot2::geom_text(ggplot2::aes(Inf, Inf, label = .data$label), said, hjust = 1.05, vjust = 1.1, size = 2.6, colour = ink)
  }
  picture +
    gg_panels(first$index, first$name, "free") +
    gg_colours(fits) +
    ggplot2::scale_x_continuous(breaks = inner_breaks(if (nrow(first) > 8) 2 else 3), guide = gg_apart()) +
    ggplot2::scale_y_continuous(breaks = NULL, expand = c(0, 0)) +
    ggplot2::coord_cartesian(clip = "off") +
    ggplot2::labs(x = NULL, y = NULL, subtitle = gg_wrap(words)) +
    gg_look(panel.grid.major = ggplot2::element_blank(), axis.ticks.x = ggplot2::element_line(colour = pale))
}

# In a small picture labels at the edges of a panel would run into those of the next, or out of the picture.
inner_breaks <- function(count) {
  function(limits) {
    # One number is no scale: as few more as are needed.
    for (more in count + 0:(2 * count)) {
      at <- pretty(limits, more)
      at <- at[abs(at - mean(limits)) <= 0.42 * diff(limits)]
      if (length(at) > 1L) return(at)
    }
    mean(limits)
  }
}

# The pale line at zero is as high as probability 1, where zero is in the panel at all.
gg_zero_line <- function(frame, room) {
  .data <- ggplot2::.data
  sides <- split(frame, frame$index)
  inside <- Filter(function(f) f$x[1] <= 0 && f$x[2] >= 0, sides)
  rows <- do.call(rbind, lapply(inside, function(f) data.frame(index = f$index[1], top = f$y[2] / room)))
  if (is.null(rows)) {
    return(NULL)
  }
  ggplot2::geom_segment(ggplot2::aes(0, 0, xend = 0, yend = .data$top), rows, colour = pale, linewidth = 0.3)
}

gg_interval <- function(data) {
  .data <- ggplot2::.data
  rows <- data$interval
  fits <- unique(rows$fit)
  rows <- ordered_fit(rows, fits)
  first <- rows[!duplicated(rows$index), ]
  place <- rev(seq_len(nrow(first)))
  rows$row <- place[match(rows$index, first$index)] - (as.integer(rows$fit) - (length(fits) + 1) / 2) * 0.7 / length(fits)
  picture <- ggplot2::ggplot(rows, ggplot2::aes(colour = .data$fit)) +
    ggplot2::geom_vline(xintercept = 0, colour = pale, linewidth = 0.3) +
    ggplot2::geom_segment(ggplot2::aes(.data$low, .data$row, xend = .data$high, yend = .data$row), linewidth = 0.5, na.rm = TRUE) +
    ggplot2::geom_segment(
      ggplot2::aes(.data$inner_low, .data$row, xend = .data$inner_high, yend = .data$row), linewidth = 1.8, na.rm = TRUE, show.legend = FALSE
    ) +
    ggplot2::geom_point(ggplot2::aes(.data$median, .data$row), shape = 21, fill = "white", size = 2.2, na.rm = TRUE, show.legend = FALSE) +
    ggplot2::geom_point(
      ggplot2::aes(.data$mode, .data$row - 0.24 / sqrt(length(fits))), shape = 17, size = 1.2, na.rm = TRUE, show.legend = FALSE
    )
  # P(=0) stands on a second axis, which takes its own room. Its heading has a row, as that of a table: the name of an axis would stand beside
  # the numbers, and be wider than they are.
  zeros <- length(fits) == 1 && any_zeros(rows)
  top <- nrow(first) + zeros
  beside <- if (zeros) {
    ggplot2::dup_axis(breaks = c(top, place), labels = c("P(=0)", probability_text(first$p_zero)), name = NULL)
  } else {
    ggplot2::waiver()
  }
  picture +
    gg_colours(fits) +
    ggplot2::scale_y_continuous(breaks = place, labels = short_name(first$name, 32), limits = c(0.4, top + 0.6),
      expand = c(0, 0), sec.axis = beside) +
    ggplot2::labs(x = gg_wrap(data$axis, 36), y = NULL, subtitle = gg_wrap(interval_legend(rows, data$level))) +
    gg_look(panel.grid.major.y = ggplot2::element_blank(), axis.text.y = ggplot2::element_text(size = ggplot2::rel(if (nrow(first) > 15) 0.65 else 1)))
}

# The more panels stand side by side, the less room their labels have: 350 pixels hold about 40 letters.
few_ticks <- function(ticks, panels) {
  step <- ceiling(length(ticks$at) / max(2, min(7 - panels, 40 / (panels * max(nchar(ticks$label))))))
  lapply(ticks, function(part) part[seq(1, length(part), by = step)])
}

gg_path <- function(data) {
  .data <- ggplot2::.data
  fits <- unique(data$path$fit)
  path <- ordered_fit(data$path, fits)
  first <- path[!duplicated(path$index), ]
  ticks <- few_ticks(lambda_ticks(path$lambda), ggplot2::wrap_dims(nrow(first))[2L])
  ribbon <- function(low, high, alpha) {
    ggplot2::geom_ribbon(ggplot2::aes(ymin = .data[[low]], ymax = .data[[high]], fill = .data$fit), colour = NA, alpha = alpha, na.rm = TRUE)
  }
  picture <- ggplot2::ggplot(path, ggplot2::aes(.data$position, .data$median, colour = .data$fit)) +
    ggplot2::geom_hline(yintercept = 0, colour = pale, linewidth = 0.3) +
    ribbon("low", "high", 0.2) +
    ribbon("inner_low", "inner_high", 0.25) +
    ggplot2::geom_line(ggplot2::aes(y = .data$mode, group = .data$fit), colour = ink, linetype = 2, linewidth = 0.4) +
    ggplot2::geom_line(linewidth = 0.8)
  if (length(unique(path$lambda)) <= 25) picture <- picture + ggplot2::geom_point(size = 0.9)
  picture +
    gg_panels(first$index, first$name, "free_y") +
    gg_colours(fits) +
    ggplot2::scale_x_continuous(breaks = ticks$at, labels = ticks$label, guide = gg_apart()) +
    ggplot2::scale_y_continuous(n.breaks = 4, guide = gg_apart()) +
    ggplot2::labs(
      x = expression(lambda ~ "(log scale)"), y = NULL,
      subtitle = gg_wrap(paste0("Line: posterior median. Bands: ", interval_words(data$level), ". Dashed: mode."))
    ) +
    gg_look()
}

gg_cv <- function(data) {
  .data <- ggplot2::.data
  curve <- data$curve
  chosen <- data$chosen
  # The one that was used is solid, and the labels stand on either side of the pair.
  chosen$line <- ifelse(chosen$used, "solid", "dotted")
  chosen$hjust <- c(1.2, -0.2)
  ticks <- lambda_ticks(curve$lambda)
  top <- nonzero_ticks(curve)
  ggplot2::ggplot(curve, ggplot2::aes(.data$position, .data$mean)) +
    ggplot2::geom_vline(ggplot2::aes(xintercept = .data$position, linetype = .data$line), chosen, colour = ink, linewidth = 0.4) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data$low, ymax = .data$high), colour = "grey65", linewidth = 0.4) +
    ggplot2::geom_point(size = 1.1, colour = fit_colours[1]) +
    ggplot2::geom_text(
      ggplot2::aes(.data$position, Inf, label = .data$rule, hjust = .data$hjust), chosen, vjust = 1.5, size = 3, colour = ink
    ) +
    ggplot2::scale_linetype_identity() +
    ggplot2::scale_y_continuous(expand = ggplot2::expansion(c(0.05, 0.1))) +
    ggplot2::scale_x_continuous(
      breaks = ticks$at, labels = ticks$label,
      sec.axis = if (length(top$at)) ggplot2::dup_axis(breaks = top$at, labels = top$label, name = data$counted) else ggplot2::waiver()
    ) +
    ggplot2::labs(x = expression(lambda ~ "(log scale)"), y = data$measure) +
    gg_look()
}
