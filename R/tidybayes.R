# Draws of predictions as long tables, by package tidybayes. Registered when both packages are loaded, see zzz.R.

# Its own methods for what has none leave the column of classes, or of lambdas, without a name.
tidy_draws_of <- function(generic) {
  force(generic)
  function(object, newdata, ..., category = ".category") {
    check_fit(object)
    if (is_path(object) && !is.null(object$spec$classes) && is.null(list(...)$lambda)) {
      bad_argument("lambda", "be one of the fitted values: a table has one column for the classes and none for several lambdas", NULL, "is missing")
    }
    if (is.matrix(newdata)) newdata <- as.data.frame(newdata)
    default <- utils::getS3method(generic, "default", envir = asNamespace("tidybayes"))
    default(object, newdata, ..., category = category)
  }
}

# What was observed less a new response, as brms has it: rstantools' predictive_error() as a table.
residual_draws.wbb <- function(object, newdata, ..., value = ".residual") {
  object <- predicting(object, "residual_draws()")
  need_numbers(object, "residual", "log_loss() and accuracy() say how good it is")
  y <- observed_at(object, newdata, NULL)
  out <- asNamespace("tidybayes")$predicted_draws(object, newdata, ..., value = value)
  out[[value]] <- y[out$.row] - out[[value]]
  out
}
