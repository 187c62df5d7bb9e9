small <- wbb_lasso(y ~ bmi + map + ltg + age, diabetes[1:60, ], lambda = 100, draws = 200, seed = 1, threads = 1)
checked <- calibrate(small, replicates = 60, truth = "mode", seed = 1, threads = 1)
drawn <- calibrate(small, replicates = 60, seed = 1, threads = 1)

test_that("u is uniform where the intervals are exact", {
  # Many rows, no penalty: the bootstrap is exact but for O(1/n). A distance above sqrt(log(2/e) / 2R) has a chance
  # below e (Dvoretzky, Kiefer and Wolfowitz; Massart 1990), here 1e-6; 200 draws add half a step of their quantiles.
  skip_on_cran()
  set.seed(1)
  x <- matrix(rnorm(1000), ncol = 1)
  fit <- wbb_lasso(x, x[, 1] + rnorm(1000), lambda = 0, draws = 200, seed = 1, threads = 2)
  replicates <- 400
  u <- sort(calibrate(fit, replicates, seed = 1, threads = 2)$u[, 2])
  distance <- max(abs(u - (seq_along(u) - 0.5) / replicates))
  expect_lt(distance, sqrt(log(2 / 1e-6) / (2 * replicates)) + 1 / 200)
})

test_that("levels say at which level an interval contains the truth", {
  first <- c(0.4, 0, 1, 0.1, 0.3)
  last <- c(0.4, 0, 1, 0.6, 0.3)
  expect_equal(entry_levels(first, last), c(0.2, 1, 1, 0, 0.4))
  # Those of the replicates as confint() sees them: type-7 quantiles, closed intervals.
  draws <- cbind(b = c(-1, 0, 0, 0, 2, 3, 7))
  for (truth in c(-1, -0.5, 0, 1, 2.9, 7)) {
    at <- c(mean(draws < truth), mean(draws <= truth))
    inner <- stats::approx(sort(unique(draws)), c(0, 1, 4, 5, 6) / 6, truth, ties = "ordered")$y
    first <- if (truth == 0) 1 / 6 else inner
    last <- if (truth == 0) 3 / 6 else inner
    u <- entry_levels(first, last)
    inside <- function(level) {
      limits <- credible_limits(draws, level)
      limits[1] <= truth + 1e-12 && truth - 1e-12 <= limits[2]
    }
    if (u > 1e-9) expect_false(inside(u - 1e-6))
    if (u < 1) expect_true(inside(max(u, 1e-9)))
  }
})

test_that("the table says what the replicates did", {
  table <- as.data.frame(checked)
  expect_identical(table$term, names(coef(small)))
  expect_identical(table$truth, unname(coef(small)))
  expect_equal(table$coverage, unname(colMeans(checked$u <= 0.95)))
  expect_identical(dim(checked$u), c(60L, 5L))
  # The level of the calibrated intervals covers in at least that share of the replicates.
  expect_true(all(colMeans(checked$u <= rep(table$level, each = 60)) >= 0.95))
  expect_true(all(table$coverage_se > 0 & table$level_se >= 0))
  other <- summary(checked, level = c(0.5, 0.9))$table
  expect_identical(nrow(other), 10L)
  expect_equal(other$coverage[other$nominal == 0.9], unname(colMeans(checked$u <= 0.9)))
})

test_that("intervals of a level are those of the fit there, never narrower unless asked for", {
  of_level <- function(...) suppressWarnings(confint(checked, ..., type = "level"))
  limits <- of_level()
  expect_identical(dimnames(limits), dimnames(confint(small)))
  for (term in rownames(limits)) {
    level <- max(0.95, checked$table$level[checked$table$term == term])
    if (level < 1) expect_equal(limits[term, ], confint(small, term, level)[1, ], ignore_attr = TRUE)
  }
  plain <- confint(small)
  expect_true(all(limits[, 1] <= plain[, 1] & limits[, 2] >= plain[, 2]))
  width <- function(limits) limits[, 2] - limits[, 1]
  expect_true(all(width(of_level(c("bmi", "age"), 0.8, narrow = TRUE)) <= width(of_level(c("bmi", "age"), 0.8))))
})

test_that("studentised intervals hold what their quantiles of the replicates say", {
  limits <- confint(checked, level = 0.8, narrow = TRUE)
  wide <- confint(checked, level = 0.8)
  plain <- confint(small, level = 0.8)
  expect_equal(unname(wide), unname(cbind(pmin(limits[, 1], plain[, 1]), pmax(limits[, 2], plain[, 2]))))
  draws <- as.matrix(small)
  for (j in seq_len(ncol(draws))) {
    t <- (limits[j, ] - mean(draws[, j])) / sd(draws[, j])
    expect_equal(unname(t), quantile(checked$root[, j], c(0.1, 0.9), type = 6, names = FALSE))
    expect_gte(mean(checked$root[, j] >= t[1] & checked$root[, j] <= t[2]), 0.75)
  }
  expect_identical(confint(checked, 2), confint(checked, "bmi"))
  expect_error(confint(checked, "nobody"), class = "wbb_error_argument")
  expect_error(confint(checked, level = 1), class = "wbb_error_argument")
  expect_error(confint(checked, type = "t"), class = "wbb_error_argument")
})

test_that("lines are those of a probit regression, and their intervals those of the truths that are not refuted", {
  set.seed(1)
  truths <- cbind(a = rnorm(300, 2), b = rnorm(300))
  below <- cbind(runif(300) < pnorm(3 - 1.5 * truths[, 1]), runif(300) < pnorm(0.5 - truths[, 2]))
  lines <- probit_lines(truths, below)
  for (j in 1:2) {
    by_glm <- stats::glm(below[, j] ~ truths[, j], family = stats::binomial("probit"))
    expect_equal(unname(lines[, j] * c(1, -1)), unname(coef(by_glm)), tolerance = 1e-3)
  }
  # A mean that is a monotone function of truth + N(0, 1), whatever the function: the interval is that of a z test.
  # Of 4,000 replicates a line has an error of some 0.04.
  truth <- cbind(rnorm(4000))
  mean <- pmax(truth + rnorm(4000) - 1, 0)^3
  expect_equal(unname(inverted_limits(truth, mean, (1.5 - 1)^3, 0.95, Inf)[, 1]), 1.5 + c(-1, 1) * qnorm(0.975), tolerance = 0.1)
  # Where the penalty hides it, a mean of zero says that the truth is not large, and nothing else.
  hidden <- inverted_limits(truth, mean, 0, 0.95, Inf)
  expect_identical(unname(hidden[1, 1]), -Inf)
  expect_equal(unname(hidden[2, 1]), 1 + qnorm(0.975), tolerance = 0.1)
  # Those of replicates, by the other half of them: nearly standard normal.
  score <- inversion_scores(truth, (truth + rnorm(4000))^3)
  expect_lt(abs(mean(abs(score) < 1.96) - 0.95), 0.02)
})

test_that("intervals of few replicates are judged by those of nearly as many", {
  # 2,000 columns of 30 roots: a standard error of 0.001. Half of them would make limits whose coverage is 14 in 16.
  root <- with_seed(2, matrix(rnorm(60000), 30))
  expect_gt(mean(studentized_after(root, 0 * root + 2, 0.95)), 0.92)
  truths <- root
  score <- inversion_scores(truths[, 1:300], with_seed(4, truths[, 1:300] + rnorm(9000)))
  expect_gt(mean(abs(score) < 1.96), 0.85)
  parts <- judged_parts(30)
  expect_identical(sort(unlist(parts, use.names = FALSE)), 1:30)
  expect_lte(max(lengths(parts)), 3)
  expect_length(judged_parts(500), 2)
})

test_that("the Monte Carlo error of replicates with few draws does not widen intervals", {
  with_seed(3, {
    truth <- matrix(rnorm(4000), 2000, 2, dimnames = list(NULL, c("a", "b")))
    exact <- truth + rnorm(4000)
    # Means of 25 draws whose standard deviation is 5, as noisy as the errors are.
    mean <- exact + rnorm(4000)
    own <- matrix(rnorm(2e5, sd = 5), ncol = 2L)
  })
  narrower <- own_spread(truth, 1:2, mean, (truth - mean) / 5, 25, own)
  expect_equal(unname(narrower), rep(sqrt(1 / 2), 2), tolerance = 0.05)
  limits <- inverted_limits(truth, mean, c(0, 0), 0.95, Inf, narrower)
  expect_equal(unname(limits), matrix(c(-1, 1) * qnorm(0.975), 2, 2), tolerance = 0.1)
  # A fit with no more draws than its replicates has as much of it.
  expect_equal(unname(own_spread(truth, 1:2, mean, (truth - mean) / 5, 25, own[1:25, ])), c(1, 1), tolerance = 0.01)
  # Draws that are all equal have none.
  expect_equal(unname(own_spread(truth, 1:2, exact, (truth - exact) / 0, 25, own)), c(1, 1), tolerance = 0.01)
})

test_that("the truths of other coefficients do not widen intervals", {
  with_seed(4, {
    truth <- matrix(rnorm(6000), 2000, 3, dimnames = list(NULL, c("a", "b", "c")))
    # The mean of a answers for b: by twice the variance of its errors. That of c is its own.
    mean <- cbind(truth[, 1] + sqrt(2) * truth[, 2], truth[, 2], truth[, 3]) + rnorm(6000)
  })
  mean[7, ] <- NA
  spread <- function(truth, at) unname(own_spread(truth, at, mean[seq_len(nrow(truth)), at, drop = FALSE], NA, 50, matrix(0, 50, length(at))))
  expect_equal(spread(truth, 1:3), c(sqrt(1 / 3), 1, 1), tolerance = 0.05)
  expect_equal(spread(truth, 1L), spread(truth, 1:3)[1])
  # Too few replicates to tell.
  expect_identical(spread(truth[1:6, ], 1:2), c(1, 1))
})

test_that("truths of least squares have the law of its estimate", {
  # Few rows a column, columns of very different scales, a constant one; and the same sparse.
  with_seed(5, {
    x <- matrix(rnorm(24 * 12), 24) %*% chol(0.5^abs(outer(1:12, 1:12, "-"))) %*% diag(10^seq(-3, 3, length.out = 12))
    x[, 3] <- 7
    w <- sample(1:3, 24, TRUE)
    y <- drop(x[, 1] * 1e3 + 5 + rnorm(24))
  })
  for (data in list(x, Matrix::Matrix(x, sparse = TRUE))) for (intercept in c(TRUE, FALSE)) {
    moves <- if (intercept) setdiff(1:12, 3) else 1:12
    fit <- wbb_lasso(data, y, lambda = 5, case_weights = w, draws = 20, seed = 1, intercept = intercept)
    found <- plausible_truths(fit, own_columns(fit), 3000, 1, 1)
    centred <- if (intercept) x - rep(colSums(w * x) / sum(w), each = 24) else x
    gram <- crossprod(sqrt(w) * centred)[moves, moves]
    exact <- found$sigma^2 * solve(gram + 0.1 * diag(diag(gram)) / sum(w))
    slopes <- found$draws[, intercept + moves]
    # Means and variances of 3,000 truths at 5 standard errors: false alarms of 2e-5 in all.
    z <- (colMeans(slopes) - found$mode[intercept + moves]) / sqrt(diag(exact) / 3000)
    expect_lt(max(abs(z)), 5)
    expect_lt(max(abs(apply(slopes, 2, var) / diag(exact) - 1)), 5 * sqrt(2 / 3000))
    whitened <- cov(slopes %*% t(solve(t(chol(exact)))))
    expect_lt(max(abs(whitened - diag(length(moves)))), 6 / sqrt(3000))
    if (intercept) {
      # The fitted mean is apart from the slopes.
      middle <- drop(found$draws %*% c(1, colSums(w * x) / sum(w)))
      expect_lt(abs(var(middle) * sum(w) / found$sigma^2 - 1), 5 * sqrt(2 / 3000))
      expect_lt(max(abs(cor(middle, slopes))), 5 / sqrt(3000))
      expect_identical(unname(found$draws[, 4]), rep(0, 3000))
    }
  }
})

test_that("intervals of drawn truths are inverted tests", {
  limits <- confint(drawn)
  expect_identical(limits, confint(drawn, type = "inverted"))
  expect_identical(dimnames(limits), dimnames(confint(small)))
  for (j in 1:5) {
    own <- mean(as.matrix(small)[, j])
    line <- probit_lines(drawn$truths[, j, drop = FALSE], drawn$mean[, j, drop = FALSE] < own)
    spread <- own_spread(drawn$truths, j, drawn$mean[, j, drop = FALSE], drawn$root[, j, drop = FALSE], drawn$draws, as.matrix(small)[, j, drop = FALSE])
    expect_equal(unname(line["a", ] - line["b", ] * limits[j, ]), unname(c(1, -1) * spread * qt(0.975, drawn$df)))
  }
  expect_true(drawn$df > 50 && drawn$df < 60)
  expect_error(confint(checked, type = "inverted"), class = "wbb_error_argument")
  # From halves of 30 replicates.
  expect_gt(mean(drawn$table$after), 0.75)
})

test_that("where no level covers, a warning says so", {
  # Unit weights and a fixed penalty: all draws are the mode, which is not the truth.
  fit <- update(small, weights = "ones", prior_weight = "fixed", draws = 5)
  same <- calibrate(fit, replicates = 10, truth = "mode", seed = 1, threads = 1)
  expect_identical(unname(same$u[, "bmi"]), rep(1, 10))
  expect_identical(same$table$coverage[2], 0)
  expect_warning(confint(same, "bmi"), class = "wbb_warning_level")
  expect_warning(limits <- confint(same, "bmi", type = "level"), class = "wbb_warning_level")
  expect_identical(unname(limits[1, ]), range(as.matrix(fit)[, "bmi"]))
})

test_that("a replicate depends on seed and number, not on threads", {
  again <- calibrate(small, replicates = 10, truth = "mode", seed = 1, threads = 2)
  expect_identical(again$u, checked$u[1:10, ])
  again <- calibrate(small, replicates = 10, seed = 1, threads = 2)
  expect_identical(again$mean, drawn$mean[1:10, ])
  expect_identical(again$truths, drawn$truths[1:10, ])
  set.seed(3)
  one <- calibrate(small, replicates = 3, threads = 1)
  set.seed(3)
  expect_identical(calibrate(small, replicates = 3, threads = 1)$u, one$u)
  before <- .Random.seed
  calibrate(small, replicates = 2, seed = 1, threads = 1)
  expect_identical(.Random.seed, before)
})

test_that("units of the data and of the response do not matter", {
  scaled <- transform(diabetes[1:60, ], y = 1000 * y, bmi = bmi / 7)
  fit <- wbb_lasso(y ~ bmi + map + ltg + age, scaled, lambda = 100 * 1000, draws = 200, seed = 1, threads = 1)
  shifted <- update(small, y + 100 * age ~ ., offset = 100 * age)
  expect_equal(calibrate(shifted, replicates = 15, seed = 1, threads = 1)$u, drawn$u[1:15, ], tolerance = 1e-4)
  expect_equal(calibrate(fit, replicates = 15, seed = 1, threads = 1)$u, drawn$u[1:15, ], tolerance = 1e-4)
})

test_that("every scheme runs, for sparse x, clusters, refits, trends and lambdas chosen anew", {
  fine <- function(cal) {
    expect_s3_class(cal, "wbb_calibration")
    expect_true(all(cal$u >= 0 & cal$u <= 1))
    expect_false(any(is.na(cal$table)))
  }
  for (scheme in c("parametric", "residual", "pairs")) {
    fine(calibrate(small, 6, scheme = scheme, truth = "mean", seed = 1, threads = 1))
  }
  x <- Matrix::Matrix(as.matrix(diabetes[1:60, c("bmi", "sex", "map")]), sparse = TRUE)
  sparse <- wbb_lasso(x, diabetes$y[1:60], draws = 40, refit = TRUE, nfolds = 4, nlambda = 15, seed = 1, threads = 1,
    cluster = rep(1:20, 3))
  fine(chosen <- calibrate(sparse, 6, scheme = "pairs", lambda = "rechosen", seed = 1, threads = 1))
  expect_gt(length(unique(chosen$lambda)), 1)
  trend <- wbb_trendfilter(sin(1:50 / 8), order = 1, lambda = 0.1, draws = 40, seed = 1, threads = 1)
  fine(of_trend <- calibrate(trend, 6, seed = 1, threads = 1))
  expect_output(print(of_trend), "mean over 50")
  expect_identical(dim(suppressWarnings(confint(of_trend))), c(50L, 2L))
  formula <- wbb_lasso(y ~ factor(sex) * bmi, diabetes[1:60, ], lambda = 50, draws = 40, seed = 1, threads = 1)
  fine(calibrate(formula, 6, seed = 1, threads = 1))
})

test_that("every family is simulated and calibrated", {
  lung <- na.omit(survival::lung[1:90, c("time", "status", "age", "sex", "ph.ecog")])
  fits <- list(
    wbb_lasso(am ~ wt + hp, mtcars, family = "binomial", lambda = 1, draws = 40, seed = 1, threads = 1),
    wbb_lasso(cbind(ncases, ncontrols) ~ unclass(agegp), esoph, family = "binomial", lambda = 1, draws = 40, seed = 1, threads = 1),
    wbb_lasso(carb ~ wt + hp, mtcars, family = "poisson", lambda = 1, draws = 40, seed = 1, threads = 1, offset = rep(0.1, 32)),
    wbb_lasso(Species ~ Sepal.Length + Petal.Width, iris, family = "multinomial", lambda = 2, draws = 40, seed = 1, threads = 1),
    wbb_lasso(survival::Surv(time, status) ~ ., lung, family = "cox", lambda = 2, draws = 40, seed = 1, threads = 1)
  )
  for (fit in fits) {
    for (scheme in c("parametric", "pairs")) {
      cal <- suppressWarnings(calibrate(fit, 12, scheme = scheme, seed = 1, threads = 1))
      expect_identical(cal$table$term, colnames(as.matrix(fit)))
      expect_true(all(cal$u >= 0 & cal$u <= 1, na.rm = TRUE))
      expect_identical(dim(suppressWarnings(confint(cal))), c(ncol(as.matrix(fit)), 2L))
    }
    expect_error(calibrate(fit, 6, scheme = "residual"), "parametric", class = "wbb_error_argument")
    expect_error(calibrate(fit, 6, scheme = "pairs", truth = "drawn"), "pairs", class = "wbb_error_argument")
  }
  chosen <- suppressWarnings(calibrate(update(fits[[3]], lambda = "cv", refit = TRUE, nlambda = 12, nfolds = 4), 8, lambda = "rechosen", seed = 1, threads = 1))
  expect_gt(length(unique(chosen$lambda)), 1)
})

test_that("intervals of a logistic lasso cover truths that they have not seen", {
  # 25 data sets with two coefficients that are not zero: 50 intervals, a standard error of 0.03. Plain ones cover about 0.4.
  skip_on_cran()
  truth <- c(1, -0.7, 0, 0)
  covered <- vapply(1:25, function(seed) {
    set.seed(seed)
    x <- matrix(rnorm(80 * 4), 80)
    fit <- wbb_lasso(x, rbinom(80, 1, plogis(drop(x %*% truth))), lambda = 6, prior_weight = "fixed", draws = 150, seed = seed,
      family = "binomial", threads = 2)
    inside <- function(limits) (limits[-1, 1] <= truth & truth <= limits[-1, 2])[1:2]
    c(mean(inside(confint(fit))), mean(inside(suppressWarnings(confint(calibrate(fit, 80, draws = 60, seed = 1, threads = 2))))))
  }, c(0, 0))
  expect_lt(mean(covered[1, ]), 0.8)
  expect_gt(mean(covered[2, ]), 0.85)
})

test_that("wrong arguments are named", {
  wrong <- function(..., argument, fit = small) {
    error <- expect_error(calibrate(fit, ...), class = "wbb_error_argument")
    expect_identical(error$argument, argument)
  }
  wrong(replicates = 1, argument = "replicates")
  wrong(replicates = NA, argument = "replicates")
  wrong(level = 95, argument = "level")
  wrong(truth = "median", argument = "truth")
  wrong(scheme = "wild", argument = "scheme")
  wrong(lambda = 3, argument = "lambda")
  wrong(lambda = "rechosen", argument = "lambda")
  wrong(draws = 0, argument = "draws")
  wrong(seed = "a", argument = "seed")
  wrong(threads = 0, argument = "threads")
  wrong(progress = "yes", argument = "progress")
  wrong(reps = 3, argument = "reps")
  wrong(replicates = 1e9, argument = "replicates")
  wrong(fit = update(small, keep_data = FALSE), argument = "keep_data")
  wrong(fit = update(small, lambda = c(10, 20)), argument = "fit")
  wrong(fit = update(small, cluster = rep(1:30, 2)), argument = "scheme")
  wrong(fit = lm(y ~ bmi, diabetes), argument = "fit")
  perfect <- wbb_lasso(cbind(1:4, c(1, 3, 2, 9)), 1:4, lambda = 0, draws = 3, seed = 1, threads = 1)
  expect_error(calibrate(perfect, 3), class = "wbb_error_argument")
  trend <- wbb_trendfilter(c(1, 3, 2, 5, 4), order = 0, lambda = 0.1, draws = 4, seed = 1, threads = 1)
  wrong(fit = trend, scheme = "pairs", argument = "scheme")
})

test_that("it prints, tidies and draws itself", {
  expect_output(print(checked), "Coverage of 95 % intervals")
  expect_output(print(summary(checked, level = 0.9)), "90 % intervals")
  for (shown in list(small, summary(small), checked, summary(checked))) {
    expect_error(print(shown, digits = -1e300), class = "wbb_error_argument")
  }
  tidied <- suppressWarnings(generics::tidy(checked))
  expect_named(tidied, c("term", "estimate", "conf.low", "conf.high", "coverage", "coverage.se", "calibrated.level"))
  data <- on_device(plot(checked, pars = c("bmi", "map")))
  expect_identical(unique(data$name), c("bmi", "map"))
  expect_identical(unique(on_device(plot(checked, n = 2))$name), "mean over 4")
  at <- data$name == "bmi" & abs(data$level - 0.95) < 1e-9
  expect_equal(data$before[at], checked$table$coverage[2])
  expect_error(on_device(plot(checked, pars = "x")), class = "wbb_error_argument")
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(checked), "ggplot")
})

test_that("calibrated intervals cover truths that they have not seen", {
  # 40 data sets with n = 30 and four coefficients that are not zero: 160 intervals. Plain ones cover about 0.75,
  # calibrated ones about 0.95, each with a standard error of 0.035 at most: the bounds are 3 of them away.
  skip_on_cran()
  truth <- c(1, -0.8, 0.7, 0.5, 0, 0)
  covered <- vapply(1:40, function(seed) {
    set.seed(seed)
    x <- matrix(rnorm(30 * 6), 30)
    fit <- wbb_lasso(x, drop(x %*% truth) + rnorm(30), lambda = 2, prior_weight = "fixed", draws = 200, seed = seed, threads = 2)
    inside <- function(limits) (limits[-1, 1] <= truth & truth <= limits[-1, 2])[1:4]
    c(mean(inside(confint(fit))), mean(inside(confint(calibrate(fit, 60, seed = 1, threads = 2)))))
  }, c(0, 0))
  expect_gt(mean(covered[2, ]), mean(covered[1, ]) + 0.05)
  expect_gt(mean(covered[2, ]), 0.88)
  expect_lt(mean(covered[1, ]), 0.88)
})
