fit <- quick_diabetes()
path <- quick(as.matrix(diabetes[1:10]), diabetes$y, lambda = c(10, 200, 50))

test_that("chunks join to what one run gives", {
  whole <- quick_diabetes(draws = 30)
  joined <- c(quick_diabetes(draws = 12), quick_diabetes(draws = 10, first_draw = 13),
    quick_diabetes(draws = 8, first_draw = 23))
  same_draws(joined, whole)
  expect_identical(joined$spec, whole$spec)
  expect_identical(joined$call$draws, 30)
  expect_identical(weights(joined), weights(whole))

  part <- function(...) quick(as.matrix(diabetes[1:10]), diabetes$y, lambda = c(10, 200, 50), ...)
  same_draws(c(part(draws = 5), part(draws = 15, first_draw = 6)), path)
})

test_that("fits of other seeds can be joined, and their weights regenerated", {
  other <- quick_diabetes(seed = 2, draws = 5)
  joined <- c(fit, other, quick_diabetes(draws = 5, first_draw = 21))
  expect_identical(nrow(as.matrix(joined)), 30L)
  expect_identical(nrow(joined$spec$segments), 3L)
  expect_identical(weights(joined)[21:25, ], weights(other))
  expect_identical(weights(joined, draws = c(23, 2)), rbind(weights(other)[3, ], weights(fit)[2, ]))
})

test_that("fits of other problems cannot be joined", {
  expect_bad(c(fit, fit), "...", "draw 1 of seed 1 is there twice")
  expect_bad(c(fit, quick_diabetes(first_draw = 20)), "...", "draw 20")
  expect_bad(c(fit, quick(y ~ ., diabetes, lambda = 51, seed = 2)), "...", "lambda")
  expect_bad(c(fit, quick_diabetes(seed = 2, prior_weight = "fixed")), "...", "prior_weight")
  expect_bad(c(fit, quick(y ~ . - age, diabetes, lambda = 50, seed = 2)), "...")
  expect_bad(c(fit, quick(y ~ ., diabetes[442:1, ], lambda = 50, seed = 2)), "...", "data")
  expect_bad(c(fit, 1), "...")
  changed <- transform(diabetes, y = y + 1)
  expect_bad(c(quick_diabetes(keep_data = FALSE), quick(y ~ ., changed, lambda = 50, seed = 2, keep_data = FALSE)),
    "...", "data")
})

test_that("other data are refused whether they were kept or not", {
  other <- transform(diabetes, bmi = replace(bmi, 400, 30))
  flipped <- transform(diabetes, bmi = bmi * rep(c(-1, 1), c(2, 440)))
  series <- paper_series()
  changed <- function(y) replace(y, 50, y[50] + 1e-9)
  pairs <- list(
    function(data, ...) quick(y ~ ., data, lambda = 50, ...),
    function(data, ...) quick(Matrix::Matrix(as.matrix(data[1:10]), sparse = TRUE), data$y, ...),
    function(data, ...) wbb_mlp(y ~ ., data, hidden = 2, lambda = 1e-4, epochs = 1, draws = 2, ...),
    function(data, ...) bayes_bridge(y ~ ., data, draws = 1000, chains = 2, ...),
    function(data, ...) wbb_genlasso(data$y, as.matrix(data[1:3]), diff(diag(3)), lambda = 1, draws = 2, ...)
  )
  for (fit_to in pairs) {
    for (keep in c(TRUE, FALSE)) {
      first <- fit_to(diabetes, seed = 1, keep_data = keep)
      expect_s3_class(c(first, fit_to(diabetes, seed = 2, keep_data = !keep)), "wbb")
      for (data in list(other, flipped)) {
        expect_bad(c(first, fit_to(data, seed = 2, keep_data = keep)), "...", "their data differ")
      }
    }
  }
  expect_bad(c(quick_trend(series), quick_trend(changed(series), seed = 2)), "...", "their data differ")
})

test_that("a test set is data, too", {
  fit_with_test <- function(test, ...) quick_mlp(test = test, keep_data = FALSE, ...)
  first <- fit_with_test(iris[2:9, ])
  expect_s3_class(c(first, fit_with_test(iris[2:9, ], seed = 2)), "wbb_mlp")
  expect_bad(c(first, fit_with_test(transform(iris[2:9, ], Petal.Width = rev(Petal.Width)), seed = 2)), "...", "test sets")
})

test_that("fingerprints see every bit, place and length", {
  expect_match(fingerprint(c(1, 2), 3), "^[0-9a-f]{16}$")
  expect_identical(fingerprint(c(1, 2), 3), fingerprint(c(1, 2), 3))
  hashes <- c(
    fingerprint(c(1, 2), 3), fingerprint(c(2, 1), 3), fingerprint(c(-1, -2), 3), fingerprint(1, c(2, 3)),
    fingerprint(c(1, 2, 3), NULL), fingerprint(c(1, 2 + 4e-16), 3), fingerprint(c(1, 2)), fingerprint(NULL)
  )
  expect_false(anyDuplicated(hashes) > 0)
  x <- matrix(c(0, 1, 2, 0), 2)
  sparse <- methods::as(x, "CsparseMatrix")
  expect_false(fingerprint(sparse) == fingerprint(methods::as(t(x), "CsparseMatrix")))
  expect_identical(fingerprint(factor(c("a", "b"))), fingerprint(c(1, 2)))
})

test_that("an estimator may have no lambda and no mode", {
  bare <- new_wbb("wbb", list(), list(
    draws = matrix(1:6, 3, dimnames = list(NULL, c("a", "b"))), diagnostics = data.frame(draw = 1:3),
    spec = list(n = 5, names = c("a", "b"), segments = data.frame(seed = 1, first_draw = 1, draws = 3))
  ))
  expect_identical(coef(bare, "mean"), c(a = 2, b = 5))
  expect_identical(coef(bare), coef(bare, "mean"))
  expect_identical(dim(vcov(bare)), c(2L, 2L))
  expect_identical(nobs(bare), 5)
  expect_bad(coef(bare, "mean", lambda = 3), "lambda", "has no lambda")
})

test_that("the draws are not copied on their way into the fit", {
  skip_on_cran()
  skip_if_not(capabilities("profmem"), "R counts its memory")
  file <- tempfile()
  on.exit(unlink(file))
  d <- made_data(20, 4)
  draws <- 20000
  utils::Rprofmem(file, threshold = 8 * 5 * draws)
  fit <- quick(d$x, d$y, draws = draws)
  utils::Rprofmem(NULL)
  large <- grep("^[0-9]", readLines(file), value = TRUE)
  expect_length(large, 1L)
  expect_match(large, "rust_job_room", fixed = TRUE)
})

test_that("a fit can be saved and read back", {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  back <- readRDS(file)
  same_draws(back, fit)
  expect_identical(back$spec, fit$spec)
  expect_identical(weights(back, draws = 2), weights(fit, draws = 2))
  expect_identical(predict(back, diabetes[1:3, ]), predict(fit, diabetes[1:3, ]))
})

test_that("a fit of another version is recognised by every method", {
  old <- fit
  old$version <- 0L
  none <- fit
  none$version <- NULL
  methods <- list(as.matrix, as.data.frame, print, summary, coef, vcov, confint, fitted, residuals, nobs,
    formula, model.frame, model.matrix, variable.names, weights, predict, c)
  for (method in methods) {
    for (bad in list(old, none)) expect_error(method(bad), class = "wbb_error_version")
  }
  skip_if_not_installed("generics")
  for (method in list(generics::tidy, generics::glance, generics::augment)) {
    expect_error(method(old), class = "wbb_error_version")
  }
})
