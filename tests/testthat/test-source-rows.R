d <- source_data()
d$two <- ifelse(d$a + stats::qlogis((seq_len(nrow(d)) %% 97 + 1) / 99) > 0, "yes", "no")
d$win <- d$two == "yes"
d$trials <- 1 + d$id %% 4
d$hits <- pmin(d$trials, d$id %% 3)
d$count <- floor(exp(0.3 * d$a) * (d$id %% 5))
d$kind <- c("x", "y", "z")[1 + (d$a > 0) + (d$id %% 7 == 0)]

# Rows above this go into a file.
with_room <- function(bytes, code) {
  old <- options(wbb.max_moments = bytes)
  on.exit(options(old))
  suppressMessages(code, classes = "wbb_message_scratch")
}

expect_same_rows <- function(formula, ..., data = d, source = wbb_source(data)) {
  # Settings may be columns.
  call <- as.call(c(quote(wbb_lasso), as.list(substitute(list(formula, ...)))[-1L], list(draws = 12, seed = 5, threads = 2)))
  env <- list2env(list(data = data, source = source), parent = parent.frame())
  plain <- eval(as.call(c(as.list(call), data = quote(data))), env)
  kept <- with_chunks(61, with_room(2000, eval(as.call(c(as.list(call), data = quote(source))), env)))
  expect_identical(unname(kept$draws), unname(plain$draws))
  expect_identical(colnames(kept$draws), colnames(plain$draws))
  expect_identical(kept$mode, plain$mode)
  expect_identical(kept$diagnostics, plain$diagnostics)
  expect_identical(kept$cv$curve, plain$cv$curve)
  expect_identical(kept$levels, plain$levels)
  expect_identical(nobs(kept), nobs(plain))
  expect_identical(kept$method, plain$method)
  invisible(kept)
}

test_that("families from a source have the bits of the same rows in memory", {
  expect_same_rows(two ~ a + b + g, family = "binomial", lambda = 3)
  expect_same_rows(win ~ a + b + g, family = "binomial", lambda = "cv", cv_measure = "auc", nlambda = 10)
  expect_same_rows(cbind(hits, trials - hits) ~ a + g, family = "binomial", lambda = c(9, 1), case_weights = w)
  expect_same_rows(win ~ a + c, family = "binomial", lambda = "cv", cluster = k, nfolds = 4, nlambda = 10)
  expect_same_rows(count ~ a + g + offset(0.1 * w), family = "poisson", lambda = "cv", foldid = fold, nlambda = 10)
  expect_same_rows(count ~ a + g, family = poisson(), lambda = 2, offset = w, refit = TRUE, alpha = 0.5)
  expect_same_rows(kind ~ a + b, family = "multinomial", lambda = 4, penalty_factor = c(b = 0))
})

test_that("a response of few values is kept as a byte a row, whatever it is", {
  for (y in list(c(TRUE, NA, FALSE), c(2, 0, 1), factor(c("b", "a")), "c")) expect_true(is.raw(few_places(few_values(), y)))
  few <- few_values()
  first <- few_places(few, c(3.5, -1, 3.5))
  second <- few_places(few, c(0, -1))
  expect_identical(few$values[as.integer(c(first, second)) + 1L], c(3.5, -1, 3.5, 0, -1))
  expect_null(few_places(few, seq_len(300) / 7))
  expect_null(few_places(few, 0))
  expect_identical(few_restored(first, few = few), c(3.5, -1, 3.5))
  for (y in list(cbind(1, 2), as.Date("2020-01-01"), list(1))) expect_null(few_places(few_values(), y))
  # More values than bytes have, after chunks that had fewer; shares, whose least loss is not zero; classes in the order of a factor.
  d$many <- ifelse(d$id < 300, d$id %% 3, d$id)
  d$share <- (d$id %% 9) / 8
  d$kind <- factor(d$kind, c("z", "none", "y", "x"))
  expect_same_rows(many ~ a + g, family = "poisson", lambda = 2, data = d)
  expect_same_rows(share ~ a + g, family = "binomial", lambda = "cv", case_weights = 8 + 0 * w, nlambda = 10, data = d)
  for (data in list(d, wbb_source(d))) {
    expect_warning(wbb_lasso(share ~ a, data, family = "binomial", lambda = 3, draws = 2, seed = 1), "how many trials", class = "wbb_warning_response")
  }
  expect_same_rows(kind ~ a + b, family = "multinomial", lambda = "cv", nlambda = 8, data = d)
  expect_same_rows(kind ~ a + b, family = "multinomial", lambda = "cv", cv_measure = "class", nlambda = 8, data = d)
  # A fault is of its row.
  d$bad <- replace(d$id %% 2, 345, 7)
  expect_bad(wbb_lasso(bad ~ a, wbb_source(d), family = "binomial", lambda = 1), "bad", "element 345 is 7")
})

test_that("rows that are not there take no memory", {
  before <- sum(gc(reset = TRUE)[, 6L])
  expect_identical(dim(no_rows(1e9, 3)), c(1000000000L, 3L))
  expect_lt(sum(gc()[, 6L]), before + 50)
})

test_that("many columns are kept as rows, and give the bits of the fit in memory", {
  n <- 900
  wide <- with_seed(3, as.data.frame(matrix(round(stats::rnorm(n * 70), 3), n)))
  wide$y <- with(wide, V1 - 2 * V2 + V3) + sin(seq_len(n))
  wide$w <- 1 + seq_len(n) %% 2
  expect_same_rows(y ~ . - w, lambda = 30, data = wide)
  expect_same_rows(y ~ . - w, lambda = "cv", case_weights = w, data = wide)
  expect_same_rows(y ~ . - w, lambda = c(60, 5), alpha = 0.3, prior_weight = "coef", data = wide)
  fit <- expect_same_rows(y ~ . - w, lambda = 20, refit = TRUE, weights = "multinomial", data = wide)
  expect_error(fitted(fit), class = "wbb_error_rows")
})

test_that("the road is the one that costs less", {
  kept <- function(p, draws, columns = p + 1, ..., once = NULL) {
    rows_are_kept(list(p = p, columns = columns), list(once = once), list(
      family = "gaussian", draws = draws, weights = "exponential", backend = "threads", nfolds = 10, ...))
  }
  expect_false(kept(20, 1000))
  expect_true(kept(300, 1000))
  # Sums are made of eight draws at a time and of the folds, so that few draws do not make them cheap: only few columns do.
  expect_true(kept(500, 2))
  expect_false(kept(20, 10))
  expect_false(kept(20, 1))
  # The sums of these take 1.6 GB: four readings, or one.
  expect_true(kept(600, 1000))
  with_room(100, expect_true(kept(20, 10)))
  old <- options(wbb.scratch = FALSE)
  on.exit(options(old))
  expect_false(kept(600, 1000))
  # What can be read once cannot be read again.
  options(wbb.scratch = NULL, wbb.max_moments = 8 * 253 * 10)
  on.exit(options(wbb.max_moments = NULL), add = TRUE)
  expect_true(kept(20, 100, once = TRUE))
})

test_that("the file goes when the fit is made, stopped or refused", {
  folder <- tempfile()
  dir.create(folder)
  old <- options(wbb.scratch = folder, wbb.max_moments = 5000)
  on.exit(options(old))
  files <- function() length(list.files(folder))
  src <- wbb_source(d)
  expect_message(fit <- wbb_lasso(win ~ a + b, src, family = "binomial", lambda = 3, draws = 5, seed = 1), "kept in a file", class = "wbb_message_scratch")
  expect_identical(files(), 0L)
  seen <- 0L
  broken <- function(reset = FALSE) {
    if (reset) return(seen <<- 0L)
    seen <<- seen + 1L
    if (seen == 9L) {
      # Where a file can do without a name it has none: a process that is killed leaves nothing.
      expect_identical(files(), if (.Platform$OS.type == "unix") 0L else 1L)
      stop("the line is dead")
    }
    d[(seen - 1L) * 70 + 1:70, ]
  }
  suppressMessages(expect_error(wbb_lasso(win ~ a + b, wbb_source(broken), family = "binomial", lambda = 3, draws = 5, seed = 1),
    "Chunk 9 of the source, from row 561 on: it could not be read: the line is dead", class = "wbb_error_source"))
  expect_identical(files(), 0L)
  suppressMessages(expect_bad(wbb_lasso(a ~ b + c, src, family = "binomial", lambda = 3, draws = 5, seed = 1), "a"))
  expect_identical(files(), 0L)
  options(wbb.scratch = file.path(folder, "none"))
  expect_bad(wbb_lasso(win ~ a + b, src, family = "binomial", lambda = 3, draws = 5, seed = 1), "options(wbb.scratch)", "none")
  options(wbb.scratch = FALSE)
  expect_bad(wbb_lasso(win ~ a + b, src, family = "binomial", lambda = 3, draws = 5, seed = 1), "source", "wbb.scratch")
})

test_that("Cox's likelihood has the rows of a source in memory, with the bits of a data frame", {
  skip_if_not_installed("survival")
  d$time <- round(stats::qexp((d$id %% 89 + 1) / 91) * exp(-0.5 * d$a), 3)
  for (more in list(list(lambda = 3), list(lambda = "cv", nlambda = 8))) {
    arguments <- c(list(survival::Surv(time, win) ~ a + b + g, family = "cox", draws = 8, seed = 5), more)
    plain <- do.call(wbb_lasso, c(arguments, list(data = d)))
    kept <- with_chunks(61, do.call(wbb_lasso, c(arguments, list(data = wbb_source(d)))))
    expect_identical(unname(kept$draws), unname(plain$draws))
    expect_identical(kept$cv$curve, plain$cv$curve)
    expect_equal(predict(kept, d[1:9, ]), predict(plain, d[1:9, ]))
    expect_error(survival_curve(kept, d[1:2, ]), class = "wbb_error_rows")
    expect_error(residuals(kept), class = "wbb_error_rows")
  }
  expect_bad(wbb_lasso(survival::Surv(time, win, type = "left") ~ a, wbb_source(d), family = "cox", lambda = 1), deparse1(quote(survival::Surv(time, win, type = "left"))), "left")
})

test_that("a disk without room is found before a row is read, or named when it is full", {
  skip_on_os("windows")
  free <- free_disk(tempdir())
  expect_true(is.na(free) || free > 0)
  expect_identical(free_disk(file.path(tempdir(), "nowhere")), NA_real_)
  skip_if(is.na(free), "df is missing")
  read <- 0
  asked <- function(reset = FALSE) {
    read <<- read + 1
    if (reset || read > 5) NULL else d
  }
  old <- options(wbb.max_moments = 5000)
  on.exit(options(old))
  source <- wbb_source(asked, rows = ceiling(free))
  expect_bad(wbb_lasso(win ~ a + b, source, family = "binomial", lambda = 3, draws = 5, seed = 1), "source", "disk has room")
  # The type of the columns alone was looked at.
  expect_lte(read, 2)
  # Rows of files and databases are counted for that.
  path <- Sys.getenv("PATH")
  on.exit(Sys.setenv(PATH = path), add = TRUE)
  tools <- tempfile()
  dir.create(tools)
  Sys.setenv(PATH = paste(tools, path, sep = .Platform$path.sep))
  # A disk with so many kB, where the rows need 11,200 bytes.
  disk <- function(free) {
    writeLines(c("#!/bin/sh", paste("echo disk 100 50", free, "50% /")), file.path(tools, "df"))
    Sys.chmod(file.path(tools, "df"), "755")
  }
  fit <- function(source) wbb_lasso(win ~ a + b, source, family = "binomial", lambda = 3, draws = 5, seed = 1)
  disk(10)
  expect_bad(fit(wbb_source(csv_files(d, 2))), "source", "disk has room")
  disk(11)
  expect_message(fit(wbb_source(csv_files(d, 2))), "take 1.12e-05 GB", class = "wbb_message_scratch")
  skip_if_not(file.exists("/dev/full") && file.access("/dev/full", 2) == 0)
  full <- rust_store(2, 0, "/dev/full/rows")
  expect_bad(job_result(rust_store_add(full, stats::rnorm(4e4), 2e4)), "source", "could not be kept in the file")
})

test_that("what rows of a source cannot do is said", {
  src <- wbb_source(d)
  with_room(2000, expect_bad(wbb_lasso(survival::Surv(w, win) ~ a + b, src, family = "cox", lambda = 1), "source", "but for family \"cox\""))
  expect_bad(wbb_lasso(win ~ b, src, family = "binomial", lambda = 1, backend = "future"), "backend", "threads")
  expect_bad(wbb_lasso(y ~ a, src, lambda = "marglik"), "lambda")
  unknown <- wbb_source(d, levels = list(two = c("no", "maybe")))
  expect_error(wbb_lasso(two ~ a, unknown, family = "binomial", lambda = 1, draws = 2), "has the level \"yes\"", class = "wbb_error_source")
  declared <- wbb_source(d, levels = list(two = c("yes", "no")))
  fit <- wbb_lasso(two ~ a, declared, family = "binomial", lambda = 1, draws = 3, seed = 1)
  expect_identical(fit$levels, c("yes", "no"))
  expect_error(residuals(fit), class = "wbb_error_rows")
  new <- wbb_source(d[1:50, ])
  expect_equal(predict(fit, new), predict(fit, d[1:50, ]), ignore_attr = TRUE)
  again <- wbb_lasso(two ~ a, declared, family = "binomial", lambda = 1, draws = 2, seed = 1, first_draw = 4)
  expect_identical(as.matrix(c(fit, again)), as.matrix(wbb_lasso(two ~ a, declared, family = "binomial", lambda = 1, draws = 5, seed = 1)))
  other <- wbb_lasso(two ~ a, wbb_source(d[-1, ], levels = declared$levels), family = "binomial", lambda = 1, draws = 2, seed = 1, first_draw = 4)
  expect_bad(c(fit, other), "...", "data differ")
})
