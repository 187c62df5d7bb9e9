# The bytes of an IDX file of `values`, in the order of the file; a value takes `bytes`.
idx_bytes <- function(type, size, values, bytes) {
  c(as.raw(c(0, 0, type, length(size))), writeBin(as.integer(size), raw(), endian = "big"),
    writeBin(values, raw(), size = bytes, endian = "big"))
}

# Named without an extension: the content decides.
temporary <- function(bytes, compress = FALSE) {
  file <- tempfile("idx")
  con <- if (compress) gzfile(file, "wb") else file(file, "wb")
  on.exit(close(con))
  writeBin(bytes, con)
  file
}

images <- idx_bytes(8, c(2, 2, 3), 1:12, 1)

test_that("dimensions and the order of pixels are those of the file", {
  for (compress in c(FALSE, TRUE)) {
    file <- temporary(images, compress)
    expect_identical(read_idx(file), rbind(1:6, 7:12))
    array <- read_idx(file, flatten = FALSE)
    expect_identical(dim(array), c(2L, 2L, 3L))
    expect_identical(array[2, , ], rbind(7:9, 10:12))
  }
  expect_identical(read_idx(temporary(idx_bytes(8, 3, 4:6, 1))), 4:6)
  expect_identical(read_idx(temporary(idx_bytes(8, c(2, 3), 1:6, 1))), rbind(1:3, 4:6))
  expect_identical(dim(read_idx(temporary(idx_bytes(8, c(2, 1, 2, 3), 1:12, 1)))), c(2L, 6L))
  expect_identical(read_idx(temporary(idx_bytes(8, c(0, 2, 3), integer(), 1))), matrix(integer(), 0, 6))
  expect_identical(read_idx(temporary(idx_bytes(8, 0, integer(), 1))), integer())
})

test_that("all types are read, with their signs", {
  read <- function(type, values, bytes) read_idx(temporary(idx_bytes(type, length(values), values, bytes)))
  expect_identical(read(0x08, c(0L, 127L, 128L, 255L), 1), c(0L, 127L, 128L, 255L))
  expect_identical(read(0x09, c(-128L, -1L, 127L), 1), c(-128L, -1L, 127L))
  expect_identical(read(0x0B, c(-32768L, -1L, 258L), 2), c(-32768L, -1L, 258L))
  expect_identical(read(0x0C, c(-.Machine$integer.max, 16909060L), 4), c(-.Machine$integer.max, 16909060L))
  expect_identical(read(0x0D, c(-0.5, 1e30, Inf), 4)[-2], c(-0.5, Inf))
  expect_identical(read(0x0E, c(-pi, 1e300), 8), c(-pi, 1e300))
})

test_that("what is no path of a file is refused", {
  for (bad in list(NULL, 1, NA_character_, c("a", "b"), character())) expect_bad(read_idx(bad), "file")
  expect_bad(read_idx("no/such file"), "file", "\"no/such file\" does not exist")
  expect_bad(read_idx(tempdir()), "file", "is a folder")
  expect_bad(read_idx(temporary(raw())), "file", "is empty")
  expect_bad(read_idx(temporary(images), flatten = NA), "flatten")
})

test_that("what is no IDX file is refused, by what is wrong with it", {
  refused <- function(bytes, says) {
    for (compress in c(FALSE, TRUE)) {
      file <- temporary(bytes, compress)
      error <- expect_bad(read_idx(file), "file", says)
      expect_identical(error$value, file)
      expect_identical(error$call[[1]], quote(read_idx))
    }
  }
  refused(charToRaw("PK100% zip"), "starts with the bytes 50 4b 31 30")
  refused(as.raw(0), "starts with the byte 00")
  refused(replace(images, 3, as.raw(0x0A)), "has the type 0a, which is none of 08, 09, 0b, 0c, 0d, 0e")
  refused(replace(images, 4, as.raw(0)), "has no dimensions")
  refused(images[1:9], "3 dimensions take 12 bytes, and 5 are there")
  refused(images[1:26], "is cut short: 2 x 2 x 3 = 12 values were expected and 10 found")
  refused(head(idx_bytes(0x0E, 2, c(1, 2), 8), -1), "2 values were expected and 1 found")
  refused(c(images, as.raw(0)), "goes on after the 12 values")
  refused(replace(images, 5:16, as.raw(255)), "4,294,967,295 x 4,294,967,295 x 4,294,967,295 values would take")
  refused(as.raw(c(0, 0, 8, 2, 0, 0, 0, 0, 255, 255, 255, 255)), "too large for R")
})

test_that("a file that promises more than it has costs no memory", {
  promises <- replace(images, 5:8, as.raw(c(8, 0, 0, 0))) # 805 million values
  expect_bad(read_idx(temporary(promises)), "file", "= 805,306,368 values were expected and 12 found")
})

test_that("damage to a compressed file is found", {
  file <- temporary(idx_bytes(8, 5000, with_seed(1, sample(0:255, 5000, TRUE)), 1), TRUE)
  good <- readBin(file, "raw", 1e5)
  n <- length(good)
  damaged <- list(
    header = replace(good, 3, as.raw(7)), start = good[1:5], half = good[seq_len(n %/% 2)],
    checksum = replace(good, n - 6, as.raw(bitwXor(as.integer(good[n - 6]), 1L))), no_end = head(good, -4)
  )
  for (bytes in damaged) expect_bad(read_idx(temporary(bytes)), "file")
  expect_bad(read_idx(temporary(damaged$checksum)), "file", "is damaged")
})

test_that("no connection stays open", {
  before <- nrow(showConnections())
  read_idx(temporary(images))
  expect_error(read_idx(temporary(images[1:20])))
  expect_error(read_idx(temporary(charToRaw("text"))))
  expect_identical(nrow(showConnections()), before)
})

test_that("MNIST is read as it is known", {
  labels <- read_idx(mnist_file("t10k-labels-idx1-ubyte.gz"))
  expect_identical(labels[1:10], c(7L, 2L, 1L, 0L, 4L, 1L, 4L, 9L, 5L, 9L))
  expect_identical(as.vector(table(labels)), c(980L, 1135L, 1032L, 1010L, 982L, 892L, 958L, 1028L, 974L, 1009L))
  seconds <- system.time(x <- read_idx(mnist_file("train-images-idx3-ubyte.gz")))[["elapsed"]]
  expect_lt(seconds, 20)
  expect_identical(dim(x), c(60000L, 784L))
  expect_identical(range(x), c(0L, 255L))
  # The mean and the standard deviation that everybody normalises by.
  expect_equal(c(mean(x), sd(x)) / 255, c(0.1307, 0.3081), tolerance = 1e-3)
  test <- read_idx(mnist_file("t10k-images-idx3-ubyte.gz"), flatten = FALSE)
  expect_identical(dim(test), c(10000L, 28L, 28L))
  expect_identical(t(test[1, , ])[1:784], read_idx(mnist_file("t10k-images-idx3-ubyte.gz"))[1, ])
})
