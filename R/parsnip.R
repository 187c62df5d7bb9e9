# An engine "wbb" for models of package parsnip, registered as soon as both packages are loaded.

#' The parsnip engine
#'
#' With packages parsnip and wbb loaded, `linear_reg(penalty = , mixture = )` has the engine `"wbb"`: [wbb_lasso()], with
#' `penalty` as `lambda` (by default chosen by cross-validation; in our units, glmnet's times the number of rows) and `mixture` as
#' `alpha`. So have `logistic_reg()`, `multinom_reg()` and `poisson_reg()`, with the families of the same names, and `mlp(hidden_units = , penalty = , epochs = , activation = , learn_rate = )`: [wbb_mlp()]. Other
#' arguments go into `set_engine("wbb", draws = 500, seed = 1)`. Predictions have the types `"numeric"`, `"conf_int"` (credible
#' intervals), `"pred_int"` and `"raw"`; for classes `"class"`, `"prob"` and `"conf_int"`, credible intervals of the probabilities. Case
#' weights are those of [wbb_lasso()]. With several penalties, `linear_reg(penalty = c(50, 5))`, which parsnip
#' takes before its version 1.3, `multi_predict()` predicts for each of them. The fit itself, with all its methods, is
#' `parsnip::extract_fit_engine()` of the result.
#'
#' @examples
#' \dontrun{
#' library(parsnip)
#' spec <- linear_reg(penalty = 50) |> set_engine("wbb", draws = 100, seed = 1)
#' fit <- fit(spec, y ~ ., data = diabetes)
#' predict(fit, diabetes[1:3, ], type = "pred_int")
#' }
#' @name parsnip-engine
NULL

# What an engine is: parsnip's model and mode, our function, and its arguments by parsnip's names.
parsnip_engines <- function() {
  hidden <- list(
    hidden_units = c("hidden", "hidden_units"), penalty = c("lambda", "penalty"), epochs = c("epochs", "epochs"),
    activation = c("activation", "activation"), learn_rate = c("learning_rate", "learn_rate")
  )
  shrunk <- list(penalty = c("lambda", "penalty"), mixture = c("alpha", "mixture"))
  engine <- function(model, mode, fun, arguments, ...) {
    list(model = model, mode = mode, fun = fun, arguments = arguments, defaults = list(...))
  }
  list(
    engine("linear_reg", "regression", "wbb_lasso", shrunk),
    engine("logistic_reg", "classification", "wbb_lasso", shrunk, family = "binomial"),
    engine("multinom_reg", "classification", "wbb_lasso", shrunk, family = "multinomial"),
    engine("poisson_reg", "regression", "wbb_lasso", shrunk, family = "poisson"),
    engine("mlp", "regression", "wbb_mlp", hidden), engine("mlp", "classification", "wbb_mlp", hidden)
  )
}

register_parsnip <- function() {
  parsnip <- asNamespace("parsnip")
  registerS3method("multi_predict", "_wbb_lasso", multi_predict_wbb, parsnip)
  for (engine in parsnip_engines()) {
    # Loaded a second time, all is there already.
    known <- parsnip$get_from_env(engine$model)
    if (any(known$engine == "wbb" & known$mode == engine$mode)) next
    register_engine(parsnip, engine)
  }
}

# parsnip's generic for several penalties: a row for each row of `new_data`, with a table of what each penalty predicts.
multi_predict_wbb <- function(object, new_data, type = NULL, penalty = NULL, ...) {
  fit <- object$fit
  classes <- object$lvl
  type <- check_choice(if (is.null(type)) if (is.null(classes)) "numeric" else "class" else type, "type", if (is.null(classes)) "numeric" else c("class", "prob"))
  penalty <- if (is.null(penalty)) fit$lambda else check_numbers(penalty, "penalty", lower = 0)
  at <- vapply(penalty, function(one) lambda_index(fit, one), 1L)
  tables <- lapply(at, function(index) {
    lambda <- if (is_path(fit)) fit$lambda[index]
    values <- predict(fit, new_data, type = if (type == "class") "class" else "response", lambda = lambda)
    values <- switch(type, numeric = list(.pred = unname(values)), class = list(.pred_class = unname(values)), prob = tibble_of(class_columns(values), paste0(".pred_", classes)))
    tibble::as_tibble(c(list(penalty = rep(fit$lambda[index], nrow(new_data))), as.list(values)))
  })
  tibble::tibble(.pred = lapply(seq_len(nrow(new_data)), function(row) do.call(rbind, lapply(tables, function(table) table[row, ]))))
}

register_engine <- function(parsnip, engine) {
  model <- engine$model
  mode <- engine$mode
  arguments <- engine$arguments
  parsnip$set_model_engine(model, mode, "wbb")
  parsnip$set_dependency(model, "wbb", "wbb", mode)
  for (name in names(arguments)) {
    parsnip$set_model_arg(model, "wbb", name, arguments[[name]][1L], list(pkg = "dials", fun = arguments[[name]][2L]), FALSE)
  }
  parsnip$set_fit(model, mode, "wbb", list(
    interface = "formula", data = c(formula = "formula", data = "data", weights = "case_weights"), protect = c("formula", "data", "weights"),
    func = c(pkg = "wbb", fun = engine$fun), defaults = engine$defaults
  ))
  parsnip$set_encoding(model, mode, "wbb", list(
    predictor_indicators = "none", compute_intercept = FALSE, remove_intercept = FALSE, allow_sparse_x = FALSE
  ))
  prediction <- function(.type, ..., post = NULL) {
    arguments <- c(list(object = quote(object$fit), newdata = quote(new_data)), list(...))
    # Of several penalties there is no one prediction.
    pre <- function(new_data, object) {
      if (is_path(object$fit)) abort("argument", "The fit has several penalties: multi_predict(fit, new_data) predicts for each of them.", "object")
      new_data
    }
    parsnip$set_pred(model, mode, "wbb", .type, list(pre = pre, post = post, func = c(fun = "predict"), args = arguments))
  }
  prediction("raw")
  if (mode == "classification") {
    prediction("class", type = "class", post = function(x, object) unname(x))
    word <- if (engine$fun == "wbb_mlp") "prob" else "response"
    prediction("prob", type = word, post = function(x, object) tibble_of(class_columns(x), object$lvl))
    prediction("conf_int", type = word, interval = "credible", level = quote(level), post = function(x, object) class_limits(x, object$lvl))
  } else {
    limits <- function(x, object) tibble_of(x[, c("lwr", "upr"), drop = FALSE], c(".pred_lower", ".pred_upper"))
    prediction("numeric", post = function(x, object) unname(x))
    prediction("conf_int", interval = "credible", level = quote(level), post = limits)
    prediction("pred_int", interval = "prediction", level = quote(level), post = limits)
  }
}

# Of two classes the lasso gives the probability of the second.
class_columns <- function(x) if (is.matrix(x)) x else cbind(1 - x, x)

# A lower and an upper limit of each class; what is the lower one of the second is the upper one of the first.
class_limits <- function(x, levels) {
  if (length(dim(x)) == 2L) {
    x <- array(c(1 - x[, "upr"], x[, "lwr"], 1 - x[, "lwr"], x[, "upr"]), c(nrow(x), 2L, 2L), list(NULL, NULL, c("lwr", "upr")))
  }
  columns <- lapply(seq_along(levels), function(k) cbind(x[, k, "lwr"], x[, k, "upr"]))
  tibble_of(do.call(cbind, columns), paste0(c(".pred_lower_", ".pred_upper_"), rep(levels, each = 2L)))
}

# parsnip brings tibble with it.
tibble_of <- function(x, names) tibble::as_tibble(stats::setNames(as.data.frame(unname(x)), names))
