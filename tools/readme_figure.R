# Draws the pictures of README.md into man/figures; they are installed with the help pages, so they are small.
# Run from the top of the checkout: Rscript tools/readme_figure.R

library(wbb)

draw <- function(name, width, height, code) {
  path <- file.path("man", "figures", paste0("README-", name, ".png"))
  dir.create(dirname(path), showWarnings = FALSE, recursive = TRUE)
  grDevices::png(path, width = width, height = height, units = "in", res = 84)
  on.exit(grDevices::dev.off())
  code()
  message("wrote ", path, ", ", file.size(path), " bytes")
}

# The first example.
fit <- wbb_lasso(y ~ ., data = diabetes, seed = 1)
draw("diabetes", 8, 5, function() plot(fit))

# The paper's series and its networks, stopped early; see the vignettes.
set.seed(1)
i <- 1:500
series <- wbb_trendfilter(sin(4 * pi * i / 500) * exp(3 * i / 500) + rnorm(500, 0, 2), i, order = 3, seed = 1)
x <- digits$x / 255
networks <- suppressWarnings(wbb_mlp(x[digits$train, ], digits$y[digits$train], draws = 200, epochs = 1, batch_size = 40,
  learning_rate = 0.5, init = "fresh", average = 0, test = list(x = x[!digits$train, ], y = digits$y[!digits$train]), seed = 1))
parts <- c("trend", "accuracy")
for (part in parts) {
  draw(part, 4.4, 3.4, function() if (part == "trend") plot(series) else plot(networks, "accuracy"))
}
