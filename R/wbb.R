# wbb(): the bootstrap of anything that takes weights, a fitted model or a function.

#' A posterior for any model, or any function of the weights
#'
#' The weighted Bayesian bootstrap turns any optimiser into a sampler: draw random weights, solve the weighted problem, repeat.
#' `wbb()` does so with an optimiser that is already there: a model that was fitted with R, which is fitted again with
#' random weights by its own function; or a function of the weights, which may do anything.
#'
#' @section Models:
#' A model is any object that remembers its call (as [stats::update()] needs it) and was made by a function with an argument
#' `weights`: [stats::lm()], [stats::glm()], [stats::nls()], `MASS::rlm()` and `polr()`, `survival::coxph()` and
#' `survreg()`, `quantreg::rq()`, `nnet::nnet()` and `multinom()`, `mgcv::gam()`, `rpart::rpart()`, `lme4::lmer()`, `glmnet::glmnet()` and
#' others. Your own weights of the rows, if the model has any, multiply the random ones; `subset`, `na.action`
#' and offsets are those of the model. Its data are found where the model found them: where its formula was written,
#' or else where `wbb()` is called. If they are no longer there, or if something else has their name by now, that is an
#' error, and `data` can give them.
#'
#' What the draws are is said by `statistic`, a function of the refitted model that returns named numbers: predictions
#' ([predict_at()]), a contrast, a variance component. Coefficients that the data do not determine (`NA` in
#' `coef()`) are left out.
#'
#' Not every fitter reads weights as weights of the likelihood. For `lmer()` they are precisions of the residuals, and the random
#' effects have none. `rlm()` takes them as case weights here (`wt.method = "case"`) unless the model says otherwise. `glmnet()`
#' scales them to sum to the number of rows, and its penalty is that of the model's `lambda` in every draw; [wbb_lasso()] gives the penalty
#' a random weight, too. `nnet()` weights the loss and not `decay`. A `gam()` chooses its smoothing parameters again in each draw. Where
#' there is such a thing to know, `print()` says it.
#'
#' @section Fast roads:
#' The coefficients of `lm()`, and of `glm()` for the Gaussian, binomial and Poisson families with their canonical links, are
#' found by the core, without refitting: the same draws (to about 1e-6 of their size; `glm()` itself stops early), some hundred times
#' faster. A draw that the core cannot certify, where classes separate, is refitted. `print()` says which road was taken;
#' `refit = TRUE` refits in any case.
#'
#' @section Functions:
#' `object(w, w0)` gets the weights of the n rows and of the prior (one number, or `penalties` numbers with
#' `prior_weight = "coef"`); a function without second argument gets the former only. It returns named numbers, as a vector, matrix,
#' list or data frame; or anything that `statistic` makes such numbers of. It is tried with unit weights first: that is the mode, and gives
#' the names. All draws must have these.
#'
#' Draw k depends on the seed and k alone, and so does R's generator, which is seeded for each draw (and left as it was
#' afterwards): functions that draw random numbers reproduce, too, on every backend. What a function prints is muted, its warnings are
#' collected into one, with their texts in `fit$warnings`.
#'
#' @section When a draw fails:
#' An error, or numbers that are missing or have other names, stop the run with an error that names the draw; `on_error = "drop"`
#' leaves such draws out and counts them, with the messages in `fit$faults`. The draws that were done are not lost: see [last_wbb()].
#' Draws that fail do so for a reason, such as a group without any weight; leaving them out changes the posterior.
#'
#' @param object A fitted model, or a function of the weights.
#' @param n The number of weights, for a function: that of the rows of its data.
#' @param statistic A function that makes named numbers of the refitted model, by default its coefficients; or of what the
#'   function `object` returns.
#' @param data The data of the model, where they cannot be found any more.
#' @param refit Refit also where the core could solve the problem?
#' @param draws The number of draws.
#' @param prior_weight The prior weight `w0` of a draw: `"random"`, one Exp(1) number; `"fixed"`, always 1; `"coef"`, a random
#'   number for each of `penalties` terms.
#' @param penalties With `prior_weight = "coef"`, the length of `w0`.
#' @param case_weights Your own weights of the rows, for a function; those of a model are in the model.
#' @param cluster Ids of groups of rows that share one random weight: one for each row used, or one for each row of the data.
#' @param strata Ids of groups of rows whose weights always sum to their number, as when the design fixed the sizes of the groups. A
#'   cluster lies within one of them.
#' @param on_error What to do when a draw fails: `"stop"`, or `"drop"` it.
#' @param threads The number of threads of the core, where that is used; see [wbb_lasso()].
#' @param backend `"threads"`, here: draws of R run one after another in this session. `"future"`: spread over the workers of
#'   the current [future::plan()].
#' @param keep_data Keep the model, or the function, in the fit?
#' @param ... Not used.
#' @inheritParams wbb_lasso
#' @return An object of class `c("wbb_any", "wbb")`, which has the methods of all fits: [summary()][summary.wbb],
#'   [coef()][coef.wbb], [confint()][confint.wbb], [as.matrix()][as.matrix.wbb], [weights()][weights.wbb], `plot()`, `c()`,
#'   `update()` and others. Coefficients of `lm()` and `glm()` that the core solved also predict, as those of
#'   [wbb_lasso()] do: [predict()][predict.wbb_lasso] with intervals, `augment()`, `simulate()`, `posterior_predict()` and what builds on
#'   them. What another fit predicts is a matter of `statistic`: `predict()` says so.
#' @references
#' Newton, M. A., Polson, N. G. and Xu, J. (2021). Weighted Bayesian bootstrap
#' for scalable posterior distributions. *Canadian Journal of Statistics* 49,
#' 421--437.
#'
#' Tropp, J. A. (2012). User-friendly tail bounds for sums of random matrices. *Foundations of Computational
#' Mathematics* 12, 389--434.
#' @seealso [predict_at()] and [first_split()] for statistics, [last_wbb()] for runs that were stopped, `vignette("any-model")`.
#' @examples
#' fit <- wbb(lm(dist ~ speed, cars), seed = 1)
#' fit
#' confint(fit)
#'
#' # A statistic that is no coefficient: the speed at which the mean distance is 50
#' ratio <- function(m) c(speed = unname((50 - coef(m)[1]) / coef(m)[2]))
#' confint(wbb(lm(dist ~ speed, cars), statistic = ratio, draws = 200, seed = 1))
#'
#' # Any function of the weights
#' median_of <- function(w) {
#'   order <- order(cars$dist)
#'   c(median = cars$dist[order][which(cumsum(w[order]) >= sum(w) / 2)[1]])
#' }
#' summary(wbb(median_of, n = 50, draws = 200, seed = 1))
#' @examplesIf requireNamespace("survival", quietly = TRUE)
#' # A Cox model
#' cox <- survival::coxph(survival::Surv(time, status) ~ age + sex, survival::lung)
#' wbb(cox, draws = 100, seed = 1)
#' @export
wbb <- function(object, ...) UseMethod("wbb")

#' @rdname wbb
#' @export
wbb.default <- function(object, statistic = stats::coef, data = NULL, draws = 1000, refit = FALSE,
                        weights = "exponential", cluster = NULL, strata = NULL, on_error = c("stop", "drop"),
                        seed = NULL, first_draw = 1, threads = NULL, backend = c("threads", "future"), progress = NULL,
                        keep_data = TRUE, ...) {
  caller <- parent.frame()
  fit_default(..., .estimator = model_estimator(), .call = match.call(),
    .design = model_design(object, statistic, data, caller))
}

#' @rdname wbb
#' @export
wbb.function <- function(object, n, statistic = NULL, draws = 1000, prior_weight = c("random", "fixed", "coef"),
                         penalties = 1, weights = "exponential", case_weights = NULL, cluster = NULL, strata = NULL,
                         on_error = c("stop", "drop"), seed = NULL, first_draw = 1,
                         backend = c("threads", "future"), progress = NULL, keep_data = TRUE, ...) {
  fit_default(..., .estimator = function_estimator(), .call = match.call(), .design = function_design(object, n, statistic))
}

any_estimator <- function(default, data, prepare) {
  list(
    name = "wbb", class = "wbb_any", default = default, data = data, prepare = prepare, job = any_job,
    shapes = any_shapes, object = any_object, doubt = any_doubt, abroad = any_abroad
  )
}

model_estimator <- function() any_estimator(wbb.default, c("object", "statistic", "data"), model_prepare)

function_estimator <- function() any_estimator(wbb.function, c("object", "n", "statistic"), function_prepare)

# Functions ------------------------------------------------------------------------

function_design <- function(object, n, statistic) {
  if (missing(n) || is.null(n)) {
    bad_argument("n", "be the number of weights", NULL, "is missing", "That is the number of rows of the data that the function weights.")
  }
  if (!is.null(statistic) && !is.function(statistic)) bad_argument("statistic", "be a function of what `object` returns", statistic)
  list(model = object, statistic = statistic, n = check_count(n, "n", 1), formula = NULL)
}

function_prepare <- function(design, given, call) {
  solve <- function_solver(design$model, design$statistic)
  given$penalties <- check_count(given$penalties, "penalties", 1)
  case <- check_case_weights(given$case_weights, design$n)
  unit <- list(if (is.null(case)) rep(1, design$n) else case, rep(1, if (identical(given$prior_weight, "coef")) given$penalties else 1))
  mode <- try_unit(function() named_numbers(solve(unit[[1L]], unit[[2L]])), "`object`",
    paste0("called with ", counted(design$n, "unit weight"), " it fails"))
  task <- list(solve = solve, rows = seq_len(design$n), size = design$n)
  any_problem(design, task, mode, given, design$n)
}

# Apart, so that nothing else travels with it to another process. A second argument is the prior weight, unless it has a default
# and another name: then it is the user's own business.
function_solver <- function(f, statistic) {
  force(f)
  force(statistic)
  known <- formals(args(f))
  second <- if (length(known) > 1L) names(known)[2L]
  by_name <- "w0" %in% names(known)
  by_place <- !by_name && !is.null(second) && second != "..." && identical(known[[2L]], quote(expr = ))
  call <- if (by_name) function(w, w0) f(w, w0 = w0) else if (by_place) function(w, w0) f(w, w0) else function(w, w0) f(w)
  if (is.null(statistic)) call else function(w, w0) statistic(call(w, w0))
}

# What both share ------------------------------------------------------------------

# The numbers with unit weights, where all that can be wrong shows itself first; the generator is seeded alike for all fits.
try_unit <- function(solve, what, how) {
  generator <- own_generator()
  on.exit(restore_generator(generator))
  set.seed(1L)
  value <- NULL
  fault <- quietly(warning_log(), value <- solve())
  if (is.null(fault)) return(value)
  abort("function", paste0(what, " cannot be used: ", how, ": ", one_line(conditionMessage(fault)), "."), "object")
}

any_problem <- function(design, task, mode, given, n) {
  task$names <- names(mode)
  design$task <- task
  design$mode <- mode
  design$fingerprint <- fingerprint(as.double(mode), n)
  weights <- weight_settings(given, n)
  strata <- check_strata(given$strata, n, weights$cluster)
  settings <- c(
    weights, list(strata = strata, penalties = given$penalties, on_error = check_choice(given$on_error, "on_error", c("stop", "drop"))),
    draw_settings(given, length(mode), counted(length(mode), "number"))
  )
  list(design = design, settings = settings)
}

check_strata <- function(value, n, cluster) {
  if (is.null(value)) return(NULL)
  ids <- check_groups(value, n, "strata")
  if (!is.null(cluster) && any(tapply(ids, cluster, function(g) length(unique(g))) > 1L)) {
    bad_argument("strata", "hold every cluster whole", value, "a cluster has rows in two of them")
  }
  ids
}

any_job <- function(design, settings, progress = FALSE) {
  if (is.null(design$fast)) return(run_draws(design$task, settings, progress))
  fast_job(design$fast, design$task, settings, progress)
}

# Packages that are attached here, and what the functions use of the workspace.
any_abroad <- function(design) {
  require_package("future", "backend = \"future\"")
  found <- used_abroad(list(object = design$model, statistic = design$statistic, fitter = design$task$fitter))
  workspace <- intersect(design$task$needs, ls(globalenv(), all.names = TRUE))
  list(each = 4L, globals = c(found$globals, mget(as.character(workspace), globalenv())), packages = found$packages)
}

# The object -----------------------------------------------------------------------

any_shapes <- function(result, design, settings) list(draws = draws_shape(settings$draws, names(design$mode)))

any_object <- function(result, design, settings) {
  list(
    draws = result$draws, mode = design$mode, diagnostics = draw_diagnostics(result$diagnostics, settings),
    spec = list(
      names = names(design$mode), road = if (is.null(design$fast)) "refit" else "core", title = any_title(design$model),
      notes = design$notes
    ),
    faults = result$faults, warnings = result$warnings, row_names = design$task$row_names
  )
}

any_title <- function(model) {
  if (is.function(model)) return("a function of the weights")
  head <- model_call(model)[[1L]]
  # do.call() leaves the function itself in the call.
  name <- if (is.function(head)) class(model)[1L] else as.character(head)
  paste0(name[length(name)], "()")
}

#' @export
needed_parts.wbb_any <- function(fit) {
  list(
    fit = c("mode", "faults", "warnings"), spec = c("names", "segments", "weights", "prior_weight", "road", "title"),
    diagnostics = "status"
  )
}

#' @export
describe.wbb_any <- function(fit) {
  spec <- fit$spec
  prior <- if (spec$title == "a function of the weights") paste0(", ", prior_weight_text[[spec$prior_weight]])
  groups <- c(if (!is.null(spec$cluster)) counted(max(spec$cluster), "cluster"), if (!is.null(spec$strata)) {
    paste(length(unique(spec$strata)), "strata")
  })
  list(
    title = paste("Weighted Bayesian bootstrap of", spec$title),
    data = paste(c(counted(spec$n, "row"), groups), collapse = ", "),
    lines = c(
      Draws = paste0(with_commas(draw_count(spec)), ", ", law_of(spec), " weights", prior),
      Solver = if (spec$road == "core") "the core, without refitting (refit = TRUE refits)" else if (is.null(prior)) "refitted",
      Note = if (length(spec$notes)) paste(spec$notes, collapse = "\n      ")
    )
  )
}

# Draws that were left out, and what the fitter warned of: one warning.
any_doubt <- function(fit) {
  failed <- nrow(fit$faults)
  first <- fit$faults[1L, ]
  problems <- c(
    if (failed) {
      paste0(failed, " of ", counted(draw_count(fit$spec), "draw"), " failed and are left out (draw ", format(first$draw, digits = 15), ": ",
        one_line(first$message), "); see fit$faults")
    },
    warning_words(fit$warnings), same_words(fit)
  )
  if (length(problems)) list(kind = "draws", message = paste(problems, collapse = ". "))
}

warning_words <- function(table) {
  if (!nrow(table)) return(NULL)
  table <- table[order(-table$count), ]
  shown <- utils::head(table, 3L)
  texts <- paste0(dQuote(vapply(shown$message, one_line, ""), FALSE), " (", shown$count, ")", collapse = ", ")
  more <- if (nrow(table) > 3L) paste(" and", nrow(table) - 3L, "more")
  paste0("The fitter warned ", format(sum(table$count)), " times: ", texts, more, "; see fit$warnings")
}

same_words <- function(fit) {
  if (fit$spec$weights$name == "ones" || nrow(fit$draws) < 2L) return(NULL)
  if (all(fit$draws == rep(fit$mode, each = nrow(fit$draws)), na.rm = TRUE) && !anyNA(fit$draws)) {
    "All draws equal the mode: the weights change nothing"
  }
}

#' @export
failure_advice.wbb_any <- function(fit) "See fit$faults for what went wrong."

#' @export
c.wbb_any <- function(...) {
  join_faults(c.wbb(...), list(...))
}

# What went wrong in any of the fits.
join_faults <- function(joined, fits) {
  joined$faults <- do.call(rbind, lapply(fits, `[[`, "faults"))
  joined$warnings <- join_warnings(lapply(fits, `[[`, "warnings"))
  joined
}
