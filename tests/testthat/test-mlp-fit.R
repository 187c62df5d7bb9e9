test_that("draws do not depend on threads, chunks or backend", {
  again <- function(...) brief(update(...))
  whole <- quick_mlp(test = iris[c(FALSE, TRUE), ], threads = 2, init = "fresh", optimizer = "adam")
  first <- again(whole, draws = 5, threads = 1)
  second <- again(whole, draws = 7, first_draw = 6)
  joined <- c(first, second)
  same_networks(joined, whole)
  expect_identical(joined$spec$segments, whole$spec$segments)
  expect_identical(weights(joined), weights(whole))
  expect_identical(joined$call$draws, 12)
  expect_bad(c(first, first), "...", "twice")
  expect_bad(c(first, again(second, test = iris[2:9, ])), "...")
  expect_bad(c(first, again(second, hidden = 7)), "...", "hidden")
  expect_bad(c(first, again(second, data = iris[c(FALSE, TRUE), ])), "...", "data")
  bare <- again(first, keep_data = FALSE, test = NULL)
  expect_bad(c(bare, again(second, data = iris[c(FALSE, TRUE), ], keep_data = FALSE, test = NULL, standardize = FALSE)), "...")
  skip_if_not_installed("future")
  old <- future::plan("sequential")
  on.exit(future::plan(old))
  future <- again(whole, backend = "future")
  same_networks(future, whole)
  expect_identical(future$spec$threads, whole$spec$threads)
})

test_that("so they do in other processes", {
  skip_on_cran()
  skip_if_not_installed("future")
  skip_if_not("wbb" %in% rownames(utils::installed.packages()), "wbb is not installed")
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  fit <- quick_mlp(draws = 5, test = iris[c(FALSE, TRUE), ], keep = "predictions", backend = "future")
  same_networks(fit, quick_mlp(draws = 5, test = iris[c(FALSE, TRUE), ], keep = "predictions"))
})

test_that("draws that diverge are tried again, reported and left out", {
  steep <- function(...) wbb_mlp(dist ~ speed, cars, hidden = 4, lambda = 1e-4, seed = 1, threads = 1, ...)
  warning <- expect_warning(fit <- steep(learning_rate = 1e6, draws = 3, test = cars[1:2, ]), class = "wbb_warning_convergence")
  expect_match(conditionMessage(warning), "3 of 3 draws diverged")
  expect_match(conditionMessage(warning), "smaller `learning_rate`")
  expect_identical(as.character(fit$diagnostics$status), rep("diverged", 3))
  expect_warning(quick_mlp(lambda = 1e8, draws = 2), "smaller `learning_rate` or a smaller `lambda`", class = "wbb_warning_convergence")
  expect_identical(fit$diagnostics$learning_rate, rep(1e5, 3))
  expect_identical(fit$draws, vector("list", 3))
  expect_true(all(is.na(fit$predictions)))
  expect_output(print(fit), "3 diverged")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (method in list(as.matrix, predict, summary, coef, plot, accuracy, log_loss, uncertainty, vcov, confint, residuals)) {
    if (!identical(method, accuracy)) expect_error(method(fit), "diverged", class = "wbb_error_draws")
  }
  expect_identical(glance.wbb_mlp(fit)$not.converged, 3L)
  # A step that is too large by less than ten succeeds at the second try.
  again <- suppressWarnings(lapply(c(3, 10, 30), function(rate) steep(learning_rate = rate, draws = 4, epochs = 60)))
  retried <- unlist(lapply(again, function(fit) fit$diagnostics$learning_rate < fit$spec$learning_rate & fit$diagnostics$status == "finished"))
  expect_true(any(retried))
})

test_that("a loss that blew up is no result, however finite", {
  # All rectified units are dead after a step as long as that.
  expect_warning(fit <- quick_mlp(learning_rate = 1e6, standardize = FALSE), "standardize = TRUE", class = "wbb_warning_convergence")
  expect_true(all(fit$diagnostics$status == "diverged" | fit$diagnostics$loss < 10))
})

test_that("joined fits keep their gaps", {
  some <- suppressWarnings(wbb_mlp(dist ~ speed, cars, hidden = 4, lambda = 1e-4, epochs = 60, seed = 1, learning_rate = 1e6, draws = 2))
  good <- wbb_mlp(dist ~ speed, cars, hidden = 4, lambda = 1e-4, epochs = 60, seed = 1, draws = 3, first_draw = 3, optimizer = "sgd")
  # The learning rate is a setting; here only the gaps matter.
  some$spec$learning_rate <- good$spec$learning_rate
  both <- c(some, good)
  expect_identical(nrow(as.matrix(both)), 3L)
  expect_identical(as.matrix(both), as.matrix(good))
  expect_identical(dim(weights(both)), c(5L, 51L))
  expect_identical(predict(both), predict(good))
  expect_output(print(both), "2 diverged")
  expect_identical(sum(both$diagnostics$status == "diverged"), 2L)
})

test_that("a fit survives saving, and lives without its data", {
  fit <- quick_mlp(keep_data = FALSE)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  back <- readRDS(file)
  same_networks(back, fit)
  expect_identical(back$spec, fit$spec)
  expect_identical(predict(back, iris), predict(fit, iris))
  expect_true(is.raw(fit$draws[[1]]))
  expect_length(fit$draws[[1]], 4 * (4 * 6 + 6 + 6 * 3 + 3))
  expect_null(fit$y)
  expect_bad(predict(fit), "keep_data")
})

test_that("a fit of another version is recognised by every method", {
  old <- quick_mlp(draws = 2, epochs = 1)
  old$version <- 0L
  methods <- list(as.matrix, as.data.frame, print, summary, coef, vcov, confint, fitted, residuals, nobs, formula,
    variable.names, weights, predict, c, accuracy, log_loss, calibration, uncertainty, plot)
  for (method in methods) expect_error(method(old), class = "wbb_error_version")
  skip_if_not_installed("generics")
  for (method in list(generics::tidy, generics::glance, generics::augment)) {
    expect_error(method(old), class = "wbb_error_version")
  }
})

test_that("training stops when the loss has settled, and says so", {
  fit <- quick_mlp(tolerance = 0.05, epochs = 200)
  expect_true(any(fit$diagnostics$status == "converged"))
  early <- which(fit$diagnostics$status == "converged")[1]
  ran <- fit$diagnostics$iterations[early]
  expect_lt(ran, 200)
  expect_identical(sum(!is.na(fit$curves[early, ])), as.integer(ran))
  expect_true(all(quick_mlp(tolerance = 0)$diagnostics$status == "finished"))
})

test_that("settings are recorded as they were used", {
  spec <- quick_mlp(draws = 2, epochs = 2, hidden = 0, batch_size = 1e6, batches = "cyclic")$spec
  expect_identical(spec$hidden, integer())
  expect_identical(spec$batch_size, 75)
  expect_identical(spec$learning_rate, 0.1)
  expect_identical(spec$average, 0.2)
  expect_null(spec$batch_seed)
  expect_identical(c(spec$classes, spec$p), c(3L, 4L))
  for (name in names(default_rates$classes)) {
    expect_identical(quick_mlp(draws = 1, epochs = 1, optimizer = name)$spec$learning_rate, default_rates$classes[[name]])
  }
})

test_that("what was observed at new rows takes the form of the response", {
  expect_identical(new_outcome(c("b", "a"), c("a", "b"), "y", 2), factor(c("b", "a"), c("a", "b")))
  expect_identical(new_outcome(c(2, 1), c("1", "2"), "y", 2), factor(c("2", "1")))
  expect_identical(new_outcome(3:4, NULL, "y", 2), c(3, 4))
  expect_bad(new_outcome(c("a", "c"), c("a", "b"), "y", 2), "y", "element 2 is \"c\"")
  expect_bad(new_outcome(list(1, 2), c("a", "b"), "y", 2), "y")
})
