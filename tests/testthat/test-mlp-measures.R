fit <- tested_classes()
curve <- tested_numbers()
even <- iris[c(FALSE, TRUE), ]

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

test_that("limits of the observed share are those of Jeffreys, and reach the ends", {
  # None, some and all of ten came true.
  true <- rep(c(FALSE, TRUE, FALSE, TRUE), c(10, 3, 7, 10))
  table <- calibration_table(rep(c(0.1, 0.5, 0.9), each = 10), true, 10, 0.9)
  expect_equal(table$observed, c(0, 0.3, 1))
  expect_equal(table$lwr, c(0, qbeta(0.05, 3.5, 7.5), qbeta(0.05, 10.5, 0.5)))
  expect_equal(table$upr, c(qbeta(0.95, 0.5, 10.5), qbeta(0.95, 3.5, 7.5), 1))
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

test_that("measures come from one pass over the rows", {
  scores <- observed_scores(fit, even)
  expect_identical(names(scores), c("right", "loss", "square", "mean_right", "mean_loss"))
  expect_identical(scores$right, accuracy(fit, even))
  expect_identical(scores$mean_loss, log_loss(fit, even, type = "mean"))
  expect_identical(measure_of(scores, "right", "mean"), accuracy(fit, even, type = "mean"))
  numbers <- observed_scores(curve, cars)
  expect_equal(numbers$square, rowMeans((predict(curve, cars, "draws") - rep(cars$dist, each = 15))^2))
  # A draw that is sure of the wrong class does not make the loss infinite.
  sure <- fit
  sure$predictions[1, , ] <- rep(c(1, 0, 0), each = 75)
  expect_equal(max(log_loss(sure)), -sum(even$Species != "setosa") * log(.Machine$double.eps) / 75)
  # Among classes that are equally likely the first is taken.
  sure$predictions[1, , ] <- 1 / 3
  expect_equal(accuracy(sure)[1], mean(even$Species == "setosa"))
})
