skip_if_not_installed("ggplot2")

drawn <- function(picture) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(ggplot2::ggplot_gtable(ggplot2::ggplot_build(picture)))
}

test_that("the generic finds the method, and each type draws without a warning", {
  fit <- fake_fit(awkward_draws(), cv = fake_cv())
  for (type in c("density", "interval", "cv")) drawn(ggplot2::autoplot(fit, type = type))
  drawn(ggplot2::autoplot(fake_path()))
  drawn(ggplot2::autoplot(fake_path(), type = "density", lambda = 10))
  drawn(ggplot2::autoplot(fake_fit(awkward_draws()[1, , drop = FALSE])))
})

test_that("nothing warns where no coefficient is zero", {
  z <- stats::qnorm(stats::ppoints(50))
  expect_silent(picture <- ggplot2::autoplot(fake_fit(cbind(a = 5 + z, b = z))))
  drawn(picture)
  expect_identical(shade(character()), character())
})

test_that("a panel is a column, also where names are duplicated or look like code", {
  draws <- awkward_draws()
  built <- ggplot2::ggplot_build(ggplot2::autoplot(fake_fit(draws)))
  expect_equal(nrow(built$layout$layout), ncol(draws))
  labeller <- ggplot2::autoplot(fake_fit(draws))$facet$params$labeller
  strips <- labeller(data.frame(index = factor(c(6, 8, 9))))
  expect_equal(unname(unlist(strips)), c("100% [x]^2", "dup", "dup"))
})

test_that("the numbers are those of plot()", {
  fit <- fake_fit(awkward_draws())
  layers <- ggplot2::autoplot(fit, type = "interval")$data
  expect_equal(layers$median, plot_data(fit, "interval")$interval$median)
})

test_that("stacked fits get a key", {
  data <- lapply(c("a", "b"), function(label) plot_data(fake_fit(awkward_draws()[, 4:6]), "density", label = label))
  drawn(gg_plot_data(stack_plot_data(data)))
})

test_that("unknown arguments are errors", {
  expect_error(ggplot2::autoplot(fake_path(), colour = 1), class = "wbb_error_argument")
})

test_that("ggplot2's pictures look as they did", {
  skip_on_cran()
  skip_if_not_installed("vdiffr")
  # Announced, or a run that skips them would delete the pictures.
  for (picture in c("density", "interval")) announce_snapshot_file(name = sprintf("ggplot-%s.svg", picture))
  skip_if(utils::packageVersion("ggplot2") >= "3.5", "ggplot2 3.5 places these otherwise than the 3.4 that drew them")
  fit <- fake_fit(awkward_draws()[, c("zeros", "constant", "half", "both", "100% [x]^2", "dup")], cv = fake_cv())
  vdiffr::expect_doppelganger("ggplot density", ggplot2::autoplot(fit))
  vdiffr::expect_doppelganger("ggplot interval", ggplot2::autoplot(fit, type = "interval"))
})

test_that("labels of small panels stay off their edges, and are two at least", {
  for (limits in list(c(-0.31, 0.0004), c(0, 3), c(0.06, 0.24), c(-40, 2), c(-1e-7, 1e-6), c(1e6, 1e6 + 3))) {
    for (count in 2:3) {
      at <- inner_breaks(count)(limits)
      expect_gte(length(at), 2)
      expect_true(all(at > limits[1] + 0.05 * diff(limits) & at < limits[2] - 0.05 * diff(limits)))
    }
  }
  expect_identical(inner_breaks(3)(c(2, 2)), 2)
})

test_that("the heading of P(=0) stands above its numbers", {
  fit <- wbb_lasso(y ~ ., diabetes, lambda = 500, draws = 40, seed = 1)
  picture <- ggplot2::ggplot_build(ggplot2::autoplot(fit, "interval"))
  beside <- picture$layout$panel_params[[1]]$y.sec$get_labels()
  expect_identical(unname(beside[1]), "P(=0)")
  expect_length(beside, 11)
  expect_gt(picture$layout$panel_params[[1]]$y.range[2], 11)
})

test_that("numbers are spoken of where there are some", {
  fits <- lapply(1:2, function(seed) wbb_lasso(y ~ bmi + age, diabetes, lambda = 5000, draws = 40, seed = seed))
  expect_match(ggplot2::autoplot(fits[[1]])$labels$subtitle, "Spike and number")
  expect_match(ggplot2::autoplot(compare(a = fits[[1]], b = fits[[2]]))$labels$subtitle, "^Spike: ")
})

test_that("narrow panels have few labels of lambda", {
  ticks <- list(at = 1:4, label = c("10", "100", "1000", "10000"))
  expect_identical(few_ticks(ticks, 1)$label, ticks$label)
  expect_identical(few_ticks(ticks, 4)$label, c("10", "1000"))
})
