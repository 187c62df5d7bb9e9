#' Weighted Bayesian bootstrap of the lasso
#'
#' Draws from the weighted Bayesian bootstrap posterior of a linear, logistic, Poisson, multinomial or Cox model with a
#' lasso (or elastic-net) penalty. Each draw gives random weights to the
#' observations and to the penalty and solves that weighted problem exactly, to a
#' certified duality gap; coefficients that are zero are exactly zero.
#'
#' The objective, the conversion of `lambda` from and to glmnet and the paper, and
#' the limits of the method are in [wbb-objective]. In short: glmnet's lambda
#' times the number of rows is ours.
#'
#' A draw depends on the data, the settings, `seed` and its own number alone. It
#' does not depend on `threads` or `backend`, and runs with the same seed and
#' consecutive `first_draw` can be joined by `c()` into what one run would have
#' given, bit for bit.
#'
#' @section Data:
#' The formula interface works as in [stats::lm()]: factors expand by
#' [stats::model.matrix()], `y ~ 0 + x` leaves out the intercept, rows with missing
#' values are handled by `na.action`, and `case_weights`, `cluster`, `foldid` and `offset`
#' may be columns of `data`. An [stats::offset()] in the formula is added to the argument `offset`.
#'
#' In the `x`, `y` interface factor and character columns of a data frame expand
#' by their contrasts; missing values are an error. A sparse `x` is never made
#' dense. Columns without a name are called `V1`, `V2`, ... by position, and
#' duplicated names are made unique by [make.unique()]. Beside an intercept a
#' constant column gets coefficient 0.
#'
#' @section Families:
#' With \eqn{\eta_i = o_i + b_0 + x_i'b}{eta_i = o_i + b_0 + x_i'b}, o an offset, the negative log-likelihoods are
#' | **family** | **loss of a row** | **response** |
#' |:---|:---|:---|
#' | `"gaussian"` | \eqn{(y - \eta)^2/2}{(y - eta)^2/2} | numbers |
#' | `"binomial"` | \eqn{\log(1 + e^\eta) - y\eta}{log(1 + exp(eta)) - y eta} | 0/1, logical, a factor or text of two classes (the second is the success, as in [stats::glm()]), `cbind(successes, failures)`, or proportions with the trials as `case_weights` |
#' | `"poisson"` | \eqn{e^\eta - y\eta}{exp(eta) - y eta} | counts; for rates give the log of the exposure as `offset` |
#' | `"multinomial"` | \eqn{\log \sum_k e^{\eta_k} - \eta_y}{log sum_k exp(eta_k) - eta_y} | a factor or text of three or more classes; each class has its own coefficients, as in glmnet |
#' | `"cox"` | the partial likelihood, ties after Breslow | `survival::Surv(time, status)`, right-censored; there is no intercept |
#'
#' A row's random weight multiplies its loss; for Cox it counts in the events and in the risk sets. The trials of a row share its
#' weight: give single trials as rows if each is to have its own. Coefficients of the multinomial are called `class:column`.
#'
#' Data that separate (a combination of columns tells the classes apart without error) have no finite mode at `lambda = 0`; such
#' draws have the status `"separated"`, count as failed, and are said in the warning. Any penalty brings the mode back,
#' but for a class that has no weight in a draw (counts as weights, few rows of the class): nothing shrinks its intercept.
#'
#' @section Data larger than the memory:
#' `data` may be a [wbb_source()]: a database, files, a function. It is read in chunks, and what is made of them depends on what costs less:
#' - few columns, family `"gaussian"`: the sums of all draws, as [wbb_moments()] makes them, in one reading, or in several where all of them would be
#'   too large for the memory. Draws equal those of the same rows in memory to about 1e-10, whatever the size of the chunks;
#' - many columns, and the other families: the rows are read once and kept, in memory or, above `options(wbb.max_moments = 4e8)` bytes (but for `"cox"`, which refuses more),
#'   in a file in `options(wbb.scratch = )`, by default R's temporary folder. It takes 8 bytes a number, which the disk must have, and goes with the fit or the process. What comes out has the bits of the fit in
#'   memory. Of a row a response with up to 256 values (classes, counts) takes about four bytes of memory, any other one some 30;
#'   weights, clusters, folds and offsets take 4 to 8 each, twice while they are read, and cross-validation 8 to 16 more. `options(wbb.scratch = FALSE)` makes no file.
#'
#' `x` may also be sums that were made before by [wbb_moments()]. Such fits have no rows: [fitted()],
#' [residuals()] and the like say so, and `predict()` needs `newdata`, which may be a source as well. A draw that fits nearly perfectly
#' (less than a millionth of the variance is left) cannot be certified from sums, and is marked as not converged.
#'
#' @section Cross-validation:
#' The grid of lambdas ends where less than a thousandth of the squares (or of the deviance) is left. Rows that are held out have weight zero; columns are
#' standardised once, with all rows. With some sixty columns or more in a fit the curve of the Gaussian family is computed as nearly as it is needed: errors are
#' within some hundredths of their standard error around the minimum and, at worst, within a part of it where they are far above.
#'
#' @section A lambda for each draw:
#' With `"cv"` all draws share the `lambda` that the data choose, as if it were known. With `lambda = "redrawn"` each draw chooses its own, by the
#' cross-validation of the same data with the weights of the draw, over the same folds and by the same `lambda_rule` (of at most 40 values), so that the
#' spread of the draws contains what is not known of `lambda`. `fit$lambda` is then the choice of the data, at which the mode is found, and
#' `fit$diagnostics$lambda` has that of each draw; `prior_weight` multiplies it as ever. A draw still depends on the data, the settings, `seed` and its number
#' alone. It costs a cross-validation a draw: some milliseconds for ten columns, a few hundred times what the draw itself takes.
#'
#' @section A path of lambdas:
#' With several values of `lambda` every draw is solved at all of them with the
#' same weights: how far the posterior depends on the prior. The values keep the
#' order in which they were given. Methods then take a `lambda` argument that
#' picks one. A draw of a path equals that of a fit at one lambda to the tolerance,
#' not bit for bit.
#'
#' @param x A numeric matrix, a data frame or a sparse matrix of package Matrix;
#'   or a formula; or sums of [wbb_moments()].
#' @param y The response, with one element (or row) for each row of `x`; what it may be is in the section on families.
#' @param formula A formula, `response ~ predictors`.
#' @param data A data frame with the variables of the formula, or a [wbb_source()] that is read in chunks.
#' @param lambda The strength of the penalty: a non-negative number, several
#'   distinct ones (a path), `"cv"` to choose it by cross-validation, `"redrawn"` to choose it in every draw anew, or `"marglik"` to
#'   choose it by the [marginal_likelihood()] (for the plain lasso of few columns).
#' @param draws The number of draws.
#' @param family `"gaussian"`, `"binomial"`, `"poisson"`, `"multinomial"` or `"cox"`; or [stats::binomial()] and the like, with
#'   their canonical link.
#' @param offset Numbers that are added to the linear predictor, one for each row; for `"multinomial"` a matrix with a
#'   column for each class.
#' @param prior_weight The weight of the penalty in a draw: `"random"`, one Exp(1)
#'   number; `"fixed"`, always 1; `"coef"`, one Exp(1) number for each coefficient.
#' @param weights The law of the random weights of the observations: a name or a
#'   [weight_law()].
#' @param case_weights Your own weights of the rows, non-negative; they multiply
#'   the random ones. An integer weight is the same as repeating the row in the
#'   objective (not in the random weights, which a repeated row would draw twice).
#' @param cluster Ids of groups of rows that share one random weight. The folds of
#'   the cross-validation keep groups together.
#' @param alpha The elastic-net mixing: 1 is the lasso, 0 is ridge regression.
#' @param penalty_factor Factors that multiply `lambda`, one or one for each column
#'   of `x`; 0 leaves a coefficient unpenalised. If they have names, these are names of columns or of terms of the formula
#'   (a factor is one term, whatever its columns), and what is not named has factor 1. They are used as given, not rescaled.
#' @param standardize Scale the columns to standard deviation one before the
#'   penalty is applied? Coefficients are reported on the original scale.
#' @param intercept Fit an (unpenalised) intercept?
#' @param refit The two-step estimator of Ng and Newton (2022): `TRUE` refits each
#'   draw without penalty on the coefficients that it selected; a number
#'   refits with that `lambda`. The cross-validation is then that of the refitted estimator.
#' @param lambda_rule The cross-validation's choice: `"min"`, the smallest error; or
#'   `"1se"`, the largest lambda within one standard error of it.
#' @param cv_measure What cross-validation goes by: `"mse"` (Gaussian), `"deviance"` (all others), `"class"`, the share of
#'   rows that are classified wrongly (binomial, multinomial), or `"auc"`, the area under the ROC curve (binomial). `NULL` is the
#'   first that the family has.
#' @param nfolds The number of folds, at most the number of rows (or clusters). The rows outside a fold are fitted with their share of
#'   `lambda`, so that the penalty is to them what `lambda` is to all rows.
#' @param foldid Fold numbers 1, 2, ... of the rows, in place of `nfolds`. By
#'   default folds are made from the seed: of every `nfolds` rows (or clusters) that
#'   follow each other one falls into each fold, in random order; with an even share of each class (or of the events)
#'   where there is no `cluster`.
#' @param nlambda The number of lambdas of the cross-validation; fewer where the fit to all rows is perfect, or has all columns and
#'   no longer changes: where one explains less than 1e-5 more of the deviance than the one before.
#' @param lambda_min_ratio Their smallest as a share of the largest; `NULL` is
#'   `1e-4`, or `1e-2` when there are more columns than rows.
#' @param seed A whole number that fixes the draws; `NULL` takes one from R's
#'   generator, so that [set.seed()] reproduces. A given seed leaves R's generator
#'   as it is.
#' @param first_draw The number of the first draw. Runs with the same seed that
#'   continue each other's draws can be joined by `c()`.
#' @param threads The number of threads; `NULL` is `getOption("wbb.threads")`, else
#'   all cores (two under `R CMD check`).
#' @param backend `"threads"`, or `"future"` to spread the draws over the workers of
#'   the current [future::plan()], one thread each: the way to a cluster.
#' @param progress Show progress? `NULL` does when somebody is watching: in an
#'   interactive session or a notebook, not in a script or a knitted document.
#' @param tolerance The duality gap to reach, relative to the objective.
#' @param max_iterations The most iterations of the solver in a draw. Draws that
#'   end above the tolerance are counted in one warning.
#' @param keep_data Keep the data in the fit? They are needed by [predict()]
#'   without `newdata` and by [residuals()].
#' @param subset,na.action As in [stats::lm()].
#' @param contrasts Codings of factors, as in [stats::lm()].
#' @param ... In the formula interface, the arguments of the `x`, `y` interface;
#'   otherwise nothing.
#'
#' @return An object of class `c("wbb_lasso", "wbb")`. Use the methods:
#'   [summary()][summary.wbb], [coef()][coef.wbb], [confint()][confint.wbb],
#'   [predict()][predict.wbb_lasso], [as.matrix()][as.matrix.wbb],
#'   [weights()][weights.wbb], [tidy()][tidy.wbb] and `plot()`. Of its
#'   elements you may want to look at
#'   - `diagnostics`: a data frame with one row a draw (and lambda): `draw`, its `lambda` where that is redrawn, the
#'     `status`, `iterations`, the `objective`, its relative duality `gap`, and
#'     `sigma`, the residual standard deviation with the degrees of freedom of the fit: \eqn{\sum w r^2}{sum w r^2}
#'     over what the fit leaves of \eqn{\sum w}{sum w}, so that prediction intervals cover (Gaussian only);
#'   - `mode_diagnostics`: the same for the mode, where all weights are one;
#'   - `lambda`, and `cv` with the cross-validation: its `curve`, `lambda_min`,
#'     `lambda_1se` and `foldid`; or `marglik`, the marginal likelihoods;
#'   - `levels`: the classes of the response, where it has any;
#'   - `spec`: all settings of the run, by the names of the arguments; the seed is in its `segments`, which say
#'     which draws there are.
#'
#'   A fit holds no pointers; it can be saved and read back.
#' @references
#' Newton, M. A., Polson, N. G. and Xu, J. (2021). Weighted Bayesian bootstrap
#' for scalable posterior distributions. *Canadian Journal of Statistics* 49,
#' 421--437.
#'
#' Ng, T. L. and Newton, M. A. (2022). Random weighting in LASSO regression.
#' *Electronic Journal of Statistics* 16, 3430--3481.
#' @examples
#' fit <- wbb_lasso(y ~ ., data = diabetes, draws = 200, seed = 1)
#' fit
#' summary(fit)
#' confint(fit)
#'
#' # The same from a matrix, at given lambdas
#' x <- as.matrix(diabetes[names(diabetes) != "y"])
#' path <- wbb_lasso(x, diabetes$y, lambda = c(200, 50, 10), draws = 200, seed = 1)
#' coef(path)
#' summary(path, lambda = 50)
#'
#' # Two chunks are one run
#' whole <- wbb_lasso(x, diabetes$y, lambda = 50, draws = 200, seed = 1)
#' first <- update(whole, draws = 120)
#' second <- update(whole, draws = 80, first_draw = 121)
#' identical(as.matrix(c(first, second)), as.matrix(whole))
#'
#' # A logistic lasso
#' logistic <- wbb_lasso(am ~ wt + hp, mtcars, family = "binomial", lambda = 1, draws = 200, seed = 1)
#' summary(logistic)
#' predict(logistic, mtcars[1:3, ], interval = "credible")
#' @export
wbb_lasso <- function(x, ...) UseMethod("wbb_lasso", entry(x, ...))

#' @rdname wbb_lasso
#' @export
wbb_lasso.default <- function(x, y, lambda = "cv", draws = 1000,
                              family = c("gaussian", "binomial", "poisson", "multinomial", "cox"), offset = NULL,
                              prior_weight = c("random", "fixed", "coef"),
                              weights = "exponential", case_weights = NULL, cluster = NULL,
                              alpha = 1, penalty_factor = 1, standardize = TRUE,
                              intercept = TRUE, refit = FALSE,
                              lambda_rule = c("min", "1se"), cv_measure = NULL, nfolds = 10, foldid = NULL,
                              nlambda = 100, lambda_min_ratio = NULL,
                              seed = NULL, first_draw = 1, threads = NULL,
                              backend = c("threads", "future"), progress = NULL,
                              tolerance = 1e-8, max_iterations = 1000,
                              keep_data = TRUE, ...) {
  fit_default(..., .estimator = lasso_estimator(), .design = matrix_design(x, y, check_family(family)$code),
    .call = match.call())
}

#' @rdname wbb_lasso
#' @export
wbb_lasso.formula <- function(formula, data, ..., case_weights, cluster, foldid, offset,
                              subset, na.action, contrasts = NULL) {
  fit_formula(..., .estimator = lasso_estimator(), .call = match.call(), .env = parent.frame())
}

lasso_estimator <- function() {
  list(
    name = "wbb_lasso", class = "wbb_lasso", default = wbb_lasso.default, data = c("x", "y"),
    rows = c("case_weights", "cluster", "foldid", "offset"), response = function(given) check_family(given$family)$code,
    prepare = lasso_prepare, from_source = fit_source, job = lasso_job, shapes = lasso_shapes, object = lasso_object, doubt = convergence_doubt
  )
}

# The object -----------------------------------------------------------------------

lasso_job <- function(design, settings, progress = FALSE) {
  run_job(function() rust_lasso_job(rust_matrix(design$x), design$y, settings), progress, keep = TRUE)
}

lasso_shapes <- function(result, design, settings) {
  list(draws = draws_shape(settings$draws, linear_names(design, settings), result$lambda))
}

lasso_object <- function(result, design, settings) {
  names <- colnames(result$draws)
  mode <- per_lambda_shape(result$mode, names, result$lambda)
  list(
    draws = result$draws, mode = mode, lambda = result$lambda,
    lambda_from = if (!is.null(design$marglik)) "marglik" else if (is.null(result$cv)) "user" else "cv",
    cv = cv_result(result$cv, settings), marglik = design$marglik,
    diagnostics = of_family(with_lambdas(solver_diagnostics(result, settings), result, settings), settings),
    mode_diagnostics = of_family(mode_diagnostics(result), settings),
    spec = list(
      names = names, columns = design$names, named = design$named,
      dependent = if (length(result$dependent)) design$names[result$dependent]
    ), method = result$method,
    levels = design$levels, trials = design$trials, fitted = family_fitted(design, mode, settings, result$lambda),
    centre = if (settings$family == "cox") column_means(design$x, settings$case_weights)
  )
}

# The lambda of each draw, where it is the draw's own.
with_lambdas <- function(diagnostics, result, settings) {
  if (!identical(settings$lambda, "redrawn")) return(diagnostics)
  list2DF(append(diagnostics, list(lambda = result$lambdas), 1L))
}

# Only the Gaussian has a scale to estimate.
of_family <- function(diagnostics, settings) {
  if (settings$family != "gaussian") diagnostics$sigma <- NULL
  diagnostics
}

column_means <- function(x, weights) {
  if (is.null(weights)) Matrix::colMeans(x) else as.vector(Matrix::crossprod(x, weights)) / sum(weights)
}

#' @export
needed_parts.wbb_lasso <- function(fit) {
  list(
    fit = c("mode", "lambda", "lambda_from", "mode_diagnostics", "fitted"),
    spec = c("names", "columns", "named", "segments", "intercept", "p", "alpha", "refit", "weights", "prior_weight"),
    diagnostics = c("status", if (is.list(fit$spec)) c(if (identical(fit$spec$family, "gaussian")) "sigma", if (is_redrawn(fit)) "lambda"))
  )
}

#' @export
describe.wbb_lasso <- function(fit) {
  words <- describe_bootstrap(fit, paste(c(family_of(fit)$words, penalty_name(fit$spec)), collapse = " "), family_data(fit))
  words$lines <- c(words$lines, Undetermined = dependence_text(fit$spec$dependent))
  words
}

# As lm() says that coefficients are not defined.
dependence_text <- function(columns) {
  if (length(columns)) paste(show_values(columns), if (length(columns) > 1L) "depend" else "depends", "on other columns, and no penalty decides between them")
}

# Rows alone say little where few of them are events.
family_data <- function(fit) {
  spec <- fit$spec
  said <- switch(family_of(fit)$name,
    cox = counted(sum(spec$status), "event"), multinomial = paste(spec$classes, "classes")
  )
  if (!is.null(said)) paste0(counted(spec$n, "row"), ", ", said, ", ", counted(spec$p, "column"))
}

penalty_name <- function(spec) {
  name <- if (spec$alpha == 1) "lasso" else if (spec$alpha == 0) "ridge estimator" else {
    paste0("elastic net (alpha = ", format(spec$alpha), ")")
  }
  paste0(name, if (!is.null(spec$refit)) ", refitted on the selected columns")
}
