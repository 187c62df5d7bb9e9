# Draws the three pictures of README.md, those of the paper, into man/figures. They are installed, so they are small.
# Run from the top of the checkout: Rscript tools/readme_figures.R

library(wbb)

figure <- function(name, width, height, draw) {
  path <- file.path("man", "figures", paste0("README-", name, ".png"))
  dir.create(dirname(path), showWarnings = FALSE, recursive = TRUE)
  grDevices::png(path, width = width, height = height, units = "in", res = 84)
  draw()
  grDevices::dev.off()
  # Pictures of eight colours are a quarter as large.
  if (nzchar(Sys.which("pngquant"))) system2("pngquant", c("--speed=1", "--strip", "--nofs", "--force", "--output", path, "8", path))
  message("wrote ", path, ", ", file.size(path), " bytes")
}

figure("diabetes", 8, 5, function() plot(wbb_lasso(y ~ ., data = diabetes, seed = 1)))

# Section 3.3 of the paper, as in vignette("trend-filtering").
figure("trend", 5.2, 3.6, function() {
  set.seed(1)
  x <- 1:500
  truth <- sin(4 * pi * x / 500) * exp(3 * x / 500)
  plot(wbb_trendfilter(truth + stats::rnorm(500, sd = 2), x, order = 3, lambda = 1000, draws = 1000, seed = 1))
})

# Of all 60,000 digits: what inst/scripts/mnist.R measured.
figure("digits", 5.2, 3.6, function() {
  full <- utils::read.csv(file.path("inst", "extdata", "mnist-accuracy.csv.gz"))
  regimes <- unique(full$regime)
  graphics::par(mfrow = c(length(regimes), 1), mar = c(2, 1, 1.4, 1), mgp = c(2, 0.4, 0), tcl = -0.25, cex = 0.75)
  for (regime in regimes) {
    accuracy <- full$accuracy[full$regime == regime]
    graphics::hist(accuracy, seq(0.4, 1, by = 0.01), xlim = c(0.5, 1), main = "", axes = FALSE, ann = FALSE,
      col = "#0072B266", border = "white")
    graphics::axis(1, col = "grey75")
    limits <- stats::quantile(accuracy, c(0.025, 0.975))
    graphics::mtext(regime, adj = 0, font = 2, cex = 0.75)
    graphics::mtext(sprintf("%d draws, 95%% within %.3f to %.3f", length(accuracy), limits[1], limits[2]), adj = 1, cex = 0.7)
  }
})
