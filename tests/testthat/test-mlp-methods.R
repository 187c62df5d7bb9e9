fit <- quick_mlp(hidden = c(5, 4), test = iris[c(FALSE, TRUE), ])
curve <- wbb_mlp(dist ~ speed, cars, hidden = 4, draws = 15, epochs = 30, test = cars[1:3, ], seed = 1, threads = 1)

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

# Measures differ in the last digits between machines.
hide_numbers <- function(lines) {
  measures <- grepl("^(test|training|residual|gradient|epochs|Mean of)", lines)
  lines[measures] <- gsub("[0-9.]+(e-[0-9]+)?", "#", lines[measures])
  gsub("# +", "# ", gsub(" +#", " #", lines))
}

test_that("print and summary read well", {
  expect_snapshot({
    fit
    curve
    summary(fit)
    wbb_mlp(Species ~ ., iris, hidden = NULL, draws = 2, epochs = 3, optimizer = "momentum", decay = 0.01, batch_size = Inf,
      init = "fresh", weights = weight_law("gamma", 2), prior_weight = "fixed", seed = 1)
  }, transform = hide_numbers)
  table <- summary(fit)$table
  expect_identical(table$term, c("test accuracy", "test log-loss", "training accuracy", "training loss", "gradient norm", "epochs"))
  expect_equal(table$mean[1:2], c(mean(accuracy(fit)), mean(log_loss(fit))))
  expect_equal(summary(fit)$mean, c(accuracy = accuracy(fit, type = "mean"), log_loss = log_loss(fit, type = "mean")))
  expect_identical(names(summary(fit, probs = 0.1)$table), c("term", "mean", "sd", "10%"))
  expect_equal(summary(curve)$table$mean[1],
    mean(sqrt(rowMeans((predict(curve, "test", "draws") - rep(cars$dist[1:3], each = 15))^2))))
  expect_bad(summary(fit, probs = 2), "probs")
  expect_output(print(quick_mlp(draws = 1, epochs = 1)), "training accuracy")
})

test_that("tables are tidy", {
  skip_if_not_installed("generics")
  tidy <- generics::tidy(fit, conf.int = TRUE, parameters = "b3")
  expect_identical(names(tidy), c("term", "estimate", "std.error", "conf.low", "conf.high", "p.positive"))
  expect_equal(tidy$estimate, unname(coef(fit, parameters = "b3")))
  expect_identical(nrow(generics::tidy(fit)), 64L)
  glance <- generics::glance(fit)
  expect_identical(nrow(glance), 1L)
  expect_identical(glance$parameters, 64)
  expect_equal(glance$test.accuracy, mean(accuracy(fit)))
  expect_equal(generics::glance(curve)$sigma, mean(curve$diagnostics$sigma))
  known <- generics::augment(fit, interval = "credible")
  expect_identical(as.integer(known$.fitted), max.col(fitted(fit), "first"))
  expect_true(all(known$.lower <= known$.upper))
  expect_equal(known$.probability, unname(apply(fitted(fit), 1, max)))
  expect_false(".resid" %in% names(known))
  new <- generics::augment(fit, newdata = iris[1:3, ])
  expect_identical(nrow(new), 3L)
  numbers <- generics::augment(curve, interval = "prediction")
  expect_equal(numbers$.resid, cars$dist - numbers$.fitted)
  expect_true(all(numbers$.upper > numbers$.fitted))
})

test_that("a notebook shows the measures", {
  skip_if_not_installed("repr")
  html <- repr::repr_html(fit)
  expect_match(html, "network 4-5-4-3", fixed = TRUE)
  expect_match(html, "test accuracy", fixed = TRUE)
  expect_match(html, "status: 12 finished", fixed = TRUE)
  expect_match(html, "<svg", fixed = TRUE)
  expect_match(repr::repr_html(curve), "test RMSE", fixed = TRUE)
  lost <- suppressWarnings(wbb_mlp(dist ~ speed, cars, hidden = 4, draws = 2, learning_rate = 1e9, seed = 1))
  expect_match(repr::repr_html(lost), "2 diverged", fixed = TRUE)
})

test_that("networks cannot be compared by their parameters", {
  expect_bad(compare(fit, fit), "...", "accuracy()")
})

test_that("progress shows epochs", {
  state <- list(state = "running", stage = "epochs", done = 250, total = 1000)
  expect_identical(progress_line(state, 10), "epochs [=====               ] 250/1000 30 s left")
})
