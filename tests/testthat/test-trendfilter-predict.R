test_that("prediction meets the points and joins them by the discrete spline", {
  x <- cumsum(with_seed(3, rexp(30)) + 0.1)
  for (order in 0:3) {
    fit <- quick_trend(with_seed(1, rnorm(30)), x, order = order, lambda = 0.5)
    expect_equal(predict(fit, x), unname(coef(fit)))
    expect_equal(predict(fit, x, type = "draws"), unname(as.matrix(fit)))
    # Polynomials are reproduced between and beyond the points.
    line <- quick_trend(x^order, x, order = order, lambda = 1)
    at <- c(x[1] - 0.3, x[4] + 0.01, mean(x), x[30] + 0.2)
    expect_equal(predict(line, at), at^order, tolerance = 1e-7)
  }
  step <- quick_trend(c(0, 0, 5, 5), order = 0, lambda = 0, draws = 2)
  expect_equal(predict(step, c(1.5, 2, 2.1, 3)), c(0, 0, 5, 5))
})

test_that("bands contain each other as they should", {
  fit <- quick_trend(draws = 400)
  credible <- predict(fit, interval = "credible")
  together <- predict(fit, interval = "simultaneous")
  new <- predict(fit, interval = "prediction")
  expect_identical(colnames(credible), c("fit", "lwr", "upr"))
  expect_true(all(together[, "upr"] >= credible[, "upr"] & together[, "lwr"] <= credible[, "lwr"]))
  expect_true(all(new[, "upr"] > credible[, "upr"]))
  draws <- as.matrix(fit)
  inside <- apply(draws, 1, function(d) all(d >= together[, "lwr"] - 1e-9 & d <= together[, "upr"] + 1e-9))
  expect_equal(mean(inside), 0.95, tolerance = 0.01)
})

test_that("bands of standard deviations are centred on the estimate", {
  fit <- quick_trend(draws = 400)
  sd <- apply(as.matrix(fit), 2, sd)
  for (estimate in c("mode", "mean")) {
    two <- predict(fit, interval = "se", level = diff(pnorm(c(-2, 2))), estimate = estimate)
    expect_equal(two[, "upr"], coef(fit, estimate) + 2 * sd, ignore_attr = TRUE)
    expect_equal(two[, "lwr"], coef(fit, estimate) - 2 * sd, ignore_attr = TRUE)
    # Where no quantile lies beyond it, the simultaneous band is as symmetric.
    together <- predict(fit, interval = "simultaneous", estimate = estimate)
    expect_equal((together[, "lwr"] + together[, "upr"]) / 2, together[, "fit"], tolerance = 1e-6)
    expect_equal(together[, "fit"], predict(fit, estimate = estimate))
    inside <- apply(as.matrix(fit), 1, function(d) all(d >= together[, "lwr"] - 1e-9 & d <= together[, "upr"] + 1e-9))
    expect_equal(mean(inside), 0.95, tolerance = 0.01)
  }
})

test_that("the simultaneous band holds the pointwise one for few points, too", {
  for (seed in 1:20) {
    fit <- quick_trend(with_seed(seed, rexp(5)), order = 0, lambda = 0.3, draws = 200, seed = seed)
    together <- predict(fit, interval = "simultaneous")
    credible <- predict(fit, interval = "credible")
    expect_true(all(together[, "lwr"] <= credible[, "lwr"] & together[, "upr"] >= credible[, "upr"]))
  }
})

test_that("a vector of points is taken only where it can mean one thing", {
  plain <- wbb_trendfilter(dist ~ speed, cars, order = 1, lambda = 20, draws = 5, seed = 1, threads = 1)
  expect_identical(predict(plain, c(10, 12)), predict(plain, data.frame(speed = c(10, 12))))
  logged <- wbb_trendfilter(dist ~ log(speed), cars, order = 1, lambda = 20, draws = 5, seed = 1, threads = 1)
  expect_bad(predict(logged, 10), "newdata", "log(speed)")
  expect_equal(predict(logged, data.frame(speed = cars$speed)), unname(fitted(logged)))
  dated <- wbb_trendfilter(dist ~ day, transform(cars, day = as.Date("2020-01-01") + seq_along(speed)), order = 1,
    lambda = 20, draws = 5, seed = 1, threads = 1)
  expect_equal(predict(dated, as.Date("2020-01-01") + 1:50), unname(fitted(dated)))
  expect_bad(predict(dated, 18263), "newdata", "instead of Date")
  expect_bad(predict(plain, list(1)), "newdata")
  expect_bad(predict(plain, matrix(10)), "newdata")
})
