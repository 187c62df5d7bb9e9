skip_if_not_installed("survival")
lung <- stats::na.omit(survival::lung[c("time", "status", "age", "sex", "ph.ecog")])
fit <- quick(survival::Surv(time, status) ~ age + sex + ph.ecog, lung, family = "cox", lambda = 0, draws = 30)
model <- survival::coxph(survival::Surv(time, status) ~ age + sex + ph.ecog, lung, ties = "breslow")
new <- data.frame(age = c(50, 70), sex = 1:2, ph.ecog = 0:1, row.names = c("young", "old"))

test_that("curves and risks of the mode are those of survfit() and coxph()", {
  times <- c(0, 5, 100, 310.5, 1000)
  peer <- summary(survival::survfit(model, new), times = times, extend = TRUE)$surv
  expect_equal(unname(predict(fit, new, "survival", times = times)), unname(t(peer)), tolerance = 1e-6)
  expect_equal(predict(fit, new, "risk"), predict(model, new, type = "risk"), tolerance = 1e-6)
  weighted <- quick(survival::Surv(time, status) ~ age + sex, lung, family = "cox", lambda = 0, case_weights = rep(1:3, length.out = 227))
  peer <- survival::coxph(survival::Surv(time, status) ~ age + sex, lung, weights = rep(1:3, length.out = 227), ties = "breslow")
  expect_equal(c(predict(weighted, new, "survival", times = 300)),
    c(summary(survival::survfit(peer, new), times = 300)$surv), tolerance = 1e-6)
})

test_that("a draw's curve is that of its own weights", {
  parts <- survival_parts(fit, linear_rows(fit, new), c(200, 400), NULL)
  draws <- exp(-parts$risk[, c(1, 2, 1, 2)] * parts$hazard[, c(1, 1, 2, 2)])
  w <- weights(fit)[4, seq_len(nrow(lung))]
  peer <- survival::coxph(survival::Surv(time, status) ~ age + sex + ph.ecog, lung, weights = w, ties = "breslow")
  curve <- summary(survival::survfit(peer, new), times = c(200, 400))$surv
  expect_equal(draws[4, ], as.vector(t(curve)), tolerance = 1e-5)
  limits <- predict(fit, new, "survival", times = c(200, 400), interval = "credible", level = 0.5)
  expect_equal(as.vector(limits[, , "lwr"]), unname(apply(draws, 2, quantile, 0.25)))
  expect_equal(as.vector(predict(fit, new, "survival", times = c(200, 400), estimate = "mean")), colMeans(draws))
  # Blocks of draws, rows and times are an economy and no more.
  expect_equal(survival_parts(fit, linear_rows(fit, new), c(200, 400), NULL, numbers = 1000), parts)
  expect_identical(survival_over_draws(parts, c(0.1, 0.9), numbers = 31), survival_over_draws(parts, c(0.1, 0.9)))
})

test_that("curves fall from one, inside their bands, and do not depend on the origin of columns", {
  curves <- survival_curve(fit, new)
  expect_s3_class(curves, c("wbb_survival", "data.frame"), exact = TRUE)
  expect_identical(levels(curves$row), c("young", "old"))
  expect_true(all(curves$survival[curves$time == 0] == 1))
  for (one in split(curves, curves$row)) expect_true(all(diff(one$survival) <= 0))
  far <- transform(lung, age = age + 1e5)
  moved <- quick(survival::Surv(time, status) ~ age + sex + ph.ecog, far, family = "cox", lambda = 0, draws = 30)
  expect_equal(survival_curve(moved, transform(new, age = age + 1e5)), curves, tolerance = 1e-4)
  average <- survival_curve(fit)
  mean <- as.data.frame(as.list(colMeans(lung[c("age", "sex", "ph.ecog")])))
  expect_equal(average[-1], survival_curve(fit, mean)[-1], ignore_attr = TRUE)
  expect_true(all(average$lower <= average$upper))
})

test_that("pictures show the curves that there are", {
  curves <- survival_curve(fit, new, times = c(100, 400))
  steps <- as_steps(curves[curves$row == "young", ])
  expect_identical(steps$time, c(100, 400, 400))
  expect_identical(steps$survival, curves$survival[c(1, 1, 2)])
  on_device(expect_identical(plot(curves), curves))
  on_device(expect_s3_class(plot(fit, "survival", newdata = new), "wbb_survival"))
  skip_if_not_installed("ggplot2")
  picture <- ggplot2::autoplot(fit, "survival")
  expect_identical(picture$labels$y, "survival, 95% interval")
})

test_that("what has no curves says so", {
  expect_bad(survival_curve(quick_diabetes()), "object", "cox")
  expect_bad(survival_curve(1), "object")
  expect_bad(predict(fit, new, "survival", times = -1), "times")
  expect_bad(predict(fit, new, "survival", times = numeric()), "times")
  expect_bad(predict(fit, new, times = 3), "times")
  expect_bad(predict(fit, new, "risk", times = 3), "times")
  expect_bad(predict(quick_diabetes(), diabetes, "survival"), "type")
  expect_bad(plot(survival_curve(fit, lung[1:9, ], times = 100)), "x", "at most")
  expect_bad(residuals(fit, type = "pearson"), "type", "martingale")
  expect_bad(plot(quick_diabetes(), "survival"), "type", "cox")
  expect_bad(plot(fit, newdata = new), "newdata")
})
