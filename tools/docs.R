# Writes NAMESPACE and man/ from the comments in R/. The code is sourced and not
# installed, so that a stale NAMESPACE cannot stand in the way of a new one; and
# Matrix is not attached, whose S4 generics would hide the S3 generics print(),
# summary() and as.matrix() from roxygen2.
roxygen2::roxygenise(load_code = function(path) {
  environment <- new.env(parent = globalenv())
  methods::setPackageName("wbb", environment)
  for (file in list.files(file.path(path, "R"), "\\.R$", full.names = TRUE)) {
    sys.source(file, environment)
  }
  for (file in list.files(file.path(path, "data"), "\\.rda$", full.names = TRUE)) {
    load(file, environment)
  }
  environment
})
