# The figures of Newton, Polson and Xu with the settings of the authors' scripts: the diabetes data, the trend filter and MNIST.

# Noise of standard deviation 1 and lambda = 5000, where the paper's caption has 1000.
trend_rows <- function(draws = 500, batches = 10) {
  set.seed(0)
  n <- 500
  y <- sin(seq_len(n) * 4 * pi / n) * exp(seq(0, 3, length.out = n)) + stats::rnorm(n)
  fit <- wbb_trendfilter(y, order = 3, lambda = 5000, draws = draws * batches, seed = 1)
  # Their 500 draws are one batch of ours.
  half <- vapply(seq_len(batches), function(batch) 2 * apply(as.matrix(fit)[(batch - 1) * draws + seq_len(draws), trend_at], 2, stats::sd), trend_half)
  picture("trend", function() {
    sd <- apply(as.matrix(fit), 2, stats::sd)
    plot(y, pch = 20, col = "grey70", xlab = "position", ylab = "y", main = "Cubic trend filter, lambda = 5000")
    graphics::lines(fit$mode, col = "firebrick", lwd = 2)
    for (side in c(-2, 2)) graphics::lines(fit$mode + side * sd, col = "steelblue", lwd = 2)
    graphics::points(trend_at, trend_curve, pch = 4, lwd = 2)
    for (side in c(-1, 1)) graphics::points(trend_at, trend_curve + side * trend_half, pch = 3)
    graphics::legend("bottomleft", c("mode", "mode -+ 2 sd", "published curve", "published band"), bty = "n", col = c("firebrick", "steelblue", 1, 1),
      lwd = c(2, 2, NA, NA), pch = c(NA, NA, 4, 3))
  })
  # The drawing has hundredths of a point, and 11.26 points a unit.
  read_off <- 0.01 / 11.26 / sqrt(12)
  curve <- lapply(seq_along(trend_at), function(k) {
    row("trend", sprintf("position %d", trend_at[k]), "curve", trend_curve[k], fit$mode[[trend_at[k]]], read_off, Inf, 3)
  })
  band <- lapply(seq_along(trend_at), function(k) {
    row("trend", sprintf("position %d", trend_at[k]), "half width", trend_half[k], mean(half[k, ]), stats::sd(half[k, ]) * sqrt(1 + 1 / batches), batches, 3)
  })
  do.call(rbind, c(curve, band))
}

# Ten-fold cross-validation on scaled columns. The paper prints no numbers here.
diabetes_picture <- function(draws = 1000) {
  x <- scale(as.matrix(wbb::diabetes[1:10]))
  one <- wbb_lasso(x, wbb::diabetes$y, draws = draws, seed = 1)
  each <- stats::update(one, prior_weight = "coef", lambda = one$lambda)
  bridge <- quietly(bayes_bridge(x, wbb::diabetes$y, alpha = 1, draws = draws, chains = 1, seed = 1))
  picture("diabetes", height = 7, draw = function() {
    graphics::par(mfrow = c(5, 2), mar = c(2, 2, 1.5, 0.5))
    for (name in colnames(x)) {
      curves <- lapply(list(bridge, each, one), function(fit) stats::density(as.matrix(fit, pars = name)[, 1]))
      plot(range(unlist(lapply(curves, `[[`, "x"))), c(0, max(unlist(lapply(curves, `[[`, "y")))), type = "n", main = name, xlab = "", ylab = "")
      for (k in seq_along(curves)) graphics::lines(curves[[k]], col = c("firebrick", "forestgreen", "steelblue")[k], lwd = 2)
    }
    graphics::legend("topleft", c("Bayesian lasso", "a weight a coefficient", "one weight"), col = c("firebrick", "forestgreen", "steelblue"), lwd = 2, bty = "n")
  })
}

# Adam at a rate of 0.1, 1,000 steps, a fresh start for each draw. Without a penalty: the script computes one and does not add it to the loss.
# Nor do its weights reach the rows: it multiplies the losses of a batch, a vector, by their weights, a column, which makes a matrix whose mean is the
# mean weight times the mean loss. That is a training with weights of one, and all that differs between draws is the optimiser's.
mnist_rows <- function(folder, draws) {
  part <- function(name) read_idx(file.path(folder, paste0(name, ".gz")))
  x <- part("train-images-idx3-ubyte") / 255
  y <- factor(part("train-labels-idx1-ubyte"))
  test <- list(x = part("t10k-images-idx3-ubyte") / 255, y = part("t10k-labels-idx1-ubyte"))
  train <- function(weights) {
    accuracy(quietly(wbb_mlp(x, y, hidden = c(128, 64), lambda = 0, prior_weight = "fixed", optimizer = "adam", learning_rate = 0.1, epochs = 2,
      batch_size = nrow(x) / 500, init = "fresh", decay = 0, average = 0, weights = weights, draws = draws, seed = 1, threads = cores, test = test,
      keep = "predictions", keep_data = FALSE)))
  }
  random <- train("exponential")
  ones <- train("ones")
  picture("mnist", function() {
    random <- stats::density(random, from = 0, to = 1)
    ones <- stats::density(ones, from = 0, to = 1)
    plot(random, xlim = c(0, 1), ylim = c(0, 1.35 * max(random$y, ones$y)), main = "Test accuracy on MNIST, Adam at 0.1, 1,000 steps", xlab = "accuracy", lwd = 2, col = "firebrick")
    graphics::lines(ones, lwd = 2, col = "steelblue")
    graphics::rug(mnist_quantiles, lwd = 2)
    graphics::legend("topleft", c("random weights", "weights of one, as in the script", "published quantiles, 2.5 % to 97.5 %"), bty = "n",
      col = c("firebrick", "steelblue", 1), lwd = 2)
  })
  share <- function(a, b) stats::var(b) / stats::var(a)
  list(
    rows = rbind(accuracy_rows("script", ones), accuracy_rows("words", random)),
    share = c(share(random, ones), stats::quantile(replicate(1000, share(sample(random, replace = TRUE), sample(ones, replace = TRUE))), c(0.025, 0.975)))
  )
}

accuracy_rows <- function(way, accuracies) {
  draws <- length(accuracies)
  again <- stats::sd(replicate(400, stats::sd(sample(accuracies, replace = TRUE))))
  what <- paste("784-128-64-10", way, sep = "; ")
  rbind(
    row("mnist", what, "mean accuracy", mnist_mean, mean(accuracies), sqrt(stats::var(accuracies) / draws + mnist_sd^2 / 100), draws, 3),
    row("mnist", what, "sd of accuracy", mnist_sd, stats::sd(accuracies), sqrt(again^2 + mnist_sd^2 / 200), draws, 3)
  )
}

# Pictures are small: they are in the repository.
picture <- function(name, draw, height = 4) {
  grDevices::png(file.path("bench", "reproduce", paste0(name, ".png")), 7, height, "in", res = 72)
  on.exit(grDevices::dev.off())
  graphics::par(mar = c(4, 4, 2, 1))
  draw()
}
