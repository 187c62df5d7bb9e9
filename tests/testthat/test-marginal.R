area <- function(curve) {
  sum(vapply(split(curve, curve$side), function(s) {
    sum(diff(s$x) * (utils::head(s$density, -1) + utils::tail(s$density, -1)) / 2)
  }, 0))
}

test_that("the area of the density and the point mass add up to one", {
  draws <- awkward_draws(500)
  for (name in c("half", "both", "100% [x]^2")) {
    m <- marginal(draws[, name])
    # The grid ends 2.5 bandwidths beyond the draws, where a normal kernel of 500 has lost < 1e-4.
    expect_equal(area(m$curve) + sum(m$mass$probability), 1, tolerance = 2e-3)
    expect_equal(m$p_zero, mean(draws[, name] == 0))
  }
})

test_that("no density is shown on a side of zero where there are no draws", {
  positive <- marginal(pmax(stats::qnorm(stats::ppoints(400)), 0))
  expect_gte(min(positive$curve$x), 0)
  negative <- marginal(pmin(stats::qnorm(stats::ppoints(400)), 0))
  expect_lte(max(negative$curve$x), 0)
})

test_that("the density at zero is neither leaked away nor flattened", {
  z <- stats::qnorm(stats::ppoints(4000))
  # Half-normal draws: the density at 0+ is dnorm(0), flat there.
  flat <- marginal(pmax(z, 0))$curve
  expect_equal(flat$density[1], stats::dnorm(0), tolerance = 0.02)
  # Soft thresholding of N(1, 1): dnorm(1.2 - 1) at 0-, dnorm(0.8) at 0+, both steep.
  curve <- marginal(sign(1 + z) * pmax(abs(1 + z) - 0.2, 0))$curve
  expect_equal(utils::tail(curve$density[curve$side == 1], 1), stats::dnorm(1.2), tolerance = 0.05)
  expect_equal(curve$density[curve$side == 2][1], stats::dnorm(0.8), tolerance = 0.05)
})

test_that("columns without spread are point masses", {
  expect_equal(marginal(rep(0, 10))$mass, data.frame(at = 0, probability = 1))
  expect_equal(marginal(rep(3.2, 10))$mass, data.frame(at = 3.2, probability = 1))
  expect_equal(marginal(c(2, 0, 0, 0))$mass, data.frame(at = c(0, 2), probability = c(0.75, 0.25)))
  expect_equal(marginal(7)$mass, data.frame(at = 7, probability = 1))
  expect_equal(nrow(marginal(rep(0, 10))$curve), 0)
  expect_equal(nrow(marginal(c(NA, NaN))$mass), 0)
})

test_that("the marginal follows the units and the sign of the draws", {
  draws <- awkward_draws(500)
  for (name in c("half", "both", "100% [x]^2")) {
    x <- draws[, name]
    plain <- marginal(x)
    scaled <- marginal(1000 * x)
    expect_equal(scaled$curve$x, 1000 * plain$curve$x)
    expect_equal(scaled$curve$density, plain$curve$density / 1000)
    expect_identical(scaled$mass, plain$mass)
    mirrored <- marginal(-x)
    # The sides are numbered from the left.
    by_side <- function(m) lapply(split(m$curve, m$curve$side), function(s) s$density)
    expect_equal(unname(by_side(mirrored)), unname(rev(lapply(by_side(plain), rev))), tolerance = 1e-6)
  }
})

test_that("the marginal does not depend on the order of the draws, nor on what is missing", {
  x <- awkward_draws(300)[, "both"]
  expect_equal(marginal(rev(x)), marginal(x))
  expect_equal(marginal(c(NA, x, NaN, Inf)), marginal(x))
})

test_that("without a point mass it is the density of stats", {
  x <- stats::qnorm(stats::ppoints(400), 3)
  m <- marginal(x)
  expect_identical(nrow(m$mass), 0L)
  expect_identical(unique(m$curve$side), 1L)
  reference <- stats::density(x, n = 2048)
  expect_equal(m$curve$density, stats::approx(reference$x, reference$y, m$curve$x)$y, tolerance = 1e-3)
  expect_equal(m$top, max(m$curve$density))
})

test_that("the peak stands for all that is not zero", {
  # A quarter of the draws is not zero: the curve is a quarter as high as it would be alone.
  z <- stats::qnorm(stats::ppoints(400), 6)
  alone <- marginal(z)
  mixed <- marginal(c(rep(0, 1200), z))
  expect_equal(mixed$p_zero, 0.75)
  expect_equal(max(mixed$curve$density), max(alone$curve$density) / 4, tolerance = 0.01)
  expect_equal(mixed$top, max(mixed$curve$density) * 4)
})

test_that("a density at the boundary has area one, also with a draw far away", {
  for (x in list(stats::qexp(stats::ppoints(500)), c(stats::qexp(stats::ppoints(500)), 40))) {
    at <- seq(0, max(x) + 2, length.out = 4000)
    d <- boundary_density(x, stats::bw.nrd0(x), at)
    expect_equal(sum(diff(at) * (utils::head(d$y, -1) + utils::tail(d$y, -1)) / 2), 1)
    expect_true(all(d$y >= 0))
  }
  # The exponential density is 1 at zero; a kernel that leaked across would show half.
  x <- stats::qexp(stats::ppoints(5000))
  expect_equal(boundary_density(x, 0.1, seq(0, 12, by = 0.01))$y[1], 1, tolerance = 0.05)
})
