random <- quick_diabetes()
fixed <- quick_diabetes(prior_weight = "fixed")
bridge <- bayes_bridge(y ~ bmi + hdl, diabetes, draws = 300, burn = 100, chains = 2, seed = 1, threads = 1)

test_that("the table has a row a coefficient and fit", {
  both <- compare(random, other = fixed)
  table <- as.data.frame(both)
  expect_identical(nrow(table), 22L)
  expect_identical(table$fit[1:4], c("random", "other", "random", "other"))
  one <- table[table$fit == "random", ]
  expect_identical(one$mean, unname(colMeans(as.matrix(random))))
  expect_identical(one$p_zero, unname(colMeans(as.matrix(random) == 0)))
  expect_equal(cbind(one$lwr, one$upr), unname(confint(random)))
  expect_equal(compare(random, level = 0.5)$table$upr, unname(confint(random, level = 0.5)[, 2]))
})

test_that("labels are names, variables or places", {
  labels <- function(...) unique(as.data.frame(compare(...))$fit)
  expect_identical(labels(random, b = fixed, quick_diabetes()), c("random", "b", "fit 3"))
  expect_identical(labels(random, random), c("random", "random.1"))
  expect_identical(row.names(as.data.frame(compare(random), row.names = letters[1:11])), letters[1:11])
})

test_that("fits with other coefficients leave gaps", {
  all <- compare(random, bridge)
  expect_identical(sum(all$table$fit == "bridge"), 3L)
  lines <- capture.output(print(all))
  expect_match(lines[1], "random +bridge")
  expect_identical(length(lines), 13L)
  expect_no_match(lines, "NA")
  # The bridge has no zeros to count.
  expect_identical(lengths(regmatches(lines[2], gregexpr("P(=0)", lines[2], fixed = TRUE))), 1L)
})

test_that("fits with other coefficients share a picture", {
  one <- quick(y ~ bmi + map + hdl, diabetes)
  other <- quick(y ~ bmi + ltg, diabetes)
  for (type in c("density", "interval")) {
    shown <- on_device(plot(compare(one, other), type))
    expect_setequal(shown[[if (type == "density") "panels" else "interval"]]$name, c("bmi", "map", "hdl"))
    shown <- on_device(plot(compare(one, other), type, pars = c("hdl", "ltg")))
    expect_identical(shown$type, type)
  }
})

test_that("pictures stack the fits by name", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  data <- plot(compare(random, bridge), pars = c("bmi", "hdl"))
  expect_identical(unique(data$panels$fit), c("random", "bridge"))
  expect_identical(tapply(data$panels$name, data$panels$index, unique)[[1]], "bmi")
  expect_identical(length(unique(data$panels$index)), 2L)
  expect_identical(plot(compare(random, fixed), type = "interval", n = 3)$type, "interval")
  expect_bad(plot(compare(random), pars = "nobody"), "pars")
  expect_bad(plot(compare(random), type = "path"), "type")
  many <- do.call(compare, stats::setNames(rep(list(random), 7), letters[1:7]))
  expect_bad(plot(many), "x", "at most 6")
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(compare(random, bridge)), "ggplot")
})

test_that("bad input gets classed errors", {
  expect_bad(compare(), "...")
  expect_bad(compare(random, 3), "...")
  expect_bad(compare(random, level = 2), "level")
  path <- quick(y ~ ., diabetes, lambda = c(10, 100))
  expect_bad(compare(random, path, lambda = 3), "lambda", "fitted values")
  expect_identical(nrow(compare(random, path, lambda = 10)$table), 22L)
})
