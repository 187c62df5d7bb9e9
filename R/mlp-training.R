# What the training says of itself: did it come far enough?

# Words for draws that are still far from a minimum; NULL if there are none.
unsettled_doubt <- function(fit) {
  status <- fit$diagnostics$status
  unsettled <- sum(status == "unsettled")
  if (!unsettled) return(NULL)
  paste0(unsettled, " of ", length(status), " draws ended far from a minimum, with more than a quarter of the gradient they ",
    "began with, so that some of their spread is the optimiser's: take more `epochs`",
    if (fit$spec$average == 0) ", an `average` above 0", " or another `learning_rate`")
}

# With epochs of our choice: whoever gives `epochs` may want few of them. Losses of classes that separate fall for ever, by a large
# share of nearly nothing, and those of small batches waver: both shares are asked for.
falling_doubt <- function(fit) {
  if (!is.null(fit$call$epochs) || !is.matrix(fit$curves)) return(NULL)
  curve <- apply(fit$curves, 2L, stats::median, na.rm = TRUE)
  curve <- curve[is.finite(curve)]
  end <- length(curve)
  if (end < 10L) return(NULL)
  # A step that falls to zero goes a quarter of its way in the last half, a constant one a fifth of it in the last fifth.
  falls <- is.null(fit$spec$decay)
  from <- curve[floor((if (falls) 0.5 else 0.8) * end)]
  fall <- from - curve[end]
  share <- fall / from
  least <- if (falls) 0.1 else 0.05
  if (share < least || fall < least * (curve[1L] - curve[end])) return(NULL)
  paste0("the loss was still falling, by ", round(100 * share), " % in the last ", if (falls) "half" else "fifth", " of the ", end, " epochs: take more `epochs` (see plot(fit))")
}
