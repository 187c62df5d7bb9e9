# Makes the site of help pages and vignettes in output/site, without the network; the package is installed before.
options(pkgdown.internet = FALSE)
if (!requireNamespace("pkgdown", quietly = TRUE)) stop("The site needs the R package pkgdown; on Debian it is r-cran-pkgdown.")
# Examples name packages that need not be installed, whose addresses would be looked up at CRAN: they get no link.
utils::assignInNamespace("CRAN_urls", function() data.frame(Package = character(), URL = character()), "downlit")
pkgdown::build_site(preview = FALSE, install = FALSE, new_process = FALSE)

# Formulas are TeX, which pages leave to a script from the network. As MathML browsers show them by themselves.
pages <- list.files("output/site", "[.]html$", recursive = TRUE, full.names = TRUE)
formula <- "(?s)(\\\\\\(.*?\\\\\\)|\\\\\\[.*?\\\\\\])"
code <- "(?s)<pre.*?</pre>|<script.*?</script>"

plain <- function(html) {
  for (sign in list(c("&lt;", "<"), c("&gt;", ">"), c("&amp;", "&"))) html <- gsub(sign[1L], sign[2L], html, fixed = TRUE)
  html
}

# All at once: a call of pandoc takes longer than its formulas. `\(...\)` stands in a line, `\[...\]` alone.
to_mathml <- function(tex) {
  from <- tempfile(fileext = ".md")
  to <- tempfile(fileext = ".html")
  mark <- ifelse(startsWith(tex, "\\("), "$", "$$")
  inner <- gsub("\\s+", " ", trimws(substr(tex, 3L, nchar(tex) - 2L)))
  writeLines(rbind(paste0(mark, plain(inner), mark), ""), from)
  rmarkdown::pandoc_convert(from, "html", "markdown", to, options = "--mathml")
  text <- paste(readLines(to, encoding = "UTF-8"), collapse = "\n")
  made <- regmatches(text, gregexpr("(?s)<math.*?</math>", text, perl = TRUE))[[1L]]
  if (length(made) != length(tex)) stop("pandoc made ", length(made), " of ", length(tex), " formulas")
  made
}

texts <- lapply(pages, function(page) enc2utf8(paste(readLines(page, encoding = "UTF-8"), collapse = "\n")))
found <- lapply(texts, function(text) {
  kept <- regmatches(text, gregexpr(code, text, perl = TRUE), invert = TRUE)[[1L]]
  unlist(regmatches(kept, gregexpr(formula, kept, perl = TRUE)))
})
tex <- unique(unlist(found))
mathml <- if (length(tex)) stats::setNames(to_mathml(tex), tex)
for (i in which(lengths(found) > 0L)) {
  text <- texts[[i]]
  kept <- regmatches(text, gregexpr(code, text, perl = TRUE), invert = TRUE)[[1L]]
  at <- gregexpr(formula, kept, perl = TRUE)
  regmatches(kept, at) <- lapply(regmatches(kept, at), function(these) unname(mathml[these]))
  regmatches(text, gregexpr(code, text, perl = TRUE), invert = TRUE) <- list(kept)
  writeLines(text, pages[i], useBytes = TRUE)
}
cat(length(tex), "formulas as MathML\n")
