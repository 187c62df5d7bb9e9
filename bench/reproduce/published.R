# What the papers printed, typed in.

# Newton, Polson and Xu (2021), Tables 1 to 3; p = 40, 60, 80, 100, 120. Where n = p/2, the column p = 100 is the one of n = 50.
newton <- list(
  `n = 50` = list(
    `A(i)` = list(
      wbb = rbind(beta = c(0.19, 0.06, 0.05, 0.04, 0.03), test = c(3.34, 3.37, 3.40, 3.60, 3.72), cover = c(0.92, 0.92, 0.93, 0.94, 0.95)),
      lasso = rbind(beta = c(0.13, 0.09, 0.06, 0.05, 0.04), test = c(3.35, 3.42, 3.43, 3.61, 3.68), cover = c(0.91, 0.92, 0.93, 0.94, 0.94))
    ),
    `A(ii)` = list(
      wbb = rbind(beta = c(7.40, 2.89, 2.31, 1.90, 1.62), test = c(121.45, 123.40, 129.89, 134.04, 140.44), cover = c(0.91, 0.92, 0.94, 0.94, 0.95)),
      lasso = rbind(beta = c(5.59, 3.74, 2.90, 2.33, 1.96), test = c(119.65, 124.03, 130.49, 132.21, 135.46), cover = c(0.91, 0.93, 0.95, 0.96, 0.96))
    ),
    B = list(
      wbb = rbind(beta = c(1.77, 0.49, 0.50, 0.51, 0.52), test = c(20.61, 32.47, 46.27, 60.59, 78.71), cover = c(0.95, 0.96, 0.94, 0.93, 0.91)),
      lasso = rbind(beta = c(0.67, 0.67, 0.68, 0.70, 0.70), test = c(20.24, 33.18, 46.75, 61.86, 80.57), cover = c(1, 1, 1, 1, 1))
    )
  ),
  `n = p/2` = list(
    `A(i)` = list(
      wbb = rbind(beta = c(0.14, 0.08, 0.05, NA, 0.03), test = c(3.65, 3.75, 3.66, NA, 3.65), cover = c(0.91, 0.92, 0.93, NA, 0.94)),
      lasso = rbind(beta = c(0.13, 0.08, 0.06, NA, 0.05), test = c(4.55, 4.15, 3.83, NA, 3.61), cover = c(0.93, 0.93, 0.94, NA, 0.94))
    ),
    `A(ii)` = list(
      wbb = rbind(beta = c(6.58, 3.80, 2.53, NA, 1.47), test = c(145.73, 141.35, 133.66, NA, 132.23), cover = c(0.91, 0.93, 0.94, NA, 0.95)),
      lasso = rbind(beta = c(6.88, 4.09, 2.88, NA, 1.94), test = c(180.56, 153.56, 136.82, NA, 128.39), cover = c(0.92, 0.94, 0.95, NA, 0.96))
    ),
    B = list(
      wbb = rbind(beta = c(0.68, 0.62, 0.55, NA, 0.48), test = c(21.80, 34.82, 47.76, NA, 75.29), cover = c(0.94, 0.93, 0.93, NA, 0.92)),
      lasso = rbind(beta = c(0.52, 0.56, 0.64, NA, 0.74), test = c(26.35, 39.23, 50.77, NA, 73.63), cover = c(1, 1, 1, NA, 1))
    )
  )
)
newton_columns <- c(40, 60, 80, 100, 120)
newton_sets <- 500

# Ng and Newton (2022): means over 500 data sets, from the results that the authors keep beside their script; fixed, random and one penalty
# weight a coefficient. `cover` and `width` are those of 90 % intervals of the six coefficients that are not zero, `selects` the share of
# draws in which the seventh, which is zero, is not; `distance` the median over data sets of what they call total variation, `selects_mcmc`
# the share of draws of their MCMC.
ng_schemes <- c("fixed", "random", "coef")
ng_settings <- list(
  list(n = 100, p = 10, error = "normal", correlation = 1, cover = c(0.8653, 0.8720, 0.8987), width = c(0.3413, 0.3654, 0.4770),
    selects = c(0.1993, 0.3884, 0.4315), distance = c(0.0115, 0.0147, 0.0209), selects_mcmc = 0.1846),
  list(n = 500, p = 10, error = "normal", correlation = 1, cover = c(0.8993, 0.8970, 0.9080), width = c(0.1563, 0.1563, 0.1608),
    selects = c(0.1978, 0.3910, 0.4107), distance = c(0.0034, 0.0052, 0.0092), selects_mcmc = 0.0953),
  list(n = 100, p = 10, error = "chi-squared", correlation = 1, cover = c(0.8557, 0.8777, 0.9387), width = c(0.6915, 0.8653, 1.3304),
    selects = c(0.1776, 0.3782, 0.4115), distance = c(0.0245, 0.0293, 0.0450), selects_mcmc = 0.2688),
  list(n = 500, p = 10, error = "chi-squared", correlation = 1, cover = c(0.8830, 0.8823, 0.8967), width = c(0.3107, 0.3127, 0.3412),
    selects = c(0.2084, 0.4108, 0.4182), distance = c(0.0069, 0.0099, 0.0146), selects_mcmc = 0.1611),
  list(n = 100, p = 10, error = "normal", correlation = 2, cover = c(0.8533, 0.8763, 0.9433), width = c(0.4138, 0.6138, 1.4328),
    selects = c(0.5653, 0.5880, 0.5822), distance = c(0.0270, 0.0325, 0.0888), selects_mcmc = 0.2408),
  list(n = 500, p = 10, error = "normal", correlation = 2, cover = c(0.8717, 0.9010, 0.9667), width = c(0.1820, 0.3678, 1.3238),
    selects = c(0.5169, 0.5162, 0.5691), distance = c(0.0110, 0.0164, 0.1144), selects_mcmc = 0.1300),
  list(n = 100, p = 50, error = "normal", correlation = 1, cover = c(0.8653, 0.8970, 0.9877), width = c(0.3490, 0.5131, 1.5376),
    selects = c(0.0228, 0.1766, 0.2747), distance = c(0.0156, 0.0088, 0.0203), selects_mcmc = 0.2560),
  list(n = 500, p = 50, error = "normal", correlation = 1, cover = c(0.8780, 0.8787, 0.8947), width = c(0.1563, 0.1566, 0.1633),
    selects = c(0.0220, 0.2433, 0.2685), distance = c(0.0030, 0.0048, 0.0058), selects_mcmc = 0.1353)
)

# The cubic trend filter of Newton, Polson and Xu: the curve and half the width of its band at some positions, read off the lines of the figure, which is
# a vector drawing (to 0.001).
trend_at <- c(1, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500)
trend_curve <- c(0.304, 1.192, 1.089, -1.529, -3.022, 0.058, 5.742, 4.815, -6.385, -14.347, -0.084)
trend_half <- c(0.851, 0.378, 0.316, 0.336, 0.353, 0.401, 0.313, 0.246, 0.464, 0.474, 0.582)

# Their 100 test accuracies on MNIST: of the results that they keep beside the script of the figure.
mnist_mean <- 0.715
mnist_sd <- 0.125
mnist_quantiles <- c(0.426, 0.632, 0.733, 0.819, 0.886)
