d <- made_data()
x <- d$x
y <- d$y

test_that("numbers that are not finite are refused in x and y", {
  for (bad in c(NA, NaN, Inf, -Inf)) {
    x_bad <- x
    x_bad[3, 2] <- bad
    expect_bad(quick(x_bad, y), "x", "row 3 of column \"x2\"")
    expect_bad(quick(as.data.frame(x_bad), y), "x")
    expect_bad(quick(as(x_bad, "CsparseMatrix"), y), "x", "row 3 of column \"x2\"")
    y_bad <- y
    y_bad[4] <- bad
    expect_bad(quick(x, y_bad), "y", "element 4")
    if (is.infinite(bad)) expect_bad(quick(y ~ x2, data.frame(x_bad, y)), "data")
  }
})

test_that("empty and unequal data are refused", {
  expect_bad(quick(x[0, ], y[0]), "x", "0 rows")
  expect_bad(quick(x[, 0], y), "x", "0 columns")
  expect_bad(quick(data.frame(x)[0], y), "x")
  expect_bad(quick(x, y[-1]), "y", "59")
  expect_bad(quick(x), "y", "missing")
  expect_bad(quick(x, NULL), "y")
})

test_that("wrong types are refused", {
  expect_bad(quick(x, as.character(y)), "y")
  expect_bad(quick(x, factor(y > 0)), "y")
  expect_bad(quick(x, as.list(y)), "y")
  expect_bad(quick(x, cbind(y, y)), "y")
  expect_bad(quick(matrix("a", 60, 2), y), "x", "character")
  expect_bad(quick(as.list(1:60), y), "x")
  expect_bad(quick(1:60, y), "x", "as.matrix")
  expect_bad(quick(NULL, y), "x")
  expect_bad(quick(data.frame(d = Sys.Date() + 1:60), y), "x", "\"d\"")
  expect_bad(quick(data.frame(f = rep("a", 60)), y), "x", "\"f\"")
  expect_s3_class(quick(x > 0, y > 0), "wbb_lasso")
  expect_s3_class(quick(x, as.matrix(y)), "wbb_lasso")
})

test_that("lambda is checked", {
  expect_bad(quick(x, y, lambda = c(1, -1)), "lambda", "element 2 is -1")
  expect_bad(quick(x, y, lambda = NaN), "lambda", "NaN")
  expect_bad(quick(x, y, lambda = Inf), "lambda")
  expect_bad(quick(x, y, lambda = "auto"), "lambda", "auto")
  expect_bad(quick(x, y, lambda = NULL), "lambda")
  expect_bad(quick(x, y, lambda = numeric()), "lambda")
  expect_bad(quick(x, y, lambda = c(1, 2, 1)), "lambda", "twice")
})

test_that("draws, threads and seed are checked", {
  for (bad in list(0, 2.5, NA, -1, "a", NULL, c(1, 2), Inf)) {
    expect_bad(quick(x, y, draws = bad), "draws")
    expect_bad(quick(x, y, first_draw = bad), "first_draw")
  }
  expect_bad(quick(x, y, draws = 1e12), "draws", "48,000 GB")
  expect_bad(quick(x, y, draws = 1e10, lambda = 1:3), "draws", "3 lambdas")
  for (bad in list(0, 1.5, NA, "a", c(1, 2))) expect_bad(quick(x, y, threads = bad), "threads")
  for (bad in list(2.5, NA, "a", 2^54, c(1, 2))) expect_bad(quick(x, y, seed = bad), "seed")
})

test_that("weights of rows, clusters and folds are checked", {
  w <- rep(1, 60)
  expect_bad(quick(x, y, case_weights = replace(w, 2, -1)), "case_weights", "element 2 is -1")
  expect_bad(quick(x, y, case_weights = replace(w, 2, NA)), "case_weights")
  expect_bad(quick(x, y, case_weights = 0 * w), "case_weights", "all are 0")
  expect_bad(quick(x, y, case_weights = 1:3), "case_weights", "length 3")
  expect_bad(quick(x, y, case_weights = "a"), "case_weights")
  expect_bad(quick(x, y, cluster = replace(1:60, 2, NA)), "cluster", "element 2")
  expect_bad(quick(x, y, cluster = 1:3), "cluster")
  expect_bad(quick(x, y, cluster = as.list(1:60)), "cluster")
  expect_bad(quick(x, y, foldid = rep(c(1, 3), 30)), "foldid", "fold 2 has no rows")
  expect_bad(quick(x, y, foldid = rep(1, 60)), "foldid")
  expect_bad(quick(x, y, foldid = rep(c(1, 1.5), 30)), "foldid")
  expect_bad(quick(x, y, nfolds = 1), "nfolds")
  expect_bad(quick(x[1, , drop = FALSE], y[1], lambda = "cv"), "lambda")
})

test_that("other settings are checked", {
  expect_bad(quick(x, y, alpha = 2), "alpha")
  expect_bad(quick(x, y, penalty_factor = c(1, 2)), "penalty_factor")
  expect_bad(quick(x, y, penalty_factor = c(1, 1, 1, 1, -1)), "penalty_factor")
  expect_bad(quick(x, y, standardize = NA), "standardize")
  expect_bad(quick(x, y, intercept = 1), "intercept")
  expect_bad(quick(x, y, refit = "yes"), "refit")
  expect_bad(quick(x, y, refit = -1), "refit")
  expect_bad(quick(x, y, lambda_rule = "best"), "lambda_rule")
  expect_bad(quick(x, y, nlambda = 1), "nlambda")
  expect_bad(quick(x, y, lambda_min_ratio = 1), "lambda_min_ratio")
  expect_bad(quick(x, y, tolerance = 0), "tolerance")
  expect_bad(quick(x, y, max_iterations = 0), "max_iterations")
  expect_bad(quick(x, y, prior_weight = "x"), "prior_weight", "\"coef\"")
  expect_bad(quick(x, y, weights = "uniform"), "weights")
  expect_bad(quick(x, y, weights = y), "weights", "case_weights")
  expect_bad(quick(x, y, backend = "mpi"), "backend")
  expect_bad(quick(x, y, progress = "yes"), "progress")
  expect_bad(quick(x, y, keep_data = NULL), "keep_data")
  expect_bad(weight_law("gamma", -1), "parameter")
  expect_bad(weight_law("mammen", 1), "parameter")
})

test_that("misspelt arguments get a suggestion", {
  expect_bad(quick(x, y, lamda = 1), "lamda", "Did you mean `lambda`?")
  expect_bad(quick(x, y, penalty.factor = 1), "penalty.factor", "`penalty_factor`")
  expect_bad(quick_diabetes(standardise = TRUE), "standardise", "`standardize`")
  expect_bad(quick_diabetes(family = "binomial"), "family")
  expect_bad(wbb_lasso(diabetes, formula = y ~ .), "formula", "formula comes first")
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

test_that("names with %, non-ASCII letters, blanks and duplicates survive", {
  odd <- c("100%s%n", "gr\u00f6\u00dfe", "", "a", "a")
  colnames(x) <- odd
  fit <- quick(x, y)
  expect_identical(names(coef(fit)), c("(Intercept)", "100%s%n", "gr\u00f6\u00dfe", "V3", "a", "a.1"))
  expect_identical(predict(fit, x), predict(fit))
  x[2, 1] <- NA
  expect_bad(quick(x, y), "x", "100%s%n")
  expect_bad(predict(fit, x[, -1]), "newdata", "100%s%n")
  data <- data.frame(`100%s` = d$x[, 1], y = y, check.names = FALSE)
  fit <- quick(y ~ ., data)
  expect_identical(predict(fit, data), fitted(fit))
  expect_bad(predict(fit, data["y"]), "newdata", "100%s")
  colnames(x)[4] <- "(Intercept)"
  x[2, 1] <- 0
  expect_false(anyDuplicated(names(coef(quick(x, y)))) > 0)
})

test_that("error messages read well", {
  message_of <- function(code) cat(conditionMessage(tryCatch(code, error = identity)), "\n")
  expect_snapshot({
    message_of(wbb_lasso(y ~ ., diabetes, lambda = c(2, -1)))
    message_of(wbb_lasso(y ~ ., diabetes, draws = 1e12))
    message_of(wbb_lasso(y ~ ., diabetes, draws = 2.5))
    message_of(wbb_lasso(y ~ ., diabetes, lamda = 2))
    message_of(wbb_lasso(y ~ ., diabetes, prior_weight = "rnd"))
    message_of(wbb_lasso(y ~ ., diabetes, weights = runif(442)))
    message_of(wbb_lasso(diabetes[1:3], diabetes$y[-1]))
    message_of(predict(quick_diabetes(), diabetes[1:2]))
    message_of(c(quick_diabetes(), quick_diabetes()))
  })
})
