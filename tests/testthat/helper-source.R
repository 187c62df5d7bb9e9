# A table with all that a source may hold, and sources of it.

source_data <- function(n = 700, seed = 2) {
  with_seed(seed, {
    d <- data.frame(
      id = seq_len(n), a = round(stats::rnorm(n), 6), b = round(1e6 + stats::rnorm(n), 6), c = stats::runif(n) < 0.3,
      g = sample(c("low", "mid", "top"), n, TRUE), w = round(stats::runif(n), 6), k = sample.int(n %/% 5, n, TRUE)
    )
    d$y <- 3 + d$a - 2 * (d$b - 1e6) + (d$g == "mid") + round(stats::rnorm(n), 6)
    d$y <- round(d$y, 6)
    d$fold <- rep_len(1:4, n)
    d
  })
}

# biglm's way: a function that is asked for the next rows.
reset_source <- function(data, size = 100) {
  at <- 0
  function(reset = FALSE) {
    if (reset) {
      at <<- 0
      return(invisible())
    }
    if (at >= nrow(data)) return(NULL)
    rows <- (at + 1):min(at + size, nrow(data))
    at <<- max(rows)
    data[rows, ]
  }
}

# What nanoarrow's streams do, without nanoarrow.
fake_stream <- function(data, size = 90) {
  read <- reset_source(data, size)
  structure(list(get_next = function() read()), class = "nanoarrow_array_stream")
}

csv_files <- function(data, files, compress = FALSE) {
  paths <- tempfile(rep("part", files), fileext = if (compress) ".csv.gz" else ".csv")
  part <- sort(rep_len(seq_len(files), nrow(data)))
  for (k in seq_len(files)) {
    out <- if (compress) gzfile(paths[k], "w") else file(paths[k], "w")
    utils::write.csv(data[part == k, ], out, row.names = FALSE)
    close(out)
  }
  paths
}

with_chunks <- function(size, code) {
  old <- options(wbb.chunk_rows = size)
  on.exit(options(old))
  code
}

expect_same_fit <- function(summed, plain, tolerance = 1e-8) {
  expect_identical(dim(summed$draws), dim(plain$draws))
  off <- abs(summed$draws - plain$draws)
  expect_lt(max(off / pmax(1, abs(plain$draws))), tolerance)
  expect_equal(summed$lambda, plain$lambda, tolerance = 1e-10)
  expect_equal(summed$mode, plain$mode, tolerance = tolerance)
  expect_equal(summed$diagnostics$sigma, plain$diagnostics$sigma, tolerance = tolerance)
  expect_identical(summed$diagnostics$status, plain$diagnostics$status)
}
