# Packages that take any model: each with a fit of ours, against what the draws say.

d <- diabetes[1:150, ]
d$g <- factor(rep(c("a", "b", "c"), 50))
fit <- quick(y ~ bmi + map + g, d, lambda = 5, draws = 100)
beta <- as.matrix(fit)

test_that("emmeans contrasts the draws", {
  skip_if_not_installed("emmeans")
  means <- emmeans::emmeans(fit, "g")
  found <- summary(emmeans::contrast(means, "trt.vs.ctrl"), point.est = mean)
  expect_equal(found$estimate, unname(colMeans(beta[, c("gb", "gc")])))
  path <- quick(y ~ bmi + g, d, lambda = c(50, 5))
  expect_equal(summary(emmeans::emmeans(path, "g", lambda = 5), point.est = mean)$emmean,
    unname(colMeans(predict(path, data.frame(bmi = mean(d$bmi), g = c("a", "b", "c")), type = "draws", lambda = 5))))
  trend <- wbb_trendfilter(d$y, order = 1, lambda = 100, draws = 5, seed = 1)
  expect_error(emmeans::recover_data(trend), "wbb_lasso", class = "wbb_error_argument")
})

test_that("emmeans takes the draws of a model's coefficients", {
  skip_if_not_installed("emmeans")
  model <- suppressMessages(wbb(lm(y ~ bmi * g, d), draws = 50, seed = 1))
  found <- summary(emmeans::emmeans(model, "g"), point.est = mean)$emmean
  expect_equal(found, unname(colMeans(predict(model, data.frame(bmi = mean(d$bmi), g = c("a", "b", "c")), type = "draws"))))
  # What the data do not determine has no draws.
  twice <- suppressMessages(wbb(lm(y ~ bmi + I(2 * bmi) + g, d), draws = 50, seed = 1))
  expect_equal(summary(pairs(emmeans::emmeans(twice, "g")), point.est = mean)$estimate[1], -mean(as.matrix(twice)[, "gb"]))
  first <- suppressMessages(wbb(lm(y ~ bmi + g, d), statistic = function(model) coef(model)[1:2], draws = 5, seed = 1))
  expect_error(emmeans::emmeans(first, "g"), "without `statistic`", class = "wbb_error_argument")
})

test_that("easystats describes draws that are often equal, by position and by name", {
  skip_if_not_installed("bayestestR")
  sparse <- quick(y ~ ., diabetes[1:100, ], lambda = 400, draws = 150)
  beta <- as.matrix(sparse)
  expect_gt(mean(beta == 0), 0.3)
  half <- bayestestR::p_rope(sparse, range = c(-1, 1))
  expect_equal(half$p_ROPE, unname(colMeans(abs(beta) <= 1)))
  expect_equal(bayestestR::point_estimate(sparse, "median")$Median, unname(apply(beta, 2, median)))
  peak <- bayestestR::map_estimate(sparse)
  always <- colMeans(beta == 0) > 0.9
  expect_lt(max(abs(peak$MAP_Estimate[always])), 5)
  expect_equal(bayestestR::point_estimate(sparse)$MAP, peak$MAP_Estimate)
  expect_true(all(bayestestR::p_map(sparse)[[2]][always] > 0.9))
  expect_identical(unique(bayestestR::estimate_density(sparse)$Parameter), colnames(beta))
  # On the scale of a link the response has no say.
  d$many <- round(d$y)
  expect_equal(unique(bayestestR::rope(quick(many ~ bmi, d, family = "poisson", lambda = 1))$ROPE_high), 0.1)
})

test_that("insight knows the numbers of paths and classes", {
  skip_if_not_installed("insight")
  path <- quick(y ~ bmi + map, d, lambda = c(50, 5))
  found <- insight::get_parameters(path)
  expect_identical(found$Parameter, colnames(as.matrix(path)))
  expect_equal(found$Estimate, as.vector(coef(path)))
  model <- suppressMessages(wbb(lm(y ~ bmi, d), draws = 5, seed = 1))
  expect_equal(insight::get_data(model)$bmi, d$bmi)
  expect_true(insight::model_info(model)$is_linear)
})

test_that("easystats describes the draws", {
  skip_if_not_installed("bayestestR")
  if (nzchar(system.file(package = "quadprog"))) {
    expect_s3_class(bayestestR::spi(fit), "bayestestR_spi")
  } else {
    expect_error(bayestestR::spi(fit), "needs the package quadprog", class = "wbb_error_package")
  }
  described <- bayestestR::describe_posterior(fit)
  expect_equal(described$Median, unname(apply(beta, 2, median)))
  expect_equal(unique(described$ROPE_high), 0.1 * sd(d$y))
  expect_equal(bayestestR::p_direction(fit)$pd[2], max(mean(beta[, 2] > 0), mean(beta[, 2] < 0)))
  skip_if_not_installed("parameters")
  expect_equal(parameters::model_parameters(fit)$Median, unname(apply(beta, 2, median)))
  skip_if_not_installed("performance")
  expect_equal(performance::r2(fit)$R2[[1]], median(rstantools::bayes_R2(fit)))
  expect_equal(performance::model_performance(fit)$RMSE, sqrt(mean(residuals(fit)^2)))
  skip_if_not_installed("insight")
  expect_identical(insight::find_response(fit), "y")
  expect_identical(insight::n_obs(fit), 150L)
})

test_that("ggeffects and car find what they need", {
  skip_if_not_installed("ggeffects")
  grid <- as.data.frame(ggeffects::ggpredict(fit, "g"))
  at <- data.frame(bmi = mean(d$bmi), map = mean(d$map), g = c("a", "b", "c"))
  expect_equal(grid$predicted, unname(colMeans(predict(fit, at, type = "draws"))), tolerance = 1e-3)
  expect_true(all(grid$conf.low < grid$predicted & grid$predicted < grid$conf.high))
  skip_if_not_installed("car")
  expect_identical(rownames(car::vif(fit)), c("bmi", "map", "g"))
  test <- car::linearHypothesis(fit, "bmi = 0")
  expect_equal(test$Chisq[2], coef(fit)[["bmi"]]^2 / vcov(fit)["bmi", "bmi"])
})

test_that("imputations are pooled", {
  holes <- transform(airquality[1:80, c("Ozone", "Wind", "Temp")])
  full <- lapply(1:3, function(i) transform(holes, Ozone = ifelse(is.na(Ozone), 30 + i, Ozone)))
  fits <- lapply(1:3, function(i) wbb_lasso(Ozone ~ Wind + Temp, full[[i]], lambda = 5, draws = 20, seed = i, threads = 1))
  pooled <- pool_wbb(fits)
  expect_identical(as.matrix(pooled), do.call(rbind, lapply(fits, as.matrix)))
  expect_equal(coef(pooled), Reduce(`+`, lapply(fits, coef)) / 3)
  expect_output(print(pooled), "3 imputations")
  expect_identical(weights(pooled, 21:22), weights(fits[[2]], 1:2), ignore_attr = TRUE)
  expect_equal(predict(pooled, holes[1:3, ], interval = "credible")[, 1], predict(pooled, holes[1:3, ]))
  for (method in list(fitted, residuals, predict)) expect_error(method(pooled), "imputations", class = "wbb_error_argument")
  expect_bad(pool_wbb(list(fits[[1]], 3)), "fits")
  narrow <- wbb_lasso(Ozone ~ Wind, full[[1]], lambda = 5, draws = 20, seed = 1, threads = 1)
  expect_error(pool_wbb(fits[[1]], narrow), "coefficients", class = "wbb_error_argument")
  expect_bad(pool_wbb(pooled, fits[[1]]), "fits", "already")
  skip_if_not_installed("mice")
  imputed <- suppressWarnings(mice::mice(holes, m = 2, maxit = 1, printFlag = FALSE, seed = 1))
  analyses <- with(imputed, wbb_lasso(Ozone ~ Wind + Temp, lambda = 5, draws = 10, threads = 1))
  expect_identical(nrow(as.matrix(pool_wbb(analyses))), 20L)
  # Rubin's rules find what they ask for as well.
  expect_identical(as.character(mice::pool(analyses)$pooled$term), c("(Intercept)", "Wind", "Temp"))
})

test_that("imputations of families and of models are pooled", {
  halves <- list(mtcars[1:20, ], mtcars[13:32, ])
  logistic <- lapply(halves, function(d) quick(am ~ wt + hp, d, family = "binomial", lambda = 1))
  pooled <- pool_wbb(logistic)
  expect_identical(as.matrix(pooled), rbind(as.matrix(logistic[[1]]), as.matrix(logistic[[2]])))
  expect_equal(predict(pooled, mtcars[1:2, ], estimate = "mean"),
    colMeans(plogis(cbind(1, as.matrix(as.data.frame(pooled)[-1])) %*% rbind(0, t(mtcars[1:2, c("wt", "hp")])) + as.matrix(pooled)[, 1])))
  expect_output(print(pooled), "2 imputations")
  models <- lapply(seq_along(halves), function(i) {
    half <- halves[[i]]
    wbb(lm(mpg ~ wt, half), draws = 10, seed = i)
  })
  pooled <- pool_wbb(models)
  expect_identical(as.matrix(pooled), rbind(as.matrix(models[[1]]), as.matrix(models[[2]])))
  expect_output(print(summary(pooled)), "wt")
})

test_that("emmeans has classes and lambdas as factors", {
  skip_if_not_installed("emmeans")
  d <- transform(diabetes[1:80, ], g = factor(rep(c("a", "b", "c", "d"), 20)))
  draws_of <- function(...) unname(as.matrix(coda::as.mcmc(emmeans::emmeans(...))))
  path <- quick(y ~ age + g, d, lambda = c(50, 5))
  x <- cbind(1, mean(d$age), rbind(0, diag(3)))
  at <- function(lambda) unname(as.matrix(path, lambda = lambda)) %*% t(x)
  expect_equal(draws_of(path, ~ g | lambda), cbind(at(50), at(5)))
  expect_equal(draws_of(path, ~g, lambda = 5), at(5))
  classes <- quick(g ~ age + bmi, d, family = "multinomial", lambda = 1)
  of_class <- vapply(0:3, function(k) as.matrix(classes)[, 3 * k + 1:3] %*% c(1, mean(d$age), mean(d$bmi)), numeric(20))
  expect_equal(draws_of(classes, ~class), of_class)
})

test_that("more of bayestestR describes the draws", {
  skip_if_not_installed("bayestestR")
  fit <- quick(y ~ bmi + map, diabetes, lambda = 20, draws = 200)
  expect_equal(bayestestR::map_estimate(fit)$MAP_Estimate, bayestestR::map_estimate(as.data.frame(fit))$MAP_Estimate)
  limit <- 0.1 * sd(diabetes$y)
  draws <- as.matrix(fit)
  expect_equal(bayestestR::p_significance(fit)$ps, unname(pmax(colMeans(draws > limit), colMeans(draws < -limit))))
  for (wrong in list(TRUE, "a", -1, c(1, Inf), 1:3, NULL)) expect_bad(bayestestR::p_significance(fit, threshold = wrong), "threshold")
  expect_s3_class(bayestestR::p_map(fit), "p_map")
  path <- quick(y ~ bmi, diabetes, lambda = c(50, 5))
  skip_if_not_installed("insight")
  expect_identical(insight::find_parameters(path)$conditional, colnames(as.matrix(path)))
})

test_that("insight finds the data of a fit without a formula", {
  skip_if_not_installed("insight")
  x <- as.matrix(diabetes[1:30, c("bmi", "map")])
  data <- insight::get_data(quick(x, diabetes$y[1:30]))
  expect_equal(data, diabetes[1:30, c("bmi", "map", "y")], ignore_attr = TRUE)
  expect_identical(names(insight::get_data(quick(y ~ bmi, diabetes))), c("y", "bmi"))
})

test_that("recipes, rsample and caret carry a fit along", {
  skip_if_not_installed("recipes")
  recipe <- recipes::recipe(y ~ bmi + map + g, d)
  recipe <- recipes::step_normalize(recipe, recipes::all_numeric_predictors())
  baked <- recipes::bake(recipes::prep(recipe), NULL)
  by_recipe <- quick(y ~ ., baked, lambda = 5, draws = 100)
  expect_equal(fitted(by_recipe), fitted(fit), ignore_attr = TRUE, tolerance = 1e-5)
  skip_if_not_installed("rsample")
  set.seed(1)
  folds <- rsample::vfold_cv(d, 2)
  errors <- vapply(folds$splits, function(split) {
    held <- rsample::assessment(split)
    mean((held$y - predict(quick(y ~ bmi, rsample::analysis(split), lambda = 5), held))^2)
  }, 0)
  expect_true(all(is.finite(errors)))
  skip_if_not_installed("caret")
  model <- list(
    type = "Regression", library = "wbb", loop = NULL,
    parameters = data.frame(parameter = "lambda", class = "numeric", label = "lambda"),
    grid = function(x, y, len = NULL, search = "grid") data.frame(lambda = c(1, 100)),
    fit = function(x, y, wts, param, lev, last, weights, classProbs, ...) wbb_lasso(x, y, lambda = param$lambda, ...),
    predict = function(modelFit, newdata, preProc = NULL, submodels = NULL) predict(modelFit, newdata), prob = NULL
  )
  trained <- caret::train(d[c("bmi", "map")], d$y, method = model, trControl = caret::trainControl("cv", 2),
    draws = 5, seed = 1, threads = 1)
  expect_s3_class(trained$finalModel, "wbb_lasso")
})

test_that("tables of models find estimates, errors and measures", {
  # What modelsummary passes to all models.
  expect_identical(generics::tidy(fit, conf.int = FALSE, vcov = NULL, coef_rename = FALSE), generics::tidy(fit))
  expect_identical(generics::glance(fit, gof_map = NULL), generics::glance(fit))
  expect_error(generics::tidy(fit, conf_level = 0.9), "conf.level", class = "wbb_error_argument")
  skip_if_not_installed("parameters")
  found <- parameters::model_parameters(fit, ci = NULL)
  expect_equal(found$SE, unname(apply(beta, 2, sd)))
  expect_output(print(parameters::model_parameters(fit)), "SE")
  skip_if_not_installed("performance")
  expect_identical(dim(as.data.frame(performance::check_predictions(fit, iterations = 3))), c(150L, 4L))
})

# Not in Debian, and not suggested: tried where they are.
test_that("modelsummary makes tables", {
  skip_if_not_installed("modelsummary")
  made <- suppressMessages(asNamespace("modelsummary")$modelsummary(list(fit, wbb(lm(y ~ bmi, d), draws = 10, seed = 1)), output = "data.frame"))
  expect_true(all(c("estimate", "std.error") %in% made$statistic))
  expect_true("R2" %in% made$term)
})

test_that("tidybayes has the draws of coefficients and predictions", {
  skip_if_not_installed("tidybayes")
  tidybayes <- asNamespace("tidybayes")
  expect_identical(tidybayes$tidy_draws(fit)$bmi, unname(beta[, "bmi"]))
  expected <- tidybayes$add_epred_draws(d[1:2, ], fit)
  expect_equal(expected$.epred[expected$.row == 2], unname(predict(fit, d[1:2, ], type = "draws")[, 2]))
  expect_identical(nrow(tidybayes$add_predicted_draws(d[1:2, ], fit, ndraws = 10)), 20L)
  left <- tidybayes$residual_draws(fit, d[1:2, ], seed = 1)
  new <- tidybayes$predicted_draws(fit, d[1:2, ], seed = 1)
  expect_equal(left$.residual, d$y[new$.row] - new$.prediction)
  classes <- quick(g ~ bmi + map, d, family = "multinomial", lambda = 1)
  shares <- tidybayes$epred_draws(classes, d[1:2, ])
  expect_identical(levels(factor(shares$.category)), c("a", "b", "c"))
  expect_equal(tapply(shares$.epred, paste(shares$.row, shares$.draw), sum), rep(1, 2 * nrow(as.matrix(classes))), ignore_attr = TRUE)
  x <- as.matrix(d[c("bmi", "map")])
  expect_equal(tidybayes$epred_draws(quick(x, d$y), x[1:2, ])$.epred, tidybayes$epred_draws(quick(y ~ bmi + map, d), d[1:2, ])$.epred)
})

test_that("parsnip has an engine", {
  skip_if_not_installed("parsnip")
  parsnip <- asNamespace("parsnip")
  spec <- parsnip$set_engine(parsnip$linear_reg(penalty = 5), "wbb", draws = 20, seed = 1, threads = 1)
  fitted <- parsnip$fit.model_spec(spec, y ~ bmi + map + g, data = d)
  direct <- quick(y ~ bmi + map + g, d, lambda = 5)
  expect_identical(predict(fitted, d[1:3, ])$.pred, unname(predict(direct, d[1:3, ])))
  limits <- predict(fitted, d[1:3, ], type = "pred_int", level = 0.8)
  expect_identical(limits$.pred_upper, unname(predict(direct, d[1:3, ], interval = "prediction", level = 0.8)[, "upr"]))
  d$count <- round(d$y / 30)
  counts <- parsnip$fit.model_spec(parsnip$set_engine(parsnip$poisson_reg(penalty = 5), "wbb", draws = 20, seed = 1, threads = 1), count ~ bmi, data = d)
  expect_identical(predict(counts, d[1:3, ])$.pred, unname(predict(quick(count ~ bmi, d, lambda = 5, family = "poisson"), d[1:3, ])))
  d$high <- factor(ifelse(d$y > 140, "high", "low"))
  network <- parsnip$set_mode(parsnip$mlp(hidden_units = 2, epochs = 50), "classification")
  for (model in list(parsnip$logistic_reg(penalty = 1), parsnip$multinom_reg(penalty = 1), network)) {
    outcome <- if (inherits(model, "logistic_reg")) "high" else "g"
    spec <- parsnip$set_engine(model, "wbb", draws = 5, seed = 1, threads = 1)
    fitted <- suppressWarnings(parsnip$fit.model_spec(spec, stats::reformulate(c("bmi", "map"), outcome), data = d))
    prob <- predict(fitted, d[1:3, ], type = "prob")
    expect_identical(names(prob), paste0(".pred_", levels(d[[outcome]])))
    # Networks compute in single precision.
    expect_equal(rowSums(prob), rep(1, 3), ignore_attr = TRUE, tolerance = if (inherits(model, "mlp")) 1e-6 else 1e-8)
    expect_identical(as.character(predict(fitted, d[1:3, ], type = "class")[[1]]), levels(d[[outcome]])[max.col(as.matrix(prob), "first")])
    limits <- predict(fitted, d[1:3, ], type = "conf_int", level = 0.8)
    expect_identical(names(limits), paste0(c(".pred_lower_", ".pred_upper_"), rep(levels(d[[outcome]]), each = 2)))
    own <- predict(parsnip$extract_fit_engine.model_fit(fitted), d[1:3, ], if (inherits(model, "mlp")) "prob" else "response", "credible", 0.8)
    for (level in levels(d[[outcome]])) {
      sides <- switch(level, low = own[, c("lwr", "upr")], high = 1 - own[, c("upr", "lwr")], own[, level, c("lwr", "upr")])
      expect_equal(unname(as.matrix(limits[paste0(c(".pred_lower_", ".pred_upper_"), level)])), unname(sides))
    }
  }
  weighted <- parsnip$fit.model_spec(
    parsnip$set_engine(parsnip$linear_reg(penalty = 5), "wbb", draws = 20, seed = 1, threads = 1), y ~ bmi + map,
    data = d, case_weights = asNamespace("hardhat")$importance_weights(rep(1:2, length.out = nrow(d)))
  )
  direct <- quick(y ~ bmi + map, d, lambda = 5, case_weights = rep(1:2, length.out = nrow(d)))
  expect_identical(as.matrix(parsnip$extract_fit_engine.model_fit(weighted)), as.matrix(direct))
})

test_that("parsnip predicts for several penalties", {
  skip_if_not_installed("parsnip")
  skip_if(utils::packageVersion("parsnip") >= "1.3.0", "parsnip takes one penalty")
  parsnip <- asNamespace("parsnip")
  d$high <- factor(ifelse(d$y > 140, "high", "low"))
  for (family in c("gaussian", "binomial", "multinomial")) {
    model <- switch(family, gaussian = parsnip$linear_reg, binomial = parsnip$logistic_reg, multinomial = parsnip$multinom_reg)(penalty = c(8, 1))
    formula <- stats::reformulate(c("bmi", "map"), c(gaussian = "y", binomial = "high", multinomial = "g")[[family]])
    several <- parsnip$fit.model_spec(parsnip$set_engine(model, "wbb", draws = 5, seed = 1, threads = 1), formula, data = d)
    direct <- quick(formula, d, lambda = c(8, 1), draws = 5, family = family)
    expect_error(predict(several, d[1:3, ]), "multi_predict", class = "wbb_error_argument")
    found <- parsnip$multi_predict(several, d[1:3, ])
    expect_identical(dim(found), c(3L, 1L))
    expect_identical(found$.pred[[2]]$penalty, c(8, 1))
    if (family == "gaussian") {
      expect_equal(found$.pred[[2]]$.pred, unname(predict(direct, d[2, ])[1, ]))
    } else {
      own <- predict(direct, d[1:3, ], type = "class", lambda = 1)
      expect_identical(as.character(found$.pred[[3]]$.pred_class[2]), as.character(own[3]))
      shares <- parsnip$multi_predict(several, d[1:3, ], type = "prob", penalty = 1)$.pred[[1]]
      expect_equal(sum(shares[-1]), 1)
      expect_identical(names(shares), c("penalty", paste0(".pred_", levels(d[[all.vars(formula)[1]]]))))
    }
    expect_error(parsnip$multi_predict(several, d[1:3, ], penalty = 3), "fitted values", class = "wbb_error_argument")
  }
})

test_that("marginaleffects tests hypotheses by the covariance of the draws", {
  skip_if_not_installed("marginaleffects")
  effects <- asNamespace("marginaleffects")
  for (of in list(fit, suppressMessages(wbb(lm(y ~ bmi + map + g, d), draws = 50, seed = 1)))) {
    found <- effects$hypotheses(of, "bmi = map")
    expect_equal(as.numeric(found$estimate), coef(of)[["bmi"]] - coef(of)[["map"]])
    expect_equal(as.numeric(found$std.error), sd(as.matrix(of)[, "bmi"] - as.matrix(of)[, "map"]), tolerance = 1e-4)
  }
  path <- quick(y ~ bmi + map, d, lambda = c(50, 5))
  expect_equal(as.numeric(effects$hypotheses(path)$std.error), unname(apply(as.matrix(path), 2, sd)), tolerance = 1e-4)
})

test_that("hypotheses on the parameters of a network are refused", {
  network <- quick_mlp(draws = 2)
  expect_error(set_coef.wbb(network, get_coef.wbb(network)), "units can be exchanged", class = "wbb_error_argument")
  skip_if_not_installed("marginaleffects")
  effects <- asNamespace("marginaleffects")
  expect_error(effects$hypotheses(network), "units can be exchanged", class = "wbb_error_argument")
  expect_error(effects$hypotheses(network, "b1 = b2"), "units can be exchanged", class = "wbb_error_argument")
  # Numbers of a function have no data, and need none.
  mean_of <- wbb(function(w, w0) c(mean = sum(w * d$y) / sum(w)), n = nrow(d), draws = 20, seed = 1)
  expect_equal(as.numeric(effects$hypotheses(mean_of)$estimate), unname(coef(mean_of)))
})

test_that("marginaleffects works on draws", {
  skip_if_not_installed("marginaleffects")
  skip_if_not_installed("collapse")
  effects <- asNamespace("marginaleffects")
  found <- as.data.frame(effects$comparisons(fit, variables = "g", newdata = d[1:2, ]))
  expect_equal(found$estimate[1:2], rep(median(beta[, "gb"]), 2))
  # Without a formula, at the rows of the fit.
  x <- as.matrix(d[c("bmi", "map")])
  matrix <- quick(x, d$y, lambda = 5)
  expect_equal(effects$predictions(matrix)$estimate, unname(apply(predict(matrix, type = "draws"), 2, median)))
  expect_equal(unique(round(effects$slopes(matrix, variables = "bmi")$estimate, 4)), round(median(as.matrix(matrix)[, "bmi"]), 4))
  # Each family, on the scale of its response.
  d$count <- round(d$y / 30)
  for (family in c("poisson", "gaussian")) {
    counts <- quick(count ~ bmi + map, d, family = family, lambda = 1)
    expect_equal(effects$predictions(counts, newdata = d[1:3, ])$estimate, unname(apply(predict(counts, d[1:3, ], type = "draws"), 2, median)))
  }
})

test_that("car takes one lambda of a path", {
  skip_if_not_installed("car")
  path <- quick(y ~ bmi + map, d, lambda = c(50, 5))
  one <- quick(y ~ bmi + map, d, lambda = 5)
  expect_equal(car::linearHypothesis(path, "bmi = map", lambda = 5), car::linearHypothesis(one, "bmi = map"), ignore_attr = TRUE)
  expect_equal(car::deltaMethod(path, "bmi / map", lambda = 2), car::deltaMethod(one, "bmi / map"))
  expect_error(car::linearHypothesis(path, "bmi = map"), "`lambda`", class = "wbb_error_argument")
  expect_error(car::deltaMethod(path, "bmi / map"), "`lambda`", class = "wbb_error_argument")  # Whatever is asked, by the generic or not, is answered or refused with words.
  expect_error(linearHypothesis.wbb(one), "cannot answer", class = "wbb_error_argument")
  expect_error(deltaMethod.wbb(one, "bmi / nothing"), "cannot answer", class = "wbb_error_argument")
  expect_error(car::linearHypothesis(one, "nothing = 0"), "cannot answer", class = "wbb_error_argument")
})

test_that("caret has the importance of terms", {
  skip_if_not_installed("caret")
  shown <- plot_data(fit, "importance")$interval
  expect_equal(caret::varImp(fit), data.frame(Overall = shown$median, row.names = shown$name))
  path <- quick(y ~ bmi + map, d, lambda = c(50, 5))
  expect_error(caret::varImp(path), "`lambda`", class = "wbb_error_argument")
  expect_identical(caret::varImp(path, lambda = 5), caret::varImp(quick(y ~ bmi + map, d, lambda = 5)))
})

test_that("broom.helpers counts rows by their own weights", {
  skip_if_not_installed("broom.helpers")
  counted <- function(...) asNamespace("broom.helpers")$tidy_plus_plus(quick(y ~ bmi + g, d, lambda = 5, ...))
  expect_identical(sum(counted()$n_obs[-1]), as.numeric(nrow(d)))
  expect_identical(sum(counted(case_weights = rep(1:2, length.out = nrow(d)))$n_obs[-1]), sum(rep(1:2, length.out = nrow(d))) + 0)
})

test_that("comparisons of maximised likelihoods are refused", {
  for (method in list(anova, drop1, function(fit) step(fit, trace = 0))) expect_error(method(fit), "maximised", class = "wbb_error_argument")
  expect_identical(as.data.frame(summary(fit)), as.data.frame(summary(fit)$table))
})

test_that("the paper is cited", {
  expect_match(format(citation("wbb"), style = "text"), "Newton", all = FALSE)
})

test_that("intervals of maximum likelihood, as sjPlot asks for them, are those of the draws", {
  skip_if_not_installed("parameters")
  fit <- quick(y ~ bmi + map, diabetes)
  limits <- function(...) as.data.frame(parameters::model_parameters(fit, ...))[c("CI_low", "CI_high")]
  expect_identical(limits(ci_method = "wald"), limits())
  expect_false(identical(limits(ci_method = "hdi"), limits()))
  expect_identical(limits(ci_method = "HDI"), limits(ci_method = "hdi"))
  for (method in list("other", Inf, character(), list("eti"), sum)) expect_bad(limits(ci_method = method), "ci_method")
})

test_that("car's tests of terms are of one vector of coefficients", {
  skip_if_not_installed("car")
  v <- vcov(fit)
  r <- stats::cov2cor(v[-1, -1])
  expect_equal(car::vif(fit)["bmi", "GVIF"], det(r[-1, -1]) / det(r), ignore_attr = TRUE)
  expect_equal(car::Anova(fit)["bmi", "Chisq"], unname(coef(fit)["bmi"]^2 / v["bmi", "bmi"]))
  path <- quick(y ~ bmi + map, d, lambda = c(50, 5))
  classes <- quick(g ~ bmi + map, d, family = "multinomial")
  network <- suppressWarnings(wbb_mlp(y ~ bmi + map, d, hidden = 2, lambda = 0.1, draws = 2, epochs = 2, seed = 1))
  for (several in list(path, classes, network)) {
    expect_bad(car::vif(several), "mod", "one coefficient")
    expect_bad(car::Anova(several), "mod", "one coefficient")
  }
  expect_error(car::vif(quick(y ~ bmi, d)), "fewer than 2 terms", class = "wbb_error_argument")
})

test_that("emmeans finds the variables of terms that are computed, at the rows of the fit", {
  skip_if_not_installed("emmeans")
  d$bmi[3] <- NA
  d$lag <- log(d$map) / 10
  # emmeans itself stumbles over lm() with a subset and missing values.
  some <- d[d$g != "a" & !is.na(d$bmi), ]
  same <- function(ours, theirs, ...) {
    expect_lt(max(abs(summary(emmeans::emmeans(ours, ...), point.est = mean)$emmean - summary(emmeans::emmeans(theirs, ...))$emmean)), 0.2 * sd(d$y))
  }
  same(quick(y ~ poly(map, 2) + g, d, lambda = 0, draws = 50), lm(y ~ poly(map, 2) + g, d), "g")
  same(quick(y ~ log(bmi) + g, d, lambda = 0, draws = 50, subset = g != "a"), lm(y ~ log(bmi) + g, some), "bmi", at = list(bmi = c(20, 30)))
  d$many <- round(d$y / 10)
  fit <- quick(many ~ map + g + offset(lag), d, lambda = 0, family = "poisson", draws = 50)
  found <- summary(emmeans::emmeans(fit, "g"), point.est = mean)$emmean
  at <- data.frame(map = mean(d$map), lag = mean(d$lag), g = c("a", "b", "c"))
  expect_equal(found, unname(colMeans(rstantools::posterior_linpred(fit, newdata = at))))
  gone <- d
  fit <- quick(y ~ log(map) + g, gone)
  rm(gone)
  expect_error(emmeans::recover_data(fit), "no longer found", class = "wbb_error_argument")
})

test_that("parameters has ratios", {
  skip_if_not_installed("parameters")
  d$high <- as.integer(d$y > 140)
  fit <- quick(high ~ bmi + map, d, family = "binomial", lambda = 1, draws = 100)
  found <- parameters::model_parameters(fit, exponentiate = TRUE)
  expect_equal(found$Median, unname(exp(apply(as.matrix(fit), 2, median))))
  expect_equal(found$CI_low, unname(exp(confint(fit)[, 1])))
  plain <- parameters::model_parameters(fit)
  expect_equal(found$SE, plain$SE * found$Median)
  expect_equal(found$pd, plain$pd)
  expect_equal(parameters::model_parameters(fit, exponentiate = "nongaussian")$Median, found$Median)
  linear <- quick(y ~ bmi, d)
  expect_equal(parameters::model_parameters(linear, exponentiate = "nongaussian")$Median, parameters::model_parameters(linear)$Median)
  expect_bad(parameters::model_parameters(linear, exponentiate = 3), "exponentiate")
})

test_that("what is done with draws is done with those of a fit", {
  skip_if_not_installed("posterior")
  expect_equal(posterior::subset_draws(fit, variable = "bmi")$bmi, unname(beta[, "bmi"]))
  expect_equal(posterior::mutate_variables(fit, ratio = bmi / map)$ratio, unname(beta[, "bmi"] / beta[, "map"]))
  skip_if_not_installed("coda")
  expect_equal(coda::HPDinterval(fit), coda::HPDinterval(coda::as.mcmc(beta)))
})

test_that("insight has degrees of freedom and the likelihood", {
  skip_if_not_installed("insight")
  expect_equal(insight::get_df(fit), df.residual(fit))
  expect_equal(as.numeric(insight::get_loglikelihood(fit)), as.numeric(logLik(fit)))
})

test_that("gtsummary makes tables, and groups those of classes", {
  skip_if_not_installed("gtsummary")
  table <- asNamespace("gtsummary")$tbl_regression
  classes <- quick(Species ~ Sepal.Width, iris, family = "multinomial", lambda = 1)
  made <- suppressMessages(table(classes))$table_body
  expect_identical(made$groupname_col, levels(iris$Species))
  expect_equal(made$estimate, as.vector(coef(classes)["Sepal.Width", ]))
  expect_bad(table(quick(y ~ bmi, d, lambda = 2:1)), "x", "several lambdas")
  expect_bad(table(quick_trend()), "x", "without terms")
})
