# Stops at random moments of every estimator and stage. R's own time limit strikes wherever R looks for it, as a press of the stop button does. It is one of
# the processor's time, of all threads together: what is late by it is late on a machine that does nothing else, and this one may be busy.

long <- list(
  lasso = function() wbb_lasso(y ~ ., diabetes, draws = 1e6, seed = 1), cv = function() wbb_lasso(matrix(rnorm(4e5), 200), rnorm(200), seed = 1),
  refit = function() wbb_lasso(y ~ ., diabetes, lambda = 50, refit = TRUE, draws = 1e6, seed = 1),
  path = function() wbb_lasso(y ~ ., diabetes, lambda = 1:20, draws = 1e5, seed = 1),
  binomial = function() wbb_lasso(I(y > 140) ~ ., diabetes, family = "binomial", draws = 1e6, seed = 1),
  poisson = function() wbb_lasso(round(y / 30) ~ ., diabetes, family = "poisson", lambda = 5, draws = 1e6, seed = 1),
  multinomial = function() wbb_lasso(Species ~ ., iris, family = "multinomial", draws = 1e5, seed = 1),
  cox = function() wbb_lasso(survival::Surv(y, rep(0:1, 221)) ~ ., diabetes, family = "cox", lambda = 5, draws = 1e5, seed = 1),
  trend = function() wbb_trendfilter(cumsum(rnorm(5000)), order = 2, lambda = 100, draws = 1e4, seed = 1),
  trend_cv = function() wbb_trendfilter(cumsum(rnorm(2000)), order = 2, draws = 1e4, seed = 1),
  genlasso = function() wbb_genlasso(rnorm(400), D = diff(diag(400)), lambda = 1, draws = 1e5, seed = 1),
  network = function() wbb_mlp(as.matrix(iris[1:4]), iris$Species, draws = 1e4, epochs = 50, seed = 1),
  network_cv = function() wbb_mlp(as.matrix(iris[1:4]), iris$Species, lambda = "cv", draws = 1e3, epochs = 200, seed = 1),
  bridge = function() bayes_bridge(y ~ ., diabetes, draws = 1e6, seed = 1),
  marglik = function() wbb_lasso(y ~ ., diabetes, lambda = "marglik", draws = 1e6, seed = 1),
  calibrate = function() calibrate(wbb_lasso(y ~ ., diabetes, draws = 500, lambda = 100, seed = 1), 5000, seed = 1),
  model = function() wbb(stats::lm(y ~ ., diabetes), statistic = function(model) stats::median(stats::residuals(model)), draws = 1e6, seed = 1),
  fast_model = function() wbb(stats::glm(I(y > 140) ~ ., stats::binomial(), diabetes), draws = 1e6, seed = 1),
  sums = function() wbb_moments(y ~ ., wbb_source(diabetes[rep(1:442, 200), ]), draws = 1000, seed = 1)
)
# What is asked of fits; each goes on until it is stopped.
if (count("stops") > length(long)) {
  large <- wbb_lasso(y ~ ., diabetes, lambda = 20, draws = 2e5, seed = 1)
  wide <- wbb_lasso(matrix(rnorm(6e4), 20), rnorm(20), lambda = 1, draws = 500, seed = 1)
  rows <- matrix(rnorm(2e5), 2e4)
  tall <- wbb_lasso(rows, rnorm(2e4), lambda = 1, draws = 500, seed = 1)
  lived <- wbb_lasso(matrix(rnorm(3e4), 3000), survival::Surv(rexp(3000), rep(0:1, 1500)), family = "cox", lambda = 5, draws = 100, seed = 1)
  shapes <- lapply(1:4, function(seed) wbb_lasso(y ~ ., diabetes, lambda = 20, draws = 5e4, seed = seed))
  asks <- list(
    summary = function() lapply(list(large, wide), summary), confint = function() confint(wide), tidy = function() generics::tidy(wide), weights = function() weights(tall),
    predict = function() predict(tall, rows, interval = "prediction"), predict_draws = function() predict(large, diabetes[1:20, ], type = "draws"), simulate = function() rstantools::posterior_predict(tall),
    log_lik = function() rstantools::log_lik(tall), as_draws = function() posterior::as_draws_df(large), compare = function() compare(large, shapes[[1L]]), join = function() do.call(c, shapes),
    survival_curve = function() survival_curve(lived, matrix(rnorm(100), 10)), plot = function() plot(large), vcov = function() vcov(large)
  )
  long <- c(long, lapply(asks, function(ask) function() repeat ask()))
}
# R's compiler swallows a time limit that strikes while it works, and the run would go on to its end.
compiled <- compiler::enableJIT(0L)
worked <- function() sum(proc.time()[c("user.self", "sys.self")])
outcomes <- character()
for (k in seq_len(count("stops"))) {
  name <- names(long)[(k - 1L) %% length(long) + 1L]
  after <- stats::runif(1, 0.05, 0.6)
  began <- worked()
  setTimeLimit(cpu = after, elapsed = 10 * patience, transient = TRUE)
  ended <- tryCatch({
    long[[name]]()
    "value"
  }, error = conditionMessage, interrupt = function(i) "interrupt")
  setTimeLimit()
  late[k] <- worked() - began - after
  names(late)[k] <- name
  outcomes[k] <- if (grepl("CPU time limit|value|interrupt", ended) && late[k] <= 2) "stopped" else "fault"
  if (k %% 100L == 0L) cat(k, "stops, latest", format(max(late), digits = 3), "s\n", file = stderr())
  if (outcomes[k] == "fault") fault("stop ", k, " of ", name, " after ", format(late[k]), " s: ", ended)
}
invisible(compiler::enableJIT(compiled))
# The session is as good as before.
if (length(late) && !identical(as.matrix(do.call(wbb_lasso, c(list(x, y, lambda = 1), few))), as.matrix(fits$lasso))) fault("other draws after the stops")
count_up("stops", outcomes, if (length(late)) max(late) else NA)
if (length(late)) cat("latest stop:", names(which.max(late)), format(max(late), digits = 3), "s\n")
