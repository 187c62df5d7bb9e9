# The five lasso workloads of the targets: data, and the lambda with the stated
# number of nonzero coefficients at unit weights.

standardised <- function(x) {
  x <- sweep(x, 2, colMeans(x))
  sweep(x, 2, sqrt(colMeans(x^2)), "/")
}

# The lambda (on our scale) of glmnet's path whose fit has about `active` nonzeros.
lambda_for <- function(x, y, active) {
  path <- glmnet::glmnet(x, y, nlambda = 200, standardize = FALSE,
    lambda.min.ratio = if (nrow(x) < ncol(x)) 1e-2 else 1e-4)
  length(y) * path$lambda[which.min(abs(path$df - active))]
}

dense_workload <- function(n, p, signals, active, seed) {
  set.seed(seed)
  x <- standardised(matrix(rnorm(n * p), n))
  beta <- c(seq(0.02, 0.4, length.out = signals), numeric(p - signals))
  y <- drop(x %*% beta) + rnorm(n)
  list(x = x, y = y, lambda = lambda_for(x, y, active))
}

sparse_workload <- function(n, p, density, signals, active, seed) {
  set.seed(seed)
  x <- Matrix::rsparsematrix(n, p, density)
  y <- as.vector(x %*% c(rep(0.5, signals), numeric(p - signals))) + rnorm(n)
  sd <- sqrt(Matrix::colMeans(x^2) - Matrix::colMeans(x)^2)
  x <- x %*% Matrix::Diagonal(x = 1 / sd)
  list(x = as(x, "CsparseMatrix"), y = y, lambda = lambda_for(x, y, active))
}

workloads <- list(
  L1 = list(label = "diabetes, 442 x 10", draws = 1000, peer_draws = 300, repeats = 10, make = function() {
    x <- standardised(as.matrix(wbb::diabetes[1:10]))
    list(x = x, y = wbb::diabetes$y, lambda = 582)
  }),
  L2 = list(label = "10,000 x 100 (59 active)", draws = 1000, peer_draws = 40,
    make = function() dense_workload(1e4, 100, 50, 59, 2)),
  L3 = list(label = "500 x 5,000 (196 active)", draws = 1000, peer_draws = 60,
    make = function() dense_workload(500, 5000, 50, 196, 3)),
  L4 = list(label = "100,000 x 1,000, 1 % nonzero (394 active)", draws = 500, peer_draws = 30,
    make = function() sparse_workload(1e5, 1000, 0.01, 250, 394, 4)),
  L5 = list(label = "1,000,000 x 50", draws = 200, peer_draws = 6,
    make = function() dense_workload(1e6, 50, 40, 45, 5))
)
