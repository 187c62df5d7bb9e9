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
