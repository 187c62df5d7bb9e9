# Memory: R's garbage collector at every turn, and valgrind, on a fit of each kind, in processes of their own.

kinds <- c(
  lasso = "wbb_lasso(x, y, lambda = 1, draws = 3, seed = 1, threads = 1)", cv = "wbb_lasso(x, y, nfolds = 3, nlambda = 4, draws = 2, seed = 1, threads = 1)",
  binomial = "wbb_lasso(x, yes, family = 'binomial', lambda = 1, draws = 3, seed = 1, threads = 1)",
  multinomial = "wbb_lasso(x, f, family = 'multinomial', lambda = 1, draws = 3, seed = 1, threads = 1)",
  cox = "wbb_lasso(x, cbind(time = abs(y) + 0.1, status = yes), family = 'cox', lambda = 1, draws = 3, seed = 1, threads = 1)",
  trend = "wbb_trendfilter(y, order = 1, lambda = 1, draws = 3, seed = 1, threads = 1)",
  genlasso = "wbb_genlasso(y, D = diff(diag(15)), lambda = 1, draws = 3, seed = 1, threads = 1)",
  network = "wbb_mlp(x, f, hidden = 2, lambda = 1e-4, epochs = 2, draws = 2, seed = 1, threads = 1)",
  bridge = "suppressWarnings(bayes_bridge(x, y, draws = 10, burn = 5, chains = 1, seed = 1, threads = 1))",
  model = "wbb(stats::lm(y ~ x), statistic = function(m) stats::coef(m), draws = 2, seed = 1, threads = 1)",
  sums = "wbb_moments(y ~ a, wbb_source(data.frame(a = x[, 1], y = y)), draws = 2, seed = 1, threads = 1)",
  calibrate = "calibrate(wbb_lasso(x, y, lambda = 1, draws = 3, seed = 1, threads = 1), 2, draws = 3, seed = 1, threads = 1)",
  weights = "weights(wbb_lasso(x, y, lambda = 1, draws = 3, seed = 1, threads = 1))", idx = "read_idx(idx)"
)
setup <- c("library(wbb)", "set.seed(1); x <- matrix(rnorm(60), 15, dimnames = list(NULL, letters[1:4])); y <- drop(x[, 1] - x[, 2] + rnorm(15))",
  "yes <- rep(c(0, 1, 1), 5); f <- gl(3, 5); idx <- tempfile(); writeBin(as.raw(c(0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1:8)), idx)",
  # What tells apart: the numbers, not the seconds.
  "numbers <- function(v) if (is.list(v)) v[intersect(names(v), c('draws', 'mode', 'diagnostics', 'sums', 'table'))] else v")

# A collection before every allocation in what Rust does, and before every thousandth in the rest, where R's own code would take hours: what Rust
# holds of R without protection would be gone, and the numbers others.
outcomes <- character()
if (count("collections") > 0L) {
  tortured <- c(
    # What R compiles meanwhile would take minutes.
    "invisible(compiler::enableJIT(0)); rest <- 0; space <- asNamespace('wbb')",
    "for (name in ls(space, pattern = '^rust_')) local({ inner <- get(name, space); unlockBinding(name, space)",
    "  assign(name, function(...) { list(...); gctorture2(1); on.exit(gctorture2(rest)); inner(...) }, space) })"
  )
  for (kind in names(kinds)) {
    said <- in_process(c(setup, tortured, sprintf(
      "{ plain <- %1$s; rest <- 997; gctorture2(rest); again <- tryCatch(%1$s, error = conditionMessage); rest <- 0; gctorture2(0); cat('\\nSAME', identical(numbers(plain), numbers(again)), '\\n') }",
      kinds[[kind]])))
    same <- any(grepl("^SAME TRUE", said))
    outcomes[kind] <- if (same) "value" else "fault"
    if (!same) fault("gctorture, ", kind, ": ", paste(utils::tail(said, 2L), collapse = " "))
  }
}
count_up("fits under gctorture", outcomes)

# Reads and writes outside of memory, what is used before it is set, and what is lost: blocks with our library in their history.
outcomes <- character()
if (count("valgrind") > 0L && nzchar(Sys.which("valgrind"))) {
  log <- tempfile()
  code <- c(setup, sprintf("{ invisible(%s); cat('\\nKIND %s\\n') }", kinds, names(kinds)))
  said <- in_process(code, with = c("-d", shQuote(paste0("valgrind --leak-check=full --show-leak-kinds=definite --num-callers=30 --log-file=", log))), seconds = 3000)
  missed <- setdiff(names(kinds), sub("^KIND ", "", grep("^KIND", said, value = TRUE)))
  for (kind in missed) fault("valgrind did not come to ", kind, ": ", paste(utils::tail(said, 2L), collapse = " "))
  outcomes <- ifelse(names(kinds) %in% missed, "fault", "value")
  # Messages are blocks of lines, apart by empty ones.
  lines <- sub("^==[0-9]+== ?", "", readLines(log))
  blocks <- split(lines, cumsum(!nzchar(lines)))
  ours <- Filter(function(block) any(grepl("wbb[.]so", block)) && any(grepl("Invalid|uninitialised|definitely lost|overlap", block)), blocks)
  for (block in ours) fault("valgrind: ", paste(trimws(utils::head(block[nzchar(block)], 6L)), collapse = "; "))
}
count_up("fits under valgrind", outcomes)
