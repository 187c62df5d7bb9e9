same_as_refitting <- function(model, tolerance = 1e-6, ...) {
  fast <- wbb(model, draws = 20, seed = 1, threads = 1, ...)
  slow <- wbb(model, draws = 20, seed = 1, refit = TRUE, ...)
  expect_identical(fast$spec$road, if (is.null(fast_family(model))) "refit" else "core")
  expect_identical(colnames(fast$draws), colnames(slow$draws))
  scale <- apply(slow$draws, 2, sd)
  expect_lt(max(abs(fast$draws - slow$draws) / rep(scale, each = 20)), tolerance)
  expect_equal(fast$mode, slow$mode, tolerance = 1e-6)
  expect_identical(weights(fast), weights(slow))
  invisible(fast)
}

# glm() stops at a relative change of the deviance of 1e-8; the core goes on.
exact <- glm.control(epsilon = 1e-14, maxit = 100)

test_that("the core solves lm() as refitting does", {
  same_as_refitting(lm(mpg ~ wt + factor(cyl) * hp, mtcars))
  same_as_refitting(lm(mpg ~ 0 + wt + hp, mtcars, weights = qsec))
  same_as_refitting(lm(mpg ~ factor(gear) - 1 + offset(wt), mtcars))
  same_as_refitting(lm(dist ~ poly(speed, 3), cars, subset = dist < 80))
  airquality$Month <- factor(airquality$Month)
  same_as_refitting(lm(Ozone ~ Wind + Temp + Month, airquality, na.action = na.exclude))
  same_as_refitting(lm(mpg ~ I(1e6 * wt) + I(hp / 1e6), mtcars))
  for (law in list("dirichlet", "mammen", weight_law("gamma", 3))) same_as_refitting(lm(mpg ~ wt, mtcars), weights = law)
  same_as_refitting(lm(mpg ~ wt, mtcars), cluster = rep(1:8, 4))
  d <- transform(mtcars, same = 3 * wt)
  suppressMessages(same_as_refitting(lm(mpg ~ wt + same + hp, d)))
})

test_that("so it does glm() with a canonical link", {
  same_as_refitting(glm(mpg ~ wt, gaussian, mtcars))
  same_as_refitting(glm(am ~ wt, binomial, mtcars, control = exact), 1e-5)
  same_as_refitting(glm(cbind(ncases, ncontrols) ~ agegp + alcgp, binomial, esoph, control = exact), 1e-5)
  same_as_refitting(glm(ncases / (ncases + ncontrols) ~ agegp, binomial, esoph, weights = ncases + ncontrols, control = exact), 1e-5)
  same_as_refitting(glm(count ~ spray, poisson, InsectSprays, control = exact), 1e-5)
  same_as_refitting(glm(count ~ spray + offset(log(1 + seq_along(count))), poisson, InsectSprays, control = exact), 1e-5)
})

test_that("what the core does not know is refitted, and the print says which", {
  model <- lm(mpg ~ wt, mtcars)
  expect_output(print(wbb(model, draws = 3)), "the core, without refitting")
  expect_output(print(wbb(model, draws = 3, refit = TRUE)), "Solver: refitted")
  expect_identical(wbb(glm(am ~ wt, binomial("probit"), mtcars), draws = 2)$spec$road, "refit") |> suppressWarnings()
  expect_identical(suppressMessages(wbb(model, statistic = function(m) c(s = sigma(m)), draws = 2))$spec$road, "refit")
  expect_message(fit <- wbb(model, strata = mtcars$am, draws = 2), "refitted: with `strata`")
  expect_identical(fit$spec$road, "refit")
  expect_identical(wbb(lm(mpg ~ 1, mtcars), draws = 2)$spec$road, "refit") |> suppressMessages()
  expect_identical(wbb(lm(cbind(mpg, hp) ~ wt, mtcars), draws = 2)$spec$road, "refit")
})

test_that("laws with zeros are refitted where a coefficient could vanish", {
  d <- transform(mtcars, rare = factor(seq_along(mpg) == 1))
  model <- lm(mpg ~ rare, d)
  expect_message(fit <- suppressWarnings(wbb(model, draws = 30, seed = 1, weights = "poisson", on_error = "drop")), "rows of weight zero")
  expect_identical(fit$diagnostics$status == "failed", unname(weights(fit)[, 1] == 0))
  x <- with_seed(1, rnorm(5000))
  same_as_refitting(lm(x ~ sin(seq_along(x))), weights = "multinomial")
})

test_that("draws whose classes separate are refitted", {
  d <- data.frame(y = rep(0:1, 4), x = c(1, 3, 2, 4, 5, 8, 6.5, 7))
  model <- glm(y ~ x, binomial, d, control = exact)
  fast <- suppressWarnings(wbb(model, draws = 40, seed = 1, weights = weight_law("gamma", 0.05)))
  slow <- suppressWarnings(wbb(model, draws = 40, seed = 1, weights = weight_law("gamma", 0.05), refit = TRUE))
  refitted <- fast$diagnostics$status == "finished"
  expect_identical(fast$draws[refitted, ], slow$draws[refitted, ])
})

test_that("chunks and workers give the same bits", {
  model <- lm(mpg ~ wt + hp, mtcars)
  whole <- wbb(model, draws = 20, seed = 1)
  parts <- c(wbb(model, draws = 7, seed = 1), wbb(model, draws = 13, seed = 1, first_draw = 8))
  expect_identical(parts$draws, whole$draws)
  expect_identical(parts$diagnostics, whole$diagnostics)
  skip_if_not_installed("future")
  old <- future::plan(future::sequential)
  on.exit(future::plan(old))
  expect_identical(wbb(model, draws = 20, seed = 1, backend = "future")$draws, whole$draws)
  slow <- wbb(model, draws = 8, seed = 1, refit = TRUE)
  expect_identical(wbb(model, draws = 8, seed = 1, refit = TRUE, backend = "future")$draws, slow$draws)
})
