# What ggeffects finds by way of insight: the numbers of predict(), or a refusal with words.

d <- diabetes[1:80, c("bmi", "map", "y")]
x <- as.matrix(d[c("bmi", "map")])
at <- data.frame(bmi = c(25, 30), map = mean(d$map))

test_that("fits of a matrix have a formula for others, and ggeffects draws them", {
  skip_if_not_installed("insight")
  by_matrix <- quick(x, d$y)
  expect_equal(insight::find_formula(by_matrix)$conditional, y ~ bmi + map, ignore_attr = TRUE)
  expect_identical(insight::find_predictors(by_matrix)$conditional, c("bmi", "map"))
  sparse <- quick(as(x, "dgCMatrix"), d$y)
  expect_equal(insight::get_data(sparse), insight::get_data(by_matrix), ignore_attr = TRUE)
  skip_if_not_installed("ggeffects")
  expect_equal(ggeffects::ggpredict(sparse, "bmi")$predicted, ggeffects::ggpredict(by_matrix, "bmi")$predicted)
  expect_equal(ggeffects::ggpredict(by_matrix, "bmi [25, 30]")$predicted, unname(colMeans(predict(by_matrix, at, type = "draws"))), tolerance = 1e-3)
  network <- small_mlp(x, d$y, hidden = 2, draws = 4, epochs = 5)
  expect_equal(ggeffects::ggpredict(network, "bmi [25, 30]")$predicted, unname(colMeans(predict(network, at, type = "draws"))), tolerance = 1e-3)
  trend <- wbb_trendfilter(d$y, order = 1, lambda = 50, draws = 5, seed = 1, threads = 1)
  expect_equal(ggeffects::ggpredict(trend, "x [3, 4.5]")$predicted, unname(colMeans(predict(trend, c(3, 4.5), type = "draws"))))
})

test_that("ggeffects shows the intervals it is asked for", {
  skip_if_not_installed("ggeffects")
  fit <- quick(y ~ bmi + map, d, draws = 100)
  level <- stats::setNames(list(0.5), intersect(c("ci_level", "ci.lvl"), names(formals(ggeffects::ggpredict))))
  shown <- do.call(ggeffects::ggpredict, c(list(fit, "bmi [25, 30]"), level))
  limits <- apply(predict(fit, at, type = "draws"), 2, quantile, c(0.25, 0.75))
  expect_equal(rbind(shown$conf.low, shown$conf.high), unname(limits), tolerance = 1e-3)
  expect_bad(ggeffects::ggpredict(fit, "bmi", interval = "prediction"), "interval", "predict(fit, newdata")
})

test_that("insight hands a fit on as an argument", {
  fit <- quick(y ~ bmi, d, lambda = 5)
  expect_match(as.character(fit), "y ~ bmi", fixed = TRUE)
  skip_if_not_installed("insight", "1.0.0")
  # It drops whatever has the word NULL in it, as a list with an empty element has.
  expect_identical(insight::compact_list(list(fit, NULL, 1)), list(fit, 1))
  expect_identical(insight::compact_list(list(fit), remove_na = TRUE), list(fit))
})

test_that("ggeffects takes one lambda, and what it cannot draw is refused", {
  skip_if_not_installed("ggeffects")
  path <- quick(y ~ bmi + map, d, lambda = c(50, 5))
  # insight says where it found the data.
  shown <- suppressWarnings(ggeffects::ggpredict(path, "bmi [25, 30]", lambda = 5))
  expect_equal(shown$predicted, unname(colMeans(predict(path, at, type = "draws", lambda = 5))), tolerance = 1e-3)
  expect_error(suppressWarnings(ggeffects::ggpredict(path, "bmi")), "`lambda` must be one of", class = "wbb_error_argument")
  # Without ggeffects all lambdas are there.
  expect_length(insight::get_predicted(path), 2)
  d$g <- factor(rep(c("a", "b"), 40))
  d$day <- as.Date("2024-01-01") + seq_len(80)
  signal <- wbb_genlasso(d$y, D = diff(diag(80)), lambda = 5, draws = 5, seed = 1)
  refused <- list(
    classes = small_mlp(g ~ bmi, d, hidden = 2, draws = 2, epochs = 2), signal = signal,
    dates = wbb_trendfilter(y ~ day, d, order = 0, lambda = 50, draws = 5, seed = 1),
    source = quick(y ~ bmi, wbb_source(d)),
    `function` = wbb(function(w, w0) c(mean = sum(w * d$y) / sum(w)), n = 80, draws = 5, seed = 1)
  )
  for (name in names(refused)) expect_error(ggeffects::ggpredict(refused[[name]]), class = "wbb_error", label = name)
  trend <- wbb_trendfilter(y ~ bmi, d, order = 1, lambda = 50, draws = 5, seed = 1)
  expect_error(ggeffects::ggemmeans(trend, "bmi"), "ggpredict", class = "wbb_error_argument")
  expect_error(ggeffects::ggemmeans(quick(x, d$y), "bmi"), "ggpredict", class = "wbb_error_argument")
})

test_that("a network for classes has their family", {
  d$g <- factor(rep(c("a", "b"), 40))
  classes <- small_mlp(g ~ bmi, d, hidden = 2, draws = 2, epochs = 2)
  expect_identical(family(classes)$family, "multinomial")
  skip_if_not_installed("insight")
  expect_true(insight::model_info(classes)$is_multinomial)
})

test_that("emmeans needs two draws", {
  skip_if_not_installed("emmeans")
  d$g <- factor(rep(c("a", "b"), 40))
  expect_error(emmeans::emmeans(quick(y ~ bmi + g, d, draws = 1), "g"), "two draws", class = "wbb_error_argument")
})

test_that("the data of a Cox fit are the variables, also where they are not found again", {
  skip_if_not_installed("survival")
  d <- data.frame(time = 1:30, status = rep(1:0, 15), age = sin(1:30))
  wrapped <- function(...) quick(..., family = "cox", lambda = 1)
  fit <- wrapped(survival::Surv(time, status) ~ age, d)
  expect_equal(suppressWarnings(insight::get_data(fit)), d, ignore_attr = TRUE)
})
