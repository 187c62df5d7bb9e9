fit <- bayes_bridge(y ~ bmi + map + ltg, diabetes, draws = 500, burn = 200, chains = 2, seed = 1, threads = 1)

# Estimates and R-hat may differ in the last digit between machines.
hide_estimates <- function(lines) {
  lines <- gsub("(R-hat|size) [0-9.,]+", "\\1 #", lines)
  lines <- sub("^ +mean +sd", " mean sd", lines)
  sub("^(\\(Intercept\\)|bmi|map|ltg) .*", "\\1 #", lines)
}

test_that("print and summary show the chains", {
  expect_snapshot({
    fit
    bayes_bridge(as.matrix(diabetes["bmi"]), diabetes$y, alpha = 1, nu = 0.1, sigma2_prior = c(2, 10),
      draws = 500, thin = 2, chains = 1, seed = 1)
  }, transform = hide_estimates)
  table <- summary(fit)$table
  expect_identical(table$term, c("(Intercept)", "bmi", "map", "ltg", "sigma", "nu"))
  expect_identical(names(table), c("term", "mean", "sd", "2.5%", "50%", "97.5%", "p_positive", "mcse", "ess", "rhat"))
  expect_equal(table$mean[1:4], unname(coef(fit)))
  expect_output(print(summary(fit)), "R-hat")
  expect_bad(summary(fit, probs = 2), "probs")
})

test_that("R-hat and ESS are those of posterior", {
  skip_if_not_installed("posterior")
  draws <- posterior::as_draws_array(fit)
  expect_identical(dim(draws), c(500L, 2L, 6L))
  for (k in seq_len(6)) {
    expect_equal(fit$mcmc$rhat[k], posterior::rhat_basic(unclass(draws)[, , k]), tolerance = 1e-8)
    expect_equal(fit$mcmc$ess[k], posterior::ess_mean(unclass(draws)[, , k]), tolerance = 1e-8)
  }
  bad <- c(cumsum(sin(1:301)), cumsum(cos(1:301 / 50)))
  expect_equal(as.vector(job_diagnose(bad, 2)), c(
    posterior::rhat_basic(matrix(bad, 301)), posterior::ess_mean(matrix(bad, 301))
  ), tolerance = 1e-8)
})

test_that("other formats keep chains apart", {
  skip_if_not_installed("posterior")
  array <- posterior::as_draws_array(fit)
  expect_identical(unclass(array)[, 2, "bmi"], as.matrix(fit)[501:1000, "bmi"], ignore_attr = TRUE)
  expect_identical(posterior::nchains(posterior::as_draws(fit)), 2L)
  expect_identical(posterior::nchains(posterior::as_draws_df(fit)), 2L)
  expect_identical(posterior::ndraws(posterior::as_draws_matrix(fit)), 1000L)
  expect_identical(length(posterior::as_draws_list(fit)), 2L)
  expect_s3_class(posterior::as_draws_rvars(fit), "draws_rvars")
  skip_if_not_installed("coda")
  chains <- coda::as.mcmc(fit)
  expect_identical(coda::nchain(chains), 2L)
  expect_identical(stats::start(chains), 201)
})

test_that("the shared methods work", {
  expect_identical(coef(fit), coef(fit, "mean"))
  expect_identical(coef(fit, "mode"), coef(fit, "mean"))
  expect_identical(dim(vcov(fit)), c(4L, 4L))
  expect_identical(dim(confint(fit)), c(4L, 2L))
  expect_equal(fitted(fit), predict(fit))
  expect_equal(unname(residuals(fit)), diabetes$y - unname(fitted(fit)))
  wide <- predict(fit, diabetes[1:3, ], interval = "prediction")
  narrow <- predict(fit, diabetes[1:3, ], interval = "credible")
  expect_true(all(wide[, "upr"] > narrow[, "upr"]))
  expect_identical(dim(predict(fit, diabetes[1:3, ], type = "draws")), c(1000L, 3L))
  expect_bad(coef(fit, lambda = 2), "lambda", "has no lambda")
  expect_bad(weights(fit), "object")
  skip_if_not_installed("generics")
  expect_identical(generics::tidy(fit, conf.int = TRUE)$estimate, unname(coef(fit)))
  expect_identical(generics::glance(fit)$chains, 2)
  expect_equal(generics::augment(fit)$.resid, unname(residuals(fit)))
})

test_that("pictures and notebooks show a fit without a mode", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_true(all(is.na(plot(fit)$panels$mode)))
  expect_identical(plot(fit, type = "interval")$type, "interval")
  expect_bad(plot(fit, type = "cv"), "type")
  skip_if_not_installed("repr")
  html <- repr::repr_html(fit)
  expect_match(html, "Bayesian bridge", fixed = TRUE)
  expect_no_match(html, "mode</th>", fixed = TRUE)
})

test_that("chains with different seeds can be joined", {
  other <- update(fit, seed = 2)
  both <- c(fit, other)
  expect_identical(as.matrix(both), rbind(as.matrix(fit), as.matrix(other)))
  expect_identical(unique(both$diagnostics$chain), 1:4)
  expect_identical(both$mcmc$rhat[2], job_diagnose(as.matrix(both)[, "bmi"], 4)[1])
  expect_identical(c(fit), fit)
  expect_error(c(fit, fit), "seeds", class = "wbb_error_argument")
  expect_error(c(fit, update(fit, seed = 3, draws = 400)), "one length", class = "wbb_error_argument")
  expect_error(c(fit, update(fit, seed = 3, alpha = 1)), "alpha", class = "wbb_error_argument")
  expect_error(c(fit, 3), class = "wbb_error_argument")
})

test_that("residuals of a bridge are weighted alike", {
  fit <- suppressWarnings(bayes_bridge(y ~ bmi, diabetes, draws = 10, burn = 2, chains = 1, seed = 1))
  expect_equal(weighted.residuals(fit), residuals(fit))
  expect_error(weights(fit), "no random weights", class = "wbb_error_argument")
})
