# Stops at random moments of every estimator and stage.

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
  network = function() wbb_mlp(as.matrix(iris[1:4]), iris$Species, lambda = 1e-4, draws = 1e4, epochs = 50, seed = 1),
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
# Real interrupts, from another process: an error, such as R's own time limit raises, would be swallowed wherever code looks for errors, and an interrupt is not.
# How late one is heard is counted in the processor's time, of all threads together, since it was sent: this machine may be busy.
worked <- function(lines = readLines("/proc/self/stat")) sum(as.numeric(strsplit(sub(".*\\) ", "", lines), " ")[[1L]][12:13])) / 100
# system() itself hears none, so that the time begins when it has ended. One that is lost must not make this wait for ever: it is sent
# again, and late.
interrupt_after <- function(seconds, place) {
  begin <- paste0(place, "-begin")
  on.exit(file.create(begin))
  system(sprintf("(until [ -e %1$s ]; do sleep 0.01; done; sleep %2$.3f; cat /proc/%3$d/stat > %4$s; kill -INT %3$d; sleep 60; [ -e %1$s ] && kill -INT %3$d) &",
    begin, seconds, Sys.getpid(), place))
  begin
}
# After this time no more are tried: what was done counts.
begun <- proc.time()[["elapsed"]]
most <- count("minutes")
outcomes <- character()
for (k in seq_len(count("stops"))) {
  if (proc.time()[["elapsed"]] - begun > 60 * most) break
  name <- names(long)[(k - 1L) %% length(long) + 1L]
  place <- tempfile("stop")
  ended <- tryCatch({
    begin <- interrupt_after(stats::runif(1, 0.05, 0.6), place)
    long[[name]]()
    # It ended before.
    Sys.sleep(10)
    "never interrupted"
  }, error = function(e) {
    # Its interrupt is not to be the next one's.
    tryCatch(Sys.sleep(if (file.exists(place)) 0 else 10), interrupt = function(i) NULL)
    paste0(conditionMessage(e), " in ", deparse1(conditionCall(e)))
  }, interrupt = function(i) "interrupt")
  late[k] <- if (file.exists(place)) worked() - worked(readLines(place)) else Inf
  names(late)[k] <- name
  unlink(c(place, begin))
  # R's own after an interrupt of posterior::as_draws_df() of any matrix: a promise of another package stays as if it were at work.
  of_r <- grepl("promise already under evaluation", ended, fixed = TRUE)
  outcomes[k] <- if (of_r || (ended == "interrupt" && late[k] <= 2)) "stopped" else "fault"
  if (of_r) late[k] <- 0
  if (k %% 100L == 0L) cat(k, "stops, latest", format(max(late), digits = 3), "s\n", file = stderr())
  if (outcomes[k] == "fault") fault("stop ", k, " of ", name, " after ", format(late[k]), " s: ", ended)
}
if (length(outcomes) < count("stops")) cat(length(outcomes), "stops in", most, "minutes\n", file = stderr())
# The session is as good as before.
if (length(late) && !identical(as.matrix(do.call(wbb_lasso, c(list(x, y, lambda = 1), few))), as.matrix(fits$lasso))) fault("other draws after the stops")
count_up("stops", outcomes, if (length(late)) max(late) else NA)
if (length(late)) cat("latest stop:", names(which.max(late)), format(max(late), digits = 3), "s\n")
