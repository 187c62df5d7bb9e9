# Wrong bytes: files, networks, and fits of which a part was changed.

shorter <- function(bytes) utils::head(bytes, sample.int(length(bytes), 1L))
mutilated <- function(bytes) {
  if (stats::runif(1) < 0.1) return(shorter(bytes))
  at <- sample.int(length(bytes), min(length(bytes), sample.int(4L, 1L)))
  bytes[at] <- as.raw(sample(0:255, length(at), TRUE))
  bytes
}

# IDX files of each type of value, plain and compressed.
outcomes <- character()
for (k in seq_len(count("bytes"))) {
  size <- c(1L, 1L, 2L, 4L, 4L, 8L)
  type <- sample.int(6L, 1L)
  whole <- c(as.raw(c(0, 0, c(8, 9, 11, 12, 13, 14)[type], 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2)), as.raw(sample(0:255, 8L * size[type], TRUE)))
  file <- tempfile()
  if (k %% 2L) whole <- memCompress(whole, "gzip")
  writeBin(mutilated(whole), file)
  outcomes[k] <- try_out(read_idx(file), paste0("file ", k))
  unlink(file)
}
count_up("IDX files", outcomes)

# Every byte of a network, as other values. Weights are any numbers: what comes out may be odd, but is a probability or an error.
outcomes <- character()
if (count("bytes") > 0L) for (at in seq_along(fits$network$draws[[1L]])) for (value in c(0, 127, 128, 255)) {
  changed <- fits$network
  changed$draws[[1L]][at] <- as.raw(value)
  outcomes[length(outcomes) + 1L] <- try_out({
    p <- predict(changed, x, type = "prob")
    if (anyNA(p)) fault("byte ", at, " as ", value, ": NaN in silence")
  }, paste0("byte ", at, " as ", value))
}
count_up("bytes of a network", outcomes)

# Parts of fits, at any depth, as other values: each method works, or says that the fit was changed.
replace_at <- function(object, path, value) {
  if (length(path) == 1L) {
    object[path] <- list(value)
    return(object)
  }
  object[[path[1L]]] <- replace_at(object[[path[1L]]], path[-1L], value)
  object
}
random_place <- function(object) {
  path <- character()
  while (is.list(object) && length(names(object)) && !is.data.frame(object) && (!length(path) || stats::runif(1) < 0.6)) {
    name <- sample(setdiff(names(object), ""), 1L)
    path <- c(path, name)
    object <- object[[name]]
  }
  path
}
uses <- list(print, summary, coef, function(fit) confint(fit, level = 0.9), as.matrix, function(fit) predict(fit, if (inherits(fit, "wbb_trendfilter")) 1:2 else data[1:2, ]), weights, plot)
outcomes <- character()
own <- Filter(function(fit) inherits(fit, "wbb"), fits)
for (k in seq_len(count("bytes"))) {
  fit <- pick(own)
  path <- random_place(unclass(fit))
  class <- class(fit)
  changed <- structure(replace_at(unclass(fit), path, pick(wrong)), class = class)
  use <- sample.int(length(uses), 1L)
  what <- paste0("fit ", k, " of ", class[1L], " with another ", paste(path, collapse = "$"), ", use ", use)
  outcomes[k] <- try_out(uses[[use]](changed), what)
}
count_up("changed fits", outcomes)

# Sums that were saved and changed.
outcomes <- character()
for (k in seq_len(count("bytes"))) {
  path <- random_place(unclass(sums))
  changed <- structure(replace_at(unclass(sums), path, pick(wrong)), class = class(sums))
  outcomes[k] <- try_out(wbb_lasso(changed, lambda = 1, threads = 1), paste0("sums ", k, " with another ", paste(path, collapse = "$")))
}
count_up("changed sums", outcomes)
