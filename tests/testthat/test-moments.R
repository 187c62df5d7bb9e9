d <- source_data()
form <- y ~ a + b + c + g

test_that("a source gives the fit of the same rows in memory", {
  src <- wbb_source(d)
  calls <- list(
    list(lambda = 20), list(lambda = "cv"), list(lambda = c(50, 2), alpha = 0.4), list(lambda = 0),
    list(lambda = 5, refit = TRUE, prior_weight = "coef"), list(lambda = 9, penalty_factor = c(1, 0, 2, 1, 1)),
    list(lambda = 9, intercept = FALSE), list(lambda = 9, standardize = FALSE), list(lambda = "cv", refit = 1, lambda_rule = "1se"),
    list(lambda = 9, weights = weight_law("dirichlet", 3)), list(lambda = 9, weights = weight_law("dirichlet", 0.4)),
    list(lambda = 9, weights = "mammen"), list(lambda = 9, weights = weight_law("gamma", 2)), list(lambda = 9, first_draw = 17)
  )
  for (more in calls) {
    arguments <- c(list(form), more, list(draws = 15, seed = 4, threads = 1))
    plain <- do.call(wbb_lasso, c(arguments, list(data = d)))
    summed <- do.call(wbb_lasso, c(arguments, list(data = src)))
    # Without an intercept a column of mean a million is nearly the constant: the digits are the data's.
    expect_same_fit(summed, plain, if (isFALSE(more$intercept)) 1e-5 else 1e-8)
    expect_identical(summed$method, "sums")
  }
})

test_that("columns may be weights, clusters, folds, subsets and offsets, and rows with missing values are left out", {
  holes <- d
  holes$a[c(3, 400)] <- NA
  holes$w[17] <- NA
  src <- wbb_source(holes)
  with_chunks(50, {
    both <- function(...) {
      call <- as.call(c(quote(wbb_lasso), as.list(substitute(list(...)))[-1L], list(draws = 10, seed = 3, threads = 1)))
      expect_same_fit(eval(as.call(c(as.list(call), data = quote(src)))), eval(as.call(c(as.list(call), data = quote(holes)))))
    }
    both(form, lambda = 10)
    both(form, lambda = "cv", case_weights = w)
    both(form, lambda = "cv", cluster = k)
    both(form, lambda = "cv", foldid = fold, subset = a > -1)
    both(update(form, . ~ . + offset(2 * a)), lambda = 3)
  })
  m <- wbb_moments(form, src, draws = 5, seed = 1, case_weights = w)
  expect_identical(c(m$n, m$dropped, nobs(m)), c(697, 3, 697))
  expect_output(print(m), "697 rows \\(1 to 697\\), 3 with missing values left out")
})

test_that("the bits do not depend on chunks, threads or the draws beside", {
  src <- wbb_source(d)
  whole <- wbb_moments(form, src, draws = 70, seed = 5, threads = 1)
  for (size in c(1, 13, 512, 699)) {
    with_chunks(size, expect_identical(wbb_moments(form, src, draws = 70, seed = 5, threads = 2), whole))
  }
  some <- wbb_moments(form, src, draws = 3, seed = 5, first_draw = 40)
  expect_identical(some$sums, whole$sums[, 40:42])
})

test_that("sums of disjoint rows add, wherever they were made", {
  whole <- wbb_lasso(wbb_moments(form, wbb_source(d), draws = 20, seed = 5), lambda = "cv")
  cuts <- c(0, 1, 300, 301, 700)
  levels <- list(g = c("low", "mid", "top"))
  parts <- lapply(seq_len(4), function(k) {
    rows <- (cuts[k] + 1):cuts[k + 1]
    wbb_moments(form, wbb_source(d[rows, ], levels = levels), draws = 20, seed = 5, first_row = cuts[k] + 1)
  })
  file <- tempfile()
  saveRDS(parts[[3]], file)
  parts[[3]] <- readRDS(file)
  for (order in list(1:4, 4:1, c(2, 4, 1, 3))) {
    joined <- do.call(c, parts[order])
    expect_identical(c(joined$range$first, joined$range$last), c(1, 700))
    expect_same_fit(wbb_lasso(joined, lambda = "cv"), whole)
  }
  gap <- c(parts[[1]], parts[[4]])
  expect_identical(gap$range$last, c(1, 700))
  other <- function(...) {
    arguments <- utils::modifyList(list(form, wbb_source(d[1:300, ], levels = levels), draws = 20, seed = 5), list(...))
    do.call(wbb_moments, arguments)
  }
  expect_bad(c(parts[[2]], other()), "...", "row 2 ")
  expect_bad(c(parts[[4]], other(seed = 6)), "...", "seeds")
  expect_bad(c(parts[[4]], other(draws = 19)), "...", "draws")
  expect_bad(c(parts[[4]], other(nfolds = 5)), "...", "folds")
  expect_bad(c(parts[[4]], other(weights = "mammen")), "...", "laws")
  expect_bad(c(parts[[4]], wbb_moments(y ~ a, wbb_source(d[1:300, ]), draws = 20, seed = 5)), "...", "formulas")
  expect_bad(c(parts[[4]], wbb_moments(form, wbb_source(d[1:300, ], levels = list(g = c("mid", "low", "top"))), draws = 20, seed = 5)), "...", "levels")
  expect_bad(c(parts[[4]], 3), "...")
  expect_error(wbb_lasso(utils::modifyList(parts[[4]], list(draws = 3))), class = "wbb_error_version")
  far <- utils::modifyList(parts[[4]], list(head_unit = replace(parts[[4]]$head_unit, 1L, Inf)))
  expect_error(wbb_lasso(far), "their `head_unit` are no numbers of rows", class = "wbb_error_version")
})

test_that("more draws than the memory holds take several passes", {
  src <- wbb_source(d)
  once <- wbb_lasso(form, src, draws = 50, seed = 8)
  old <- options(wbb.max_moments = 8 * 28 * 20, wbb.scratch = FALSE)
  on.exit(options(old))
  expect_message(several <- wbb_lasso(form, src, draws = 50, seed = 8), "3 passes", class = "wbb_message_passes")
  same_draws(several, once)
  expect_identical(several$cv, once$cv)
  expect_identical(several$spec$segments, once$spec$segments)
  expect_bad(wbb_moments(form, src, draws = 50, seed = 8), "draws", "20 draws at a time")
  options(wbb.max_moments = 100)
  expect_bad(wbb_lasso(form, src, draws = 50, seed = 8), "formula", "wbb.max_moments")
})

test_that("fits of sums answer what needs no rows, and say what they cannot", {
  fit <- wbb_lasso(form, wbb_source(d), lambda = 20, draws = 30, seed = 1)
  plain <- wbb_lasso(form, d, lambda = 20, draws = 30, seed = 1)
  new <- d[1:5, ]
  for (interval in c("none", "credible", "prediction")) {
    expect_equal(predict(fit, new, interval = interval), predict(plain, new, interval = interval), tolerance = 1e-7)
  }
  expect_equal(confint(fit), confint(plain), tolerance = 1e-7)
  expect_equal(c(nobs(fit), sigma(fit), df.residual(fit)), c(nobs(plain), sigma(plain), df.residual(plain)), tolerance = 1e-7)
  expect_equal(weights(fit, 2), weights(plain, 2), ignore_attr = TRUE)
  expect_output(print(summary(fit)), "P\\(=0\\)")
  for (ask in list(fitted, residuals, deviance, model.matrix, model.frame, predict)) {
    expect_match(conditionMessage(expect_error(ask(fit), class = "wbb_error_rows")), "made from sums")
  }
  expect_same_fit(c(fit, update(fit, first_draw = 31, draws = 10)), wbb_lasso(form, d, lambda = 20, draws = 40, seed = 1))
  expect_bad(c(fit, wbb_lasso(form, wbb_source(d[-1, ]), lambda = 20, draws = 30, seed = 2)), "...", "data differ")
  weighted <- wbb_lasso(form, wbb_source(d), lambda = 20, draws = 3, seed = 1, case_weights = w)
  expect_error(weights(weighted), class = "wbb_error_rows")
})

test_that("predictions for a source come chunk by chunk", {
  fit <- wbb_lasso(form, d, lambda = 20, draws = 30, seed = 1)
  src <- wbb_source(csv_files(d, 2))
  with_chunks(64, {
    expect_equal(predict(fit, src), predict(fit, d), tolerance = 1e-12)
    expect_equal(predict(fit, src, interval = "credible"), predict(fit, d, interval = "credible"), tolerance = 1e-12)
    expect_identical(dim(predict(fit, src, type = "draws")), c(30L, 700L))
    seen <- 0
    expect_identical(predict(fit, src, to = function(p) seen <<- seen + sum(p)), 700)
    expect_equal(seen, sum(predict(fit, d)))
  })
  expect_bad(predict(fit, d, to = print), "to")
  d$g[650] <- "new"
  with_chunks(64, expect_error(predict(fit, wbb_source(d)), "Chunk 11.*\"new\"", class = "wbb_error_source"))
})

test_that("predictions of a fit from a source have its offset", {
  fits <- list(
    quote(wbb_lasso(y ~ a + g, data, offset = w, lambda = 20, draws = 9, seed = 1)),
    quote(wbb_lasso(y ~ a + g + offset(2 * w), data, offset = fold, lambda = 20, draws = 9, seed = 1)),
    quote(wbb_lasso(c ~ a + offset(w), data, family = "binomial", lambda = 2, draws = 9, seed = 1))
  )
  for (fit in fits) {
    plain <- eval(fit, list(data = d))
    read <- eval(fit, list(data = wbb_source(d)))
    for (type in c("response", "draws")) expect_equal(predict(read, d, type = type), predict(plain, d, type = type), tolerance = 1e-8)
    expect_equal(predict(read, wbb_source(d)), predict(plain, d), tolerance = 1e-8)
    expect_equal(predict(read, d[1:2, ], newoffset = c(5, 0)), predict(plain, d[1:2, ], newoffset = c(5, 0)), tolerance = 1e-8)
    expect_error(predict(read, d[c("a", "g")]), class = "wbb_error_argument")
  }
  sums <- wbb_lasso(wbb_moments(y ~ a + offset(w), wbb_source(d), draws = 9, seed = 1), lambda = 20)
  expect_equal(predict(sums, d), predict(wbb_lasso(y ~ a + offset(w), d, lambda = 20, draws = 9, seed = 1), d), tolerance = 1e-8)
})

test_that("what sums cannot do is refused", {
  src <- wbb_source(d)
  expect_bad(wbb_moments(form, src, weights = "multinomial"), "weights", "poisson")
  expect_bad(wbb_lasso(wbb_moments(form, src, draws = 2), lambda = "marglik"), "lambda")
  expect_bad(wbb_lasso(wbb_moments(form, src, draws = 2), draws = 3), "draws")
  expect_bad(wbb_moments(form, d), "source", "wbb_source")
  expect_bad(wbb_moments(form, src, first_row = 0), "first_row")
  expect_bad(wbb_moments(form, src, nfolds = 1), "nfolds")
  expect_bad(bayes_bridge(form, src), "data", "chunks")
})

test_that("weights, folds and offsets of a source that are no numbers are refused by name", {
  data <- data.frame(y = 1:6, a = c(2, 1, 4, 3, 6, 5), f = gl(2, 3), d = as.Date("2020-01-01") + 0:5)
  for (wrong in list(quote(f), quote(d), quote(letters[a]))) {
    for (name in c("case_weights", "foldid", "offset")) {
      # Sums have no offset.
      from <- if (name == "offset") quote(wbb_lasso) else quote(wbb_moments)
      call <- as.call(c(list(from, y ~ a, quote(wbb_source(data)), draws = 2, seed = 1), stats::setNames(list(wrong), name)))
      error <- expect_error(eval(call), class = "wbb_error")
      expect_match(conditionMessage(error), paste0("`", name, "` must be"), fixed = TRUE)
    }
  }
})

test_that("a column given as the law of the weights is answered as for a fit", {
  expect_bad(wbb_moments(y ~ bmi, wbb_source(diabetes), weights = age), "weights", "`case_weights`, which may be a column")
})

test_that("a pass can be stopped, and shows the rows it has seen", {
  skip_on_cran()
  endless <- function(reset = FALSE) if (reset) NULL else d
  began <- proc.time()[["elapsed"]]
  old <- options(jupyter.in_kernel = TRUE)
  on.exit(options(old))
  shown <- paste(capture.output(tryCatch(
    {
      setTimeLimit(elapsed = 1.6, transient = TRUE)
      wbb_moments(y ~ a + b, wbb_source(endless, rows = 1e9), draws = 50, seed = 1, threads = 1, progress = TRUE)
    },
    error = function(e) invisible(), finally = setTimeLimit()
  )), collapse = "")
  expect_lt(proc.time()[["elapsed"]] - began, 4)
  expect_match(shown, "\rrows \\[ *\\] [0-9]+/1000000000 .* left")
})

test_that("a fit that is nearly perfect is not certified from sums", {
  d$z <- 3 * d$a + 1e-5 * d$w
  expect_warning(fit <- wbb_lasso(z ~ a + w, wbb_source(d), lambda = 1e-6, draws = 5, seed = 1), class = "wbb_warning_convergence")
  expect_true(all(fit$diagnostics$status == "not converged"))
})

test_that("clusters may have rows in several parts", {
  arguments <- list(form, draws = 10, seed = 3, threads = 1, lambda = "cv", cluster = quote(k))
  plain <- do.call(wbb_lasso, c(arguments, list(data = d)))
  expect_same_fit(do.call(wbb_lasso, c(arguments, list(data = wbb_source(d, shards = 3)))), plain)
  # Declared, machines agree on the numbers of the ids.
  levels <- list(g = c("low", "mid", "top"), k = unique(as.character(d$k)))
  sums <- function(rows, levels) {
    wbb_moments(form, wbb_source(d[rows, ], levels = levels), draws = 10, seed = 3, cluster = k, first_row = rows[1L])
  }
  joined <- c(sums(1:333, levels), sums(334:700, levels))
  expect_same_fit(wbb_lasso(joined, lambda = "cv"), plain)
  expect_bad(c(sums(1:333, levels["g"]), sums(334:700, levels["g"])), "...", "declare the same ids")
  other <- levels
  other$k <- rev(other$k)
  expect_bad(c(sums(1:333, levels), sums(334:700, other)), "...", "declare the same ids")
  expect_error(sums(1:333, list(g = levels$g, k = "1")), "`cluster` has the id", class = "wbb_error_source")
  # Whole numbers are the same id whatever the type of a chunk.
  expect_identical(id_text(c(1e5, 2)), id_text(c(100000L, 2L)))
})

test_that("a source that changes while it is read is refused", {
  reads <- 0
  changing <- function(change) {
    reads <<- 0
    read <- NULL
    wbb_source(function(reset = FALSE) {
      if (reset) {
        reads <<- reads + 1
        read <<- reset_source(if (reads > 2) change(d) else d)
        return(read(reset = TRUE))
      }
      read()
    }, levels = list(g = c("low", "mid", "top")))
  }
  old <- options(wbb.max_moments = 8 * 28 * 20, wbb.scratch = FALSE)
  on.exit(options(old))
  fit <- function(source) suppressMessages(wbb_lasso(form, source, lambda = 5, draws = 50, seed = 8))
  expect_identical(dim(fit(changing(identity))$draws), c(50L, 6L))
  expect_error(fit(changing(function(d) d[-9, ])), "had 700 rows and now has 699", class = "wbb_error_source")
  expect_error(fit(changing(function(d) transform(d, a = a + (id == 3)))), "are others than before", class = "wbb_error_source")
  options(old)
  more <- function(d) transform(d, fold = 9)
  expect_error(wbb_lasso(form, changing(more), lambda = "cv", foldid = fold, draws = 5, seed = 1), "at most 4 before", class = "wbb_error_source")
})

test_that("parts whose rows are left out are refused", {
  expect_error(wbb_lasso(form, wbb_source(d, shards = 2), subset = a > 0, lambda = 3, draws = 2), "Part 1. Some of its rows are left out", class = "wbb_error_source")
})

test_that("ids of clusters in a source are a vector, as elsewhere", {
  skip_if_not_installed("survival")
  d <- data.frame(y = 1:4, a = c(1, 0, 2, 1))
  expect_error(wbb_moments(y ~ a, wbb_source(d), draws = 2, seed = 1, threads = 1, cluster = survival::Surv(y, a > 0)),
    "`cluster` must be a vector or factor of ids", class = "wbb_error_source")
})
