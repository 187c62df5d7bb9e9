# Without `lambda` a method answers for all lambdas of a path, and its answer for one is a part of that.

small <- diabetes[1:60, c("bmi", "map", "y")]
small$high <- as.integer(small$y > median(small$y))
small$g <- factor(rep(c("a", "b", "c"), 20))
lambdas <- c(5, 0.5)
path_of <- function(formula, ...) wbb_lasso(formula, small, lambda = lambdas, draws = 15, seed = 1, threads = 1, ...)
paths <- list(
  gaussian = path_of(y ~ bmi + map), binomial = path_of(high ~ bmi + map, family = "binomial"),
  poisson = path_of(round(y) ~ bmi + map, family = "poisson"), multinomial = path_of(g ~ bmi + map, family = "multinomial"),
  cox = path_of(cbind(time = y, status = high) ~ bmi + map, family = "cox"),
  trend = wbb_trendfilter(small$y, lambda = lambdas, order = 1, draws = 15, seed = 1, threads = 1),
  general = wbb_genlasso(small$y, as.matrix(small[1:2]), diff(diag(2)), lambda = lambdas, draws = 15, seed = 1, threads = 1)
)

# The part of `all` at lambda number i: its last dimension.
part <- function(all, i) {
  if (is.null(dim(all))) return(all[[i]])
  shape <- dim(all)
  last <- length(shape)
  matrix(all, ncol = shape[last])[, i]
}

arrays <- list(
  coef = coef, vcov = vcov, confint = confint, fitted = fitted, residuals = residuals, sigma = sigma, deviance = deviance,
  df.residual = df.residual, logLik = function(fit, ...) unclass(logLik(fit, ...)), predict = predict,
  draws = function(fit, ...) predict(fit, type = "draws", ...),
  limits = function(fit, ...) predict(fit, interval = "credible", ...)
)
stan <- c("posterior_epred", "posterior_linpred", "predictive_interval", "posterior_interval", "log_lik", "bayes_R2")
seeded <- c("posterior_predict", "predictive_error")

expect_parts <- function(method, names = names(paths)) {
  for (name in names) {
    fit <- paths[[name]]
    all <- tryCatch(method(fit), wbb_error = identity)
    ones <- lapply(lambdas, function(at) tryCatch(method(fit, lambda = at), wbb_error = identity))
    # What cannot be had for one cannot be had for all, and the other way round.
    expect_identical(inherits(all, "error"), inherits(ones[[1L]], "error"), label = name)
    if (inherits(all, "error")) next
    for (i in seq_along(lambdas)) expect_equal(as.vector(part(all, i)), as.vector(ones[[i]]), ignore_attr = TRUE, label = name)
  }
}

test_that("numbers have one more dimension", {
  for (method in arrays) expect_parts(method, names(paths))
  expect_identical(dim(predict(paths$multinomial, type = "draws")), c(15L, 60L, 3L, 2L))
  expect_identical(dimnames(vcov(paths$gaussian))[[3L]], c("5", "0.5"))
})

test_that("so have those of rstantools", {
  skip_if_not_installed("rstantools")
  for (generic in stan) expect_parts(getExportedValue("rstantools", generic), names(paths))
  for (generic in seeded) {
    expect_parts(function(fit, ...) getExportedValue("rstantools", generic)(fit, seed = 3, ...), names(paths))
  }
  expect_identical(dim(rstantools::bayes_R2(paths$gaussian)), c(15L, 2L))
  new <- rstantools::posterior_predict(paths$multinomial, seed = 1)
  expect_identical(dim(new), c(15L, 60L, 2L))
  expect_identical(attr(new, "levels"), c("a", "b", "c"))
  expect_identical(dim(rstantools::posterior_epred(paths$poisson, small[1:2, ], draws = 3)), c(3L, 2L, 2L))
})

test_that("AIC() and BIC() choose among the lambdas", {
  fit <- paths$poisson
  one <- vapply(lambdas, function(at) AIC(logLik(fit, lambda = at)), 0)
  expect_equal(as.vector(AIC(fit)), one)
  expect_equal(as.vector(BIC(fit)), vapply(lambdas, function(at) BIC(logLik(fit, lambda = at)), 0))
  expect_snapshot(logLik(paths$gaussian))
})

test_that("simulations have the lambda in the names of their columns", {
  all <- simulate(paths$gaussian, 2, seed = 4)
  expect_named(all, c("sim_1[5]", "sim_2[5]", "sim_1[0.5]", "sim_2[0.5]"))
  one <- simulate(paths$gaussian, 2, seed = 4, lambda = 0.5)
  expect_named(one, c("sim_1", "sim_2"))
  expect_equal(unname(all[3:4]), unname(one), ignore_attr = "seed")
  expect_s3_class(simulate(paths$multinomial)[[2L]], "factor")
})

test_that("as many simulations as draws are still chosen at random", {
  fit <- wbb_lasso(y ~ bmi, small, lambda = 1, draws = 12, seed = 1, threads = 1)
  fit$diagnostics$sigma[] <- 0
  means <- predict(fit, type = "draws")
  simulated <- t(as.matrix(simulate(fit, 12, seed = 2)))
  drawn <- apply(simulated, 1L, function(row) which.min(rowSums((means - rep(row, each = 12))^2)))
  set.seed(2)
  expect_identical(unname(drawn), sample.int(12, 12, replace = TRUE))
})

test_that("classes are a column each", {
  for (name in c("binomial", "multinomial")) {
    all <- predict(paths[[name]], type = "class")
    expect_named(all, c("5", "0.5"))
    expect_identical(all[["0.5"]], unname(predict(paths[[name]], type = "class", lambda = 0.5)))
  }
})

test_that("measures of classes are by lambda", {
  for (measure in list(accuracy, log_loss)) {
    all <- measure(paths$multinomial)
    expect_identical(dim(all), c(15L, 2L))
    expect_equal(all[, 2L], measure(paths$multinomial, lambda = 0.5))
    expect_equal(measure(paths$binomial, type = "mean")[["0.5"]], measure(paths$binomial, type = "mean", lambda = 0.5))
  }
  bins <- calibration(paths$binomial, bins = 4)
  expect_equal(bins[bins$lambda == 0.5, -1L], calibration(paths$binomial, bins = 4, lambda = 0.5), ignore_attr = "row.names")
})

test_that("survival curves are by lambda", {
  all <- survival_curve(paths$cox, times = c(100, 200))
  expect_identical(levels(all$row), paste0("mean of the columns[", c("5", "0.5"), "]"))
  expect_equal(all$upper[3:4], survival_curve(paths$cox, times = c(100, 200), lambda = 0.5)$upper)
  risk <- predict(paths$cox, type = "risk", interval = "credible")
  expect_equal(risk[, , 2L], predict(paths$cox, type = "risk", interval = "credible", lambda = 0.5))
})

test_that("compare() takes all lambdas", {
  path <- paths$gaussian
  single <- wbb_lasso(y ~ bmi + map, small, lambda = 0.5, draws = 15, seed = 1, threads = 1)
  both <- compare(path, single)
  expect_named(both$fits, c("path[5]", "path[0.5]", "single"))
  table <- as.data.frame(both)
  expect_equal(table$mean[table$fit == "path[0.5]"], table$mean[table$fit == "single"], tolerance = 1e-6)
  expect_named(compare(path, single, lambda = 5)$fits, c("path", "single"))
  expect_s3_class(ggplot2::autoplot(both), "ggplot")
})

test_that("what is no number is a list", {
  skip_if_not_installed("loo")
  skip_if_not_installed("bayesplot")
  quiet <- function(expr) suppressMessages(suppressWarnings(expr))
  fit <- paths$gaussian
  all <- quiet(loo::loo(fit))
  expect_named(all, c("5", "0.5"))
  expect_equal(all[["0.5"]]$estimates, quiet(loo::loo(fit, lambda = 0.5))$estimates)
  expect_setequal(rownames(quiet(loo::loo_compare(fit))), c("fit[5]", "fit[0.5]"))
  expect_s3_class(bayesplot::pp_check(fit)[["5"]], "ggplot")
})

test_that("a draw that failed at one lambda is left out at all where draws lie side by side", {
  fit <- paths$gaussian
  failed <- which(fit$diagnostics$lambda == 0.5)[4L]
  fit$diagnostics$status[failed] <- "not converged"
  draws <- predict(fit, type = "draws")
  expect_identical(dim(draws), c(14L, 60L, 2L))
  expect_equal(draws[, , 1L], predict(paths$gaussian, type = "draws", lambda = 5)[-4L, ])
  expect_identical(dim(predict(fit, type = "draws", lambda = 5)), c(15L, 60L))
  expect_identical(nrow(as.matrix(fit)), 14L)
  skip_if_not_installed("rstantools")
  expect_identical(dim(rstantools::posterior_predict(fit)), c(14L, 60L, 2L))
  expect_identical(dim(rstantools::bayes_R2(fit)), c(14L, 2L))
  expect_identical(rstantools::nsamples(fit), 14L)
  expect_identical(rstantools::nsamples(fit, lambda = 5), 15L)
})

test_that("no rows are no rows", {
  none <- small[0L, ]
  expect_identical(dim(predict(paths$gaussian, none)), c(0L, 2L))
  expect_identical(dim(predict(paths$gaussian, none, interval = "credible")), c(0L, 3L, 2L))
  expect_identical(dim(predict(paths$multinomial, none)), c(0L, 3L, 2L))
  expect_identical(dim(predict(paths$multinomial, none, type = "draws")), c(15L, 0L, 3L, 2L))
  trend <- wbb_trendfilter(y ~ bmi, small, lambda = 5, order = 2, draws = 5, seed = 1, threads = 1)
  expect_length(predict(trend, none), 0L)
  expect_identical(dim(predict(trend, none, interval = "simultaneous")), c(0L, 3L))
  expect_identical(dim(predict(trend, none, type = "draws")), c(5L, 0L))
})

test_that("a lambda that was not fitted is refused where there is one alone", {
  one <- wbb_lasso(high ~ bmi, small, family = "binomial", lambda = 1, draws = 5, seed = 1, threads = 1)
  for (method in list(residuals, sigma, deviance, fitted, coef, vcov, generics::augment)) expect_bad(method(one, lambda = 2), "lambda", "fitted value")
})
