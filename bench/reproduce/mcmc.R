# The posterior that both papers compare with: blasso() of package monomvn in its defaults. It is not the Bayesian lasso of Park and Casella alone, but
# one that chooses columns by reversible jumps, all sets of at most n - 1 columns being as likely, on columns of length one, with
# lambda^2 ~ Gamma(2, 0.1). Called without an intercept, as it is there, it centres the columns all the same, and not the response:
# sigma^2 is then too large by the square of the response's mean. Both were found by comparing the draws (monomvn 1.9-20).

blasso_draws <- function(x, y, draws, burn = 500, moves = 12) {
  spike_and_slab_lasso(scale(x, center = TRUE, scale = FALSE), y, draws, burn, moves)
}

# Draws of the coefficients, by moves that add or remove a column with its coefficient integrated out.
spike_and_slab_lasso <- function(x, y, draws, burn, moves) {
  length <- sqrt(colSums(x^2))
  x <- sweep(x, 2, length, "/")
  p <- ncol(x)
  gram <- crossprod(x)
  xy <- drop(crossprod(x, y))
  yy <- sum(y^2)
  n <- nrow(x)
  most <- min(p, n - 1)
  # The log posterior of a set of columns and their scales, given sigma^2, but for a constant.
  judge <- function(set, tau2, sigma2) {
    k <- length(set)
    if (!k) return(list(log = 0, factor = NULL))
    factor <- chol(gram[set, set, drop = FALSE] + diag(1 / tau2[set], k))
    half <- backsolve(factor, xy[set], transpose = TRUE)
    list(log = sum(half^2) / (2 * sigma2) - sum(log(diag(factor))) - sum(log(tau2[set])) / 2, factor = factor, half = half)
  }
  set <- order(-abs(xy))[seq_len(min(6, most))]
  tau2 <- rep(100, p)
  sigma2 <- stats::var(y) / 4
  lambda2 <- 0.02
  kept <- matrix(0, draws, p)
  for (iteration in seq_len(burn + draws)) {
    now <- judge(set, tau2, sigma2)
    for (j in sample.int(p, min(p, moves))) {
      to <- if (j %in% set) setdiff(set, j) else c(set, j)
      if (length(to) > most) next
      if (length(to) > length(set)) tau2[j] <- stats::rexp(1, lambda2 / 2)
      candidate <- judge(to, tau2, sigma2)
      if (log(stats::runif(1)) < candidate$log - now$log) {
        set <- to
        now <- candidate
      }
    }
    k <- length(set)
    beta <- if (k) backsolve(now$factor, now$half + sqrt(sigma2) * stats::rnorm(k))
    rest <- if (k) yy - 2 * sum(beta * xy[set]) + sum(beta * (gram[set, set, drop = FALSE] %*% beta)) else yy
    sigma2 <- (rest + sum(beta^2 / tau2[set])) / stats::rchisq(1, n + k)
    # An inverse Gaussian each, by Michael, Schucany and Haas.
    if (k) tau2[set] <- 1 / inverse_gaussian(sqrt(lambda2 * sigma2 / beta^2), lambda2)
    lambda2 <- stats::rgamma(1, 2 + k, 0.1 + sum(tau2[set]) / 2)
    if (iteration > burn && k) kept[iteration - burn, set] <- beta
  }
  sweep(kept, 2, length, "/")
}

inverse_gaussian <- function(mean, shape) {
  z <- stats::rnorm(length(mean))^2 * mean
  # The smaller root, written so that nothing cancels.
  root <- mean * 2 * shape / (2 * shape + z + sqrt(z * (4 * shape + z)))
  ifelse(stats::runif(length(mean)) <= mean / (mean + root), root, mean^2 / root)
}
