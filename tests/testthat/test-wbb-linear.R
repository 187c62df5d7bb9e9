# Fits of wbb() for lm() and glm() predict: what they say at the mode is what the model says, and their draws are those of the lasso
# without penalty.

cars <- mtcars
cars$cyl <- factor(cars$cyl)
cars$wt[3] <- NA
new <- mtcars[4:6, ]
new$cyl <- factor(new$cyl)

test_that("at the mode a fit answers as its model does", {
  models <- list(
    lm(mpg ~ wt * cyl + log(hp), cars), lm(mpg ~ wt, cars, weights = hp, na.action = na.exclude), lm(mpg ~ 0 + wt + hp, cars),
    glm(am ~ wt + hp, binomial(), cars), glm(carb ~ poly(hp, 2) + offset(log(qsec)), poisson(), cars)
  )
  for (model in models) {
    fit <- suppressMessages(wbb(model, draws = 10, seed = 1))
    expect_equal(fitted(fit), fitted(model), ignore_attr = TRUE)
    expect_equal(residuals(fit), residuals(model, "response"), ignore_attr = TRUE)
    expect_equal(predict(fit, new), predict(model, new, type = "response"))
    expect_equal(c(deviance(fit), df.residual(fit)), c(deviance(model), df.residual(model)))
    expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(model)))
    if (!inherits(model, "glm")) expect_equal(sigma(fit), sigma(model))
    expect_identical(model.matrix(fit), model.matrix(model))
    expect_identical(terms(fit), terms(model))
    expect_identical(family(fit)$link, family(model)$link)
  }
})

test_that("its draws predict as those of the lasso without penalty", {
  fit <- suppressMessages(wbb(lm(mpg ~ wt * cyl + log(hp), cars), draws = 60, seed = 3))
  same <- wbb_lasso(mpg ~ wt * cyl + log(hp), cars, lambda = 0, draws = 60, seed = 3, prior_weight = "fixed", tolerance = 1e-12)
  for (interval in c("credible", "prediction")) {
    expect_equal(predict(fit, new, interval = interval), predict(same, new, interval = interval), tolerance = 1e-6)
  }
  skip_if_not_installed("rstantools")
  expect_equal(rstantools::posterior_predict(fit, new, seed = 1), rstantools::posterior_predict(same, new, seed = 1), tolerance = 1e-6)
  expect_equal(rstantools::log_lik(fit), rstantools::log_lik(same), tolerance = 1e-6)
  expect_equal(rstantools::bayes_R2(fit), rstantools::bayes_R2(same), tolerance = 1e-6)
})

test_that("what is no lasso without penalty says why", {
  expect_error(predict(suppressMessages(wbb(lm(mpg ~ wt + I(2 * wt), cars), draws = 3, seed = 1))), "not determined", class = "wbb_error_argument")
  trials <- suppressMessages(wbb(glm(cbind(carb, 10 - carb) ~ wt, binomial(), cars), draws = 3, seed = 1))
  expect_error(predict(trials), "trials", class = "wbb_error_argument")
  gone <- wbb(lm(mpg ~ wt, cars), draws = 3, seed = 1, keep_data = FALSE)
  expect_error(predict(gone), "not kept", class = "wbb_error_argument")
  expect_error(terms(gone), "not kept", class = "wbb_error_argument")
  mean <- wbb(function(w, w0) sum(w), n = 5, draws = 3, seed = 1)
  expect_error(fitted(mean), "predict_at", class = "wbb_error_argument")
  expect_error(model.frame(mean), "made of a function", class = "wbb_error_argument")
  expect_error(predict(suppressMessages(wbb(lm(mpg ~ log(wt), cars), draws = 3, seed = 1)), data.frame(hp = 1)), "lacks \"wt\"", class = "wbb_error_argument")
  # A model that was changed is not R's to complain about.
  changed <- wbb(lm(mpg ~ wt, mtcars), draws = 3, seed = 1)
  changed$model <- 1
  expect_error(predict(changed), class = "wbb_error")
  changed$model <- lm(mpg ~ wt, mtcars)
  changed$model$terms <- NULL
  expect_error(predict(changed), "has been changed", class = "wbb_error_fit")
})
