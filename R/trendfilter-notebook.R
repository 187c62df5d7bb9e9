# How a trend shows itself in a Jupyter notebook: a curve, its numbers, and the likeliest places of knots.

#' @rdname repr_html.wbb
#' @method repr_html wbb_trendfilter
#' @exportS3Method repr::repr_html wbb_trendfilter
repr_html.wbb_trendfilter <- function(obj, n = 30, ...) {
  check_fit(obj)
  n <- check_count(n, "n")
  rows <- do.call(rbind, lapply(seq_along(obj$lambda), function(i) {
    numbers <- knot_quantiles(i, obj)[c(2L, 1L, 3L)]
    c(obj$mode_diagnostics$knots[i], obj$mode_diagnostics$knots[i] + obj$spec$order + 1, obj$mode_diagnostics$sigma[i], numbers)
  }))
  cells <- apply(rows, 2L, function(values) vapply(values, html_number, ""))
  cells <- matrix(cells, nrow(rows))
  head <- c("knots of the mode", "df", "sigma", "knots, median", "2.5%", "97.5%")
  drawn <- all(vapply(obj$lambda, function(at) length(solved_draws(obj, at)) > 0L, NA))
  data <- if (drawn) trend_data(obj, NULL, "credible", 0.95, NULL, NULL, TRUE, NULL, NULL)
  if (drawn && is_path(obj)) {
    cells <- cbind(cells, paste0("<span style=\"color:", trend_colours(data), "\">&#9632;</span>"))
    head <- c(head, "colour")
  }
  table <- html_rows(head, paste("lambda =", format_lambda(obj$lambda)), cells)
  curve <- if (drawn) svg_trend(data) else ""
  places <- if (is_path(obj) || !drawn) "" else html_knots(obj, n)
  paste0("<div style=\"overflow-x:auto\">", html_heading(obj), curve, table, places, html_lines(failure_words(obj)), "</div>")
}

html_knots <- function(fit, n) {
  places <- knot_probability(fit, 1L)
  places <- utils::head(places[order(-places$probability), ], min(n, 10))
  if (!nrow(places)) return(html_lines("no draw has a knot"))
  places <- places[order(places$x), ]
  cells <- cbind(html_text(probability_text(places$probability)), html_text(probability_text(places$p_up)), ifelse(places$in_mode, "yes", ""))
  paste0(html_lines("likeliest places of knots"), html_rows(c("P(knot)", "P(up)", "in the mode"), paste("x =", as_time(places$x, fit$time)), cells))
}

# The trend as a curve: data, pointwise band, mode, and the knots of the mode as marks on the axis.
svg_trend <- function(data, size = c(width = 460, height = 150)) {
  across <- svg_scale(range(data$trend$x), c(5, size[["width"]] - 5))
  strip <- knots_strip(data)
  top <- max(data$trend$fit, data$limits$upr, data$data$y)
  up <- svg_scale(c(strip$base, if (top > strip$base) top else strip$base + 1), c(size[["height"]] - 5, 4))
  shown <- shown_places(nrow(data$trend) / length(data$lambda), 300L)
  observed <- if (!is.null(data$data)) data$data[shown_places(nrow(data$data), 300L), ]
  points <- if (!is.null(observed)) {
    paste0("<circle cx=\"", across(observed$x), "\" cy=\"", up(observed$y), "\" r=\"1.2\" fill=\"currentColor\" fill-opacity=\"0.3\"/>")
  }
  colours <- trend_colours(data)
  lines <- lapply(seq_along(data$lambda), function(i) {
    of <- function(rows) rows[rows$lambda == data$lambda[i], ]
    trend <- of(data$trend)[shown, ]
    limits <- of(data$limits)[shown, ]
    low <- trend_line(limits$x, limits$lwr, data$order)
    high <- trend_line(limits$x, limits$upr, data$order)
    middle <- trend_line(trend$x, trend$fit, data$order)
    knots <- of(data$knots)
    c(
      svg_line(across(c(low$x, rev(high$x))), up(c(low$y, rev(high$y))), paste0("fill=\"", colours[i], "\" fill-opacity=\"0.3\"")),
      svg_line(across(middle$x), up(middle$y), paste0("fill=\"none\" stroke=\"", colours[i], "\" stroke-width=\"1.5\"")),
      if (nrow(knots)) {
        paste0("<path d=\"M", across(knots$x), " ", up(strip$base), "V", up(strip$at(knots$probability)), "\" stroke=\"", colours[i],
          "\" stroke-width=\"", ifelse(knots$in_mode, 2, 0.8), "\"/>")
      }
    )
  })
  title <- paste0("Mode and pointwise 95% band of ", data$labels$y, " against ", data$labels$x, "; below, the probability of a knot")
  svg(title, c(svg_axis(up(strip$base), size), points, unlist(lines)), size)
}
