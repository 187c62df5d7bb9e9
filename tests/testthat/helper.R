# Small data that every test can fit in milliseconds, and expectations.

made_data <- function(n = 60, p = 5, seed = 1) {
  with_seed(seed, {
    x <- matrix(rnorm(n * p), n, p, dimnames = list(NULL, paste0("x", seq_len(p))))
    y <- drop(x %*% c(2, -1, rep(0, p - 2))) + rnorm(n)
    list(x = x, y = y)
  })
}

# Evaluates with a seed and leaves the generator as it was.
with_seed <- function(seed, code) {
  old <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(if (!is.null(old)) assign(".Random.seed", old, globalenv()))
  set.seed(seed)
  code
}

# wbb_lasso() with defaults for what tests seldom care about. The call is built and
# evaluated where the test stands, so that columns of `data` and update() work.
quick <- function(...) {
  call <- match.call()
  call[[1L]] <- quote(wbb_lasso)
  defaults <- list(draws = 20, seed = 1, lambda = 5, threads = 1)
  for (name in setdiff(names(defaults), names(call))) call[[name]] <- defaults[[name]]
  eval(call, parent.frame())
}

quick_diabetes <- function(...) {
  call <- match.call()
  call[[1L]] <- quote(quick)
  call$formula <- quote(y ~ .)
  call$data <- quote(diabetes)
  call$lambda <- 50
  eval(call, parent.frame())
}

# Bad input gets a classed error that names the argument and shows `says`.
expect_bad <- function(code, argument, says = NULL) {
  error <- expect_error(code, class = "wbb_error_argument")
  expect_s3_class(error, "wbb_error")
  expect_identical(error$argument, argument)
  if (argument != "...") expect_match(conditionMessage(error), argument, fixed = TRUE)
  if (!is.null(says)) expect_match(conditionMessage(error), says, fixed = TRUE)
  invisible(error)
}

# `z` standard deviations of a Monte Carlo mean: 5 is a false alarm in 1.7 million.
expect_mean <- function(values, expected, z = 5) {
  error <- abs(mean(values) - expected) / (stats::sd(values) / sqrt(length(values)))
  expect_lt(error, z)
}

# The part of a fit that must not depend on how it was computed.
same_draws <- function(a, b) {
  expect_identical(a$draws, b$draws)
  expect_identical(a$diagnostics, b$diagnostics)
  expect_identical(a$lambda, b$lambda)
  expect_identical(a$mode, b$mode)
}

# The same fit with draws that failed, however large, and the fit that never had them.
with_failures <- function(fit, rows) {
  fit$draws[rows, ] <- 1e180
  fit$diagnostics$status[rows] <- "not converged"
  fit$diagnostics$sigma[rows] <- 1e180
  if (!is.null(fit$knots)) fit$knots <- rbind(fit$knots, data.frame(draw = rows, x = fit$points[3], jump = 1))
  fit
}

without_rows <- function(fit, rows) {
  fit$draws <- fit$draws[-rows, , drop = FALSE]
  fit$diagnostics <- fit$diagnostics[-rows, ]
  if (!is.null(fit$knots)) {
    fit$knots <- fit$knots[!fit$knots$draw %in% rows, ]
    fit$knots$draw <- match(fit$knots$draw, setdiff(seq_len(draw_count(fit$spec)), rows))
    row.names(fit$knots) <- NULL
  }
  fit$spec$segments$draws <- draw_count(fit$spec) - length(rows)
  fit
}

sd_n <- function(x) sqrt(colMeans(sweep(x, 2, colMeans(x))^2))

# A file of the full MNIST, which is no part of the package: from the folder WBB_MNIST, or beside the checkout.
mnist_file <- function(name) {
  folder <- Sys.getenv("WBB_MNIST", test_path("..", "..", "..", "shared", "data", "mnist"))
  file <- file.path(folder, name)
  skip_if_not(file.exists(file), "MNIST is there")
  file
}
