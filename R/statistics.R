# Statistics for wbb(): what users most often want of a refitted model.

#' Statistics of a refitted model, for wbb()
#'
#' Functions for the argument `statistic` of [wbb()]: predictions at given data, and the variable of a tree's first split.
#'
#' A CART tree is a function of weighted data, and with exponential weights the trees of [wbb()] are a Bayesian forest (Taddy and others
#' 2015): draws from the posterior of the tree of the population. No row is left out of a tree, as a random forest would do. The mean of
#' the predictions is the forest's prediction, and they come with intervals. Trunks are often stable: P(first split on x) near one says
#' that the data decide it.
#'
#' @param newdata A data frame with the rows to predict.
#' @param ... Given to the model's `predict()`, such as `type = "response"`.
#' @param model A tree, as from `rpart::rpart()`.
#' @return `predict_at()`: a function of a model that returns its predictions, named by the rows of `newdata` (and by
#'   `row:column` where a prediction has several). `first_split()`: for each variable of the model one if the tree splits on it
#'   first, else zero; `<leaf>` is one if it does not split at all. Means over the draws are probabilities.
#' @references Taddy, M., Chen, C.-S., Yu, J. and Wyle, M. (2015). Bayesian and empirical Bayesian forests. *Proceedings of the
#'   32nd International Conference on Machine Learning*, 967--976.
#' @examples
#' slow <- data.frame(speed = c(5, 10, 20))
#' fit <- wbb(loess(dist ~ speed, cars), statistic = predict_at(slow), draws = 50, seed = 1)
#' confint(fit)
#' @examplesIf requireNamespace("rpart", quietly = TRUE)
#' tree <- rpart::rpart(y ~ bmi + ltg + map, diabetes)
#' forest <- wbb(tree, statistic = first_split, draws = 50, seed = 1)
#' coef(forest, "mean")
#' @export
predict_at <- function(newdata, ...) {
  if (!is.data.frame(newdata)) bad_argument("newdata", "be a data frame", newdata)
  names <- row.names(newdata)
  function(model) {
    predicted <- stats::predict(model, newdata, ...)
    if (length(dim(predicted)) == 2L) {
      rownames(predicted) <- names
      return(predicted)
    }
    stats::setNames(as.vector(predicted), names)
  }
}

#' @rdname predict_at
#' @export
first_split <- function(model) {
  frame <- if (is.list(model)) model$frame
  if (!is.data.frame(frame) || is.null(frame$var)) bad_argument("model", "be a tree, as from rpart::rpart()", model)
  variables <- c(attr(stats::terms(model), "term.labels"), "<leaf>")
  stats::setNames(as.double(variables == as.character(frame$var[1L])), variables)
}
