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
