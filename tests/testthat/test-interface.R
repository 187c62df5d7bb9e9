d <- made_data()
x <- d$x
y <- d$y

test_that("misspelt arguments get a suggestion", {
  expect_bad(quick(x, y, lamda = 1), "lamda", "Did you mean `lambda`?")
  expect_bad(quick(x, y, penalty.factor = 1), "penalty.factor", "`penalty_factor`")
  expect_bad(quick_diabetes(standardise = TRUE), "standardise", "`standardize`")
  expect_bad(quick_diabetes(famly = "binomial"), "famly", "family")
  expect_bad(wbb_lasso(x, formula = y ~ .), "formula", "formula comes first")
  expect_bad(wbb_lasso(y = y), "x", "missing")
  expect_bad(wbb_lasso(), "x", "missing")
  expect_bad(predict(quick(x, y), newx = x), "newx", "`newdata`")
  expect_bad(summary(quick(x, y), prob = 0.1, lamda = 1), "lamda", "`lambda`")
})

test_that("the error's call is the user's", {
  error <- tryCatch(wbb_lasso(x, y, lambda = -1), error = identity)
  expect_identical(conditionCall(error), quote(wbb_lasso(x, y, lambda = -1)))
  expect_identical(error$value, -1)
})

estimators <- list(
  wbb_lasso = lasso_estimator, wbb_trendfilter = trendfilter_estimator, wbb_genlasso = genlasso_estimator,
  bayes_bridge = bridge_estimator, wbb_mlp = mlp_estimator
)

test_that("every estimator declares what a fit needs", {
  for (name in names(estimators)) {
    estimator <- estimators[[name]]()
    expect_identical(estimator$name, name)
    for (part in c("default", "prepare", "job", "shapes", "object", "doubt")) expect_type(estimator[[part]], "closure")
    expect_true(all(c(estimator$data, estimator$rows) %in% names(formals(estimator$default))))
    expect_true(is.function(get(paste0("needed_parts.", estimator$class), asNamespace("wbb"))))
  }
})

test_that("a mistake is blamed on the function that was called", {
  data <- data.frame(x1 = x[, 1], y = y)
  matrix_calls <- list(
    wbb_lasso = function(...) wbb_lasso(x, y, ...), wbb_trendfilter = function(...) wbb_trendfilter(y, ...),
    wbb_genlasso = function(...) wbb_genlasso(y, D = diff(diag(60)), lambda = 1, ...),
    bayes_bridge = function(...) bayes_bridge(x, y, ...), wbb_mlp = function(...) wbb_mlp(x, y, ...)
  )
  for (name in names(matrix_calls)) {
    expect_bad(matrix_calls[[name]](drows = 3), "drows", paste0("`", name, "()` has no argument `drows`. Did you mean `draws`?"))
  }
  for (fit in list(wbb_lasso, wbb_trendfilter, bayes_bridge, wbb_mlp)) {
    expect_bad(fit(y ~ x1, data, drows = 3), "drows", "`draws`")
    expect_bad(fit(data = data, formula = y ~ x1, seeed = 3), "seeed", "`seed`")
  }
})

test_that("all checks of dots name their function and its arguments", {
  calls <- list()
  look <- function(code) {
    if (is.call(code) && identical(code[[1L]], quote(check_dots))) calls[[length(calls) + 1L]] <<- names(code)
    if (is.recursive(code)) for (part in as.list(code)) if (!missing(part)) look(part)
  }
  for (name in ls(asNamespace("wbb"))) {
    f <- get(name, asNamespace("wbb"))
    if (is.function(f)) look(body(f))
  }
  expect_gt(length(calls), 30)
  for (names in calls) expect_true(all(c(".function", ".known") %in% names))
})

test_that("a setting that is a column of the data is explained", {
  error <- expect_bad(wbb_lasso(y ~ bmi, diabetes, weights = age), "weights", "go into `case_weights`")
  expect_identical(conditionCall(error), quote(wbb_lasso(y ~ bmi, diabetes, weights = age)))
  expect_bad(wbb_trendfilter(dist ~ speed, cars, weights = nowhere), "weights", "object 'nowhere' not found")
  expect_bad(wbb_mlp(dist ~ speed, cars, weights = nowhere), "weights", "case_weights")
  expect_bad(wbb_lasso(y ~ bmi, diabetes, penalty_factor = bmi), "penalty_factor", "only `case_weights`, `cluster`, `foldid`")
  expect_bad(bayes_bridge(y ~ bmi, diabetes, alpha = age), "alpha", "object 'age' not found.")
  # Our own errors on the way stay as they are.
  expect_bad(wbb_lasso(y ~ bmi, diabetes, weights = weight_law("gamma", -1)), "parameter")
  expect_identical(quick(y ~ bmi, diabetes, case_weights = age)$spec$case_weights, as.double(diabetes$age))
})

test_that("the fit remembers what was typed", {
  data <- data.frame(x, y)
  expect_identical(wbb::wbb_lasso(y ~ ., data, lambda = 5, draws = 2)$call, quote(wbb::wbb_lasso(formula = y ~ ., data = data, lambda = 5, draws = 2)))
  expect_identical(do.call(wbb_lasso, list(x, y, lambda = 5, draws = 2))$call[[1]], quote(wbb_lasso))
  expect_identical(do.call(bayes_bridge, list(x, y, draws = 100, chains = 2, seed = 1))$call[[1]], quote(bayes_bridge))
  # A formula may stand anywhere.
  anywhere <- wbb_lasso(data = data, lambda = 5, draws = 3, seed = 1, formula = y ~ .)
  expect_identical(anywhere$draws, wbb_lasso(y ~ ., data, lambda = 5, draws = 3, seed = 1)$draws)
  piped <- data |> wbb_lasso(formula = y ~ ., lambda = 5, draws = 3, seed = 1)
  expect_identical(piped$draws, anywhere$draws)
  expect_identical(update(piped, draws = 2)$draws, anywhere$draws[1:2, , drop = FALSE])
  expect_identical(cars |> wbb_trendfilter(formula = dist ~ speed, lambda = 5, draws = 2, seed = 1) |> coef(),
    coef(wbb_trendfilter(dist ~ speed, cars, lambda = 5, draws = 2, seed = 1)))
})

test_that("settings of data that cannot be evaluated are explained", {
  expect_bad(wbb_lasso(x, y, lambda = 5, weights = nowhere), "weights", "go into `case_weights`.")
  expect_bad(wbb(lm(dist ~ speed, cars), weights = nowhere), "weights", "go into the model")
  expect_bad(wbb_lasso(x, y, lambda = nowhere), "lambda", "object 'nowhere' not found")
})

test_that("rows are found behind the dots of a function between", {
  d <- transform(diabetes[1:60, ], twice = rep(1:2, 30L), keep = rep(c(TRUE, TRUE, FALSE), 20L))
  fit <- function(...) wbb_lasso(..., lambda = 5, draws = 2, seed = 1, threads = 1)
  own <- wbb_lasso(y ~ bmi, d, lambda = 5, draws = 2, seed = 1, case_weights = twice, subset = keep)
  through <- fit(y ~ bmi, d, case_weights = twice, subset = keep)
  expect_identical(as.matrix(through), as.matrix(own))
  through <- lapply(list(y ~ bmi), wbb_lasso, d, lambda = 5, draws = 2, seed = 1, case_weights = twice, subset = keep)[[1L]]
  expect_identical(as.matrix(through), as.matrix(own))
  trend <- function(...) as.matrix(wbb_trendfilter(..., lambda = 5, draws = 2, seed = 1))
  expect_identical(trend(y ~ age, d, subset = keep), trend(y ~ age, d[d$keep, ]))
})

test_that("a formula behind the data is to be named", {
  expect_bad(diabetes |> wbb_lasso(y ~ bmi), "formula", "by its name, formula = y ~ x")
  expect_bad(wbb_mlp(diabetes, y = y ~ bmi), "formula", "be named")
  expect_s3_class(diabetes |> wbb_lasso(formula = y ~ bmi, lambda = 5, draws = 2, seed = 1), "wbb_lasso")
})
