fit <- quick_diabetes(draws = 50)
path <- quick(y ~ ., diabetes, lambda = c(200, 50))

test_that("coef() gives mode, mean and median", {
  draws <- as.matrix(fit)
  expect_identical(coef(fit), fit$mode)
  expect_equal(coef(fit, "mean"), colMeans(draws))
  expect_equal(coef(fit, "median"), apply(draws, 2, median))
  expect_identical(dim(coef(path)), c(11L, 2L))
  expect_identical(coef(path, lambda = 50), coef(path)[, "50"])
  expect_equal(coef(path, "mean", lambda = 200), colMeans(as.matrix(path, lambda = 200)))
  expect_bad(coef(fit, "max"), "type")
  expect_bad(coef(path, lambda = 3), "lambda")
})

test_that("vcov() and confint() describe the draws", {
  draws <- as.matrix(fit)
  expect_equal(vcov(fit), cov(draws))
  limits <- confint(fit)
  expect_identical(colnames(limits), c("2.5 %", "97.5 %"))
  expect_equal(limits["bmi", ], quantile(draws[, "bmi"], c(0.025, 0.975), names = FALSE), ignore_attr = TRUE)
  expect_identical(confint(fit, c("ltg", "bmi")), limits[c("ltg", "bmi"), ])
  expect_identical(confint(fit, 2:3), limits[2:3, ])
  expect_identical(colnames(confint(fit, level = 0.9)), c("5 %", "95 %"))
  expect_bad(confint(fit, "weight"), "parm", "weight")
  expect_bad(confint(fit, level = 1), "level")
  expect_bad(vcov(path), "lambda")
  expect_identical(dim(confint(path, lambda = 50)), c(11L, 2L))
})

test_that("fitted() and residuals() belong to the mode", {
  x <- model.matrix(fit)
  expect_equal(fitted(fit), drop(cbind(1, x) %*% coef(fit)))
  expect_equal(residuals(fit), diabetes$y - fitted(fit))
  expect_identical(dim(fitted(path)), c(442L, 2L))
  expect_identical(residuals(path, lambda = 50), residuals(path)[, "50"])
  expect_identical(names(fitted(fit)), row.names(diabetes))
})

test_that("the model can be looked at", {
  expect_identical(nobs(fit), 442L)
  expect_identical(formula(fit), y ~ age + sex + bmi + map + tc + ldl + hdl + tch + ltg + glu,
    ignore_formula_env = TRUE)
  expect_null(formula(quick(as.matrix(diabetes[1:10]), diabetes$y)))
  expect_identical(names(model.frame(fit)), c("y", names(diabetes)[1:10]))
  expect_identical(attr(terms(fit), "term.labels"), names(diabetes)[1:10])
  expect_identical(variable.names(fit), c("(Intercept)", names(diabetes)[1:10]))
  expect_identical(model.matrix(fit), as.matrix(diabetes[1:10]), ignore_attr = TRUE)
})

test_that("update() evaluates the call with changes", {
  same_draws(update(fit), fit)
  expect_identical(nrow(as.matrix(update(fit, draws = 7))), 7L)
  smaller <- update(fit, . ~ bmi + ltg)
  expect_identical(variable.names(smaller), c("(Intercept)", "bmi", "ltg"))
  without <- update(fit, . ~ . - age)
  expect_false("age" %in% variable.names(without))
  x <- as.matrix(diabetes[1:10])
  expect_identical(nrow(as.matrix(update(quick(x, diabetes$y), draws = 3))), 3L)
  expect_identical(wbb::wbb_lasso(x, diabetes$y, lambda = 1, draws = 2)$call[[1]], quote(wbb::wbb_lasso))
  expect_identical(do.call(wbb_lasso, list(y ~ bmi, diabetes, lambda = 1, draws = 2))$call[[1]], quote(wbb_lasso))
})

test_that("without data, what needs them says so", {
  bare <- quick_diabetes(keep_data = FALSE)
  expect_null(bare$y)
  expect_null(bare$model)
  for (method in list(residuals, model.matrix, model.frame, predict)) {
    expect_error(method(bare), class = "wbb_error_argument")
  }
  expect_identical(predict(bare, diabetes[1:3, ]), predict(fit, diabetes[1:3, ]))
  expect_length(fitted(bare), 442L)
  expect_length(weights(bare, draws = 1), 443L)
})

test_that("zeros of many coefficients are counted", {
  wide <- made_data(30, 80)
  fit <- quick(wide$x, wide$y, lambda = 25, prior_weight = "fixed")
  zero <- coef(fit) == 0
  expect_output(print(fit), paste("and", sum(zero), "that are zero"))
  mostly <- colMeans(as.matrix(fit) == 0) > 0.5
  expect_output(print(summary(fit)), paste("and", sum(mostly), "that are zero in most draws"))
})

test_that("print() shows the fit", {
  local_reproducible_output(width = 100)
  round_mode <- function(fit) {
    fit$mode <- signif(fit$mode, 3)
    fit
  }
  expect_snapshot(print(round_mode(fit)))
  expect_snapshot(print(round_mode(path)))
})
