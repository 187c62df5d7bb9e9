selected <- function() {
  a <- rep(c(0, 1), 50)
  fake_fit(cbind(a = a, with = 2 * a, instead = 1 - a, apart = rep(c(0, 0, 1, 1), 25), always = 1:100, never = 0))
}

test_that("selection gives shares of pairs and the correlation of their selection", {
  data <- plot_data(selected(), "selection")
  expect_setequal(data$name, c("a", "with", "instead", "apart"))
  expect_match(data$note, "left out: 1 selected in all draws, 1 in none")
  cell <- function(one, other) {
    at <- sort(match(c(one, other), data$name), decreasing = TRUE)
    data$cells[data$cells$row == at[1] & data$cells$column == at[2], ]
  }
  expect_equal(cell("a", "with")$correlation, 1)
  expect_equal(cell("a", "with")$both, 0.5)
  expect_equal(cell("a", "instead")$correlation, -1)
  expect_equal(cell("a", "instead")$both, 0)
  expect_equal(cell("a", "apart")$correlation, 0)
  expect_true(is.na(cell("a", "a")$correlation))
  # Those that go together stand together.
  expect_identical(abs(diff(match(c("a", "with"), data$name))), 1L)
  few <- plot_data(selected(), "selection", n = 2)
  expect_length(few$name, 2L)
  expect_match(few$note[1], "2 of 4 coefficients")
})

test_that("selection that never changes, or is of one column, is drawn; where nothing is zero it is refused", {
  fits <- list(fake_fit(cbind(a = rep(0, 9), b = 1:9)), fake_fit(cbind(a = c(0, 1:8))), fake_fit(cbind(a = 0, b = 0)))
  for (fit in fits) {
    expect_silent(on_device(plot(fit, "selection")))
    skip_if_not_installed("ggplot2")
    expect_silent(on_device(print(ggplot2::autoplot(fit, "selection"))))
  }
  expect_match(plot_data(fits[[1]], "selection")$note, "in all draws, or in none")
  expect_bad(plot_data(fake_fit(cbind(a = 1:9)), "selection"), "type", "ever zero")
})

test_that("the importance of a column is |coefficient| times its standard deviation, also of a sparse one", {
  d <- made_data()
  for (x in list(d$x, Matrix::Matrix(d$x * (abs(d$x) > 0.8), sparse = TRUE))) {
    fit <- quick(x, d$y)
    rows <- plot_data(fit, "importance", level = 0.9)$interval
    slopes <- as.matrix(fit)[, -1]
    size <- abs(slopes) * rep(sd_n(as.matrix(x)), each = nrow(slopes))
    expect_equal(rows$median, unname(apply(size, 2, stats::median))[rows$index])
    expect_false(is.unsorted(-rows$median))
    expect_equal(rows$p_zero, unname(colMeans(slopes == 0))[rows$index])
  }
})

test_that("the importance of a factor is that of its columns together, whatever its coding", {
  fit <- function(coding) {
    wbb_lasso(count ~ spray, InsectSprays, lambda = 0, draws = 10, seed = 1, threads = 1, contrasts = list(spray = coding))
  }
  rows <- lapply(c("contr.treatment", "contr.sum"), function(coding) plot_data(fit(coding), "importance")$interval)
  expect_identical(rows[[1]]$name, "spray")
  expect_equal(rows[[1]]$median, rows[[2]]$median, tolerance = 1e-6)
  # Against the spread of what it adds, row by row.
  one <- fit("contr.treatment")
  added <- model.matrix(one)[, -1] %*% t(as.matrix(one)[, -1])
  expect_equal(rows[[1]]$median, stats::median(sd_n(added)), tolerance = 1e-6)
})

test_that("the importance of the terms of a model is that of what they add", {
  model <- lm(mpg ~ poly(wt, 2) + hp + factor(cyl), mtcars)
  fit <- wbb(model, draws = 30, seed = 1)
  rows <- plot_data(fit, "importance")$interval
  x <- model.matrix(model)
  size <- function(b, term) {
    columns <- which(attr(x, "assign") == term)
    added <- x[, columns, drop = FALSE] %*% b[columns]
    sqrt(mean((added - mean(added))^2))
  }
  for (term in 1:3) {
    row <- rows[rows$name == labels(terms(model))[term], ]
    expect_equal(row$median, median(apply(as.matrix(fit), 1, size, term)))
    expect_equal(row$mode, size(coef(model), term))
  }
  # Coefficients that are not determined are left out.
  twice <- suppressMessages(wbb(lm(mpg ~ wt + I(2 * wt) + hp, mtcars), draws = 5, seed = 1))
  expect_setequal(plot_data(twice, "importance")$interval$name, c("wt", "hp"))
  on_device(expect_identical(plot(fit, "importance")$type, "importance"))
})

test_that("what has no terms says what to ask instead", {
  r2 <- suppressMessages(wbb(lm(mpg ~ wt, mtcars), statistic = function(m) c(r2 = summary(m)$r.squared), draws = 3, seed = 1))
  expect_bad(plot_data(r2, "importance"), "type", "the coefficients of its model's columns")
  expect_bad(plot_data(wbb(function(w) sum(w), n = 3, draws = 3, seed = 1), "importance"), "type", "coefficients of columns")
  expect_bad(plot_data(wbb(lm(mpg ~ wt, mtcars), draws = 3, seed = 1, keep_data = FALSE), "importance"), "type", "keep_data")
})

test_that("importance needs columns, and counts classes together", {
  expect_bad(plot_data(fake_fit(awkward_draws()), "importance"), "type", "columns")
  fit <- wbb_lasso(Species ~ ., iris, family = "multinomial", lambda = 1, draws = 20, seed = 1, threads = 1)
  rows <- plot_data(fit, "importance")$interval
  expect_setequal(rows$name, names(iris)[1:4])
  draws <- as.matrix(fit)[, paste0(levels(iris$Species), ":Petal.Width")]
  expect_equal(rows$median[rows$name == "Petal.Width"], stats::median(sqrt(rowMeans(draws^2)) * sd_n(iris["Petal.Width"])))
  expect_bad(plot_data(fit, "importance", standardize = FALSE), "standardize")
  expect_match(plot_data(fit, "importance", n = 2)$note, "2 of 4 terms")
})

test_that("a small page shows as many columns of a selection as can be read", {
  draws <- vapply(1:20, function(j) as.numeric((1:40 + j) %% (2 + j %% 3) > 0), numeric(40))
  fit <- fake_fit(`colnames<-`(draws, paste0("a_long_name_", 1:20)))
  shown <- function(...) {
    grDevices::pdf(NULL, ...)
    on.exit(grDevices::dev.off())
    length(plot(fit, "selection")$name)
  }
  expect_lt(shown(350 / 72, 250 / 72), 10)
  expect_identical(shown(1600 / 144, 1000 / 144), 20L)
})
