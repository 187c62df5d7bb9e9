test_that("the digits are as many of each, in both parts", {
  expect_identical(names(digits), c("x", "y", "train"))
  expect_identical(dim(digits$x), c(1000L, 784L))
  expect_type(digits$x, "integer")
  expect_identical(range(digits$x), c(0L, 255L))
  expect_identical(levels(digits$y), as.character(0:9))
  expect_true(all(table(digits$y[digits$train]) == 80) && all(table(digits$y[!digits$train]) == 20))
  expect_identical(anyDuplicated(digits$x), 0L)
  expect_true(all(digits$train[1:800]))
})

test_that("every digit is one of MNIST, with its label, from the part it says", {
  # Sums that are exact in double precision, as keys.
  key <- with_seed(1, sample(2^20, 784))
  for (part in c("train", "t10k")) {
    x <- read_idx(mnist_file(paste0(part, "-images-idx3-ubyte.gz")))
    y <- read_idx(mnist_file(paste0(part, "-labels-idx1-ubyte.gz")))
    ours <- digits$train == (part == "train")
    at <- match(digits$x[ours, ] %*% key, x %*% key)
    expect_identical(x[at, ], digits$x[ours, ])
    expect_identical(as.character(y[at]), as.character(digits$y[ours]))
  }
})
