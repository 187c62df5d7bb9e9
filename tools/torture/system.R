# Forks, and what the system refuses.

same <- as.matrix(fits$lasso)
outcomes <- character()
for (k in seq_len(count("forks"))) {
  draws <- parallel::mclapply(1:2, function(i) as.matrix(do.call(wbb_lasso, c(list(x, y, lambda = 1), few))), mc.cores = 2L)
  alike <- vapply(draws, identical, NA, same)
  if (!all(alike)) fault("fork ", k, " gives other draws")
  outcomes <- c(outcomes, ifelse(alike, "value", "fault"))
}
count_up("forks", outcomes)

# Threads that cannot start, and memory that is not there: an error of ours, or of R itself, but nothing may crash. The number of processes is
# not limited for root, who becomes somebody else.
outcomes <- character()
if (count("limits") > 0L) {
  hungry <- c(
    lasso = "wbb_lasso(matrix(rnorm(2e6), 1e4), rnorm(1e4), lambda = 1, draws = 50, seed = 1, threads = 64)",
    cv = "wbb_lasso(matrix(rnorm(1e6), 500), rnorm(500), draws = 20, seed = 1, threads = 8)",
    trend = "wbb_trendfilter(rnorm(1e5), order = 1, lambda = 10, draws = 100, seed = 1, threads = 8)",
    network = "wbb_mlp(matrix(rnorm(5e5), 5e3), gl(5, 1000), hidden = c(200, 200), lambda = 1e-4, draws = 8, epochs = 1, seed = 1, threads = 8)",
    bridge = "bayes_bridge(matrix(rnorm(1e6), 1e3), rnorm(1e3), draws = 20, burn = 5, chains = 4, seed = 1, threads = 8)"
  )
  root <- identical(unname(Sys.info()["effective_user"]), "root") && nzchar(Sys.which("setpriv"))
  limits <- c(paste0("ulimit -v ", c(250, 300, 350, 400, 500, 700, 1000, 3000), "000;"), if (root) "ulimit -u 3; setpriv --reuid 65534 --regid 65534 --clear-groups" else "ulimit -u 40;")
  # One kind alone is for the short form.
  kinds_asked <- utils::head(names(hungry), count("limits"))
  if (length(kinds_asked) == 1L) limits <- limits[c(2L, 5L, 8L, 9L)]
  # R's own words where it has no memory itself: it cannot load a library, read a function or make a vector.
  of_r <- "cannot allocate|memory exhausted|failed to map segment|lazy-load database|Resource temporarily unavailable|unable to start|cannot open|allocMatrix|could not find function|stack usage|C stack"
  for (kind in kinds_asked) for (limit in limits) {
    fit <- c("library(wbb)", paste0("ended <- tryCatch({ ", hungry[kind], "; 'value' },"),
      "  wbb_error = function(e) 'refused', error = function(e) paste('unclassed:', conditionMessage(e)))", "cat('\\n', ended, '\\n', sep = '')")
    said <- in_process(fit, limit, seconds = 120)
    status <- attr(said, "status")
    known <- any(grepl("^(value|refused)$", said)) || any(grepl(of_r, said))
    # 124 is the patience of timeout(1); a signal ends with more than 128.
    crashed <- !is.null(status) && (status == 124L || status > 128L)
    what <- paste(kind, "with", limit)
    if (crashed || !known) fault(what, " ", paste(c(status, utils::tail(said, 2L)), collapse = " "))
    outcomes[what] <- if (crashed || !known) "fault" else if (any(grepl("^value$", said))) "value" else "refused"
  }
}
count_up("limits of the system", outcomes)
