# A small problem of each family, and the same by the programs that R has for it.

family_data <- function(n = 80) {
  with_seed(4, {
    d <- data.frame(a = rnorm(n), b = runif(n), g = factor(sample(c("u", "v", "w"), n, TRUE)), o = rnorm(n, sd = 0.3))
    eta <- 0.8 * d$a - d$b + (d$g == "w") + d$o
    d$yes <- rbinom(n, 1, plogis(eta))
    d$trials <- rpois(n, 4) + 1
    d$hits <- rbinom(n, d$trials, plogis(eta))
    d$count <- rpois(n, exp(eta))
    d$class <- c("x", "y", "z")[1 + rbinom(n, 2, plogis(eta))]
    d$time <- ceiling(20 * rexp(n, exp(eta)))
    d$event <- rbinom(n, 1, 0.7)
    d
  })
}

# The left-hand sides as formulas take them.
family_responses <- c(
  gaussian = "o", binomial = "yes", poisson = "count", multinomial = "class", cox = "survival::Surv(time, event)"
)

quick_family <- function(family, ..., rhs = "a + b + g", data = family_data()) {
  call <- match.call()
  call[[1L]] <- quote(quick)
  call$formula <- stats::as.formula(paste(family_responses[[family]], "~", rhs), globalenv())
  call["rhs"] <- NULL
  call$family <- family
  call$data <- data
  eval(call, parent.frame())
}
