d <- made_data()
x <- d$x
y <- d$y
data <- data.frame(x, y = y, f = factor(rep(c("a", "b", "c"), 20)))

test_that("all interfaces give the same draws", {
  fit <- quick(x, y)
  plain <- data[c(colnames(x), "y")]
  same_draws(quick(as.data.frame(x), y), fit)
  same_draws(quick(y ~ ., plain), fit)
  same_draws(quick(data = plain, formula = y ~ .), fit)
  same_draws(quick(Matrix::Matrix(x, sparse = FALSE), y), fit)
  whole <- round(10 * x)
  storage.mode(whole) <- "integer"
  same_draws(quick(whole, y), quick(whole + 0, y))
})

test_that("sparse classes are taken as they are", {
  sparse <- Matrix::Matrix(x * (abs(x) > 0.8), sparse = TRUE)
  dense <- as.matrix(sparse)
  fit <- quick(sparse, y)
  expect_equal(as.matrix(fit), as.matrix(quick(dense, y)), tolerance = 1e-5)
  expect_s4_class(fit$x, "dgCMatrix")
  same_draws(quick(as(sparse, "TsparseMatrix"), y), fit)
  expect_equal(predict(fit, sparse, interval = "credible"), predict(fit, dense, interval = "credible"))
  pattern <- as(sparse != 0, "nMatrix")
  expect_identical(quick(pattern, y)$spec$p, 5L)
})

test_that("factors expand as in model.matrix()", {
  fit <- quick(y ~ x1 + f, data)
  expect_identical(variable.names(fit), c("(Intercept)", "x1", "fb", "fc"))
  same_draws(quick(data[c("x1", "f")], y), fit)
  same_draws(quick(transform(data[c("x1", "f")], f = as.character(f)), y), fit)
  ordered <- quick(transform(data[c("x1", "f")], f = ordered(f)), y)
  expect_identical(variable.names(ordered), c("(Intercept)", "x1", "f.L", "f.Q"))
})

test_that("formulas work as in lm()", {
  expect_identical(variable.names(quick(y ~ 0 + x1 + x2, data)), c("x1", "x2"))
  expect_identical(variable.names(quick(y ~ 0 + f, data)), c("fa", "fb", "fc"))
  expect_identical(variable.names(quick(log(abs(y) + 1) ~ poly(x1, 2) + x2:x3, data)),
    c("(Intercept)", "poly(x1, 2)1", "poly(x1, 2)2", "x2:x3"))
  same_draws(quick(y ~ x1 + x2, data, subset = x1 > 0), quick(y ~ x1 + x2, data[data$x1 > 0, ]))
  f <- y ~ x1
  expect_identical(formula(quick(f, data)), f, ignore_formula_env = TRUE)
  local_x <- x[, 1]
  expect_identical(variable.names(quick(y ~ local_x)), c("(Intercept)", "local_x"))
})

test_that("formulas that cannot be fitted are refused", {
  expect_bad(quick(y ~ 1, data), "formula", "predictor")
  expect_bad(quick(~ x1, data), "formula", "response")
  expect_bad(bayes_bridge(y ~ x1 + offset(x2), data), "formula", "offset")
  expect_bad(quick(y ~ absent, data), "formula", "absent")
  expect_bad(quick(f ~ x1, data), "f")
  expect_bad(quick(cbind(x1, x2) ~ x3, data), "cbind(x1, x2)")
  expect_bad(quick(y ~ x1, data[0, ]), "data")
  expect_bad(quick(y ~ x1, data, case_weights = 1:3), "formula", "case_weights")
})

test_that("rows with missing values are left out or padded", {
  holes <- data
  holes$x1[c(2, 5)] <- NA
  omitted <- quick(y ~ x1 + x2, holes)
  same_draws(omitted, quick(y ~ x1 + x2, holes[-c(2, 5), ]))
  expect_identical(nobs(omitted), 58L)
  expect_length(residuals(omitted), 58L)
  padded <- quick(y ~ x1 + x2, holes, na.action = na.exclude)
  expect_identical(which(is.na(fitted(padded))), c(`2` = 2L, `5` = 5L))
  expect_identical(unname(which(is.na(residuals(padded)))), c(2L, 5L))
  expect_identical(predict(padded), fitted(padded))
  expect_identical(nrow(predict(padded, interval = "credible")), 60L)
  expect_error(quick(y ~ x1, holes, na.action = na.fail), class = "wbb_error_argument")
  expect_bad(quick(y ~ x1, holes, na.action = na.pass), "data")
})

test_that("row arguments are columns of the data and follow its rows", {
  data$w <- rep(1:3, 20)
  data$g <- rep(1:30, 2)
  data$x1[2] <- NA
  fit <- quick(y ~ x1 + x2, data, case_weights = w, cluster = g)
  expect_identical(fit$spec$case_weights, as.double(data$w[-2]))
  expect_identical(fit$spec$cluster, match(data$g[-2], unique(data$g[-2])))
  expect_identical(ncol(weights(fit)), 60L)
})

test_that("the expression of the data is evaluated once", {
  count <- 0
  counted_data <- function() {
    count <<- count + 1
    data
  }
  quick(y ~ x1 + f, counted_data())
  expect_identical(count, 1)
  wbb_trendfilter(y ~ x1, counted_data(), lambda = 5, draws = 2, seed = 1, threads = 1)
  expect_identical(count, 2)
  # Random data would have been two different ones.
  drawn <- with_seed(1, quick(y ~ x1, data[sample(60), ]))
  expect_identical(drawn$y, with_seed(1, data[sample(60), ]$y))
})

test_that("groups of mixed models are refused, where they are meant", {
  data$g <- rep(1:6, 10)
  expect_bad(quick(y ~ x1 + (1 | g), data), "formula", "(1 | g)")
  expect_bad(quick(y ~ x1 + (x1 || g), data), "formula", "(x1 || g)")
  expect_bad(quick(y ~ x1 * (1 | g), data), "formula", "cluster")
  expect_bad(bayes_bridge(y ~ x1 + (1 | g), data, draws = 10, burn = 0), "formula", "random effects")
  either <- quick(y ~ x2 + I(x1 > 0 | g > 3), data)
  expect_identical(variable.names(either)[3], "I(x1 > 0 | g > 3)TRUE")
})

test_that("what coxph() takes out of a formula is not taken for a column", {
  skip_if_not_installed("survival")
  data$g <- rep(1:6, 10)
  data$time <- seq_len(60)
  library(survival)
  cox <- function(formula) quick(formula, data, family = "cox")
  expect_bad(cox(Surv(time) ~ x1 + strata(g)), "formula", "wbb(coxph(...))")
  expect_bad(cox(Surv(time) ~ x1 + survival::strata(g)), "formula", "survival::strata(g)")
  expect_bad(cox(Surv(time) ~ x1 + cluster(g)), "formula", "argument `cluster`")
  expect_bad(cox(Surv(time) ~ x1 * (x2 + frailty(g))), "formula", "frailty(g)")
  expect_bad(quick(y ~ ridge(x1, x2), data), "formula", "penalty_factor")
  expect_bad(quick(y ~ pspline(x1), data), "formula", "ns()")
  data$cluster <- data$g
  expect_identical(variable.names(quick(y ~ x1 + cluster, data))[3], "cluster")
})

test_that("degenerate data work", {
  constant <- quick(cbind(x, one = 1), y)
  expect_true(all(as.matrix(constant)[, "one"] == 0))
  flat <- quick(x, rep(3, 60))
  expect_true(all(as.matrix(flat)[, -1] == 0))
  expect_equal(unname(as.matrix(flat)[, 1]), rep(3, 20))
  wide <- made_data(10, 30)
  expect_identical(dim(as.matrix(quick(wide$x, wide$y))), c(20L, 31L))
  single <- quick(x[1, , drop = FALSE], y[1])
  expect_true(all(as.matrix(single)[, -1] == 0))
})

test_that("contrasts are those that are asked for", {
  d <- diabetes[1:60, ]
  d$g <- factor(rep(c("a", "b", "c"), 20))
  fit <- quick(y ~ bmi + g, d, lambda = 0, contrasts = list(g = "contr.sum"))
  expect_equal(coef(fit), coef(lm(y ~ bmi + g, d, contrasts = list(g = "contr.sum"))), tolerance = 1e-5)
  expect_equal(predict(fit, d[1:3, ]), fitted(fit)[1:3])
  expect_identical(attr(model.matrix(fit), "contrasts")$g, "contr.sum")
  expect_bad(quick(y ~ bmi + g, d, lambda = 0, contrasts = list(h = "contr.sum")), "contrasts", "\"h\"")
  expect_bad(quick(y ~ bmi + g, d, lambda = 0, contrasts = "contr.sum"), "contrasts")
})

test_that("columns are named without quotes", {
  expect_bad(wbb_lasso(y ~ bmi, diabetes, case_weights = "age"), "case_weights", "case_weights = age")
  expect_bad(wbb_lasso(y ~ bmi, diabetes, cluster = "sex"), "cluster", "cluster = sex")
  expect_bad(wbb_lasso(y ~ bmi, diabetes, offset = "age"), "offset", "offset = age")
  expect_bad(wbb_lasso("y ~ bmi", diabetes), "x", "A formula is written without quotes")
})

test_that("what is wrong with the data is said of the data", {
  expect_bad(quick(y ~ bmi + same, transform(diabetes, same = "a")), "data", "column \"same\" has only \"a\"")
  expect_bad(quick(y ~ bmi + z, transform(diabetes, z = complex(real = age))), "formula", "complex")
  expect_bad(quick(y ~ bmi, diabetes, subset = age > 1000), "data", "that `subset` chooses")
})

test_that("names that are no names of R's work with and without backticks", {
  odd <- stats::setNames(diabetes[c("y", "bmi", "age", "map")], c("y", "b m i", "gr\u00f6\u00dfe", "50%"))
  fit <- quick(y ~ ., odd, lambda = 5)
  expect_equal(confint(fit, "50%"), confint(fit, "`50%`"))
  expect_identical(unname(predict(fit, odd[1:3, ])), unname(fitted(fit)[1:3]))
  freed <- quick(y ~ ., odd, lambda = 1e6, penalty_factor = c(`50%` = 0))
  expect_identical(names(which(coef(freed) != 0)), c("(Intercept)", "`50%`"))
  expect_output(print(summary(fit)), "50%", fixed = TRUE)
  expect_bad(confint(fit, "60%"), "parm", "60%")
})

test_that("responses whose squares are no numbers are refused where that would do harm", {
  x <- matrix(sin(1:40), 20)
  for (unit in c(1e155, 1e-170)) {
    y <- cos(1:20) * unit
    expect_bad(wbb_trendfilter(y, lambda = 1, draws = 2), "y", "units")
    expect_bad(bayes_bridge(x, y, draws = 5, burn = 2), "y", "units")
  }
  expect_bad(quick(x, cos(1:20) * 1e155), "y", "units")
  expect_true(all(is.finite(quick(x, cos(1:20) * 1e149, lambda = 1e149)$diagnostics$objective)))
  expect_identical(quick(x, cos(1:20) * 2^-600, lambda = 2^-600)$draws * 2^600, quick(x, cos(1:20), lambda = 1)$draws)
  expect_silent(quick(x, rep(0, 20)))
})

test_that("weights of rows may have the name of a function, where the formula comes from elsewhere", {
  formula <- y ~ bmi + age
  environment(formula) <- globalenv()
  fit <- function(weights, data = diabetes) wbb_lasso(formula, data, case_weights = weights, lambda = 5, draws = 3, seed = 1)
  own <- rep(c(1, 2), length.out = nrow(diabetes))
  expect_identical(fit(own)$draws, wbb_lasso(y ~ bmi + age, diabetes, case_weights = own, lambda = 5, draws = 3, seed = 1)$draws)
  expect_identical(fit(NULL)$draws, wbb_lasso(y ~ bmi + age, diabetes, lambda = 5, draws = 3, seed = 1)$draws)
  expect_identical(fit(NULL, cbind(diabetes, weights = own))$draws, fit(own)$draws)
  expect_bad(fit(mean), "formula", "type")
})
