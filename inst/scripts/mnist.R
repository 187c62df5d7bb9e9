# The paper's network on the full MNIST: posteriors of the test accuracy, in a file that the vignette
# `deep-learning` shows.
#
#   Rscript mnist.R <folder with the four IDX files> [draws] [file]
#
# The files are those of the original database, gz or plain: train-images-idx3-ubyte,
# train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte.

library(wbb)

arguments <- commandArgs(trailingOnly = TRUE)
if (!length(arguments)) stop("usage: Rscript mnist.R <folder with the four IDX files> [draws] [file]")
folder <- arguments[1]
draws <- if (length(arguments) > 1) as.numeric(arguments[2]) else 100
file <- if (length(arguments) > 2) arguments[3] else "mnist-accuracy.csv"

idx <- function(name) {
  found <- list.files(folder, paste0("^", name, "(\\.gz)?$"), full.names = TRUE)
  if (!length(found)) stop("there is no ", name, " in ", folder)
  read_idx(found[1])
}
x <- idx("train-images-idx3-ubyte") / 255
y <- factor(idx("train-labels-idx1-ubyte"))
test <- list(x = idx("t10k-images-idx3-ubyte") / 255, y = idx("t10k-labels-idx1-ubyte"))

# Twenty-five steps and no more, for networks that are under-trained; ten epochs, from one start and from many.
regimes <- list(
  "under-trained" = list(epochs = 1, batch_size = 2400, learning_rate = 0.5, init = "fresh"),
  "trained, shared start" = list(epochs = 10, init = "shared"),
  "trained, fresh starts" = list(epochs = 10, init = "fresh")
)

results <- list()
for (name in names(regimes)) {
  fixed <- list(x = x, y = y, hidden = c(128, 64), lambda = 1e-4, draws = draws, seed = 1, test = test,
    keep = "predictions", keep_data = FALSE)
  fit <- do.call(wbb_mlp, c(fixed, regimes[[name]]))
  correct <- accuracy(fit)
  limits <- quantile(correct, c(0.025, 0.975), names = FALSE)
  cat(sprintf("%-22s %4d draws in %4.0f s: mean %.4f, 95%% interval %.4f to %.4f, P(accuracy > 0.35) = %.2f, mean of the draws %.4f\n",
    name, length(correct), fit$seconds, mean(correct), limits[1], limits[2], mean(correct > 0.35), accuracy(fit, type = "mean")))
  results[[name]] <- data.frame(regime = name, seconds = round(fit$seconds), accuracy = correct,
    of_mean = accuracy(fit, type = "mean"))
}
results <- do.call(rbind, results)
results$date <- format(Sys.Date())
write.csv(results, file, row.names = FALSE)
cat("written to", file, "\n")
