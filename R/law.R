# The law of the weights, as users name it.

#' The law of the random weights
#'
#' Names the distribution of the weights \eqn{w_1, \dots, w_n} of the
#' observations, with its parameter. All laws have mean one; all but `"gamma"`,
#' `"dirichlet"` with another parameter and `"ones"` have variance one (or
#' nearly so), as the theory of Ng and Newton (2022) asks.
#'
#' | **name** | **weights** | **parameter** |
#' |:---|:---|:---|
#' | `"exponential"` | independent Exp(1) | |
#' | `"dirichlet"` | n times a Dirichlet vector: they sum to n | concentration (1) |
#' | `"gamma"` | independent Gamma of mean 1, variance 1/shape | shape (1) |
#' | `"mammen"` | Mammen's two points \eqn{(3 \pm \sqrt 5)/2}{(3 +- sqrt 5)/2} | |
#' | `"poisson"` | independent Poisson(1) counts | |
#' | `"multinomial"` | counts of the classical bootstrap: they sum to n | |
#' | `"ones"` | all 1, every draw is the mode but for the prior weight | |
#'
#' Dirichlet and multinomial weights sum to n over the rows also with `cluster`: they are drawn for
#' the clusters and scaled to that sum, however unequal the clusters are. Multinomial weights are
#' then whole numbers only if all clusters have one size. `case_weights` multiply afterwards, and
#' change the sum.
#'
#' Exponential and Dirichlet weights give the same draws when there is no
#' penalty. With one they differ: the sum of exponential weights moves the
#' penalty's relative strength from draw to draw.
#'
#' @param name One of the names in the table.
#' @param parameter The law's parameter, a positive number, for those that have
#'   one; `NULL` takes the default in the table.
#' @return An object of class `wbb_law`, for the argument `weights` of
#'   [wbb_lasso()].
#' @references Ng, T. L. and Newton, M. A. (2022). Random weighting in LASSO
#'   regression. *Electronic Journal of Statistics* 16, 3430--3481.
#' @examples
#' weight_law("dirichlet", 4)
#'
#' # Less spread: the draws lie closer to the mode.
#' fit <- wbb_lasso(y ~ ., diabetes, lambda = 50, draws = 100, seed = 1,
#'   weights = weight_law("gamma", 4))
#' summary(fit)
#' @export
weight_law <- function(name, parameter = NULL) {
  name <- check_choice(name, "name", law_names)
  if (name %in% parametric_laws) {
    parameter <- if (is.null(parameter)) 1 else check_number(parameter, "parameter", 0, open = TRUE)
  } else if (!is.null(parameter)) {
    bad_argument("parameter", paste("be NULL for the", name, "law"), parameter)
  }
  structure(list(name = name, parameter = parameter), class = "wbb_law")
}

parametric_laws <- c("dirichlet", "gamma")
law_names <- c("exponential", parametric_laws, "mammen", "poisson", "multinomial", "ones")

check_law <- function(value) {
  if (inherits(value, "wbb_law")) return(value)
  if (is.numeric(value)) {
    bad_argument("weights", "be the name of a law or a weight_law()", value,
      advice = "Your own weights of the rows go into `case_weights`.")
  }
  weight_law(check_choice(value, "weights", law_names))
}

#' @export
format.wbb_law <- function(x, ...) {
  paste0(x$name, if (!is.null(x$parameter)) paste0("(", format(x$parameter), ")"))
}

#' @export
print.wbb_law <- function(x, ...) {
  cat("<weight law ", format(x), ">\n", sep = "")
  invisible(x)
}
