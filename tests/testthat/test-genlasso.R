test_that("a trend filter is a special case", {
  y <- paper_series(60)
  for (order in 0:2) {
    d <- difference_matrix(1:60, order)
    a <- wbb_genlasso(y, D = d, lambda = 5, draws = 5, seed = 1, threads = 1)
    b <- quick_trend(y, order = order, lambda = 5, draws = 5)
    # A gap of 1e-6 bounds the distance by its root.
    expect_equal(as.matrix(a), as.matrix(b), tolerance = 2e-3, ignore_attr = TRUE)
    expect_equal(a$diagnostics$objective, b$diagnostics$objective, tolerance = 1e-6)
    expect_lte(max(a$diagnostics$gap), 1e-6)
  }
})

test_that("with the identity as penalty it is the lasso", {
  data <- made_data()
  a <- wbb_genlasso(data$y, data$x, diag(5), lambda = 10, draws = 5, seed = 1, threads = 1)
  b <- wbb_lasso(data$x, data$y, lambda = 10, draws = 5, seed = 1, intercept = FALSE, standardize = FALSE, threads = 1)
  expect_equal(as.matrix(a), as.matrix(b), tolerance = 1e-3)
  expect_equal(fitted(a), fitted(b), tolerance = 1e-3)
  expect_identical(names(coef(a)), colnames(data$x))
})

test_that("its fits answer the methods", {
  d <- Matrix::sparseMatrix(rep(1:3, 2), c(1:3, 2:4), x = rep(c(-1, 1), each = 3))
  fit <- wbb_genlasso(c(a = 1, b = 2, c = 5, d = 6), D = d, lambda = c(0, 1, 100), draws = 10, seed = 1, threads = 1)
  expect_equal(unname(coef(fit)[, 1]), c(1, 2, 5, 6), tolerance = 1e-4)
  expect_equal(unname(coef(fit)[, 3]), rep(3.5, 4), tolerance = 1e-3)
  expect_output(print(fit), "generalised lasso with 3 penalised\\s+differences")
  expect_output(print(summary(fit)), "lambda = 100")
  expect_identical(dim(weights(wbb_genlasso(1:4, D = d, lambda = 1, draws = 2, prior_weight = "coef"))), c(2L, 7L))
  whole <- wbb_genlasso(1:4, D = d, lambda = 1, draws = 6, seed = 2)
  parts <- c(update(whole, draws = 2), update(whole, draws = 4, first_draw = 3))
  expect_identical(as.matrix(parts), as.matrix(whole))
  skip_if_not_installed("generics")
  expect_identical(nrow(generics::glance(fit)), 3L)
})

test_that("bad input names its argument", {
  expect_bad(wbb_genlasso(D = diag(3), lambda = 1), "y")
  expect_bad(wbb_genlasso(1:3, lambda = 1), "D")
  expect_bad(wbb_genlasso(1:3, D = "a", lambda = 1), "D")
  expect_bad(wbb_genlasso(1:3, D = diag(4), lambda = 1), "D", "has 4")
  expect_bad(wbb_genlasso(1:3, X = diag(4), D = diag(4), lambda = 1), "y")
  expect_bad(wbb_genlasso(1:3, D = diag(3), lambda = "best"), "lambda")
  expect_bad(wbb_genlasso(y ~ bmi, diabetes, lambda = 1), "D")
  expect_bad(wbb_genlasso(y ~ bmi, diabetes, D = diag(2), lambda = 1), "D", "has 2")
  expect_bad(wbb_genlasso(1:3, D = diag(c(1, NA, 1)), lambda = 1), "D")
  expect_bad(wbb_genlasso(1:3, D = diag(3), lambda = 1, order = 2), "order")
})

test_that("no draw is worse than nothing, with more columns than rows and any lambda", {
  data <- with_seed(1, list(x = matrix(rnorm(20 * 50), 20), y = rnorm(20)))
  for (d in list(diag(50), diff(diag(50)), diff(diag(50), differences = 2))) {
    lambda <- 10^seq(-6, 12, 3)
    fit <- wbb_genlasso(data$y, data$x, d, lambda = lambda, draws = 5, seed = 1, threads = 1)
    expect_true(all(fit$diagnostics$status == "converged"))
    expect_lte(max(fit$diagnostics$gap), 1e-6)
    w <- unname(weights(fit))
    for (l in seq_along(lambda)) {
      b <- fit$draws[, , l]
      loss <- rowSums(w[, 1:20] * (rep(data$y, each = 5) - tcrossprod(b, data$x))^2) / 2
      objective <- loss + lambda[l] * w[, 21] * rowSums(abs(tcrossprod(b, d)))
      expect_true(all(objective <= rowSums(w[, 1:20] * rep(data$y^2, each = 5)) / 2 * (1 + 1e-6)))
      # At 1e12 the rounding of the differences alone costs some thousandths.
      reported <- matrix(fit$diagnostics$objective, 5)[, l]
      expect_lte(max(abs(objective / reported - 1)), if (lambda[l] > 1e9) 1e-2 else 1e-5)
    }
  }
})

test_that("columns and rows may repeat or vanish, and units do not matter", {
  data <- made_data()
  x <- cbind(data$x, data$x[, 1], 0)
  d <- rbind(diff(diag(7)), diff(diag(7))[1:2, ], 0)
  fit <- function(y, lambda, ...) wbb_genlasso(y, x, d, lambda = lambda, draws = 5, seed = 1, threads = 1, ...)
  one <- fit(data$y, 5)
  expect_true(all(one$diagnostics$status == "converged"))
  tiny <- fit(data$y * 2^-600, 5 * 2^-600)
  expect_identical(tiny$draws * 2^600, one$draws)
  expect_identical(tiny$diagnostics$gap, one$diagnostics$gap)
  expect_true(all(fit(data$y, 5, weights = "multinomial")$diagnostics$status == "converged"))
  # Objectives beyond 1e308 cannot be certified; the coefficients are right all the same.
  expect_warning(huge <- fit(data$y * 2^600, 5 * 2^600), "did not reach")
  expect_identical(huge$draws * 2^-600, one$draws)
  alone <- wbb_genlasso(3, D = matrix(1), lambda = c(0, 1, 9), draws = 3, seed = 1, weights = "ones", prior_weight = "fixed")
  expect_equal(unname(drop(coef(alone))), c(3, 2, 0), tolerance = 1e-5)
  expect_true(all(alone$diagnostics$status == "converged"))
})

# Exact zeros, cross-validation, formulas, pictures --------------------------------------

grid_differences <- function(side) {
  at <- matrix(seq_len(side^2), side)
  edges <- rbind(cbind(c(at[-side, ]), c(at[-1, ])), cbind(c(at[, -side]), c(at[, -1])))
  Matrix::sparseMatrix(rep(seq_len(nrow(edges)), 2), c(edges), x = rep(c(-1, 1), each = nrow(edges)))
}

test_that("differences that vanish are exactly zero, in any units", {
  d <- grid_differences(6)
  y <- with_seed(1, rep(c(0, 3), each = 18) + rnorm(36))
  for (unit in c(1, 1e5, 1 / 7)) {
    fit <- wbb_genlasso(y * unit, D = d, lambda = 1 * unit, draws = 20, seed = 1, threads = 1)
    jumps <- as.matrix(as.matrix(fit) %*% Matrix::t(d)) / unit
    # Nothing is nearly zero.
    expect_true(all(jumps == 0 | abs(jumps) > 1e-5))
    expect_gt(mean(jumps == 0), 0.5)
    expect_true(all(fit$diagnostics$gap < 1e-6))
  }
  # A lasso is a generalised one with D = 1: the same zeros.
  data <- made_data(40, 6)
  a <- wbb_genlasso(data$y, data$x, diag(6), lambda = 20, draws = 20, seed = 1, threads = 1)
  b <- wbb_lasso(data$x, data$y, lambda = 20, intercept = FALSE, standardize = FALSE, draws = 20, seed = 1, threads = 1)
  expect_gt(mean((as.matrix(a) == 0) == (as.matrix(b) == 0)), 0.95)
  expect_gt(sum(as.matrix(a) == 0), 20)
})

test_that("cross-validation finds the lambda of a step, and held-out rows do not see themselves", {
  y <- with_seed(3, rep(c(0, 3, 1), each = 30) + rnorm(90))
  d <- diff(diag(90))
  fit <- wbb_genlasso(y, D = d, draws = 5, seed = 1, threads = 1)
  expect_identical(fit$lambda_from, "cv")
  at <- match(fit$lambda, fit$cv$curve$lambda)
  expect_true(at > 1 && at < nrow(fit$cv$curve))
  trend <- wbb_trendfilter(y, order = 0, lambda = fit$lambda, draws = 1, seed = 1, threads = 1)
  expect_equal(unname(coef(fit)), unname(coef(trend)), tolerance = 1e-4)
  # At the largest lambda nearly all differences vanish: the mean of the others.
  fold <- fit$cv$foldid
  error <- vapply(1:10, function(k) sum((y[fold == k] - mean(y[fold != k]))^2), 0)
  expect_equal(fit$cv$curve$mean[1], sum(error) / 90, tolerance = 0.02)
  # Any response of the held-out rows gives the same predictions, hence errors as large as they should be.
  far <- wbb_genlasso(replace(y, 45, 1000), D = d, draws = 1, seed = 1, threads = 1, foldid = fold, lambda_min_ratio = 1e-6)
  expect_true(all(far$cv$curve$mean > (1000 - 10)^2 / 90 * 0.9))
})

test_that("a formula has an intercept that is not penalised, and predicts", {
  d <- rbind(c(1, 0, 0), c(0, 1, 0), c(0, 0, 1))
  fit <- wbb_genlasso(y ~ bmi + map + ltg, diabetes, D = d, lambda = 1e4, draws = 5, seed = 1, threads = 1)
  lasso <- wbb_lasso(y ~ bmi + map + ltg, diabetes, lambda = 1e4, standardize = FALSE, draws = 5, seed = 1, threads = 1)
  expect_equal(coef(fit), coef(lasso), tolerance = 1e-5)
  expect_equal(predict(fit, diabetes[1:3, ]), predict(lasso, diabetes[1:3, ]), tolerance = 1e-5)
  expect_equal(unname(predict(fit)), unname(fitted(fit)))
  none <- wbb_genlasso(y ~ 0 + bmi + map, diabetes, D = diag(2), lambda = 1, draws = 5, seed = 1, threads = 1)
  expect_identical(names(coef(none)), c("bmi", "map"))
})

test_that("columns of D go by the names of the coefficients", {
  d <- diabetes[1:60, ]
  D <- matrix(c(5, 0, 0, 0, 1, -1), 2L, dimnames = list(NULL, c("bmi", "map", "ltg")))
  fit <- function(D) as.matrix(wbb_genlasso(y ~ bmi + map + ltg, d, D = D, lambda = 30, draws = 2, seed = 1))
  own <- fit(unname(D))
  expect_identical(fit(D), own)
  expect_identical(fit(D[, 3:1]), own)
  expect_identical(fit(Matrix::Matrix(D[, c(2, 3, 1)], sparse = TRUE)), own)
  expect_identical(fit(structure(D, dimnames = list(NULL, c("a", "b", "c")))), own)
  expect_bad(fit(structure(D, dimnames = list(NULL, c("bmi", "map", "other")))), "D", "\"bmi\", \"map\" and \"other\"")
  expect_bad(fit(structure(D, dimnames = list(NULL, c("bmi", "map", "map")))), "D", "\"map\" a second time")
})

test_that("signals are drawn where their elements are", {
  y <- with_seed(1, matrix(rnorm(16), 4))
  image <- wbb_genlasso(y, D = grid_differences(4), lambda = 0.5, draws = 10, seed = 1, threads = 1)
  series <- wbb_genlasso(as.vector(y), D = diff(diag(16)), lambda = 0.5, draws = 10, seed = 1, threads = 1)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(image)$type, "image")
  expect_identical(plot(series)$type, "series")
  expect_identical(plot(series)$values$fit, unname(coef(series)))
  expect_identical(plot(image, "interval")$type, "interval")
  expect_identical(plot(series, pars = "b3")$type, "density")
  expect_bad(plot(series, "image"), "type")
  expect_bad(plot(series, "nothing"), "type")
  expect_bad(plot(series, lamda = 1), "lamda")
  path <- update(series, lambda = c(5, 0.1, 1))
  shown <- plot(path)
  expect_identical(shown$lambda, c(0.1, 1, 5))
  for (at in shown$lambda) {
    alone <- plot(path, lambda = at)
    expect_equal(shown$values[shown$values$lambda == at, ], alone$values, ignore_attr = TRUE)
    expect_identical(alone$values$fit, unname(coef(path, lambda = at)))
  }
  # A series of many lambdas has those that can be read, with both ends.
  many <- plot(update(series, lambda = 2^(1:40 / 4), draws = 3))
  expect_length(many$lambda, 12L)
  expect_identical(range(many$lambda), 2^(c(1, 40) / 4))
  expect_match(many$note, "12 of 40 values of lambda")
  expect_identical(plot(path, pars = c("b2", "b3"))$type, "path")
  expect_identical(plot(path, "path")$type, "path")
  images <- update(image, lambda = c(0.5, 2))
  expect_identical(plot(images)$type, "image")
  panels <- image_panels(plot(images))
  expect_identical(panels[[1L]]$limits, panels[[2L]]$limits)
  expect_identical(panels[[2L]]$values, unname(coef(images, lambda = 2)))
  expect_silent(plot(path, xlab = expression(t[i]), main = "Title", sub = "below"))
  skip_if_not_installed("ggplot2")
  layout <- function(picture) nrow(ggplot2::ggplot_build(picture)$layout$layout)
  expect_identical(layout(ggplot2::autoplot(path)), 3L)
  expect_identical(layout(ggplot2::autoplot(path, lambda = 1)), 1L)
  expect_identical(layout(ggplot2::autoplot(images)), 2L)
  expect_s3_class(ggplot2::autoplot(image), "ggplot")
  expect_s3_class(ggplot2::autoplot(series), "ggplot")
})

test_that("pictures of images have the colours of base graphics, and no rounding errors in their titles", {
  skip_if_not_installed("ggplot2")
  expect_identical(image_title("sd", c(2e-12, 5.8)), "sd, 0 to 5.8")
  fit <- wbb_genlasso(matrix(c(1:5, 9), 2), D = diff(diag(6)), lambda = 0.5, draws = 20, seed = 1)
  shown <- ggplot2::autoplot(fit)$data
  grey <- shown$colour[startsWith(as.character(shown$panel), "sd")]
  expect_true(all(grey %in% image_colours("sd")))
})

test_that("panels of series have room for their numbers", {
  grDevices::pdf(NULL, 3.5, 2.5)
  on.exit(grDevices::dev.off())
  graphics::plot.new()
  expect_gt(label_room(c(0, 120000)), label_room(c(0, 1)))
})
