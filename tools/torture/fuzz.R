# A fuzzer on what reads bytes, so many seconds a target: cargo-fuzz, which asks the compiler for what only a nightly Rust gives
# unless it is told otherwise.

outcomes <- character()
if (count("fuzz") > 0L) {
  cargo <- function(...) suppressWarnings(system2("cargo", c(...), stdout = TRUE, stderr = TRUE, env = "RUSTC_BOOTSTRAP=1"))
  folder <- file.path(dirname(here), "fuzz")
  if (!is.null(attr(cargo("fuzz", "--version"), "status"))) stop("`fuzz` needs cargo-fuzz: make setup-torture")
  for (target in sub("[.]rs$", "", list.files(file.path(folder, "fuzz_targets")))) {
    said <- cargo("fuzz", "run", "--fuzz-dir", folder, target, "--", paste0("-max_total_time=", count("fuzz")), "-timeout=10", "-max_len=2000", paste0("-seed=", asked$seed))
    ended <- sub(".*Done ([0-9]+) runs.*", "\\1", grep("Done [0-9]+ runs", said, value = TRUE))
    if (is.null(attr(said, "status")) && length(ended) == 1L) {
      outcomes <- c(outcomes, rep("value", as.double(ended)))
    } else {
      fault("fuzzer, ", target, ": ", paste(utils::tail(grep("panicked|ERROR: |Base64", said, value = TRUE), 4L), collapse = "; "))
      outcomes <- c(outcomes, "fault")
    }
  }
}
count_up("inputs of a fuzzer", outcomes)
