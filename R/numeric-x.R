# What users call a matrix becomes a double matrix or a dgCMatrix; long vectors a part at a time, because R hears no
# interrupt while it turns one into another.

numeric_x <- function(x, argument) {
  if (is.matrix(x) && is.double(x)) return(x)
  if (is(x, "dgCMatrix")) return(x)
  if (is(x, "sparseMatrix")) {
    x <- as(as(x, "dMatrix"), "generalMatrix")
    return(if (is(x, "TsparseMatrix")) compressed_triplets(x) else as(x, "CsparseMatrix"))
  }
  if (is(x, "Matrix")) x <- as.matrix(x)
  if (!is.matrix(x)) {
    bad_argument(argument, "be a matrix, a data frame or a sparse Matrix", x,
      advice = if (is.character(x)) "A formula is written without quotes." else if (is.atomic(x)) paste0("Use `as.matrix(", argument, ")` for a single column, `t(", argument, ")` for a single row."))
  }
  if (!(is.numeric(x) || is.logical(x))) {
    bad_argument(argument, "be numeric", x, paste("is a", typeof(x), "matrix"))
  }
  as_doubles(x)
}

# With the attributes that it has.
as_doubles <- function(x) {
  if (is.double(x)) return(x)
  if (length(x) <= part_size) {
    storage.mode(x) <- "double"
    return(x)
  }
  numbers <- rust_room(length(x))
  for (part in parts_of(length(x))) {
    at <- seq.int(part[1L] + 1, part[2L])
    numbers[at] <- x[at]
    Sys.sleep(0)
  }
  attributes(numbers) <- attributes(x)
  numbers
}

# Some columns at a time: those that have about a part of the entries.
compressed_triplets <- function(x) {
  before <- c(0, cumsum(tabulate(x@j + 1L, ncol(x))))
  if (length(x@j) <= part_size) return(as(x, "CsparseMatrix"))
  block <- as.integer(before[-length(before)] %/% (part_size / 2))
  of_entry <- block[x@j + 1L]
  blocks <- lapply(unique(block), function(k) {
    columns <- range(which(block == k))
    at <- which(of_entry == k)
    Sys.sleep(0)
    part <- methods::new("dgTMatrix", i = x@i[at], j = x@j[at] - (columns[1L] - 1L), x = x@x[at], Dim = c(nrow(x), columns[2L] - columns[1L] + 1L))
    as(part, "CsparseMatrix")
  })
  entries <- vapply(blocks, function(part) length(part@x), 0)
  starts <- Map(function(part, first) first + part@p[-1L], blocks, as.integer(cumsum(entries) - entries))
  methods::new("dgCMatrix", i = unlist(lapply(blocks, methods::slot, "i")), p = c(0L, unlist(starts)), x = unlist(lapply(blocks, methods::slot, "x")),
    Dim = dim(x), Dimnames = dimnames(x))
}
