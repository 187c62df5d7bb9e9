# What matters to a network is what moves its predictions.

test_that("the importance of a term is what its shuffling does to the predictions", {
  d <- with_seed(1, data.frame(a = rnorm(150), b = rnorm(150), g = factor(sample(letters[1:3], 150, TRUE))))
  d$y <- 3 * d$a + 2 * (d$g == "b") + with_seed(2, rnorm(150, sd = 0.2))
  fit <- suppressWarnings(wbb_mlp(y ~ a + b + g, d, hidden = 8, lambda = 0.1, draws = 12, seed = 1, threads = 1))
  before <- with_seed(3, runif(1))
  found <- with_seed(3, {
    made <- network_importance(fit, 0.9)
    expect_identical(runif(1), before)
    made
  })
  rows <- found$interval
  expect_identical(rows$name, c("a", "g", "b"))
  # By hand, for the factor as a whole.
  order <- with_seed(1, sample.int(150))
  moved <- d
  moved$g <- d$g[order]
  change <- predict(fit, moved, type = "draws") - predict(fit, d, type = "draws")
  expect_equal(rows$median[2], median(sqrt(rowMeans(change^2) / 2)))
  # A function that is nearly linear: the standard deviation of what the term adds.
  expect_equal(rows$median[1], 3 * sd(d$a), tolerance = 0.1)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(fit, "importance")$interval, plot(fit, "importance")$interval)
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(fit, "importance"), "ggplot")
})

test_that("classes have it too, and large networks are said to be too large", {
  odd <- seq(1, 150, by = 2)
  fit <- suppressWarnings(wbb_mlp(Species ~ ., iris[odd, ], hidden = 4, lambda = 0.1, draws = 6, seed = 1, threads = 1))
  rows <- network_importance(fit, 0.95)
  expect_identical(rows$interval$name[4] %in% c("Sepal.Length", "Sepal.Width"), TRUE)
  expect_match(rows$axis, "probabilities")
  expect_identical(length(importance_rows(fit, 75, 4)), 75L)
  expect_lt(length(importance_rows(fit, 1e5, 4)), 1001)
  expect_bad(importance_rows(fit, 1e5, 1e7), "type", "so many columns")
})
