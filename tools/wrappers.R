# Writes R/extendr-wrappers.R from a built library, which knows its functions:
#   Rscript tools/wrappers.R [library [file]]
arguments <- commandArgs(trailingOnly = TRUE)
library_file <- if (length(arguments) >= 1) arguments[[1]] else "src/wbb.so"
wrappers_file <- if (length(arguments) >= 2) arguments[[2]] else "R/extendr-wrappers.R"

dll <- dyn.load(library_file)
code <- .Call("wrap__make_wbb_wrappers", TRUE, "wbb", PACKAGE = dll[["name"]])
code <- strsplit(code, "\n", fixed = TRUE)[[1]]

# Rust's comments stay plain comments: a wrapper gets no help page, users do not
# call it.
code <- sub("^#' ?", "# ", code)
while (identical(code[length(code)], "")) code <- code[-length(code)]
code <- c("# Made by `make wrappers` from the functions in src/rust; do not edit.", code)

if (!file.exists(wrappers_file) || !identical(readLines(wrappers_file), code)) {
  writeLines(code, wrappers_file)
  message("wrote ", wrappers_file)
}
