fit <- quick_diabetes(draws = 100)
new <- diabetes[c(3, 1, 7), ]
x <- cbind(1, as.matrix(new[1:10]))

test_that("predictions are those of the estimate", {
  expect_equal(predict(fit, new), drop(x %*% coef(fit)))
  expect_equal(predict(fit, new, estimate = "mean"), drop(x %*% coef(fit, "mean")))
  expect_identical(predict(fit), fitted(fit))
  draws <- predict(fit, new, type = "draws")
  expect_equal(draws, as.matrix(fit) %*% t(x))
  expect_identical(dim(draws), c(100L, 3L))
})

test_that("credible intervals are quantiles of the draws", {
  out <- predict(fit, new, interval = "credible", level = 0.8)
  expect_identical(colnames(out), c("fit", "lwr", "upr"))
  draws <- predict(fit, new, type = "draws")
  expect_equal(out[, "lwr"], apply(draws, 2, quantile, 0.1, names = FALSE))
  expect_equal(out[, "upr"], apply(draws, 2, quantile, 0.9, names = FALSE))
})

test_that("prediction intervals invert the mixture of normals", {
  out <- predict(fit, new, interval = "prediction", level = 0.9)
  centre <- predict(fit, new, type = "draws")
  sigma <- fit$diagnostics$sigma
  for (i in 1:3) {
    expect_equal(mean(pnorm(out[i, "lwr"], centre[, i], sigma)), 0.05, tolerance = 1e-8)
    expect_equal(mean(pnorm(out[i, "upr"], centre[, i], sigma)), 0.95, tolerance = 1e-8)
  }
})

test_that("a mixture without spread is handled", {
  mixture_quantile <- function(p, centre, sigma) {
    draw_limits(t(centre), diag(nrow(centre)), FALSE, interval_question("prediction", c(p, p), sigma))[, 1L]
  }
  expect_equal(mixture_quantile(0.3, matrix(c(1, 2, 3), 3, 4), rep(0, 4)), c(1, 2, 3))
  expect_equal(mixture_quantile(0.3, matrix(c(1, 2, 3, 3), 1), rep(0, 4)), 2)
  expect_equal(mixture_quantile(0.975, matrix(0, 2, 4), rep(2, 4)), rep(2 * qnorm(0.975), 2))
  # Two far components: the median lies anywhere between, the quartiles in them.
  expect_equal(mixture_quantile(0.25, matrix(c(-100, 100), 1), c(1, 1)), -100, tolerance = 1e-9)
  expect_equal(mixture_quantile(0.75, matrix(c(-100, 100), 1), c(1, 1)), 100, tolerance = 1e-9)
})

test_that("rows in blocks are the rows at once", {
  whole <- predict(fit, diabetes, interval = "credible")
  parts <- lapply(split(diabetes, rep(1:2, c(200, 242))), predict, object = fit, interval = "credible")
  expect_equal(whole, do.call(rbind, unname(parts)))
  # More numbers than a block has.
  many <- diabetes[rep(1:442, 100), ]
  expect_equal(predict(fit, many, interval = "credible")[44200, ], whole[442, ])
})

test_that("a path gives a column for each lambda", {
  path <- quick(y ~ ., diabetes, lambda = c(200, 50))
  expect_identical(dim(predict(path, new)), c(3L, 2L))
  expect_equal(predict(path, new, lambda = 50), predict(path, new)[, "50"])
  bands <- predict(path, new, interval = "credible")
  expect_identical(bands[, , "50"], predict(path, new, interval = "credible", lambda = 50))
  expect_identical(predict(path, new, type = "draws")[, , "200"], predict(path, new, type = "draws", lambda = 200))
  limits <- predict(path, new, interval = "prediction", lambda = 50)
  single <- predict(quick_diabetes(), new, interval = "prediction")
  expect_equal(limits, single, tolerance = 1e-6)
})

test_that("options are checked", {
  expect_bad(predict(fit, new, type = "class"), "type")
  expect_bad(predict(fit, new, interval = "both"), "interval")
  expect_bad(predict(fit, new, interval = "credible", level = 95), "level")
  expect_bad(predict(fit, new, estimate = "median"), "estimate")
  expect_bad(predict(fit, new, type = "draws", interval = "credible"), "interval")
  old <- options(wbb.max_bytes = 1000)
  on.exit(options(old))
  expect_bad(predict(fit, new, type = "draws"), "newdata", "GB")
})

test_that("prediction intervals cover new data", {
  # 2,000 new rows at level 0.9: 5 standard deviations of the share are 0.034; the
  # estimate from 300 rows and 5 columns adds less than 0.02.
  d <- made_data(2300, 5, seed = 3)
  old <- 1:300
  fit <- quick(d$x[old, ], d$y[old], draws = 200)
  limits <- predict(fit, d$x[-old, ], interval = "prediction", level = 0.9)
  inside <- mean(d$y[-old] > limits[, "lwr"] & d$y[-old] < limits[, "upr"])
  expect_lt(abs(inside - 0.9), 0.054)
})

test_that("prediction intervals cover new rows of small data, too", {
  # A new response is N(x'b, 1), so that the coverage of a row is known without simulating it: what varies is
  # the mean over the rows of a data set, between data sets. Near nominal is within 0.02; beyond that,
  # 4 standard errors of the mean of 150 data sets are a false alarm in 16,000 for each case.
  coverage <- function(n, p, seed) {
    d <- made_data(n + 40, p, seed)
    old <- seq_len(n)
    fit <- quick(d$x[old, ], d$y[old], lambda = 1, draws = 200, seed = seed)
    limits <- predict(fit, d$x[-old, ], interval = "prediction")
    mean <- drop(d$x[-old, 1:2] %*% c(2, -1))
    mean(pnorm(limits[, "upr"] - mean) - pnorm(limits[, "lwr"] - mean))
  }
  for (case in list(c(30, 10), c(60, 20), c(100, 5))) {
    covered <- vapply(1:150, function(seed) coverage(case[1], case[2], seed), 0)
    error <- sd(covered) / sqrt(150)
    expect_lt(abs(mean(covered) - 0.95), 0.02 + 4 * error, label = paste("coverage", signif(mean(covered), 3), "at n, p", toString(case)))
  }
})
