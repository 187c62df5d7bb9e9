# Words in pictures, the same in base graphics and ggplot2.

dropped_note <- function(fit, lambda = NULL) {
  failed <- failed_solutions(fit, lambda)
  if (any(failed)) paste(sum(failed), "of", counted(length(failed), "draw"), "failed and left out")
}

# Names are data: they are cut in the middle, where long names differ least, and abbreviated where they differ just there.
short_name <- function(name, width = 28) {
  long <- which(nchar(name, type = "width") > width)
  keep <- (width - 3) / 2
  short <- name
  short[long] <- vapply(name[long], function(s) {
    length <- nchar(s)
    paste0(substr(s, 1, ceiling(keep)), "...", substr(s, length - floor(keep) + 1, length))
  }, "")
  same <- intersect(long, which(short %in% short[duplicated(short) & !duplicated(name)]))
  if (length(same)) short[same] <- suppressWarnings(abbreviate(name[same], max(4, width - 2), method = "both.sides"))
  short
}

# Where none of the coefficients is ever zero, nothing is said of zeros: as in print().
any_zeros <- function(rows) any(rows$p_zero > 0, na.rm = TRUE)

zero_words <- function(p) paste0("P(=0) ", ifelse(grepl("^[<>]", probability_text(p)), "", "= "), probability_text(p))

# What the density picture means, once below (or above) the panels.
density_words <- function(data) {
  zeros <- any_zeros(data$panels)
  paste(c(
    if (zeros) paste0("Spike: P(=0)", if (any(data$mass$at != 0)) ", elsewhere equal draws", ", panel height 1.") else if (nrow(data$mass)) "Spike: all draws are equal.",
    if (nrow(data$curve)) if (zeros) "Curve: density of the non-zero draws, area 1 - P(=0)." else "Curve: density of the draws.",
    if (any(is.finite(data$panels$mode))) "Triangle: mode."
  ), collapse = " ")
}

# Spikes stand at their value, also where several fits have one: the highest behind, and broader than those before it.
spike_order <- function(mass) {
  mass <- mass[order(mass$index, mass$at, -mass$probability), ]
  behind <- stats::ave(seq_len(nrow(mass)), mass$index, mass$at, FUN = function(rows) rev(seq_along(rows)))
  mass$width <- 1 + 0.9 * (behind - 1)
  mass
}

interval_words <- function(level) {
  percent <- paste0(format(100 * level, trim = TRUE, digits = 4), "%")
  paste0(paste(percent, collapse = " and "), if (length(level) > 1) " intervals" else " interval")
}

# What the marks of a picture of intervals are.
interval_legend <- function(rows, level) {
  paste0("median (circle), ", interval_words(level), if (any(is.finite(rows$mode))) ", mode (triangle)")
}

# The number of non-zero coefficients at a few points along a CV curve; none where it is the same in all, as of networks.
nonzero_ticks <- function(curve, count = 9) {
  if (length(unique(curve$nonzero)) == 1L) return(NULL)
  at <- unique(round(seq(1, nrow(curve), length.out = min(count, nrow(curve)))))
  list(at = curve$position[at], label = curve$nonzero[at])
}
