fits <- list(
  lasso = quick(y ~ bmi + map, diabetes), path = quick(y ~ bmi + map, diabetes, lambda = c(50, 5)),
  trend = wbb_trendfilter(diabetes$y[1:30], lambda = 5, draws = 5, seed = 1, threads = 1),
  model = wbb(lm(dist ~ speed, cars), draws = 5, seed = 1)
)

test_that("generics without an answer say where it is", {
  asked <- wbb:::unanswered()
  for (package in names(asked)) {
    if (!requireNamespace(package, quietly = TRUE)) next
    for (generic in intersect(names(asked[[package]]), getNamespaceExports(package))) {
      ask <- getExportedValue(package, generic)
      # Trends have their own, and linear models words of their own.
      answered <- if (generic %in% c("knots", "lines")) "trend" else if (generic %in% c("accuracy", "calibration")) c("lasso", "path", "model")
      for (name in setdiff(names(fits), answered)) {
        error <- expect_error(ask(fits[[name]]), class = "wbb_error_argument", label = paste(package, generic, name))
        expect_match(conditionMessage(error), paste0(generic, "() has no answer"), fixed = TRUE)
        expect_gt(nchar(conditionMessage(error)), 60)
      }
    }
  }
  expect_match(conditionMessage(tryCatch(cooks.distance(fits$model), error = identity)), "cooks.distance(fit$model)", fixed = TRUE)
})

test_that("a fit is no vector, and says so without being printed", {
  operations <- list(as.numeric, as.integer, as.logical, sd, range, max, sum, log, round, cumsum, function(fit) fit + 1, function(fit) fit == fit, function(fit) -fit)
  for (operation in operations) {
    error <- expect_error(operation(fits$lasso), class = "wbb_error_argument")
    expect_match(conditionMessage(error), "as.matrix(fit)", fixed = TRUE)
    expect_null(conditionCall(error))
  }
})

test_that("means, medians and quantiles are those of the draws of each coefficient", {
  draws <- as.matrix(fits$lasso)
  expect_equal(mean(fits$lasso), colMeans(draws))
  expect_equal(median(fits$lasso, na.rm = TRUE), apply(draws, 2, median))
  expect_equal(unname(quantile(fits$lasso, c(0.1, 0.975), names = FALSE)), unname(t(apply(draws, 2, quantile, c(0.1, 0.975)))))
  expect_identical(colnames(quantile(fits$lasso, c(0, 0.025))), c("0.0%", "2.5%"))
  expect_identical(dim(quantile(fits$path)), c(3L, 5L, 2L))
  expect_identical(mean(fits$path)[, 2], mean(fits$path, lambda = 5))
  expect_bad(quantile(fits$lasso, 2), "probs")
  expect_bad(mean(fits$lasso, lamda = 5), "lamda", "lambda")
})

test_that("chains are told apart as bayesplot and coda take them", {
  fit <- suppressWarnings(bayes_bridge(y ~ bmi, diabetes, draws = 10, burn = 2, chains = 3, seed = 1))
  draws <- as.array(fit)
  expect_identical(dim(draws), c(10L, 3L, 2L))
  expect_identical(unname(draws[, 2, "bmi"]), unname(as.matrix(fit)[11:20, "bmi"]))
  expect_identical(dim(as.array(fits$path)), c(20L, 1L, 6L))
  skip_if_not_installed("coda")
  expect_identical(coda::nchain(coda::as.mcmc.list(fit)), 3L)
  expect_equal(unname(as.matrix(coda::as.mcmc.list(fit))), unname(as.matrix(fit)))
})

test_that("rows and terms have their names, and a trend its line", {
  expect_identical(case.names(fits$lasso), row.names(diabetes))
  # A model that names no rows.
  expect_identical(case.names(wbb(rpart::rpart(dist ~ speed, cars), function(m) predict(m)[1:2], draws = 2, seed = 1)), as.character(1:50))
  expect_identical(labels(fits$lasso), c("bmi", "map"))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  plot(1:30, diabetes$y[1:30])
  expect_silent(lines(fits$trend, col = 2, lwd = 2))
})

test_that("a logistic model of wbb() has classes", {
  fit <- wbb(glm(am ~ wt, binomial, mtcars), draws = 20, seed = 1)
  expect_identical(levels(predict(fit, type = "class")), c("0", "1"))
  expect_length(accuracy(fit), 20)
  expect_s3_class(calibration(fit), "data.frame")
  wide <- wbb(glm(am == 1 ~ wt, binomial, mtcars), draws = 20, seed = 1)
  expect_identical(as.character(predict(wide, type = "class")), as.character(predict(fit, type = "class") == "1"))
  expect_error(accuracy(fits$trend), "fit with classes", class = "wbb_error_argument")
  expect_error(accuracy(fits$model), class = "wbb_error")
})

test_that("what the model of wbb() does not know is said with its words", {
  skip_if_not_installed("survival")
  fit <- wbb(survival::coxph(survival::Surv(time, status) ~ age, survival::lung), draws = 5, seed = 1)
  expect_error(family(fit), "of class \"coxph\", says", class = "wbb_error_argument")
})

test_that("methods that are called by their names refuse as well", {
  expect_error(Ops.wbb(fits$trend, 1), "`arithmetic` cannot be done", class = "wbb_error_argument")
  expect_error(Summary.wbb(fits$trend), class = "wbb_error_argument")
  expect_error(Math.wbb(fits$trend), class = "wbb_error_argument")
  expect_error(quantile(fits$trend, numeric()), "`probs` must be probabilities", class = "wbb_error_argument")
})

test_that("a fit is no table", {
  for (fit in fits) {
    expect_error(fit[1, 1], "as.matrix(fit)", fixed = TRUE, class = "wbb_error_argument")
    expect_error(fit[, "bmi"], "two indices", class = "wbb_error_argument")
    expect_identical(names(fit["draws"]), "draws")
  }
})

test_that("what is no fit says so, and gives no NULL", {
  fit <- wbb_lasso(y ~ bmi + map, diabetes, lambda = 20, draws = 20, seed = 1)
  others <- list(
    suppressWarnings(calibrate(fit, replicates = 10, seed = 1)), compare(a = fit, b = fit), wbb_source(diabetes),
    wbb_moments(y ~ bmi, wbb_source(diabetes), draws = 5, seed = 1)
  )
  for (other in others) {
    for (generic in of_fits) {
      expect_error(getExportedValue("stats", generic)(other), "has no answer for an object of class", class = "wbb_error_argument")
    }
  }
  expect_identical(nobs(others[[4]]), 442)
})

test_that("emmeans() says why it cannot", {
  skip_if_not_installed("emmeans")
  d <- diabetes[1:40, c("bmi", "y")]
  trend <- wbb_trendfilter(y ~ bmi, d, order = 0, lambda = 5, draws = 5, seed = 1)
  expect_error(emmeans::emmeans(trend, "bmi"), "emmeans has no meaning")
})
