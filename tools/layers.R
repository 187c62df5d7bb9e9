# Fails where a file of R/ uses a function of a layer above its own, or where two have one name: the last to be read would win. The layers are those of CONTRIBUTING.md, "The way
# of a call"; files that are not named there come last: what fits answer, and pictures.
layers <- list(
  "check", "progress", c("run", "chunks", "law", "draw-weights"), "settings", c("path", "result", "linear", "words"), c("partial", "loop"), c("trust", "fit"),
  c("design", "model-columns", "numeric-x", "newdata", "response", "family"), c("source", "source-readers", "source-design", "compressed"), "interface",
  c("lasso", "lasso-settings", "moments", "moments-check", "source-rows", "trendfilter", "genlasso", "bridge", "marglik", "laplace", "mlp", "mlp-data", "mlp-layers", "mlp-training", "idx", "data",
    "wbb", "wbb-model", "refit", "fast", "statistics")
)

files <- list.files("R", "[.]R$", full.names = TRUE)
names(files) <- sub("[.]R$", "", basename(files))
files <- files[names(files) != "extendr-wrappers"]
level <- vapply(names(files), function(name) {
  at <- which(vapply(layers, function(layer) name %in% layer, NA))
  if (length(at)) at else length(layers) + 1L
}, 1L)

code <- lapply(files, parse, keep.source = FALSE)
is_assignment <- function(e) is.call(e) && identical(e[[1L]], quote(`<-`)) && is.name(e[[2L]])
defined <- lapply(code, function(file) vapply(Filter(is_assignment, file), function(e) as.character(e[[2L]]), ""))
home <- stats::setNames(rep(names(defined), lengths(defined)), unlist(defined))
# A method is found by its class, not by its name.
generics <- c("c", "print", "summary", "coef", "predict", "plot", "describe", "needed_parts", "failure_advice", "draws_matrix")

twice <- unique(names(home)[duplicated(names(home))])
faults <- vapply(twice, function(name) paste0("R/", home[names(home) == name], ".R", collapse = " and "), "")
faults <- if (length(twice)) paste0(twice, " is in ", faults) else character()
for (name in names(code)) {
  used <- intersect(unlist(lapply(code[[name]], all.names)), names(home))
  used <- setdiff(used, generics)
  above <- used[level[home[used]] > level[[name]]]
  if (length(above)) faults <- c(faults, paste0("R/", name, ".R uses ", above, "() of R/", home[above], ".R"))
}
if (length(faults)) {
  writeLines(c("Against the layers of R/:", paste0("  ", faults)))
  quit(status = 1L)
}
cat("R/ keeps to its layers\n")
