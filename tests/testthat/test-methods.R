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
  expect_bad(coef(fit, "max"), "estimate")
  expect_identical(coef(fit, estimate = "mean"), coef(fit, type = "mean"))
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
  for (parm in list(quote(x + y), quote(x), sum, list("bmi"), globalenv())) expect_bad(confint(fit, parm), "parm")
  expect_bad(confint(fit, level = 1), "level")
  # A path without `lambda`: a third dimension.
  expect_identical(vcov(path)[, , "50"], vcov(path, lambda = 50))
  expect_identical(confint(path, "bmi")[, , "50"], confint(path, "bmi", lambda = 50)[1L, ])
  expect_identical(dim(confint(path, lambda = 50)), c(11L, 2L))
})

test_that("fitted() and residuals() belong to the mode", {
  expect_equal(fitted(fit), drop(model.matrix(fit) %*% coef(fit)))
  expect_equal(residuals(fit), diabetes$y - fitted(fit))
  expect_identical(dim(fitted(path)), c(442L, 2L))
  expect_identical(residuals(path, lambda = 50), residuals(path)[, "50"])
  expect_identical(names(fitted(fit)), row.names(diabetes))
})

test_that("the model can be looked at", {
  expect_identical(nobs(fit), 442L)
  expect_identical(formula(fit), y ~ age + sex + bmi + map + tc + ldl + hdl + tch + ltg + glu,
    ignore_formula_env = TRUE)
  xy <- quick(as.matrix(diabetes[1:10]), diabetes$y)
  for (method in list(formula, terms, model.frame)) expect_error(method(xy), "not from a formula", class = "wbb_error_argument")
  expect_identical(names(model.frame(fit)), c("y", names(diabetes)[1:10]))
  expect_identical(attr(terms(fit), "term.labels"), names(diabetes)[1:10])
  expect_identical(variable.names(fit), c("(Intercept)", names(diabetes)[1:10]))
  expect_identical(model.matrix(fit), cbind(1, as.matrix(diabetes[1:10])), ignore_attr = TRUE)
})

test_that("the model matrix times the coefficients is the fit, for every kind", {
  d <- made_data()
  sparse <- Matrix::Matrix(d$x * (abs(d$x) > 0.8), sparse = TRUE)
  fits <- list(
    quick(d$x, d$y), quick(d$x, d$y, intercept = FALSE), quick(sparse, d$y), quick(y ~ 0 + bmi, diabetes),
    quick(y ~ factor(sex) + poly(bmi, 2), diabetes),
    bayes_bridge(y ~ bmi, diabetes, draws = 200, burn = 10, chains = 1, seed = 1, threads = 1),
    quick_trend(), wbb_trendfilter(dist ~ speed, cars, order = 1, lambda = 20, draws = 3, seed = 1, threads = 1),
    wbb_genlasso(d$y, D = diff(diag(60)), lambda = 1, draws = 3, seed = 1, threads = 1),
    wbb_genlasso(d$y, d$x, D = diff(diag(5)), lambda = 1, draws = 3, seed = 1, threads = 1)
  )
  for (fit in fits) {
    expect_equal(as.vector(model.matrix(fit) %*% coef(fit)), as.vector(fitted(fit)))
  }
  expect_s4_class(model.matrix(fits[[3]]), "dgCMatrix")
  expect_s4_class(model.matrix(fits[[7]]), "dgCMatrix")
})

test_that("the model of other data is that of other data", {
  new <- diabetes[c(9, 3), ]
  expect_equal(drop(model.matrix(fit, data = new) %*% coef(fit)), predict(fit, new))
  expect_identical(model.frame(fit, data = new), model.frame(fit)[c(9, 3), ], ignore_attr = TRUE)
  coded <- quick(y ~ bmi + factor(sex), diabetes)
  one <- diabetes[1, ]
  expect_identical(colnames(model.matrix(coded, data = one)), variable.names(coded))
  expect_identical(levels(model.frame(coded, data = one)[["factor(sex)"]]), coded$xlevels[["factor(sex)"]])
  holes <- transform(diabetes[1:4, ], bmi = c(NA, 1, 2, 3))
  expect_identical(nrow(model.frame(fit, data = holes)), 3L)
  expect_identical(nrow(model.frame(fit, data = holes, na.action = na.pass)), 4L)
  expect_error(model.frame(fit, data = holes, na.action = na.fail), class = "wbb_error_argument")
  expect_bad(model.frame(fit, data = new["bmi"]), "data", "lacks")
  expect_bad(model.frame(fit, data = transform(new, bmi = "a")), "data", "\"bmi\"")
  expect_bad(model.frame(fit, date = new), "date")
  bare <- quick_diabetes(keep_data = FALSE)
  expect_identical(model.frame(bare, data = new), model.frame(fit, data = new), ignore_attr = TRUE)
  trend <- quick_trend()
  expect_equal(as.vector(model.matrix(trend, data = c(1.5, 20.25)) %*% coef(trend)), predict(trend, c(1.5, 20.25)))
})

test_that("what functions for any model pass on is taken, and what is misspelt is not", {
  # coef() and vcov() as car::linearHypothesis() calls them, residuals() as plots of residuals do.
  expect_identical(coef(fit, complete = FALSE), coef(fit))
  expect_identical(vcov(fit, complete = FALSE), vcov(fit))
  expect_identical(residuals(fit, type = "response"), residuals(fit))
  weighted <- quick(y ~ bmi, diabetes, case_weights = rep(1:2, 221))
  expect_equal(residuals(weighted, type = "pearson"), sqrt(rep(1:2, 221)) * residuals(weighted))
  expect_bad(residuals(fit, type = "partial"), "type", "partial")
  # Their type stands where lm() and glm() have it.
  expect_identical(residuals(weighted, "pearson"), residuals(weighted, type = "pearson"))
  expect_bad(coef(fit, complet = FALSE, lamda = 1), "lamda", "lambda")
  expect_bad(vcov(fit, lamda = 1), "lamda")
})

test_that("words have their plurals", {
  one <- quick(matrix(1:3, 1), 2, lambda = 1)
  expect_output(print(one), "Data: 1 row, 3 columns", fixed = TRUE)
  expect_output(print(quick(y ~ bmi, diabetes)), "442 rows, 1 column\n", fixed = TRUE)
  expect_output(print(quick(y ~ bmi, diabetes, alpha = 0)), "bootstrap of the ridge estimator\n", fixed = TRUE)
  expect_identical(counted(1, "row"), "1 row")
  expect_identical(counted(0, "row"), "0 rows")
  expect_identical(counted(1e5, "row"), "100,000 rows")
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
  mostly <- colMeans(as.matrix(fit) == 0) > 0.5
  expect_output(print(fit), paste("and", sum(mostly), "more, zero in most draws"))
  expect_output(print(summary(fit)), paste("and", sum(mostly), "that are zero in most draws"))
})

test_that("the call is printed in lines that are no wider than the console", {
  calls <- list(
    quote(wbb_mlp(formula = Species ~ ., data = iris[c(TRUE, FALSE), ], hidden = c(5, 4), test = iris[c(FALSE, TRUE), ], draws = 3)),
    quote(wbb_lasso(formula = y ~ ., data = diabetes, lambda = c(200, 50), draws = 20, seed = 1, threads = 1, alpha = 0.5)),
    quote(wbb(object = lm(y ~ a + b, d), statistic = summarise_it, n = 10, draws = 2000, seed = 1, on_error = "drop", progress = FALSE))
  )
  for (call in calls) {
    for (width in c(40, 57:80, 120)) {
      lines <- strsplit(call_text(call, width), "\n", fixed = TRUE)[[1L]]
      expect_lte(max(nchar(lines)), width)
      expect_lte(length(lines), 4L)
    }
    # It can be typed again.
    expect_identical(str2lang(sub("Call: ", "", call_text(call, 80), fixed = TRUE)), call)
  }
  # A function is not broken, and what stands beside it is.
  whole <- quote(wbb(object = lm(y ~ a + b, d), statistic = function(m) c(r2 = summary(m)$r.squared), draws = 2000))
  expect_match(call_text(whole, 57), "d),\n          statistic = function(m) c(r2 = summary(m)$r.squared),\n", fixed = TRUE)
  # Of a call with data in it there is the beginning.
  lines <- strsplit(call_text(as.call(list(quote(wbb_lasso), x = diag(30) + 0.5)), 80), "\n", fixed = TRUE)[[1L]]
  expect_length(lines, 4L)
  expect_match(lines[4L], " ...", fixed = TRUE)
  expect_lte(max(nchar(lines)), 80)
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

test_that("what is printed keeps to the width of the console", {
  old <- options(width = 60)
  on.exit(options(old))
  fits <- list(
    quick(am ~ wt + hp, mtcars, family = "binomial"), quick_mlp(draws = 3),
    wbb_genlasso(diabetes$y[1:60], D = diff(diag(60)), lambda = 5, draws = 5, seed = 1)
  )
  for (fit in fits) {
    fit$call <- quote(f(x))
    expect_lte(max(nchar(c(capture.output(print(fit)), capture.output(print(summary(fit)))))), 60)
  }
})
