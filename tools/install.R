# Installs R packages from the user's CRAN mirror, or the first of the list:
#   Rscript tools/install.R <library> <package>...
arguments <- commandArgs(trailingOnly = TRUE)
if (identical(unname(getOption("repos")["CRAN"]), "@CRAN@")) {
  utils::chooseCRANmirror(graphics = FALSE, ind = 1)
}
utils::install.packages(arguments[-1], lib = arguments[[1]])
