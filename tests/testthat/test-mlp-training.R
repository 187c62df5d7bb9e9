test_that("a draw is the mean of its last iterates", {
  last <- function(epochs, ...) as.matrix(quick_mlp(draws = 1, epochs = epochs, init = "shared", batches = "cyclic", ...))
  # Three steps an epoch: the last third of three epochs are the three steps of the last one.
  mean <- last(3, average = 1 / 3)
  ends <- rbind(last(2, average = 0), last(3, average = 0))
  inside <- mean >= pmin(ends[1, ], ends[2, ]) & mean <= pmax(ends[1, ], ends[2, ])
  expect_gt(mean(inside), 0.5)
  expect_false(identical(mean, last(3, average = 0)))
  # Whole batches have no noise to average.
  expect_identical(last(3, batch_size = Inf), last(3, batch_size = Inf, average = 0))
})

test_that("averages and common first epochs leave little of the spread to the optimiser", {
  # The optimiser's share of the variance of the predictions: the same weights under other orders of the batches.
  x <- matrix(sin(1:900 * 7.3) * 2, 300)
  y <- sin(2 * x[, 1]) + x[, 2]^2 + 0.3 * cos(1:300 * 3.1)
  share <- function(...) {
    of_orders <- lapply(1:3, function(order) {
      fit <- brief(wbb_mlp(x, y, hidden = 16, activation = "tanh", lambda = 1e-4, optimizer = "adam", learning_rate = 0.02, batch_size = 16,
        draws = 12, epochs = 40, batch_seed = order, seed = 1, ...))
      predict(fit, type = "draws")
    })
    cells <- simplify2array(of_orders)
    noise <- cells - c(rowMeans(cells, dims = 2)) - rep(apply(cells, 2:3, mean), each = 12) + rep(c(apply(cells, 2, mean)), each = 12)
    # Per cell of the data: over 11 x 2 degrees of freedom, and 11 for each of the 3 orders.
    (sum(noise^2) / 22) / (sum(apply(cells, 2:3, var)) / 3)
  }
  by_default <- share()
  expect_lt(by_default, 0.25)
  expect_gt(share(average = 0, decay = 0, init = "shared"), 3 * by_default)
})

test_that("the order of the batches has a seed of its own", {
  fit <- quick_mlp(draws = 3, epochs = 3, batch_seed = 7)
  other <- quick_mlp(draws = 3, epochs = 3)
  expect_identical(weights(fit), weights(other))
  expect_false(identical(fit$draws, other$draws))
  expect_identical(fit$draws, quick_mlp(draws = 3, epochs = 3, batch_seed = 7, threads = 2)$draws)
  expect_identical(other$draws, quick_mlp(draws = 3, epochs = 3, batch_seed = 1)$draws)
  expect_bad(c(fit, quick_mlp(draws = 3, epochs = 3, first_draw = 4)), "...", "batch_seed")
  # Orders follow the seed where none is given, and fits of other seeds can be joined.
  expect_length(c(other, quick_mlp(draws = 2, epochs = 3, seed = 2))$draws, 5)
})

test_that("draws that ended far from a minimum are said to have", {
  few <- expect_warning(
    fit <- wbb_mlp(Species ~ ., iris, hidden = 6, draws = 5, lambda = 1e-4, epochs = 1, batch_size = 128, standardize = TRUE, seed = 1),
    class = "wbb_warning_training"
  )
  expect_match(conditionMessage(few), "5 of 5 draws ended far from a minimum")
  expect_identical(as.character(fit$diagnostics$status), rep("unsettled", 5))
  expect_true(all(fit$diagnostics$gradient > fit$diagnostics$start_gradient / 4))
  expect_output(print(fit), "5 unsettled")
  # They are draws like others.
  expect_identical(nrow(as.matrix(fit)), 5L)
  expect_warning(enough <- quick_mlp(epochs = 200), NA)
  expect_true(all(enough$diagnostics$gradient <= enough$diagnostics$start_gradient / 4))
  expect_null(unsettled_doubt(enough))
  # Beside worse there is one warning, of the worse kind.
  both <- fit
  both$diagnostics$status[2] <- "diverged"
  expect_match(mlp_doubt(both)$message, "1 of 5 draws diverged.*4 of 5 draws ended far")
  expect_identical(mlp_doubt(both)$kind, "convergence")
})

test_that("the first epochs are common to all draws", {
  ones <- function(...) quick_mlp(draws = 2, weights = "ones", prior_weight = "fixed", average = 0, decay = 0, tolerance = 0, ...)
  # Plain steps have no memory: with equal weights it does not matter whose they are.
  expect_identical(ones()$draws, ones(init = "shared")$draws)
  expect_identical(ones()$curves, ones(init = "shared")$curves)
  fit <- quick_mlp(draws = 2, epochs = 10)
  expect_identical(fit$curves[1, 1:2], fit$curves[2, 1:2])
  expect_true(all(fit$curves[1, 3:10] != fit$curves[2, 3:10]))
  expect_identical(fit$diagnostics$iterations, c(10L, 10L))
  expect_output(print(fit), "the first fifth for all draws")
})

test_that("a loss that still falls at the end of the default epochs is said", {
  fit <- quick_mlp(draws = 3, optimizer = "adam")
  fit$call$epochs <- NULL
  # Half of what is left goes in every ten epochs.
  fit$curves <- matrix(0.5^(1:40 / 10), 3, 40, byrow = TRUE)
  expect_match(falling_doubt(fit), "by 75 % in the last half of the 40 epochs: take more `epochs`")
  expect_output(print(summary(fit)), "still falling")
  # At a constant step it is the last fifth that counts.
  fit$spec$decay <- 0
  expect_match(falling_doubt(fit), "by 43 % in the last fifth of the 40 epochs")
  sooner <- fit
  sooner$curves <- fit$curves^2
  expect_null(falling_doubt(sooner))
  fit$curves <- fit$curves^(1 / 4)
  expect_match(falling_doubt(fit), "by 13 % in the last fifth of the 40 epochs")
  settled <- fit
  settled$curves <- 0.5 + fit$curves^8
  expect_null(falling_doubt(settled))
  # Whoever gives epochs is not asked.
  fit$call$epochs <- 10
  expect_null(falling_doubt(fit))
})

test_that("a network that hardly moved has not diverged", {
  # The first of its small batches happens to have a small loss.
  fit <- brief(wbb_mlp(dist ~ speed, cars, hidden = 2, draws = 3, lambda = 1e-4, epochs = 3, optimizer = "adam", learning_rate = 0.003, seed = 1))
  expect_true(all(fit$diagnostics$status != "diverged"))
})

test_that("networks follow a curve with steps and epochs of our choice", {
  x <- with_seed(2, runif(1300, -3, 3))
  y <- with_seed(3, sin(3 * x) + 0.2 * rnorm(1300))
  train <- 1:300
  fit <- brief(wbb_mlp(matrix(x[train]), y[train], lambda = 0.03, draws = 2, seed = 1))
  error <- mean((predict(fit, matrix(x[-train])) - y[-train])^2)
  # The noise alone leaves 0.04; steps that are too short for the curve left 0.09.
  expect_lt(error, 0.065)
})
