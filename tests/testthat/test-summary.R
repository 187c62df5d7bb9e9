fit <- quick_diabetes(draws = 200)

test_that("summary() describes the draws", {
  draws <- as.matrix(fit)
  table <- summary(fit)$table
  expect_identical(names(table),
    c("term", "mode", "mean", "sd", "2.5%", "50%", "97.5%", "p_zero", "p_positive", "mcse"))
  expect_identical(table$term, colnames(draws))
  expect_equal(table$mean, unname(colMeans(draws)))
  expect_equal(table$sd, unname(apply(draws, 2, sd)))
  expect_equal(table$p_zero, unname(colMeans(draws == 0)))
  expect_equal(table$p_positive, unname(colMeans(draws > 0)))
  expect_equal(table$mcse, table$sd / sqrt(200))
  expect_identical(names(summary(fit, probs = 0.1)$table)[5], "10%")
  expect_bad(summary(fit, probs = 2), "probs")
  expect_bad(summary(fit, probs = NA_real_), "probs")
})

test_that("a path has rows for each lambda", {
  path <- quick(y ~ ., diabetes, lambda = c(200, 50))
  both <- summary(path)
  expect_identical(nrow(both$table), 22L)
  expect_identical(unique(both$table$lambda), c(200, 50))
  one <- summary(path, lambda = 50)
  expect_identical(one$table, both$table[12:22, ], ignore_attr = "row.names")
  expect_output(print(one), "lambda = 50")
})

test_that("draws that did not converge are counted, in one warning", {
  expect_warning(rough <- quick_diabetes(max_iterations = 1, tolerance = 1e-300), class = "wbb_warning_convergence")
  failed <- sum(rough$diagnostics$status != "converged")
  expect_gt(failed, 0)
  expect_output(print(rough), paste("Left out:", failed, "of 20"))
  some <- with_failures(fit, c(1, 7, 9))
  expect_identical(summary(some)$not_converged, 3L)
  expect_output(print(summary(some)), "did not converge: 3 of 200, left out")
  # The error of the mean knows how many draws there are.
  expect_equal(summary(some)$table$mcse, summary(some)$table$sd / sqrt(197))
})

test_that("digits given to summary() are those that are printed", {
  lines <- function(...) capture.output(print(summary(fit, ...)))
  expect_identical(lines(digits = 2), capture.output(print(summary(fit), digits = 2)))
  expect_false(identical(lines(digits = 2), lines()))
  trend <- quick_trend()
  expect_identical(capture.output(summary(trend, digits = 2)), capture.output(print(summary(trend), digits = 2)))
  expect_bad(summary(fit, digits = "a"), "digits")
  expect_bad(summary(fit, digit = 2, prob = 0.5, x = 1), "x")
})

test_that("the printed summary reads well", {
  local_reproducible_output(width = 100)
  # Law "ones" with a fixed prior weight: no number depends on a generator.
  fixed <- quick(y ~ bmi + ltg + age, diabetes, lambda = 500, weights = "ones", prior_weight = "fixed")
  expect_snapshot(print(summary(fixed), digits = 3))
})

test_that("head() and tail() of a summary are those of its table", {
  fits <- list(
    quick_diabetes(), wbb_trendfilter(cars$dist, lambda = 5, draws = 5, seed = 1),
    suppressWarnings(bayes_bridge(dist ~ speed, cars, draws = 20, burn = 10, chains = 1, seed = 1)),
    suppressWarnings(wbb_mlp(dist ~ speed, cars, hidden = 2, draws = 3, lambda = 1e-4, epochs = 3, seed = 1))
  )
  for (fit in fits) {
    described <- summary(fit)
    expect_identical(head(described, 2), head(described$table, 2))
    expect_identical(tail(described, 1), tail(described$table, 1))
  }
})

test_that("the coefficients of a summary are its table", {
  fit <- quick(y ~ bmi + map, diabetes)
  expect_identical(coef(summary(fit)), summary(fit)$table)
})
