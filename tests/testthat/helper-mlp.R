# Small networks, and the same network in plain R.

# wbb_mlp() on every other row of iris, tested on the rest; built and evaluated where the test stands.
quick_mlp <- function(...) {
  call <- match.call()
  call[[1L]] <- quote(wbb_mlp)
  defaults <- list(
    formula = quote(Species ~ .), data = quote(iris[c(TRUE, FALSE), ]), hidden = 6, draws = 12, lambda = 1e-4, epochs = 30,
    batch_size = 25, standardize = TRUE, seed = 1, threads = 1
  )
  # Plain steps, unless others are asked for.
  if (!"optimizer" %in% names(call)) defaults$learning_rate <- 0.1
  if (!is.null(names(call)) && "x" %in% names(call)) defaults[c("formula", "data")] <- NULL
  for (name in setdiff(names(defaults), names(call))) call[[name]] <- defaults[[name]]
  brief(eval(call, parent.frame()))
}

# Where what is trained matters little.
small_mlp <- function(..., lambda = 1e-4) brief(wbb_mlp(..., lambda = lambda, seed = 1, threads = 1))

# Most tests need no more than a few epochs, and no warning that these were few.
brief <- function(code) {
  withCallingHandlers(code, wbb_warning_training = function(warning) invokeRestart("muffleWarning"))
}

# Networks for classes and for numbers, each with a test set.
tested_classes <- function() quick_mlp(hidden = c(5, 4), test = iris[c(FALSE, TRUE), ])
tested_numbers <- function() {
  brief(wbb_mlp(dist ~ speed, cars, hidden = c(4, 3), activation = "tanh", draws = 15, lambda = 1e-4, epochs = 50,
    learning_rate = 0.3, test = cars[c(1, 20, 50), ], seed = 1, threads = 1))
}

brief_call <- function(arguments) {
  if (is.null(arguments$lambda)) arguments$lambda <- 1e-4
  brief(do.call(wbb_mlp, arguments))
}

# A draw's outputs from its row of as.matrix(), in the order W1, b1, W2, ..., and x in the user's units.
plain_network <- function(theta, x, sizes, activation = "relu") {
  x <- unname(x)
  before <- 0
  for (l in seq_along(sizes)[-1L]) {
    w <- matrix(theta[before + seq_len(sizes[l - 1L] * sizes[l])], sizes[l - 1L], byrow = TRUE)
    before <- before + length(w)
    x <- x %*% w + rep(theta[before + seq_len(sizes[l])], each = nrow(x))
    before <- before + sizes[l]
    if (l < length(sizes)) x <- switch(activation, relu = pmax(x, 0), tanh = tanh(x), identity = x)
  }
  x
}

softmax <- function(z) {
  e <- exp(z - apply(z, 1L, max))
  e / rowSums(e)
}

# The part of a fit of networks that must not depend on how it was computed.
same_networks <- function(a, b) {
  for (part in c("draws", "predictions", "curves", "diagnostics", "test", "levels")) expect_identical(a[[part]], b[[part]])
}

# A fit with given curves, accuracies and predictions, so that pictures do not depend on the machine.
pictured_fit <- function(draws = 20, epochs = 15) {
  fit <- quick_mlp(draws = draws, epochs = epochs, test = iris[c(FALSE, TRUE), ])
  z <- stats::qnorm(stats::ppoints(draws))[order(sin(seq_len(draws) * 7))]
  fit$curves[] <- outer(z, seq_len(epochs), function(z, k) (1 + 0.1 * z) * exp(-k / 3) + 0.05 * (1.5 + 0.3 * z))
  # One draw stopped early, another has no network.
  fit$curves[3, 10:epochs] <- NA
  fit$diagnostics$status[5] <- "diverged"
  fit$diagnostics$accuracy <- round(0.95 + 0.01 * z, 3)
  truth <- as.integer(fit$test$y)
  for (k in seq_len(draws)) {
    sure <- stats::plogis(3 + z[k] + 2.5 * cos(seq_along(truth) * 5))
    named <- ifelse(sin(seq_along(truth) * 3) > 0.93, truth %% 3 + 1, truth)
    for (class in 1:3) fit$predictions[k, , class] <- ifelse(named == class, sure, (1 - sure) / 2)
  }
  fit
}
