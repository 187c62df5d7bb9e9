# How much each term matters to a network: what becomes of the predictions when the values of the term change places among the rows.

# Rows as those of importance_data(). For a linear function the root mean square of the change is √2 times the standard deviation
# of what the term adds, whatever the permutation on average: divided by that it is the same number.
network_importance <- function(fit, level) {
  rows <- prediction_rows(fit, NULL)
  terms <- term_columns(fit)
  kept <- importance_rows(fit, rows$n, length(terms))
  x <- as.matrix(rows$x[kept, , drop = FALSE])
  predicted <- function(x) matrix(all_predictions(fit, list(n = nrow(x), x = x)), length(usable_draws(fit)))
  before <- predicted(x)
  # Every draw sees the same rows change places.
  order <- with_seed(1, sample.int(nrow(x)))
  size <- vapply(terms, function(columns) {
    moved <- x
    moved[, columns] <- x[order, columns]
    sqrt(rowMeans((predicted(moved) - before)^2) / 2)
  }, numeric(nrow(before)))
  size <- matrix(size, nrow(before))
  found <- data.frame(fit = "", index = seq_along(terms), name = names(terms), lambda = fit$lambda[1L], mode = NA_real_, interval_columns(size, c(0.5, level)))
  found <- found[order(-found$median, -found$high), ]
  most <- most_shown("importance")
  list(
    interval = utils::head(found, most), level = c(0.5, level),
    axis = paste("change of the", if (length(fit$levels)) "probabilities" else "prediction", "when the term is shuffled"),
    note = c(
      if (nrow(found) > most) sprintf("%s of %s terms: those with the largest median", most, with_commas(nrow(found))),
      if (length(kept) < rows$n) sprintf("from %d of %s rows", length(kept), with_commas(rows$n))
    )
  )
}

# As many rows as some seconds bear, spread evenly.
importance_rows <- function(fit, n, terms, operations = 4e10, least = 20) {
  each <- sum(layer_table(fit$spec)$parameters) * as.double(length(usable_draws(fit))) * (terms + 1)
  wanted <- min(n, 1000, operations %/% each)
  if (wanted < min(n, least)) {
    bad_argument("type", "be another one for a network of so many columns, draws and units", "importance", advice = paste(
      "Ask what it predicts when a column changes, by predict(fit, newdata, type = \"draws\") or marginaleffects::avg_comparisons()."))
  }
  unique(round(seq(1, n, length.out = wanted)))
}
