# Calibrated intervals as inverted tests: truths that differ between replicates show how the mean of the draws answers to the truth.

# Draws of the same model with a ridge penalty in place of the lasso's: list(mode, draws, sigma, df), in which `df` are the degrees of freedom
# of the residuals. Light where rows are more than columns, else as cross-validation says. Those of least squares are then normal about the mode: a
# weighted bootstrap of few rows a column spreads by much more than the errors do, and a penalty that holds it together moves the truths to zero.
plausible_truths <- function(fit, x, count, seed, threads) {
  spec <- fit$spec
  family <- family_of(fit)$name
  coefficients <- spec$p * max(1L, spec$classes)
  normal <- family == "gaussian" && coefficients < spec$n
  # The squared term is divided by the scale of a Gaussian response.
  unit <- if (normal || 3 * coefficients <= spec$n) light else 1
  unit <- if (family == "gaussian") unit * stats::sd(if (is.null(spec$offset)) fit$y else fit$y - spec$offset) else 1
  settings <- spec
  settings[c("refit", "threads")] <- list(NULL, threads)
  settings$weights <- check_law("exponential")
  settings[c("alpha", "prior_weight", "seed", "draws", "first_draw")] <- list(0, "fixed", seed, count, 1)
  settings$lambda <- if (coefficients < spec$n) unit else "cv"
  if (normal) settings["draws"] <- list(NULL)
  result <- job_result(run_job(function() rust_lasso_job(rust_matrix(x), fit$y, settings), FALSE))
  found <- list(mode = stats::setNames(result$mode, spec$names), df = Inf)
  if (!normal) {
    found$draws <- matrix(result$draws, count, dimnames = list(NULL, spec$names))
    # A draw that failed is no truth.
    failed <- which(failed_status(status_factor(result$diagnostics$status)))
    found$draws[failed, ] <- rep(found$mode, each = length(failed))
  }
  if (family == "gaussian") {
    found$sigma <- result$mode_diagnostics$sigma
    residuals <- fit$y - link_values(linear_rows(fit, NULL), as.matrix(found$mode), spec)[, 1L]
    found$df <- max(1, sum(row_weights(fit) * residuals^2) / found$sigma^2)
    if (normal) found$draws <- normal_truths(fit, x, found, count, seed)
  }
  found
}

# The ridge of a truth, in columns of variance one.
light <- 0.1

# From the normal law about the mode whose covariance is that of least squares with this ridge. Truth r is a function of the seed and r.
normal_truths <- function(fit, x, found, count, seed) {
  spec <- fit$spec
  weights <- row_weights(fit)
  total <- sum(weights)
  centre <- if (spec$intercept) column_means(x, weights) else numeric(spec$p)
  # A sparse one is never made dense.
  dense <- is.matrix(x)
  if (dense) x <- x - rep(centre, each = nrow(x))
  gram <- as.matrix(Matrix::crossprod(x, weights * x)) - if (dense) 0 else total * tcrossprod(centre)
  scale <- sqrt(pmax(diag(gram), 0) / total)
  # A column without any variation has no other coefficient.
  moves <- scale > 1e-10 * sqrt(scale^2 + centre^2)
  numbers <- truth_numbers(spec, sum(moves) + 1L, count, seed)
  gram <- gram[moves, moves, drop = FALSE] / tcrossprod(scale[moves])
  off <- matrix(0, count, spec$p)
  if (any(moves)) {
    off[, moves] <- found$sigma * t(backsolve(chol(gram + light * diag(nrow(gram))), t(numbers[, -1L, drop = FALSE])) / scale[moves])
  }
  if (spec$intercept) off <- cbind(found$sigma / sqrt(total) * numbers[, 1L] - drop(off %*% centre), off)
  rep(found$mode, each = count) + structure(off, dimnames = list(NULL, spec$names))
}

# Standard normal numbers, a row for each truth: from exponential ones, as weights are.
truth_numbers <- function(spec, size, count, seed) {
  spec <- with_rows(spec, seq_len(size))
  spec[c("weights", "prior_weight", "threads")] <- list(check_law("exponential"), "fixed", 1L)
  exponential <- plain_weights(spec, rep(seed, count), as.double(seq_len(count)), 1L)[, seq_len(size), drop = FALSE]
  stats::qnorm(-exponential, lower.tail = FALSE, log.p = TRUE)
}

# P(a smaller mean | truth) = Phi(a - b truth), columns by columns, by Fisher's scoring; `below` says of each replicate whether its mean is smaller.
# In the truth's own units: rows a and b. A prior that counts as a hundredth of a replicate keeps both finite.
probit_lines <- function(truths, below) {
  centre <- colMeans(truths)
  scale <- column_sds(truths)
  scale[is.na(scale) | scale <= 0] <- 1
  z <- (truths - rep(centre, each = nrow(truths))) / rep(scale, each = nrow(truths))
  known <- !is.na(below)
  below <- ifelse(known, below, 0)
  prior <- 0.01
  a <- stats::qnorm((colSums(below) + 0.5) / (colSums(known) + 1))
  b <- numeric(ncol(z))
  for (step in seq_len(30L)) {
    eta <- rep(a, each = nrow(z)) - rep(b, each = nrow(z)) * z
    eta[] <- pmin(pmax(eta, -6), 6)
    p <- stats::pnorm(eta)
    density <- stats::dnorm(eta)
    weight <- known * density^2 / (p * (1 - p))
    score <- known * (below - p) * density / (p * (1 - p))
    saa <- colSums(weight) + prior
    sab <- -colSums(weight * z)
    sbb <- colSums(weight * z^2) + prior
    ga <- colSums(score) - prior * a
    gb <- -colSums(score * z) - prior * b
    determinant <- saa * sbb - sab^2
    move <- rbind((sbb * ga - sab * gb) / determinant, (saa * gb - sab * ga) / determinant)
    move[] <- pmin(pmax(move, -2), 2)
    a <- a + move[1L, ]
    b <- b + move[2L, ]
    if (max(abs(move)) < 1e-8) break
  }
  rbind(a = a + b * centre / scale, b = b / scale)
}

# Replicates on either side of the fit below which a line says nothing.
fewest_replicates <- 3

# The truths under which means like these are not unusual, by columns. An interval has no end where no truth that was tried makes such
# means unusual. Means that are equal (to zero) count for neither end. `narrower` is the spread of a mean like the fit's in that of the replicates'.
inverted_limits <- function(truths, mean, own, level, df, narrower = 1) {
  own <- rep(own, each = nrow(mean))
  quantile <- narrower * inversion_quantile(level, df)
  end <- function(below, side) {
    line <- probit_lines(truths, below)
    inside <- colSums(below, na.rm = TRUE)
    open <- inside < fewest_replicates | colSums(!below, na.rm = TRUE) < fewest_replicates | line["b", ] <= 0
    ifelse(open, side * Inf, (line["a", ] + side * quantile) / line["b", ])
  }
  rbind(end(mean < own, -1), end(mean <= own, 1))
}

# How wide a mean like the fit's own spreads about what the truth of its coefficient says, in the spread of the replicates' means, by columns (`at` of the
# truths). Theirs is wider by two things. A mean of few draws has a Monte Carlo error, large where the prior weight is random and lambda large, and the fit may
# have more draws. And the truths of other coefficients differ between replicates: where a large penalty lets a column answer for its neighbours, they
# move its mean as much as errors do, while the fit's own data have one truth.
own_spread <- function(truths, at, mean, root, draws, own) {
  centred <- function(values) values - rep(colMeans(values, na.rm = TRUE), each = nrow(values))
  across <- centred(truths[, at, drop = FALSE])
  means <- centred(mean)
  slope <- colSums(across * means, na.rm = TRUE) / colSums(across^2)
  about <- colSums((means - rep(slope, each = nrow(means)) * across)^2, na.rm = TRUE) / (colSums(!is.na(means)) - 2)
  # The root is the distance of the truth from the mean in standard deviations of the draws.
  noise <- colMeans(((truths[, at, drop = FALSE] - mean) / root)^2, na.rm = TRUE) / draws - column_sds(own)^2 / nrow(own)
  kept <- (spread_given_all(truths, mean, about) - (if (draws < nrow(own)) noise else 0)) / about
  ifelse(is.finite(kept), sqrt(pmin(pmax(kept, 0.25), 1)), 1)
}

# The variance of the means given all truths, by a linear regression; as it is `otherwise` where half of the replicates would go into its coefficients.
spread_given_all <- function(truths, mean, otherwise) {
  known <- stats::complete.cases(mean)
  all <- qr(cbind(1, truths[known, , drop = FALSE]))
  df <- sum(known) - all$rank
  if (2 * df < sum(known)) return(otherwise)
  pmin(colSums(qr.resid(all, mean[known, , drop = FALSE])^2) / df, otherwise)
}

inversion_quantile <- function(level, df = Inf) stats::qt((1 + level) / 2, df)

# Of each replicate how unusual its mean is under its truth, as a normal score, by lines from the replicates of other parts: lines at
# some means, and between them by interpolation.
inversion_scores <- function(truths, mean, lines = 15L) {
  score <- mean
  score[] <- NA_real_
  for (judged in judged_parts(nrow(mean))) {
    known <- mean[-judged, , drop = FALSE]
    at <- apply(known, 2L, stats::quantile, probs = stats::ppoints(lines), na.rm = TRUE, names = FALSE)
    at <- matrix(at, lines)
    found <- lapply(seq_len(lines), function(k) {
      own <- rep(at[k, ], each = nrow(known))
      # Half of what is equal is below.
      probit_lines(truths[-judged, , drop = FALSE], (known < own) + 0.5 * (known == own))
    })
    for (j in seq_len(ncol(mean))) {
      a <- vapply(found, function(line) line["a", j], 0)
      b <- vapply(found, function(line) line["b", j], 0)
      score[judged, j] <- between_lines(at[, j], a, mean[judged, j]) - between_lines(at[, j], b, mean[judged, j]) * truths[judged, j]
    }
  }
  score
}

between_lines <- function(x, y, at) {
  if (length(unique(x)) < 2L) return(rep(mean(y), length(at)))
  stats::approx(x, y, at, rule = 2, ties = base::mean)$y
}
