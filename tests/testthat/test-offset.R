# Offsets of the Gaussian family; those of the others are in test-family.R.

cars2 <- transform(mtcars, o = 3 + hp / 50, w = seq_len(32))

test_that("an offset is what is taken from the response", {
  fit <- quick(mpg ~ wt + cyl, cars2, offset = o)
  plain <- quick(I(mpg - o) ~ wt + cyl, cars2)
  expect_identical(fit$draws, plain$draws)
  expect_identical(fit$diagnostics, plain$diagnostics)
  expect_equal(fitted(fit), fitted(plain) + cars2$o, ignore_attr = TRUE)
  expect_equal(residuals(fit), residuals(plain))
  expect_equal(deviance(fit), deviance(plain))
  expect_identical(sigma(fit), sigma(plain))
  for (interval in c("credible", "prediction")) {
    expect_equal(predict(fit, interval = interval), predict(plain, interval = interval) + cars2$o, ignore_attr = TRUE)
  }
  expect_equal(predict(fit, type = "draws"), predict(plain, type = "draws") + rep(cars2$o, each = 20))
})

test_that("argument, formula and both ways in are the same", {
  argument <- quick(mpg ~ wt + cyl, cars2, offset = o)
  formula <- quick(mpg ~ wt + cyl + offset(o), cars2)
  both <- quick(mpg ~ wt + cyl + offset(o / 2), cars2, offset = o / 2)
  matrix <- quick(as.matrix(cars2[c("wt", "cyl")]), cars2$mpg, offset = cars2$o)
  for (fit in list(formula, both, matrix)) {
    expect_identical(fit$draws, argument$draws)
    expect_equal(fitted(fit), fitted(argument))
  }
  expect_identical(update(argument, . ~ . + offset(o), offset = NULL)$draws, argument$draws)
  new <- cars2[3:5, ]
  expect_equal(predict(formula, new), predict(argument, new))
  expect_equal(predict(both, new), predict(argument, new))
  expect_equal(predict(argument, new), predict(argument)[3:5])
  expect_equal(predict(matrix, as.matrix(new[c("wt", "cyl")]), newoffset = new$o), predict(argument, new))
  expect_equal(predict(argument, new, newoffset = 1:3), predict(argument, new) - new$o + 1:3)
  expect_equal(generics::augment(formula, newdata = new)$.fitted, unname(predict(formula, new)))
  expect_true("offset(o)" %in% names(model.frame(formula)))
})

test_that("without a penalty it is lm()'s, with NA, subset and weights", {
  holes <- transform(cars2, o = replace(o, 4, NA), mpg = replace(mpg, 9, NA))
  fit <- quick(mpg ~ wt + factor(cyl), holes, offset = o, subset = gear > 3, case_weights = w, lambda = 0,
    na.action = na.exclude)
  model <- lm(mpg ~ wt + factor(cyl), holes, offset = o, subset = gear > 3, weights = w, na.action = na.exclude)
  expect_equal(coef(fit), coef(model), tolerance = 1e-7)
  expect_equal(fitted(fit), fitted(model), tolerance = 1e-7)
  expect_equal(predict(fit, cars2), predict(model, cars2), tolerance = 1e-7)
  expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(model)))
  expect_equal(AIC(fit), AIC(model))
  expect_equal(BIC(fit), BIC(model))
})

test_that("everything of the lasso goes on with it", {
  chunks <- c(quick(mpg ~ wt, cars2, offset = o, draws = 8), quick(mpg ~ wt, cars2, offset = o, draws = 12, first_draw = 9))
  expect_identical(chunks$draws, quick(mpg ~ wt, cars2, offset = o)$draws)
  expect_bad(c(quick(mpg ~ wt, cars2, offset = o), quick(mpg ~ wt, cars2, seed = 2)), "...", "offset")
  cv <- quick(mpg ~ ., cars2[c("mpg", "wt", "hp", "o")], lambda = "cv", offset = o)
  expect_identical(cv$lambda, quick(I(mpg - o) ~ ., cars2[c("mpg", "wt", "hp", "o")], lambda = "cv")$lambda)
  elastic <- quick(mpg ~ wt + hp, cars2, offset = o, alpha = 0.5, lambda = c(20, 1))
  expect_equal(df.residual(elastic), df.residual(quick(I(mpg - o) ~ wt + hp, cars2, alpha = 0.5, lambda = c(20, 1))))
})

test_that("bad offsets are refused by name", {
  expect_bad(quick(mpg ~ wt, cars2, offset = 1:3), "formula")
  x <- as.matrix(cars2["wt"])
  expect_bad(quick(x, cars2$mpg, offset = 1:3), "offset", "length 32")
  expect_bad(quick(x, cars2$mpg, offset = c(NA, 1:31)), "offset", "element 1")
  expect_bad(quick(x, cars2$mpg, offset = letters), "offset")
  expect_bad(quick(x, cars2$mpg, offset = cbind(1:32, 1)), "offset", "each row")
  with <- quick(x, cars2$mpg, offset = cars2$o)
  expect_bad(predict(with, x), "newoffset", "is missing")
  expect_bad(predict(with, x, newoffset = 1), "newoffset", "length 32")
  expect_bad(predict(with, newoffset = cars2$o), "newoffset", "newdata")
  expect_bad(predict(quick(x, cars2$mpg), x, newoffset = 1:32), "newoffset", "no offset")
  expect_bad(predict(quick(mpg ~ wt + offset(o), cars2), cars2["wt"]), "newdata", "lacks")
  expect_bad(predict(quick(mpg ~ wt, cars2, offset = o), cars2["wt"]), "newoffset", "is missing")
  expect_bad(quick(x, cars2$mpg, offset = cars2$o, lambda = "marglik"), "lambda")
})
