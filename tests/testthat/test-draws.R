fit <- quick_diabetes()
path <- quick(as.matrix(diabetes[1:10]), diabetes$y, lambda = c(10, 200, 50))

test_that("draws come as matrix and data frame", {
  expect_identical(dim(as.matrix(fit)), c(20L, 11L))
  expect_identical(colnames(as.matrix(fit)), c("(Intercept)", names(diabetes)[1:10]))
  expect_identical(as.matrix(as.data.frame(fit)), as.matrix(fit), ignore_attr = "dimnames")
  expect_identical(names(as.data.frame(fit)), colnames(as.matrix(fit)))
})

test_that("a path needs a lambda and keeps the user's order", {
  expect_identical(path$lambda, c(10, 200, 50))
  expect_bad(as.matrix(path), "lambda", "10, 200, 50")
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

test_that("chunks join to what one run gives", {
  whole <- quick_diabetes(draws = 30)
  joined <- c(quick_diabetes(draws = 12), quick_diabetes(draws = 10, first_draw = 13),
    quick_diabetes(draws = 8, first_draw = 23))
  same_draws(joined, whole)
  expect_identical(joined$spec, whole$spec)
  expect_identical(joined$call$draws, 30)
  expect_identical(weights(joined), weights(whole))

  part <- function(...) quick(as.matrix(diabetes[1:10]), diabetes$y, lambda = c(10, 200, 50), ...)
  same_draws(c(part(draws = 5), part(draws = 15, first_draw = 6)), path)
})

test_that("fits of other seeds can be joined, and their weights regenerated", {
  other <- quick_diabetes(seed = 2, draws = 5)
  joined <- c(fit, other, quick_diabetes(draws = 5, first_draw = 21))
  expect_identical(nrow(as.matrix(joined)), 30L)
  expect_identical(nrow(joined$spec$segments), 3L)
  expect_identical(weights(joined)[21:25, ], weights(other))
  expect_identical(weights(joined, draws = c(23, 2)), rbind(weights(other)[3, ], weights(fit)[2, ]))
})

test_that("fits of other problems cannot be joined", {
  expect_bad(c(fit, fit), "...", "draw 1 of seed 1 is there twice")
  expect_bad(c(fit, quick_diabetes(first_draw = 20)), "...", "draw 20")
  expect_bad(c(fit, quick(y ~ ., diabetes, lambda = 51, seed = 2)), "...", "lambda")
  expect_bad(c(fit, quick_diabetes(seed = 2, prior_weight = "fixed")), "...", "prior_weight")
  expect_bad(c(fit, quick(y ~ . - age, diabetes, lambda = 50, seed = 2)), "...")
  expect_bad(c(fit, quick(y ~ ., diabetes[442:1, ], lambda = 50, seed = 2)), "...", "data")
  expect_bad(c(fit, 1), "...")
  changed <- transform(diabetes, y = y + 1)
  expect_bad(c(quick_diabetes(keep_data = FALSE), quick(y ~ ., changed, lambda = 50, seed = 2, keep_data = FALSE)),
    "...", "data")
})

test_that("a fit can be saved and read back", {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  back <- readRDS(file)
  same_draws(back, fit)
  expect_identical(back$spec, fit$spec)
  expect_identical(weights(back, draws = 2), weights(fit, draws = 2))
  expect_identical(predict(back, diabetes[1:3, ]), predict(fit, diabetes[1:3, ]))
})

test_that("a fit of another version is recognised by every method", {
  old <- fit
  old$version <- 0L
  none <- fit
  none$version <- NULL
  cut <- fit
  cut$spec <- NULL
  methods <- list(as.matrix, as.data.frame, print, summary, coef, vcov, confint, fitted, residuals, nobs,
    formula, model.frame, model.matrix, variable.names, weights, predict, c)
  for (method in methods) {
    for (bad in list(old, none, cut)) expect_error(method(bad), class = "wbb_error_version")
  }
  skip_if_not_installed("generics")
  for (method in list(generics::tidy, generics::glance, generics::augment)) {
    expect_error(method(old), class = "wbb_error_version")
  }
})

test_that("column_quantiles() are those of quantile()", {
  draws <- as.matrix(fit)
  probs <- c(0, 0.025, 0.3, 0.5, 1)
  expect_equal(column_quantiles(draws, probs), apply(draws, 2, quantile, probs, names = FALSE), ignore_attr = TRUE)
  expect_equal(column_sds(draws), apply(draws, 2, sd))
})
