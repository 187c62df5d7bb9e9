fit <- quick_diabetes()
path <- quick(y ~ ., diabetes, lambda = c(200, 100, 50))

test_that("a fit that was changed is refused with what is wrong", {
  says <- function(bad, what, ...) {
    for (method in list(as.matrix, print, summary, coef, nobs, c, ...)) {
      expect_error(method(bad), what, fixed = TRUE, class = "wbb_error_fit")
    }
  }
  change <- function(fit, ...) {
    fit[...names()] <- list(...)
    fit
  }
  says(change(fit, draws = fit$draws[, -1]), "its `draws` are not 20 by 11 numbers", predict, vcov, confint, plot, weights)
  says(change(fit, draws = fit$draws[-1, ]), "its `draws` are not 20 by 11 numbers", predict, vcov)
  says(change(fit, draws = "a"), "its `draws` are not 20 by 11 numbers", predict)
  says(change(path, draws = path$draws[, , 1]), "its `draws` are not 20 by 11 by 3 numbers")
  says(change(fit, draws = unname(fit$draws)), "its `draws` do not have the names of its coefficients", predict)
  says(change(fit, lambda = "cv"), "its `lambda` is \"cv\"", predict)
  says(change(fit, diagnostics = fit$diagnostics["gap"]), "its `diagnostics` lack `status`", predict)
  says(change(fit, mode = 1), "its `mode` is not of 11 numbers", predict)
  says(change(fit, diagnostics = fit$diagnostics[1:3, ]), "its `diagnostics` are not a data frame of 20 rows", predict, weights)
  for (spec in list(list(), "a", 3, quick_trend()$spec)) {
    bad <- fit
    bad$spec <- spec
    says(bad, "its `spec` lacks", predict, weights)
  }
  says(`[[<-`(fit, "spec", NULL), "it lacks `spec`", predict)
  for (class in c("wbb_trendfilter", "wbb_genlasso", "wbb_bridge", "wbb_mlp")) {
    says(structure(fit, class = c(class, "wbb")), paste0("its class is \"", class, "\" and its content that of \"wbb_lasso\""))
  }
  trend <- quick_trend()
  trend$knots <- NULL
  says(trend, "it lacks `knots`", predict, stats::knots)
  network <- quick_mlp(draws = 3)
  network$draws <- network$draws[1:2]
  expect_error(predict(network), "its `draws` are not a list of length 3", class = "wbb_error_fit")
  expect_error(summary(network), class = "wbb_error_fit")
  # Data may be thrown away.
  slim <- fit
  slim[c("y", "x", "model")] <- NULL
  expect_identical(summary(slim)$table, summary(fit)$table)
})


test_that("what is wrong with the rows is said", {
  says <- function(bad, what) expect_error(residuals(bad), what, fixed = TRUE, class = "wbb_error_fit")
  change <- function(...) {
    fit[...names()] <- list(...)
    fit
  }
  says(change(y = fit$y[1:3]), "its `y` is not of 442 numbers")
  says(change(y = as.character(fit$y)), "its `y` is not of 442 numbers")
  says(change(fitted = fit$fitted[-1]), "its `fitted` are not 442 numbers")
  says(change(model = fit$model[1:3, ]), "its `model` is not that of its `terms`")
  says(change(terms = terms(y ~ other)), "its `model` is not that of its `terms`")
  says(change(terms = 3), "its `terms` are 3")
  says(change(lambda = NA_real_), "its `lambda` is NA")
  says(change(cv = 3), "its `cv` has no curve")
  says(replace(fit, "terms", list(NULL)), "it lacks `terms`")
  expect_error(coef(structure(3, class = class(fit))), class = "wbb_error_version")
  expect_error(predict(structure(fit, class = "wbb")), "its class is \"wbb\"", class = "wbb_error_fit")
})

test_that("no change makes a method fail with an error of R's, or answer nothing", {
  skip_on_cran()
  d <- diabetes[1:40, c("bmi", "map", "y")]
  d$g <- factor(rep(c("a", "b"), 20))
  quiet <- function(expr) suppressMessages(suppressWarnings(expr))
  fits <- quiet(list(
    path = quick(y ~ bmi + g, d, lambda = c(50, 5)), classes = quick(cut(y, 3) ~ bmi, d, family = "multinomial"),
    trend = wbb_trendfilter(y ~ bmi, d, lambda = 5, draws = 9, seed = 1), general = wbb_genlasso(d$y, as.matrix(d[1:2]), diag(2), lambda = 5, draws = 9, seed = 1),
    network = wbb_mlp(y ~ bmi, d, hidden = 2, draws = 3, lambda = 1e-4, epochs = 3, seed = 1), bridge = bayes_bridge(y ~ bmi, d, draws = 20, burn = 10, chains = 2, seed = 1)
  ))
  part <- function(name, value) function(fit) replace(fit, name, list(value))
  within <- function(name, inner, value) function(fit) {
    fit[[name]][inner] <- list(value)
    fit
  }
  column <- function(name, inner, value) function(fit) {
    if (is.data.frame(fit[[name]])) fit[[name]][[inner]] <- if (is.null(value)) NULL else rep(value, nrow(fit[[name]]))
    fit
  }
  first <- function(name, count) function(fit) replace(fit, name, list(utils::head(fit[[name]], count)))
  changes <- c(
    lapply(stats::setNames(nm = c("draws", "diagnostics", "spec", "lambda", "mode", "fitted", "y", "terms", "model", "call", "levels", "points",
      "knots", "formula", "seconds", "mode_diagnostics", "xlevels")), part, value = NULL),
    lapply(c(a = "draws", b = "diagnostics", c = "lambda", d = "mode", e = "fitted", f = "y", g = "terms", h = "model", i = "levels", j = "points",
      k = "knots", l = "cv", m = "x", n = "mode_diagnostics", o = "na.action", w = "mcmc", N = "curves"), part, value = "other"),
    lapply(c(x = "lambda_from", y = "mcmc", z = "points", O = "curves"), part, value = c(NA, 2)), K = column("mcmc", "ess", "a"),
    L = function(fit) replace(fit, "points", list(rev(fit$points))), P = part("curves", globalenv()), Q = first("curves", 1L),
    lapply(c(V = "test", W = "test"), part, value = 3), X = within("spec", "center", "a"), Y = within("spec", "classes", list(1)),
    S = part("time", data.frame(a = 1:3)), T = within("spec", "family", c("a", "b")), U = within("spec", "prior_weight", c("coef", "a")),
    R = function(fit) replace(fit, "curves", list(NA_real_ * fit$curves)), M = function(fit) replace(fit, "points", list(NA * fit$points)),
    lapply(c(p = "draws", q = "diagnostics", r = "mode", s = "fitted", t = "y", u = "model", v = "points"), first, count = 2L),
    lapply(c(A = "n", B = "names", C = "segments", D = "intercept", E = "family", F = "classes"), within, name = "spec", value = 3),
    G = column("diagnostics", "sigma", "a"), H = column("diagnostics", "status", NULL), I = column("mode_diagnostics", "sigma", NULL),
    J = column("diagnostics", "status", "other")
  )
  methods <- list(
    function(fit) utils::capture.output(print(fit)), function(fit) utils::capture.output(print(summary(fit))), coef,
    function(fit) coef(fit, "mean"), vcov, confint, predict, function(fit) predict(fit, type = "draws"), function(fit) predict(fit, d[1:2, ]),
    fitted, residuals, sigma, deviance, df.residual, simulate, weights, nobs, formula, model.frame, model.matrix, as.matrix, as.data.frame, head,
    c, function(fit) on_device(plot(fit)), generics::tidy, generics::glance, generics::augment
  )
  answers <- character()
  for (kind in names(fits)) for (change in names(changes)) {
    changed <- tryCatch(changes[[change]](fits[[kind]]), error = function(e) NULL)
    if (is.null(changed)) next
    for (i in seq_along(methods)) {
      answer <- tryCatch(if (length(quiet(methods[[i]](changed)))) "" else "nothing", wbb_error = function(e) "", error = conditionMessage)
      if (nzchar(answer)) answers <- c(answers, paste(kind, change, i, answer))
    }
  }
  expect_identical(answers, character())
})

test_that("parts that methods use without a look are of their kinds", {
  network <- quick_mlp(draws = 3)
  model <- suppressMessages(wbb(lm(dist ~ speed, cars), draws = 3, seed = 1))
  chosen <- quick(y ~ ., diabetes, lambda = "cv", nfolds = 3, nlambda = 5)
  changed <- function(fit, path, value) {
    fit[[path]] <- value
    fit
  }
  expect_error(weights(changed(model, c("spec", "strata"), list(1, "a"))), "the `strata` of its `spec`", class = "wbb_error_fit")
  expect_error(weights(changed(model, c("spec", "strata"), 1:3)), "the `strata` of its `spec` are not 50", class = "wbb_error_fit")
  expect_error(print(changed(chosen, c("spec", "weights"), "exponential")), "the `weights` of its `spec`", class = "wbb_error_fit")
  # Not all estimators have a measure of cross-validation to choose.
  trend <- wbb_trendfilter(cars$dist, order = 0, nfolds = 3, draws = 3, seed = 1)
  expect_null(fit_fault(trend))
  expect_error(print(changed(trend, c("cv", "nfolds"), "a")), "its `cv` does not say", class = "wbb_error_fit")
  expect_error(print(changed(chosen, c("cv", "rule"), sum)), "its `cv` does not say", class = "wbb_error_fit")
  for (init in list("other", c("trained", "shared"), 3)) {
    expect_error(print(changed(network, c("spec", "init"), init)), "the `init` of its `spec`", class = "wbb_error_fit")
  }
  expect_error(coef(changed(network, c("spec", "columns"), letters)), "does not name its", class = "wbb_error_fit")
  expect_error(summary(changed(network, "call", 3)), "its `call` is 3", class = "wbb_error_fit")
  expect_error(plot(changed(chosen, "y", rep(NA_real_, 442))), "its `y` is not of", class = "wbb_error_fit")
  expect_error(print(changed(chosen, c("spec", "classes"), NA_real_)), "the `classes` of its `spec`", class = "wbb_error_fit")
  expect_error(predict(changed(chosen, "xlevels", list(gamma = "a")), diabetes[1:2, ]), "its `xlevels`", class = "wbb_error_fit")
  expect_error(predict(changed(chosen, "xlevels", "a"), diabetes[1:2, ]), "its `xlevels`", class = "wbb_error_fit")
  expect_error(as.matrix(changed(network, c("spec", "hidden"), 7)), "networks of another size", class = "wbb_error_fit")
  coded <- quick(data.frame(g = rep(c("a", "b"), 10), v = 1:20), sqrt(1:20))
  expect_null(fit_fault(coded))
  for (coding in list(structure(list(), names = character()), coded$coding["v"])) {
    expect_error(predict(changed(coded, "coding", coding), data.frame(g = "a", v = 1)), "its `coding`", class = "wbb_error_fit")
  }
  expect_error(print(changed(trend, "coding", list(g = NULL, v = matrix(1)))), "its `coding`", class = "wbb_error_fit")
  expect_error(print(changed(chosen, c("spec", "prior_weight"), "none")), "the `prior_weight` of its `spec`", class = "wbb_error_fit")
  for (threads in list(1e6, 0, "2", c(1, 2))) {
    expect_error(predict(changed(chosen, c("spec", "threads"), threads), diabetes[1:2, ]), "the `threads` of its `spec`", class = "wbb_error_fit")
  }
})
