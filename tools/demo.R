# The paper's comparison on the diabetes data: the lasso's weighted Bayesian bootstrap with a
# fixed and with a random prior weight, and the Bayesian bridge, as a table and a figure. Run by
# `make demo`.
library(wbb)

fixed <- wbb_lasso(y ~ ., data = diabetes, prior_weight = "fixed", draws = 1000, seed = 1)
random <- update(fixed, prior_weight = "random")
bridge <- bayes_bridge(y ~ ., data = diabetes, alpha = 0.5, nu = c(shape = 2, rate = 2), seed = 1)
all <- compare("WBB fixed" = fixed, "WBB random" = random, "Bayesian bridge" = bridge)

cat(
  "\nDiabetes data. Weighted Bayesian bootstrap of the lasso, 1000 draws, prior weight fixed (1) or",
  "\nrandom (Exp(1)), lambda = ", format(fixed$lambda, digits = 4), " by cross-validation; and the Bayesian bridge, alpha = 1/2,",
  "\nnu ~ Gamma(2, 2), ", format(nrow(as.matrix(bridge)), big.mark = ",", scientific = FALSE), " draws of ",
  bridge$spec$chains, " chains (largest R-hat ", format(max(bridge$mcmc$rhat), digits = 4), ")\n\n", sep = ""
)
print(all)

figure <- file.path("output", "diabetes.png")
dir.create("output", showWarnings = FALSE)
grDevices::png(figure, width = 2400, height = 1500, res = 200)
plot(all, main = "Diabetes: weighted Bayesian bootstrap and Bayesian bridge")
invisible(grDevices::dev.off())
cat("\nThe marginal posteriors are drawn in ", figure, "\n", sep = "")
