# How a fit shows itself in a Jupyter notebook: a table with a small picture in each row.
#
# Styles stand on the elements: a notebook has no place of ours for a style sheet. Colours
# of text and lines follow the page, so that dark themes work. All text that may come
# from the user (names, the call) goes through html_text(). Plain text is what print()
# shows; repr does that by itself.

#' Show a fit in a Jupyter notebook
#'
#' In a notebook with an R kernel a fit is shown as a table of coefficients with a small
#' picture of each marginal posterior (or, for a path, of the posterior against `lambda`).
#' The spike is the point mass at zero, as in [plot.wbb()]. Networks show their accuracy and other measures. Draws that
#' failed are left out, and counted below.
#'
#' @param obj A fit.
#' @param n The largest number of coefficients shown; see [plot.wbb()] for the rule.
#' @param ... Not used.
#' @return HTML, as one string.
#' @examplesIf requireNamespace("repr", quietly = TRUE)
#' fit <- wbb_lasso(y ~ ., data = diabetes, draws = 200, seed = 1, threads = 1)
#' html <- repr::repr_html(fit)
#' substr(html, 1, 60)
#' @method repr_html wbb
#' @exportS3Method repr::repr_html wbb
repr_html.wbb <- function(obj, n = 30, ...) {
  check_fit(obj)
  n <- check_count(n, "n")
  columns <- plot_columns(obj, NULL, n, obj$lambda)
  path <- is_path(obj)
  # The intercept has a row, but only where every coefficient has one.
  if (!path && is.null(columns$note)) columns$index <- seq_along(fit_names(obj))
  table <- if (path) html_path_table(obj, columns) else html_table(obj, columns)
  paste0(
    "<div style=\"overflow-x:auto\">", html_heading(obj), table,
    html_lines(c(columns$note, failure_words(obj))), "</div>"
  )
}

# ---- the parts -----------------------------------------------------------------------

html_heading <- function(fit) {
  words <- describe(fit)
  lines <- c(
    data_text(fit, words),
    paste0(tolower(names(words$lines)), ": ", words$lines)
  )
  paste0(
    "<div style=\"font-weight:600\">", html_text(words$title), "</div>",
    html_lines(paste(lines, collapse = " \u00b7 "))
  )
}

html_lines <- function(lines) {
  if (length(lines) == 0) {
    return("")
  }
  paste0("<div style=\"font-size:90%;opacity:0.75\">", html_text(lines), "</div>", collapse = "")
}

html_table <- function(fit, columns) {
  rows <- summary_table(fit$lambda, fit, c(0.025, 0.975))[columns$index, ]
  data <- density_data(fit, columns)
  pictures <- vapply(columns$index, function(j) svg_density(data, j), "")
  cells <- cbind(
    if (has_mode(fit)) vapply(rows$mode, html_number, ""), vapply(rows$mean, html_number, ""), vapply(rows$sd, html_number, ""),
    vapply(rows[["2.5%"]], html_number, ""), vapply(rows[["97.5%"]], html_number, ""),
    if (any_zeros(rows)) html_text(probability_text(rows$p_zero)), html_text(probability_text(rows$p_positive)), pictures
  )
  head <- c(if (has_mode(fit)) "mode", "mean", "sd", "2.5%", "97.5%", if (any_zeros(rows)) "P(=0)", "P(&gt;0)", "posterior")
  html_rows(head, rows$term, cells)
}

html_path_table <- function(fit, columns) {
  data <- path_data(fit, columns)
  ends <- range(fit$lambda)
  at <- function(lambda) vapply(data$path$median[data$path$lambda == lambda], html_number, "")
  pictures <- vapply(columns$index, function(j) svg_path(data, j), "")
  head <- c(paste0("median, lambda = ", format_lambda(ends)), "median and 95% interval, lambda rising")
  html_rows(head, fit_names(fit)[columns$index], cbind(at(ends[1]), at(ends[2]), pictures))
}

html_rows <- function(head, names, cells) {
  right <- " style=\"text-align:right;padding:2px 8px;white-space:nowrap\""
  left <- " style=\"text-align:left;padding:2px 8px\""
  last <- " style=\"text-align:center;padding:2px 8px;white-space:nowrap\""
  style <- c(rep(right, ncol(cells) - 1), last)
  body <- vapply(seq_along(names), function(i) {
    paste0(
      "<tr><th scope=\"row\"", left, ">", html_text(names[i]), "</th>",
      paste0("<td", style, ">", cells[i, ], "</td>", collapse = ""), "</tr>"
    )
  }, "")
  paste0(
    "<table style=\"border-collapse:collapse;margin:0.4em 0;color:inherit\"><thead><tr><th", left, "></th>",
    paste0("<th scope=\"col\"", style, ">", head, "</th>", collapse = ""),
    "</tr></thead><tbody>", paste(body, collapse = "\n"), "</tbody></table>"
  )
}

# ---- pictures ------------------------------------------------------------------------

svg_size <- c(width = 150, height = 30)

# Maps values to pixels within a margin that keeps spikes and triangles whole.
svg_scale <- function(limits, pixels) {
  function(v) round(pixels[1] + (v - limits[1]) / diff(limits) * diff(pixels), 1)
}

svg_density <- function(data, index) {
  of <- function(part) part[part$index == index, ]
  panel <- of(data$panels)
  limits <- panel_limits(data, index)
  across <- svg_scale(limits, c(5, svg_size[["width"]] - 5))
  up <- svg_scale(c(0, panel$top), c(svg_size[["height"]] - 5, 4))
  base <- up(0)
  shape <- vapply(split(of(data$curve), of(data$curve)$side), function(side) {
    # A row of text needs no more points than pixels.
    side <- side[unique(round(seq(1, nrow(side), length.out = 70))), ]
    ends <- across(range(side$x))
    svg_line(
      c(ends[1], across(side$x), ends[2]), c(base, up(side$density), base),
      paste0("fill=\"", fit_colours[1], "\" fill-opacity=\"0.3\" stroke=\"", fit_colours[1], "\" stroke-width=\"1\"")
    )
  }, "")
  mass <- of(data$mass)
  spike <- if (nrow(mass) > 0) {
    at <- across(mass$at)
    top <- up(mass$probability * panel$top)
    paste0(
      "<path d=\"M", at, " ", base, "V", top, "\" stroke=\"currentColor\" stroke-width=\"2\"/>",
      "<circle cx=\"", at, "\" cy=\"", top, "\" r=\"2.5\" fill=\"currentColor\"/>"
    )
  }
  mode <- across(panel$mode)
  triangle <- if (is.finite(mode)) {
    paste0("<path d=\"M", mode - 3, " ", base + 5, "h6l-3 -5z\" fill=\"", fit_colours[2], "\"/>")
  }
  zero <- if (limits[1] <= 0 && limits[2] >= 0) {
    paste0("<path d=\"M", across(0), " ", base, "V2\" stroke=\"currentColor\" stroke-opacity=\"0.3\" stroke-width=\"0.7\"/>")
  }
  svg(paste0("Marginal posterior of ", panel$name), c(svg_axis(base), zero, shape, spike, triangle))
}

svg_path <- function(data, index) {
  path <- data$path[data$path$index == index, ]
  limits <- range(0, path$low, path$high, finite = TRUE)
  if (diff(limits) == 0) limits <- c(-1, 1)
  across <- svg_scale(range(path$position), c(2, svg_size[["width"]] - 2))
  up <- svg_scale(limits, c(svg_size[["height"]] - 3, 3))
  band <- svg_line(
    across(c(path$position, rev(path$position))), up(c(path$low, rev(path$high))),
    paste0("fill=\"", fit_colours[1], "\" fill-opacity=\"0.3\"")
  )
  middle <- svg_line(
    across(path$position), up(path$median), paste0("fill=\"none\" stroke=\"", fit_colours[1], "\" stroke-width=\"1.5\"")
  )
  svg(paste0("Posterior of ", path$name[1], " against lambda"), c(svg_axis(up(0)), band, middle))
}

svg <- function(title, parts, size = svg_size) {
  paste0(
    "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"", size[["width"]], "\" height=\"", size[["height"]],
    "\" viewBox=\"0 0 ", size[["width"]], " ", size[["height"]], "\"><title>", html_text(title), "</title>",
    paste(parts, collapse = ""), "</svg>"
  )
}

svg_axis <- function(y, size = svg_size) {
  paste0("<path d=\"M0 ", y, "H", size[["width"]], "\" stroke=\"currentColor\" stroke-opacity=\"0.3\" stroke-width=\"0.7\"/>")
}

svg_line <- function(x, y, style) {
  keep <- is.finite(x) & is.finite(y)
  paste0("<path d=\"M", paste(x[keep], y[keep], collapse = "L"), "\" ", style, "/>")
}

# ---- text ----------------------------------------------------------------------------

# `&` first, or it would escape the others' escapes.
html_text <- function(text) {
  text <- enc2utf8(as.character(text))
  for (pair in list(c("&", "&amp;"), c("<", "&lt;"), c(">", "&gt;"), c("\"", "&quot;"), c("'", "&#39;"))) {
    text <- gsub(pair[1], pair[2], text, fixed = TRUE)
  }
  text
}

html_number <- function(value) {
  text <- format(value, digits = 3)
  # A minus as wide as the digits.
  sub("^-", "\u2212", text)
}
