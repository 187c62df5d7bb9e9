# Lists the authors and licences of the crates that are compiled into the package:
#   Rscript tools/authors.R <file with a name-version a line> inst/AUTHORS
arguments <- commandArgs(trailingOnly = TRUE)
needed <- readLines(arguments[[1]])
source("tools/crates.R")

describe <- function(crate) {
  authors <- gsub(" *<[^>]*>", "", unlist(crate$authors))
  if (length(authors) == 0) authors <- paste("the authors of", crate$name)
  c(
    paste(crate$name, crate$version),
    strwrap(paste0("Authors: ", paste(authors, collapse = ", ")), 78, indent = 2, exdent = 4),
    paste0("  Licence: ", crate$license),
    if (!is.null(crate$repository)) paste0("  Source: ", crate$repository),
    ""
  )
}

ours <- vapply(crates, function(crate) is.null(crate$source), logical(1))
names <- vapply(crates, function(crate) paste0(crate$name, "-", crate$version), "")
crates <- crates[!ours & names %in% needed]
crates <- crates[order(vapply(crates, `[[`, "", "name"), vapply(crates, `[[`, "", "version"),
                       method = "radix")]
stopifnot(length(crates) == sum(!needed %in% names[ours]))

text <- c(
  "The Rust crates that are bundled with this package (src/rust/vendor.tar.xz) and",
  "compiled into it, with their authors and licences as the crates state them. The",
  "texts of the licences are in the crates' folders of the archive.",
  "Made by `make vendor`; do not edit.",
  "",
  unlist(lapply(crates, describe))
)
writeLines(enc2utf8(text[-length(text)]), arguments[[2]], useBytes = TRUE)
