d <- made_data()
x <- d$x
y <- d$y
data <- data.frame(x, y = y, f = factor(rep(c("a", "b", "c"), 20)))

test_that("new data are matched by name", {
  fit <- quick(x, y)
  new <- x[1:3, ]
  expected <- predict(fit, new)
  expect_identical(predict(fit, new[, 5:1]), expected)
  expect_identical(predict(fit, cbind(new, more = 1)), expected)
  expect_identical(unname(predict(fit, unname(new))), unname(expected))
  expect_equal(unname(predict(fit, as.data.frame(new))), unname(expected))
  expect_bad(predict(fit, new[, -2]), "newdata", "\"x2\"")
  expect_bad(predict(fit, unname(new)[, -2]), "newdata", "has 4")
  expect_bad(predict(fit, 1:5), "newdata")
  new[2, 2] <- NA
  expect_bad(predict(fit, new), "newdata", "row 2 of column \"x2\"")
  expect_length(predict(fit, x[0, ]), 0L)

  fit <- quick(y ~ x1 + f, data)
  expect_identical(predict(fit, data), fitted(fit))
  expect_bad(predict(fit, data["x1"]), "newdata", "\"f\"")
  expect_bad(predict(fit, x), "newdata")
  expect_bad(predict(fit, transform(data, f = "d")), "newdata", "\"d\"")
  expect_bad(predict(fit, transform(data, x1 = NA_real_)), "newdata")
  # A variable of that name in the workspace does not stand in for a column.
  x1 <- rep(0, 60)
  expect_bad(predict(fit, data["f"]), "newdata", "\"x1\"")

  fit <- quick(data[c("x1", "f")], y)
  expect_identical(unname(predict(fit, data[c("f", "x2", "x1")])), unname(predict(fit)))
  expect_bad(predict(fit, data["x1"]), "newdata", "\"f\"")
  expect_bad(predict(fit, transform(data, f = "d")), "newdata", "\"d\"")
  expect_bad(predict(fit, transform(data, x1 = "d")), "newdata", "\"x1\"")
})

# Every fit of a formula, with x1 as a number.
formula_fits <- function() {
  list(
    lasso = quick(y ~ x1 + f, data),
    bridge = bayes_bridge(y ~ x1 + f, data, draws = 50, burn = 10, chains = 1, seed = 1, threads = 1),
    trend = wbb_trendfilter(y ~ x1, data, order = 1, lambda = 5, draws = 5, seed = 1, threads = 1),
    mlp = wbb_mlp(y ~ x1 + f, data, hidden = 3, draws = 3, lambda = 1e-4, epochs = 3, seed = 1, threads = 1)
  )
}

test_that("text or a factor in place of a number is refused by every fit, wherever it enters", {
  skip_if_not_installed("generics")
  fits <- suppressWarnings(formula_fits())
  # Two distinct values would be a column of dummies.
  two <- data[1:4, ]
  two$x1 <- c("0.1", "0.2", "0.1", "0.2")
  as_factor <- transform(two, x1 = factor(x1))
  for (fit in fits) {
    for (new in list(two, as_factor)) {
      expect_bad(predict(fit, new), "newdata", "column \"x1\" is")
      expect_bad(generics::augment(fit, newdata = new), "newdata", "\"x1\"")
      expect_bad(model.matrix(fit, data = new), "data", "\"x1\"")
    }
  }
  expect_bad(log_loss(fits$mlp, two), "x", "character instead of numeric")
  expect_bad(uncertainty(fits$mlp, as_factor), "x", "factor instead of numeric")
  expect_bad(wbb_mlp(y ~ x1, data, hidden = 3, draws = 2, epochs = 2, test = two), "test", "\"x1\"")
  classes <- quick_mlp(draws = 2, epochs = 2)
  expect_bad(accuracy(classes, transform(iris, Sepal.Width = as.character(Sepal.Width))), "x", "\"Sepal.Width\"")
})

test_that("a number in place of a factor is refused", {
  for (fit in suppressWarnings(formula_fits()[c("lasso", "bridge", "mlp")])) {
    expect_bad(predict(fit, transform(data, f = 1)), "newdata", "column \"f\" is numeric instead of factor")
  }
  # Also where the number would be one of the levels.
  data$f <- factor(rep(1:3, 20))
  fit <- quick(y ~ x1 + f, data)
  expect_bad(predict(fit, transform(data, f = as.integer(f))), "newdata", "\"f\"")
  expect_identical(predict(fit, transform(data, f = as.character(f))), fitted(fit))
  expect_identical(predict(fit, transform(data, f = factor(f, 3:1))), fitted(fit))
  expect_identical(predict(fit, transform(data, f = ordered(f))), fitted(fit))
})

test_that("other types must be those of the fit", {
  data$yes <- rep(c(TRUE, FALSE), 30)
  data$word <- rep(c("u", "v", "w"), each = 20)
  data$day <- as.Date("2020-01-01") + 0:59
  data$lag <- as.difftime(1:60, units = "days")
  fit <- quick(y ~ yes + word + day + lag, data)
  expect_equal(predict(fit, data), fitted(fit))
  # A single value of each is coded as it was among all.
  expect_equal(predict(fit, data[7, ]), fitted(fit)[7])
  expect_identical(predict(fit, transform(data, word = factor(word, c("w", "v", "u")))), fitted(fit))
  expect_bad(predict(fit, transform(data, yes = as.numeric(yes))), "newdata", "numeric instead of logical")
  expect_bad(predict(fit, transform(data, yes = "yes")), "newdata", "\"yes\"")
  expect_bad(predict(fit, transform(data, word = 3)), "newdata", "\"word\"")
  expect_bad(predict(fit, transform(data, day = as.numeric(day))), "newdata", "instead of Date")
  expect_bad(predict(fit, transform(data, day = as.character(day))), "newdata", "instead of Date")
  # Seconds are not days.
  expect_bad(predict(fit, transform(data, day = as.POSIXct(day))), "newdata", "POSIXct instead of Date")
  hours <- data
  units(hours$lag) <- "hours"
  expect_bad(predict(fit, hours), "newdata", "difftime in hours instead of difftime in days")
  expect_bad(predict(fit, transform(data, day = NA)), "newdata", "is NA")
})

test_that("within an expression the variable is checked, and a factor made on the way by its levels", {
  data$cyl <- rep(c(4, 6, 8), 20)
  fit <- quick(y ~ poly(x1, 2) + log(x2 + 10) + factor(cyl), data)
  expect_equal(predict(fit, data[5:9, ]), fitted(fit)[5:9])
  expect_bad(predict(fit, transform(data, x1 = "1")), "newdata", "\"x1\"")
  expect_bad(predict(fit, transform(data, x2 = "1")), "newdata", "\"x2\"")
  expect_equal(predict(fit, transform(data, cyl = as.character(cyl))), fitted(fit))
  expect_bad(predict(fit, transform(data, cyl = 5)), "newdata", "\"factor(cyl)\" has \"5\"")
  # A comparison of text is no comparison of numbers.
  above <- quick(y ~ I(x1 > 0.5) + x2, data)
  expect_bad(predict(above, transform(data, x1 = as.character(x1))), "newdata", "\"x1\"")
})

test_that("data frames of the x, y interface keep their types, too", {
  fit <- quick(data[c("x1", "f")], y)
  expect_bad(predict(fit, transform(data, x1 = as.character(x1))), "newdata", "character instead of numeric")
  expect_bad(predict(fit, transform(data, f = 1)), "newdata", "numeric instead of factor")
  numbered <- quick(transform(data, f = factor(rep(1:3, 20)))[c("x1", "f")], y)
  expect_bad(predict(numbered, transform(data, f = 2)), "newdata", "\"f\"")
  # A matrix had numbers only.
  from_matrix <- quick(x[, 1:2], y)
  expect_bad(predict(from_matrix, transform(data, x2 = rep(c("0", "1"), 30))), "newdata", "\"x2\"")
  expect_equal(predict(from_matrix, data), fitted(from_matrix), ignore_attr = TRUE)
  unnamed <- quick(unname(x[, 1:2]), y)
  expect_bad(suppressWarnings(predict(unnamed, transform(data[1:2], x2 = rep(c("0", "1"), 30)))), "newdata", "numeric")
})

test_that("names that an unnamed fit cannot use are said", {
  fit <- quick(unname(x), y)
  expect_warning(out <- predict(fit, x[, 5:1]), "taken by position", class = "wbb_warning_names")
  expect_identical(unname(out), unname(predict(fit, unname(x)[, 5:1])))
  expect_warning(predict(fit, as.data.frame(x)), class = "wbb_warning_names")
  expect_silent(predict(fit, unname(x)))
  # The names the fit itself gave are known.
  expect_silent(out <- predict(fit, as.data.frame(unname(x))[, 5:1]))
  expect_equal(unname(out), unname(fitted(fit)))
  expect_bad(predict(fit, x[, 1:4]), "newdata", "5 columns")
})

test_that("fits from a source know the types of their columns, too", {
  set.seed(1)
  d <- data.frame(num = rnorm(40), flag = rep(c(TRUE, FALSE), 20), day = as.Date("2024-01-01") + sample(40), text = rep(c("a", "b"), each = 20), y = rnorm(40))
  formula <- y ~ num + flag + day + text + factor(num > 0)
  fits <- list(
    wbb_lasso(formula, wbb_source(d), lambda = 1, draws = 4, seed = 1),
    wbb_lasso(wbb_moments(formula, wbb_source(d), draws = 4, seed = 1), lambda = 1),
    wbb_lasso(formula, d, lambda = 1, draws = 4, seed = 1)
  )
  new <- d[1:4, ]
  with <- function(name, value) {
    new[[name]] <- value
    new
  }
  for (fit in fits) {
    expect_length(predict(fit, with("text", factor(new$text))), 4L)
    expect_bad(predict(fit, with("num", c("1", "2", "1", "2"))), "newdata")
    expect_bad(predict(fit, with("num", gl(2, 2))), "newdata")
    expect_bad(predict(fit, with("num", new$day)), "newdata")
    expect_bad(predict(fit, with("num", I(matrix(1:8, 4)))), "newdata")
    expect_bad(predict(fit, with("flag", as.character(new$flag))), "newdata")
    expect_bad(predict(fit, with("day", as.numeric(new$day))), "newdata")
    expect_bad(predict(fit, with("day", as.character(new$day))), "newdata")
  }
})
