#' wbb: the weighted Bayesian bootstrap
#'
#' The weighted Bayesian bootstrap (WBB) turns an optimiser into a sampler: draw
#' random weights for the observations and for the penalty, minimise the
#' weighted, penalised loss, and repeat. The minimisers are approximate draws
#' from the posterior distribution, and they are independent: there is no chain
#' to warm up or to diagnose.
#'
#' Start with [wbb()], which takes a model that you have already fitted; with [wbb_lasso()], with [wbb_trendfilter()] for a series, or
#' with [wbb_mlp()] for a neural network.
#' [bayes_bridge()] draws from an exact posterior by Markov chains, and [compare()] puts fits side by side. The scale
#' of `lambda`, and where the method should not be trusted, are in [wbb-objective].
#'
#' @section Options:
#' - `wbb.threads`: the number of threads where `threads = NULL` (default: all
#'   cores).
#' - `wbb.max_bytes`: the largest result that is allowed, in bytes (default
#'   `8e9`). Larger requests are refused before anything is allocated.
#'
#' @references
#' Newton, M. A., Polson, N. G. and Xu, J. (2021). Weighted Bayesian bootstrap
#' for scalable posterior distributions. *Canadian Journal of Statistics* 49,
#' 421--437. \doi{10.1002/cjs.11570}
#'
#' Newton, M. A. and Raftery, A. E. (1994). Approximate Bayesian inference with
#' the weighted likelihood bootstrap. *Journal of the Royal Statistical Society
#' B* 56, 3--48.
#'
#' @useDynLib wbb, .registration = TRUE
#' @importFrom methods as is
#' @importFrom stats coef confint fitted formula model.frame model.matrix nobs
#' @importFrom stats predict residuals variable.names vcov weights
#' @importClassesFrom Matrix dgCMatrix sparseMatrix
#' @keywords internal
#' @aliases NULL wbb-package
"_PACKAGE"

#' The objective, the scale of lambda, and when not to trust the draws
#'
#' @name wbb-objective
#'
#' @section The objective of a draw:
#' With weights \eqn{w_1, \dots, w_n} of the observations and \eqn{w_0} of the
#' penalty, a draw of [wbb_lasso()] minimises
#' \deqn{\frac12 \sum_i w_i (y_i - b_0 - x_i'b)^2 +
#'   \lambda w_0 \sum_j f_j \{\alpha |b_j| + (1 - \alpha) b_j^2 / (2 s)\},}{
#'   1/2 sum_i w_i (y_i - b0 - x_i'b)^2
#'     + lambda w0 sum_j f_j (alpha |b_j| + (1 - alpha) b_j^2 / (2 s)),}
#' where \eqn{f_j} are the penalty factors and \eqn{s} is the standard deviation of
#' the response (without an intercept its root mean square), as in glmnet. It makes
#' both parts of the penalty change alike with the units of the response: with `y`
#' in other units and `lambda` with it, the coefficients are those in other units,
#' whatever `alpha`. With `standardize = TRUE` the
#' \eqn{b_j} in the penalty belong to columns that are scaled to standard
#' deviation one. Both is done once for all draws, with divisor n and the case
#' weights, and never with the weights of a draw. The intercept is never
#' penalised. Coefficients are always reported on the original scale.
#'
#' With another `family` its negative log-likelihood takes the place of the squares (see there), offsets are added to
#' \eqn{x_i'b}, and \eqn{s} is 1.
#'
#' Where the data do not determine the coefficients without a penalty (columns with
#' penalty factor 0, or all at `lambda = 0`, that depend on each other; a level of a
#' factor without any weight in a draw), they are those of the smallest norm, in
#' columns scaled to standard deviation one. Of columns without a penalty one depends on those before it where less than
#' 1e-11 of its standard deviation is left beside them, or no more than the rounding of its numbers ([stats::lm()] draws
#' the line at 1e-7 of the column). Such columns are named where the fit is printed. What is left of them is no part of the problem that
#' the draws solve: their `objective`, `gap` and `status` are those of the problem without it.
#'
#' @section The scale of lambda:
#' | **program** | **its loss** | **lambda for the same unit-weight fit** |
#' |:---|:---|:---|
#' | wbb | `1/2 sum r^2` | `lambda` |
#' | glmnet, any `alpha` | `1/(2n) sum r^2` | `lambda / n` |
#' | Newton, Polson and Xu, diabetes example | `sum r^2` | `2 * lambda` |
#'
#' A single weighted draw of the lasso is
#' `glmnet(x, y, weights = w, lambda = lambda * w0 / sum(w), standardize = FALSE)`
#' on columns that were standardised beforehand. (With `alpha < 1` it is not: glmnet
#' then takes \eqn{s} with the weights of the draw.) glmnet's
#' `penalty.factor = rep(w0, p)` is not the same: glmnet rescales penalty factors
#' to sum to the number of columns, so that it changes nothing. Nor is
#' `standardize = TRUE` in a weighted call, which standardises by the weights of
#' the draw. wbb uses penalty factors as they are given.
#'
#' @section What the penalty means as a prior:
#' The loss is that of normal errors with variance one. With error variance
#' \eqn{\sigma^2} the same minimiser is the posterior mode under a Laplace prior
#' of rate \eqn{\lambda / \sigma^2}, not \eqn{\lambda}: the paper's diabetes
#' example drops \eqn{\sigma^2}. The paper also leaves open how lambda was chosen
#' and whether columns were standardised and an intercept fitted; here each
#' of these is an argument, with the defaults of glmnet.
#'
#' @section When not to trust the draws:
#' The draws resemble a posterior sample when there are many observations for
#' each parameter and lambda is small beside the square root of n. With one
#' observation for each parameter they do not: in the normal-means problem
#' (one \eqn{y}, one \eqn{\theta}) every draw lies between 0 and \eqn{y}; at
#' \eqn{y = 2}, \eqn{\lambda = 0.1} the draws have standard deviation 0.50 where
#' the posterior has 0.99. Intervals of draws under a strong penalty are too
#' short and pulled to zero; `prior_weight = "coef"` or `refit = TRUE` help.
#'
#' @references
#' Ng, T. L. and Newton, M. A. (2022). Random weighting in LASSO regression.
#' *Electronic Journal of Statistics* 16, 3430--3481.
#' @seealso [wbb_lasso()], [wbb_trendfilter()], [wbb_mlp()]
NULL
