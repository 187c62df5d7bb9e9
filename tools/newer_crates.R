# Prints the crates of the lock file that say they need a newer Rust than the one named, one a line:
#   Rscript tools/newer_crates.R <version>
stated <- numeric_version(commandArgs(trailingOnly = TRUE))
source("tools/crates.R")
too_new <- function(crate) !is.null(crate$rust_version) && numeric_version(crate$rust_version) > stated
for (crate in Filter(too_new, crates)) cat(crate$name, crate$version, "needs", crate$rust_version, "\n")
