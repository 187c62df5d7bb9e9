# The main job on the diabetes data: the lasso's weighted Bayesian bootstrap with a
# random and with a fixed prior weight, as a table and a figure. Run by `make demo`.
library(wbb)

fits <- list(
  random = wbb_lasso(y ~ ., data = diabetes, prior_weight = "random", draws = 1000, seed = 1),
  fixed = wbb_lasso(y ~ ., data = diabetes, prior_weight = "fixed", draws = 1000, seed = 1)
)

columns <- lapply(names(fits), function(name) {
  draws <- as.matrix(fits[[name]])
  table <- cbind(
    mean = colMeans(draws), sd = apply(draws, 2, stats::sd), "P(beta=0)" = colMeans(draws == 0)
  )
  colnames(table) <- paste(name, colnames(table))
  table
})
cat(
  "\nDiabetes data, lasso by the weighted Bayesian bootstrap: 1000 draws,",
  "\nlambda = ", format(fits$random$lambda, digits = 4), " by cross-validation; ",
  "prior weight random (Exp(1)) or fixed (1)\n\n", sep = ""
)
options(width = 120)
print(round(do.call(cbind, columns), 3))

figure <- file.path("output", "diabetes.png")
dir.create("output", showWarnings = FALSE)
grDevices::png(figure, width = 2400, height = 1500, res = 200)
overlay <- wbb:::stack_plot_data(lapply(names(fits), function(name) {
  wbb:::plot_data(fits[[name]], type = "density", label = name)
}))
wbb:::draw_plot_data(overlay, main = "Diabetes: random and fixed prior weight")
invisible(grDevices::dev.off())
cat("\nThe marginal posteriors are drawn in ", figure, "\n", sep = "")
