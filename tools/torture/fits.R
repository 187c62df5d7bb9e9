# A small fit of each kind, which the other parts break, and a valid call of each exported function.

x <- matrix(rnorm(60), 15, dimnames = list(NULL, letters[1:4]))
y <- drop(x[, 1] - x[, 2] + rnorm(15))
data <- data.frame(x, y = y, f = gl(3, 5), count = rpois(15, 2), yes = rep(c(0, 1, 1), 5), time = rexp(15) + 0.1)
few <- list(draws = 4, seed = 1, threads = 1)
of_family <- function(family, y) do.call(wbb_lasso, c(list(x, y, family = family, lambda = 1), few))
survival <- survival::Surv(data$time, data$yes)
tree_source <- wbb_source(data)
sums <- do.call(wbb_moments, c(list(y ~ a + b, tree_source, nfolds = 3), few))

fits <- list(
  lasso = do.call(wbb_lasso, c(list(x, y, lambda = 1), few)), formula = do.call(wbb_lasso, c(list(y ~ a + f, data, nfolds = 3, nlambda = 5), few)),
  path = do.call(wbb_lasso, c(list(x, y, lambda = c(1, 2)), few)), refit = do.call(wbb_lasso, c(list(x, y, lambda = 1, refit = TRUE), few)),
  binomial = of_family("binomial", data$yes), poisson = of_family("poisson", data$count), multinomial = of_family("multinomial", data$f), cox = of_family("cox", survival),
  summed = do.call(wbb_lasso, c(list(sums, lambda = 1), few["threads"])),
  trend = do.call(wbb_trendfilter, c(list(y, order = 1, lambda = 1), few)),
  genlasso = do.call(wbb_genlasso, c(list(y, D = diff(diag(15)), lambda = 1), few)),
  network = do.call(wbb_mlp, c(list(x, gl(3, 5), hidden = 2, lambda = 1e-4, epochs = 2), few)), regression = do.call(wbb_mlp, c(list(x, y, hidden = 2, lambda = 1e-4, epochs = 2), few)),
  bridge = bayes_bridge(x, y, draws = 20, burn = 5, chains = 2, seed = 1, threads = 1),
  model = do.call(wbb, c(list(stats::lm(y ~ a + b, data)), few))
)
fits$calibration <- calibrate(fits$lasso, 4, seed = 1, threads = 1)
fits$comparison <- compare(fits$lasso, fits$formula)
fits$source <- tree_source
fits$sums <- sums

# Calls that work, to be broken.
plain <- list(
  wbb_lasso = list(x = x, y = y, lambda = 1, draws = 3, seed = 1, threads = 1), wbb_trendfilter = list(y = y, order = 1, lambda = 1, draws = 3, seed = 1, threads = 1),
  wbb_genlasso = list(y = y, D = diff(diag(15)), lambda = 1, draws = 3, seed = 1, threads = 1),
  wbb_mlp = list(x = x, y = gl(3, 5), hidden = 2, lambda = 1e-4, epochs = 1, draws = 2, seed = 1, threads = 1),
  bayes_bridge = list(x = x, y = y, draws = 5, burn = 2, chains = 1, seed = 1, threads = 1),
  marginal_likelihood = list(x = x, y = y, lambda = 1, draws = 200, burn = 5, seed = 1, threads = 1),
  wbb = list(object = stats::lm(y ~ a + b, data), draws = 3, seed = 1, threads = 1),
  wbb_source = list(x = data), wbb_moments = list(formula = y ~ a + b, source = tree_source, draws = 3, seed = 1, threads = 1),
  laplace_posterior_mean = list(y = 1, lambda = 1), laplace_wbb_mean = list(y = 1, lambda = 1), laplace_wbb_draws = list(y = 1, lambda = 1, draws = 3, seed = 1),
  weight_law = list(name = "gamma", parameter = 2), read_idx = list(file = "nothing"), pool_wbb = list(fits = list(fits$lasso, fits$lasso)),
  predict_at = list(newdata = data), first_split = list(model = 1), last_wbb = list(),
  calibrate = list(fit = fits$lasso, replicates = 2, draws = 3, seed = 1, threads = 1), compare = list(fits$lasso, fits$trend),
  survival_curve = list(object = fits$cox), accuracy = list(object = fits$network), log_loss = list(object = fits$binomial), calibration = list(object = fits$network),
  uncertainty = list(object = fits$network)
)
families <- list(list("binomial", data$yes), list("poisson", data$count), list("multinomial", data$f), list("cox", survival))
