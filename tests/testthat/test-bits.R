# A net under changes that must not change a draw: hashes of the bits of every estimator, road, law and
# kind of data. Renew a line (testthat::snapshot_accept("bits")) only in a commit that says why its draws changed.

# Uniform numbers alone: those of R are the same on every machine, its normal ones need the system's log.
uniform_data <- function(n, p, seed = 1, density = 1) {
  with_seed(seed, {
    x <- matrix(stats::runif(n * p, -1, 1), n, p)
    if (density < 1) x[stats::runif(n * p) > density] <- 0
    # Not by a matrix product: its bits are the BLAS's.
    y <- Reduce(`+`, lapply(seq_len(min(p, 5)), function(j) j * x[, j])) + stats::runif(n, -2, 2)
    list(x = x, y = y)
  })
}

hash <- function(...) {
  file <- tempfile()
  on.exit(unlink(file))
  writeBin(unlist(lapply(list(...), function(part) {
    if (is.raw(part)) part else writeBin(as.double(unlist(part, use.names = FALSE)), raw(), endian = "little")
  })), file)
  unname(tools::md5sum(file))
}

# Everything of a fit that is computed, but the time it took.
fit_hash <- function(fit, ...) {
  numbers <- fit$diagnostics[vapply(fit$diagnostics, is.numeric, NA)]
  hash(fit$draws, fit$mode, fit$lambda, as.integer(fit$diagnostics$status), numbers, fit$cv$curve, ...)
}

say <- function(...) cat(sprintf("%-28s %s\n", names(c(...)), c(...)), sep = "")

laws <- list(
  "exponential", "mammen", "poisson", "multinomial", "ones", weight_law("dirichlet"), weight_law("dirichlet", 3),
  weight_law("gamma", 0.7), weight_law("gamma", 4)
)

test_that("the weights of every law keep their bits", {
  data <- uniform_data(30, 2)
  expect_snapshot(for (law in laws) {
    fit <- quick(data$x, data$y, weights = law, draws = 50)
    clustered <- quick(data$x, data$y, weights = law, draws = 50, cluster = rep(1:6, 5), case_weights = 1:30)
    say(stats::setNames(hash(weights(fit), weights(clustered)), format(check_law(law))))
  })
})

test_that("the lasso keeps its bits on every road", {
  small <- uniform_data(60, 6)
  tall <- uniform_data(3000, 70)
  wide <- uniform_data(50, 120)
  sparse <- uniform_data(2500, 80, density = 0.05)
  narrow <- uniform_data(60, 150, density = 0.1)
  sparse$x <- methods::as(sparse$x, "CsparseMatrix")
  narrow$x <- methods::as(narrow$x, "CsparseMatrix")
  roads <- list(small = small, tall = tall, wide = wide, sparse = sparse, narrow = narrow)
  expect_snapshot(for (name in names(roads)) {
    data <- roads[[name]]
    fit <- quick(data$x, data$y, lambda = 12)
    say(stats::setNames(fit_hash(fit), paste(name, fit$method)))
    say(stats::setNames(fit_hash(quick(data$x, data$y, lambda = c(20, 3), alpha = 0.5)), paste(name, "elastic path")))
    say(stats::setNames(fit_hash(quick(data$x, data$y, lambda = 8, refit = 1, prior_weight = "coef")), paste(name, "refit")))
    # Some minima lie at an end of so short a grid.
    cv <- suppressWarnings(quick(data$x, data$y, lambda = "cv", nlambda = 20, nfolds = 4))
    say(stats::setNames(fit_hash(cv), paste(name, "cv")))
  })
  expect_snapshot({
    of_laws <- vapply(laws, function(law) fit_hash(quick(small$x, small$y, weights = law)), "")
    say(laws = hash(charToRaw(paste(of_laws, collapse = ""))))
    say(fixed = fit_hash(quick(small$x, small$y, prior_weight = "fixed", intercept = FALSE)))
    say(factors = fit_hash(quick(small$x, small$y, penalty_factor = c(0, 1, 2, 1, 1, 0.5), standardize = FALSE)))
    say(cases = fit_hash(quick(wide$x, wide$y, case_weights = 1:50, cluster = rep(1:10, 5))))
    say(diabetes = fit_hash(wbb_lasso(y ~ ., diabetes, draws = 100, seed = 1)))
  })
})

test_that("families keep their bits on every road", {
  few <- uniform_data(60, 6)
  tall <- uniform_data(1500, 70)
  wide <- uniform_data(50, 120)
  sparse <- uniform_data(60, 150, density = 0.1)
  sparse$x <- methods::as(sparse$x, "CsparseMatrix")
  roads <- list(few = few, tall = tall, wide = wide, sparse = sparse)
  # Times by division and classes by comparison: nothing that needs the system's functions.
  responses <- list(
    binomial = function(y) as.integer(y > 0), poisson = function(y) pmax(0, round(y)),
    multinomial = function(y) cut(y, c(-Inf, -1, 1, Inf), c("a", "b", "c")),
    cox = function(y) survival::Surv(1 / (20 + y), as.integer(seq_along(y) %% 3 > 0))
  )
  skip_if_not_installed("survival")
  expect_snapshot(for (family in names(responses)) {
    for (name in names(roads)) {
      y <- responses[[family]](roads[[name]]$y)
      fit <- quick(roads[[name]]$x, y, family = family, lambda = c(4, 1), alpha = 0.8)
      say(stats::setNames(fit_hash(fit), paste(family, name, fit$method)))
    }
    cv <- suppressWarnings(quick(few$x, responses[[family]](few$y), family = family, lambda = "cv", nlambda = 20, nfolds = 4))
    say(stats::setNames(fit_hash(cv), paste(family, "cv")))
  })
})

test_that("trends and generalised lassos keep their bits", {
  x <- with_seed(2, round(stats::runif(120, 0, 60), 1))
  y <- abs(x - 30) + with_seed(3, stats::runif(120, -5, 5))
  expect_snapshot(for (order in 0:3) {
    fit <- wbb_trendfilter(y, x, order = order, lambda = c(5, 500), draws = 20, seed = 1, prior_weight = "coef")
    say(stats::setNames(fit_hash(fit, fit$knots, fit$mode_knots), paste("order", order)))
    fit <- wbb_trendfilter(y, x, order = order, draws = 20, seed = 1, weights = "poisson", nlambda = 15)
    say(stats::setNames(fit_hash(fit, fit$knots), paste("order", order, "cv")))
  })
  at <- matrix(1:36, 6)
  edges <- rbind(cbind(c(at[-6, ]), c(at[-1, ])), cbind(c(at[, -6]), c(at[, -1])))
  d <- Matrix::sparseMatrix(rep(seq_len(60), 2), c(edges), x = rep(c(-1, 1), each = 60))
  expect_snapshot({
    say(grid = fit_hash(wbb_genlasso(y[1:36], D = d, lambda = c(1, 20), draws = 20, seed = 1)))
    say(design = fit_hash(wbb_genlasso(y, cbind(1, x, x^2), diff(diag(3)), lambda = 2, draws = 20, seed = 1)))
  })
})

test_that("networks keep their bits", {
  data <- uniform_data(300, 6)
  sparse <- uniform_data(300, 12, density = 0.2)
  class <- factor(findInterval(data$y, c(-2, 2)))
  fit <- function(...) {
    fit <- brief(wbb_mlp(..., draws = 4, lambda = 1e-4, epochs = 4, batch_size = 32, hidden = c(9, 5), seed = 1))
    hash(unlist(fit$draws), fit$predictions, fit$curves, fit$diagnostics[vapply(fit$diagnostics, is.numeric, NA)])
  }
  expect_snapshot({
    say(sgd = fit(data$x, class, test = data$x[1:9, ]))
    say(momentum = fit(data$x, data$y, optimizer = "momentum", activation = "tanh", standardize = TRUE))
    say(adam = fit(data$x, class, optimizer = "adam", init = "fresh", batches = "cyclic", decay = 1e-3))
    say(sparse = fit(methods::as(sparse$x, "CsparseMatrix"), class, test = sparse$x[1:9, ]))
    say(zeros = fit(sparse$x, data$y, weights = "poisson", optimizer = "sgd"))
  })
})

# Chains and marginal likelihoods take logarithms and powers from the system's library.
test_that("chains keep their bits", {
  skip_if_not(grepl("linux", R.version$os), "the system's mathematics is glibc")
  small <- uniform_data(40, 4)
  wide <- uniform_data(15, 30)
  fit <- function(data, ...) {
    fit <- bayes_bridge(data$x, data$y, ..., draws = 200, burn = 50, chains = 2, seed = 1)
    hash(fit$draws, fit$diagnostics, fit$mcmc$rhat, fit$mcmc$ess)
  }
  expect_snapshot({
    for (alpha in c(0.25, 0.5, 0.7, 1, 2)) say(stats::setNames(suppressWarnings(fit(small, alpha = alpha)), paste("alpha", alpha)))
    say(wide = suppressWarnings(fit(wide, sigma2_prior = c(1, 1))))
    say(marginal = hash(marginal_likelihood(small$x, small$y, c(2, 20), draws = 500, seed = 1)))
    say(laplace = hash(laplace_wbb_draws(c(-2, 0.5, 3), 1, draws = 50, seed = 1), laplace_posterior_mean(c(-2, 0.5, 3, 40), 1)))
  })
})
