skip_if_not_installed("rstantools")
fit <- quick_diabetes(draws = 100)
new <- diabetes[c(3, 1, 7), ]

test_that("draws of the mean and of a new response are told apart", {
  mean <- rstantools::posterior_epred(fit, new)
  expect_identical(mean, predict(fit, new, type = "draws"))
  expect_identical(rstantools::posterior_linpred(fit, newdata = new), mean)
  noisy <- rstantools::posterior_predict(fit, diabetes, seed = 1)
  smooth <- rstantools::posterior_epred(fit, diabetes)
  # The noise of a draw has its scale: chi-square with 442 degrees of freedom for each of 100 draws.
  ratio <- rowMeans((noisy - smooth)^2) / fit$diagnostics$sigma^2
  expect_true(all(ratio > qchisq(1e-6, 442) / 442 & ratio < qchisq(1 - 1e-6, 442) / 442))
  expect_identical(dim(rstantools::posterior_predict(fit, new, draws = 10, re.form = NA)), c(10L, 3L))
  expect_error(rstantools::posterior_predict(fit, new, drawz = 10), "draws", class = "wbb_error_argument")
})

test_that("a seed of its own leaves R's generator alone", {
  set.seed(5)
  before <- .Random.seed
  a <- rstantools::posterior_predict(fit, new, seed = 3)
  expect_identical(.Random.seed, before)
  expect_identical(rstantools::posterior_predict(fit, new, seed = 3), a)
  set.seed(3)
  expect_identical(rstantools::posterior_predict(fit, new), a)
})

test_that("intervals, errors, likelihood and R2 are what they say", {
  limits <- rstantools::predictive_interval(fit, prob = 0.8, newdata = new)
  expect_identical(unname(limits), unname(predict(fit, new, interval = "prediction", level = 0.8)[, 2:3]))
  expect_identical(colnames(limits), c("10%", "90%"))
  expect_identical(unname(rstantools::posterior_interval(fit, 0.8, "bmi")), unname(confint(fit, "bmi", 0.8)))
  error <- rstantools::predictive_error(fit, new, seed = 1)
  expect_equal(error + rstantools::posterior_predict(fit, new, seed = 1), matrix(rep(new$y, each = 100), 100), ignore_attr = TRUE)
  loglik <- rstantools::log_lik(fit, new)
  expect_equal(loglik[[4, 2]], dnorm(new$y[2], predict(fit, new, type = "draws")[4, 2], fit$diagnostics$sigma[4], log = TRUE))
  weighted <- update(fit, case_weights = rep(2, 442))
  expect_equal(rstantools::log_lik(weighted), 2 * rstantools::log_lik(weighted, diabetes))
  r2 <- rstantools::bayes_R2(fit)
  variance <- apply(predict(fit, type = "draws"), 1, var)
  expect_equal(r2, variance / (variance + fit$diagnostics$sigma^2))
  expect_identical(rstantools::nsamples(fit), 100L)
})

test_that("a path is asked for one lambda, or for all", {
  path <- quick(y ~ ., diabetes, lambda = c(200, 50))
  expect_bad(rstantools::posterior_predict(path, lambda = 3), "lambda", "fitted values")
  expect_identical(dim(rstantools::posterior_predict(path, new)), c(20L, 3L, 2L))
  expect_identical(dim(rstantools::posterior_epred(path, new, lambda = 50)), c(20L, 3L))
  expect_length(rstantools::bayes_R2(path, lambda = 2), 20L)
})

test_that("simulate() gives responses in columns, and the seed again", {
  a <- simulate(fit, 3, seed = 4)
  expect_identical(dim(a), c(442L, 3L))
  expect_identical(simulate(fit, 3, seed = 4), a)
  set.seed(2)
  for (seed in list(quote(x), "a", sum, 1.5, NA, 1:2)) expect_bad(simulate(fit, 1, seed = seed), "seed")
  b <- simulate(fit, 1)
  assign(".Random.seed", attr(b, "seed"), globalenv())
  expect_equal(simulate(fit, 1), b, ignore_attr = TRUE)
})

test_that("classes are drawn by their probabilities", {
  net <- wbb_mlp(Species ~ ., iris, hidden = NULL, draws = 20, lambda = 1e-4, epochs = 20, standardize = TRUE, seed = 1, threads = 1)
  prob <- rstantools::posterior_epred(net, iris)
  expect_identical(dim(prob), c(20L, 150L, 3L))
  class <- rstantools::posterior_predict(net, iris, seed = 1)
  expect_identical(attr(class, "levels"), levels(iris$Species))
  for (k in 1:3) {
    # 3,000 independent classes: five standard errors.
    expect_lt(abs(sum(class == k) - sum(prob[, , k])), 5 * sqrt(sum(prob[, , k] * (1 - prob[, , k]))))
  }
  expect_equal(rstantools::log_lik(net)[[3, 60]], log(prob[[3, 60, "versicolor"]]))
  expect_error(rstantools::posterior_linpred(net), "posterior_epred", class = "wbb_error_argument")
  expect_error(rstantools::bayes_R2(net), "accuracy", class = "wbb_error_argument")
  expect_s3_class(simulate(net, 1, seed = 1)$sim_1, "factor")
})

test_that("loo says what it takes the draws for", {
  skip_if_not_installed("loo")
  quiet <- function(expr) suppressWarnings(expr)
  expect_message(found <- quiet(loo::loo(fit)), class = "wbb_message_loo")
  expect_equal(found$estimates["elpd_loo", "Estimate"], sum(found$pointwise[, "elpd_loo"]))
  # Independent draws: the effective number is theirs.
  bridge <- quiet(bayes_bridge(y ~ bmi, diabetes, draws = 200, burn = 50, chains = 2, seed = 1, threads = 1))
  expect_no_message(quiet(loo::loo(bridge)))
  rank <- suppressMessages(quiet(loo::loo_compare(fit, update(fit, . ~ sex))))
  expect_identical(rownames(rank)[1], "fit")
})

test_that("pp_check() draws what bayesplot has", {
  skip_if_not_installed("bayesplot")
  expect_s3_class(bayesplot::pp_check(fit, seed = 1), "ggplot")
  expect_s3_class(bayesplot::pp_check(fit, "stat", stat = "mean", nreps = 20), "ggplot")
  # As brms has it.
  expect_identical(bayesplot::pp_check(fit, seed = 1, ndraws = 7)$data, bayesplot::pp_check(fit, seed = 1, nreps = 7)$data)
  expect_bad(bayesplot::pp_check(fit, "nothing"), "type")
})

test_that("the linear predictor of classes has them as a third dimension", {
  fit <- quick(Species ~ Sepal.Length + Petal.Width, iris, family = "multinomial", lambda = 1)
  link <- rstantools::posterior_linpred(fit, newdata = iris[c(1, 60, 120), ])
  x <- cbind(1, as.matrix(iris[c(1, 60, 120), c("Sepal.Length", "Petal.Width")]))
  by_hand <- x %*% matrix(as.matrix(fit)[7L, ], 3L)
  expect_equal(link[7L, , ], by_hand, ignore_attr = TRUE)
  shares <- exp(by_hand) / rowSums(exp(by_hand))
  expect_equal(rstantools::posterior_epred(fit, iris[c(1, 60, 120), ])[7L, , ], shares, ignore_attr = TRUE)
})

test_that("loo() says that it needs draws", {
  skip_if_not_installed("loo")
  one <- quick(y ~ bmi, diabetes, draws = 1)
  expect_error(loo::loo(one), "at least two draws", class = "wbb_error_draws")
  expect_error(loo::waic(one), "at least two draws", class = "wbb_error_draws")
})

test_that("rows that were left out shift neither trials nor warn", {
  data <- data.frame(x = c(NA, sin(1:19)), n = rep(c(1, 100), 10))
  data$s <- round(data$n * plogis(cos(1:20)))
  shares <- function(...) quick(cbind(s, n - s) ~ x, data, lambda = 1, family = "binomial", ...)
  fit <- shares(na.action = na.exclude)
  omitted <- shares()
  new <- expect_silent(rstantools::posterior_predict(fit, seed = 1))
  expect_identical(unname(new[, -1]), unname(rstantools::posterior_predict(omitted, seed = 1)))
  expect_true(all(is.na(new[, 1])))
  # A row of one trial has 0 or 1.
  expect_true(all(new[, data$n == 1][, -1] %in% 0:1))
  expect_identical(unname(unlist(expect_silent(simulate(fit, 3, seed = 1))[-1, ])), unname(unlist(simulate(omitted, 3, seed = 1))))
  # Proportions have their trials in the weights, as in simulate() of a glm().
  proportions <- quick(s / n ~ x, data, lambda = 1, family = "binomial", case_weights = n)
  expect_true(all((simulate(proportions, 2, seed = 1)$sim_1 * data$n[-1]) %% 1 < 1e-9))
  expect_false(all(simulate(proportions, 2, seed = 1)$sim_1 %in% 0:1))
})
