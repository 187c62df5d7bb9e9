# What pictures show is tested as numbers in test-marginal.R and test-plot-data.R; here, that they are drawn, and
# by a few snapshots how they look.

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
  expect_argument(plot(path, type = "density", lambda = 99), "lambda")
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
  # Announced, or a run that skips it would delete the picture.
  announce_snapshot_file(name = "density.svg")
  skip_if(getRversion() >= "4.4", "density() of R 4.4 is a little more exact than the one that drew it")
  fit <- fake_fit(awkward_draws()[, c("zeros", "constant", "half", "both", "100% [x]^2", "dup")], cv = fake_cv())
  vdiffr::expect_doppelganger("density", function() plot(fit))
})

test_that("colours that R does not know are refused by name", {
  fit <- fake_fit(awkward_draws()[, c("both", "half")])
  for (col in list("no colour", list(), -1, function(x) x)) {
    error <- expect_error(on_device(plot(fit, col = col)), class = "wbb_error_argument")
    expect_identical(error$argument, "col")
  }
  expect_identical(on_device(plot(fit, col = "red"))$type, "density")
})
