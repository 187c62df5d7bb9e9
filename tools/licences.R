# Fails where a crate of the lock file has a licence that deny.toml does not allow, or no licence, or comes from
# elsewhere than the registry.
source("tools/crates.R")

# The one list, between the brackets of `allow`.
deny <- paste(readLines("deny.toml"), collapse = "\n")
listed <- sub("\\].*", "", sub(".*\nallow = \\[", "", deny))
allowed <- gsub("\"", "", regmatches(listed, gregexpr("\"[^\"]+\"", listed))[[1]])
stopifnot(length(allowed) > 3)

# Is an SPDX expression satisfied by what is allowed? AND binds tighter than OR, as in R; a slash is an old OR.
satisfied <- function(licence) {
  if (is.null(licence)) return(FALSE)
  spaced <- gsub("([()])", " \\1 ", gsub("/", " OR ", licence, fixed = TRUE))
  tokens <- strsplit(gsub(" +WITH +", "\u00a0WITH\u00a0", trimws(spaced)), " +")[[1]]
  read <- function(token) {
    switch(token, "(" = , ")" = token, OR = "||", AND = "&&",
      as.character(gsub("\u00a0", " ", token) %in% allowed))
  }
  expression <- paste(vapply(tokens, read, ""), collapse = " ")
  isTRUE(tryCatch(eval(str2lang(expression), baseenv()), error = function(e) FALSE))
}

# The rules are tried before they are trusted.
stopifnot(
  satisfied("MIT OR Apache-2.0"), satisfied("MIT/Apache-2.0"), satisfied("(MIT OR GPL-3.0) AND Unicode-3.0"),
  satisfied("Apache-2.0 WITH LLVM-exception OR GPL-3.0"), !satisfied("GPL-3.0"), !satisfied("MIT AND GPL-3.0"),
  !satisfied(NULL), !satisfied(""), !satisfied("Apache-2.0 WITH Nothing"), !satisfied("MIT OR")
)

others <- Filter(function(crate) !is.null(crate$source), crates)
name <- vapply(others, function(crate) paste(crate$name, crate$version), "")
fault <- vapply(others, function(crate) {
  if (!startsWith(crate$source, "registry+")) return(paste("comes from", crate$source))
  if (!satisfied(crate$license)) return(paste("has the licence", if (is.null(crate$license)) "(none)" else crate$license))
  ""
}, "")
if (any(fault != "")) {
  writeLines(c("Against deny.toml:", paste0("  ", name, " ", fault)[fault != ""]))
  quit(status = 1L)
}
cat(length(others), "crates have licences that deny.toml allows\n")
