# Reading IDX files, the format of the MNIST digits and the sets made in its image.

#' Read an IDX file
#'
#' Reads the files that MNIST and its relatives (Fashion-MNIST, EMNIST, ...) come in, as they are
#' downloaded: compressed by gzip or not, whatever the file is called.
#'
#' The format: two zero bytes, a byte for the type of the values, a byte for the number of
#' dimensions, the dimensions as 32-bit numbers, then the values with the last
#' dimension running fastest; all numbers have their high byte first. All six types
#' are read: unsigned and signed bytes, 16-bit and 32-bit integers, single and double precision.
#' R has no integer \eqn{-2^{31}}{-2^31}: it becomes `NA`.
#'
#' A file that is not what its header says is an error: cut short, too long, damaged
#' in compression, or larger than `options(wbb.max_bytes = )` allows.
#'
#' @param file The path of the file.
#' @param flatten With three or more dimensions: `TRUE` for a matrix with one row an image and
#'   one column a pixel, row after row of the image, which models take; `FALSE` for an
#'   array with the dimensions of the file, for example images, rows and columns.
#' @return Integers or doubles, as in the file: a vector for one dimension (labels), a matrix for
#'   two, and for more a matrix or an array by `flatten`.
#' @seealso [digits] for a small part of MNIST.
#' @examples
#' # Two images of 2 x 3 pixels
#' file <- tempfile()
#' header <- c(0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3)
#' writeBin(as.raw(c(header, 1:12)), file)
#' read_idx(file)
#' read_idx(file, flatten = FALSE)[1, , ]
#' unlink(file)
#' @export
read_idx <- function(file, flatten = TRUE) {
  file <- check_file(file, "file")
  flatten <- check_flag(flatten, "flatten")
  refuse <- function(...) bad_argument("file", "be an IDX file", file, paste0(dQuote(file, FALSE), " ", ...))
  con <- gzfile(file, "rb") # reads plain files too
  on.exit(close(con))
  # A damaged compressed file is only a warning to R.
  idx <- tryCatch(read_idx_values(con, file, refuse), warning = function(w) {
    refuse("is damaged: ", conditionMessage(w))
  })
  size <- idx$size
  if (length(size) == 1L) return(idx$values)
  if (flatten) size <- c(size[1L], prod(size[-1L]))
  if (any(size > .Machine$integer.max)) {
    refuse("has dimensions ", show_size(size), ", of which one is too large for R")
  }
  aperm(array(idx$values, rev(size)))
}

# By the type's byte; what readBin() needs.
idx_types <- data.frame(
  row.names = c("08", "09", "0b", "0c", "0d", "0e"),
  what = c("integer", "integer", "integer", "integer", "double", "double"),
  bytes = c(1, 1, 2, 4, 4, 8)
)

read_idx_values <- function(con, file, refuse) {
  magic <- format(read_bytes(con, 4))
  if (length(magic) < 4L || any(magic[1:2] != "00")) {
    refuse("starts with the ", if (length(magic) == 1L) "byte " else "bytes ", paste(magic, collapse = " "),
      " where an IDX file has 00 00, a type and a number of dimensions")
  }
  type <- idx_types[magic[3L], ]
  if (is.na(type$bytes)) {
    refuse("has the type ", magic[3L], ", which is none of ", paste(rownames(idx_types), collapse = ", "))
  }
  dimensions <- strtoi(magic[4L], 16L)
  if (dimensions == 0L) refuse("has no dimensions")
  header <- read_bytes(con, 4 * dimensions)
  if (length(header) < 4 * dimensions) {
    refuse("ends within its header: ", dimensions, " dimensions take ", 4 * dimensions, " bytes, and ",
      length(header), " are there")
  }
  size <- colSums(matrix(as.integer(header), 4L) * 256^(3:0))
  n <- prod(size)
  check_size(n, paste("its", show_size(size), "values"), "file", file)
  bytes <- read_bytes(con, n * type$bytes)
  found <- length(bytes) %/% type$bytes
  if (found < n) {
    refuse("is cut short: ", show_size(size), " = ", show_size(n), " values were expected and ", show_size(found), " found")
  }
  if (length(readBin(con, "raw", 1L))) {
    refuse("goes on after the ", show_size(n), " values that its header announces")
  }
  list(size = size, values = readBin(bytes, type$what, n, type$bytes, signed = magic[3L] != "08", endian = "big"))
}

# In pieces: a header that promises too much must not have it allocated, and R reads no
# more than 4 GB of a compressed file at once. A short piece is the end, or damage.
read_bytes <- function(con, n) {
  pieces <- list()
  repeat {
    wanted <- min(n, 2^26)
    piece <- readBin(con, "raw", wanted)
    pieces <- c(pieces, list(piece))
    n <- n - length(piece)
    if (n == 0 || length(piece) < wanted) return(unlist(pieces))
  }
}

show_size <- function(size) paste(with_commas(size), collapse = " x ")
