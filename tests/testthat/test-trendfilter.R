test_that("the mode and the draws minimise their objectives", {
  x <- cumsum(with_seed(3, rexp(40)) + 0.05)
  y <- with_seed(4, cos(x / 4) * 3 + rnorm(40))
  for (order in 0:3) {
    fit <- quick_trend(y, x, order = order, lambda = 2, draws = 3)
    d <- difference_matrix(x, order)
    w <- unname(weights(fit))
    for (k in 1:3) {
      objective <- function(b) 0.5 * sum(w[k, 1:40] * (y - b)^2) + 2 * w[k, 41] * sum(abs(d %*% b))
      best <- objective(as.matrix(fit)[k, ])
      expect_equal(best, fit$diagnostics$objective[k], tolerance = 1e-8)
      # No direction descends, whatever its length.
      directions <- with_seed(k, cbind(matrix(rnorm(40 * 20), 40), diag(40)))
      for (size in c(1e-4, 1e-2)) {
        moved <- apply(directions, 2, function(v) objective(as.matrix(fit)[k, ] + size * v))
        expect_gte(min(moved), best * (1 - 1e-8))
      }
    }
    expect_lt(max(fit$diagnostics$gap), 1e-8)
  }
})

test_that("knots are where the differences are not zero", {
  for (order in 0:3) {
    fit <- quick_trend(order = order, lambda = 10)
    d <- difference_matrix(1:100, order)
    for (k in 1:5) {
      jumps <- drop(d %*% as.matrix(fit)[k, ])
      knots <- fit$knots[fit$knots$draw == k, ]
      expect_equal(jumps[knots$x - order], knots$jump, tolerance = 1e-6)
      expect_lt(max(abs(jumps[-(knots$x - order)])), 1e-10)
      expect_identical(fit$diagnostics$knots[k], nrow(knots))
    }
  }
})

test_that("the formula interface gives the same fit and knows its data", {
  data <- data.frame(when = 2 * (1:100), flow = paper_series())
  a <- wbb_trendfilter(flow ~ when, data, order = 1, lambda = 3, draws = 10, seed = 1)
  b <- wbb_trendfilter(data$flow, data$when, order = 1, lambda = 3, draws = 10, seed = 1)
  expect_identical(a$draws, b$draws)
  expect_equal(predict(a, data.frame(when = c(7, 30))), predict(b, c(7, 30)))
  named <- wbb_trendfilter(formula = flow ~ when, data = data, order = 1, lambda = 3, draws = 10, seed = 1)
  expect_identical(named$draws, a$draws)
  expect_identical(deparse(formula(a)), "flow ~ when")
  some <- wbb_trendfilter(flow ~ when, data, subset = when > 50, case_weights = when, order = 0, lambda = 3, draws = 2, seed = 1)
  expect_identical(nobs(some), 75L)
  expect_identical(dim(update(a, draws = 4)$draws), c(4L, 100L))
})

test_that("rows may come in any order and share points", {
  y <- paper_series()
  mixed <- with_seed(1, sample(100))
  a <- quick_trend(y, 1:100, weights = "ones", draws = 1)
  b <- quick_trend(y[mixed], mixed, weights = "ones", draws = 1)
  expect_equal(coef(a), coef(b))
  expect_equal(unname(fitted(b)), unname(fitted(a))[mixed])
  tied <- quick_trend(c(1, 3, 4, 9, 2), c(1, 2, 2, 3, 4), order = 0, lambda = 0)
  expect_equal(unname(coef(tied)), c(1, 3.5, 9, 2))
  expect_length(fitted(tied), 5)
})

test_that("extreme lambdas give the data and a polynomial", {
  y <- paper_series()
  for (order in 0:3) {
    fit <- quick_trend(y, order = order, lambda = c(0, 1e12))
    expect_equal(unname(coef(fit)[, 1]), y)
    polynomial <- if (order == 0) rep(mean(y), 100) else fitted(lm(y ~ poly(1:100, order)))
    expect_equal(unname(coef(fit)[, 2]), unname(polynomial))
    expect_identical(fit$mode_diagnostics$knots[2], 0L)
  }
})

test_that("draws do not depend on threads, chunks or backend", {
  whole <- quick_trend(draws = 20, threads = 2)
  first <- quick_trend(draws = 12)
  second <- quick_trend(draws = 8, first_draw = 13)
  joined <- c(first, second)
  same_draws(joined, whole)
  expect_identical(joined$knots, whole$knots)
  path <- c(quick_trend(draws = 3, lambda = c(5, 50)), quick_trend(draws = 3, lambda = c(5, 50), first_draw = 4))
  expect_identical(knots(path, "number", lambda = 50), quick_trend(draws = 6, lambda = 50)$diagnostics$knots)
  skip_if_not_installed("future")
  old <- future::plan("sequential")
  on.exit(future::plan(old))
  by_future <- quick_trend(draws = 20, backend = "future")
  same_draws(by_future, whole)
  expect_identical(by_future$knots, whole$knots)
})

test_that("cross-validation chooses and records lambda", {
  fit <- quick_trend(lambda = "cv", draws = 5, order = 1)
  expect_identical(fit$lambda_from, "cv")
  expect_identical(fit$lambda, fit$cv$lambda_min)
  expect_identical(fit$cv$foldid[c(1, 100)], c(0L, 0L))
  expect_gte(quick_trend(lambda = "cv", draws = 1, lambda_rule = "1se")$cv$lambda_1se, fit$cv$lambda_min / 1e6)
  own <- quick_trend(lambda = "cv", draws = 1, foldid = rep(1:4, 25))
  expect_identical(own$cv$nfolds, 4L)
  expect_lt(abs(fit$mode_diagnostics$sigma - 2), 0.7)
})

test_that("prior weights and laws are as everywhere", {
  by_difference <- quick_trend(prior_weight = "coef", draws = 4)
  expect_identical(dim(weights(by_difference)), c(4L, 197L))
  expect_true(all(quick_trend(prior_weight = "fixed", draws = 4)$diagnostics$status == "converged"))
  for (law in c("poisson", "multinomial", "dirichlet", "mammen")) {
    expect_true(all(quick_trend(weights = law, draws = 5)$diagnostics$status == "converged"))
  }
  ones <- quick_trend(weights = "ones", prior_weight = "fixed", draws = 2)
  expect_equal(as.matrix(ones)[1, ], coef(ones))
})

test_that("random prior weight at one point has the closed form of two points", {
  # Two points, order 0: the difference is soft-thresholded normal means (MATH 3) with unit weights of rows.
  fit <- wbb_trendfilter(c(0, 4), order = 0, lambda = 1, draws = 20000, weights = "ones", seed = 2, threads = 1)
  # beta2 - beta1 = max(0, 4 - 2 w0): P(= 0) = P(w0 > 2) = exp(-2); 20000 draws, five standard errors.
  expect_mean(as.numeric(knots(fit, "number") == 0), exp(-2))
  expect_mean(as.matrix(fit)[, 2] - as.matrix(fit)[, 1], 4 - 2 * (1 - exp(-2)))
})

test_that("bad input names its argument", {
  y <- paper_series()
  expect_bad(wbb_trendfilter(), "y")
  expect_bad(wbb_trendfilter("a"), "y")
  expect_bad(wbb_trendfilter(c(y, NA)), "y", "element 101")
  expect_bad(wbb_trendfilter(y, 1:3), "y")
  expect_bad(wbb_trendfilter(y, letters), "x")
  expect_bad(wbb_trendfilter(y, c(1:99, Inf)), "x")
  expect_bad(wbb_trendfilter(y, rep(1:3, length.out = 100), order = 2), "x", "has 3")
  expect_bad(wbb_trendfilter(1:3, order = 2), "x", "at least 4")
  expect_bad(wbb_trendfilter(y, order = 4), "order", "0 to 3")
  expect_bad(wbb_trendfilter(y, order = 1.5), "order")
  expect_bad(wbb_trendfilter(y, lambda = -1), "lambda")
  expect_bad(wbb_trendfilter(y, lamda = 1), "lamda", "lambda")
  expect_bad(wbb_trendfilter(y ~ a + b, data.frame(y = 1:9, a = 1:9, b = 9:1)), "formula", "one numeric predictor")
  expect_bad(wbb_trendfilter(y, lambda = "cv", foldid = 1:3), "foldid")
  expect_bad(quick_trend(c(1, 2, 5, 3), order = 2, lambda = "cv"), "nfolds")
})

test_that("a fit survives saving and lives without its data", {
  fit <- quick_trend(keep_data = FALSE)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(readRDS(file), fit)
  expect_null(fit$y)
  expect_length(predict(fit, 1:3), 3)
  expect_bad(predict(fit), "keep_data")
})

test_that("sigma counts knots", {
  # Nothing penalised away, no noise left over; a polynomial has lm's own sigma.
  y <- paper_series()
  for (order in 0:3) {
    fit <- quick_trend(y, order = order, lambda = 1e12, weights = "ones", draws = 1)
    plain <- if (order == 0) lm(y ~ 1) else lm(y ~ poly(1:100, order))
    expect_equal(fit$mode_diagnostics$sigma, stats::sigma(plain))
    expect_equal(fit$diagnostics$sigma, stats::sigma(plain))
  }
  fit <- quick_trend(y, order = 1, lambda = 10, weights = "ones", draws = 1)
  df <- fit$mode_diagnostics$knots + 2
  expect_equal(fit$mode_diagnostics$sigma, sqrt(sum((y - coef(fit))^2) / (100 - df)))
})

test_that("dates and times are places like numbers", {
  days <- as.Date("2020-01-01") + c(0:19, 25:44)
  y <- sin(seq_along(days) / 5)
  by <- function(x) wbb_trendfilter(y, x, order = 1, lambda = 2, draws = 10, seed = 1, threads = 1)
  plain <- by(as.numeric(days))
  dated <- by(days)
  expect_identical(unname(as.matrix(dated)), unname(as.matrix(plain)))
  expect_identical(variable.names(dated)[2], "f(2020-01-02)")
  expect_s3_class(knots(dated)$x, "Date")
  expect_s3_class(generics::tidy(dated)$x, "Date")
  expect_identical(generics::augment(dated)$x, days)
  new <- as.Date(c("2020-01-23", "2020-02-20"))
  expect_identical(predict(dated, new), predict(plain, as.numeric(new)))
  expect_identical(predict(dated, data.frame(x = new), interval = "credible"), predict(plain, as.numeric(new), interval = "credible"))
  expect_bad(predict(dated, 18000), "newdata", "Date")
  expect_bad(predict(plain, new), "newdata", "Date")
  frame <- data.frame(y, day = days)
  formula <- wbb_trendfilter(y ~ day, frame, order = 1, lambda = 2, draws = 10, seed = 1, threads = 1)
  expect_identical(unname(as.matrix(formula)), unname(as.matrix(plain)))
  expect_s3_class(knots(formula)$x, "Date")
  expect_identical(unname(predict(formula, new)), predict(plain, as.numeric(new)))
  # Seconds are days in other units: lambda is in units of x.
  times <- as.POSIXct(days)
  seconds <- wbb_trendfilter(y, times, order = 1, lambda = 2 * 86400, draws = 10, seed = 1, threads = 1)
  expect_equal(unname(as.matrix(seconds)), unname(as.matrix(plain)), tolerance = 1e-6)
  expect_s3_class(knots(seconds)$x, "POSIXct")
  expect_output(print(summary(dated)), "2020-")
})
