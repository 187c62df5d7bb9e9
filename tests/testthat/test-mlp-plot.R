fit <- quick_mlp(test = iris[c(FALSE, TRUE), ])

test_that("plot() gives the numbers it shows", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  shown <- plot(fit)
  expect_identical(shown$type, "training")
  expect_identical(nrow(shown$lines), 12L * 30L)
  expect_equal(shown$band$median, unname(apply(fit$curves, 2, median)))
  shown <- plot(fit, "accuracy")
  expect_identical(levels(shown$sets$set), c("test", "training"))
  expect_equal(shown$sets$median, c(median(accuracy(fit)), median(fit$diagnostics$accuracy)))
  expect_equal(sum(shown$bars$share), 2)
  # A bar's middle is an accuracy that so many rows can have.
  right <- 75 * (shown$bars$from + shown$bars$to) / 2
  expect_equal(right, round(right))
  expect_equal(shown$sets$mean_prediction[1], accuracy(fit, type = "mean"))
  shown <- plot(fit, "calibration", bins = 5, level = 0.5, main = "Calibration")
  expect_identical(shown$table, calibration(fit, bins = 5, level = 0.5))
  expect_identical(plot(fit, "calibration", newdata = iris, class = "setosa")$of, "setosa")
  expect_identical(levels(plot(fit, "accuracy", newdata = iris)$sets$set), c("new data", "training"))
  expect_bad(plot(fit, "path"), "type")
  expect_bad(plot(fit, typ = "accuracy", colour = 1), "colour")
})

test_that("pictures survive one epoch, one draw and gaps", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  one <- quick_mlp(draws = 1, epochs = 1)
  expect_identical(nrow(plot(one)$band), 1L)
  expect_identical(levels(plot(one, "accuracy")$sets$set), "training")
  expect_bad(plot(one, "calibration"), "x")
  early <- quick_mlp(tolerance = 0.5, epochs = 50)
  expect_false(anyNA(plot(early)$band))
  curve <- brief(wbb_mlp(dist ~ speed, cars, hidden = 4, draws = 3, lambda = 1e-4, epochs = 3, seed = 1))
  expect_identical(plot(curve)$type, "training")
  expect_bad(plot(curve, "accuracy"), "type", "regression")
  gaps <- fit
  gaps$diagnostics$status[2] <- "diverged"
  gaps$draws[2] <- list(NULL)
  expect_match(plot(gaps)$note, "1 of 12 draws")
  expect_match(plot(gaps, "accuracy")$note, "left out")
  expect_match(plot(gaps, "calibration")$note, "left out")
  skip_if_not_installed("ggplot2")
  for (type in c("training", "accuracy")) expect_s3_class(print(ggplot2::autoplot(one, type)), "ggplot")
  for (type in c("training", "accuracy", "calibration")) {
    expect_s3_class(print(ggplot2::autoplot(gaps, type, main = "A title")), "ggplot")
  }
})

test_that("pictures stay as they are", {
  skip_if_not_installed("vdiffr")
  pictured <- pictured_fit()
  for (type in c("training", "accuracy", "calibration")) {
    vdiffr::expect_doppelganger(paste("network", type), function() plot(pictured, type))
  }
  vdiffr::expect_doppelganger("network with a title", function() plot(pictured, "accuracy", main = "Iris"))
  skip_if_not_installed("ggplot2")
  for (type in c("training", "accuracy", "calibration")) {
    vdiffr::expect_doppelganger(paste("ggplot network", type), ggplot2::autoplot(pictured, type))
  }
})
