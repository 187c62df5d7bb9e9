# What insight asks of a model for others, such as ggeffects and performance: its columns, its data and its predictions.

#' @rdname bayestestR.wbb
#' @param data Rows to predict; by default those of the fit.
#' @param predict `"expectation"` for the mean of the response, `"prediction"` for a new one.
#' @method get_predicted wbb
#' @exportS3Method insight::get_predicted wbb
get_predicted.wbb <- function(x, data = NULL, predict = "expectation", ci = 0.95, lambda = NULL, ...) {
  x <- predicting(x, "get_predicted()")
  need_numbers(x, "number to predict", "predict() gives the probabilities of its classes")
  noisy <- check_choice(predict, "predict", c("expectation", "prediction", "predict")) != "expectation"
  level <- if (is.null(ci)) 0.95 else check_level(if (missing(ci)) asked_level() else ci, "ci")
  # It shows one curve.
  if (asked_by("ggeffects")) lambda_index(x, lambda)
  list_path(x, lambda, function(at) {
    draws <- if (noisy) posterior_predict.wbb(x, data, lambda = at) else posterior_epred.wbb(x, data, lambda = at)
    limits <- t(column_quantiles(draws, interval_probs(level)))
    structure(colMeans(draws),
      ci_data = data.frame(SE = column_sds(draws), CI_low = limits[, 1L], CI_high = limits[, 2L], row.names = NULL),
      data = if (is.null(data)) predicted_data(x) else data, ci = level, predict = predict, class = c("get_predicted", "numeric"))
  })
}

predicted_data <- function(fit) if (is.null(fit$terms)) augment_data(fit, NULL, fit$spec$n) else insight::get_data(fit)

# Without a formula insight finds no data.
#' @rdname bayestestR.wbb
#' @method get_data wbb
#' @exportS3Method insight::get_data wbb
get_data.wbb <- function(x, ...) {
  check_fit(x)
  if (asked_by("ggeffects")) {
    if (isTRUE(x$spec$summed)) check_kept(x, "y")
    check_shown(x)
  }
  columns <- if (is.null(x$terms)) framed_columns(x)
  if (length(columns) && methods::is(x$x, "sparseMatrix")) {
    return(data.frame(stats::setNames(as.data.frame(as.matrix(x$x)), columns), y = x$y, check.names = FALSE))
  }
  if (is.null(x$terms) && keeps_columns(x)) return(augment_data(x, NULL, x$spec$n))
  data <- utils::getS3method("get_data", "default", envir = asNamespace("insight"))(x, ...)
  # Where insight does not find the data again it gives the model frame, whose Surv() is one column for its two variables.
  survival <- vapply(data, inherits, NA, "Surv")
  if (!any(survival)) return(data)
  times <- as.data.frame(as.matrix(data[[which(survival)[1L]]]))
  names <- insight::find_response(x, combine = FALSE)
  data.frame(if (length(names) == 2L) stats::setNames(times, names) else times, data[!survival], check.names = FALSE)
}

# A fit of a matrix has a formula for insight, as if its columns were those of a data frame: ggeffects looks for its terms there. That
# of a trend has a point in place of columns.
#' @rdname bayestestR.wbb
#' @method find_formula wbb
#' @exportS3Method insight::find_formula wbb
find_formula.wbb <- function(x, ...) {
  check_fit(x)
  if (asked_by("ggeffects")) check_shown(x)
  columns <- if (is.null(x$terms)) framed_columns(x)
  if (is.null(columns)) return(utils::getS3method("find_formula", "default", envir = asNamespace("insight"))(x, ...))
  structure(list(conditional = stats::reformulate(paste0("`", columns, "`"), "y", env = globalenv())), class = c("insight_formula", "list"))
}

# The columns that a fit without formula kept, if others may see them as those of a data frame.
framed_columns <- function(fit) {
  if (!keeps_columns(fit)) return(NULL)
  if (is.null(dim(fit$x))) "x" else if (is.matrix(fit$x) || length(fit$x) <= small_table) known_columns(fit$spec)$columns
}

# A sparse matrix of no more numbers than that is made dense for others.
small_table <- 1e6

# ggeffects asks for what it draws by insight's generics, and stumbles over what it does not expect.
asked_by <- function(package) !is.null(asking_frame(package))

# The number of the outermost call of a function of that package.
asking_frame <- function(package) {
  if (!isNamespaceLoaded(package)) return(NULL)
  there <- asNamespace(package)
  for (frame in seq_len(sys.nframe())) if (identical(environment(sys.function(frame)), there)) return(frame)
}

# Not all versions of ggeffects hand the level on.
asked_level <- function() {
  frame <- asking_frame("ggeffects")
  if (is.null(frame)) return(0.95)
  level <- Filter(is_number, mget(c("ci.lvl", "ci_level"), sys.frame(frame), ifnotfound = list(NULL, NULL)))
  if (length(level)) level[[1L]] else 0.95
}

# What ggeffects cannot show is refused before it fails, or draws something else.
check_shown <- function(fit) {
  frame <- asking_frame("ggeffects")
  need_numbers(fit, "number to predict", "predict() gives the probabilities of its classes")
  refuse <- function(...) abort("argument", paste0(..., "; use predict(fit, newdata, interval = \"credible\"), or plot(fit)."), "model")
  if (!is.null(fit$time)) refuse("ggeffects knows no points in time")
  if (is.null(fit$terms) && is.null(framed_columns(fit))) refuse("ggeffects needs the columns of a data frame or of a plain matrix, which the fit has not")
  if (identical(sys.function(frame), asNamespace("ggeffects")$ggemmeans) && (is.null(fit$terms) || !inherits(fit, c("wbb_lasso", "wbb_bridge")))) {
    refuse("ggemmeans() is there for fits of wbb_lasso() and bayes_bridge() that were made from a formula, ggpredict() for this one")
  }
  if (identical(get0("interval", sys.frame(frame), inherits = FALSE), "prediction")) {
    bad_argument("interval", "be \"confidence\"", "prediction", advice = "predict(fit, newdata, interval = \"prediction\") has the others.")
  }
}

# One row a number, with the names of the draws: that of a path or of classes is a matrix, which insight would not know.
#' @rdname bayestestR.wbb
#' @method get_parameters wbb
#' @exportS3Method insight::get_parameters wbb
get_parameters.wbb <- function(x, ..., lambda = NULL) {
  estimates <- if (inherits(x, "wbb_mlp")) coef(x) else coef(x, lambda = lambda)
  names <- if (is.null(dim(estimates))) names(estimates) else find_parameters.wbb(x, TRUE, lambda = lambda)
  data.frame(Parameter = names, Estimate = as.vector(estimates))
}

# A fit of wbb() knows of its data what its model knows.
#' @rdname bayestestR.wbb
#' @method model_info wbb_any
#' @exportS3Method insight::model_info wbb_any
model_info.wbb_any <- function(x, ...) insight::model_info(own_model(x, "model_info()"), ...)

#' @rdname bayestestR.wbb
#' @method get_data wbb_any
#' @exportS3Method insight::get_data wbb_any
get_data.wbb_any <- function(x, ...) {
  # Hypotheses on its numbers need no data.
  if (is.function(x$model) && asked_by("marginaleffects")) NULL else insight::get_data(own_model(x, "get_data()"), ...)
}

#' @rdname bayestestR.wbb
#' @method find_formula wbb_any
#' @exportS3Method insight::find_formula wbb_any
find_formula.wbb_any <- function(x, ...) insight::find_formula(own_model(x, "find_formula()"), ...)

#' @rdname bayestestR.wbb
#' @param flatten As in `insight::find_parameters()`.
#' @method find_parameters wbb
#' @exportS3Method insight::find_parameters wbb
find_parameters.wbb <- function(x, flatten = FALSE, ..., lambda = NULL) {
  names <- colnames(all_draws(x, lambda, FALSE, .function = "as.matrix"))
  if (check_flag(flatten, "flatten")) names else list(conditional = names)
}

# Without them insight takes a fit for no model.
get_df.wbb <- function(x, ...) stats::df.residual(x)

get_loglikelihood.wbb <- function(x, ...) stats::logLik(x)

register_insight <- function() {
  there <- asNamespace("insight")
  registerS3method("get_weights", "wbb", get_weights.wbb, there)
  registerS3method("get_df", "wbb", get_df.wbb, there)
  registerS3method("get_loglikelihood", "wbb", get_loglikelihood.wbb, there)
}
