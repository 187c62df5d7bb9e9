d <- family_data()
families <- c("binomial", "poisson", "multinomial", "cox")
fits <- lapply(stats::setNames(families, families), function(family) quick_family(family, lambda = 1))

test_that("without a penalty they are glm()'s and coxph()'s, whatever the weights", {
  skip_if_not_installed("survival")
  models <- list(
    binomial = function(w) suppressWarnings(glm(yes ~ a + b + g + offset(o), binomial, d, w, epsilon = 1e-14, maxit = 100)),
    poisson = function(w) glm(count ~ a + b + g + offset(o), poisson, d, w, epsilon = 1e-14, maxit = 100),
    cox = function(w) survival::coxph(survival::Surv(time, event) ~ a + b + g + offset(o), d, w, ties = "breslow",
      control = survival::coxph.control(eps = 1e-11, iter.max = 100))
  )
  for (family in names(models)) {
    fit <- quick_family(family, rhs = "a + b + g + offset(o)", lambda = 0, draws = 3)
    model <- function(w) {
      env <- environment(models[[family]])
      assign("w", w, env)
      models[[family]](w)
    }
    one <- model(rep(1, 80))
    expect_equal(coef(fit), coef(one), tolerance = 1e-6)
    expect_equal(deviance(fit), if (family == "cox") -2 * c(logLik(one)) else deviance(one), tolerance = 1e-8)
    expect_equal(c(logLik(fit)), c(logLik(one)), tolerance = 1e-8)
    expect_equal(attr(logLik(fit), "df"), attr(logLik(one), "df"))
    types <- if (family == "cox") c(response = "martingale", deviance = "deviance") else {
      c(response = "response", deviance = "deviance", pearson = "pearson", working = "working")
    }
    for (type in names(types)) {
      expect_equal(residuals(fit, type = type), residuals(one, type = types[[type]]), tolerance = 1e-5)
    }
    weights <- weights(fit)[, 1:80]
    for (k in 1:3) expect_equal(as.matrix(fit)[k, ], coef(model(weights[k, ])), tolerance = 1e-5)
  }
})

test_that("draws that share a model with others are coxph()'s, too", {
  skip_if_not_installed("survival")
  with_seed(3, {
    x <- matrix(rnorm(300 * 12), 300)
    time <- ceiling(10 * rexp(300, exp(x[, 1] / 2)))
    event <- rbinom(300, 1, 0.7)
  })
  fit <- quick(x, survival::Surv(time, event), family = "cox", lambda = 0, draws = 4)
  expect_identical(fit$method, "reference")
  for (k in 1:4) {
    w <- weights(fit, k)[, 1:300]
    one <- survival::coxph(survival::Surv(time, event) ~ x, weights = w, ties = "breslow")
    expect_lt(max(abs(as.matrix(fit)[k, ] - coef(one))), 1e-6)
  }
})

test_that("unpenalised columns that nearly depend on each other are told apart", {
  with_seed(5, {
    u <- rnorm(150)
    v <- rnorm(150)
    eta <- u / 2 + v
    responses <- list(
      binomial = rbinom(150, 1, plogis(eta)), poisson = rpois(150, exp(eta)),
      multinomial = factor(max.col(cbind(eta, 0, 0) - log(rexp(450))))
    )
    if (requireNamespace("survival", quietly = TRUE)) responses$cox <- survival::Surv(rexp(150, exp(eta)), rbinom(150, 1, 0.8))
  })
  for (family in names(responses)) for (apart in c(1e-4, 1e-7, 1e-9)) {
    fit <- function(x) quick(x, responses[[family]], family = family, lambda = 0, draws = 5)
    near <- fit(cbind(u, u + apart * v))
    expect_true(all(near$diagnostics$status == "converged"))
    expect_equal(near$diagnostics$objective, fit(cbind(u, v))$diagnostics$objective, tolerance = 1e-6)
  }
})

test_that("they are told apart in sparse designs as well", {
  with_seed(6, {
    x <- as.matrix(Matrix::rsparsematrix(300, 7, 0.3))
    eta <- x[, 1] - x[, 2] / 2 + x[, 3]
    responses <- list(
      gaussian = eta + rnorm(300), binomial = rbinom(300, 1, plogis(eta)), poisson = rpois(300, exp(eta)),
      multinomial = factor(max.col(cbind(eta, 0, 0) - log(rexp(900))))
    )
    if (requireNamespace("survival", quietly = TRUE)) responses$cox <- survival::Surv(rexp(300, exp(eta)), rbinom(300, 1, 0.8))
  })
  # The first two columns of x, and the second as a difference of columns; the third twice.
  near <- cbind(x[, 1], x[, 1] + 1e-7 * x[, 2], x[, 3], x[, 3], x[, 4:7])
  free <- rep(0:1, c(4, 4))
  for (family in names(responses)) for (intercept in c(TRUE, FALSE)) {
    if (family == "cox" && !intercept) next
    fit <- function(x, free, ...) {
      x <- methods::as(x, "CsparseMatrix")
      quick(x, responses[[family]], family = family, lambda = 3, penalty_factor = free, draws = 5, intercept = intercept, ...)
    }
    here <- fit(near, free)
    apart <- fit(x, free[-4])
    expect_true(all(here$diagnostics$status == "converged"))
    expect_equal(here$diagnostics$objective, apart$diagnostics$objective, tolerance = 1e-7)
    expect_equal(unname(fitted(here)), unname(fitted(apart)), tolerance = 1e-4)
  }
})

test_that("counts, shares of trials and single trials are one model", {
  grouped <- aggregate(cbind(hits, trials) ~ g, d, sum)
  model <- glm(cbind(hits, trials - hits) ~ g, binomial, grouped)
  counts <- quick(cbind(hits, trials - hits) ~ g, grouped, family = "binomial", lambda = 0)
  shares <- quick(hits / trials ~ g, grouped, case_weights = trials, family = "binomial", lambda = 0)
  expect_equal(coef(counts), coef(model), tolerance = 1e-6)
  expect_equal(c(logLik(quick(cbind(hits, trials - hits) ~ a, d, family = "binomial", lambda = 0))),
    c(logLik(glm(cbind(hits, trials - hits) ~ a, binomial, d))))
  expect_identical(shares$draws, counts$draws)
  expect_identical(shares$spec$case_weights, counts$spec$case_weights)
  single <- d[rep(seq_len(80), d$trials), ]
  single$hit <- unlist(Map(function(h, t) rep(c(1, 0), c(h, t - h)), d$hits, d$trials))
  expect_equal(coef(quick(hit ~ a + g, single, family = "binomial", lambda = 0)),
    coef(quick(cbind(hits, trials - hits) ~ a + g, d, family = "binomial", lambda = 0)), tolerance = 1e-6)
})

test_that("a response in another coding is the same fit to the bit", {
  same <- list(d$yes == 1, factor(d$yes, labels = c("no", "yes")), c("no", "yes")[d$yes + 1], cbind(d$yes, 1 - d$yes))
  x <- as.matrix(d[c("a", "b")])
  first <- quick(x, d$yes, family = "binomial", lambda = 1)
  for (y in same) expect_identical(quick(x, y, family = binomial, lambda = 1)$draws, first$draws)
  expect_identical(quick(yes ~ a + b, transform(d, yes = factor(yes)), family = binomial(), lambda = 1)$draws, first$draws)
  # The other class is the other sign.
  expect_equal(coef(quick(x, 1 - d$yes, family = "binomial", lambda = 1)), -coef(first), tolerance = 1e-6)
  expect_identical(quick(x, factor(d$class), family = "multinomial", lambda = 1)$draws,
    quick(x, d$class, family = "multinomial", lambda = 1)$draws)
})

test_that("glmnet finds the same", {
  skip_if_not_installed("glmnet")
  skip_if_not_installed("survival")
  x <- model.matrix(~ a + b + g, d)[, -1]
  responses <- list(binomial = d$yes, poisson = d$count, cox = survival::Surv(d$time, d$event), multinomial = d$class)
  for (family in names(responses)) {
    ours <- coef(quick(x, responses[[family]], family = family, lambda = 2))
    peer <- glmnet::glmnet(x, responses[[family]], family, lambda = 2 / 80, thresh = 1e-14)
    theirs <- coef(peer)
    theirs <- if (family == "multinomial") vapply(theirs, function(one) as.matrix(one)[, 1], numeric(5)) else as.matrix(theirs)[, 1]
    # The multinomial's intercepts are known up to a constant.
    if (family == "multinomial") theirs[1, ] <- theirs[1, ] - mean(theirs[1, ]) + mean(ours[1, ])
    expect_equal(unname(ours), unname(theirs), tolerance = 1e-4)
  }
})

test_that("order of rows and units of columns do not matter", {
  turned <- d[80:1, ]
  scaled <- transform(d, a = 1000 * a, b = b - 7)
  for (family in families) {
    slopes <- function(fit) {
      values <- as.matrix(coef(fit))
      values[rownames(values) != "(Intercept)", ]
    }
    fit <- fits[[family]]
    expect_equal(slopes(quick_family(family, data = turned, lambda = 1)), slopes(fit), tolerance = 1e-5)
    other <- slopes(quick_family(family, data = scaled, lambda = 1))
    factor <- c(1000, 1, 1, 1)
    expect_equal(other * factor, slopes(fit), tolerance = 1e-5)
  }
})

test_that("predictions agree with each other", {
  new <- d[1:6, ]
  for (family in families) {
    fit <- fits[[family]]
    link <- predict(fit, new, "link")
    response <- predict(fit, new)
    inverse <- if (family == "multinomial") function(eta) exp(eta) / rowSums(exp(eta)) else family_of(fit)$mean
    expect_equal(response, inverse(link))
    expect_equal(predict(fit, new, if (family == "cox") "link" else "response"), utils::head(fitted(fit), 6))
    draws <- predict(fit, new, "draws")
    centre <- apply(draws, seq_along(dim(draws))[-1], mean)
    expect_equal(predict(fit, new, estimate = "mean"), centre)
    limits <- predict(fit, new, interval = "credible", level = 0.8)
    quantiles <- apply(draws, seq_along(dim(draws))[-1], stats::quantile, c(0.1, 0.9))
    low <- if (family == "multinomial") limits[, , "lwr"] else limits[, "lwr"]
    expect_equal(low, if (family == "multinomial") quantiles[1, , ] else quantiles[1, ], tolerance = 0.01)
    expect_true(all(low <= (if (family == "multinomial") limits[, , "upr"] else limits[, "upr"])))
    expect_equal(as.vector(as.matrix(model.matrix(fit, new)) %*% coef(fit)), as.vector(link))
    expect_identical(nrow(predict(fit, new[0, ], "draws")), 20L)
    expect_bad(predict(fit, new, "draws", interval = "credible"), "interval")
  }
  expect_identical(predict(fits$binomial, new, "class") == "1", unname(predict(fits$binomial, new) > 0.5))
  most <- colnames(predict(fits$multinomial, new))[max.col(predict(fits$multinomial, new))]
  expect_identical(as.character(predict(fits$multinomial, new, "class")), most)
  expect_bad(predict(fits$poisson, new, "class"), "type")
  for (family in c("binomial", "multinomial", "cox")) expect_bad(predict(fits[[family]], interval = "prediction"), "interval", family)
  expect_bad(predict(fits$poisson, type = "link", interval = "prediction"), "type")
})

test_that("prediction sets of classes are the smallest that hold the level", {
  new <- d[1:10, ]
  for (family in c("binomial", "multinomial")) {
    fit <- fits[[family]]
    share <- predict(fit, new, estimate = "mean")
    if (family == "binomial") share <- cbind(`0` = 1 - share, `1` = share)
    for (level in c(0.3, 0.8, 0.999)) {
      sets <- predict(fit, new, "class", interval = "prediction", level = level)
      expect_identical(dimnames(sets), dimnames(share))
      inside <- rowSums(share * sets)
      expect_true(all(inside >= level))
      # Without the least likely of them it would hold less.
      least <- apply(ifelse(sets, share, Inf), 1, min)
      expect_true(all(inside - least < level))
      expect_true(all(least >= apply(ifelse(sets, 0, share), 1, max)))
    }
    expect_bad(predict(fit, new, "class", interval = "credible"), "interval", "prediction")
    expect_bad(predict(fit, new, interval = "prediction"), "interval", "class")
  }
})

test_that("a share's prediction interval is that of the mixture of the draws' binomial laws", {
  set.seed(4)
  n <- 120
  d <- data.frame(x1 = rnorm(n), x2 = rnorm(n), size = sample(1:30, n, TRUE))
  d$good <- rbinom(n, d$size, plogis(0.4 + d$x1))
  d$bad <- d$size - d$good
  fit <- wbb_lasso(cbind(good, bad) ~ x1 + x2, d, family = "binomial", lambda = 1, draws = 60, seed = 1)
  new <- d[1:12, ]
  limits <- predict(fit, new, interval = "prediction", level = 0.9)
  mean <- predict(fit, new, "draws")
  for (i in 1:12) {
    reached <- vapply(0:new$size[i], function(k) mean(pbinom(k, new$size[i], mean[, i])), 0)
    expect_identical(unname(limits[i, c("lwr", "upr")]),
      c(which(reached >= 0.05)[1] - 1, which(reached >= 0.95)[1] - 1) / new$size[i])
  }
  expect_identical(limits[, "fit"], predict(fit, new))
  # The same trials, from wherever they come: the fit's rows, the new counts, the argument, a source of chunks.
  expect_equal(predict(fit, interval = "prediction")[1:12, ], predict(fit, new, interval = "prediction"), ignore_attr = TRUE)
  bare <- new[c("x1", "x2")]
  expect_identical(predict(fit, bare, interval = "prediction", level = 0.9, trials = new$size), limits)
  expect_identical(predict(fit, bare, interval = "prediction", trials = 5), predict(fit, bare, interval = "prediction", trials = rep(5, 12)))
  # Of very many trials a share is its probability.
  many <- predict(fit, bare, interval = "prediction", trials = 1e9)
  expect_equal(many, predict(fit, bare, interval = "credible"), tolerance = 0.02, ignore_attr = TRUE)
  # New responses have the same law.
  drawn <- rstantools::posterior_predict(fit, bare, trials = new$size, seed = 1)
  expect_identical(drawn, rstantools::posterior_predict(fit, new, seed = 1))
  expect_equal(drawn * rep(new$size, each = 60), round(drawn * rep(new$size, each = 60)))
  expect_bad(predict(fit, bare, interval = "prediction"), "interval", "trials")
  expect_bad(predict(fit, bare, interval = "prediction", trials = c(2, 3)), "trials")
  expect_bad(predict(fit, bare, interval = "prediction", trials = 2.5), "trials", "whole")
  expect_bad(predict(fit, bare, interval = "prediction", trials = 0), "trials")
  expect_bad(predict(fit, bare, trials = 3), "trials", "prediction interval")
  expect_bad(predict(fits$poisson, interval = "prediction", trials = 3), "trials", "binomial")
  # Proportions with their trials as weights are the same fit.
  d$share <- d$good / d$size
  shares <- wbb_lasso(share ~ x1 + x2, d, family = "binomial", lambda = 1, draws = 60, seed = 1, case_weights = d$size)
  expect_equal(predict(shares, interval = "prediction"), predict(fit, interval = "prediction"))
})

test_that("a count's prediction interval is that of the mixture of the draws", {
  new <- d[1:10, ]
  limits <- predict(fits$poisson, new, interval = "prediction", level = 0.9)
  mean <- predict(fits$poisson, new, "draws")
  for (i in 1:10) {
    reached <- function(count) mean(ppois(count, mean[, i]))
    expect_gte(reached(limits[i, "lwr"]), 0.05)
    expect_lt(reached(limits[i, "lwr"] - 1), 0.05)
    expect_gte(reached(limits[i, "upr"]), 0.95)
    expect_lt(reached(limits[i, "upr"] - 1), 0.95)
  }
  expect_identical(poisson_mixture_quantile(0.5, matrix(c(0, 0, 1e6, 1e6), 2)), qpois(0.5, c(0, 1e6))[c(1, 1)] + 0 * 1:2)
})

test_that("measures of the classes are what they say", {
  fit <- fits$multinomial
  share <- fitted(fit)
  seen <- outer(d$class, colnames(share), `==`)
  expect_equal(deviance(fit), -2 * sum(log(share[seen])))
  expect_equal(unname(residuals(fit)), unname(seen - share))
  expect_equal(sum(residuals(fit, type = "deviance")^2), deviance(fit))
  expect_identical(dim(coef(fit)), c(5L, 3L))
  expect_identical(variable.names(fit)[c(1, 7)], c("x:(Intercept)", "y:a"))
  expect_identical(unname(coef(fit)["a", "y"]), unname(fit$mode["y:a"]))
  expect_identical(family(fit)$family, "multinomial")
})

test_that("each coefficient of a class may have a prior weight of its own", {
  fit <- quick_family("multinomial", lambda = 1, prior_weight = "coef", draws = 2)
  prior <- weights(fit)[, -(1:80)]
  expect_identical(colnames(prior)[c(1, 5)], c("prior.x:a", "prior.y:a"))
  # The penalty of a draw is made of these weights: its mode is that of a fit with them as factors.
  x <- model.matrix(fit)[, -1]
  w <- weights(fit)[2, 1:80]
  loss <- function(theta) {
    b <- matrix(theta, 5)
    eta <- cbind(1, x) %*% b
    scale <- sd_n(x)
    sum(w * (log(rowSums(exp(eta))) - eta[cbind(1:80, match(d$class, c("x", "y", "z")))])) +
      sum(matrix(prior[2, ], 4) * scale * abs(b[-1, ]))
  }
  here <- as.matrix(fit)[2, ]
  expect_equal(loss(here), fit$diagnostics$objective[2], tolerance = 1e-8)
  moved <- vapply(seq_along(here), function(j) min(loss(here + 1e-3 * (seq_along(here) == j)), loss(here - 1e-3 * (seq_along(here) == j))), 0)
  expect_true(all(moved >= loss(here) - 1e-9))
})

test_that("the methods of all fits work with every family", {
  for (family in families) {
    fit <- fits[[family]]
    expect_output(print(fit), family_of(fit)$words)
    expect_output(print(summary(fit)), "P\\(=0\\)")
    expect_false("sigma" %in% names(fit$diagnostics))
    expect_identical(sigma(fit), 1)
    tidy <- generics::tidy(fit, exponentiate = TRUE, conf.int = TRUE)
    expect_equal(log(tidy$estimate), unname(fit$mode))
    expect_equal(generics::glance(fit)$deviance, deviance(fit))
    expect_identical(nrow(generics::augment(fit, interval = "credible")), 80L)
    expect_identical(nrow(generics::augment(fit, newdata = d[1:3, ])), 3L)
    expect_identical(nrow(compare(fit, other = fit)$table), 2L * length(fit$mode))
    whole <- quick_family(family, lambda = 1, draws = 12)
    expect_identical(c(update(whole, draws = 5), update(whole, draws = 7, first_draw = 6))$draws, whole$draws)
    file <- tempfile()
    saveRDS(fit, file)
    expect_identical(predict(readRDS(file), d[1:3, ]), predict(fit, d[1:3, ]))
    bare <- quick_family(family, lambda = 1, keep_data = FALSE)
    expect_equal(predict(bare, d[1:3, ]), predict(fit, d[1:3, ]))
    expect_bad(residuals(bare), "keep_data")
    on_device(plot(fit, "interval"))
  }
  expect_bad(c(fits$binomial, quick_family("poisson", lambda = 1, seed = 2)), "...")
})

test_that("rows that were left out come back as NA", {
  holes <- d
  holes[c(3, 7), "a"] <- NA
  for (family in families) {
    fit <- quick_family(family, data = holes, lambda = 1, na.action = na.exclude)
    expect_identical(NROW(fitted(fit)), 80L)
    expect_true(all(is.na(as.matrix(residuals(fit))[c(3, 7), ])))
    expect_identical(sum(is.na(as.matrix(predict(fit))[, 1])), 2L)
    expect_identical(dim(predict(fit, type = "draws"))[1:2], c(20L, 80L))
  }
})

test_that("subsets, missing values and weights are glm()'s", {
  holes <- transform(d, a = replace(a, 3, NA), hits = replace(hits, 9, NA), w = rep(1:4, 20))
  fit <- quick(cbind(hits, trials - hits) ~ a + g, holes, subset = b > 0.3, case_weights = w, offset = o, family = "binomial",
    lambda = 0, na.action = na.exclude)
  model <- glm(cbind(hits, trials - hits) ~ a + g, binomial, holes, w, subset = b > 0.3, offset = o, na.action = na.exclude)
  expect_equal(coef(fit), coef(model), tolerance = 1e-6)
  expect_equal(fitted(fit), fitted(model), tolerance = 1e-6)
  expect_equal(residuals(fit, type = "deviance"), residuals(model), tolerance = 1e-5)
  expect_equal(predict(fit, d, "link"), predict(model, d), tolerance = 1e-6)
  expect_identical(nobs(fit), sum(d$b[-c(3, 9)] > 0.3))
})

test_that("a path has a part for each lambda", {
  for (family in families) {
    path <- quick_family(family, lambda = c(5, 1))
    one <- fits[[family]]
    expect_equal(coef(path, lambda = 1), coef(one), tolerance = 1e-5)
    expect_equal(deviance(path)[["1"]], deviance(one), tolerance = 1e-6)
    expect_equal(fitted(path, lambda = 1), fitted(one), tolerance = 1e-5)
    expect_equal(predict(path, d[1:3, ], lambda = 1), predict(one, d[1:3, ]), tolerance = 1e-5)
    expect_identical(utils::tail(dim(predict(path, d[1:3, ])), 1), 2L)
    expect_identical(utils::tail(dim(residuals(path)), 1), 2L)
    expect_output(print(path), "path")
    on_device(plot(path, pars = 1:2))
  }
})

test_that("offsets are found in new data, for every family", {
  for (family in setdiff(families, "multinomial")) {
    fit <- quick_family(family, rhs = "a + offset(o)", lambda = 1)
    plain <- quick_family(family, rhs = "a", lambda = 1, offset = o)
    expect_identical(fit$draws, plain$draws)
    expect_equal(predict(fit, d[1:4, ], "link") - d$o[1:4], drop(model.matrix(fit, d[1:4, ]) %*% coef(fit)), ignore_attr = TRUE)
  }
  x <- as.matrix(d["a"])
  three <- quick(x, d$class, family = "multinomial", lambda = 1, offset = cbind(d$o, 0, 0))
  expect_false(identical(three$draws, quick(x, d$class, family = "multinomial", lambda = 1)$draws))
  expect_equal(predict(three, x, newoffset = cbind(d$o, 0, 0)), fitted(three))
  expect_bad(quick(x, d$class, family = "multinomial", lambda = 1, offset = d$o), "offset", "classes")
})

test_that("cross-validation goes by the measure that is asked for", {
  for (family in families) {
    fit <- suppressWarnings(quick_family(family, lambda = "cv", draws = 5))
    expect_identical(fit$cv$measure, "deviance")
    expect_identical(plot_data(fit, "cv")$measure, paste0(family_of(fit)$measures[["deviance"]], ", 10-fold CV"))
  }
  auc <- suppressWarnings(quick_family("binomial", lambda = "cv", draws = 5, cv_measure = "auc"))
  expect_true(all(auc$cv$curve$mean >= 0 & auc$cv$curve$mean <= 1))
  expect_identical(auc$cv$curve$mean[match(auc$cv$lambda_min, auc$cv$curve$lambda)], max(auc$cv$curve$mean))
  wrong <- suppressWarnings(quick_family("binomial", lambda = "cv", draws = 5, cv_measure = "class"))
  expect_identical(min(wrong$cv$curve$mean), wrong$cv$curve$mean[match(wrong$cv$lambda_min, wrong$cv$curve$lambda)])
})

test_that("classes that separate are said to have no mode", {
  apart <- data.frame(y = rep(0:1, each = 10), x = 1:20)
  expect_warning(fit <- quick(y ~ x, apart, family = "binomial", lambda = 0), "separates")
  expect_true(all(fit$diagnostics$status == "separated"))
  expect_error(confint(fit), class = "wbb_error_draws")
  expect_no_warning(quick(y ~ x, apart, family = "binomial", lambda = 0.1))
  # One row stands between the classes; the classical bootstrap loses it in some draws.
  apart$y[4] <- 1
  expect_no_warning(quick(y ~ x, apart, family = "binomial", lambda = 0))
  expect_warning(some <- quick(y ~ x, apart, family = "binomial", lambda = 0, weights = "multinomial"), "of 20 draws would be infinite")
  without <- weights(some)[, 4] == 0
  expect_true(all(some$diagnostics$status[without] == "separated"))
  expect_identical(nrow(as.matrix(some)), sum(some$diagnostics$status == "converged"))
})

test_that("a class that loses its weight has no mode, whatever is penalised", {
  # Two rows of the third class, which the classical bootstrap loses in one draw of seven.
  data <- with_seed(1, data.frame(y = c(sample(c("a", "b"), 98, TRUE), "c", "c"), x = rnorm(100)))
  for (law in c("multinomial", "poisson")) {
    fit <- suppressWarnings(wbb_lasso(y ~ x, data, family = "multinomial", lambda = 2, draws = 100, weights = law, seed = 1, threads = 1))
    lost <- rowSums(weights(fit)[, 99:100]) == 0
    expect_gt(sum(lost), 3)
    expect_identical(as.character(fit$diagnostics$status), ifelse(lost, "separated", "converged"))
  }
})

test_that("times that columns put in order have no mode, however many columns do it", {
  skip_if_not_installed("survival")
  data <- with_seed(2, data.frame(time = rexp(20), status = 1, x = matrix(rnorm(340), 20)))
  fit <- suppressWarnings(wbb_lasso(survival::Surv(time, status) ~ ., data, family = "cox", lambda = 0, draws = 50, seed = 1, threads = 1))
  expect_identical(as.character(fit$mode_diagnostics$status), "separated")
  expect_true(all(fit$diagnostics$status == "separated"))
  # With as few as three they do not.
  some <- wbb_lasso(survival::Surv(time, status) ~ x.1 + x.2 + x.3, data, family = "cox", lambda = 0, draws = 50, seed = 1, threads = 1)
  expect_true(all(some$diagnostics$status == "converged"))
})

test_that("a level without an event has no mode in any draw, wherever draws start", {
  skip_if_not_installed("survival")
  for (seed in 1:3) {
    data <- with_seed(seed, {
      n <- c(40, 100, 300)[seed]
      data.frame(g = factor(rep_len(c("a", "b", "a", "c", "a", "b"), n)), x = rnorm(n), time = rexp(n), status = rbinom(n, 1, 0.6))
    })
    data$status[data$g == "c"] <- 0
    expect_warning(fit <- wbb_lasso(survival::Surv(time, status) ~ g + x, data, family = "cox", lambda = 0, draws = 100, seed = seed), "infinite")
    expect_true(all(fit$diagnostics$status == "separated"))
    # Under counts, where the rows of the level that have weight are at risk at an event.
    fit <- suppressWarnings(update(fit, weights = "poisson"))
    w <- weights(fit)[, seq_len(nrow(data))]
    at_risk <- apply(w, 1L, function(w) {
      events <- data$time[w > 0 & data$status == 1]
      any(data$g == "c" & w > 0 & data$time >= min(events))
    })
    expect_true(all(fit$diagnostics$status[at_risk] == "separated"))
    # Nothing is said of a level that is gone before the first event.
    usable <- fit$diagnostics$status == "converged"
    expect_true(all(as.matrix(fit, failed = TRUE)[usable, "gc"] == 0))
  }
})

test_that("draws do not depend on who computes them", {
  skip_if_not_installed("future.apply")
  old <- future::plan(future::sequential)
  on.exit(future::plan(old))
  for (family in c("multinomial", "cox")) {
    expect_identical(quick_family(family, lambda = 1, backend = "future")$draws, fits[[family]]$draws)
  }
})

test_that("calibration counts trials, classes and new rows", {
  fit <- quick(cbind(hits, trials - hits) ~ a + g, d, family = "binomial", lambda = 1)
  table <- calibration(fit, bins = 5)
  expect_equal(sum(table$count), sum(d$trials))
  expect_equal(sum(table$observed * table$count), sum(d$hits))
  shares <- quick(hits / trials ~ a + g, d, case_weights = trials, family = "binomial", lambda = 1)
  expect_equal(calibration(shares, bins = 5), table)
  expect_equal(calibration(fit, d, bins = 5), table)
  other <- calibration(fits$binomial, bins = 1, class = "0")
  expect_equal(other$observed, mean(d$yes == 0))
  expect_equal(calibration(fits$binomial, bins = 1)$predicted, mean(predict(fits$binomial, estimate = "mean")))
  expect_equal(sum(calibration(fits$multinomial)$count), 80)
  expect_equal(calibration(fits$multinomial, bins = 1, class = "y")$observed, mean(d$class == "y"))
  expect_bad(calibration(fits$poisson), "object")
  path <- quick_family("binomial", lambda = c(5, 1))
  expect_identical(unique(calibration(path)$lambda), c(5, 1))
  expect_bad(plot(path, "calibration"), "lambda")
  expect_bad(calibration(fits$binomial, as.matrix(d["a"])), "y", "observed")
  expect_bad(plot(fits$poisson, "calibration"), "type", "binomial")
  on_device(expect_identical(plot(fits$binomial, "calibration", bins = 4)$of, "\"1\""))
})

test_that("accuracy and log-loss are means over rows, or trials", {
  for (family in c("binomial", "multinomial")) {
    fit <- fits[[family]]
    truth <- if (family == "binomial") as.character(d$yes) else d$class
    share <- predict(fit, estimate = "mean")
    expect_equal(accuracy(fit, type = "mean"), mean(predict(fit, type = "class", estimate = "mean") == truth))
    seen <- if (family == "binomial") ifelse(d$yes == 1, share, 1 - share) else share[cbind(1:80, match(truth, fit$levels))]
    expect_equal(log_loss(fit, type = "mean"), -mean(log(seen)))
    if (requireNamespace("rstantools", quietly = TRUE)) expect_equal(mean(log_loss(fit)), -mean(rstantools::log_lik(fit)))
    expect_length(accuracy(fit, d[1:9, ]), 20)
    expect_equal(accuracy(fit, d), accuracy(fit))
  }
  counts <- quick(cbind(hits, trials - hits) ~ a + g, d, family = "binomial", lambda = 1)
  single <- d[rep(seq_len(80), d$trials), ]
  single$hit <- unlist(Map(function(h, t) rep(c(1, 0), c(h, t - h)), d$hits, d$trials))
  expect_equal(accuracy(counts), accuracy(counts, single[c("a", "g")], single$hit))
  expect_bad(accuracy(fits$cox), "object", "cox")
  expect_bad(log_loss(fits$binomial, y = d$yes), "x")
})

test_that("pictures on one scale take the columns' own", {
  x <- model.matrix(fits$multinomial)[, -1]
  plain <- plot_data(fits$multinomial, "interval", standardize = FALSE)$interval
  scaled <- plot_data(fits$multinomial, "interval", standardize = TRUE)$interval
  expect_equal(scaled$median, plain$median * rep(sd_n(x), 3), ignore_attr = TRUE)
})
