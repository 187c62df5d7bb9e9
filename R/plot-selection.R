# Pictures of what the model is made of: how much each term matters, and which coefficients are selected together. Their
# types stand with the others in plot.R.

# The numbers ----------------------------------------------------------------------

# Rows as those of intervals: the standard deviation, over the rows of the data, of what each term adds to the linear
# predictor.
importance_data <- function(fit, pars, n, lambda, level, standardize, label) {
  if (isFALSE(standardize)) bad_argument("standardize", "be TRUE or NULL for importance, which is on the scale of the response", standardize)
  parts <- if (inherits(fit, "wbb_any")) model_parts(fit$model, fit_names(fit)) else linear_parts(fit)
  if (is.null(parts)) {
    bad_argument("type", "be another one for a fit of wbb() whose numbers are not the coefficients of its model's columns", "importance",
      advice = paste0("That needs a fit with ", needs_columns, "."))
  }
  terms <- parts$terms
  draws <- draws_matrix(fit, lambda)
  size <- term_sizes(parts, draws)
  mode <- if (has_mode(fit)) term_sizes(parts, t(mode_estimate(fit, lambda))) else rep(NA_real_, length(terms))
  at <- if (is.null(pars)) seq_along(terms) else match_pars(pars, names(terms))
  rows <- data.frame(
    fit = label, index = at, name = names(terms)[at], lambda = c(lambda, fit$lambda, NA)[1L], mode = mode[at],
    interval_columns(size[, at, drop = FALSE], level)
  )
  rows <- rows[order(-rows$median, -rows$high), ]
  note <- if (is.null(pars) && nrow(rows) > n) sprintf("%s of %s terms: those with the largest median", n, with_commas(nrow(rows)))
  list(
    type = "importance", interval = utils::head(rows, if (is.null(pars)) n else Inf), level = level,
    axis = "standard deviation of what the term adds to the prediction", note = c(note, dropped_note(fit, lambda))
  )
}

# The columns of each term of a formula; without one each column is a term.
term_columns <- function(fit) {
  if (is.null(fit$terms)) return(as.list(stats::setNames(seq_along(fit$spec$columns), fit$spec$columns)))
  assign <- column_terms(fit)[[1L]]
  assign <- assign[assign != 0L]
  columns <- split(seq_along(assign), assign)
  stats::setNames(columns, attr(fit$terms, "term.labels")[as.integer(names(columns))])
}

# What importance is made of: the columns of each term, x where a term has several, the standard deviation of each column, and the
# draws' columns of its coefficient, for each class.
linear_parts <- function(fit) {
  slopes <- matrix(slope_columns(fit), ncol = max(1L, fit$spec$classes))
  terms <- term_columns(fit)
  list(terms = terms, slopes = slopes, spread = plot_scale(fit, TRUE)[slopes[, 1L]], x = if (any(lengths(terms) > 1L)) own_columns(fit))
}

# The same of a model of wbb() whose numbers are the coefficients of its columns; NULL of another.
model_parts <- function(model, names) {
  if (!is.list(model)) return(NULL)
  x <- attempt(stats::model.matrix(model))
  labels <- attempt(attr(stats::terms(model), "term.labels"))
  assign <- attr(x, "assign")
  keep <- which(assign != 0L & colnames(x) %in% names)
  if (is.null(labels) || !length(keep)) return(NULL)
  columns <- split(seq_along(keep), assign[keep])
  list(
    terms = stats::setNames(columns, labels[as.integer(names(columns))]), slopes = matrix(match(colnames(x)[keep], names)),
    spread = column_spread(x[, keep, drop = FALSE]), x = x[, keep, drop = FALSE]
  )
}

# Draws by terms. One column needs its standard deviation only, which keeps a sparse x sparse; the classes of a
# multinomial share the columns, and count by their root mean square.
term_sizes <- function(parts, draws) {
  classes <- ncol(parts$slopes)
  variance <- vapply(parts$terms, function(columns) {
    within <- if (length(columns) > 1L) covariance_n(as.matrix(parts$x[, columns, drop = FALSE])) else matrix(parts$spread[columns]^2)
    of_class <- lapply(seq_len(classes), function(k) {
      b <- draws[, parts$slopes[columns, k], drop = FALSE]
      rowSums((b %*% within) * b)
    })
    Reduce(`+`, of_class) / classes
  }, numeric(nrow(draws)))
  sqrt(pmax(matrix(variance, nrow(draws)), 0))
}

covariance_n <- function(x) {
  centred <- x - rep(colMeans(x), each = nrow(x))
  crossprod(centred) / nrow(x)
}

selection_data <- function(fit, pars, n, lambda) {
  draws <- draws_matrix(fit, lambda)
  at <- if (is.null(pars)) slope_columns(fit) else match_pars(pars, fit_names(fit))
  selected <- (draws[, at, drop = FALSE] != 0) + 0
  if (all(selected == 1)) bad_argument("type", "be another one for a fit in which no coefficient is ever zero", "selection")
  share <- colMeans(selected)
  note <- NULL
  uncertain <- which(share > 0 & share < 1)
  if (is.null(pars) && length(uncertain)) {
    kept <- utils::head(uncertain[order(-(share * (1 - share))[uncertain])], n)
    note <- c(
      if (length(kept) < length(uncertain)) sprintf("%d of %d coefficients: those with P(=0) nearest to 1/2", length(kept), length(uncertain)),
      if (length(uncertain) < length(at)) {
        sprintf("left out: %d selected in all draws, %d in none", sum(share == 1), sum(share == 0))
      }
    )
  } else {
    kept <- utils::head(seq_along(at), if (is.null(pars)) n else Inf)
    if (!length(uncertain)) note <- "every coefficient is selected in all draws, or in none"
  }
  kept <- sort(kept)
  selected <- selected[, kept, drop = FALSE]
  phi <- selection_correlation(selected)
  order <- if (ncol(phi) > 2L) stats::hclust(stats::as.dist(1 - phi), "average")$order else seq_len(ncol(phi))
  both <- crossprod(selected) / nrow(selected)
  cells <- expand.grid(row = seq_along(order), column = seq_along(order))
  cells <- cells[cells$row >= cells$column, ]
  from <- cbind(order[cells$row], order[cells$column])
  list(
    type = "selection", name = fit_names(fit)[at[kept]][order], index = at[kept][order],
    cells = data.frame(cells, both = both[from], correlation = ifelse(cells$row == cells$column, NA_real_, phi[from]), row.names = NULL),
    note = c(note, dropped_note(fit, lambda))
  )
}

# Of what never changes it is zero.
selection_correlation <- function(selected) {
  centred <- selected - rep(colMeans(selected), each = nrow(selected))
  size <- sqrt(colSums(centred^2))
  phi <- crossprod(centred) / pmax(outer(size, size), .Machine$double.xmin)
  diag(phi) <- 1
  unname(phi)
}

selection_words <- "Number: % of the draws with both. Colour: correlation of the two."

# Orange for -1, blue for 1; the diagonal has none.
selection_colours <- function(correlation, ends = fit_colours[2:1]) {
  ramp <- grDevices::colorRampPalette(c(ends[1L], "white", ends[2L]))(201L)
  ifelse(is.na(correlation), "grey90", ramp[101L + round(100 * correlation)])
}

# Base graphics --------------------------------------------------------------------

draw_selection <- function(data, col, look) {
  cells <- data$cells
  count <- length(data$name)
  notes <- c(selection_words, data$note)
  key <- c("together", "independent", "instead of each other")
  old <- graphics::par(c("mar", "mgp", "tcl", "las", "cex"))
  on.exit(graphics::par(old))
  # Names below may take a third of the height.
  size <- max(0.45, min(0.9, (graphics::par("fin")[2L] * 2 / 3 - 1.3) / (0.17 * count)))
  # The names stand at the side and below.
  lines_of <- function(name) max(graphics::strwidth(name, units = "inches", cex = size)) / graphics::par("csi") + 0.8
  name <- short_name(data$name, 20)
  most <- max(2.5, graphics::par("fin")[2L] / graphics::par("csi") / 3)
  below <- name
  for (letters in 19:4) if (lines_of(below) > most) below <- short_name(data$name, letters)
  room <- lines_of(name)
  one_panel(look, c(lines_of(below) + length(notes), room, 0.5 + key_lines(key), 0.8))
  graphics::plot.new()
  ends <- c(0.5, count + 0.5)
  graphics::plot.window(either(look$xlim, ends), rev(either(look$ylim, ends)), xaxs = "i", yaxs = "i")
  graphics::rect(cells$column - 0.5, cells$row - 0.5, cells$column + 0.5, cells$row + 0.5, border = "white",
    col = selection_colours(cells$correlation, col[2:1]))
  text <- formatC(100 * cells$both, format = "f", digits = 0)
  cell <- graphics::par("pin") / count
  fits <- min(fitting("100", 0.9 * cell[1L], 0.8 * size), 0.8 * cell[2L] / graphics::strheight("0", units = "inches", cex = 1))
  # Rather none than such as nobody can read.
  if (fits > 0.35) graphics::text(cells$column, cells$row, text, cex = fits, col = ink)
  graphics::axis(2, at = seq_len(count), labels = name, tick = FALSE, cex.axis = size, col.axis = ink, las = 1, gap.axis = -1, mgp = c(1, 0.2, 0))
  graphics::axis(1, at = seq_len(count), labels = below, tick = FALSE, cex.axis = size, col.axis = ink, las = 2, gap.axis = -1, mgp = c(1, 0.2, 0))
  key_above(key, pch = 22, pt.cex = 1.6, col = pale, pt.bg = selection_colours(c(0.8, 0, -0.8), col[2:1]))
  foot_notes(notes, line = graphics::par("mar")[1L] - length(notes) - 0.2 - (length(look$sub) > 0))
  panel_words(look)
}

# ggplot2 --------------------------------------------------------------------------

gg_selection <- function(data) {
  .data <- ggplot2::.data
  cells <- data$cells
  count <- length(data$name)
  cells$text <- formatC(100 * cells$both, format = "f", digits = 0)
  name <- short_name(data$name, 20)
  small <- ggplot2::element_text(size = ggplot2::rel(if (count > 12) 0.65 else 0.85))
  ggplot2::ggplot(cells, ggplot2::aes(.data$column, .data$row)) +
    ggplot2::geom_tile(ggplot2::aes(fill = .data$correlation), colour = "white") +
    (if (count <= 12) ggplot2::geom_text(ggplot2::aes(label = .data$text), size = 2.6, colour = ink)) +
    ggplot2::scale_fill_gradient2(low = fit_colours[2L], mid = "white", high = fit_colours[1L], limits = c(-1, 1), na.value = "grey90") +
    ggplot2::scale_x_continuous(breaks = seq_len(count), labels = name, expand = c(0, 0), guide = ggplot2::guide_axis(angle = 90)) +
    ggplot2::scale_y_reverse(breaks = seq_len(count), labels = name, expand = c(0, 0)) +
    ggplot2::labs(x = NULL, y = NULL, subtitle = gg_wrap(selection_words)) +
    gg_look(panel.grid = ggplot2::element_blank(), axis.text.x = small, axis.text.y = small, legend.key.height = ggplot2::unit(6, "pt"))
}
