# Makes data/diabetes.rda; run from the top of the checkout:
#   Rscript data-raw/diabetes.R
#
# Source: the diabetes study of Efron, B., Hastie, T., Johnstone, I. and
# Tibshirani, R. (2004), Least Angle Regression, Annals of Statistics 32(2),
# 407-499. diabetes.csv holds its 442 patients on the scale they were measured
# on: ten baseline variables and the response y.
diabetes <- utils::read.csv("data-raw/diabetes.csv")

stopifnot(
  identical(dim(diabetes), c(442L, 11L)),
  identical(
    names(diabetes),
    c("age", "sex", "bmi", "map", "tc", "ldl", "hdl", "tch", "ltg", "glu", "y")
  ),
  !anyNA(diabetes)
)

save(diabetes, file = "data/diabetes.rda", compress = "xz")
