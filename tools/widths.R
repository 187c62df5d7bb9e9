# Fails where a line of code in a vignette is wider than the box that shows it.
widest <- 88L
faults <- character()
for (file in list.files("vignettes", "[.]Rmd$", full.names = TRUE)) {
  lines <- readLines(file, encoding = "UTF-8")
  fence <- startsWith(lines, "```")
  inside <- cumsum(fence) %% 2L == 1L & !fence
  opening <- lines[fence][cumsum(fence)[inside]]
  hidden <- grepl("(include|echo) ?= ?FALSE", opening)
  at <- which(inside)[!hidden]
  at <- at[nchar(lines[at]) > widest]
  if (length(at)) faults <- c(faults, paste0(file, ":", at, " has ", nchar(lines[at]), " characters"))
}
if (length(faults)) {
  writeLines(c(paste("Code of vignettes wider than", widest, "characters:"), paste0("  ", faults)))
  quit(status = 1L)
}
cat("code of vignettes fits its box\n")
