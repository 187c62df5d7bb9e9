# The paper's network on the full MNIST, in two files that the vignette `deep-learning` shows: posteriors of the test
# accuracy, and how much of their spread is the optimiser's.
#
#   Rscript mnist.R <folder with the four IDX files> [draws] [folder for the results]
#
# The files are those of the original database, gz or plain: train-images-idx3-ubyte,
# train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte.

library(wbb)

arguments <- commandArgs(trailingOnly = TRUE)
if (!length(arguments)) stop("usage: Rscript mnist.R <folder with the four IDX files> [draws] [folder for the results]")
folder <- arguments[1]
draws <- if (length(arguments) > 1) as.numeric(arguments[2]) else 100
results_folder <- if (length(arguments) > 2) arguments[3] else "."

idx <- function(name) {
  found <- list.files(folder, paste0("^", name, "(\\.gz)?$"), full.names = TRUE)
  if (!length(found)) stop("there is no ", name, " in ", folder)
  read_idx(found[1])
}
x <- idx("train-images-idx3-ubyte") / 255
y <- factor(idx("train-labels-idx1-ubyte"))
test <- list(x = idx("t10k-images-idx3-ubyte") / 255, y = idx("t10k-labels-idx1-ubyte"))

common <- list(x = x, y = y, hidden = c(128, 64), lambda = 1e-4, seed = 1, test = test, keep = "predictions", keep_data = FALSE)

write_results <- function(results, name) {
  file <- file.path(results_folder, name)
  results <- do.call(rbind, results)
  results$date <- format(Sys.Date())
  # Both are installed, so they are small, and compressed.
  numbers <- vapply(results, is.double, NA)
  results[numbers] <- lapply(results[numbers], signif, 6)
  write.csv(results, gzfile(file), row.names = FALSE)
  cat("written to", file, "\n")
}

# Twenty-five steps and no more, for networks that are under-trained; ten epochs, from one start and from many.
regimes <- list(
  "under-trained" = list(epochs = 1, batch_size = 2400, learning_rate = 0.5, decay = 0, init = "fresh", average = 0),
  "trained, one start" = list(epochs = 10, learning_rate = 0.1, decay = 0),
  "trained, fresh starts" = list(epochs = 10, learning_rate = 0.1, decay = 0, init = "fresh")
)

results <- list()
for (name in names(regimes)) {
  fit <- suppressWarnings(do.call(wbb_mlp, c(common, list(draws = draws), regimes[[name]])), "wbb_warning_training")
  correct <- accuracy(fit)
  limits <- quantile(correct, c(0.025, 0.975), names = FALSE)
  cat(sprintf("%-22s %4d draws in %4.0f s: mean %.4f, 95%% interval %.4f to %.4f, P(accuracy > 0.35) = %.2f, mean of the draws %.4f\n",
    name, length(correct), fit$seconds, mean(correct), limits[1], limits[2], mean(correct > 0.35), accuracy(fit, type = "mean")))
  results[[name]] <- data.frame(regime = name, seconds = round(fit$seconds), accuracy = correct,
    of_mean = accuracy(fit, type = "mean"))
}
write_results(results, "mnist-accuracy.csv.gz")

# The same weights with other orders of the batches: what then differs between draws is the optimiser's.
recipes <- list(
  "last iterate" = list(average = 0, decay = 0, init = "shared"),
  "average" = list(decay = 0, init = "shared"),
  "average, common epochs" = list(decay = 0)
)
orders <- 1:4
results <- list()
for (name in names(recipes)) for (order in orders) {
  fit <- suppressWarnings(do.call(wbb_mlp, c(common, list(draws = 8, epochs = 5, learning_rate = 0.1, batch_seed = order), recipes[[name]])),
    "wbb_warning_training")
  results[[paste(name, order)]] <- data.frame(recipe = name, order = order, draw = fit$diagnostics$draw,
    accuracy = accuracy(fit), log_loss = log_loss(fit), gradient = fit$diagnostics$gradient, loss = fit$diagnostics$loss)
  cat(name, "with order", order, ": accuracies", format(accuracy(fit), digits = 4), "\n")
}
write_results(results, "mnist-optimiser.csv.gz")
