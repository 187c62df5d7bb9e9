test_that("names of others find their methods, whichever was attached last", {
  skip_if_not_installed("caret")
  observed <- data.frame(class = factor(rep(c("yes", "no"), 20), c("yes", "no")), p = seq(0.05, 0.95, length.out = 40))
  theirs <- caret::calibration(class ~ p, data = observed, cuts = 4)
  expect_equal(calibration(class ~ p, data = observed, cuts = 4)$data, theirs$data)
  net <- suppressWarnings(wbb_mlp(Species ~ ., iris, hidden = NULL, draws = 3, lambda = 1e-4, epochs = 5, seed = 1, threads = 1))
  expect_identical(caret::calibration(net, iris), calibration(net, iris))
  # An object that neither knows: whoever is asked last says so.
  expect_error(calibration(1L), "formula")
})

test_that("accuracy() goes to generics and back", {
  skip_if_not_installed("generics")
  net <- suppressWarnings(wbb_mlp(Species ~ ., iris, hidden = NULL, draws = 3, lambda = 1e-4, epochs = 5, seed = 1, threads = 1))
  expect_identical(generics::accuracy(net, iris), accuracy(net, iris))
  registerS3method("accuracy", "a_forecast", function(object, ...) "theirs", asNamespace("generics"))
  expect_identical(accuracy(structure(list(), class = "a_forecast")), "theirs")
  expect_bad(accuracy(1L), "object")
})

test_that("compare() knows the objects of loo", {
  skip_if_not_installed("loo")
  set.seed(1)
  loos <- suppressWarnings(lapply(1:2, function(i) loo::loo(matrix(rnorm(2000, -i), 100), r_eff = rep(1, 20))))
  expect_identical(compare(loos[[1]], loos[[2]]), loo::loo_compare(loos[[1]], loos[[2]]))
  expect_bad(compare(3), "...")
  expect_bad(compare(), "...")
})
