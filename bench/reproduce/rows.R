# A row of the tables: what was published, what we get, and how far apart chance alone may take them.

over_sets <- function(sets, f) {
  results <- parallel::mclapply(seq_len(sets), f, mc.cores = cores, mc.preschedule = FALSE)
  failed <- vapply(results, inherits, NA, "try-error")
  if (any(failed)) stop(results[[which(failed)[1]]])
  results
}

quietly <- function(code) withCallingHandlers(code, wbb_warning = function(w) invokeRestart("muffleWarning"))

# `others` is the number of data sets behind the published mean, if they were other ones than ours. Ng and Newton's are ours: of their 500 we take
# the first, and the error of our mean alone is then larger than that of the difference.
mean_row <- function(table, what, measure, published, values, digits, others = Inf) {
  row(table, what, measure, published, mean(values), stats::sd(values) * sqrt(1 / length(values) + 1 / others), length(values), digits)
}

median_row <- function(table, what, measure, published, values, digits) {
  again <- replicate(400, stats::median(sample(values, replace = TRUE)))
  row(table, what, measure, published, stats::median(values), stats::sd(again), length(values), digits)
}

row <- function(table, what, measure, published, ours, error, sets, digits) {
  data.frame(table = table, what = what, measure = measure, published = published, ours = ours, error = error, sets = sets, digits = digits)
}

# Do they differ by more than chance? Student's quantile for all rows together: when all agree, one run in a hundred finds a difference. Half a
# unit of the last printed digit is rounding.
differs <- function(rows) {
  bound <- stats::qt(1 - 0.01 / (2 * nrow(rows)), rows$sets - 1) * rows$error + 0.5 * 10^-rows$digits
  abs(rows$ours - rows$published) > bound
}
