# Whether sums are still what they were made as: they are saved, sent and joined, and what is not as they say would reach Rust.

check_moments <- function(x) {
  fault <- moments_fault(x)
  if (!is.null(fault)) abort("version", paste0("These sums cannot be used: ", fault, "; make them again with wbb_moments()."))
  invisible(x)
}

# The first thing that is wrong, in words; NULL if there is none.
moments_fault <- function(x) {
  if (!identical(x$version, wbb_version)) return("they were made by another version of wbb")
  whole <- function(value) is_number(value) && value >= 0 && value == trunc(value)
  counts <- c("p", "draws", "n", "dropped", "first_draw")
  bad <- counts[!vapply(x[counts], whole, NA)]
  if (length(bad)) return(paste0("their `", bad[1L], "` is ", show_value(x[[bad[1L]]])))
  if (!is_number(x$seed)) return(paste("their `seed` is", show_value(x$seed)))
  size <- moments_sizes(x)
  of_size <- function(part) is.double(x[[part]]) && !is.object(x[[part]]) && length(x[[part]]) == size[[part]]
  bad <- names(size)[!vapply(names(size), of_size, NA)]
  if (length(bad)) return(paste0("their `", bad[1L], "` are not of the size that they say"))
  small <- c("unit", "shift", "scale", "low", "high", "cases")
  bad <- small[!vapply(x[small], is_finite, NA)]
  if (length(bad)) return(paste0("their `", bad[1L], "` are not finite"))
  units <- x$head_unit[!is.nan(x$head_unit)]
  if (!all(is.finite(units) & units >= 0 & units == trunc(units))) return("their `head_unit` are no numbers of rows")
  if (!is.character(x$names) || length(x$names) != x$p) return(paste("they do not name their", x$p, "columns"))
  if (!isTRUE(x$intercept) && !isFALSE(x$intercept)) return(paste("their `intercept` is", show_value(x$intercept)))
  if (!inherits(x$weights, "wbb_law")) return("they do not say the law of their weights")
  if (!is.data.frame(x$range) || !all(c("first", "last") %in% names(x$range))) return("they do not say their rows")
  rows <- sum(as.double(x$range$last) - as.double(x$range$first) + 1)
  if (!isTRUE(x$n == rows)) return(paste("they count", sql_number(x$n), "rows and say", show_value(rows)))
  if (!is.null(x$levels) && !is.list(x$levels)) return("their `levels` are no list")
  if (!inherits(x$formula, "formula") || !inherits(x$terms, "terms")) return("they have no formula")
  NULL
}

# How many numbers each part has. Folds may be few or none, and the first rows are as many as were kept.
moments_sizes <- function(x) {
  a_draw <- products(x$p)
  folds <- max(1, floor(length(x$folds) / a_draw)) * a_draw
  c(
    sums = a_draw * x$draws, unit = a_draw, folds = folds, totals = x$draws, shift = x$p + 1, scale = x$p + 1, low = x$p + 1, high = x$p + 1,
    cases = 3, head_case = max(1, length(x$head_case)), head_unit = max(1, length(x$head_case))
  )
}
