# The weights of draws, as Rust makes them; strata on top.

# One row a draw: the weights of the rows of the data, then those of the prior, of which there are `penalties` if each
# term has its own. `seeds` has the seed of each draw, `spec` the settings or the record of a run.
draw_weights <- function(spec, seeds, draws, penalties = 1L, progress = FALSE) {
  if (is.null(spec$strata)) return(plain_weights(spec, seeds, draws, penalties, progress))
  prior <- plain_weights(with_rows(spec, 1L), seeds, draws, penalties)[, -1L, drop = FALSE]
  weights <- matrix(0, length(draws), spec$n)
  for (stratum in unique(spec$strata)) {
    rows <- which(spec$strata == stratum)
    within <- plain_weights(with_rows(spec, rows), stratum_seeds(seeds, stratum), draws, 1L)
    weights[, rows] <- to_size(within[, seq_along(rows), drop = FALSE], spec$weights)
  }
  if (!is.null(spec$case_weights)) weights <- weights * rep(spec$case_weights, each = length(draws))
  cbind(weights, prior)
}

plain_weights <- function(spec, seeds, draws, penalties, progress = FALSE) {
  distinct <- unique(seeds)
  prior <- if (spec$prior_weight == "coef") penalties else 1L
  start <- function() {
    rust_weights_job(c(spec[setdiff(names(spec), "seed")], list(seed = distinct[1L])), penalties, distinct,
      match(seeds, distinct), draws)
  }
  result <- job_result(run_job(start, progress))
  # In its place: it may be large.
  attributes(result$weights) <- list(dim = c(length(draws), spec$n + prior))
  result$weights
}

# The settings of some rows alone, before any case weights.
with_rows <- function(spec, rows) {
  cluster <- if (!is.null(spec$cluster)) match(spec$cluster[rows], unique(spec$cluster[rows]))
  spec[c("case_weights", "cluster", "strata")] <- NULL
  spec$cluster <- cluster
  spec$n <- length(rows)
  spec
}

# Within a stratum the weights sum to its number of rows, whatever the law.
to_size <- function(weights, law) {
  sums <- rowSums(weights)
  if (law$name == "ones") weights else weights * ifelse(sums > 0, ncol(weights) / sums, 0)
}

# Strata are independent of each other: each has streams of its own.
stratum_seeds <- function(seeds, stratum) {
  distinct <- unique(seeds)
  own <- vapply(distinct, function(seed) hashed(seed, stratum, digits = 13L), 0)
  own[match(seeds, distinct)]
}

# A whole number of so many hexadecimal digits that only these numbers give.
hashed <- function(..., digits) {
  text <- substr(fingerprint(as.double(c(...))), 1L, digits)
  sum(strtoi(strsplit(text, "")[[1L]], 16L) * 16^(seq_len(digits) - 1))
}

# The seeds of R's own generator in these draws: a function of the seed and the draw alone, and no two draws of a
# seed have the same unless they are 2^31 apart.
generator_seeds <- function(seed, draws) {
  prime <- 2^31 - 1
  factor <- 1 + hashed(seed, 1, digits = 5L)
  # Below 2^52, so that the product is exact.
  (factor * (draws %% prime) + hashed(seed, 2, digits = 7L)) %% prime
}
