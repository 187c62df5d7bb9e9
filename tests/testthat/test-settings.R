d <- made_data()
x <- d$x
y <- d$y

test_that("lambda is checked", {
  expect_bad(quick(x, y, lambda = c(1, -1)), "lambda", "element 2 is -1")
  expect_bad(quick(x, y, lambda = NaN), "lambda", "NaN")
  expect_bad(quick(x, y, lambda = Inf), "lambda")
  expect_bad(quick(x, y, lambda = "auto"), "lambda", "auto")
  expect_bad(quick(x, y, lambda = NULL), "lambda")
  expect_bad(quick(x, y, lambda = numeric()), "lambda")
  expect_bad(quick(x, y, lambda = c(1, 2, 1)), "lambda", "twice")
})

test_that("draws, threads and seed are checked", {
  for (bad in list(0, 2.5, NA, -1, "a", NULL, c(1, 2), Inf)) {
    expect_bad(quick(x, y, draws = bad), "draws")
    expect_bad(quick(x, y, first_draw = bad), "first_draw")
  }
  expect_bad(quick(x, y, draws = 1e12), "draws", "48,000 GB")
  expect_bad(quick(x, y, draws = 1e10, lambda = 1:3), "draws", "3 lambdas")
  for (bad in list(0, 1.5, NA, "a", c(1, 2))) expect_bad(quick(x, y, threads = bad), "threads")
  for (bad in list(2.5, NA, "a", 2^54, c(1, 2))) expect_bad(quick(x, y, seed = bad), "seed")
})

test_that("weights of rows, clusters and folds are checked", {
  w <- rep(1, 60)
  expect_bad(quick(x, y, case_weights = replace(w, 2, -1)), "case_weights", "element 2 is -1")
  expect_bad(quick(x, y, case_weights = replace(w, 2, NA)), "case_weights")
  expect_bad(quick(x, y, case_weights = 0 * w), "case_weights", "all are 0")
  expect_bad(quick(x, y, case_weights = 1:3), "case_weights", "length 3")
  expect_bad(quick(x, y, case_weights = "a"), "case_weights")
  expect_bad(quick(x, y, cluster = replace(1:60, 2, NA)), "cluster", "element 2")
  expect_bad(quick(x, y, cluster = 1:3), "cluster")
  expect_bad(quick(x, y, cluster = as.list(1:60)), "cluster")
  expect_bad(quick(x, y, foldid = rep(c(1, 3), 30)), "foldid", "fold 2 has no rows")
  expect_bad(quick(x, y, foldid = rep(1, 60)), "foldid")
  expect_bad(quick(x, y, foldid = rep(c(1, 1.5), 30)), "foldid")
  expect_bad(quick(x, y, nfolds = 1), "nfolds")
  expect_bad(quick(x[1, , drop = FALSE], y[1], lambda = "cv"), "lambda")
})

test_that("other settings are checked", {
  expect_bad(quick(x, y, lambda_rule = "best"), "lambda_rule")
  expect_bad(quick(x, y, nlambda = 1), "nlambda")
  expect_bad(quick(x, y, lambda_min_ratio = 1), "lambda_min_ratio")
  expect_bad(quick(x, y, tolerance = 0), "tolerance")
  expect_bad(quick(x, y, max_iterations = 0), "max_iterations")
  expect_bad(quick(x, y, prior_weight = "x"), "prior_weight", "\"coef\"")
  expect_bad(quick(x, y, weights = "uniform"), "weights")
  expect_bad(quick(x, y, weights = y), "weights", "case_weights")
  expect_bad(quick(x, y, backend = "mpi"), "backend")
  expect_bad(quick(x, y, progress = "yes"), "progress")
  expect_bad(quick(x, y, keep_data = NULL), "keep_data")
  expect_bad(weight_law("gamma", -1), "parameter")
  expect_bad(weight_law("mammen", 1), "parameter")
})

test_that("threads come from the option, and are two under R CMD check", {
  old <- options(wbb.threads = 3)
  on.exit(options(old))
  expect_identical(quick(x, y, threads = NULL)$spec$threads, 3L)
  options(wbb.threads = 0)
  expect_bad(quick(x, y, threads = NULL), "threads")
  options(wbb.threads = NULL)
  before <- Sys.getenv("_R_CHECK_LIMIT_CORES_", NA)
  Sys.setenv("_R_CHECK_LIMIT_CORES_" = "TRUE")
  on.exit(if (is.na(before)) Sys.unsetenv("_R_CHECK_LIMIT_CORES_") else Sys.setenv("_R_CHECK_LIMIT_CORES_" = before),
    add = TRUE)
  expect_identical(check_threads(NULL), 2L)
  Sys.unsetenv("_R_CHECK_LIMIT_CORES_")
  expect_null(check_threads(NULL))
})

test_that("settings keep the names of the arguments, and what is open is absent", {
  arguments <- function(f) setdiff(names(formals(f)), c("x", "y", "X", "backend", "progress", "keep_data", "..."))
  # Of the run itself the segments tell; tau is another name of nu, and the test set is data.
  run <- c("draws", "first_draw", "seed")
  fits <- list(
    list(quick(x, y), wbb_lasso.default), list(quick_trend(), wbb_trendfilter.default),
    list(wbb_genlasso(y, D = diff(diag(60)), lambda = 1, draws = 2, seed = 1), wbb_genlasso),
    list(bayes_bridge(x, y, draws = 200, chains = 2, seed = 1), bayes_bridge.default), list(quick_mlp(), wbb_mlp.default)
  )
  for (pair in fits) {
    spec <- pair[[1]]$spec
    kept <- c(names(spec), if (is.null(spec$segments)) NULL else names(spec$segments))
    expect_identical(setdiff(arguments(pair[[2]]), kept), intersect(arguments(pair[[2]]), c("tau", "test")))
    expect_false(any(vapply(spec, function(v) is.atomic(v) && length(v) == 1L && is.na(v), NA)))
    if (!is.null(spec$segments)) expect_false(any(run %in% names(spec)))
  }
  spec <- quick(x, y, lambda = "cv")$spec
  expect_identical(spec$lambda, "cv")
  for (open in c("foldid", "lambda_min_ratio", "case_weights", "cluster", "refit")) expect_null(spec[[open]])
  expect_identical(quick(x, y, refit = TRUE)$spec$refit, 0)
  expect_identical(quick(x, y, lambda = c(3, 1))$spec$lambda, c(3, 1))
})

test_that("p counts columns, whatever is penalised", {
  fit <- wbb_genlasso(y, x, diff(diag(5)), lambda = 1, draws = 2, seed = 1, prior_weight = "coef")
  expect_identical(fit$spec$p, 5L)
  expect_identical(ncol(weights(fit)), 64L)
  expect_null(quick_trend()$spec$p)
})

test_that("the generator is asked for a seed last", {
  set.seed(1)
  before <- .Random.seed
  for (bad in list(list(tolerance = 2), list(draws = 0), list(nfolds = 1), list(threads = 0))) {
    expect_error(do.call(wbb_lasso, c(list(x, y), bad)), class = "wbb_error_argument")
    expect_error(do.call(wbb_trendfilter, c(list(y), bad)), class = "wbb_error_argument")
  }
  expect_identical(.Random.seed, before)
})

test_that("Rust refuses a word that it does not know", {
  spec <- quick(x, y)$spec
  settings <- c(spec, list(seed = 1, first_draw = 1, draws = 2))
  job <- function(...) {
    changed <- utils::modifyList(settings, list(...))
    job_result(lasso_job(list(x = x, y = y), changed))
  }
  expect_length(job()$draws, 12)
  expect_error(job(lambda = "best"), "lambda is \"best\"", class = "wbb_error_internal")
  expect_error(job(alpha = "a"), "alpha is of another type", class = "wbb_error_internal")
  expect_error(job(prior_weight = "twice"), class = "wbb_error")
  expect_error(job(weights = list(name = "beta")), class = "wbb_error")
  expect_error(job(tolerance = NULL), "tolerance is missing", class = "wbb_error_internal")
  # Row indices of another type, or before the first row, are no sparse matrix.
  for (rows in list(1.5, NULL, -1L)) {
    room <- job_result(rust_matrix_room(3, 1, c(0L, 1L)))
    expect_error(job_result(rust_matrix_fill(room, 1, rows, 1)), "no such index", class = "wbb_error_internal")
  }
  network <- quick_mlp(draws = 1)
  settings <- c(network$spec, list(seed = 1, first_draw = 1, draws = 1))
  iris_x <- as.matrix(iris[c(TRUE, FALSE), 1:4])
  for (name in c("init", "batches", "keep", "activation", "optimizer")) {
    settings[[name]] <- "other"
    expect_error(job_result(mlp_job(list(x = iris_x, y = iris$Species[c(TRUE, FALSE)]), settings)), "other", class = "wbb_error")
    settings[[name]] <- network$spec[[name]]
  }
})
