# What pictures show is tested as numbers; how they look, by a few snapshots.

area <- function(curve) {
  sum(vapply(split(curve, curve$side), function(s) {
    sum(diff(s$x) * (utils::head(s$density, -1) + utils::tail(s$density, -1)) / 2)
  }, 0))
}

on_device <- function(code) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  force(code)
}

test_that("the area of the density and the point mass add up to one", {
  draws <- awkward_draws(500)
  for (name in c("half", "both", "100% [x]^2")) {
    m <- marginal(draws[, name])
    # The grid ends 2.5 bandwidths beyond the draws, where a normal kernel of 500 has lost < 1e-4.
    expect_equal(area(m$curve) + sum(m$mass$probability), 1, tolerance = 2e-3)
    expect_equal(m$p_zero, mean(draws[, name] == 0))
  }
})

test_that("no density is shown on a side of zero where there are no draws", {
  positive <- marginal(pmax(stats::qnorm(stats::ppoints(400)), 0))
  expect_gte(min(positive$curve$x), 0)
  negative <- marginal(pmin(stats::qnorm(stats::ppoints(400)), 0))
  expect_lte(max(negative$curve$x), 0)
})

test_that("the density at zero is neither leaked away nor flattened", {
  z <- stats::qnorm(stats::ppoints(4000))
  # Half-normal draws: the density at 0+ is dnorm(0), flat there.
  flat <- marginal(pmax(z, 0))$curve
  expect_equal(flat$density[1], stats::dnorm(0), tolerance = 0.02)
  # Soft thresholding of N(1, 1): dnorm(1.2 - 1) at 0-, dnorm(0.8) at 0+, both steep.
  curve <- marginal(sign(1 + z) * pmax(abs(1 + z) - 0.2, 0))$curve
  expect_equal(utils::tail(curve$density[curve$side == 1], 1), stats::dnorm(1.2), tolerance = 0.05)
  expect_equal(curve$density[curve$side == 2][1], stats::dnorm(0.8), tolerance = 0.05)
})

test_that("columns without spread are point masses", {
  expect_equal(marginal(rep(0, 10))$mass, data.frame(at = 0, probability = 1))
  expect_equal(marginal(rep(3.2, 10))$mass, data.frame(at = 3.2, probability = 1))
  expect_equal(marginal(c(2, 0, 0, 0))$mass, data.frame(at = c(0, 2), probability = c(0.75, 0.25)))
  expect_equal(marginal(7)$mass, data.frame(at = 7, probability = 1))
  expect_equal(nrow(marginal(rep(0, 10))$curve), 0)
  expect_equal(nrow(marginal(c(NA, NaN))$mass), 0)
})

test_that("the panel's limits are never of width zero", {
  data <- plot_data(fake_fit(awkward_draws()), "density")
  for (index in data$panels$index) {
    limits <- panel_limits(data, index)
    expect_true(all(is.finite(limits)))
    expect_gt(diff(limits), 0)
  }
})

test_that("draws without a solution are left out and counted", {
  draws <- cbind(a = c(NA, 1:9), b = c(NA, 9:1))
  data <- plot_data(fake_fit(draws), "interval")
  expect_match(data$note, "1 of 10 draws")
  expect_equal(data$interval$median, c(5, 5))
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
  expect_equal(probability_text(c(0, 0.001, 0.37, 0.999, 1, NA)), c("0", "< 0.01", "0.37", "> 0.99", "1", ""))
  expect_equal(short_name("abcdefghijklmnopqrstuvwxyz", 11), "abcd...wxyz")
})

test_that("a misuse is an error that names the argument", {
  fit <- fake_fit(awkward_draws())
  path <- fake_path()
  expect_argument <- function(code, argument) {
    error <- expect_error(on_device(code), class = "wbb_error_argument")
    expect_equal(error$argument, argument)
  }
  expect_argument(plot(fit, type = "trace"), "type")
  expect_argument(plot(fit, type = "path"), "type")
  expect_argument(plot(fit, type = "cv"), "type")
  expect_argument(plot(fit, pars = "nobody"), "pars")
  expect_argument(plot(fit, pars = 99), "pars")
  expect_argument(plot(fit, pars = TRUE), "pars")
  expect_argument(plot(fit, n = 0), "n")
  expect_argument(plot(fit, level = c(0.5, 1)), "level")
  expect_argument(plot(fit, level = "a"), "level")
  expect_argument(plot(fit, standardize = NA), "standardize")
  expect_argument(plot(fit, colour = "red"), "colour")
  expect_argument(plot(path, lambda = 1), "lambda")
  expect_argument(plot(path, type = "density"), "lambda")
  expect_argument(plot(path, type = "density", lambda = 3), "lambda")
})

test_that("every picture is drawn without a warning, returns its numbers and restores par()", {
  fit <- fake_fit(awkward_draws(), cv = fake_cv())
  on_device({
    before <- graphics::par(c("mfrow", "cex", "mar", "oma", "mgp", "tcl", "las"))
    for (type in c("density", "interval", "cv")) {
      shown <- expect_silent(withVisible(plot(fit, type = type, main = "a title")))
      expect_false(shown$visible)
      expect_equal(shown$value$type, type)
    }
    expect_silent(plot(fake_path()))
    expect_silent(plot(fake_path(), type = "density", lambda = 1))
    expect_silent(plot(fake_path(), type = "interval", lambda = 0, level = 0.9))
    expect_equal(graphics::par(c("mfrow", "cex", "mar", "oma", "mgp", "tcl", "las")), before)
  })
})

test_that("one draw, one coefficient, many coefficients and small devices are drawn", {
  one <- fake_fit(awkward_draws()[1, , drop = FALSE])
  single <- fake_fit(awkward_draws()[, "half", drop = FALSE])
  many <- fake_fit(matrix(stats::qnorm(stats::ppoints(5e4)), 10, 5000, dimnames = list(NULL, paste0("g", 1:5000))))
  for (fit in list(one, single, many)) {
    for (type in c("density", "interval")) expect_silent(on_device(plot(fit, type = type)))
  }
  grDevices::pdf(NULL, width = 3, height = 2.2)
  on.exit(grDevices::dev.off())
  expect_silent(plot(many))
  expect_silent(plot(many, type = "interval"))
})

test_that("standardize multiplies by the columns' standard deviations", {
  fit <- wbb_lasso(y ~ bmi + ltg, diabetes, lambda = 50, draws = 20, seed = 1, threads = 1)
  plain <- plot_data(fit, "interval")$interval
  scaled <- plot_data(fit, "interval", standardize = TRUE)$interval
  sd <- vapply(diabetes[c("bmi", "ltg")], function(x) sqrt(mean((x - mean(x))^2)), 0)
  expect_equal(scaled$median, plain$median * unname(sd))
  bare <- wbb_lasso(y ~ bmi, diabetes, lambda = 50, draws = 20, seed = 1, threads = 1, keep_data = FALSE)
  expect_error(plot_data(bare, "interval", standardize = TRUE), class = "wbb_error_argument")
})

test_that("pictures look as they did", {
  skip_on_cran()
  skip_if_not_installed("vdiffr")
  fit <- fake_fit(awkward_draws()[, c("zeros", "constant", "half", "both", "100% [x]^2", "dup")], cv = fake_cv())
  vdiffr::expect_doppelganger("interval", function() plot(fit, type = "interval"))
  vdiffr::expect_doppelganger("cv", function() plot(fit, type = "cv"))
  vdiffr::expect_doppelganger("path", function() plot(fake_path()))
})

test_that("the picture of densities looks as it did", {
  skip_on_cran()
  skip_if_not_installed("vdiffr")
  skip_if(getRversion() >= "4.4", "density() of R 4.4 is a little more exact than the one that drew it")
  fit <- fake_fit(awkward_draws()[, c("zeros", "constant", "half", "both", "100% [x]^2", "dup")], cv = fake_cv())
  vdiffr::expect_doppelganger("density", function() plot(fit))
})
