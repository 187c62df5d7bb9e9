fit <- quick_mlp(hidden = c(5, 4), test = iris[c(FALSE, TRUE), ])
curve <- wbb_mlp(dist ~ speed, cars, hidden = c(4, 3), activation = "tanh", draws = 15, epochs = 50,
  learning_rate = 0.3, test = cars[c(1, 20, 50), ], seed = 1, threads = 1)
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

test_that("blocks of rows give the same numbers", {
  gaps <- fit
  gaps$diagnostics$status[c(3, 12)] <- "diverged"
  for (newdata in list(iris, "test")) {
    rows <- prediction_rows(gaps, newdata)
    whole <- predict(gaps, newdata, "draws")
    parts <- over_rows(gaps, rows, function(p, at) list(p, at), numbers = 1000)
    # Ten draws of three classes: 33 rows a block.
    expect_length(parts, ceiling(rows$n / 33))
    expect_identical(unlist(lapply(parts, `[[`, 2)), as.double(seq_len(rows$n)))
    for (part in parts) expect_equal(part[[1]], unname(whole[, part[[2]], ]), tolerance = 1e-6)
    expect_equal(whole, predict(fit, newdata, "draws")[-c(3, 12), , ])
  }
  expect_length(over_rows(curve, prediction_rows(curve, cars), function(f, at) dim(f), numbers = 1), 50)
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
  by_matrix <- wbb_mlp(x, iris$Species, hidden = 3, draws = 2, epochs = 2, test = x[1:5, ], seed = 1)
  expect_identical(dim(by_matrix$predictions), c(2L, 5L, 3L))
  expect_null(by_matrix$test$y)
  expect_bad(accuracy(by_matrix), "y", "has no response")
  both <- update(by_matrix, test = list(x = x[1:5, ], y = rep("setosa", 5)))
  expect_identical(both$predictions, by_matrix$predictions)
  expect_length(accuracy(both), 2)
  expect_bad(predict(quick_mlp(draws = 1, epochs = 1), "test"), "newdata", "without `test`")
})

test_that("accuracy and log-loss are those of each draw", {
  draws <- predict(fit, even, "draws")
  y <- as.integer(even$Species)
  right <- apply(draws, 1, function(p) mean(max.col(p, "first") == y))
  expect_equal(accuracy(fit), right)
  expect_equal(accuracy(fit, even), right)
  expect_equal(accuracy(fit, "test"), right)
  expect_equal(accuracy(fit, even[1:4], even$Species), right)
  expect_equal(accuracy(fit, even[1:4], as.character(even$Species)), right)
  expect_equal(accuracy(fit, type = "mean"), mean(predict(fit, even, "class") == even$Species))
  expect_equal(accuracy(fit, iris[c(TRUE, FALSE), ]), fit$diagnostics$accuracy)
  loss <- apply(draws, 1, function(p) -mean(log(p[cbind(1:75, y)])))
  expect_equal(log_loss(fit), loss, tolerance = 1e-5)
  expect_equal(log_loss(fit, type = "mean"), -mean(log(predict(fit, even)[cbind(1:75, y)])), tolerance = 1e-5)
  sigma <- curve$diagnostics$sigma
  expect_equal(log_loss(curve, cars[3, ])[2], -dnorm(cars$dist[3], predict(curve, cars[3, ], "draws")[2, ], sigma[2], log = TRUE),
    ignore_attr = TRUE)
  density <- mean(dnorm(cars$dist[3], predict(curve, cars[3, ], "draws"), sigma))
  expect_equal(log_loss(curve, cars[3, ], type = "mean"), -log(density))
  skip_if_not_installed("generics")
  expect_identical(generics::accuracy(fit), accuracy(fit))
})

test_that("calibration puts rows into bins", {
  table <- calibration(fit, bins = 4)
  expect_identical(sum(table$count), 75L)
  expect_equal(sum(table$observed * table$count) / 75, accuracy(fit, type = "mean"))
  expect_true(all(table$predicted > table$from - 1e-9 & table$predicted <= table$to))
  expect_true(all(table$lwr <= table$observed & table$observed <= table$upr))
  of_class <- calibration(fit, class = "virginica", bins = 1)
  expect_equal(of_class$predicted, mean(predict(fit, even)[, "virginica"]))
  expect_equal(of_class$observed, 1 / 3)
  expect_equal(calibration_table(c(0, 0.1, 1), c(FALSE, FALSE, TRUE), 10, 0.9)$count, c(2L, 1L))
})

test_that("uncertainty is the data's and the model's", {
  split <- uncertainty(fit, even)
  expect_identical(names(split), c("total", "data", "model"))
  expect_equal(split$total, split$data + split$model)
  p <- predict(fit, even)[5, ]
  expect_equal(split$total[5], -sum(p * log(p)), tolerance = 1e-5)
  expect_true(all(split$model >= 0))
  expect_true(all(split$total <= log(3) + 1e-6))
  # Draws that agree leave nothing to the model.
  same <- quick_mlp(weights = "ones", prior_weight = "fixed", draws = 3)
  expect_lt(max(uncertainty(same, even)$model), 1e-6)
  parts <- uncertainty(curve, cars)
  expect_equal(parts$data, rep(mean(curve$diagnostics$sigma^2), 50))
  expect_equal(parts$model[7], mean((predict(curve, cars, "draws")[, 7] - predict(curve, cars)[7])^2))
})

test_that("measures refuse what they cannot tell", {
  expect_bad(accuracy(curve), "object", "regression")
  expect_bad(calibration(curve), "object", "regression")
  expect_error(residuals(fit), "classification", class = "wbb_error_argument")
  none <- quick_mlp(draws = 1, epochs = 1)
  expect_bad(accuracy(none), "x", "diagnostics")
  expect_bad(uncertainty(none), "x")
  expect_bad(accuracy(fit, y = even$Species), "x")
  expect_bad(accuracy(fit, even[1:4]), "y")
  expect_bad(accuracy(fit, even[1:4], even$Species[1:3]), "y", "length 3")
  expect_bad(accuracy(fit, even[1:4], rep("rose", 75)), "y", "\"rose\"")
  expect_bad(accuracy(fit, even[0, ]), "x")
  expect_bad(accuracy(fit, tipe = "mean"), "tipe", "`type`")
  expect_bad(calibration(fit, bins = 0), "bins")
  expect_bad(calibration(fit, class = "rose"), "class")
  expect_bad(predict(fit, even, "votes"), "type")
  expect_bad(predict(curve, cars, "prob"), "type", "regression")
  expect_bad(predict(fit, even, interval = "prediction"), "interval")
  expect_bad(predict(fit, even, "class", interval = "credible"), "interval")
  expect_bad(predict(fit, even, "draws", interval = "credible"), "interval")
  expect_bad(predict(fit, even, level = 2), "level")
  expect_bad(predict(fit, newx = even), "newx", "`newdata`")
})

test_that("rows with missing values come back where na.exclude left them out", {
  holes <- replace(iris, cbind(3, 1), NA)
  padded <- wbb_mlp(Species ~ ., holes, hidden = 3, draws = 2, epochs = 2, na.action = na.exclude, seed = 1)
  expect_identical(nobs(padded), 149L)
  expect_identical(dim(predict(padded)), c(150L, 3L))
  expect_true(all(is.na(predict(padded)[3, ])))
  expect_identical(which(is.na(predict(padded, type = "class"))), c(`3` = 3L))
  wide <- predict(padded, interval = "credible")
  expect_identical(dim(wide), c(150L, 3L, 3L))
  expect_identical(wide[, , "fit"], predict(padded))
  expect_identical(dimnames(wide)[[3]], c("fit", "lwr", "upr"))
  numbers <- wbb_mlp(Sepal.Width ~ ., holes, hidden = 3, draws = 2, epochs = 2, na.action = na.exclude, seed = 1)
  expect_length(residuals(numbers), 150)
  skip_if_not_installed("generics")
  expect_identical(nrow(generics::augment(padded)), 149L)
  expect_identical(nrow(generics::augment(padded, holes)), 150L)
})
