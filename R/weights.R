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

#' The random weights of the draws
#'
#' Regenerates the weights that a fit used. They are not stored: weight i of
#' draw k is a function of the seed, k and i alone.
#'
#' @param object A fit, as from [wbb_lasso()].
#' @param draws Which draws, as row numbers of `as.matrix(object, failed = TRUE)`; `NULL` is all
#'   of them. Draws that failed have weights as well, and are counted.
#' @param ... Not used.
#' @return A matrix with one row a draw and one column an observation, and then
#'   the weight of the penalty: one column `prior`, or with
#'   `prior_weight = "coef"` one column `prior.<name>` for each coefficient.
#'   The weights are those the draw was computed with: case weights are
#'   multiplied in, rows of a cluster share their random weight.
#' @examples
#' fit <- wbb_lasso(y ~ bmi + ltg, diabetes, lambda = 20, draws = 5, seed = 1)
#' w <- weights(fit)
#' dim(w)
#' w[, c("1", "2", "prior")]
#' @export
weights.wbb <- function(object, draws = NULL, ...) {
  check_dots(..., .function = "weights", .known = "draws")
  check_fit(object)
  spec <- object$spec
  rows <- check_draws_index(draws, spec$draws)
  columns <- c(observation_names(object), prior_names(spec))
  check_size(as.double(length(rows)) * length(columns), "the weights", "draws", draws,
    "Ask for fewer draws at a time.")
  out <- matrix(0, length(rows), length(columns), dimnames = list(NULL, columns))
  # One call for each run that was joined: they may have different seeds.
  last <- cumsum(spec$segments$draws)
  segment <- findInterval(rows, last, left.open = TRUE) + 1L
  for (s in unique(segment)) {
    at <- which(segment == s)
    absolute <- rows[at] - (last[s] - spec$segments$draws[s]) + spec$segments$first_draw[s] - 1
    spec$seed <- spec$segments$seed[s]
    out[at, ] <- job_weights(spec, absolute)
  }
  out
}

check_draws_index <- function(draws, total) {
  if (is.null(draws)) return(seq_len(total))
  must <- paste("be draw numbers from 1 to", total)
  draws <- check_numbers(draws, "draws", lower = 1, must = must)
  bad <- draws > total | draws != trunc(draws)
  if (any(bad)) {
    bad_argument("draws", must, draws, paste("has", show_value(draws[bad][1L])))
  }
  draws
}

observation_names <- function(fit) {
  names <- if (is.matrix(fit$fitted)) rownames(fit$fitted) else c(names(fit$fitted), fit$row_names)
  if (is.null(names)) as.character(seq_len(fit$spec$n)) else names
}

prior_names <- function(spec) {
  if (spec$prior_weight == "coef") paste0("prior.", spec$columns) else "prior"
}
