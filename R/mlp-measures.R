# How good the predictions of networks are, and how sure: each measure as its posterior draws, or of the
# mean of the draws.

#' Accuracy and log-loss, draw by draw
#'
#' The share of rows that a draw classifies rightly, and the mean of
#' \eqn{-\log}{-log} of the probability that it gave to what was observed, for each draw: draws from
#' the posterior of these measures.
#'
#' `type = "mean"` gives the measure of the posterior mean probabilities, which is what
#' [predict()][predict.wbb_mlp] uses: usually better than most single draws.
#'
#' Probabilities below `.Machine$double.eps` count as that much, so that a single wrong certainty does not
#' make the log-loss infinite. The log-loss of regression is the mean negative log density of \eqn{N(f_k(x),
#' \sigma_k^2)}, with \eqn{\sigma_k} = `diagnostics$sigma` of the draw; of the mean it is that of the
#' mixture of the draws. Regression has no accuracy.
#'
#' @param object A fit of [wbb_mlp()], or of [wbb_lasso()] with the family `"binomial"` or `"multinomial"`.
#' @param x Data like those of the fit: a matrix, or a data frame; `NULL` is the test set in a fit of networks, and the
#'   fit's own rows for a lasso.
#' @param y What was observed there. In the formula interface it may be a column of `x`.
#' @param type `"draws"`, one number a draw; or `"mean"`, the measure of the mean of all draws' predictions.
#' @param ... Not used.
#' @return A numeric vector with one element for each draw that did not fail, or one number.
#' @examples
#' odd <- seq(1, 150, by = 2)
#' fit <- wbb_mlp(Species ~ ., iris[odd, ], hidden = 8, draws = 50, epochs = 60, batch_size = 25,
#'   standardize = TRUE, test = iris[-odd, ], seed = 1)
#' quantile(accuracy(fit), c(0.025, 0.5, 0.975))
#' accuracy(fit, type = "mean")
#' mean(log_loss(fit, iris[odd, ]))
#'
#' logistic <- wbb_lasso(am ~ wt + hp, mtcars, family = "binomial", lambda = 1, draws = 200, seed = 1)
#' quantile(accuracy(logistic), c(0.025, 0.5, 0.975))
#' @export
accuracy <- function(object, ...) UseMethod("accuracy")

#' @export
accuracy.default <- function(object, ...) hand_on("accuracy", object, c("generics", "yardstick"), ...)

#' @rdname accuracy
#' @export
#' @exportS3Method generics::accuracy wbb_mlp
accuracy.wbb_mlp <- function(object, x = NULL, y = NULL, type = c("draws", "mean"), ...) {
  check_dots(..., .function = "accuracy", .known = c("x", "y", "type"))
  type <- check_choice(type, "type", c("draws", "mean"))
  need_classes(object, "accuracy", "log_loss()")
  measure_of(observed_scores(object, x, y), "right", type)
}

#' @rdname accuracy
#' @export
log_loss <- function(object, ...) UseMethod("log_loss")

#' @export
log_loss.default <- function(object, ...) {
  bad_argument("object", "be a fit of wbb_mlp(), or of wbb_lasso() to classes", object)
}

#' @rdname accuracy
#' @export
log_loss.wbb_mlp <- function(object, x = NULL, y = NULL, type = c("draws", "mean"), ...) {
  check_dots(..., .function = "log_loss", .known = c("x", "y", "type"))
  check_fit(object)
  type <- check_choice(type, "type", c("draws", "mean"))
  measure_of(observed_scores(object, x, y), "loss", type)
}

# All measures of the draws at some rows, in one pass: means over the rows, of each draw (`right`, `loss`, `square`)
# and of the mean of the draws (`mean_right`, `mean_loss`).
observed_scores <- function(fit, x = NULL, y = NULL) {
  rows <- observed_rows(fit, x, y)
  question <- if (is.factor(rows$y)) {
    list(what = "classes", y = as.integer(rows$y))
  } else {
    list(what = "numbers", y = rows$y, sigma = network_sigma(fit))
  }
  lapply(ask_networks(fit, rows, question)$sums, function(sum) sum / rows$n)
}

measure_of <- function(scores, measure, type) scores[[if (type == "mean") paste0("mean_", measure) else measure]]

# The rows of a measure, with what was observed.
observed_rows <- function(fit, x, y) {
  if (is.null(x) || identical(x, "test")) {
    if (!is.null(y)) bad_argument("x", "be given with `y`", NULL, "is missing")
    rows <- kept_rows(fit)
    y <- fit$test$y
    if (is.null(y)) bad_argument("y", "be given with `x`: the test set in the fit has no response", NULL, "is missing")
    return(c(rows, list(y = y)))
  }
  rows <- prediction_rows(fit, x, "x")
  if (!rows$n) bad_argument("x", "have at least one row", x, "has none")
  if (is.null(y)) {
    y <- if (is.data.frame(x)) observed_response(fit$terms, x)
    if (is.null(y)) bad_argument("y", "be what was observed at `x`", NULL, "is missing")
  }
  c(rows, list(y = new_outcome(y, fit$levels, "y", rows$n)))
}

kept_rows <- function(fit) {
  if (is.null(fit$predictions)) {
    bad_argument("x", "be given for a fit without `test` set", NULL, "is missing",
      "Measures of the training are in fit$diagnostics.")
  }
  prediction_rows(fit, "test")
}

need_classes <- function(fit, what, instead) {
  check_fit(fit)
  if (!length(fit$levels)) {
    abort("argument", paste0("`object` is a regression and has no ", what, "; see ", instead, "."), "object")
  }
}

#' Are the probabilities right?
#'
#' Compares probabilities with frequencies: rows are put into bins by their predicted (posterior mean)
#' probability, and in each bin the mean prediction stands beside the share of rows where it came true.
#'
#' @inheritParams accuracy
#' @param class `NULL` looks at the probability of the predicted class, whichever it is (the confidence);
#'   the name of a class at the probability of that class. For the family `"binomial"` `NULL` is the success.
#' @param bins The number of bins, of equal width.
#' @param level The probability of the interval of the observed share: that of Jeffreys as Brown, Cai and
#'   DasGupta (2001) define it. With h of n rows true its limits are the equal-tailed quantiles of
#'   Beta(h + 1/2, n - h + 1/2), but for the lower one where none came true, which is 0, and the upper one where all
#'   did, which is 1.
#' @references
#' Brown, L. D., Cai, T. T. and DasGupta, A. (2001). Interval estimation for a binomial proportion. *Statistical
#' Science* 16, 101--133.
#' @return A data frame with a row for each bin that has rows: its limits `from` and `to`, the mean
#'   `predicted` probability, the `observed` share with its limits `lwr` and `upr`, and the `count` of rows.
#' @examples
#' odd <- seq(1, 150, by = 2)
#' fit <- wbb_mlp(Species ~ ., iris[odd, ], hidden = 8, draws = 50, epochs = 60, batch_size = 25,
#'   standardize = TRUE, test = iris[-odd, ], seed = 1)
#' calibration(fit, bins = 5)
#' calibration(fit, bins = 5, class = "virginica")
#'
#' logistic <- wbb_lasso(am ~ wt + hp, mtcars, family = "binomial", lambda = 1, draws = 200, seed = 1)
#' calibration(logistic, bins = 4)
#' @export
calibration <- function(object, ...) UseMethod("calibration")

#' @export
calibration.default <- function(object, ...) hand_on("calibration", object, "caret", ...)

#' @rdname calibration
#' @export
#' @exportS3Method caret::calibration wbb_mlp
calibration.wbb_mlp <- function(object, x = NULL, y = NULL, class = NULL, bins = 10, level = 0.95, ...) {
  check_dots(..., .function = "calibration", .known = c("x", "y", "class", "bins", "level"))
  need_classes(object, "calibration", "predict(interval = \"prediction\")")
  bins <- check_count(bins, "bins", 1, 1e6)
  level <- check_level(level)
  if (!is.null(class)) class <- match(check_choice(class, "class", object$levels), object$levels)
  rows <- observed_rows(object, x, y)
  prob <- ask_networks(object, rows, list(what = "mean"))$rows$mean
  chosen <- if (is.null(class)) max.col(prob, "first") else rep(class, rows$n)
  calibration_table(prob[cbind(seq_len(rows$n), chosen)], as.integer(rows$y) == chosen, bins, level)
}

# `true` is TRUE or FALSE, or the share of a row's trials.
calibration_table <- function(predicted, true, bins, level, trials = rep(1L, length(predicted))) {
  bin <- pmin(pmax(ceiling(predicted * bins), 1), bins)
  used <- sort(unique(bin[trials > 0]))
  sums <- function(values) as.vector(rowsum(values, bin, reorder = TRUE))[match(used, sort(unique(bin)))]
  count <- sums(trials)
  hits <- sums(true * trials)
  limits <- vapply(interval_probs(level), stats::qbeta, numeric(length(used)), hits + 0.5, count - hits + 0.5)
  limits <- matrix(limits, ncol = 2L)
  # A share that was observed is inside its interval.
  limits[hits == 0, 1L] <- 0
  limits[hits == count, 2L] <- 1
  data.frame(
    from = (used - 1) / bins, to = used / bins,
    predicted = sums(predicted * trials) / count,
    observed = hits / count, lwr = limits[, 1L], upr = limits[, 2L], count = count
  )
}

#' Uncertainty of predictions: the data's and the model's
#'
#' Splits the uncertainty of each prediction in two. Classification: the entropy of the mean probabilities
#' (`total`) is the mean entropy of the draws' own probabilities (`data`: what would remain if the network
#' were known) plus the mutual information of class and network (`model`: what more
#' observations would take away). Regression: the variance of a new response (`total`) is the
#' mean of \eqn{\sigma_k^2} over the draws plus the variance of the draws' predictions.
#'
#' Entropies are in nats; divide by `log(2)` for bits. The largest possible is the log of the number of classes.
#'
#' @param object A fit of [wbb_mlp()].
#' @param x Data like those of the fit; `NULL` is the test set in the fit.
#' @param ... Not used.
#' @return A data frame with one row for each row of `x` and the columns `total`, `data` and `model`.
#' @examples
#' odd <- seq(1, 150, by = 2)
#' fit <- wbb_mlp(Species ~ ., iris[odd, ], hidden = 8, draws = 50, epochs = 60, batch_size = 25,
#'   standardize = TRUE, seed = 1)
#' even <- uncertainty(fit, iris[-odd, ])
#' even[order(-even$model)[1:3], ]
#' @export
uncertainty <- function(object, ...) UseMethod("uncertainty")

#' @export
uncertainty.default <- function(object, ...) bad_argument("object", "be a fit of wbb_mlp()", object)

#' @rdname uncertainty
#' @export
uncertainty.wbb_mlp <- function(object, x = NULL, ...) {
  check_dots(..., .function = "uncertainty", .known = "x")
  check_fit(object)
  rows <- if (is.null(x)) kept_rows(object) else prediction_rows(object, x, "x")
  classes <- length(object$levels) > 0L
  parts <- ask_networks(object, rows, list(what = "spread", classes = classes))$rows
  data <- if (classes) parts$data[, 1L] else rep(mean(network_sigma(object)^2), rows$n)
  model <- parts$model[, 1L]
  data.frame(total = data + model, data = data, model = model, row.names = rows$names)
}
