test_that("the panel's limits are never of width zero", {
  data <- plot_data(fake_fit(awkward_draws()), "density")
  for (index in data$panels$index) {
    limits <- panel_limits(data, index)
    expect_true(all(is.finite(limits)))
    expect_gt(diff(limits), 0)
  }
})

test_that("draws without a solution are left out and counted", {
  fit <- fake_fit(cbind(a = c(1e6, 1:9), b = c(NA, 9:1)))
  expect_null(plot_data(fit, "interval")$note)
  fit$diagnostics$status <- factor(c("empty", rep("converged", 9)))
  data <- plot_data(fit, "interval")
  expect_identical(data$note, "1 of 10 draws failed and left out")
  expect_equal(data$interval$median, c(5, 5))
  expect_identical(plot_data(fit, "density")$note, data$note)
})

test_that("intervals are quantiles, and probabilities are shares of the draws", {
  draws <- cbind(a = c(rep(0, 25), 1:75), b = -(1:100))
  rows <- plot_data(fake_fit(draws), "interval", level = c(0.8, 0.5))$interval
  expect_equal(rows$low[1], stats::quantile(draws[, "a"], 0.1, names = FALSE))
  expect_equal(rows$inner_high[2], stats::quantile(draws[, "b"], 0.75, names = FALSE))
  expect_equal(rows$p_zero, c(0.25, 0))
  expect_equal(rows$p_positive, c(0.75, 0))
  one <- plot_data(fake_fit(draws), "interval", level = 0.9)$interval
  expect_true(all(is.na(one$inner_low)))
})

test_that("too many coefficients are cut by the rule that the note states", {
  draws <- matrix(0, 40, 30, dimnames = list(NULL, paste0("v", 1:30)))
  draws[, 7] <- 1:40
  draws[, 20] <- 100 + 1:40
  draws[1:20, 3] <- 1
  data <- plot_data(fake_fit(draws), "density", n = 3)
  expect_equal(data$panels$name, c("v3", "v7", "v20"))
  expect_match(data$note, "3 of 30 coefficients")
  two <- plot_data(fake_fit(draws), "density", n = 1)
  expect_equal(two$panels$name, "v20")
  expect_null(plot_data(fake_fit(draws), "density", n = 30)$note)
})

test_that("the intercept is left out unless asked for", {
  draws <- cbind(`(Intercept)` = 1:10, a = 1:10)
  fit <- fake_fit(draws, intercept = TRUE)
  expect_equal(plot_data(fit, "density")$panels$name, "a")
  expect_equal(plot_data(fit, "density", pars = "(Intercept)")$panels$name, "(Intercept)")
  expect_equal(plot_data(fake_fit(draws[, 1, drop = FALSE], intercept = TRUE), "density")$panels$name, "(Intercept)")
})

test_that("a duplicated name means all its columns, a position means one", {
  fit <- fake_fit(awkward_draws())
  expect_equal(plot_data(fit, "density", pars = "dup")$panels$index, 8:9)
  expect_equal(plot_data(fit, "density", pars = 9)$panels$index, 9)
})

test_that("a path has its rows by lambda, and lambda = 0 a place of its own", {
  path <- plot_data(fake_path())$path
  expect_equal(path$lambda, rep(c(0, 1, 10), 2))
  expect_equal(path$position, rep(c(-0.5, 0, 1), 2))
  expect_equal(path$p_zero[path$index == 2 & path$lambda == 0], 0)
})

test_that("axis marks cover short, long and degenerate ranges of lambda", {
  expect_equal(lambda_ticks(c(0.5, 2000))$label, c("1", "10", "100", "1000"))
  expect_equal(lambda_ticks(c(20, 60))$label, c("20", "30", "40", "50", "60"))
  expect_equal(lambda_ticks(c(0, 3))$label, c("0", "3"))
  expect_equal(lambda_ticks(0)$label, "0")
})

test_that("the CV curve keeps its numbers and knows which rule was used", {
  data <- plot_data(fake_fit(awkward_draws(), cv = fake_cv("1se")), "cv")
  expect_equal(data$chosen$used, c(FALSE, TRUE))
  expect_equal(data$curve$high - data$curve$low, rep(1, 20))
  expect_false(is.unsorted(data$curve$lambda))
})

test_that("stacked fits share a panel's density scale", {
  a <- plot_data(fake_fit(cbind(x = stats::qnorm(stats::ppoints(200)))), "density", label = "a")
  b <- plot_data(fake_fit(cbind(x = 3 * stats::qnorm(stats::ppoints(200)))), "density", label = "b")
  both <- stack_plot_data(list(a, b))
  expect_equal(both$panels$top, rep(max(a$panels$top, b$panels$top), 2))
  expect_equal(unique(both$curve$fit), c("a", "b"))
  expect_silent(on_device(draw_plot_data(both)))
})

test_that("probabilities are rounded honestly", {
  expect_equal(probability_text(c(0, 0.0001, 0.37, 0.9999, 1, NA)), c("0.000", "< 0.001", "0.370", "> 0.999", "1.000", ""))
  expect_equal(short_name("abcdefghijklmnopqrstuvwxyz", 11), "abcd...wxyz")
})

test_that("standardize multiplies by the columns' standard deviations", {
  fit <- wbb_lasso(y ~ bmi + ltg, diabetes, lambda = 50, draws = 20, seed = 1, threads = 1)
  plain <- plot_data(fit, "interval", standardize = FALSE)$interval
  scaled <- plot_data(fit, "interval", standardize = TRUE)$interval
  expect_identical(plot_data(fit, "interval")$interval, scaled)
  expect_match(plot_data(fit, "interval")$axis, "standard deviation")
  expect_identical(plot_data(fit, "interval", standardize = FALSE)$axis, "coefficient")
  expect_equal(plot_data(fit, "density")$panels$mode, unname(coef(fit)[c("bmi", "ltg")]))
  sd <- vapply(diabetes[c("bmi", "ltg")], function(x) sqrt(mean((x - mean(x))^2)), 0)
  expect_equal(scaled$median, plain$median * unname(sd))
  bare <- wbb_lasso(y ~ bmi, diabetes, lambda = 50, draws = 20, seed = 1, threads = 1, keep_data = FALSE)
  expect_error(plot_data(bare, "interval", standardize = TRUE), class = "wbb_error_argument")
  expect_identical(plot_data(bare, "interval")$axis, "coefficient")
})

test_that("standardize needs columns", {
  d <- made_data()
  D <- diff(diag(5))
  fit <- wbb_genlasso(d$y, d$x, D, lambda = 1, draws = 20, seed = 1, threads = 1)
  expect_equal(
    plot_data(fit, "interval")$interval$median,
    plot_data(fit, "interval", standardize = FALSE)$interval$median * unname(sd_n(d$x))
  )
  signal <- wbb_genlasso(d$y, D = diff(diag(60)), lambda = 1, draws = 5, seed = 1, threads = 1)
  expect_bad(plot_data(signal, standardize = TRUE), "standardize", "no column")
  trend <- quick_trend(draws = 5)
  expect_bad(on_device(plot(compare(trend), standardize = TRUE)), "standardize", "no column")
  expect_identical(plot_scale(trend, FALSE), rep(1, 100))
  sparse <- Matrix::Matrix(d$x * (abs(d$x) > 0.8), sparse = TRUE)
  expect_equal(plot_scale(quick(sparse, d$y), TRUE), plot_scale(quick(as.matrix(sparse), d$y), TRUE))
})

test_that("the default picture is the first that the fit has the data for", {
  expect_identical(plot_data(fake_fit(awkward_draws()))$type, "density")
  expect_identical(plot_data(fake_path())$type, "path")
  expect_identical(plot_types(fake_fit(awkward_draws(), cv = fake_cv())), c("density", "interval", "selection", "cv"))
})

test_that("every part of the data has the keys that pictures are put together by", {
  fit <- fake_fit(awkward_draws())
  for (part in plot_data(fit, "density", label = "one")[c("curve", "mass", "panels")]) {
    expect_identical(names(part)[1:3], c("fit", "index", "name"))
    expect_identical(unique(part$fit), "one")
    expect_identical(part$name, colnames(awkward_draws())[part$index])
  }
})

test_that("the path of a coefficient is its intervals, lambda by lambda", {
  fit <- fake_path()
  path <- plot_data(fit, level = 0.8)$path
  for (l in c(10, 1, 0)) {
    one <- plot_data(fit, "interval", lambda = l, level = 0.8)$interval
    rows <- path[path$lambda == l, ]
    expect_equal(rows[names(one)], one, ignore_attr = "row.names")
  }
})

test_that("words in pictures say what is shown", {
  expect_identical(interval_words(0.9), "90% interval")
  expect_identical(interval_words(c(0.5, 0.95)), "50% and 95% intervals")
  z <- stats::qnorm(stats::ppoints(50))
  words <- function(...) density_words(plot_data(fake_fit(cbind(...))))
  expect_no_match(words(a = z), "Spike")
  expect_match(words(a = pmax(z, 0)), "Spike: P(=0)", fixed = TRUE)
  expect_match(words(a = rep(3, 50)), "Spike: all draws are equal", fixed = TRUE)
  expect_identical(zero_words(0.37), "P(=0) = 0.370")
  expect_identical(zero_words(0.0001), "P(=0) < 0.001")
  expect_identical(nonzero_ticks(data.frame(position = 1:100, nonzero = 100:1), 3), list(at = c(1L, 50L, 100L), label = c(100L, 51L, 1L)))
  expect_null(nonzero_ticks(data.frame(position = 1:9, nonzero = 49)))
})

test_that("spikes of several fits stand at zero, the highest behind and broadest", {
  fits <- list(a = fake_fit(cbind(x = c(rep(0, 30), 1:70))), b = fake_fit(cbind(x = c(rep(0, 60), 1:40))))
  both <- stack_plot_data(lapply(names(fits), function(label) plot_data(fits[[label]], "density", label = label)))
  mass <- spike_order(both$mass)
  expect_identical(mass$at, c(0, 0))
  expect_identical(mass$fit, c("b", "a"))
  expect_gt(mass$width[1], mass$width[2])
  expect_identical(spike_order(both$mass[0, ])$width, double())
})

test_that("a spike that is not at zero is not called P(=0)", {
  spiked <- function(...) density_words(plot_data(fake_fit(cbind(...)), "density"))
  expect_match(spiked(a = rep(0:1, 20), b = rep(2, 40)), "Spike: P(=0), elsewhere equal draws", fixed = TRUE)
  expect_match(spiked(a = c(rep(0, 20), sin(1:20)), b = rep(0, 40)), "Spike: P(=0), panel", fixed = TRUE)
})
