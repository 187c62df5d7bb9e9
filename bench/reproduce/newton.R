# Newton, Polson and Xu (2021), Tables 1 to 3: the lasso with one weight of the penalty for each coefficient, beside a Bayesian lasso; twice, as the
# authors' script computes it and as the paper's words have it.

newton_data <- function(n, p, case) {
  beta <- switch(case, `A(i)` = rep(c(1, 0), c(10, p - 10)), `A(ii)` = rep(c(1, 10, 0), c(5, 5, p - 10)), B = rep(1, p))
  # As many rows again are the test set.
  x <- matrix(stats::rnorm(2 * n * p), 2 * n) %*% chol(0.1 * 0.8^abs(outer(seq_len(p), seq_len(p), "-")))
  mean <- drop(x %*% beta)
  y <- mean + sqrt(mean(mean^2) / 2) * stats::rnorm(2 * n)
  train <- seq_len(n)
  list(x = x[train, ], y = y[train], test = list(x = x[-train, ], y = y[-train]), all = list(x = x, y = y), beta = beta)
}

# The draws of the script. It calls glmnet() with random weights of the rows and of the coefficients and reads the coefficients off at the
# lambda of a cross-validation. glmnet scales both kinds of weights to a mean of one, and its path ends at a share of the largest lambda,
# which a small weight of one coefficient makes huge: a draw whose path ends above the lambda asked for is taken from the end.
newton_script_draws <- function(data, lambda, draws, seed) {
  n <- nrow(data$x)
  p <- ncol(data$x)
  arguments <- list(data$x, data$y, prior_weight = "coef", intercept = FALSE, draws = draws, seed = seed, threads = 1)
  weights <- stats::weights(do.call(wbb_lasso, c(arguments, lambda = 1e9)))
  rows <- weights[, seq_len(n)]
  coefficients <- weights[, -seq_len(n)] / rowMeans(weights[, -seq_len(n)])
  share <- rows / rowSums(rows)
  scale <- sqrt(share %*% data$x^2 - (share %*% data$x)^2)
  largest <- apply(abs(share %*% (data$x * data$y)) / scale / coefficients, 1, max)
  used <- pmin(pmax(lambda, largest * if (n < p) 0.01 else 1e-4), largest)
  # On our scale, where weights are as they were drawn.
  ours <- used * rowSums(rows) / rowMeans(weights[, -seq_len(n)])
  # As glmnet does: the path at some lambdas, and straight lines between them.
  grid <- exp(seq(log(max(ours)), log(min(ours)), length.out = 16)) * c(1 + 1e-9, rep(1, 14), 1 - 1e-9)
  path <- do.call(wbb_lasso, c(arguments, list(lambda = grid, keep_data = FALSE)))$draws
  upper <- findInterval(-ours, -grid)
  part <- (grid[upper] - ours) / (grid[upper] - grid[upper + 1])
  between <- function(k, j) (1 - part[k]) * path[k, j, upper[k]] + part[k] * path[k, j, upper[k] + 1]
  list(draws = t(vapply(seq_len(draws), function(k) between(k, seq_len(p)), numeric(p))), at_end = mean(used > lambda))
}

# `all_pairs` is the coverage of the script, which asks for each interval whether it holds each of the p true coefficients, not only its own.
newton_measures <- function(draws, data) {
  estimate <- colMeans(draws)
  limits <- apply(draws, 2, stats::quantile, c(0.025, 0.975))
  inside <- outer(limits[1, ], data$beta, "<=") & outer(limits[2, ], data$beta, ">=")
  c(beta = mean((estimate - data$beta)^2), test = mean((data$test$y - data$test$x %*% estimate)^2), cover = mean(diag(inside)), all_pairs = mean(inside))
}

newton_set <- function(n, p, case, set) {
  set.seed(7e6 + 1e4 * p + 100 * n + set)
  data <- newton_data(n, p, case)
  # By cross-validation over all rows, those of the test among them.
  chosen <- wbb_lasso(data$all$x, data$all$y, nfolds = 3, intercept = FALSE, draws = 1, seed = set, threads = 1)
  lambda <- chosen$lambda / (2 * n)
  script <- newton_script_draws(data, lambda, 200, set)
  words <- wbb_lasso(data$x, data$y, lambda = n * lambda, prior_weight = "coef", intercept = FALSE, draws = 200, seed = set, threads = 1)
  bridge <- quietly(bayes_bridge(data$x, data$y, alpha = 1, intercept = FALSE, draws = 200, burn = 300, chains = 1, seed = set, threads = 1))
  rbind(script = newton_measures(script$draws, data), words = newton_measures(as.matrix(words), data),
    blasso = newton_measures(blasso_draws(data$x, data$y, 200, burn = 150, moves = 25), data),
    bridge = newton_measures(as.matrix(bridge, pars = seq_len(p)), data), at_end = script$at_end)
}

newton_rows <- function(design, case, column, sets) {
  p <- newton_columns[column]
  n <- if (design == "n = 50") 50 else p / 2
  table <- simplify2array(over_sets(sets, function(set) newton_set(n, p, case, set)))
  rows <- list()
  label <- sprintf("%s, %s, p = %d", design, case, p)
  printed <- newton[[design]][[case]]
  for (way in c("script", "words", "blasso", "bridge")) for (measure in c("beta", "test", "cover")) {
    of <- if (measure == "cover" && way %in% c("script", "blasso")) "all_pairs" else measure
    digits <- 2
    value <- printed[[if (way %in% c("script", "words")) "wbb" else "lasso"]][measure, column]
    rows[[length(rows) + 1]] <- mean_row("newton", paste(label, way, sep = "; "), measure, value, table[way, of, ], digits, newton_sets)
  }
  rows <- do.call(rbind, rows)
  rows$at_end <- mean(table["at_end", 1, ])
  rows
}
