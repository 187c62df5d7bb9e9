# Predictions of networks: rows go through all draws in blocks, so that memory stays bounded.

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
  blocks <- over_rows(fit, rows, function(p, at) {
    flat <- matrix(p, nrow(p))
    mean <- matrix(colMeans(flat), dim(p)[2L], dim(p)[3L])
    if (interval == "none") return(mean)
    limits <- column_quantiles(flat, interval_probs(level))
    array(c(mean, limits[1L, ], limits[2L, ]), c(dim(mean), 3L))
  })
  if (interval == "none") {
    prob <- do.call(rbind, blocks)
    dimnames(prob) <- list(rows$names, fit$levels)
    return(if (type == "class") likeliest(prob, fit$levels) else prob)
  }
  out <- array(0, c(rows$n, length(fit$levels), 3L), list(rows$names, fit$levels, c("fit", "lwr", "upr")))
  for (k in 1:3) out[, , k] <- do.call(rbind, lapply(blocks, function(block) matrix(block[, , k], nrow(block))))
  out
}

likeliest <- function(prob, levels) {
  class <- factor(levels[max.col(prob, "first")], levels)
  names(class) <- rownames(prob)
  class
}

predict_numbers <- function(fit, rows, interval, level) {
  sigma <- fit$diagnostics$sigma[usable_draws(fit)]
  probs <- interval_probs(level)
  blocks <- over_rows(fit, rows, function(f, at) {
    limits <- switch(interval,
      none = NULL,
      credible = t(column_quantiles(f, probs)),
      prediction = matrix(vapply(probs, mixture_quantile, numeric(ncol(f)), centre = t(f), sigma = sigma), ncol = 2L)
    )
    unname(cbind(colMeans(f), limits))
  })
  out <- do.call(rbind, blocks)
  rownames(out) <- rows$names
  if (interval == "none") return(out[, 1L])
  colnames(out) <- c("fit", "lwr", "upr")
  out
}

# Rows that na.exclude left out come back as NA.
pad_rows <- function(na_action, out) {
  if (length(dim(out)) < 3L) return(stats::napredict(na_action, out))
  slices <- lapply(seq_len(dim(out)[3L]), function(k) {
    stats::napredict(na_action, matrix(out[, , k], nrow(out), dimnames = dimnames(out)[1:2]))
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

# About 100 MB of doubles.
network_block <- 1.25e7

# Applies `reduce` to the predictions of blocks of rows, draws by rows (by classes), and the rows' numbers.
over_rows <- function(fit, rows, reduce, numbers = network_block) {
  draws <- length(usable_draws(fit))
  size <- max(1, floor(numbers / (draws * max(1, length(fit$levels)))))
  # No rows are one empty block.
  lapply(seq(0, by = size, length.out = max(1, ceiling(rows$n / size))), function(before) {
    at <- before + seq_len(min(size, rows$n - before))
    reduce(block_predictions(fit, rows, at), at)
  })
}

all_predictions <- function(fit, rows) {
  numbers <- as.double(length(usable_draws(fit))) * rows$n * max(1, length(fit$levels))
  check_size(numbers, "the predictions", "newdata", NULL, "Predict fewer rows at a time.")
  out <- block_predictions(fit, rows, seq_len(rows$n))
  dimnames(out) <- c(list(NULL, rows$names), if (length(fit$levels)) list(fit$levels))
  out
}

block_predictions <- function(fit, rows, at) {
  usable <- usable_draws(fit)
  classes <- length(fit$levels)
  shape <- c(length(usable), length(at), if (classes) classes)
  if (!length(at)) return(array(0, shape))
  if (is.null(rows$x)) {
    if (all(shape == dim(fit$predictions))) return(unname(fit$predictions))
    return(unname(if (classes) fit$predictions[usable, at, , drop = FALSE] else fit$predictions[usable, at, drop = FALSE]))
  }
  x <- if (length(at) == rows$n) rows$x else rows$x[at, , drop = FALSE]
  settings <- fit$spec[c("hidden", "classes", "activation", "center", "scale", "y_center", "y_scale", "threads")]
  out <- mlp_predict_job(fit_networks(fit), x, settings)$predictions
  dim(out) <- shape
  out
}

mlp_predict_job <- function(networks, x, settings) {
  job_result(run_job(function() rust_mlp_predict_job(networks, rust_matrix(x), settings)))
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
  na_action <- object$na.action
  object$na.action <- NULL
  stats::naresid(na_action, typed_residuals(object, object$y - predict(object), type))
}
