# Predictions of networks: Rust asks all of them and gives back what was asked for, not all their answers.

#' Predictions of networks, with intervals
#'
#' Predicts classes, probabilities or numbers at new data from all draws of a [wbb_mlp()].
#'
#' The probability of a class is its posterior mean, the mean of the draws' probabilities; the class is
#' the one with the largest mean. Credible intervals are quantiles over the draws. Prediction intervals (of
#' regression) are those of [predict.wbb_lasso()]: a new response has the standard deviation
#' `diagnostics$sigma` of the draw around it.
#'
#' New data are matched to the fit as in [predict.wbb_lasso()]. Draws without a network (see
#' `diagnostics$status`) are left out.
#'
#' @param object A fit of [wbb_mlp()].
#' @param newdata A data frame, or a matrix if the fit was made from one; by default the training
#'   data. `"test"` is the test set whose predictions are in the fit.
#' @param type For classification `"prob"` (`"response"` is the same), `"class"` or `"draws"`; for
#'   regression `"response"` or `"draws"`. For `residuals()`, of regression, see [residuals()][residuals.wbb].
#' @param interval `"none"`, `"credible"`, or for regression `"prediction"`.
#' @param level The probability of the interval.
#' @param ... Not used.
#' @return For classification `"prob"`: a matrix, rows of data by classes, and with an interval an array
#'   with a third dimension `fit`, `lwr`, `upr`. `"class"`: a factor. `"draws"`: an array, draws by rows
#'   by classes. For regression a vector; with an interval a matrix with columns `fit`, `lwr` and `upr`;
#'   for `"draws"` a matrix, draws by rows.
#' @examples
#' odd <- seq(1, 150, by = 2)
#' fit <- wbb_mlp(Species ~ ., iris[odd, ], hidden = 8, draws = 20, epochs = 60, batch_size = 25,
#'   standardize = TRUE, seed = 1)
#' new <- iris[c(2, 84, 134), ]
#' predict(fit, new)
#' predict(fit, new, "class")
#' predict(fit, new, interval = "credible", level = 0.9)[, "virginica", ]
#' dim(predict(fit, new, "draws"))
#' @export
predict.wbb_mlp <- function(object, newdata = NULL, type = c("prob", "class", "draws", "response"),
                            interval = c("none", "credible", "prediction"), level = 0.95, ...) {
  check_dots(..., .function = "predict", .known = names(formals()))
  check_fit(object)
  type <- check_type(type, length(object$levels) > 0L)
  interval <- check_choice(interval, "interval", c("none", "credible", "prediction"))
  level <- check_level(level)
  check_mlp_interval(interval, type, object)
  rows <- prediction_rows(object, newdata)
  if (type == "draws") return(pad_draws(if (is.null(newdata)) object$na.action, all_predictions(object, rows)))
  out <- if (length(object$levels)) {
    predict_classes(object, rows, type, interval, level)
  } else {
    predict_numbers(object, rows, interval, level)
  }
  if (is.null(newdata)) pad_rows(object$na.action, out) else out
}

check_type <- function(type, classes) {
  choices <- c("prob", "class", "draws", "response")
  if (!classes && identical(type, choices)) return("response")
  type <- check_choice(type, "type", choices)
  if (!classes && !type %in% c("response", "draws")) {
    bad_argument("type", "be \"response\" or \"draws\" for regression", type)
  }
  if (type == "response" && classes) "prob" else type
}

check_mlp_interval <- function(interval, type, fit) {
  if (interval == "none") return(invisible())
  if (type %in% c("class", "draws")) {
    bad_argument("interval", paste0("be \"none\" with type = ", show_value(type)), interval)
  }
  if (interval == "prediction" && length(fit$levels)) {
    bad_argument("interval", "be \"none\" or \"credible\" for classes", interval)
  }
}

predict_classes <- function(fit, rows, type, interval, level) {
  answers <- ask_networks(fit, rows, interval_question(interval, interval_probs(level), network_sigma(fit)))$rows
  if (interval == "none") {
    prob <- answers$mean
    dimnames(prob) <- list(rows$names, fit$levels)
    return(if (type == "class") likeliest(prob, fit$levels) else prob)
  }
  array(unlist(answers, use.names = FALSE), c(rows$n, length(fit$levels), 3L),
    list(rows$names, fit$levels, c("fit", "lwr", "upr")))
}

likeliest <- function(prob, levels) {
  class <- factor(levels[max.col(prob, "first")], levels)
  names(class) <- rownames(prob)
  class
}

predict_numbers <- function(fit, rows, interval, level) {
  answers <- ask_networks(fit, rows, interval_question(interval, interval_probs(level), network_sigma(fit)))$rows
  out <- do.call(cbind, unname(answers))
  rownames(out) <- rows$names
  if (interval == "none") return(out[, 1L])
  colnames(out) <- c("fit", "lwr", "upr")
  out
}

# Of the draws that have a network; empty for classes.
network_sigma <- function(fit) as.double(fit$diagnostics$sigma[usable_draws(fit)])

# Rows that na.exclude left out come back as NA.
pad_rows <- function(na_action, out) {
  if (length(dim(out)) < 3L) return(stats::napredict(na_action, out))
  slices <- lapply(seq_len(dim(out)[3L]), function(k) {
    stats::napredict(na_action, matrix(out[, , k], nrow(out), ncol(out), dimnames = dimnames(out)[1:2]))
  })
  array(unlist(slices), c(dim(slices[[1L]]), length(slices)), c(dimnames(slices[[1L]]), dimnames(out)[3L]))
}

# Rows to predict ------------------------------------------------------------------

# list(n, names, x), with x NULL for the test set in the fit.
prediction_rows <- function(fit, newdata, argument = "newdata") {
  if (identical(newdata, "test")) {
    if (is.null(fit$predictions)) {
      bad_argument(argument, "be data: the fit was made without `test`", newdata)
    }
    return(list(n = fit$test$n, names = fit$test$names))
  }
  # Rather say what is missing than which of the data are.
  fit_networks(fit)
  x <- if (is.null(newdata)) own_columns(fit) else new_x(fit, newdata, argument)
  names <- if (is.null(newdata)) fit$row_names else rownames(x)
  list(n = nrow(x), names = names, x = x)
}

# Asking ---------------------------------------------------------------------------

# The reply of all draws to a question about `rows`; see R/ask.R.
ask_networks <- function(fit, rows, question) {
  if (!rows$n) return(empty_reply(question, length(fit$levels)))
  if (is.null(rows$x)) ask_kept(fit, rows, question) else ask_new(fit, rows, question)
}

ask_new <- function(fit, rows, question) {
  networks <- fit_networks(fit)
  settings <- fit$spec[c("hidden", "classes", "activation", "center", "scale", "y_center", "y_scale", "threads")]
  reply <- reply_of(function() rust_mlp_predict_job(to_shelf(networks), rust_matrix(rows$x), question, settings), rows$n)
  if (anyNA(reply, recursive = TRUE)) {
    abort("fit", "This fit has been changed and cannot be used: its networks predict no numbers; make it again, e.g. with eval(fit$call).")
  }
  reply
}

# About 30 MB of doubles: R cannot be interrupted while it copies them.
kept_block <- 4e6

# Answers in the fit go to Rust in blocks of rows, which leave it as large as it is.
ask_kept <- function(fit, rows, question, numbers = kept_block) {
  usable <- usable_draws(fit)
  outputs <- max(1L, length(fit$levels))
  size <- max(1, floor(numbers / (length(usable) * outputs)))
  parts <- lapply(seq(0, rows$n - 1, by = size), function(before) {
    at <- before + seq_len(min(size, rows$n - before))
    block <- kept_predictions(fit, usable, at)
    if (!is.null(question$y)) question$y <- question$y[at]
    reply_of(function() rust_kept_job(block, as.double(dim(block)), question, fit$spec["threads"]), length(at))
  })
  Reduce(join_replies, parts)
}

# Regression has no third dimension.
kept_predictions <- function(fit, draws, rows) {
  if (length(fit$levels)) fit$predictions[draws, rows, , drop = FALSE] else fit$predictions[draws, rows, drop = FALSE]
}

join_replies <- function(first, second) {
  list(rows = Map(rbind, first$rows, second$rows), sums = Map(`+`, first$sums, second$sums))
}

# No rows have nothing to say.
empty_reply <- function(question, classes) {
  parts <- switch(question$what,
    mean = "mean", credible = , prediction = c("mean", "lower", "upper"), spread = c("data", "model")
  )
  outputs <- if (question$what == "spread") 1L else max(1L, classes)
  list(rows = stats::setNames(rep(list(matrix(0, 0L, outputs)), length(parts)), parts))
}

all_predictions <- function(fit, rows) {
  usable <- usable_draws(fit)
  shape <- c(length(usable), rows$n, if (length(fit$levels)) length(fit$levels))
  check_size(prod(as.double(shape)), "the predictions", "newdata", NULL, "Predict fewer rows at a time.")
  out <- if (is.null(rows$x)) {
    kept_predictions(fit, usable, seq_len(rows$n))
  } else if (rows$n) {
    ask_networks(fit, rows, list(what = "draws"))$draws
  } else {
    double()
  }
  attributes(out) <- list(dim = shape, dimnames = c(list(NULL, rows$names), if (length(fit$levels)) list(fit$levels)))
  out
}

#' @rdname predict.wbb_mlp
#' @export
fitted.wbb_mlp <- function(object, ...) {
  check_dots(..., .function = "fitted", .known = character())
  predict(object)
}

#' @rdname predict.wbb_mlp
#' @export
residuals.wbb_mlp <- function(object, type = c("response", "working", "deviance", "pearson"), ...) {
  check_dots(..., .function = "residuals", .known = "type")
  check_fit(object)
  check_kept(object, "y")
  if (length(object$levels)) {
    abort("argument", "`object` is a classification and has no residuals; see predict(), log_loss() and calibration().",
      "object")
  }
  type <- check_choice(type, "type", residual_types)
  na_action <- object$na.action
  object$na.action <- NULL
  parts <- list(y = object$y, fitted = predict(object), weights = row_weights(object))
  stats::naresid(na_action, family_of(object)$residuals(parts, type))
}
