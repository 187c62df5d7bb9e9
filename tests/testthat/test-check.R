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
  expect_bad(quick(x, y > 0), "y", "binomial")
  expect_s3_class(quick(x > 0, y > 0, family = "binomial"), "wbb_lasso")
  expect_s3_class(quick(x, as.matrix(y)), "wbb_lasso")
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

test_that("what users of other packages type is answered", {
  says <- function(expr, words) expect_error(expr, words, class = "wbb_error_argument", fixed = TRUE)
  one <- function(...) wbb_lasso(y ~ bmi, diabetes, lambda = 5, ...)
  says(one(iter = 100), "Did you mean `draws`?")
  says(one(R = 100), "Did you mean `draws`?")
  says(one(cores = 2), "Did you mean `threads`?")
  says(one(chains = 4), "there are no chains")
  says(one(warmup = 100), "nothing to warm up")
  says(bayes_bridge(y ~ bmi, diabetes, warmup = 100), "Did you mean `burn`?")
  says(one(weights = bmi), "case_weights")
  says(one(weights = diabetes$bmi), "case_weights")
  fit <- quick_diabetes()
  says(confint(fit, conf.level = 0.9), "Did you mean `level`?")
  says(generics::tidy(fit, level = 0.9), "Did you mean `conf.level`?")
})

test_that("a name of others is not taken for the beginning of one of ours", {
  says <- function(expr, words) expect_error(expr, words, class = "wbb_error_argument", fixed = TRUE)
  says(wbb_trendfilter(cars$dist, k = 1), "Did you mean `order`?")
  says(wbb_lasso(y ~ bmi, diabetes, prior = 3), "The penalty is the prior")
  says(wbb_lasso(y ~ bmi, diabetes, s = 3), "Did you mean `lambda`?")
  # Several of ours begin with it.
  says(wbb_lasso(y ~ bmi, diabetes, l = 3), "has no argument `l`")
  says(wbb_mlp(dist ~ speed, cars, size = 3), "Did you mean `hidden`?")
  says(wbb_mlp(dist ~ speed, cars, maxit = 3), "Did you mean `epochs`?")
  # Any other beginning means what R takes it for.
  expect_identical(quick(y ~ bmi, diabetes, alph = 0.5)$spec$alpha, 0.5)
  # Not `type`, which is something else there.
  bridge <- suppressWarnings(bayes_bridge(dist ~ speed, cars, draws = 20, burn = 10, chains = 1, seed = 1))
  error <- expect_error(predict(bridge, estimate = "mean"), class = "wbb_error_argument")
  expect_no_match(conditionMessage(error), "type")
})

test_that("an argument of another picture is not called a mistake for itself", {
  fit <- wbb_genlasso(cos(1:10), D = diff(diag(10)), lambda = 1, draws = 5, seed = 1, threads = 1)
  error <- expect_bad(plot(fit, standardize = TRUE), "standardize", "for this `type`; another has it")
  expect_no_match(conditionMessage(error), "Did you mean")
})

test_that("long numbers are looked at in parts, between which a stop is heard", {
  looks <- 0
  value <- rep(1, 95)
  expect_identical(first_outside(value, 0, 10, function() looks <<- looks + 1), NA)
  expect_identical(looks, 10)
  for (at in c(1, 10, 11, 90, 91, 95)) {
    for (bad in c(NA, NaN, Inf, -1)) {
      expect_equal(first_outside(replace(value, at, bad), 0, size = 10), at)
      expect_equal(first_outside(replace(value, at, bad), 0), at)
    }
  }
  expect_identical(first_outside(double(), 0), NA_integer_)
})

# Whole numbers of 64 bits, as databases give them, made without bit64: two halves of a double's bits.

as_integer64 <- function(number) {
  high <- floor(number / 2^32)
  low <- number - high * 2^32
  halves <- rbind(ifelse(low >= 2^31, low - 2^32, low), high)
  structure(readBin(writeBin(as.integer(halves), raw(), endian = "little"), "double", length(number), endian = "little"), class = "integer64")
}

test_that("64-bit integers are the numbers they stand for", {
  numbers <- c(0, 1, -1, 7, -123456, 2^31 - 1, 2^31 + 1, 2^32, -2^32, 2^52 + 3, -2^52 - 5)
  expect_identical(from_integer64(as_integer64(numbers)), numbers)
  # bit64's NA is the smallest of all.
  missing <- structure(readBin(as.raw(c(0, 0, 0, 0, 0, 0, 0, 128)), "double", 1L, endian = "little"), class = "integer64")
  expect_identical(from_integer64(missing), NA_real_)
  expect_identical(from_integers64(list(a = as_integer64(3), b = "x")), list(a = 3, b = "x"))
  skip_if_not_installed("bit64")
  expect_identical(from_integer64(asNamespace("bit64")$as.integer64(numbers)), numbers)
})

test_that("columns of them are fitted and predicted as others", {
  d <- data.frame(id = 1:40, y = with_seed(1, round(100 * rnorm(40))))
  d$y <- d$y + d$id
  wide <- d
  wide$id <- as_integer64(d$id)
  wide$y <- as_integer64(d$y)
  plain <- quick(y ~ id, d)
  fit <- quick(y ~ id, wide)
  same_draws(fit, plain)
  expect_equal(predict(fit, wide[1:3, ]), predict(plain, d[1:3, ]))
  expect_equal(predict(fit, d[1:3, ]), predict(plain, d[1:3, ]))
  expect_equal(as.matrix(quick(wide["id"], wide$y)), as.matrix(quick(d["id"], d$y)))
  expect_equal(as.matrix(quick(y ~ id, d, case_weights = as_integer64(rep(1:2, 20)))), as.matrix(quick(y ~ id, d, case_weights = rep(1:2, 20))))
  expect_equal(as.matrix(quick(y ~ id, wbb_source(wide))), as.matrix(quick(y ~ id, wbb_source(d))))
  expect_equal(as.matrix(wbb_trendfilter(y ~ id, wide, order = 0, lambda = 50, draws = 3, seed = 1)),
    as.matrix(wbb_trendfilter(y ~ id, d, order = 0, lambda = 50, draws = 3, seed = 1)))
  holes <- wide
  holes$id[3] <- structure(readBin(as.raw(c(0, 0, 0, 0, 0, 0, 0, 128)), "double", 1L, endian = "little"), class = "integer64")
  expect_identical(nobs(quick(y ~ id, holes)), 39L)
})
