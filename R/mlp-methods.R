# What fits of networks show of themselves: measures of the draws, not a hundred thousand parameters.

#' @export
describe.wbb_mlp <- function(fit) {
  spec <- fit$spec
  sizes <- paste(c(spec$p, spec$hidden, max(1, spec$classes)), collapse = "-")
  name <- paste0("network ", sizes, if (length(spec$hidden)) paste0(" (", spec$activation, ")"))
  data <- paste0(counted(spec$n, "row"), ", ", counted(spec$p, "column"), " ",
    if (spec$standardize) "standardised" else "as they are",
    if (spec$classes) paste0(", ", spec$classes, " classes") else ", regression",
    if (spec$n_test) paste0("; ", counted(spec$n_test, "row"), " to test"))
  words <- describe_bootstrap(fit, name, data)
  batches <- if (spec$batch_size < spec$n) {
    paste0("batches of ", with_commas(spec$batch_size), ", ", spec$batches)
  } else {
    "full batch"
  }
  step <- paste0(spec$optimizer, if (spec$optimizer == "momentum") paste0(" (", format(spec$momentum), ")"), ", step ",
    format(spec$learning_rate), step_words(spec$decay))
  averaged <- if (spec$average > 0 && spec$batch_size < spec$n) paste0(", the last ", format(100 * spec$average), "% averaged")
  training <- paste0(step, ", at most ", counted(spec$epochs, "epoch"), averaged, ", ", batches, ", ",
    c(trained = "the first fifth for all draws", shared = "one start for all draws", fresh = "a start for each draw")[[spec$init]])
  words$lines <- c(words$lines, Training = training)
  words
}

step_words <- function(decay) {
  if (is.null(decay)) " falling to 0" else if (decay > 0) paste0(" exp(-", format(decay), " k)")
}

# The draws of all measures that a fit knows of without computing predictions, a column each; `scores` are those
# of its test set.
measure_draws <- function(fit, scores = test_scores(fit)) {
  d <- fit$diagnostics[usable_draws(fit), ]
  classes <- length(fit$levels) > 0L
  test <- if (is.null(scores)) NULL else if (classes) {
    cbind(`test accuracy` = scores$right, `test log-loss` = scores$loss)
  } else {
    cbind(`test RMSE` = sqrt(scores$square), `test log-loss` = scores$loss)
  }
  own <- if (classes) cbind(`training accuracy` = d$accuracy) else cbind(`residual sd` = d$sigma)
  cbind(test, own, `training loss` = d$loss, `gradient norm` = d$gradient, epochs = d$iterations)
}

# NULL without a response to test on.
test_scores <- function(fit) if (!is.null(fit$test$y)) observed_scores(fit)

#' Summarise the draws of a network
#'
#' The posterior of what the networks do: accuracy and log-loss on the test set in the fit (for regression
#' the root mean squared error), the accuracy on the training data, the (weighted) training loss, the norm
#' of the gradient at the end and the epochs that were run.
#'
#' @inheritParams summary.wbb
#' @param object A fit of [wbb_mlp()].
#' @return An object of class `summary.wbb_mlp`: a list with the data frame `table` (one row a measure, with the
#'   columns `term`, `mean`, `sd` and one for each quantile), `mean` with the test accuracy and log-loss of the
#'   mean of the draws' predictions, and `status`, the number of draws of each status.
#' @examples
#' odd <- seq(1, 150, by = 2)
#' fit <- wbb_mlp(Species ~ ., iris[odd, ], hidden = 8, draws = 50, epochs = 60, batch_size = 25,
#'   standardize = TRUE, test = iris[-odd, ], seed = 1)
#' summary(fit)
#' @export
summary.wbb_mlp <- function(object, probs = c(0.025, 0.5, 0.975), digits = max(3L, getOption("digits") - 3L), ...) {
  check_dots(..., .function = "summary", .known = c("probs", "digits"))
  check_fit(object)
  probs <- check_probs(probs)
  scores <- test_scores(object)
  structure(
    list(
      fit = structure(object[c("call", "lambda", "lambda_from", "spec", "levels", "diagnostics", "na.action")], class = class(object)),
      table = measure_table(measure_draws(object, scores), probs),
      mean = c(accuracy = if (length(object$levels)) scores$mean_right, log_loss = scores$mean_loss),
      draws = draw_count(object$spec), status = table(object$diagnostics$status), falling = falling_doubt(object),
      digits = check_count(digits, "digits")
    ),
    class = c("summary.wbb_mlp", "summary.wbb")
  )
}

measure_table <- function(draws, probs) {
  data.frame(term = colnames(draws), mean = draw_means(draws), sd = column_sds(draws), quantile_columns(draws, probs),
    check.names = FALSE, row.names = NULL)
}

#' @rdname summary.wbb_mlp
#' @export
print.summary.wbb_mlp <- function(x, digits = x$digits, ...) {
  digits <- check_count(digits, "digits", 1, 22)
  print_header(x$fit)
  cat("\n")
  values <- as.matrix(x$table[-1L])
  shown <- values
  shown[] <- vapply(values, format, "", digits = digits)
  rownames(shown) <- x$table$term
  print(shown, quote = FALSE, right = TRUE)
  if (length(x$mean)) {
    words <- c(accuracy = "accuracy", log_loss = "log-loss")[names(x$mean)]
    cat("\nMean of the draws' predictions: test ",
      paste(words, vapply(x$mean, format, "", digits = digits), collapse = ", "), "\n", sep = "")
  }
  print_status(x$fit)
  if (!is.null(x$falling)) write_wrapped(paste0("T", substring(x$falling, 2L), "."))
  invisible(x)
}

print_status <- function(fit) cat("\nStatus: ", status_words(fit$diagnostics$status), "\n", sep = "")

#' @rdname wbb-methods
#' @export
print.wbb_mlp <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- check_count(digits, "digits", 1, 22)
  check_fit(x)
  print_header(x)
  # A fit without draws is still to be looked at.
  if (!all(failed_status(x$diagnostics$status))) {
    table <- measure_table(measure_draws(x), c(0.025, 0.975))
    cat("\n")
    for (i in seq_len(nrow(table))) {
      numbers <- vapply(unlist(table[i, c("mean", "2.5%", "97.5%")]), format, "", digits = min(digits, 4L))
      cat(format(table$term[i], width = max(nchar(table$term))), "  ", numbers[[1L]],
        "  (95%: ", numbers[[2L]], " to ", numbers[[3L]], ")\n", sep = "")
    }
  }
  print_status(x)
  invisible(x)
}

# Tables ---------------------------------------------------------------------------

#' @rdname tidy.wbb
#' @param parameters For networks: names of parameters or blocks; see [wbb_mlp()].
#' @method tidy wbb_mlp
#' @exportS3Method generics::tidy wbb_mlp
tidy.wbb_mlp <- function(x, conf.int = FALSE, conf.level = 0.95, estimate = c("mean", "median"),
                         parameters = NULL, exponentiate = FALSE, effects = "fixed", parametric = TRUE, ...) {
  check_dots(..., .function = "tidy", .known = names(formals()), .foreign = of_tables)
  check_choice(effects, "effects", "fixed")
  estimate <- check_choice(estimate, "estimate", c("mean", "median"))
  conf.int <- check_flag(conf.int, "conf.int")
  conf.level <- check_level(conf.level, "conf.level")
  draws <- draws_matrix(x, parameters = parameters)
  middle <- if (estimate == "mean") draw_means(draws) else column_quantiles(draws, 0.5)[1L, ]
  table <- data.frame(term = colnames(draws), estimate = middle, std.error = column_sds(draws), row.names = NULL)
  if (conf.int) table[c("conf.low", "conf.high")] <- as.data.frame(credible_limits(draws, conf.level))
  table$p.positive <- unname(draw_signs(draws))
  exponentiated(table, exponentiate)
}

#' @rdname tidy.wbb
#' @method glance wbb_mlp
#' @exportS3Method generics::glance wbb_mlp
glance.wbb_mlp <- function(x, ...) {
  check_dots(..., .function = "glance", .known = character(), .foreign = of_tables)
  check_fit(x)
  spec <- x$spec
  failed <- failed_status(x$diagnostics$status)
  measures <- if (all(failed)) NULL else colMeans(measure_draws(x))
  of <- function(name) if (name %in% names(measures)) measures[[name]] else NA_real_
  quality <- if (spec$classes) {
    list(accuracy = of("training accuracy"), test.accuracy = of("test accuracy"))
  } else {
    list(sigma = of("residual sd"), test.rmse = of("test RMSE"))
  }
  data.frame(
    nobs = spec$n, draws = draw_count(spec), lambda = x$lambda, parameters = sum(layer_table(spec)$parameters),
    loss = of("training loss"), quality, test.log.loss = of("test log-loss"), gradient = of("gradient norm"),
    epochs = of("epochs"), not.converged = sum(failed)
  )
}

#' @rdname tidy.wbb
#' @method augment wbb_mlp
#' @exportS3Method generics::augment wbb_mlp
augment.wbb_mlp <- function(x, data = NULL, newdata = NULL, interval = c("none", "credible", "prediction"),
                            conf.level = 0.95, ...) {
  check_dots(..., .function = "augment", .known = names(formals()))
  check_fit(x)
  interval <- check_choice(interval, "interval", c("none", "credible", "prediction"))
  x <- with_rows_of(x, data)
  predicted <- predict(x, newdata, interval = interval, level = conf.level)
  out <- if (is.null(newdata)) augment_data(x, data, NROW(predicted)) else augment_newdata(newdata)
  if (length(x$levels)) return(augment_with_classes(out, predicted, x$levels, interval))
  predicted <- as.matrix(predicted)
  out$.fitted <- unname(predicted[, 1L])
  if (interval != "none") out[c(".lower", ".upper")] <- list(unname(predicted[, "lwr"]), unname(predicted[, "upr"]))
  out$.resid <- augment_residuals(x, newdata, out$.fitted)
  out
}

augment_with_classes <- function(out, predicted, levels, interval) {
  columns <- augment_classes(predicted, levels)
  if (interval != "none") {
    at <- cbind(seq_len(nrow(predicted)), as.integer(columns$.fitted))
    columns[c(".lower", ".upper")] <- list(predicted[cbind(at, 2L)], predicted[cbind(at, 3L)])
  }
  out[names(columns)] <- lapply(columns, unname)
  out
}

# The likeliest class and its probability.
augment_classes <- function(predicted, levels) {
  prob <- if (length(dim(predicted)) == 3L) matrix(predicted[, , 1L], nrow(predicted)) else predicted
  class <- factor(rep(NA, nrow(prob)), levels)
  known <- !is.na(prob[, 1L])
  class[known] <- likeliest(unname(prob[known, , drop = FALSE]), levels)
  list(.fitted = class, .probability = prob[cbind(seq_len(nrow(prob)), as.integer(class))])
}

# ---- in a notebook -------------------------------------------------------------------

#' @rdname repr_html.wbb
#' @method repr_html wbb_mlp
#' @exportS3Method repr::repr_html wbb_mlp
repr_html.wbb_mlp <- function(obj, ...) {
  check_fit(obj)
  table <- if (all(failed_status(obj$diagnostics$status))) "" else html_measures(obj)
  paste0("<div style=\"overflow-x:auto\">", html_heading(obj), table, html_lines(paste("status:", status_words(obj$diagnostics$status))), "</div>")
}

html_measures <- function(fit) {
  draws <- measure_draws(fit)
  rows <- measure_table(draws, c(0.025, 0.975))
  data <- marginal_data(draws, seq_len(nrow(rows)), rep(NA_real_, nrow(rows)))
  cells <- cbind(
    vapply(rows$mean, html_number, ""), vapply(rows$sd, html_number, ""),
    vapply(rows[["2.5%"]], html_number, ""), vapply(rows[["97.5%"]], html_number, ""),
    vapply(seq_len(nrow(rows)), function(j) svg_density(data, j), "")
  )
  html_rows(c("mean", "sd", "2.5%", "97.5%", "posterior"), rows$term, cells)
}
