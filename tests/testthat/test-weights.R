d <- made_data()
draw_weights <- function(..., draws = 400) {
  weights(wbb_lasso(d$x, d$y, lambda = 1, seed = 1, threads = 1, draws = draws, ...))
}

test_that("weights have a row for each draw and the prior last", {
  w <- draw_weights(draws = 3)
  expect_identical(dim(w), c(3L, 61L))
  expect_identical(colnames(w), c(1:60, "prior"))
  expect_identical(colnames(draw_weights(draws = 2, prior_weight = "coef"))[61:65], paste0("prior.x", 1:5))
  expect_true(all(draw_weights(draws = 2, prior_weight = "fixed")[, "prior"] == 1))
})

test_that("a weight depends on the seed, the draw and the row alone", {
  fit <- quick(d$x, d$y, draws = 10)
  w <- weights(fit)
  expect_identical(weights(fit, draws = c(7, 2)), w[c(7, 2), ])
  expect_identical(weights(quick(d$x, d$y, draws = 4, first_draw = 7)), w[7:10, ])
  shorter <- quick(d$x[1:20, ], d$y[1:20], draws = 10)
  expect_identical(weights(shorter)[, 1:20], w[, 1:20])
  expect_false(any(weights(quick(d$x, d$y, seed = 2, draws = 10)) == w))
})

test_that("the laws have their moments", {
  # 24,000 weights a law; 5 standard errors, a false alarm in 1.7 million.
  for (law in c("exponential", "mammen", "poisson")) {
    w <- draw_weights(weights = law)[, 1:60]
    expect_mean(w, 1)
    expect_mean((w - 1)^2, 1)
  }
  w <- draw_weights(weights = weight_law("gamma", 4))[, 1:60]
  expect_mean(w, 1)
  expect_mean((w - 1)^2, 1 / 4)
  w <- draw_weights(weights = weight_law("dirichlet", 2))[, 1:60]
  expect_equal(rowSums(w), rep(60, 400))
  # n Dirichlet(a) has variance (n - 1) / (n a + 1).
  expect_mean((w - 1)^2, 59 / 121)
  w <- draw_weights(weights = "multinomial")[, 1:60]
  expect_identical(rowSums(w), rep(60, 400))
  expect_true(all(w == round(w)))
  expect_mean((w - 1)^2, 59 / 60)
  expect_true(all(draw_weights(weights = "ones", draws = 3)[, 1:60] == 1))
})

test_that("exponential weights and prior weights are exponential and independent", {
  w <- draw_weights(draws = 2000)
  # Each of the three tests alarms falsely once in a million.
  expect_gt(ks.test(w[, "prior"], "pexp")$p.value, 1e-6)
  expect_gt(ks.test(w[, 1:5], "pexp")$p.value, 1e-6)
  expect_lt(max(abs(cor(w)[upper.tri(diag(61))])), qnorm(1 - 1e-6 / 1830) / sqrt(2000))
})

test_that("case weights multiply and clusters share", {
  case <- rep(c(0, 1, 2), 20)
  plain <- draw_weights(draws = 5)
  expect_equal(draw_weights(draws = 5, case_weights = case)[, 1:60], sweep(plain[, 1:60], 2, case, "*"))
  id <- rep(c("b", "a"), each = 30)
  shared <- draw_weights(draws = 5, cluster = id)
  expect_true(all(shared[, 1:30] == shared[, 1]) && all(shared[, 31:60] == shared[, 31]))
  expect_false(any(shared[, 1] == shared[, 31]))
  expect_identical(draw_weights(draws = 5, cluster = factor(id)), shared)
})

test_that("normalised laws sum to the number of rows, whatever the clusters", {
  id <- rep(1:4, c(1, 40, 2, 17))
  for (law in list("dirichlet", weight_law("dirichlet", 3), weight_law("dirichlet", 0.1), "multinomial")) {
    w <- draw_weights(draws = 200, weights = law, cluster = id)[, 1:60]
    expect_equal(rowSums(w), rep(60, 200))
    for (g in 1:4) expect_true(all(w[, id == g] == w[, match(g, id)]))
    # Not so the products with case weights.
    twice <- draw_weights(draws = 200, weights = law, cluster = id, case_weights = rep(2, 60))[, 1:60]
    expect_identical(twice, 2 * w)
  }
})

test_that("weights of joined fits with several seeds are those of the fits", {
  a <- quick(d$x, d$y, draws = 5)
  b <- quick(d$x, d$y, draws = 5, seed = 2, first_draw = 3)
  both <- c(a, b)
  expect_identical(weights(both), rbind(weights(a), weights(b)))
  expect_identical(weights(both, draws = c(9, 1, 10)), rbind(weights(b)[4, ], weights(a)[1, ], weights(b)[5, ]))
})

test_that("arguments are checked and the size is guarded", {
  fit <- quick(d$x, d$y)
  expect_bad(weights(fit, draws = 0), "draws")
  expect_bad(weights(fit, draws = 21), "draws", "21")
  expect_bad(weights(fit, draws = 1.5), "draws")
  old <- options(wbb.max_bytes = 1e4 - 400)
  on.exit(options(old))
  expect_bad(weights(fit), "draws", "fewer draws")
})

test_that("laws are described", {
  expect_output(print(weight_law("gamma", 4)), "gamma(4)", fixed = TRUE)
  expect_identical(format(weight_law("mammen")), "mammen")
  expect_identical(weight_law("dirichlet")$parameter, 1)
  expect_bad(weight_law("beta"), "name", "beta")
})

test_that("what means weights of rows is given those, and not the random ones", {
  plain <- quick(y ~ bmi, diabetes)
  expect_identical(weighted.residuals(plain), residuals(plain, type = "deviance"))
  own <- rep(c(0.5, 2), 221)
  weighted <- quick(y ~ bmi, diabetes, case_weights = own)
  expect_identical(weighted.residuals(weighted), residuals(weighted, type = "deviance"))
  skip_if_not_installed("insight")
  expect_null(insight::get_weights(plain))
  expect_equal(insight::get_weights(weighted), own)
})
