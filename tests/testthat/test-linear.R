d <- made_data()
data <- data.frame(d$x, y = d$y)

test_that("the linear predictor is x'b, dense or sparse, with or without intercept", {
  b <- cbind(c(3, 1:5), c(-1, 5:1))
  expect_equal(linear_predictor(d$x, b, TRUE), unname(cbind(1, d$x) %*% b))
  expect_equal(linear_predictor(d$x, b[-1, ], FALSE), unname(d$x %*% b[-1, ]))
  sparse <- Matrix::Matrix(d$x * (abs(d$x) > 0.8), sparse = TRUE)
  expect_equal(linear_predictor(sparse, b, TRUE), linear_predictor(as.matrix(sparse), b, TRUE))
})

test_that("the lasso and the bridge predict in the same way", {
  lasso <- quick(y ~ x1 + x2, data, draws = 200)
  bridge <- bayes_bridge(y ~ x1 + x2, data, draws = 500, burn = 100, chains = 1, seed = 1, threads = 1)
  for (fit in list(lasso, bridge)) {
    centre <- cbind(1, d$x[1:4, 1:2]) %*% t(as.matrix(fit))
    expect_equal(predict(fit, data[1:4, ], "draws"), t(centre), ignore_attr = TRUE)
    limits <- predict(fit, data[1:4, ], interval = "credible", level = 0.8)
    expect_equal(limits[, "lwr"], apply(centre, 1, quantile, 0.1, names = FALSE), ignore_attr = TRUE)
    upper <- predict(fit, data[1:4, ], interval = "prediction")[, "upr"]
    share <- vapply(1:4, function(i) mean(pnorm(upper[i], centre[i, ], fit$diagnostics$sigma)), 0)
    expect_equal(share, rep(0.975, 4), tolerance = 1e-8)
  }
})

test_that("the generalised lasso predicts, where it has columns", {
  D <- diff(diag(5))
  fit <- wbb_genlasso(d$y, d$x, D, lambda = 1, draws = 50, seed = 1, threads = 1)
  expect_equal(predict(fit, d$x[1:3, 5:1]), drop(d$x[1:3, ] %*% coef(fit)), ignore_attr = TRUE)
  expect_equal(predict(fit), fitted(fit), ignore_attr = TRUE)
  expect_equal(predict(fit, d$x[1:3, ], estimate = "mean"), drop(d$x[1:3, ] %*% coef(fit, "mean")), ignore_attr = TRUE)
  expect_identical(dim(predict(fit, d$x[1:3, ], "draws")), c(50L, 3L))
  wide <- predict(fit, d$x[1:3, ], interval = "prediction")
  narrow <- predict(fit, d$x[1:3, ], interval = "credible")
  expect_true(all(wide[, "upr"] > narrow[, "upr"] & wide[, "lwr"] < narrow[, "lwr"]))
  expect_bad(predict(fit, d$x[, -2]), "newdata", "\"x2\"")
  bare <- wbb_genlasso(d$y, unname(d$x), D, lambda = 1, draws = 2, seed = 1, threads = 1)
  expect_warning(predict(bare, d$x), class = "wbb_warning_names")
  signal <- wbb_genlasso(d$y, D = diff(diag(60)), lambda = 1, draws = 50, seed = 1, threads = 1)
  expect_equal(predict(signal, interval = "credible")[, "lwr"], confint(signal)[, 1], ignore_attr = TRUE)
  expect_bad(predict(signal, d$x), "newdata", "without `X`")
  expect_equal(model.matrix(fit, data = d$x[1:3, 5:1]), d$x[1:3, ])
  expect_bad(model.matrix(signal, data = d$x), "data", "without `X`")
})

test_that("predictions of all draws are padded as the others are", {
  data$x1[c(2, 5)] <- NA
  fit <- quick(y ~ x1 + x2, data, na.action = na.exclude)
  draws <- predict(fit, type = "draws")
  expect_identical(dim(draws), c(20L, 60L))
  expect_identical(colnames(draws), names(predict(fit)))
  expect_identical(which(is.na(draws[1, ])), which(is.na(fitted(fit))))
  expect_equal(draws[, 3], predict(fit, data[3, ], "draws")[, 1])
  trend <- wbb_trendfilter(y ~ x1, data, order = 1, lambda = 5, draws = 4, seed = 1, threads = 1, na.action = na.exclude)
  expect_identical(which(is.na(predict(trend, type = "draws")[1, ])), c(2L, 5L))
  network <- wbb_mlp(y ~ x1, data, hidden = 2, draws = 3, lambda = 1e-4, epochs = 3, seed = 1, threads = 1, na.action = na.exclude)
  expect_identical(unname(which(is.na(predict(network, type = "draws")[1, ]))), c(2L, 5L))
  classes <- wbb_mlp(Species ~ ., replace(iris, 1, replace(iris[[1]], 3, NA)), hidden = 2, draws = 3, lambda = 1e-4, epochs = 3,
    seed = 1, threads = 1, na.action = na.exclude)
  out <- predict(classes, type = "draws")
  expect_identical(dim(out), c(3L, 150L, 3L))
  expect_true(all(is.na(out[, 3, ])) && !anyNA(out[, -3, ]))
})

test_that("degrees of freedom are the sensitivity of the fit to the response", {
  # Sum of d fitted_i / d y_i by differences; the set of selected columns does not change in so small a step.
  # The scale of y, which divides the ridge, is held: both parts of the penalty are those of the data.
  sensitivity <- function(lambda, alpha = 1, ..., intercept = TRUE, case_weights = NULL) {
    scale <- function(y) {
      w <- if (is.null(case_weights)) rep(1, length(y)) else case_weights
      sqrt(sum(w * (y - intercept * sum(w * y) / sum(w))^2) / sum(w))
    }
    fit <- function(y) {
      held <- lambda * (alpha + (1 - alpha) * scale(y) / scale(d$y))
      fitted(quick(..., y = y, lambda = held, alpha = lambda * alpha / held, intercept = intercept,
        case_weights = case_weights, draws = 1, tolerance = 1e-14))
    }
    base <- fit(d$y)
    sum(vapply(seq_along(d$y), function(i) (fit(replace(d$y, i, d$y[i] + 1e-4))[i] - base[i]) / 1e-4, 0))
  }
  check <- function(...) {
    fit <- suppressWarnings(quick(..., y = d$y, draws = 1))
    expect_equal(60 - df.residual(fit), suppressWarnings(sensitivity(...)), tolerance = 1e-4)
    fit
  }
  lasso <- check(x = d$x, lambda = 20)
  expect_identical(df.residual(lasso), 60 - sum(coef(lasso) != 0))
  check(x = d$x, lambda = 20, alpha = 0)
  check(x = d$x, lambda = 30, alpha = 0.5, penalty_factor = c(0, 1, 2, 1, 1))
  check(x = d$x, lambda = 20, alpha = 0, standardize = FALSE)
  check(x = d$x + 2, lambda = 20, alpha = 0, intercept = FALSE)
  check(x = d$x, lambda = 20, alpha = 0, case_weights = rep(c(1, 2, 0.5), 20))
})
