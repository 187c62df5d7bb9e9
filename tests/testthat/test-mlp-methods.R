fit <- quick_mlp(hidden = c(5, 4), test = iris[c(FALSE, TRUE), ])
curve <- brief(wbb_mlp(dist ~ speed, cars, hidden = 4, draws = 15, lambda = 1e-4, epochs = 30, test = cars[1:3, ], seed = 1, threads = 1))

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
    brief(wbb_mlp(Species ~ ., iris, hidden = NULL, draws = 2, lambda = 1e-4, epochs = 3, optimizer = "momentum", decay = 0.01, batch_size = Inf,
      init = "fresh", weights = weight_law("gamma", 2), prior_weight = "fixed", seed = 1))
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
  lost <- suppressWarnings(wbb_mlp(dist ~ speed, cars, hidden = 4, lambda = 1e-4, draws = 2, learning_rate = 1e9, seed = 1))
  expect_match(repr::repr_html(lost), "2 diverged", fixed = TRUE)
})

test_that("networks cannot be compared by their parameters", {
  expect_bad(compare(fit, fit), "...", "accuracy()")
})

test_that("progress shows epochs", {
  state <- list(state = "running", stage = "epochs", done = 250, total = 1000)
  expect_identical(progress_line(state, 10), "epochs [=====               ] 250/1000 30 s left")
})
