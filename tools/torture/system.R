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

# Threads that cannot start, and memory that is not there: R itself may say so, but nothing may crash. The number of processes is not limited
# for root, who becomes somebody else.
outcomes <- character()
if (count("limits") > 0L) {
  fit <- c("library(wbb)",
    "ended <- tryCatch({ wbb_lasso(matrix(rnorm(2e6), 1e4), rnorm(1e4), lambda = 1, draws = 50, seed = 1, threads = 64); 'value' },",
    "  wbb_error = function(e) 'refused', error = function(e) paste('unclassed:', conditionMessage(e)))", "cat('\\n', ended, '\\n', sep = '')")
  root <- identical(unname(Sys.info()["effective_user"]), "root") && nzchar(Sys.which("setpriv"))
  limits <- c("ulimit -v 900000;", "ulimit -v 1500000;", "ulimit -v 3000000;", if (!root) "ulimit -u 40;",
    if (root) "ulimit -u 3; setpriv --reuid 65534 --regid 65534 --clear-groups")
  for (limit in limits) {
    said <- in_process(fit, limit, seconds = 120)
    ended <- utils::tail(said, 1L)
    # R itself may not be able to start.
    known <- length(ended) && grepl("^value|^refused|cannot allocate|memory", ended) || any(grepl("Resource temporarily unavailable", said))
    if (!known) fault(limit, " ", paste(utils::tail(said, 2L), collapse = " "))
    outcomes[limit] <- if (!known) "fault" else if (grepl("^refused", ended)) "refused" else "value"
  }
}
count_up("limits of the system", outcomes)
