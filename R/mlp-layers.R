# What a network is made of: its layers and their sizes, its bytes, and what it lacked if its training diverged.

# A row a layer: its inputs and units, its number of parameters and those before it.
layer_table <- function(spec) {
  sizes <- as.double(c(spec$p, spec$hidden, max(1, spec$classes)))
  inputs <- utils::head(sizes, -1L)
  units <- sizes[-1L]
  parameters <- (inputs + 1) * units
  data.frame(inputs = inputs, units = units, parameters = parameters, before = cumsum(parameters) - parameters)
}

# The bytes of one network of these settings.
network_bytes <- function(spec) 4 * sum(layer_table(spec)$parameters)

# Networks cross to Rust and back on a shelf, some 64 MB at a time: R can be interrupted in between.
shelf_bytes <- 2^26

shelf_steps <- function(count, bytes) {
  at_once <- max(1, floor(shelf_bytes / bytes))
  split(seq_len(count), (seq_len(count) - 1) %/% at_once)
}

to_shelf <- function(networks) {
  shelf <- rust_shelf()
  for (at in shelf_steps(length(networks), length(networks[[1L]]))) {
    rust_shelf_put(shelf, networks[at])
    Sys.sleep(0)
  }
  shelf
}

# `taken` is an environment that keeps what has come, so that a second call goes on where the first was stopped.
from_shelf <- function(shelf, count, bytes, taken) {
  steps <- shelf_steps(count, bytes)
  for (at in steps[seq_along(steps) > length(taken$steps)]) {
    taken$steps <- c(taken$steps, list(rust_shelf_take(shelf, length(at))))
    Sys.sleep(0)
  }
  do.call(c, taken$steps)
}

# What a draw that diverged lacked. The penalty alone overshoots where the step is longer than 2 / its curvature.
divergence_advice <- function(fit) {
  spec <- fit$spec
  curvature <- 2 * fit$lambda / spec$n
  choices <- c(
    "a smaller `learning_rate`",
    if (!spec$standardize) "`standardize = TRUE`",
    if (curvature > 10) "a smaller `lambda`"
  )
  paste(choices, collapse = " or ")
}
