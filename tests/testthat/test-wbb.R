# A function that needs no data: the weighted mean of 1, ..., n, and the prior weight.
mean_of <- function(w, w0) c(mean = sum(w * seq_along(w)) / sum(w), prior = w0)

# The call is evaluated where the test stands, so that update() works.
quick_any <- function(object, ...) {
  call <- match.call()
  call[[1L]] <- quote(wbb)
  defaults <- list(object = quote(mean_of), n = 20, draws = 12, seed = 1)
  for (name in setdiff(names(defaults), names(call))) call[[name]] <- defaults[[name]]
  eval(call, parent.frame())
}

any_of <- function(fit) {
  list(draws = fit$draws, diagnostics = fit$diagnostics, mode = fit$mode, segments = fit$spec$segments)
}

# Functions ------------------------------------------------------------------------

test_that("a draw is the function of its weights", {
  for (law in list("exponential", "dirichlet", weight_law("gamma", 4), "mammen", "poisson", "multinomial", "ones")) {
    fit <- suppressWarnings(quick_any(weights = law, case_weights = 1:20 / 3, cluster = rep(1:10, 2)))
    w <- weights(fit)
    expect_identical(dim(w), c(12L, 21L))
    for (k in 1:12) expect_identical(fit$draws[k, ], mean_of(unname(w[k, 1:20]), w[[k, "prior"]]))
  }
  expect_identical(coef(fit), mean_of(1:20 / 3, 1))
  fixed <- quick_any(prior_weight = "fixed")
  expect_true(all(fixed$draws[, "prior"] == 1))
})

test_that("each term of a penalty may have its own prior weight", {
  fit <- quick_any(function(w, w0) c(a = w0[1], b = w0[2], c = w0[3]), prior_weight = "coef", penalties = 3)
  expect_equal(unname(fit$draws), unname(weights(fit)[, 21:23]))
  expect_identical(colnames(weights(fit))[21:23], paste0("prior.", 1:3))
})

test_that("chunks, seeds and pieces give the draws of one run, also where R's generator is used", {
  noisy <- function(w) c(a = sum(w), b = rnorm(1), c = sample(1e6, 1), d = runif(1))
  whole <- quick_any(noisy)
  expect_identical(anyDuplicated(whole$draws[, "b"]), 0L)
  parts <- c(quick_any(noisy, draws = 5), quick_any(noisy, draws = 7, first_draw = 6))
  expect_identical(any_of(parts), any_of(whole))
  expect_identical(any_of(update(whole, draws = 12)), any_of(whole))
  other <- with_seed(9, {
    RNGkind("L'Ecuyer-CMRG", "Box-Muller", "Rounding") |> suppressWarnings()
    on.exit(RNGkind("default", "default", "default"))
    quick_any(noisy)
  })
  expect_identical(any_of(other), any_of(whole))
  expect_false(any(quick_any(noisy, seed = 2)$draws == whole$draws))
})

test_that("the user's generator is left as it was, or gives the seed", {
  noisy <- function(w) c(a = rnorm(1))
  set.seed(4)
  before <- .Random.seed
  quick_any(noisy)
  expect_identical(.Random.seed, before)
  set.seed(4)
  first <- quick_any(noisy, seed = NULL)
  set.seed(4)
  expect_identical(any_of(quick_any(noisy, seed = NULL)), any_of(first))
  expect_false(identical(.Random.seed, before))
  rm(.Random.seed, envir = globalenv())
  quick_any(noisy)
  expect_false(exists(".Random.seed", globalenv()))
  set.seed(1)
})

test_that("a function gets the prior weight if it asks for it", {
  expect_identical(coef(quick_any(function(w) c(a = length(w)))), c(a = 20)) |> suppressWarnings()
  expect_identical(coef(quick_any(function(w, v) c(a = v + w[1]))), c(a = 2))
  expect_identical(coef(quick_any(function(w, scale = 5) c(a = scale * w[1]))), c(a = 5))
  expect_identical(coef(quick_any(function(w, scale = 5, w0) c(a = w0 * w[1] * scale))), c(a = 5))
  expect_identical(coef(quick_any(function(w, ...) c(a = w[1] + ...length()))), c(a = 1))
})

test_that("numbers may come in any form, or through a statistic", {
  form <- function(value) coef(quick_any(function(w) value(w)))
  expect_identical(form(function(w) w[1]), c(value = 1))
  expect_identical(form(function(w) w[1:2]), c(V1 = 1, V2 = 1))
  expect_identical(form(function(w) c(a = w[1], 2)), c(a = 1, V2 = 2))
  expect_identical(form(function(w) matrix(w[1:4], 2, dimnames = list(c("a", "b"), c("x", "y")))),
    c(`a:x` = 1, `b:x` = 1, `a:y` = 1, `b:y` = 1))
  expect_identical(form(function(w) list(a = w[1], b = w[2])), c(a = 1, b = 1))
  expect_identical(form(function(w) data.frame(a = w[1:2])), c(a1 = 1, a2 = 1))
  expect_identical(form(function(w) c(a = w[1] > 2)), c(a = 0))
  fit <- quick_any(function(w) list(fit = "text", w = w), statistic = function(x) c(s = sum(x$w)))
  expect_identical(coef(fit), c(s = 20))
})

test_that("names may come in another order, but must be the same", {
  turning <- function(w) if (w[1] > 1) c(b = w[2], a = w[1]) else c(a = w[1], b = w[2])
  fit <- quick_any(turning)
  expect_identical(unname(fit$draws), unname(weights(fit)[, 1:2]))
})

test_that("strata have weights that sum to their sizes, and clusters within them share", {
  strata <- rep(c("a", "b"), c(5, 15))
  cluster <- c(1, 1, 1, 2, 3, rep(4:8, 3))
  for (law in c("exponential", "multinomial", "dirichlet")) {
    fit <- quick_any(strata = strata, weights = law)
    w <- weights(fit)
    expect_equal(rowSums(w[, 1:5]), rep(5, 12))
    expect_equal(rowSums(w[, 6:20]), rep(15, 12))
    expect_identical(fit$draws[3, ], mean_of(unname(w[3, 1:20]), w[[3, "prior"]]))
    joint <- weights(quick_any(strata = strata, weights = law, cluster = cluster))
    expect_equal(rowSums(joint[, 1:5]), rep(5, 12))
    expect_true(all(joint[, 1] == joint[, 2]) && all(joint[, 6] == joint[, 11]))
  }
  # The strata are independent, and the prior weight is that without them.
  expect_identical(w[, "prior"], weights(quick_any(weights = "dirichlet"))[, "prior"])
  expect_lt(abs(cor(weights(quick_any(strata = strata, draws = 2000))[, c(1, 6)])[2]), 5 / sqrt(2000))
  expect_identical(weights(quick_any(strata = strata, case_weights = 1:20))[, 3], 3 * weights(quick_any(strata = strata))[, 3])
  expect_bad(quick_any(strata = 1:3), "strata", "length 20")
  expect_bad(quick_any(strata = strata, cluster = rep(1:10, 2)), "strata", "cluster")
})

# Faults ---------------------------------------------------------------------------

fails <- function(f, says, ...) {
  error <- expect_error(quick_any(f, ...), class = "wbb_error_function")
  expect_s3_class(error, "wbb_error")
  expect_match(conditionMessage(error), says, fixed = TRUE)
}

test_that("what is wrong shows itself with unit weights, and is explained", {
  fails(function(w) NULL, "it returns NULL; let its last line be the numbers")
  fails(function(w) invisible(), "it returns NULL")
  fails(function(w) "a", "it returns \"a\" where numbers are needed")
  fails(function(w) factor("a"), "where numbers are needed")
  fails(function(w) lm(dist ~ speed, cars), "`statistic` can make numbers of it")
  fails(function(w) c(a = 1, b = NA), "`b` is NA")
  fails(function(w) c(a = Inf), "`a` is Inf")
  fails(function(w) numeric(), "no number")
  fails(function(w) stop("100% wrong, %s %d"), "100% wrong, %s %d")
  fails(function() 1, "unused argument")
  fails(function(w) if (length(w) != 50) stop("50 weights are needed"), "20 unit weights")
})

test_that("arguments are checked", {
  expect_bad(wbb(mean_of), "n", "is missing")
  for (n in list(0, -1, 2.5, NA, "a", 1:2)) expect_bad(quick_any(n = n), "n")
  expect_bad(quick_any(statistic = 3), "statistic")
  expect_bad(quick_any(penalties = 0), "penalties")
  expect_bad(quick_any(on_error = "ignore"), "on_error", "ignore")
  expect_bad(quick_any(case_weights = 1), "case_weights")
  expect_bad(quick_any(draws = 0), "draws")
  expect_bad(quick_any(lambda = 3), "lambda")
  expect_bad(wbb(), "object", "is missing")
  expect_bad(wbb(NULL), "object")
  expect_bad(wbb(y ~ x), "object", "Fit the model first")
  expect_bad(wbb(quick_any()), "object", "already")
})

# Fails where the first weight is large: in some draws.
shaky <- function(w) if (w[1] > 1.5) stop("no 100% luck") else c(a = w[1])

test_that("a draw that fails stops the run, is named, and loses no other", {
  bad <- which(weights(quick_any(draws = 30))[, 1] > 1.5)
  error <- expect_error(quick_any(shaky, draws = 30), class = "wbb_error_draw")
  expect_match(conditionMessage(error), paste0("Draw ", bad[1], " failed: no 100% luck."), fixed = TRUE)
  expect_match(conditionMessage(error), "on_error = \"drop\"", fixed = TRUE)
  expect_identical(nrow(error$partial$draws), bad[1] - 1L)
  expect_identical(error$partial, last_wbb())
  expect_output(print(last_wbb()), "Unfinished: 4 of 30 draws|Unfinished: [0-9]+ of 30 draws")
  rest <- suppressWarnings(update(last_wbb(), draws = 30 - bad[1] + 1, first_draw = bad[1], on_error = "drop"))
  dropped <- suppressWarnings(quick_any(shaky, draws = 30, on_error = "drop"))
  expect_identical(any_of(c(error$partial, rest)), any_of(dropped))
  expect_identical(c(error$partial, rest)$faults, dropped$faults)
})

test_that("draws that fail can be dropped, and are counted", {
  expect_warning(fit <- quick_any(shaky, draws = 30, on_error = "drop"), "failed and are left out", class = "wbb_warning_draws")
  bad <- which(weights(fit)[, 1] > 1.5)
  expect_identical(which(fit$diagnostics$status == "failed"), bad)
  expect_identical(fit$faults$draw, as.double(bad))
  expect_identical(unique(fit$faults$message), "no 100% luck")
  expect_identical(nrow(as.matrix(fit)), 30L - length(bad))
  expect_output(print(fit), paste("Left out:", length(bad), "of 30"))
  expect_output(print(summary(fit)), paste(length(bad), "of 30, left out"))
  none <- suppressWarnings(quick_any(function(w) if (any(w != 1)) stop("never") else c(a = 1), on_error = "drop"))
  expect_error(summary(none), "fit$faults", fixed = TRUE, class = "wbb_error_draws")
})

test_that("draws of another shape fail", {
  draw_fails <- function(f, says) {
    error <- expect_error(quick_any(f), class = "wbb_error_draw")
    expect_match(conditionMessage(error), says, fixed = TRUE)
  }
  odd <- function(w) any(w != 1)
  draw_fails(function(w) if (odd(w)) c(a = 1, b = 2) else c(a = 1), "it returns 2 numbers where unit weights gave 1")
  draw_fails(function(w) if (odd(w)) c(b = 1) else c(a = 1), "a number named \"b\", which unit weights did not give")
  draw_fails(function(w) if (odd(w)) c(a = NaN) else c(a = 1), "`a` is NaN")
  draw_fails(function(w) if (odd(w)) NULL else c(a = 1), "it returns NULL")
  draw_fails(function(w) if (odd(w)) "a" else c(a = 1), "where numbers are needed")
  draw_fails(function(w) c(a = if (odd(w)) "a" else 1), "where numbers are needed")
})

test_that("warnings are collected into one, and what is printed is muted", {
  loud <- function(w) {
    print("printed")
    message("said")
    cat("shown\n")
    warning("odd 100%")
    warning(paste("weight", round(w[1], 12)))
    c(a = w[1])
  }
  output <- capture.output(warned <- expect_warning(fit <- quick_any(loud, draws = 200), class = "wbb_warning_draws"))
  expect_identical(output, character())
  expect_match(conditionMessage(warned), "warned 400 times: .*\"odd 100%\" \\(200\\)")
  expect_identical(sum(fit$warnings$count), 400)
  expect_lte(nrow(fit$warnings), 21L)
  expect_identical(sink.number(), 0L)
  expect_no_warning <- function(code) expect_warning(code, NA)
  expect_no_warning(quick_any())
})

test_that("a function that leaves a sink open does not silence the session", {
  sinking <- function(w) {
    sink(nullfile())
    c(a = w[1])
  }
  quick_any(sinking)
  expect_identical(sink.number(), 0L)
})

test_that("a run is stopped at once and keeps its draws", {
  skip_on_cran()
  skip_on_os("windows")
  calls <- 0
  stopping <- function(w) {
    calls <<- calls + 1
    # The mode is the first.
    if (calls == 31) {
      tools::pskill(Sys.getpid(), tools::SIGINT)
      Sys.sleep(5)
    }
    c(a = w[1])
  }
  expect_message(
    tryCatch(quick_any(stopping, draws = 1e4), interrupt = function(e) message("interrupted")),
    "Stopped after 29 of 10,000 draws; last_wbb\\(\\) has them"
  )
  count <- nrow(last_wbb()$draws)
  expect_identical(last_wbb()$draws, quick_any(function(w) c(a = w[1]), draws = count)$draws)
  expect_identical(sink.number(), 0L)
})

# Methods --------------------------------------------------------------------------

test_that("a fit answers the methods of all fits", {
  fit <- quick_any(draws = 40)
  expect_s3_class(fit, c("wbb_any", "wbb"), exact = TRUE)
  expect_identical(dim(vcov(fit)), c(2L, 2L))
  expect_identical(rownames(confint(fit)), c("mean", "prior"))
  expect_identical(names(coef(fit, "median")), c("mean", "prior"))
  expect_identical(nobs(fit), 20)
  expect_identical(dim(as.data.frame(fit)), c(40L, 2L))
  expect_output(print(fit), "bootstrap of a function of the weights")
  expect_output(print(fit), "40, exponential weights, random prior weight")
  expect_output(print(summary(fit)), "P(>0)", fixed = TRUE)
  on_device(expect_type(plot(fit), "list"))
  on_device(plot(fit, "interval"))
  expect_s3_class(compare(a = fit, b = quick_any(draws = 40, seed = 2)), "wbb_comparison")
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(any_of(readRDS(file)), any_of(fit))
  expect_null(quick_any(keep_data = FALSE)$model)
})

test_that("so it does in the formats of others", {
  fit <- quick_any(draws = 40)
  skip_if_not_installed("generics")
  expect_identical(generics::tidy(fit)$term, c("mean", "prior"))
  expect_identical(generics::glance(fit), data.frame(nobs = 20, draws = 40, numbers = 2L, failed = 0L))
  skip_if_not_installed("posterior")
  expect_identical(posterior::ndraws(posterior::as_draws(fit)), 40L)
  skip_if_not_installed("repr")
  expect_match(repr::repr_html(fit), "a function of the weights")
})

test_that("what it cannot answer it refuses, and says where the answer is", {
  fit <- quick_any()
  for (method in list(predict, fitted, residuals, sigma, deviance, df.residual, model.frame, model.matrix, simulate, logLik, family, terms,
    formula)) {
    expect_error(method(fit), class = "wbb_error_argument")
  }
  expect_bad(predict(fit), "object", "predict_at")
  expect_identical(formula(wbb(lm(dist ~ speed, cars), draws = 2)), dist ~ speed, ignore_formula_env = TRUE)
})

test_that("fits of other functions are not joined", {
  expect_bad(c(quick_any(), quick_any(function(w, w0) c(mean = 3, prior = w0 * w[1]), first_draw = 13)), "...", "data")
  expect_bad(c(quick_any(), quick_any(weights = "gamma", first_draw = 13)), "...", "weights")
  expect_bad(c(quick_any(), quick_any(strata = rep(1:2, 10), first_draw = 13)), "...", "strata")
})

# Over workers ---------------------------------------------------------------------

test_that("workers give the same draws, with what the function finds in the workspace", {
  skip_on_cran()
  skip_if_not_installed("future")
  skip_if_not("wbb" %in% rownames(utils::installed.packages()), "wbb is not installed")
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  assign("wbb_test_offset", 100, globalenv())
  on.exit(rm("wbb_test_offset", envir = globalenv()), add = TRUE)
  noisy <- function(w) c(a = sum(w) + wbb_test_offset, b = rnorm(1))
  environment(noisy) <- globalenv()
  here <- quick_any(noisy)
  there <- quick_any(noisy, backend = "future")
  expect_identical(any_of(there), any_of(here))
  expect_identical(there$call$draws, here$call$draws)
  # An error stops it, with what was done; draws that are dropped keep their numbers.
  error <- expect_error(quick_any(shaky, draws = 60, backend = "future"), class = "wbb_error_draw")
  expect_true(is.null(error$partial) || inherits(error$partial, "wbb_any"))
  dropped <- suppressWarnings(quick_any(shaky, draws = 30, on_error = "drop", backend = "future"))
  expect_identical(any_of(dropped), any_of(suppressWarnings(quick_any(shaky, draws = 30, on_error = "drop"))))
})

test_that("models of survival take rows without weight as rows that are left out", {
  skip_if_not_installed("survival")
  data <- transform(survival::lung, own = rep_len(c(1, 2, 0.5), nrow(survival::lung)))
  models <- list(
    survival::coxph(survival::Surv(time, status) ~ age + ph.ecog + survival::strata(sex), data, subset = inst != 3, weights = own),
    survival::survreg(survival::Surv(time, status) ~ age + ph.ecog, data)
  )
  for (model in models) for (law in c("poisson", "multinomial")) {
    fit <- wbb(model, draws = 3, seed = 1, weights = law)
    w <- weights(fit)[, -(1 + nobs(fit))]
    expect_true(any(w == 0))
    for (k in 1:3) {
      left <- w[k, ] > 0
      call <- stats::getCall(model)
      call[c("data", "weights", "subset")] <- list(data[as.integer(colnames(w))[left], ], w[k, left], NULL)
      expect_equal(as.matrix(fit)[k, ], coef(eval(call)), tolerance = 1e-10)
    }
  }
})
