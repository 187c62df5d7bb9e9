# One table: every method on every fit. "yes" works; "no" stops with an error of ours that says what to do. Nothing else may
# happen: no error of R's own, no NULL, nothing of length zero. The snapshot is the table, by what it refuses.

quiet <- function(expr) suppressMessages(suppressWarnings(expr))
small <- diabetes[1:60, c("bmi", "map", "ltg", "y")]
small$g <- factor(rep(c("a", "b", "c"), 20))
small$high <- as.integer(small$y > median(small$y))
x <- as.matrix(small[1:3])
# The call holds the data themselves, so that update() finds them.
lasso <- function(...) quiet(do.call(wbb_lasso, list(..., draws = 12, seed = 1, threads = 1)))
bridge <- function(...) quiet(do.call(bayes_bridge, list(..., draws = 20, burn = 10, chains = 2, seed = 1, threads = 1)))
trend <- function(..., order = 1) quiet(do.call(wbb_trendfilter, list(..., order = order, draws = 12, seed = 1, threads = 1)))
general <- function(...) quiet(do.call(wbb_genlasso, list(..., draws = 12, seed = 1, threads = 1)))
network <- function(...) quiet(do.call(wbb_mlp, list(..., hidden = 2, draws = 6, lambda = 1e-4, epochs = 5, seed = 1, threads = 1)))
differences <- function(p) diff(diag(p))

image <- matrix(small$y[1:36], 6)
edges <- function(side) {
  chain <- differences(side)
  rbind(kronecker(diag(side), chain), kronecker(chain, diag(side)))
}
few <- small
few$bmi[3] <- NA

fits <- list(
  lasso = lasso(y ~ bmi + map + g, small, lambda = 20), `lasso, xy` = lasso(x, small$y, lambda = 20),
  `lasso, sparse` = lasso(as(x, "dgCMatrix"), small$y, lambda = 20), `lasso, cv` = lasso(y ~ bmi + map, small, nfolds = 4),
  `lasso, path` = lasso(y ~ bmi + map, small, lambda = c(50, 5)), `elastic net` = lasso(y ~ bmi + map, small, lambda = 20, alpha = 0.5),
  refit = lasso(y ~ bmi + map, small, lambda = 20, refit = TRUE),
  `na.exclude` = lasso(y ~ bmi + map, few, lambda = 20, na.action = na.exclude),
  `without data` = lasso(y ~ bmi + map, small, lambda = 20, keep_data = FALSE),
  `one draw` = quiet(wbb_lasso(y ~ bmi + map, small, lambda = 20, draws = 1, seed = 1)),
  source = lasso(y ~ bmi + map, wbb_source(small), lambda = 20),
  moments = quiet(wbb_lasso(wbb_moments(y ~ bmi + map, wbb_source(small), draws = 12, seed = 1), lambda = 20)),
  binomial = lasso(high ~ bmi + map, small, lambda = 1, family = "binomial"),
  `binomial, path` = lasso(x, small$high, lambda = c(5, 1), family = "binomial"),
  poisson = lasso(round(y) ~ bmi + map, small, lambda = 1, family = "poisson"),
  `poisson, path` = lasso(round(y) ~ bmi + map, small, lambda = c(5, 1), family = "poisson"),
  multinomial = lasso(g ~ bmi + map, small, lambda = 1, family = "multinomial"),
  `multinomial, path` = lasso(g ~ bmi + map, small, lambda = c(5, 1), family = "multinomial"),
  cox = lasso(cbind(time = small$y, status = small$high) ~ bmi + map, small, lambda = 1, family = "cox"),
  `cox, path` = lasso(cbind(time = small$y, status = small$high) ~ bmi + map, small, lambda = c(5, 1), family = "cox"),
  bridge = bridge(y ~ bmi + map, small), `bridge, xy` = bridge(x, small$y),
  trend = trend(y ~ bmi, small, lambda = 5), `trend, xy` = trend(small$y, lambda = 5),
  `trend, cubic` = trend(small$y, lambda = 5, order = 3), `trend, dates` = trend(y ~ day, transform(small, day = as.Date("2024-02-01") + seq_along(y)), lambda = 5, order = 0),
  `trend, path` = trend(small$y, lambda = c(50, 5)),
  general = general(small$y, D = differences(60), lambda = 5), `general, image` = general(image, D = edges(6), lambda = 5),
  `general, formula` = general(y ~ bmi + map, small, D = differences(2), lambda = 5),
  `general, path` = general(small$y, x, differences(3), lambda = c(50, 5)),
  network = network(y ~ bmi + map, small), `network, xy` = network(x, small$y), classes = network(g ~ bmi + map, small),
  `wbb(lm)` = quiet(wbb(lm(y ~ bmi + map, small), draws = 12, seed = 1)),
  `wbb(glm)` = quiet(wbb(glm(high ~ bmi + map, stats::binomial(), small), draws = 12, seed = 1)),
  `wbb(function)` = quiet(wbb(function(w, w0) c(mean = sum(w * small$y) / sum(w)), n = 60, draws = 12, seed = 1))
)
fits$pooled <- pool_wbb(fits$lasso, lasso(y ~ bmi + map + g, transform(small, y = rev(y)), lambda = 20))

methods <- list(
  print = function(fit) utils::capture.output(print(fit)), summary = function(fit) utils::capture.output(summary(fit)),
  coef = coef, vcov = vcov, confint = confint, predict = predict, fitted = fitted, residuals = residuals, sigma = sigma,
  deviance = deviance, df.residual = df.residual, logLik = logLik, simulate = simulate, family = family, terms = terms,
  weights = weights, nobs = nobs, formula = formula, model.frame = model.frame, model.matrix = model.matrix,
  variable.names = variable.names, update = function(fit) update(fit, threads = 2), as.matrix = as.matrix,
  as.data.frame = as.data.frame, head = head, tail = tail, c = function(fit) c(fit),
  mean = mean, median = median, quantile = quantile, as.array = as.array, case.names = case.names, labels = labels,
  `head of summary` = function(fit) utils::capture.output(print(head(summary(fit)))), AIC = AIC, BIC = BIC
)
others <- list(
  generics = c("tidy", "glance", "augment"), ggplot2 = "autoplot", coda = c("as.mcmc", "as.mcmc.list"),
  posterior = c("as_draws", "as_draws_df", "as_draws_array", "as_draws_list", "as_draws_rvars", "ndraws", "nchains", "variables"),
  rstantools = c("posterior_predict", "posterior_epred", "posterior_linpred", "predictive_interval", "posterior_interval",
    "predictive_error", "log_lik", "bayes_R2", "nsamples"),
  bayesplot = "pp_check", loo = c("loo", "waic"), bayestestR = c("describe_posterior", "hdi", "p_direction", "rope",
    "p_rope", "bci", "map_estimate", "point_estimate", "p_map", "estimate_density"), parameters = "model_parameters",
  performance = c("r2", "model_performance"), insight = c("get_predicted", "get_parameters", "find_parameters", "n_obs", "model_info"),
  ggeffects = "ggpredict"
)

answer <- function(method, fit) {
  tryCatch({
    value <- quiet(method(fit))
    if (length(value)) "yes" else "EMPTY"
  }, wbb_error = function(e) if (nchar(conditionMessage(e)) > 30) "no" else "TERSE", error = function(e) paste("ERROR", conditionMessage(e)))
}

table_of <- function(methods) {
  table <- vapply(fits, function(fit) vapply(methods, answer, "", fit = fit), rep("", length(methods)))
  array(table, c(length(methods), length(fits)), list(names(methods), names(fits)))
}

# A line a method: which fits have it not.
show_table <- function(table) {
  refused <- apply(table, 1L, function(row) paste(names(row)[row == "no"], collapse = "; "))
  cat(paste0(format(rownames(table)), ifelse(nzchar(refused), paste("  not:", refused), "  all"), "\n"), sep = "")
}

test_that("every method works on every fit, or says why not", {
  table <- table_of(methods)
  expect_identical(table[!table %in% c("yes", "no")], character())
  expect_snapshot(show_table(table))
})

for (package in names(others)) {
  test_that(paste("so do the generics of", package), {
    skip_if_not_installed(package)
    generics <- lapply(others[[package]], getExportedValue, ns = package)
    table <- table_of(stats::setNames(generics, others[[package]]))
    expect_identical(table[!table %in% c("yes", "no")], character())
    expect_snapshot(show_table(table))
  })
}

test_that("pictures are drawn for every fit", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (name in names(fits)) expect_true(answer(function(fit) list(plot(fit)), fits[[name]]) == "yes", label = name)
})
