# Whether a compressed file is whole. To R's connections one that was cut off, by a full disk or a transfer that broke, ends there.

gzip_begins <- as.raw(c(0x1f, 0x8b))
bzip2_begins <- charToRaw("BZh")
bzip2_ends <- as.raw(c(0x17, 0x72, 0x45, 0x38, 0x50, 0x90))
xz_begins <- as.raw(c(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00))
xz_ends <- charToRaw("YZ")

is_compressed <- function(file) {
  first <- readBin(file, "raw", 6L)
  any(vapply(list(gzip_begins, bzip2_begins, xz_begins), function(with) identical(utils::head(first, length(with)), with), NA))
}

# `bytes` is how many came out of it. What is not compressed has no end of its own.
is_whole <- function(file, bytes) {
  connection <- file(file, "rb")
  on.exit(close(connection))
  first <- readBin(connection, "raw", 6L)
  last <- function(n) {
    seek(connection, max(0, file.size(file) - n))
    readBin(connection, "raw", n)
  }
  begins <- function(with) identical(utils::head(first, length(with)), with)
  if (begins(gzip_begins)) return(is_size(last(4L), bytes) || is_whole_gzip(file))
  if (begins(bzip2_begins)) return(has_bits(last(11L), bzip2_ends))
  if (begins(xz_begins)) return(is_end(last(1024L), xz_ends))
  TRUE
}

# The last four bytes of gzip's are the size of its last part modulo 2^32, and most files have one part.
is_size <- function(last, bytes) length(last) == 4L && sum(as.integer(last) * 256^(0:3)) == bytes %% 2^32

# Of several parts, where the system has the program that looks at all of them: 2 is a warning, of zeros behind the end.
is_whole_gzip <- function(file) {
  gzip <- Sys.which("gzip")
  if (!nzchar(gzip)) return(TRUE)
  suppressWarnings(system2(gzip, "-t", stdin = file, stdout = FALSE, stderr = FALSE)) %in% c(0L, 2L)
}

# The end of bzip2's: a mark, a checksum of 32 bits, and up to seven bits that fill the last byte.
has_bits <- function(last, mark) {
  bits <- high_first(last)
  mark <- high_first(mark)
  from <- length(bits) - 32L - length(mark) - 0:7
  any(vapply(from[from >= 0L], function(from) identical(bits[from + seq_along(mark)], mark), NA))
}

high_first <- function(bytes) as.vector(matrix(rawToBits(bytes), 8L)[8:1, ])

# Zeros may follow, in fours.
is_end <- function(last, mark) {
  filled <- which(last != 0)
  identical(utils::tail(last[seq_len(max(0L, filled))], length(mark)), mark)
}
