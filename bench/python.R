# The Python of the peers that are not written in R: a virtual environment in the checkout, .bench-venv.

# R sets it for itself; a Python with a library of its own would find the system's there.
Sys.unsetenv("LD_LIBRARY_PATH")
python <- file.path(".bench-venv", "bin", "python")
succeeds <- function(command, ...) {
  suppressWarnings(system2(command, c(...), stdout = FALSE, stderr = FALSE)) == 0
}
installed <- function(module) {
  succeeds(python, "-c", shQuote(paste0("import importlib.util as u, sys; sys.exit(u.find_spec('", module, "') is None)")))
}

# What pip cannot install is named, and left out by the caller.
install_missing <- function(packages, modules) {
  if (!file.exists(python)) succeeds("python3", "-m", "venv", ".bench-venv")
  for (package in unique(packages)) {
    if (installed(modules[match(package, packages)])) next
    message("installing ", package, " into .bench-venv")
    if (!succeeds(python, "-m", "pip", "install", package)) message(package, " could not be installed")
  }
}

version <- function(module) {
  code <- paste0("from importlib.metadata import packages_distributions as p, version; print(version(p()['", module, "'][0]))")
  paste(module, system2(python, c("-c", shQuote(code)), stdout = TRUE))
}
