# Prints those of the named R packages that are not installed, one a line:
#   Rscript tools/missing.R <package>...
wanted <- commandArgs(trailingOnly = TRUE)
present <- vapply(wanted, function(name) nzchar(system.file(package = name)), logical(1))
writeLines(wanted[!present])
