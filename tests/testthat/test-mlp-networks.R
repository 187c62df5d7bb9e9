fit <- tested_classes()
curve <- tested_numbers()

test_that("parameters have names and can be chosen", {
  all <- as.matrix(fit)
  expect_identical(dim(all), c(12L, as.integer(4 * 5 + 5 + 5 * 4 + 4 + 4 * 3 + 3)))
  expect_identical(colnames(all), variable.names(fit))
  expect_identical(colnames(all)[c(1, 2, 21, 26, 46, 50, 62)],
    c("W1[Sepal.Length,1]", "W1[Sepal.Length,2]", "b1[1]", "W2[1,1]", "b2[1]", "W3[1,setosa]", "b3[setosa]"))
  some <- as.matrix(fit, parameters = c("b3", "W1[3,4]", "W2[5,1]", "b1[2]"))
  expect_identical(colnames(some), c(paste0("b3[", levels(iris$Species), "]"), "W1[Petal.Length,4]", "W2[5,1]", "b1[2]"))
  expect_identical(some, all[, colnames(some)])
  expect_identical(as.matrix(fit, parameters = "W1[Petal.Length,4]"), as.matrix(fit, parameters = "W1[3,4]"))
  expect_identical(ncol(as.matrix(fit, parameters = c("b2", "b2[1]"))), 4L)
  for (bad in list("W4", "b0", "a1", "W1[5,1]", "W1[0,1]", "W1[1]", "b1[1,1]", "b1[6]", "W1[1.5,1]", "W1[", 3, NA, character())) {
    expect_bad(as.matrix(fit, parameters = bad), "parameters")
  }
  expect_bad(as.matrix(fit, parametres = "b1"), "parametres", "`parameters`")
  expect_bad(as.matrix(fit, lambda = 3), "lambda")
  old <- options(wbb.max_bytes = 1000)
  on.exit(options(old))
  expect_bad(as.matrix(fit), "parameters", "GB")
})

test_that("draws come in all formats", {
  expect_identical(as.matrix(as.data.frame(fit, parameters = "b1")), as.matrix(fit, parameters = "b1"))
  expect_identical(coef(fit), colMeans(as.matrix(fit)))
  expect_equal(coef(fit, "median", "b1"), apply(as.matrix(fit, parameters = "b1"), 2, median))
  expect_equal(vcov(fit, "b1"), cov(as.matrix(fit, parameters = "b1")))
  expect_equal(confint(fit, "b1", level = 0.8), t(apply(as.matrix(fit, parameters = "b1"), 2, quantile, c(0.1, 0.9))), ignore_attr = TRUE)
  expect_identical(nrow(confint(fit)), ncol(as.matrix(fit)))
  skip_if_not_installed("posterior")
  expect_identical(posterior::variables(posterior::as_draws(fit, parameters = "b1")), paste0("b1[", 1:5, "]"))
  expect_identical(posterior::nvariables(posterior::as_draws_df(fit)), 64L)
  expect_s3_class(posterior::as_draws_array(fit, parameters = "b1"), "draws_array")
  expect_s3_class(posterior::as_draws_list(fit, parameters = "b1"), "draws_list")
  expect_identical(dim(posterior::as_draws_rvars(fit, parameters = "W2")$W2), c(5L, 4L))
  predictions <- posterior::as_draws(fit, what = "predictions")
  expect_identical(dim(predictions), c(12L, 225L))
  expect_identical(as.vector(predictions[, "p[2,virginica]"]), as.vector(predict(fit, "test", "draws")[, "2", "virginica"]))
  new <- posterior::as_draws(curve, what = "predictions", newdata = cars[c(3, 9), ])
  expect_identical(posterior::variables(new), c("f[3]", "f[9]"))
  expect_bad(posterior::as_draws(fit, what = "predictions", parameters = "b1"), "parameters")
  expect_bad(posterior::as_draws(fit, newdata = iris), "newdata")
  skip_if_not_installed("coda")
  expect_identical(ncol(coda::as.mcmc(fit, parameters = "b2")), 4L)
})

test_that("other fits do not take the arguments of networks", {
  expect_bad(as.matrix(quick_diabetes(), parameters = "b1"), "parameters")
})

test_that("networks cross in pieces", {
  shelf <- to_shelf(fit$draws)
  expect_identical(from_shelf(shelf, 12, length(fit$draws[[1]]), new.env()), fit$draws)
  expect_length(shelf_steps(10, 2^25), 5)
  expect_identical(unlist(shelf_steps(10, 1e12), use.names = FALSE), 1:10)
  expect_identical(unlist(shelf_steps(3, 4), use.names = FALSE), 1:3)
})

test_that("standardisation is undone in the parameters", {
  for (draw in c(1, 12)) {
    plain <- softmax(plain_network(as.matrix(fit)[draw, ], as.matrix(iris[1:4]), c(4, 5, 4, 3)))
    expect_equal(unname(predict(fit, iris, "draws")[draw, , ]), plain, tolerance = 1e-5)
  }
  spec <- fit$spec
  layers <- layer_table(spec)
  expect_identical(layers$parameters, c(25, 24, 15))
  expect_identical(layers$before, c(0, 25, 49))
  expect_identical(network_bytes(spec), 256)
  raw <- network_numbers(fit$draws[[1]])
  # Only the first layer knows of the units of x.
  expect_identical(user_units(raw, spec, layers)[26:64], raw[26:64])
  expect_equal(user_units(raw, spec, layers)[1:5], raw[1:5] / spec$scale[1])
})

test_that("a fit without a draw to work with says what to do", {
  none <- fit
  none$diagnostics$status[] <- "diverged"
  expect_error(usable_draws(none), "all failed (12 diverged). Train again with a smaller `learning_rate`", class = "wbb_error_draws", fixed = TRUE)
  unsettled <- fit
  unsettled$diagnostics$status[] <- "unsettled"
  expect_identical(usable_draws(unsettled), 1:12)
})
