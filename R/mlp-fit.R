# The fitter behind both interfaces of wbb_mlp(): check the settings, train, make the object.

mlp_fit <- function(design, settings, call) {
  began <- elapsed()
  backend <- check_choice(settings$backend, "backend", c("threads", "future"))
  progress <- check_progress(settings$progress)
  keep_data <- check_flag(settings$keep_data, "keep_data")
  test <- check_test(settings$test, design)
  design$test_x <- test$x
  options <- mlp_options(settings, design)
  object <- function(result, design, options) mlp_object(result, design, options, test)
  fit <- if (backend == "future") {
    future_chunks(design, options, progress, mlp_job, object)
  } else {
    object(job_result(mlp_job(design, options, progress)), design, options)
  }
  finish_fit(fit, call, keep_data, began)
}

# The data -----------------------------------------------------------------------

# Numbers, or a factor of two or more levels that all occur.
check_outcome <- function(y, argument, n) {
  if (is.matrix(y) && ncol(y) == 1L) y <- y[, 1L]
  if (!is_label(y)) return(check_response(y, argument, n))
  check_labels(y, argument, n)
  y <- droplevels(as.factor(unname(y)))
  if (nlevels(y) < 2L) {
    bad_argument(argument, "have two or more classes", y,
      paste("all are", show_value(levels(y))), "Numbers are needed for regression.")
  }
  # Names of rows are kept once, beside the data.
  names(y) <- NULL
  y
}

is_label <- function(y) is.null(dim(y)) && (is.factor(y) || is.character(y) || is.logical(y))

check_labels <- function(y, argument, n) {
  if (length(y) != n) {
    bad_argument(argument, paste("have one element for each of the", n, "rows"), y, paste("has length", length(y)))
  }
  if (anyNA(y)) {
    bad_argument(argument, "have no missing values", y, paste("element", first_bad(is.na(y)), "is NA"),
      "Remove or impute such rows.")
  }
}

# What was observed at new rows, in the form of the fit's own response.
new_outcome <- function(y, levels, argument, n) {
  if (is.null(levels)) return(check_response(y, argument, n))
  if (is.matrix(y) && ncol(y) == 1L) y <- y[, 1L]
  if (!is_label(y) && !is.numeric(y)) bad_argument(argument, "hold classes", y)
  check_labels(y, argument, n)
  at <- match(as.character(y), levels)
  if (anyNA(at)) {
    bad_argument(argument, paste("have the classes", show_values(levels)), y,
      paste("element", first_bad(is.na(at)), "is", show_value(as.character(y)[is.na(at)][1L])))
  }
  factor(levels[at], levels)
}

# list(x, y, n, names) of the test set, y NULL if it was not given.
check_test <- function(test, design) {
  if (is.null(test)) return(NULL)
  # A data frame is data in both interfaces; a list names its parts in that of `x` and `y`.
  parts <- is.list(test) && !is.data.frame(test) && is.null(design$terms)
  if (parts && !(setequal(names(test), "x") || setequal(names(test), c("x", "y")))) {
    bad_argument("test", "be a matrix like `x` or list(x = , y = )", test,
      if (is.null(names(test))) "is a list without names" else paste("has the elements", show_values(names(test))))
  }
  like <- c(design[c("terms", "xlevels", "contrasts", "coding", "variables")],
    list(spec = list(columns = design$names, named = design$named)))
  data <- if (parts) test$x else test
  x <- new_x(like, data, "test")
  check_extent(x, "test")
  y <- if (parts) test$y else observed_response(design$terms, data)
  if (!is.null(y)) y <- new_outcome(y, levels(design$y), "test", nrow(x))
  list(x = x, y = y, n = nrow(x), names = rownames(x), sums = data_sums(x))
}

# The response of a formula in new data, if they have it.
observed_response <- function(terms, data) {
  if (is.null(terms) || !all(all.vars(terms[[2L]]) %in% names(data))) return(NULL)
  eval(terms[[2L]], data, environment(terms))
}

# The settings -------------------------------------------------------------------

# In the form that Rust takes; also the record of the run.
mlp_options <- function(settings, design) {
  n <- nrow(design$x)
  p <- ncol(design$x)
  classes <- nlevels(design$y)
  n_test <- if (is.null(design$test_x)) 0L else nrow(design$test_x)
  keep <- check_choice(settings$keep, "keep", c("networks", "predictions"))
  if (keep == "predictions" && n_test == 0L) {
    bad_argument("keep", "be \"networks\" without a `test` set to predict", keep)
  }
  optimizer <- check_choice(settings$optimizer, "optimizer", c("sgd", "momentum", "adam"))
  epochs <- check_count(settings$epochs, "epochs")
  own <- list(
    p = p, classes = classes, hidden = check_hidden(settings$hidden), n_test = n_test,
    lambda = check_number(settings$lambda, "lambda", 0),
    epochs = epochs, batch_size = check_batch_size(settings$batch_size, n),
    learning_rate = check_learning_rate(settings$learning_rate, optimizer),
    decay = check_number(settings$decay, "decay", 0),
    average = check_number(settings$average, "average", 0, 1),
    optimizer = optimizer, momentum = check_momentum(settings$momentum),
    activation = check_choice(settings$activation, "activation", c("relu", "tanh", "identity")),
    init = check_choice(settings$init, "init", c("trained", "shared", "fresh")),
    shuffle = check_choice(settings$batches, "batches", c("shuffled", "cyclic")) == "shuffled",
    batch_seed = if (!is.null(settings$batch_seed)) check_seed(settings$batch_seed, "batch_seed"),
    standardize = if (is.null(settings$standardize)) badly_scaled(design$x) else {
      check_flag(settings$standardize, "standardize")
    },
    tolerance = check_number(settings$tolerance, "tolerance", 0),
    keep_networks = keep == "networks"
  )
  weights <- weight_options(settings, n, c("random", "fixed"))
  size <- mlp_size(own, settings$hidden)
  draws <- run_draws(settings, size$numbers, size$what)
  # The seed comes last, because it may take a number from R's generator.
  c(own, weights, draws, list(seed = check_seed(settings$seed)))
}

check_hidden <- function(value) {
  if (is.null(value) || identical(as.vector(value), 0) || identical(as.vector(value), 0L)) return(integer())
  must <- "be whole numbers of at least 1, or NULL"
  value <- check_numbers(value, "hidden", lower = 1, must = must)
  bad <- value != trunc(value) | value > .Machine$integer.max
  if (any(bad)) {
    at <- first_bad(bad)
    bad_argument("hidden", must, value, paste("element", at, "is", show_value(value[at])))
  }
  as.integer(value)
}

check_batch_size <- function(value, n) {
  if (identical(value, Inf)) return(as.double(n))
  min(check_count(value, "batch_size"), n)
}

default_rates <- c(sgd = 0.1, momentum = 0.01, adam = 0.001)

check_learning_rate <- function(value, optimizer) {
  if (is.null(value)) default_rates[[optimizer]] else check_number(value, "learning_rate", 0, open = TRUE)
}

check_momentum <- function(value) {
  if (!is_number(value) || value < 0 || value >= 1) bad_argument("momentum", "be one number from 0 to below 1", value)
  as.double(value)
}

badly_scaled <- function(x) {
  values <- if (is.matrix(x)) x else x@x
  length(values) > 0L && any(abs(job_extent(values)) > 10)
}

# Of one network while it is trained, and of a draw of the result, in doubles.
mlp_size <- function(options, hidden) {
  parameters <- sum(layer_table(options)$parameters)
  network <- paste("a network of", format(parameters, big.mark = ",", scientific = FALSE), "parameters")
  # Its gradient and the moments of Adam beside it, 4 bytes a number.
  check_size(2 * parameters, network, "hidden", hidden)
  if (4 * parameters > .Machine$integer.max) {
    bad_argument("hidden", "give a network of less than 2^29 parameters", hidden, paste("gives", network))
  }
  outputs <- max(1, options$classes)
  list(
    numbers = options$keep_networks * parameters / 2 + as.double(options$n_test) * outputs + options$epochs,
    what = paste0(network, if (options$n_test) paste0(" with predictions of ", options$n_test, " rows"))
  )
}

# What a draw that diverged lacked. The penalty alone overshoots where the step is longer than 2 / its curvature;
# with hidden layers that is in units of the scaled y.
divergence_advice <- function(spec) {
  curvature <- 2 * spec$lambda / spec$n / (if (length(spec$hidden)) spec$y_scale^2 else 1)
  choices <- c(
    "a smaller `learning_rate`",
    if (!spec$standardize) "`standardize = TRUE`",
    if (curvature > 10) "a smaller `lambda`"
  )
  paste(choices, collapse = " or ")
}

# The object ---------------------------------------------------------------------

mlp_status <- c("finished", "converged", "unsettled", "diverged", "empty")

mlp_object <- function(result, design, options, test = NULL) {
  levels <- levels(design$y)
  predictions <- result$predictions
  result$predictions <- NULL
  if (!is.null(predictions)) {
    dim(predictions) <- c(options$draws, options$n_test, if (length(levels)) length(levels))
    dimnames(predictions) <- c(list(NULL, test$names), if (length(levels)) list(levels))
  }
  spec <- c(options, list(
    columns = design$names, named = design$named, levels = levels, segments = run_segment(options)
  ), result[c("center", "scale", "y_center", "y_scale")])
  measure <- if (length(levels)) "accuracy" else "sigma"
  diagnostics <- list2DF(c(
    list(draw = options$first_draw - 1 + seq_len(options$draws), status = status_factor(result$status, mlp_status)),
    result[c("iterations", "learning_rate", "objective", "loss", "gradient", "start_gradient", measure)]
  ))
  new_wbb(
    list(
      call = NULL, formula = design$formula, terms = design$terms, xlevels = design$xlevels,
      contrasts = design$contrasts, coding = design$coding, variables = design$variables,
      # Without networks there is nothing in `draws`; weights = "ones" trains what would be a mode.
      draws = result$networks, mode = NA_real_, lambda = options$lambda, lambda_from = "user",
      levels = levels, predictions = predictions, test = test[setdiff(names(test), "x")],
      curves = matrix(result$curve, options$draws, dimnames = list(NULL, seq_len(options$epochs))),
      diagnostics = diagnostics, spec = spec, sums = data_sums(design$x, design$y),
      y = design$y, x = if (is.null(design$terms)) design$x, model = design$model,
      row_names = design$row_names, na.action = design$na.action, seconds = NA_real_
    ),
    class = "wbb_mlp"
  )
}

# Enough to tell other data, and another order of the rows, when the data are not kept: sums over places spread
# through them.
data_sums <- function(x, y = NULL, most = 1e5) {
  values <- if (is.matrix(x)) x else x@x
  places <- if (is.matrix(x)) integer() else x@i
  spread <- function(values) {
    at <- if (length(values) > most) round(seq(1, length(values), length.out = most)) else seq_along(values)
    sum(as.double(values[at]) * seq_along(at))
  }
  c(spread(values), spread(places), spread(y))
}

#' @export
c.wbb_mlp <- function(...) {
  fits <- list(...)
  joined <- c.wbb(...)
  if (length(fits) == 1L) return(joined)
  for (fit in fits[-1L]) {
    if (!identical(fit$test, joined$test)) {
      abort("argument", "Fits can be joined only if they differ in their draws alone, but their test sets differ.", "...")
    }
  }
  if (!is.null(joined$predictions)) joined$predictions <- join_draws(lapply(fits, `[[`, "predictions"))
  joined$curves <- do.call(rbind, lapply(fits, `[[`, "curves"))
  joined
}
