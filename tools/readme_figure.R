# Draws man/figures/README-diabetes.png: what the first example of README.md shows. It is installed, so it is small.
# Run from the top of the checkout: Rscript tools/readme_figure.R

library(wbb)

fit <- wbb_lasso(y ~ ., data = diabetes, seed = 1)
path <- file.path("man", "figures", "README-diabetes.png")
dir.create(dirname(path), showWarnings = FALSE, recursive = TRUE)
grDevices::png(path, width = 8, height = 5, units = "in", res = 84)
plot(fit)
invisible(grDevices::dev.off())
message("wrote ", path)
