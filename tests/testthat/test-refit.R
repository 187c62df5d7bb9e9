# A draw of a model is what its fitter gives with the weights of the draw, and the user's own.

refits <- function(fit, fitter, draws = 1:3) {
  w <- weights(fit)[, seq_len(nobs(fit)), drop = FALSE]
  for (k in draws) expect_equal(fit$draws[k, ], fitter(unname(w[k, ])), tolerance = 1e-7)
}

test_that("a draw is the model's own fit with the weights", {
  fit <- wbb(lm(dist ~ poly(speed, 2), cars), draws = 5, seed = 1, refit = TRUE)
  refits(fit, function(w) coef(lm(dist ~ poly(speed, 2), cars, weights = w)))
  expect_equal(coef(fit), coef(lm(dist ~ poly(speed, 2), cars)))
  fit <- wbb(nls(dist ~ a * speed^b, cars, start = list(a = 1, b = 1)), draws = 5, seed = 1)
  refits(fit, function(w) coef(nls(dist ~ a * speed^b, cars, start = list(a = 1, b = 1), weights = w)))
  fit <- wbb(loess(dist ~ speed, cars), statistic = predict_at(data.frame(speed = c(5, 20))), draws = 5, seed = 1)
  refits(fit, function(w) {
    w <<- w
    setNames(as.vector(predict(eval(bquote(loess(dist ~ speed, cars, weights = .(w)))), data.frame(speed = c(5, 20)))), 1:2)
  })
})

test_that("so it is for the models of other packages", {
  skip_on_cran()
  if (requireNamespace("survival", quietly = TRUE)) {
    lung <- survival::lung
    Surv <- survival::Surv
    fit <- wbb(survival::coxph(Surv(time, status) ~ age + ph.ecog, lung), draws = 3, seed = 1)
    used <- which(!is.na(lung$ph.ecog))
    expect_equal(nobs(fit), length(used))
    refits(fit, function(w) coef(survival::coxph(Surv(time, status) ~ age + ph.ecog, lung[used, ], weights = w)))
    fit <- wbb(survival::survreg(Surv(time, status) ~ age, lung), draws = 3, seed = 1)
    refits(fit, function(w) coef(survival::survreg(Surv(time, status) ~ age, lung, weights = w)))
  }
  if (requireNamespace("MASS", quietly = TRUE)) {
    housing <- MASS::housing
    fit <- wbb(MASS::polr(Sat ~ Infl, housing, Freq), draws = 3, seed = 1)
    refits(fit, function(w) suppressWarnings(coef(MASS::polr(Sat ~ Infl, housing, w))))
    expect_equal(unname(weights(fit)[2, 1:72] / weights(wbb(MASS::polr(Sat ~ Infl, housing), draws = 3, seed = 1))[2, 1:72]),
      as.double(housing$Freq))
    fit <- wbb(MASS::rlm(stack.loss ~ Air.Flow, stackloss, maxit = 100), draws = 3, seed = 1)
    refits(fit, function(w) coef(MASS::rlm(stack.loss ~ Air.Flow, stackloss, weights = w, wt.method = "case", maxit = 100)))
  }
  if (requireNamespace("nnet", quietly = TRUE)) {
    fit <- wbb(nnet::multinom(Species ~ Sepal.Width, iris, trace = FALSE), draws = 3, seed = 1)
    expect_identical(fit$spec$names[1:2], c("versicolor:(Intercept)", "virginica:(Intercept)"))
    refits(fit, function(w) named_numbers(coef(nnet::multinom(Species ~ Sepal.Width, iris, weights = w, trace = FALSE))))
    # Its start is random, its call that of a method, and it prints.
    net <- nnet::nnet(dist / 100 ~ speed, cars, size = 2, linout = TRUE, trace = FALSE)
    both <- lapply(1:2, function(i) suppressMessages(wbb(net, draws = 3, seed = 1)))
    expect_identical(both[[1]]$draws, both[[2]]$draws)
    expect_message(wbb(net, draws = 3, seed = 1), "not `decay`")
    expect_message(wbb(net, draws = 3, seed = 1), "starts at random")
  }
  if (requireNamespace("rpart", quietly = TRUE)) {
    fit <- wbb(rpart::rpart(dist ~ speed, cars), statistic = predict_at(cars[c(1, 50), ]), draws = 3, seed = 1)
    refits(fit, function(w) predict(rpart::rpart(dist ~ speed, cars, w), cars[c(1, 50), ]))
  }
  if (requireNamespace("quantreg", quietly = TRUE)) {
    fit <- wbb(quantreg::rq(dist ~ speed, 0.3, cars), draws = 3, seed = 1)
    refits(fit, function(w) coef(quantreg::rq(dist ~ speed, 0.3, cars, weights = w)))
  }
  if (requireNamespace("mgcv", quietly = TRUE)) {
    gam <- mgcv::gam
    s <- mgcv::s
    fit <- suppressMessages(wbb(gam(dist ~ s(speed), data = cars), draws = 3, seed = 1))
    refits(fit, function(w) coef(gam(dist ~ s(speed), data = cars, weights = w)))
  }
  if (requireNamespace("lme4", quietly = TRUE)) {
    sleep <- lme4::sleepstudy
    expect_message(fit <- wbb(lme4::lmer(Reaction ~ Days + (1 | Subject), sleep), draws = 3, seed = 1, cluster = sleep$Subject),
      "precisions of the residuals")
    refits(fit, function(w) lme4::fixef(lme4::lmer(Reaction ~ Days + (1 | Subject), sleep, weights = w)))
    expect_output(print(fit), "180 rows, 18 clusters")
  }
  if (requireNamespace("glmnet", quietly = TRUE)) {
    x <- as.matrix(diabetes[1:10])
    y <- diabetes$y
    fit <- suppressMessages(wbb(glmnet::glmnet(x, y, lambda = 2), draws = 3, seed = 1))
    refits(fit, function(w) as.matrix(coef(glmnet::glmnet(x, y, weights = w, lambda = 2)))[, 1])
    # A path keeps its lambdas.
    at <- function(m) as.matrix(coef(m, s = 2))[, 1]
    fit <- suppressMessages(wbb(glmnet::glmnet(x, y), statistic = at, draws = 3, seed = 1))
    lambdas <- glmnet::glmnet(x, y)$lambda
    refits(fit, function(w) at(glmnet::glmnet(x, y, weights = w, lambda = lambdas)))
  }
})

test_that("the user's weights multiply, subset and missing values are those of the model", {
  d <- transform(cars, own = rep(1:2, 25), x = replace(speed, c(3, 10), NA))
  for (na in list(na.omit, na.exclude)) {
    fit <- wbb(lm(dist ~ x, d, subset = dist < 80, weights = own, na.action = na), draws = 3, seed = 1, refit = TRUE)
    rows <- which(d$dist < 80 & !is.na(d$x))
    expect_equal(nobs(fit), length(rows))
    expect_identical(colnames(weights(fit))[seq_along(rows)], as.character(rows))
    refits(fit, function(w) coef(lm(dist ~ x, d[rows, ], weights = w)))
    plain <- wbb(lm(dist ~ x, d, subset = dist < 80), draws = 3, seed = 1, refit = TRUE)
    expect_equal(weights(fit)[, seq_along(rows)], sweep(weights(plain)[, seq_along(rows)], 2, d$own[rows], "*"))
  }
  # Groups are given for the rows of the data, or for those that were used.
  group <- rep(1:10, 5)
  whole <- wbb(lm(dist ~ x, d), draws = 3, seed = 1, cluster = group, refit = TRUE)
  used <- wbb(lm(dist ~ x, d), draws = 3, seed = 1, cluster = group[!is.na(d$x)], refit = TRUE)
  expect_identical(whole$draws, used$draws)
  expect_bad(wbb(lm(dist ~ x, d), cluster = 1:3), "cluster", "length 48")
  # A subset with row names, and numbers of rows.
  m <- mtcars
  fit <- wbb(nls(mpg ~ a + b * wt, m, start = list(a = 30, b = -3), subset = cyl > 4), draws = 2, seed = 1)
  refits(fit, function(w) coef(nls(mpg ~ a + b * wt, m[m$cyl > 4, ], start = list(a = 30, b = -3), weights = w)), 1:2)
})

test_that("data are found where the model found them", {
  same <- function(fit) expect_equal(unname(coef(fit)), unname(coef(lm(dist ~ speed, cars))))
  in_function <- function() {
    local_data <- cars
    lm(dist ~ speed, local_data)
  }
  same(wbb(in_function(), draws = 2, refit = TRUE))
  in_vectors <- function() {
    a <- cars$dist
    b <- cars$speed
    lm(a ~ b)
  }
  same(wbb(in_vectors(), draws = 2, refit = TRUE))
  # The formula comes from elsewhere, the data are where wbb() is called.
  from_elsewhere <- function(formula) {
    mine <- cars
    wbb(lm(formula, mine), draws = 2, refit = TRUE)
  }
  same(from_elsewhere(dist ~ speed))
  with_arguments <- function(k) {
    d <- cars
    wbb(lm(dist ~ I(speed * k), d, subset = speed > k), draws = 2, refit = TRUE)
  }
  expect_equal(nobs(with_arguments(5)), 48)
  same(do.call(wbb, list(do.call(lm, list(dist ~ speed, cars)), draws = 2, refit = TRUE)))
})

test_that("data that are gone, or something else by now, are an error that says what to do", {
  hidden <- function(formula, d) lm(formula, d)
  model <- hidden(dist ~ speed, cars)
  error <- expect_bad(wbb(model, draws = 2, refit = TRUE), "data", "give them as `data`")
  expect_match(conditionMessage(error), "cannot be found again")
  fit <- wbb(model, data = cars, draws = 2, refit = TRUE)
  expect_equal(coef(fit), coef(model))
  d <- transform(cars, dist = rev(dist))
  expect_bad(wbb(model, draws = 2, refit = TRUE), "data", "`d` is not what the model was fitted to")
  # The core needs only what the model keeps.
  expect_equal(wbb(model, draws = 5, seed = 1)$draws, wbb(lm(dist ~ speed, cars), draws = 5, seed = 1, refit = TRUE)$draws)
  expect_bad(wbb(model, data = 3), "data")
  own <- rep(1:2, 25)
  weighted <- lm(dist ~ speed, cars, weights = own)
  rm(own)
  expect_bad(wbb(weighted, draws = 2, refit = TRUE), "data", "'own'")
})

test_that("models without weights are refused", {
  expect_bad(wbb(stats::kmeans(cars, 2)), "object", "wbb(function(w)")
  expect_bad(wbb(list(1)), "object")
  expect_bad(wbb("lm"), "object")
  ignoring <- function(x, ...) structure(list(call = match.call(), coefficients = c(a = mean(x))), class = "mine")
  x <- 1:10
  expect_bad(wbb(ignoring(x = x)), "object", "the same numbers whatever they are")
  no_weights <- function(x) structure(list(call = match.call(), coefficients = c(a = mean(x))), class = "mine")
  expect_bad(wbb(no_weights(x = x)), "object", "no argument `weights`")
  skip_if_not_installed("nlme")
  expect_bad(wbb(nlme::gls(dist ~ speed, cars)), "object", "variance")
})

test_that("a statistic that gives nothing is explained", {
  skip_if_not_installed("rpart")
  expect_bad(wbb(rpart::rpart(dist ~ speed, cars), draws = 2), "statistic", "class \"rpart\" has no coefficients. Take statistic = predict_at(newdata)")
  expect_bad(wbb(stats::loess(dist ~ speed, cars), draws = 2), "statistic", "class \"loess\" has no coefficients")
  expect_bad(wbb(lm(dist ~ speed, cars), statistic = "coef"), "statistic")
})

test_that("coefficients that the data do not determine are left out, and said", {
  d <- transform(cars, twice = 2 * speed)
  for (refit in c(TRUE, FALSE)) {
    expect_message(fit <- wbb(lm(dist ~ speed + twice, d), draws = 3, seed = 1, refit = refit), "left out: \"twice\"")
    refits(fit, function(w) coef(lm(dist ~ speed, d, weights = w)))
    expect_output(print(fit), "left out")
  }
})

test_that("rows of a model are found by their names, and without any by their places", {
  found <- function(frame, data) rows_among(frame, list(data = data, size = nrow(data), names = row.names(data)))
  plain <- data.frame(y = c(1, 5, 2, 4), x = 1:4)
  named <- `row.names<-`(plain, letters[1:4])
  for (data in list(plain, named)) {
    for (rows in list(1:4, c(3, 1, 4, 2), 2:4, c(4, 1))) expect_identical(found(data[rows, ], data), as.integer(rows))
    expect_identical(found(stats::model.frame(y ~ x, data), data), 1:4)
  }
  expect_identical(found(stats::model.frame(lm(y ~ x, plain, subset = c(4, 2, 3, 1))), plain), c(4L, 2L, 3L, 1L))
  # No names of the frame's own, but other names in the data: nothing says which rows they are.
  expect_true(anyNA(found(plain, named)))
})
