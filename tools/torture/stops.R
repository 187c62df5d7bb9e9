# Stops at random moments of every estimator and stage. R's own time limit strikes wherever R looks for it, as a press of the stop button does.

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
# R's compiler swallows a time limit that strikes while it works, and the run would go on to its end.
compiled <- compiler::enableJIT(0L)
late <- numeric()
outcomes <- character()
for (k in seq_len(count("stops"))) {
  name <- names(long)[(k - 1L) %% length(long) + 1L]
  after <- stats::runif(1, 0.05, 1)
  began <- proc.time()[["elapsed"]]
  setTimeLimit(elapsed = after, transient = TRUE)
  ended <- tryCatch({
    long[[name]]()
    "value"
  }, error = conditionMessage, interrupt = function(i) "interrupt")
  setTimeLimit()
  late[k] <- proc.time()[["elapsed"]] - began - after
  names(late)[k] <- name
  outcomes[k] <- if (grepl("time limit|value|interrupt", ended) && late[k] <= patience) "stopped" else "fault"
  if (outcomes[k] == "fault") fault("stop ", k, " of ", name, " after ", format(late[k]), " s: ", ended)
}
invisible(compiler::enableJIT(compiled))
# The session is as good as before.
if (length(late) && !identical(as.matrix(do.call(wbb_lasso, c(list(x, y, lambda = 1), few))), as.matrix(fits$lasso))) fault("other draws after the stops")
count_up("stops", outcomes, if (length(late)) max(late) else NA)
if (length(late)) cat("latest stop:", names(which.max(late)), format(max(late), digits = 3), "s\n")
