# `make bench-mlp [PEERS="jax keras"]`: wbb_mlp() beside the frameworks that users would train networks
# with (bench/mlp_peers.py), on workload M1: MNIST, 784-128-64-10, batches of 128, ten epochs. All in one
# run, interleaved. Nothing else should run meanwhile. Writes bench/mlp.md.
library(wbb)

epochs <- 10
rounds <- 3
mnist <- Sys.getenv("WBB_MNIST", file.path("..", "shared", "data", "mnist"))
if (!dir.exists(mnist)) stop("The four files of MNIST are wanted in the folder ", mnist, "; or set WBB_MNIST to theirs.")
Sys.setenv(WBB_MNIST = normalizePath(mnist))

# Peers: how they are called here, in bench/mlp_peers.py, and what pip installs for them. The plain
# `tensorflow` is the same on a CPU and twice the download.
peers <- data.frame(
  peer = c("tensorflow", "jax", "torch", "torch_compile", "keras"),
  label = c("TensorFlow, tf.function", "JAX, an epoch in one scan", "PyTorch, eager", "PyTorch, torch.compile", "Keras `fit()`"),
  package = c("tensorflow-cpu", "jax", "torch", "torch", "tensorflow-cpu"),
  module = c("tensorflow", "jax", "torch", "torch", "tensorflow")
)
chosen <- Sys.getenv("PEERS", paste(peers$peer, collapse = " "))
peers <- peers[peers$peer %in% strsplit(chosen, " ")[[1]], ]

# The peers' Python -------------------------------------------------------------------------------------

source(file.path("bench", "python.R"))
install_missing(peers$package, peers$module)
there <- vapply(peers$module, installed, NA)
absent <- peers$label[!there]
peers <- peers[there, ]

# A run: seconds per network and epoch, share of the cores, accuracy on the test digits ------------------

run_peer <- function(peer, networks) {
  output <- suppressWarnings(system2(python, c(file.path("bench", "mlp_peers.py"), peer, networks, epochs),
    stdout = TRUE, stderr = TRUE))
  line <- grep(paste0("^", peer, "\t"), output, value = TRUE)
  if (!length(line)) {
    message(peer, " failed: ", utils::tail(output, 1))
    return(c(NA, NA, NA))
  }
  as.double(strsplit(line, "\t")[[1]][3:5])
}

read_part <- function(part) {
  list(x = read_idx(file.path(mnist, paste0(part, "-images-idx3-ubyte.gz"))) / 255,
    y = factor(read_idx(file.path(mnist, paste0(part, "-labels-idx1-ubyte.gz")))))
}
train <- read_part("train")
test <- read_part("t10k")
sparse <- as(train$x, "CsparseMatrix")

run_wbb <- function(x, networks) {
  seconds <- system.time(gcFirst = FALSE, fit <- wbb_mlp(x, train$y, hidden = c(128, 64), lambda = 1e-4,
    draws = networks, epochs = epochs, batch_size = 128, learning_rate = 0.1, decay = 0, seed = 1, threads = networks))[["elapsed"]]
  # Of the whole call, parts of which are one thread's, a share says little.
  c(seconds / networks / epochs, NA, mean(accuracy(fit, test$x, test$y)))
}

runs <- c(
  list("wbb, dense `x`" = function(networks) run_wbb(train$x, networks),
    "wbb, sparse `x`" = function(networks) run_wbb(sparse, networks)),
  lapply(stats::setNames(peers$peer, peers$label), function(peer) function(networks) run_peer(peer, networks))
)

# Rounds ------------------------------------------------------------------------------------------------

results <- array(NA_real_, c(length(runs), 2, 3, rounds), list(names(runs), c("one", "two"), c("seconds", "share", "accuracy"), NULL))
for (round in seq_len(rounds)) {
  for (name in names(runs)) {
    for (networks in 1:2) {
      results[name, networks, , round] <- runs[[name]](networks)
      message("round ", round, ", ", name, ", ", networks, " at once: ", format(results[name, networks, "seconds", round], digits = 3), " s")
    }
  }
}
middle <- function(networks, what) apply(results[, networks, what, , drop = FALSE], 1, stats::median)
table <- data.frame(one = middle("one", "seconds"), two = middle("two", "seconds"), accuracy = middle("two", "accuracy"))
# How much longer than our dense fit, two networks at once.
table$ratio <- table$two / table["wbb, dense `x`", "two"]
print(table, digits = 3)
# Peers that wait for a core were measured beside something else.
busy <- min(1, results[, , "share", ], na.rm = TRUE)
if (busy < 0.9) message("The machine was busy: a peer got ", round(100 * busy), " % of its core. Run this again alone.")

modules <- unique(c(peers$module, if ("keras" %in% peers$peer) "keras"))
cpu <- grep("model name", readLines("/proc/cpuinfo", warn = FALSE), value = TRUE)
shown <- function(value, format) ifelse(is.na(value), "–", sprintf(format, value))
writeLines(c(
  "# Networks",
  "",
  sprintf("Made by `make bench-mlp` on %s: %d cores%s, %s, %s.", format(Sys.Date()), parallel::detectCores(),
    if (length(cpu)) paste0(" (", sub(".*: ", "", cpu[1]), ")") else "", R.version.string,
    paste(c(paste("wbb", packageVersion("wbb")), vapply(modules, version, "")), collapse = ", ")),
  sprintf("MNIST, 784-128-64-10, ReLU, SGD at rate 0.1, batches of 128, float32, an Exp(1) weight a row, %d epochs. Seconds", epochs),
  sprintf("per network and epoch, medians of %d interleaved rounds. Ours is the whole call from R divided by networks and epochs;", rounds),
  "a peer's is the median epoch after the first, without start-up and compilation. Two at once: two threads for us,",
  "two processes on a core each for a peer, and the time divided by two. Accuracy on the test digits after all epochs.",
  if (length(absent)) paste0("Could not be installed, so not measured: ", paste(absent, collapse = "; "), "."),
  if (busy < 0.9) sprintf("The machine was busy: a peer got as little as %.0f %% of its core.", 100 * busy),
  if (anyNA(table$two)) "A peer that failed has a dash.",
  "",
  "| | one network, 1 thread | two at once | beside wbb, dense `x` | test accuracy |",
  "|---|---|---|---|---|",
  sprintf("| %s | %s | %s | %s | %s |", rownames(table), shown(table$one, "%.3f"), shown(table$two, "%.3f"),
    shown(table$ratio, "**%.1f×**"), shown(table$accuracy, "%.3f"))
), file.path("bench", "mlp.md"))
