# Tries to break the package: calls with wrong values of every kind, stops at random moments, saved fits and files with
# wrong bytes, forks, and threads and memory that the system refuses. What is found goes to standard output, a line a
# fault, and with `report=` into a table. Any crash, hang or silent NaN fails; so do errors that have no class.
#   Rscript tools/torture.R calls=20000 stops=1000 bytes=5000 forks=50 seed=1 report=bench/robustness.md
library(wbb)

asked <- list(calls = "300", stops = "20", bytes = "150", forks = "2", limits = "1", seed = "1", report = "")
for (given in strsplit(commandArgs(TRUE), "=", fixed = TRUE)) {
  if (!given[1] %in% names(asked)) stop("unknown setting ", given[1])
  asked[[given[1]]] <- given[2]
}
count <- function(name) as.integer(asked[[name]])
set.seed(count("seed"))
options(wbb.threads = 2L, warn = -1L)
# A call that takes longer than this hangs.
patience <- 20
faults <- character()
tally <- list()
fault <- function(...) {
  faults <<- c(faults, paste0(...))
  cat("FAULT ", ..., "\n", sep = "")
}

# The outcome of code: "value", "refused" (an error with a class of ours), or a fault.
try_out <- function(code, what) {
  began <- proc.time()[["elapsed"]]
  setTimeLimit(elapsed = patience, transient = TRUE)
  on.exit(setTimeLimit())
  value <- NULL
  outcome <- tryCatch({
    utils::capture.output(value <- force(code))
    "value"
  }, wbb_error = function(e) "refused", error = function(e) {
    if (proc.time()[["elapsed"]] - began >= patience) return("hang")
    paste("unclassed:", conditionMessage(e))
  })
  if (!outcome %in% c("value", "refused")) fault(what, ": ", outcome)
  if (outcome == "value" && has_nan(value)) fault(what, ": NaN in silence")
  if (outcome %in% c("value", "refused")) outcome else "fault"
}

# In the draws and the mode of a fit: what comes from the user's own NaN is refused before.
has_nan <- function(value) {
  inherits(value, "wbb") && is.numeric(value$draws) && (anyNA(value$draws) || anyNA(value$mode))
}

# Calls --------------------------------------------------------------------------------

x <- matrix(rnorm(60), 15, dimnames = list(NULL, letters[1:4]))
y <- drop(x[, 1] - x[, 2] + rnorm(15))
data <- data.frame(x, y = y, f = gl(3, 5))
few <- list(draws = 4, seed = 1, threads = 1)
fits <- list(
  lasso = do.call(wbb_lasso, c(list(x, y, lambda = 1), few)), formula = do.call(wbb_lasso, c(list(y ~ a + f, data, nfolds = 3, nlambda = 5), few)),
  path = do.call(wbb_lasso, c(list(x, y, lambda = c(1, 2)), few)), trend = do.call(wbb_trendfilter, c(list(y, order = 1, lambda = 1), few)),
  genlasso = do.call(wbb_genlasso, c(list(y, D = diff(diag(15)), lambda = 1), few)),
  network = do.call(wbb_mlp, c(list(x, gl(3, 5), hidden = 2, epochs = 2), few)),
  bridge = bayes_bridge(x, y, draws = 20, burn = 5, chains = 2, seed = 1, threads = 1)
)
fits$calibration <- calibrate(fits$lasso, 4, seed = 1, threads = 1)
fits$comparison <- compare(fits$lasso, fits$formula)

wrong <- list(
  NULL, NA, NaN, Inf, -Inf, -1, 0, 0.5, 1e300, -1e300, 1e-320, .Machine$integer.max, 2^53, 3L, TRUE, FALSE, "", "a", "cv", "%s%n", "\u00e9", NA_character_,
  character(), numeric(), list(), list(1, "a"), c(1, NA), c(1, Inf), 1:3, -(1:15), rep(NA_real_, 15), rep(0, 15), letters, factor("a"), gl(3, 5), as.Date("2020-01-01"),
  1i, raw(3), quote(x), quote(x + y), y ~ x, ~1, function(x) x, sum, new.env(), globalenv(), matrix(0, 0, 3), matrix(0, 3, 0), matrix(NA_real_, 15, 4), matrix("a", 15, 4),
  diag(3), array(1, c(2, 2, 2)), data.frame(), data.frame(a = 1:15), data, Matrix::Matrix(0, 15, 4), Matrix::Diagonal(4), structure(1, class = "odd"),
  structure(list(), class = "wbb"), structure(list(), class = c("wbb_lasso", "wbb")), weight_law("gamma", 2), tempdir(), "/no/such/file", stdin
)
wrong <- c(wrong, unname(fits))
# Not those that would run for long or write files; `calibration()` and others are reached through their generics.
plain <- list(
  wbb_lasso = list(x = x, y = y, lambda = 1, draws = 3, seed = 1, threads = 1), wbb_trendfilter = list(y = y, order = 1, lambda = 1, draws = 3, seed = 1, threads = 1),
  wbb_genlasso = list(y = y, D = diff(diag(15)), lambda = 1, draws = 3, seed = 1, threads = 1),
  wbb_mlp = list(x = x, y = gl(3, 5), hidden = 2, epochs = 1, draws = 2, seed = 1, threads = 1),
  bayes_bridge = list(x = x, y = y, draws = 5, burn = 2, chains = 1, seed = 1, threads = 1),
  marginal_likelihood = list(x = x, y = y, lambda = 1, draws = 200, burn = 5, seed = 1, threads = 1),
  laplace_posterior_mean = list(y = 1, lambda = 1), laplace_wbb_mean = list(y = 1, lambda = 1), weight_law = list(name = "gamma", parameter = 2),
  calibrate = list(fit = fits$lasso, replicates = 2, draws = 3, seed = 1, threads = 1), compare = list(fits$lasso, fits$trend)
)
verbs <- c("print", "summary", "coef", "vcov", "confint", "predict", "fitted", "residuals", "plot", "as.matrix", "as.data.frame", "weights", "nobs",
  "formula", "simulate", "sigma", "logLik", "model.matrix", "model.frame", "variable.names", "c")
verb_arguments <- c("level", "lambda", "type", "parm", "newdata", "interval", "estimate", "pars", "nsim", "seed", "probs", "digits", "col", "main", "narrow")

answers <- function(verb, fit) any(vapply(class(fit), function(class) is.function(utils::getS3method(verb, class, TRUE, asNamespace("wbb"))), NA))

random_call <- function() {
  pick <- function(from) from[[sample.int(length(from), 1L)]]
  if (stats::runif(1) < 0.5) {
    name <- pick(names(plain))
    arguments <- plain[[name]]
    known <- union(names(arguments), names(formals(utils::getS3method(name, "default", TRUE, asNamespace("wbb")))))
    known <- setdiff(known, c("", "...", "progress", "backend", "threads"))
    for (argument in sample(known, min(length(known), sample.int(2L, 1L)))) arguments[argument] <- list(pick(wrong))
    # A count that is valid and large would only take long.
    for (long in intersect(names(arguments), c("draws", "epochs", "burn", "replicates", "chains", "hidden", "nlambda", "nfolds", "max_iterations"))) {
      value <- arguments[[long]]
      if (is.numeric(value) && length(value) >= 1L && any(is.finite(value) & value > 50)) arguments[[long]] <- 3
    }
  } else {
    fit <- pick(fits)
    name <- pick(Filter(function(verb) answers(verb, fit), verbs))
    arguments <- list(fit)
    for (argument in sample(verb_arguments, sample.int(2L, 1L))) arguments[argument] <- list(pick(wrong))
  }
  list(name = name, arguments = arguments)
}

grDevices::pdf(NULL)
outcomes <- character()
for (k in seq_len(count("calls"))) {
  call <- random_call()
  what <- paste0("call ", k, ", ", call$name, "(", paste(names(call$arguments), collapse = ", "), ")")
  state <- .Random.seed
  outcomes[k] <- try_out(do.call(call$name, call$arguments, quote = TRUE), what)
  .Random.seed <<- state
  sample.int(2L, 1L)
}
tally$calls <- c(tried = length(outcomes), refused = sum(outcomes == "refused"), faults = sum(outcomes == "fault"), worst = NA)

# Stops --------------------------------------------------------------------------------

long <- list(
  lasso = function() wbb_lasso(y ~ ., diabetes, draws = 1e6, seed = 1), cv = function() wbb_lasso(matrix(rnorm(4e5), 200), rnorm(200), seed = 1),
  trend = function() wbb_trendfilter(cumsum(rnorm(5000)), order = 2, lambda = 100, draws = 1e4, seed = 1),
  genlasso = function() wbb_genlasso(rnorm(400), D = diff(diag(400)), lambda = 1, draws = 1e5, seed = 1),
  network = function() wbb_mlp(as.matrix(iris[1:4]), iris$Species, draws = 1e4, epochs = 50, seed = 1),
  bridge = function() bayes_bridge(y ~ ., diabetes, draws = 1e6, seed = 1),
  marglik = function() wbb_lasso(y ~ ., diabetes, lambda = "marglik", seed = 1),
  calibrate = function() calibrate(wbb_lasso(y ~ ., diabetes, draws = 500, lambda = 100, seed = 1), 5000, seed = 1)
)
late <- numeric()
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
  if (!grepl("time limit|value|interrupt", ended)) fault("stop ", k, " of ", name, ": ", ended)
}
tally$stops <- c(tried = length(late), refused = NA, faults = sum(late > 2), worst = if (length(late)) max(late) else NA)
if (length(late)) cat("latest stop:", names(which.max(late)), format(max(late), digits = 3), "s\n")

# Wrong bytes --------------------------------------------------------------------------

outcomes <- character()
shorter <- function(bytes) utils::head(bytes, sample.int(length(bytes), 1L))
mutilated <- function(bytes) {
  if (stats::runif(1) < 0.1) return(shorter(bytes))
  at <- sample.int(length(bytes), min(length(bytes), sample.int(4L, 1L)))
  bytes[at] <- as.raw(sample(0:255, length(at), TRUE))
  bytes
}
header <- as.raw(c(0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2))
for (k in seq_len(count("bytes"))) {
  outcomes[k] <- if (k %% 2L) {
    file <- tempfile()
    writeBin(mutilated(c(header, as.raw(1:8))), file)
    try_out(read_idx(file), paste0("file ", k))
  } else {
    changed <- fits$network
    networks <- changed$draws
    at <- sample.int(length(networks), 1L)
    if (is.raw(networks[[at]])) changed$draws[[at]] <- mutilated(networks[[at]])
    try_out(predict(changed, x), paste0("network ", k))
  }
}
tally$bytes <- c(tried = length(outcomes), refused = sum(outcomes == "refused"), faults = sum(outcomes == "fault"), worst = NA)

# Forks, and what the system refuses -----------------------------------------------------

same <- as.matrix(fits$lasso)
forked <- 0L
for (k in seq_len(count("forks"))) {
  draws <- parallel::mclapply(1:2, function(i) as.matrix(do.call(wbb_lasso, c(list(x, y, lambda = 1), few))), mc.cores = 2L)
  if (!all(vapply(draws, identical, NA, same))) fault("fork ", k, " gives other draws")
  forked <- forked + 2L
}
tally$forks <- c(tried = forked, refused = NA, faults = 0, worst = NA)

if (count("limits") > 0) {
  script <- tempfile(fileext = ".R")
  writeLines(c(
    sprintf(".libPaths(%s)", deparse1(.libPaths())), "library(wbb)",
    "ended <- tryCatch({ wbb_lasso(matrix(rnorm(2e6), 1e4), rnorm(1e4), lambda = 1, draws = 50, seed = 1, threads = 64); 'value' },",
    "  wbb_error = function(e) 'refused', error = function(e) paste('unclassed:', conditionMessage(e)))", "cat(ended)"
  ), script)
  # Threads that cannot start, and memory that is not there: R itself may say so, but nothing may crash.
  for (limit in c("ulimit -v 900000", "ulimit -v 1500000")) {
    said <- suppressWarnings(system2("bash", c("-c", shQuote(paste(limit, "; timeout 120", file.path(R.home("bin"), "Rscript"), script))), stdout = TRUE, stderr = TRUE))
    ended <- utils::tail(said, 1L)
    if (!length(ended) || !grepl("value|refused|cannot allocate|memory", ended)) fault(limit, ": ", paste(utils::tail(said, 2L), collapse = " "))
  }
  tally$limits <- c(tried = 2, refused = NA, faults = NA, worst = NA)
}

# The report -----------------------------------------------------------------------------

table <- do.call(rbind, tally)
print(table, na.print = "")
if (nzchar(asked$report)) {
  rows <- apply(table, 1L, function(row) paste(ifelse(is.na(row), "", format(row, digits = 3, trim = TRUE)), collapse = " | "))
  writeLines(c(
    "# Robustness", "", "Made by `make torture`; see tools/torture.R for what is tried.", "",
    paste0("wbb ", utils::packageVersion("wbb"), ", ", R.version.string, ", seed ", asked$seed, "."), "",
    "| what | tried | refused with a class | faults | worst latency of a stop, s |", "|---|---|---|---|---|",
    paste("|", rownames(table), "|", rows, "|"), "", if (length(faults)) c("Faults:", "", paste("-", unique(faults)))
  ), asked$report)
}
if (length(faults)) {
  cat(length(faults), "faults\n")
  quit(status = 1L)
}
cat("nothing broke\n")
