# More numbers than are turned in one go.
many <- 1200000L

test_that("whole numbers and yes or no become the same numbers in parts", {
  whole <- matrix(rep_len(c(1:7, NA), many), ncol = 4L, dimnames = list(NULL, letters[1:4]))
  for (x in list(whole, whole > 3L, whole[1:10, ])) {
    expected <- x
    storage.mode(expected) <- "double"
    expect_identical(numeric_x(x, "x"), expected)
  }
})

test_that("triplets become the columns that Matrix makes of them", {
  entries <- with_seed(1, list(i = sample(0:9999L, many, TRUE), j = sample(c(3:20, 40L), many, TRUE), x = rnorm(many)))
  # Some places occur twice, and the first and the last columns are empty.
  x <- Matrix::sparseMatrix(entries$i, entries$j, x = entries$x, dims = c(10000L, 50L), index1 = FALSE, repr = "T",
    dimnames = list(NULL, paste0("v", 1:50)))
  expect_gt(anyDuplicated(cbind(x@i, x@j)), 0L)
  expect_equal(numeric_x(x, "x"), as(x, "CsparseMatrix"), tolerance = 1e-12)
  few <- x[1:100, ]
  expect_identical(numeric_x(as(few, "TsparseMatrix"), "x"), as(few, "CsparseMatrix"))
  # One column has more entries than a part.
  one <- Matrix::sparseMatrix(seq_len(many), rep(2L, many), x = 1, repr = "T")
  expect_identical(numeric_x(one, "x"), as(one, "CsparseMatrix"))
})
