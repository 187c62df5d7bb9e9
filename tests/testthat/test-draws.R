fit <- quick_diabetes()
path <- quick(as.matrix(diabetes[1:10]), diabetes$y, lambda = c(10, 200, 50))

test_that("draws come as matrix and data frame", {
  expect_identical(dim(as.matrix(fit)), c(20L, 11L))
  expect_identical(colnames(as.matrix(fit)), c("(Intercept)", names(diabetes)[1:10]))
  expect_identical(as.matrix(as.data.frame(fit)), as.matrix(fit), ignore_attr = "dimnames")
  expect_identical(names(as.data.frame(fit)), colnames(as.matrix(fit)))
})

test_that("a path gives the draws at one lambda, or at all", {
  expect_identical(path$lambda, c(10, 200, 50))
  wide <- as.matrix(path)
  expect_identical(dim(wide), c(nrow(path$draws), 3L * ncol(path$draws)))
  expect_identical(wide[, "bmi[50]"], as.matrix(path, lambda = 50)[, "bmi"])
  long <- as.data.frame(path)
  expect_identical(names(long), c("lambda", "draw", colnames(path$draws)))
  expect_identical(long$bmi[long$lambda == 200], unname(as.matrix(path, lambda = 200)[, "bmi"]))
  expect_identical(head(path, 3), long[1:3, ])
})

test_that("a lambda is a value as given or printed, or a place", {
  third <- quick(y ~ ., diabetes, lambda = c(10, 100 / 3), draws = 5)
  of <- function(lambda) as.matrix(third, lambda = lambda)
  expect_identical(of(100 / 3), of(2))
  expect_identical(of("33.3333"), of(2))
  expect_identical(of(33.3333), of(2))
  # A value goes before a place.
  ones <- quick(y ~ ., diabetes, lambda = c(2, 1), draws = 5)
  expect_identical(as.matrix(ones, lambda = 1), as.matrix(ones, lambda = "1"))
  expect_false(identical(as.matrix(ones, lambda = 1), as.matrix(ones, lambda = 2)))
  expect_bad(of(3), "lambda", "place from 1 to 2")
  expect_bad(of("x"), "lambda", "10, 33.3333")
  # A fit at one lambda has no other places.
  expect_bad(as.matrix(fit, lambda = 1), "lambda", "50")
  expect_bad(as.matrix(path, lambda = 11), "lambda", "11")
  expect_bad(as.matrix(fit, lambda = 11), "lambda", "50")
  expect_equal(as.matrix(path, lambda = 50), as.matrix(fit), tolerance = 1e-6)
})

test_that("formats of posterior and coda", {
  skip_if_not_installed("posterior")
  expect_s3_class(posterior::as_draws(fit), "draws_matrix")
  expect_s3_class(posterior::as_draws_matrix(fit), "draws_matrix")
  expect_s3_class(posterior::as_draws_array(fit), "draws_array")
  expect_s3_class(posterior::as_draws_df(fit), "draws_df")
  expect_s3_class(posterior::as_draws_list(fit), "draws_list")
  expect_s3_class(posterior::as_draws_rvars(fit), "draws_rvars")
  expect_identical(posterior::variables(posterior::as_draws(path, lambda = 10)), colnames(as.matrix(fit)))
  skip_if_not_installed("coda")
  expect_identical(as.matrix(coda::as.mcmc(fit)), as.matrix(fit), ignore_attr = TRUE)
})

test_that("callers that convert anything to a data frame are served", {
  expect_identical(data.frame(fit), setNames(as.data.frame(fit), make.names(names(as.data.frame(fit)))))
  # As tibble::as_tibble() calls it.
  expect_identical(as.data.frame(fit, stringsAsFactors = FALSE), as.data.frame(fit))
  expect_bad(as.data.frame(fit, stringAsFactor = FALSE), "stringAsFactor")
  expect_identical(row.names(as.data.frame(fit, row.names = letters[1:20])), letters[1:20])
})

test_that("draws that failed are in nothing that is computed from the draws", {
  rows <- c(3, 20)
  broken <- with_failures(fit, rows)
  clean <- without_rows(fit, rows)
  same <- function(method, ...) expect_identical(method(broken, ...), method(clean, ...), ignore_attr = "row.names")
  for (method in list(as.matrix, as.data.frame, vcov, confint)) same(method)
  for (type in c("mean", "median")) same(coef, type)
  same(function(fit) summary(fit)$table)
  same(predict, diabetes[1:3, ], "draws")
  same(predict, diabetes[1:3, ], estimate = "mean")
  for (interval in c("credible", "prediction")) same(predict, diabetes[1:3, ], interval = interval)
  same(function(fit) as.data.frame(compare(fit, other = fit)))
  for (type in c("density", "interval")) {
    same(function(fit) plot_data(fit, type)[c("curve", "mass", "panels", "interval")])
  }
  skip_if_not_installed("generics")
  same(generics::tidy, conf.int = TRUE, estimate = "mean")
  same(function(fit) generics::augment(fit, interval = "prediction"))
  skip_if_not_installed("posterior")
  for (format in c("as_draws", "as_draws_matrix", "as_draws_array", "as_draws_df", "as_draws_list", "as_draws_rvars")) {
    same(getExportedValue("posterior", format))
  }
  skip_if_not_installed("coda")
  same(coda::as.mcmc)
})

test_that("failed draws are counted where a fit is shown, and stay beside their diagnostics and weights", {
  broken <- with_failures(fit, c(3, 20))
  expect_output(print(broken), "Left out: 2 of 20 solutions (2 not converged); see fit$diagnostics", fixed = TRUE)
  expect_output(print(summary(broken)), "Draws that did not converge: 2 of 20, left out", fixed = TRUE)
  expect_match(plot_data(broken)$note, "2 of 20 draws failed and left out", fixed = TRUE)
  all <- as.matrix(broken, failed = TRUE)
  expect_identical(dim(all), c(20L, 11L))
  expect_identical(all[-c(3, 20), ], as.matrix(broken))
  expect_identical(as.data.frame(broken, failed = TRUE)[3, 1], 1e180)
  expect_identical(weights(broken), weights(fit))
  more <- quick_diabetes(first_draw = 21)
  joined <- c(broken, more)
  expect_identical(as.matrix(joined), rbind(as.matrix(broken), as.matrix(more)))
  expect_identical(as.matrix(joined, failed = TRUE), rbind(all, as.matrix(more)))
  expect_bad(as.matrix(fit, failed = 2), "failed")
  skip_if_not_installed("posterior")
  expect_identical(posterior::ndraws(posterior::as_draws_df(broken, failed = TRUE)), 20L)
})

test_that("a network that failed is a row of NA among all draws", {
  net <- quick_mlp(draws = 3, epochs = 2, hidden = 2)
  broken <- net
  broken$diagnostics$status[2] <- "diverged"
  all <- as.matrix(broken, failed = TRUE)
  expect_true(all(is.na(all[2, ])))
  expect_identical(all[-2, ], as.matrix(net)[-2, ])
  expect_identical(as.matrix(broken), all[-2, ])
})

test_that("at each lambda of a path its own failures are left out", {
  broken <- path
  broken$diagnostics$status[broken$diagnostics$lambda == 200][5] <- "empty"
  expect_identical(as.matrix(broken, lambda = 200), as.matrix(path, lambda = 200)[-5, ])
  expect_identical(as.matrix(broken, lambda = 10), as.matrix(path, lambda = 10))
  expect_identical(summary(broken)$not_converged, 1L)
  expect_identical(summary(broken, lambda = 10)$not_converged, 0L)
  expect_identical(plot_data(broken)$note, "1 of 60 draws failed and left out")
  broken$diagnostics$status[broken$diagnostics$lambda == 200] <- "not converged"
  expect_error(summary(broken), "lambda = 200", class = "wbb_error_draws")
  expect_identical(coef(broken, "mean", lambda = 10), coef(path, "mean", lambda = 10))
})

test_that("a fit whose draws have all failed says so, and can still be looked at", {
  broken <- with_failures(fit, 1:20)
  for (method in list(as.matrix, as.data.frame, summary, vcov, confint, plot, compare)) {
    error <- expect_error(method(broken), "all failed (20 not converged)", class = "wbb_error_draws", fixed = TRUE)
    expect_match(conditionMessage(error), "max_iterations")
  }
  expect_error(predict(broken, interval = "credible"), class = "wbb_error_draws")
  expect_error(coef(broken, "mean"), class = "wbb_error_draws")
  expect_output(print(broken), "Left out: 20 of 20")
  expect_identical(coef(broken), coef(fit))
  expect_identical(nrow(as.matrix(broken, failed = TRUE)), 20L)
  broken$mode_diagnostics$status[] <- "not converged"
  expect_output(print(broken), "The mode did not converge", fixed = TRUE)
})

test_that("column_quantiles() are those of quantile()", {
  draws <- as.matrix(fit)
  probs <- c(0, 0.025, 0.3, 0.5, 1)
  expect_equal(column_quantiles(draws, probs), apply(draws, 2, quantile, probs, names = FALSE), ignore_attr = TRUE)
  expect_equal(column_sds(draws), apply(draws, 2, sd))
})

test_that("blocks of columns change nothing", {
  set.seed(1)
  # More numbers than a block has, with names and without.
  for (names in list(NULL, paste0("V", 1:3000))) {
    draws <- matrix(rnorm(500 * 3000), 500, dimnames = list(NULL, names))
    expect_gt(length(draws), part_size / 8)
    for (probs in list(0.5, c(0.1, 0.9))) expect_identical(column_quantiles(draws, probs), block_quantiles(draws, probs))
    expect_identical(draw_means(draws), colMeans(draws))
    expect_identical(draw_zeros(draws), colMeans(draws == 0))
    expect_identical(draw_signs(draws), colMeans(draws > 0))
    expect_equal(column_sds(draws), apply(draws, 2, stats::sd))
  }
})
