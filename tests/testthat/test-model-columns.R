# More cells than are made in one go.
many <- with_seed(1, {
  n <- 30000L
  d <- data.frame(matrix(rnorm(30 * n), n), text = sample(c("u", "v", "w"), n, TRUE), yes = runif(n) > 0.5,
    level = factor(sample(1:3, n, TRUE), ordered = TRUE))
  d$y <- d$X1 + rnorm(n)
  d
})

whole <- function(formula, data) {
  frame <- stats::model.frame(formula, data)
  x <- stats::model.matrix(attr(frame, "terms"), frame)
  list(frame = frame, x = x[, attr(x, "assign") != 0L], assign = setdiff(attr(x, "assign"), 0L), contrasts = attr(x, "contrasts"))
}

test_that("columns made in parts are those of model.matrix()", {
  rare <- many
  # In one part alone.
  rare$text[c(3, 29000)] <- "z"
  for (formula in c(y ~ ., y ~ 0 + . + X1:text, y ~ X2 * text + poly(X3, 3) + . + cbind(X4, X5))) {
    for (data in list(rare, structure(rare[40:1, ], row.names = paste0("r", 1:40)))) {
      expected <- whole(formula, data)
      found <- model_columns(attr(expected$frame, "terms"), expected$frame)
      expect_identical(found$x, expected$x)
      expect_identical(unique(found$assign), unique(expected$assign))
      expect_identical(found$contrasts, expected$contrasts)
    }
  }
})

test_that("rows with missing values are left out as na.omit() does it, and nothing is where none is", {
  holes <- many
  holes$X3[7] <- holes$y[25000] <- NA
  for (action in list(na.omit, na.exclude, "na.omit")) {
    fit <- quick(y ~ X3 + text + X1, holes, na.action = action)
    expect_identical(fit$na.action, na.action(match.fun(action)(holes[c("y", "X3", "text", "X1")])))
    expect_identical(nobs(fit), 29998L)
    same_draws(quick(y ~ X3 + text + X1, many, na.action = action), quick(y ~ X3 + text + X1, many))
  }
  expect_bad(quick(y ~ X3, holes, na.action = na.fail), "formula", "missing values")
  marked <- structure(holes, na.action = "na.exclude")
  expect_s3_class(quick(y ~ X3, marked)$na.action, "exclude")
})

test_that("a column of text has its levels in the model matrix", {
  fit <- quick(y ~ X1 + text, many)
  expect_equal(drop(model.matrix(fit) %*% coef(fit)), fitted(fit))
  expect_identical(attr(model.matrix(fit), "assign"), c(0L, 1L, 2L, 2L))
})
