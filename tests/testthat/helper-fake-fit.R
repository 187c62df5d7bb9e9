# A fit made of given draws, to test what is drawn without solving anything.
# `draws` is a matrix, or an array with one slice a lambda.
fake_fit <- function(draws, lambda = 1, cv = NULL, intercept = FALSE) {
  names <- dimnames(draws)[[2]]
  count <- nrow(draws)
  path <- length(lambda) > 1
  middle <- apply(draws, if (path) c(2, 3) else 2, function(x) if (all(is.na(x))) NA else stats::median(x, na.rm = TRUE))
  diagnostics <- data.frame(draw = rep(seq_len(count), length(lambda)), status = factor("converged"), sigma = 1)
  if (path) diagnostics$lambda <- rep(lambda, each = count)
  new_wbb("wbb_lasso", list(), list(
    call = quote(wbb_lasso(x, y)), draws = draws, mode = middle, lambda = lambda,
    lambda_from = if (is.null(cv)) "user" else "cv", cv = cv, diagnostics = diagnostics,
    mode_diagnostics = data.frame(lambda = lambda, status = factor("converged"), sigma = 1),
    spec = list(
      weights = weight_law("exponential"), prior_weight = "random", alpha = 1, intercept = intercept, refit = NULL,
      n = 20, p = length(names) - intercept, names = names, columns = names[names != "(Intercept)"], named = TRUE,
      segments = data.frame(seed = 1, first_draw = 1, draws = count)
    )
  ))
}

# Every shape of column that a picture must survive. The draws are fixed numbers, not
# random ones, so that pictures do not depend on a generator.
awkward_draws <- function(count = 100) {
  z <- stats::qnorm(stats::ppoints(count))
  z <- z[order(sin(seq_along(z) * 7))]
  draws <- cbind(
    zeros = 0, constant = 3.2, `one not zero` = c(2, rep(0, count - 1)), half = pmax(z, 0), both = sign(z) * pmax(abs(z) - 0.5, 0),
    `100% [x]^2` = z, german = 5 + z, dup = z, dup = 2 * z, missing = c(NA, NaN, z[-(1:2)]), none = NA_real_,
    a_very_long_name_of_a_column_that_nobody_would_want_to_type_twice = exp(z)
  )
  colnames(draws)[colnames(draws) == "german"] <- "gr\u00f6\u00dfe"
  draws
}

fake_path <- function(lambda = c(10, 1, 0)) {
  z <- awkward_draws()[, c("both", "100% [x]^2")]
  draws <- vapply(lambda, function(l) sign(z) * pmax(abs(z) - l / 20, 0), z)
  fake_fit(draws, lambda)
}

fake_cv <- function(rule = "min") {
  lambda <- 10^seq(3, 0, length.out = 20)
  curve <- data.frame(lambda = lambda, mean = 2 + (log10(lambda) - 1)^2, se = 0.5, nonzero = 0:19)
  list(curve = curve, lambda_min = lambda[14], lambda_1se = lambda[10], rule = rule, nfolds = 10)
}

# Draws where nobody looks.
on_device <- function(code) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  force(code)
}
