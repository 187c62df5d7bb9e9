# Ng and Newton (2022): the two-step estimator under the three weights of the penalty, in their eight settings and on their own data sets, which
# their script makes from seeds.

ng_data <- function(setting, number, set) {
  q <- 6
  set.seed(2000 * number + set)
  beta <- c(0.75 + 0.25 * seq_len(q), numeric(setting$p - q))
  first <- seq_len(q)
  sigma <- if (setting$correlation == 1) diag(setting$p) else matrix(0.5, setting$p, setting$p)
  sigma[first, first] <- if (setting$correlation == 1) 0.3^abs(outer(first, first, "-")) else 0.4
  diag(sigma) <- 1
  noise <- function() if (setting$error == "normal") stats::rnorm(setting$n) else stats::rchisq(setting$n, 2) - 2
  rows <- function() MASS::mvrnorm(setting$n, numeric(setting$p), sigma)
  x <- rows()
  # Their test rows come next; only the generator needs them.
  rows()
  list(x = x, y = drop(x %*% beta) + noise(), beta = beta, folds = sample(rep_len(1:4, setting$n)))
}

# Their cross-validation of the two-step estimator: four folds, 56 lambdas from exp(-5) to exp(0.5), and of equal errors the one at the
# smallest lambda. Errors are equal over a whole range of lambdas that select the same columns, and that choice matters.
ng_lambda <- function(data) {
  grid <- exp(seq(0.5, -5, by = -0.1))
  errors <- lapply(1:4, function(fold) {
    train <- data$folds != fold
    fit <- wbb_lasso(data$x[train, ], data$y[train], lambda = sum(train) * grid, refit = TRUE, intercept = FALSE, draws = 1, seed = 1, threads = 1)
    colSums((data$y[!train] - data$x[!train, ] %*% fit$mode)^2)
  })
  error <- Reduce(`+`, errors)
  # The same columns refitted in another order of operations differ by rounding.
  grid[max(which(error <= min(error) * (1 + 1e-9)))]
}

ng_draws <- function(data, lambda, scheme, draws, seed) {
  # glmnet scales the weights of the rows to sum to n: the Dirichlet law.
  fit <- wbb_lasso(data$x, data$y, lambda = nrow(data$x) * lambda, prior_weight = scheme, weights = "dirichlet", refit = TRUE,
    intercept = FALSE, draws = draws, seed = seed, threads = 1, keep_data = FALSE)
  as.matrix(fit)
}

ng_measures <- function(draws, beta) {
  limits <- apply(draws[, 1:6], 2, stats::quantile, c(0.05, 0.95))
  c(cover = mean(beta[1:6] >= limits[1, ] & beta[1:6] <= limits[2, ]), width = mean(limits[2, ] - limits[1, ]), selects = mean(draws[, 7] != 0))
}

# The measures of a data set under each scheme, and how far it is from MCMC: half the area between the two distribution functions, which is what
# the script computes and calls total variation.
ng_set <- function(number, set, draws, with_mcmc) {
  data <- ng_data(ng_settings[[number]], number, set)
  lambda <- ng_lambda(data)
  # The distance depends on the number of draws: 1,000, as theirs.
  if (with_mcmc) draws <- 1000
  mcmc <- if (with_mcmc) blasso_draws(data$x, data$y, draws)
  out <- vapply(ng_schemes, function(scheme) {
    drawn <- ng_draws(data, lambda, scheme, draws, set)
    away <- if (with_mcmc) mean(vapply(seq_along(data$beta), function(j) mean(abs(sort(drawn[, j]) - sort(mcmc[, j]))) / 2, 0)) else NA
    c(ng_measures(drawn, data$beta), distance = away)
  }, numeric(4))
  attr(out, "mcmc") <- if (with_mcmc) mean(mcmc[, 7] != 0) else NA
  out
}

ng_rows <- function(number, sets, mcmc_sets, draws) {
  setting <- ng_settings[[number]]
  results <- over_sets(sets, function(set) ng_set(number, set, draws, set <= mcmc_sets))
  table <- simplify2array(results)
  label <- sprintf("%d: n = %d, p = %d%s%s", number, setting$n, setting$p, if (setting$error == "normal") "" else ", chi-squared errors",
    if (setting$correlation == 1) "" else ", correlated")
  rows <- list()
  for (scheme in seq_along(ng_schemes)) for (measure in c("cover", "width", "selects", "distance")) {
    values <- table[measure, scheme, ]
    rows[[length(rows) + 1]] <- if (measure == "distance") {
      median_row("ng", paste(label, ng_schemes[scheme], sep = "; "), measure, setting[[measure]][scheme], values[!is.na(values)], 4)
    } else {
      mean_row("ng", paste(label, ng_schemes[scheme], sep = "; "), measure, setting[[measure]][scheme], values, 4)
    }
  }
  selected <- unlist(lapply(results, attr, "mcmc"))
  rows[[length(rows) + 1]] <- mean_row("ng", paste(label, "MCMC", sep = "; "), "selects", setting$selects_mcmc, selected[!is.na(selected)], 4)
  do.call(rbind, rows)
}

# Draws as the script makes them with a weight a coefficient: glmnet() chooses its own lambdas, and stops where the next one would explain hardly
# more. A coefficient of tiny weight comes first and alone, and if the others are far behind, the path ends before they come.
ng_script_draws <- function(data, lambda, draws, seed) {
  set.seed(seed)
  one <- function(k) {
    rows <- stats::rexp(nrow(data$x))
    columns <- stats::rexp(ncol(data$x))
    path <- glmnet::glmnet(data$x, data$y, weights = rows, penalty.factor = columns, intercept = FALSE)
    beta <- as.vector(stats::coef(path, s = lambda * mean(columns)))[-1]
    chosen <- which(beta != 0)
    if (length(chosen)) beta[chosen] <- stats::lm.wfit(data$x[, chosen, drop = FALSE], data$y, rows)$coefficients
    beta
  }
  t(vapply(seq_len(draws), one, numeric(ncol(data$x))))
}

# On the same data sets: the width of the script's intervals as a multiple of ours, its error, and the shares of draws that lose one of the six.
ng_script <- function(number, sets, draws) {
  each <- over_sets(sets, function(set) {
    data <- ng_data(ng_settings[[number]], number, set)
    lambda <- ng_lambda(data)
    both <- list(ng_script_draws(data, lambda, draws, set), ng_draws(data, lambda, "coef", draws, set))
    width <- vapply(both, function(b) ng_measures(b, data$beta)[["width"]], 0)
    c(width[1] / width[2], vapply(both, function(b) mean(rowSums(b[, 1:6] == 0) > 0), 0))
  })
  each <- do.call(rbind, each)
  data.frame(setting = number, ratio = mean(each[, 1]), error = stats::sd(each[, 1]) / sqrt(sets), lost = mean(each[, 2]), lost_ours = mean(each[, 3]))
}
