# Makes the site of help pages and vignettes in output/site, without the network; the package is installed before.
options(pkgdown.internet = FALSE)
if (!requireNamespace("pkgdown", quietly = TRUE)) stop("The site needs the R package pkgdown; on Debian it is r-cran-pkgdown.")
pkgdown::build_site(preview = FALSE, install = FALSE, new_process = FALSE)
