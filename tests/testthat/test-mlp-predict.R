fit <- tested_classes()
curve <- tested_numbers()
even <- iris[c(FALSE, TRUE), ]

test_that("predictions are those of the network in plain R", {
  draws <- predict(fit, even, "draws")
  expect_identical(dim(draws), c(12L, 75L, 3L))
  expect_identical(dimnames(draws), list(NULL, row.names(even), levels(iris$Species)))
  for (k in c(1, 12)) {
    plain <- softmax(plain_network(as.matrix(fit)[k, ], as.matrix(even[1:4]), c(4, 5, 4, 3)))
    expect_equal(unname(draws[k, , ]), plain, tolerance = 1e-5)
  }
  numbers <- predict(curve, cars, "draws")
  for (k in c(1, 15)) {
    plain <- plain_network(as.matrix(curve)[k, ], as.matrix(cars["speed"]), c(1, 4, 3, 1), "tanh")
    expect_equal(unname(numbers[k, ]), drop(unname(plain)), tolerance = 1e-5)
  }
  linear <- quick_mlp(activation = "identity", draws = 1)
  expect_equal(unname(predict(linear, even, "draws")[1, , ]),
    softmax(plain_network(as.matrix(linear)[1, ], as.matrix(even[1:4]), c(4, 6, 3), "identity")), tolerance = 1e-5)
})

test_that("probabilities are means over the draws, with quantiles", {
  draws <- predict(fit, even, "draws")
  prob <- predict(fit, even)
  expect_equal(prob, apply(draws, 2:3, mean))
  expect_equal(rowSums(prob), rep(1, 75), ignore_attr = TRUE, tolerance = 1e-5)
  expect_identical(predict(fit, even, "response"), prob)
  interval <- predict(fit, even, interval = "credible", level = 0.8)
  expect_identical(dim(interval), c(75L, 3L, 3L))
  expect_identical(interval[, , "fit"], prob)
  expect_equal(unname(interval[7, 2, c("lwr", "upr")]), unname(quantile(draws[, 7, 2], c(0.1, 0.9))))
  class <- predict(fit, even, "class")
  expect_identical(levels(class), levels(iris$Species))
  expect_identical(as.integer(class), max.col(prob, "first"))
  expect_identical(predict(fit, even[4, ]), prob[4, , drop = FALSE])
  expect_identical(dim(predict(fit, even[0, ])), c(0L, 3L))
  expect_identical(dim(predict(fit, even[4, ], interval = "credible")), c(1L, 3L, 3L))
})

test_that("numbers have credible and prediction intervals", {
  draws <- predict(curve, cars, "draws")
  point <- predict(curve, cars)
  expect_equal(point, colMeans(draws))
  expect_identical(predict(curve), point)
  credible <- predict(curve, cars, interval = "credible")
  expect_identical(colnames(credible), c("fit", "lwr", "upr"))
  expect_equal(credible[, "upr"], apply(draws, 2, quantile, 0.975, names = FALSE))
  wide <- predict(curve, cars, interval = "prediction", level = 0.9)
  at <- wide[9, "lwr"]
  expect_equal(mean(pnorm(at, draws[, 9], curve$diagnostics$sigma)), 0.05, tolerance = 1e-6)
  expect_identical(dim(predict(curve, cars[1, , drop = FALSE], interval = "prediction")), c(1L, 3L))
  expect_equal(unname(residuals(curve)), cars$dist - unname(fitted(curve)))
})

test_that("blocks of rows give the same replies", {
  gaps <- fit
  gaps$diagnostics$status[c(3, 12)] <- "diverged"
  expect_equal(predict(gaps, iris, "draws"), predict(fit, iris, "draws")[-c(3, 12), , ])
  expect_equal(predict(gaps, "test", "draws"), predict(fit, "test", "draws")[-c(3, 12), , ])
  rows <- prediction_rows(gaps, "test")
  questions <- list(
    list(what = "mean"), list(what = "credible", probs = c(0.1, 0.9), sigma = double()),
    list(what = "spread", classes = TRUE), list(what = "classes", y = as.integer(even$Species))
  )
  for (question in questions) {
    whole <- ask_kept(gaps, rows, question)
    # Ten draws of three classes: 33 rows a block, then one.
    for (numbers in c(1000, 1)) {
      parts <- ask_kept(gaps, rows, question, numbers)
      for (part in c("rows", "sums")) if (length(whole[[part]])) expect_equal(parts[[part]], whole[[part]])
    }
    # The networks say what was kept of them.
    asked <- ask_networks(gaps, prediction_rows(gaps, even), question)
    expect_equal(asked, ask_networks(gaps, rows, question), tolerance = 1e-6)
  }
  numbers <- list(what = "numbers", y = cars$dist[c(1, 20, 50)], sigma = network_sigma(curve))
  kept <- prediction_rows(curve, "test")
  expect_equal(ask_kept(curve, kept, numbers, 1)$sums, ask_kept(curve, kept, numbers)$sums)
  expect_identical(ask_networks(fit, prediction_rows(fit, even[0, ]), list(what = "mean"))$rows$mean, matrix(0, 0, 3))
})

test_that("a network that does not fit its settings is refused", {
  broken <- fit
  broken$draws[[2]] <- broken$draws[[2]][1:10]
  expect_error(predict(broken, even), "another size", class = "wbb_error_fit")
})

test_that("an unknown question is an error of ours", {
  expect_error(ask_networks(fit, prediction_rows(fit, even), list(what = "median")), "median", class = "wbb_error_internal")
})

test_that("predictions do not depend on threads", {
  two <- fit
  two$spec$threads <- 2L
  expect_identical(predict(two, iris, "draws"), predict(fit, iris, "draws"))
})

test_that("the test set in the fit is what was given", {
  expect_equal(predict(fit, "test", "draws"), predict(fit, even, "draws"), tolerance = 1e-6)
  expect_equal(predict(curve, "test"), predict(curve, cars[c(1, 20, 50), ]), tolerance = 1e-6)
  only <- quick_mlp(hidden = c(5, 4), test = even, keep = "predictions")
  expect_null(only$draws)
  expect_identical(only$predictions, fit$predictions)
  expect_identical(accuracy(only), accuracy(fit))
  expect_identical(predict(only, "test", "class"), predict(fit, "test", "class"))
  expect_identical(dim(as.matrix(only, what = "predictions")), c(12L, 225L))
  for (method in list(predict, as.matrix, coef, fitted)) {
    expect_error(method(only), "keep = \"networks\"", class = "wbb_error_draws")
  }
  expect_output(print(only), "test accuracy")
  joined <- c(update(only, draws = 5), update(only, draws = 7, first_draw = 6))
  expect_identical(accuracy(joined), accuracy(only))
  x <- as.matrix(iris[1:4])
  by_matrix <- brief(wbb_mlp(x, iris$Species, hidden = 3, draws = 2, lambda = 1e-4, epochs = 2, test = x[1:5, ], seed = 1))
  expect_identical(dim(by_matrix$predictions), c(2L, 5L, 3L))
  expect_null(by_matrix$test$y)
  expect_bad(accuracy(by_matrix), "y", "has no response")
  both <- brief(update(by_matrix, test = list(x = x[1:5, ], y = rep("setosa", 5))))
  expect_identical(both$predictions, by_matrix$predictions)
  expect_length(accuracy(both), 2)
  expect_bad(predict(quick_mlp(draws = 1, epochs = 1), "test"), "newdata", "without `test`")
})

test_that("rows with missing values come back where na.exclude left them out", {
  holes <- replace(iris, cbind(3, 1), NA)
  padded <- brief(wbb_mlp(Species ~ ., holes, hidden = 3, draws = 2, lambda = 1e-4, epochs = 2, na.action = na.exclude, seed = 1))
  expect_identical(nobs(padded), 149L)
  expect_identical(dim(predict(padded)), c(150L, 3L))
  expect_true(all(is.na(predict(padded)[3, ])))
  expect_identical(which(is.na(predict(padded, type = "class"))), c(`3` = 3L))
  wide <- predict(padded, interval = "credible")
  expect_identical(dim(wide), c(150L, 3L, 3L))
  expect_identical(wide[, , "fit"], predict(padded))
  expect_identical(dimnames(wide)[[3]], c("fit", "lwr", "upr"))
  numbers <- brief(wbb_mlp(Sepal.Width ~ ., holes, hidden = 3, draws = 2, lambda = 1e-4, epochs = 2, na.action = na.exclude, seed = 1))
  expect_length(residuals(numbers), 150)
  skip_if_not_installed("generics")
  expect_identical(nrow(generics::augment(padded)), 149L)
  expect_identical(nrow(generics::augment(padded, holes)), 150L)
})
