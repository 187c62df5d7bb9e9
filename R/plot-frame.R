# The frame of every picture in base graphics: colours, what the user may set, pages and panels, axes, keys, words in margins.

# Okabe and Ito's colours, which colour-blind readers tell apart.
fit_colours <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
ink <- "grey25"
pale <- "grey75"

check_colours <- function(col, default = fit_colours) {
  if (is.null(col)) return(default)
  if (is.factor(col)) col <- as.character(col)
  if (!is.atomic(col) || is.object(col) || length(col) == 0L) bad_argument("col", "be colours that R knows", col)
  bad <- !vapply(col, is_colour, NA, USE.NAMES = FALSE)
  if (any(bad)) {
    at <- first_bad(bad)
    bad_argument("col", "be colours that R knows", col, if (length(col) > 1L) paste("element", at, "is", show_value(col[[at]])) else paste("is", show_value(col)))
  }
  rep_len(col, max(length(col), length(default)))
}

# A name, or a place in the palette; NA is none. col2rgb() takes numbers that devices refuse.
is_colour <- function(col) {
  if (is.na(col)) return(TRUE)
  # Nor is the background, 0, a colour that can be tinted.
  if (is.numeric(col)) return(col >= 1 && col <= .Machine$integer.max)
  is.character(col) && !inherits(try(grDevices::col2rgb(col), silent = TRUE), "try-error")
}

tint <- function(col, alpha) grDevices::adjustcolor(col, alpha)
# adjustcolor() warns where there is no colour to adjust.
shade <- function(col) if (length(col)) grDevices::adjustcolor(col, red.f = 0.6, green.f = 0.6, blue.f = 0.6) else col

# So light that what lies behind them is seen through many points.
cloud <- function(n) list(col = tint("grey60", min(1, max(0.06, 3000 / n))), cex = if (n > 500) 0.25 else 0.45)

# ---- what the user may set -----------------------------------------------------------

look_names <- c("sub", "xlab", "ylab", "xlim", "ylim", "cex")

# The graphical parameters in the dots of plot(), checked; whatever else is there is an error.
plot_look <- function(main, ..., .known) {
  check_dots(..., .function = "plot", .known = c(.known, look_names), .foreign = look_names)
  given <- list(...)
  list(
    main = check_label(main, "main"), sub = check_label(given$sub, "sub"),
    xlab = check_label(given$xlab, "xlab"), ylab = check_label(given$ylab, "ylab"),
    xlim = check_limits(given$xlim, "xlim"), ylim = check_limits(given$ylim, "ylim"),
    cex = if (is.null(given$cex)) 1 else check_number(given$cex, "cex", 0, open = TRUE)
  )
}

# One text or expression; several texts are its lines. NULL is no wish, and NA, as elsewhere in R, no label.
check_label <- function(value, argument) {
  if (is.null(value)) return(NULL)
  if (is.factor(value)) value <- as.character(value)
  if (is.language(value) && !inherits(value, "formula") && length(value) > 0L) return(if (is.expression(value)) value[1L] else as.expression(value))
  if (!is.atomic(value) || is.object(value) || !is.null(dim(value)) || (length(value) != 1L && !is.character(value))) {
    bad_argument(argument, "be a text or an expression", value)
  }
  if (anyNA(value)) "" else paste(value, collapse = "\n")
}

# Dates and times, too: on an axis they are numbers.
check_limits <- function(limits, argument) {
  if (is.null(limits)) return(NULL)
  numbers <- if (inherits(limits, "POSIXlt")) as.POSIXct(limits) else limits
  numbers <- if (is.atomic(numbers) && !is.character(numbers)) suppressWarnings(as.double(unclass(numbers)))
  if (length(numbers) != 2L || !all(is.finite(numbers)) || numbers[1L] == numbers[2L]) {
    bad_argument(argument, "be two different numbers, the ends of the axis", limits)
  }
  numbers
}

either <- function(asked, ours) if (is.null(asked)) ours else asked

# What a device begins with.
first_par <- list(mar = c(5.1, 4.1, 4.1, 2.1), mgp = c(3, 1, 0), tcl = -0.5, las = 0)

# Sets ours where the device has what it began with: what the user has set by par() stays.
own_par <- function(...) {
  ours <- list(...)
  ours <- ours[vapply(names(ours), function(name) isTRUE(all.equal(graphics::par(name), first_par[[name]])), NA)]
  if (length(ours)) graphics::par(ours)
}

# ---- pages and panels ----------------------------------------------------------------

# Width and height of the page in inches. A Jupyter kernel records a plot on a device of its
# own and replays it at the size of repr's options.
page_size <- function() {
  size <- graphics::par("din")
  if (isTRUE(getOption("jupyter.in_kernel"))) {
    size <- c(getOption("repr.plot.width", size[1]), getOption("repr.plot.height", size[2]))
  }
  size
}

# How many rows of text a picture of one panel has room for.
page_rows <- function() {
  part <- if (all(graphics::par("mfrow") == 1L)) 1 else graphics::par("fin")[2L] / graphics::par("din")[2L]
  max(8, floor((part * page_size()[2L] - 1) / 0.13))
}

# Starts a picture of one panel in the place that is next, which may be one of the user's own mfrow. Gives back what
# is to be restored. `mar` is without the title, for which there is room if there is one.
one_panel <- function(look, mar) {
  old <- graphics::par(c("mar", "mgp", "tcl", "las", "cex"))
  graphics::par(cex = graphics::par("cex") * look$cex)
  words <- c(length(look$sub) > 0, 0, 1.8 * (length(look$main) > 0), 0)
  own_par(mar = mar + words, mgp = c(1.8, 0.4, 0), tcl = -0.25, las = 1)
  old
}

# Title and subtitle of a picture of one panel, at the edges of its figure.
panel_words <- function(look) {
  if (length(look$main)) graphics::title(look$main, line = graphics::par("mar")[3L] - 1.6)
  if (!is.null(look$sub)) side_text(look$sub, 1, graphics::par("mar")[1L] - 1.1)
}

# Rows and columns of panels that are, on this device, nearest to a little wider than high.
panel_grid <- function(count, shape = 1.3) {
  columns <- seq_len(min(count, 12))
  rows <- ceiling(count / columns)
  size <- page_size()
  best <- which.min(abs(log((size[1] / columns) / (size[2] / rows) / shape)))
  c(rows[best], columns[best])
}

# Starts a page of panels, or a picture of one panel if there is one; `old` is to be restored. `foot` are the words
# below, `fits` leave room for a key.
panel_page <- function(count, mar, foot, look, fits = NULL, grid = panel_grid(count)) {
  size <- page_size() / rev(grid)
  # Text shrinks with the panels, so that twenty still fit on a small device.
  shrink <- if (count == 1L) 1 else max(0.4, min(0.85, size[1] / 2.2, size[2] / 1.6))
  foot <- fold_text(c(foot, look$sub), 0.97 * (if (count == 1L) graphics::par("fin")[1L] else page_size()[1L]) / (shrink * look$cex))
  head <- (if (length(look$main)) 2 else 0) + (if (length(fits) > 1) 1.8 else 0)
  page <- list(foot = foot, fits = fits, alone = count == 1L)
  room <- c(length(foot) + 0.4, 0, head, 0)
  if (page$alone) {
    look$main <- look$sub <- NULL
    page$old <- one_panel(look, mar + room)
    return(page)
  }
  page$old <- graphics::par(c("mfrow", "cex", "mar", "oma", "mgp", "tcl", "las"))
  was <- graphics::par("cex")
  graphics::par(mfrow = grid)
  graphics::par(cex = shrink * was * look$cex)
  own_par(mar = mar, mgp = c(1.4, 0.35, 0), tcl = -0.2, las = 1)
  graphics::par(oma = room)
  page
}

# Title, words below and the key, once the panels are drawn.
page_words <- function(page, look, col = fit_colours) {
  line <- if (length(page$fits) > 1) 1.9 else 0.1
  size <- graphics::par("cex")
  edge <- if (page$alone) graphics::par("mar")[c(1L, 3L)] - c(length(page$foot) + 0.4, line + 2) else c(0, 0)
  if (length(look$main)) {
    graphics::mtext(look$main, side = 3, outer = !page$alone, line = edge[2L] + line + 0.4, font = 2, cex = 1.2 * max(size, 0.7))
  }
  for (i in seq_along(page$foot)) {
    words <- page$foot[[i]]
    cex <- fitting(words, 0.97 * if (page$alone) graphics::par("fin")[1L] else page_size()[1L], 0.8)
    at <- if (page$alone) graphics::grconvertX(0.01, "nfc", "user") else 0.01
    graphics::mtext(words, side = 1, outer = !page$alone, line = edge[1L] + i - 0.9, at = at, adj = 0, cex = cex * size, col = ink)
  }
  if (length(page$fits) < 2) return(invisible())
  if (page$alone) return(key_above(page$fits, lwd = 2, col = col[seq_along(page$fits)], lift = 1.5))
  height <- graphics::par("csi") / page_size()[2]
  # The panels' own settings come back by `old`.
  graphics::par(fig = c(0, 1, 0, 1), oma = c(0, 0, 0, 0), mar = c(0, 0, 0, 0), new = TRUE)
  graphics::plot.new()
  graphics::legend("top", legend = page$fits, col = col[seq_along(page$fits)], lwd = 2, bty = "n", horiz = TRUE, text.col = ink,
    cex = fitting(paste(c(page$fits, strrep("m", 4 * length(page$fits))), collapse = ""), page_size()[1L], 0.9),
    inset = c(0, if (length(look$main)) 2 * height else 0))
}

# ---- text ----------------------------------------------------------------------------

# The largest size up to `cex` at which the text is no wider than `room` inches.
fitting <- function(text, room, cex = 1, font = 1) {
  width <- max(graphics::strwidth(text, units = "inches", cex = cex, font = font))
  # Text of a few pixels is drawn up to a twentieth wider than it is measured.
  cex * min(1, 0.95 * room / width)
}

# Lines that are no wider than `room` inches at three quarters of their size: smaller text is not read.
fold_text <- function(text, room, cex = 0.8) {
  lines <- lapply(text, function(words) {
    over <- graphics::strwidth(words, units = "inches", cex = 0.75 * cex) / room
    if (over <= 1 || is.language(words)) words else strwrap(words, ceiling(nchar(words) / ceiling(over)) + 6)
  })
  unlist(lines)
}

# In a margin, at a size that follows par("cex") as all other text does: at the middle of the panel or, where it is longer
# than that, of the figure.
side_text <- function(text, side, line, cex = 0.9, at = NULL) {
  if (!length(text)) return(invisible())
  across <- side %% 2 == 1
  cex <- fitting(text, graphics::par("fin")[if (across) 1L else 2L], cex)
  longer <- graphics::strwidth(text, units = "inches", cex = cex) > graphics::par("pin")[if (across) 1L else 2L]
  middle <- if (across) graphics::grconvertX(0.5, "nfc", "user") else graphics::grconvertY(0.5, "nfc", "user")
  if (is.null(at)) at <- if (longer) middle else NA
  graphics::mtext(text, side = side, line = line, las = 0, col = ink, cex = cex * graphics::par("cex"), at = at)
}

foot_notes <- function(note, line) {
  for (i in seq_along(note)) side_text(note[i], 1, line + i - 1, 0.75, at = graphics::grconvertX(0.5, "nfc", "user"))
}

# A heading and what stands opposite, neither running into the other. The name is plain
# text: it is not an expression, and `%` or `[` in it mean nothing.
panel_title <- function(name, p_zero = 0) {
  room <- graphics::par("pin")[1]
  width <- function(s, cex, font = 1) graphics::strwidth(s, units = "inches", cex = cex, font = font)
  right <- if (p_zero %in% c(0, NA)) "" else c(zero_words(p_zero), probability_text(p_zero))
  try <- expand.grid(right = seq_along(right), size = c(0.95, 0.75), letters = c(28, 20, 17, 14, 11, 9))
  # Rather the number alone, or small letters, than half a name.
  half <- try$letters < min(20, nchar(name))
  try <- try[order(half, ifelse(half, -try$letters, -try$size)), ]
  for (k in seq_len(nrow(try))) {
    left <- short_name(name, try$letters[k])
    words <- right[try$right[k]]
    # Letters on a screen are wider than they are meant to be, by up to a twentieth.
    if (1.05 * width(left, try$size[k], 2) + 1.05 * width(if (nzchar(words)) paste0("m", words) else "", 0.8) <= room) break
  }
  size <- graphics::par("cex")
  graphics::mtext(left, side = 3, line = 0.25, adj = 0, cex = try$size[k] * size, font = 2)
  graphics::mtext(words, side = 3, line = 0.25, adj = 1, cex = 0.8 * size, col = ink)
}

# ---- keys ----------------------------------------------------------------------------

# Entries of a key a row, so that it is no wider than the figure: an entry has room for its symbol.
key_columns <- function(words, cex = 0.8) {
  wide <- max(graphics::strwidth(words, units = "inches", cex = cex)) + graphics::strwidth("mmm", units = "inches", cex = cex)
  max(1, min(length(words), floor(0.96 * graphics::par("fin")[1L] / wide)))
}

# Lines of the margin that key_above() takes.
key_lines <- function(words) if (length(words)) 1.2 * ceiling(length(words) / key_columns(words)) else 0

# Above the panel and `lift` lines of text, where it hides nothing, in as many rows as it needs.
key_above <- function(words, ..., lift = 0) {
  left <- graphics::grconvertX(0.02, "nfc", "user")
  top <- graphics::grconvertY(1, "npc", "inches") + lift * graphics::par("csi")
  top <- graphics::grconvertY(top, "inches", "user")
  columns <- key_columns(words)
  rows <- ceiling(length(words) / columns)
  # Read row by row: legend() fills its columns.
  at <- as.vector(matrix(c(seq_along(words), rep(NA, rows * columns - length(words))), rows, columns, byrow = TRUE))
  place <- function(values) rep_len(values, length(words))[at]
  shown <- lapply(list(...), place)
  text <- ifelse(is.na(at), "", words[at])
  do.call(graphics::legend, c(list(left, top, text, ncol = columns, yjust = 0.05, bty = "n", cex = 0.8, xpd = NA, text.col = ink), shown))
}

# ---- axes ----------------------------------------------------------------------------

plain_axes <- function(side, ..., cex.axis = 0.9) {
  graphics::axis(side, col = if (side == 1L) pale else NA, col.ticks = ink, col.axis = ink, cex.axis = cex.axis, ...)
}

# Lines of the left margin that the numbers of an axis take.
label_room <- function(limits, cex.axis = 0.9, least = 2) {
  max(least, max(graphics::strwidth(format(pretty(limits)), units = "inches", cex = cex.axis)) / graphics::par("csi") + 0.9)
}

# As many ticks as their labels have room for.
value_axis <- function(limits, cex = 0.85) {
  at <- NULL
  for (count in 5:1) {
    try <- pretty(limits, count)
    try <- try[try >= graphics::par("usr")[1] & try <= graphics::par("usr")[2]]
    if (length(try) < 2 && length(at) > 0) break
    at <- try
    if (sum(graphics::strwidth(paste0(format(at), "  "), units = "inches", cex = cex)) <= graphics::par("pin")[1]) break
  }
  graphics::axis(1, at = at, col = NA, col.ticks = ink, col.axis = ink, cex.axis = cex, gap.axis = 0.2)
}

# Marks of lambda; every second one where there is no room for all labels.
lambda_axis <- function(lambda, cex = 0.85) {
  ticks <- lambda_ticks(lambda)
  keep <- seq_along(ticks$at)
  wide <- function(label) sum(graphics::strwidth(paste0(label, "  "), units = "inches", cex = cex)) > graphics::par("pin")[1]
  while (length(keep) > 2 && wide(ticks$label[keep])) keep <- keep[seq(1, length(keep), by = 2)]
  graphics::axis(1, at = ticks$at[keep], labels = ticks$label[keep], col = NA, col.ticks = ink, col.axis = ink,
    cex.axis = cex, gap.axis = 0.2)
}

zero_line <- function(vertical = TRUE) {
  if (vertical) graphics::abline(v = 0, col = pale, lwd = 0.8) else graphics::abline(h = 0, col = pale, lwd = 0.8)
}

# One panel has both: what is counted stands on a strip below what is measured, with an axis of its own on the right.
# `shown` are the limits of the one, `top` is the largest number of the other.
strip_below <- function(shown, top) {
  height <- 0.2 * max(diff(shown), .Machine$double.xmin)
  base <- shown[1L] - 1.4 * height
  list(
    base = base, top = top, at = function(p) base + height * p / top, back = function(y) (y - base) / height * top,
    breaks = function(limits) Filter(function(b) b >= shown[1L] - 0.2 * height, pretty(shown))
  )
}

strip_axes <- function(strip, label) {
  plain_axes(2L, at = strip$breaks())
  ends <- c(0, strip$top)
  graphics::axis(4, at = strip$at(ends), labels = format(ends, digits = 2, trim = TRUE), tick = FALSE, col.axis = ink,
    cex.axis = 0.75, mgp = c(1, 0.1, 0), gap.axis = -1)
  side_text(label, 4, 1.5, 0.75, at = strip$at(ends[2L] / 2))
}
