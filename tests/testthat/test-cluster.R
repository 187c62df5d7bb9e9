# Real engines: `make check-cluster` starts Slurm and PostgreSQL for these tests; elsewhere they are skipped.

d <- source_data()
form <- y ~ a + b + c + g

test_that("draws and shards on Slurm are those of one process", {
  skip_if(Sys.getenv("WBB_CHECK_SLURM") == "", "no Slurm was started")
  skip_if_not_installed("future.batchtools")
  # Where all nodes see it.
  folder <- Sys.getenv("WBB_CHECK_FOLDER")
  old <- setwd(folder)
  on.exit(setwd(old))
  plan <- future::plan(future.batchtools::batchtools_slurm, workers = 2,
    template = system.file("templates", "slurm.tmpl", package = "wbb"), resources = list(ncpus = 1, walltime = 600))
  on.exit(future::plan(plan), add = TRUE, after = FALSE)
  x <- as.matrix(diabetes[1:10])
  same_draws(quick(x, diabetes$y, lambda = "cv", backend = "future"), quick(x, diabetes$y, lambda = "cv"))
  files <- file.path(folder, c("one.csv", "two.csv"))
  for (k in 1:2) utils::write.csv(d[(1:350) + 350 * (k - 1), ], files[k], row.names = FALSE)
  source <- wbb_source(files, shards = 2)
  same_draws(wbb_lasso(form, source, draws = 9, seed = 1, backend = "future"), wbb_lasso(form, source, draws = 9, seed = 1))
})

test_that("a PostgreSQL server gives the rows of its tables, to one process and to several", {
  port <- Sys.getenv("WBB_CHECK_POSTGRES")
  skip_if(port == "", "no PostgreSQL was started")
  skip_if_not_installed("RPostgreSQL")
  connect <- eval(substitute(function() {
    DBI::dbConnect(RPostgreSQL::PostgreSQL(), host = "127.0.0.1", port = port, user = "postgres", dbname = "postgres")
  }, list(port = as.integer(port))), globalenv())
  con <- connect()
  on.exit(DBI::dbDisconnect(con))
  d$c <- as.integer(d$c)
  DBI::dbWriteTable(con, "visits", d[sample(nrow(d)), ], row.names = FALSE)
  plain <- wbb_moments(form, wbb_source(d), draws = 6, seed = 1)
  parts <- c("sums", "unit", "folds", "n", "levels")
  for (x in list(con, connect)) {
    source <- wbb_source(x, "SELECT * FROM visits ORDER BY id")
    with_chunks(101, expect_identical(wbb_moments(form, source, draws = 6, seed = 1)[parts], plain[parts]))
  }
  sharded <- wbb_source(connect, "visits", order_by = "id", shards = 3)
  here <- wbb_moments(form, sharded, draws = 6, seed = 1)
  expect_identical(here$n, 700)
  plan <- future::plan(future::cluster, workers = 2)
  on.exit(future::plan(plan), add = TRUE)
  expect_identical(wbb_moments(form, sharded, draws = 6, seed = 1, backend = "future")[parts], here[parts])
  # Killed by the server in the middle of a pass.
  other <- connect()
  on.exit(DBI::dbDisconnect(other), add = TRUE)
  killed <- function() {
    mine <- connect()
    pid <- DBI::dbGetQuery(mine, "SELECT pg_backend_pid() AS pid")$pid
    DBI::dbGetQuery(other, paste("SELECT pg_terminate_backend(", pid, ")"))
    mine
  }
  expect_error(wbb_moments(y ~ a, wbb_source(killed, "visits", "id"), draws = 2), "could not be read", class = "wbb_error_source")
})
