# What random calls with wrong values have found (tools/torture): errors without a class, or of somebody else.

d <- made_data()
fit <- quick(d$x, d$y)

test_that("measures of networks refuse what is no fit, and say so", {
  for (object in list(NULL, 1, "a", y ~ x, diabetes, fit)) {
    expect_bad(uncertainty(object), "object")
    if (!identical(object, fit)) expect_bad(log_loss(object), "object")
  }
})

test_that("names of rows are checked in every table", {
  one <- calibrate(fit, 3, seed = 1, threads = 1)
  for (object in list(fit, one, compare(fit, fit))) {
    rows <- nrow(as.data.frame(object))
    named <- as.data.frame(object, row.names = paste0("r", seq_len(rows)))
    expect_identical(row.names(named)[1], "r1")
    for (names in list(letters, rep("a", rows), sum, NA)) expect_bad(as.data.frame(object, row.names = names), "row.names")
  }
})

test_that("head and tail take a number of draws", {
  expect_identical(nrow(head(fit, 3)), 3L)
  expect_identical(nrow(tail(fit, -5)), 15L)
  for (n in list(1:3, "a", sum, NA, NULL)) {
    expect_bad(head(fit, n), "n")
    expect_bad(tail(fit, n), "n")
  }
})

test_that("a summary wants at least one quantile, and a table with a class of its own is no number", {
  expect_bad(summary(fit, probs = numeric()), "probs")
  expect_bad(laplace_wbb_mean(survival::Surv(1:3, c(0, 1, 1)), 1), "y")
})

test_that("an empty title is no title", {
  pdf(NULL)
  on.exit(dev.off())
  expect_silent(plot(fit, main = character()))
})

test_that("intervals of bayestestR are asked for by probabilities", {
  skip_if_not_installed("bayestestR")
  expect_identical(nrow(bayestestR::eti(fit, ci = c(0.5, 0.9))), 2L * length(coef(fit)))
  for (ci in list(NA, 2, "a", numeric(), NULL)) {
    expect_bad(bayestestR::eti(fit, ci = ci), "ci")
    expect_bad(bayestestR::rope(fit, ci = ci), "ci")
  }
  for (range in list(1, c(1, -1), "a", NA, sum)) expect_bad(bayestestR::equivalence_test(fit, range = range), "range")
})

test_that("fits without a sigma or a lambda can be pooled", {
  yes <- as.numeric(d$y > 0)
  logistic <- lapply(1:2, function(seed) quick(d$x, yes, family = "binomial", seed = seed, lambda = 1))
  expect_identical(nrow(as.matrix(pool_wbb(logistic))), 40L)
  models <- lapply(1:2, function(seed) wbb(lm(y ~ x, d), draws = 10, seed = seed, threads = 1))
  expect_identical(nrow(as.matrix(pool_wbb(models))), 20L)
  for (fits in list(sum, Sys.Date(), 1, NULL)) expect_bad(pool_wbb(fits), "fits")
})

test_that("a fit of which a part was changed says so", {
  for (part in c("diagnostics", "mode_diagnostics")) {
    changed <- fit
    changed[[part]] <- 1
    expect_error(print(changed), part, class = "wbb_error_fit")
  }
  changed <- fit
  changed$spec$p <- 1:3
  expect_error(print(changed), "`p`", class = "wbb_error_fit")
})

test_that("sums of which a part was changed never reach the solver", {
  sums <- wbb_moments(y ~ bmi + map, wbb_source(diabetes), draws = 3, seed = 1, threads = 1)
  expect_s3_class(wbb_lasso(sums, lambda = 5, threads = 1), "wbb_lasso")
  wrong <- list(NULL, NA, "a", sum, -1, 0.5, 1:3, c(1, NaN), list(1), quote(x), diabetes, Sys.Date(), 2^31)
  parts <- c("p", "draws", "n", "first_draw", "seed", "sums", "unit", "folds", "totals", "shift", "scale", "low", "high", "cases", "head_case", "head_unit", "names", "range", "intercept", "weights")
  for (part in parts) for (value in wrong) {
    changed <- unclass(sums)
    changed[part] <- list(value)
    if (part == "seed" && identical(value, 0.5) || part %in% c("seed", "first_draw") && is.numeric(value) && length(value) == 1L) next
    expect_error(wbb_lasso(structure(changed, class = "wbb_moments"), lambda = 5, threads = 1), class = "wbb_error", info = part)
  }
})

test_that("the subset of a source says yes or no", {
  expect_bad(wbb_moments(y ~ bmi, wbb_source(diabetes), draws = 2, seed = 1, subset = list(1, "a")), "subset")
})

test_that("hidden units are numbers", {
  for (hidden in list(sum, quote(x), new.env(), "a", -1)) expect_bad(wbb_mlp(d$x, d$y, hidden = hidden, draws = 1), "hidden")
})

test_that("a table with a class of its own is no vector of numbers", {
  skip_if_not_installed("survival")
  times <- survival::Surv(c(1, 2), c(1, 0))
  fit <- wbb_lasso(y ~ bmi + map, diabetes, lambda = 5, draws = 4, seed = 1)
  expect_bad(confint(fit, times), "parm")
  expect_bad(plot(fit, pars = times), "pars")
  expect_bad(plot(fit, level = times), "level")
  expect_bad(rstantools::posterior_interval(fit, pars = times), "pars")
  expect_bad(bayes_bridge(d$x, d$y, nu = times, draws = 2), "nu")
  source <- wbb_source(diabetes)
  for (name in c("foldid", "case_weights", "subset")) {
    call <- as.call(c(list(quote(wbb_moments), y ~ bmi, source, draws = 2, seed = 1), stats::setNames(list(quote(survival::Surv(age, sex))), name)))
    expect_error(eval(call), name, class = "wbb_error", info = name)
  }
})

test_that("points of a class that nobody knows are their numbers", {
  fit <- wbb_trendfilter(d$y, lambda = 1, draws = 4, seed = 1)
  expect_identical(predict(fit, structure(c(1, 2), class = "odd")), predict(fit, c(1, 2)))
  named <- wbb_trendfilter(dist ~ speed, cars, lambda = 1, draws = 4, seed = 1)
  expect_identical(predict(named, structure(c(10, 12), class = "odd")), predict(named, c(10, 12)))
})

test_that("where all draws are separated, more steps are not the advice", {
  set.seed(1)
  x <- matrix(rnorm(200), 20)
  separated <- suppressWarnings(wbb_lasso(x, as.numeric(x[, 1] > 0), family = "binomial", lambda = 1, penalty_factor = rep(0:1, each = 5), draws = 5, seed = 1))
  expect_error(coef(separated, "mean"), "penalise", class = "wbb_error_draws")
})

test_that("names of rows that were changed are found in fits of wbb(), too", {
  fit <- wbb(stats::lm(y ~ bmi, diabetes), draws = 3, seed = 1)
  for (names in list("a", 1:3, list(1), NA_character_)) {
    fit$row_names <- names
    expect_error(weights(fit), "row_names", class = "wbb_error_fit")
  }
})

test_that("what random changes of fits have found is found by check_fit()", {
  changed <- function(fit, part, value) {
    fit$spec[part] <- list(value)
    fit
  }
  chain <- suppressWarnings(bayes_bridge(d$x, d$y, draws = 5, burn = 2, chains = 1, seed = 1))
  for (part in c("burn", "thin", "chains")) expect_error(print(changed(chain, part, 1:3)), part, class = "wbb_error_fit")
  network <- suppressWarnings(wbb_mlp(d$x, d$y, hidden = 2, lambda = 1e-4, epochs = 1, draws = 2, seed = 1))
  for (part in c("average", "batch_size")) expect_error(print(changed(network, part, NA)), part, class = "wbb_error_fit")
  expect_error(print(changed(wbb(function(w) c(a = sum(w)), n = 5, draws = 2, seed = 1), "road", letters)), "road", class = "wbb_error_fit")
  trend <- wbb_trendfilter(d$y, lambda = 1, draws = 3, seed = 1)
  for (part in c("knots", "mode_knots")) {
    wrong <- trend
    wrong[[part]] <- sum
    expect_error(plot(wrong), part, class = "wbb_error_fit")
  }
})

test_that("what random calls have found is refused by its name", {
  skip_if_not_installed("survival")
  times <- survival::Surv(c(1, 2), c(1, 0))
  expect_bad(wbb_genlasso(d$y, D = times), "D")
  expect_bad(wbb_genlasso(d$y, X = times, D = diag(2)), "X")
  expect_bad(plot(fit, col = 0), "col")
  expect_bad(as.data.frame(fit, failed = list()), "failed")
  path <- quick(d$x, d$y, lambda = 1:2)
  expect_bad(as.data.frame(path, failed = c(TRUE, NA)), "failed")
  rows <- nrow(as.data.frame(fit))
  expect_bad(as.data.frame(fit, row.names = matrix(seq_len(rows), 1)), "row.names")
  for (action in list(character(), c("na.omit", "na.fail"), "na.pass", 1)) {
    expect_bad(wbb_moments(y ~ bmi, wbb_source(diabetes), draws = 2, seed = 1, na.action = action), "na.action")
  }
})
