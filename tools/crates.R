# What cargo says of every crate of the lock file, ours included, as a list; read with source(), not run.
crates <- jsonlite::fromJSON(
  paste(system("cargo metadata --locked --format-version 1", intern = TRUE), collapse = "\n"),
  simplifyVector = FALSE
)$packages
