# How a fit is trusted: it may be years old, or edited by hand, and methods must not stumble over it.

# Every method comes through here before it uses a fit.
check_fit <- function(fit) {
  version <- if (is.list(fit)) fit$version
  if (!identical(version, wbb_version)) {
    made <- if (is.null(version)) "has no version" else paste("has version", show_value(version))
    abort("version", paste0("This fit ", made, " and cannot be read by wbb ", utils::packageVersion("wbb"),
      " (version ", wbb_version, "); make it again, e.g. with eval(fit$call)."), value = version)
  }
  fault <- fit_fault(fit)
  if (!is.null(fault)) {
    abort("fit", paste0("This fit has been changed and cannot be used: ", fault,
      "; make it again, e.g. with eval(fit$call)."))
  }
  invisible(fit)
}

# What a fit's methods use beside what all have: names of its parts, and of those of its `spec` and `diagnostics`; for networks
# how many bytes one has, by the `spec`.
needed_parts <- function(fit) UseMethod("needed_parts")

#' @export
needed_parts.wbb <- function(fit) list()

# The first thing that is not as it was made, in words; NULL if there is none.
fit_fault <- function(fit) {
  if (!(is.character(fit$estimator) && inherits(fit, fit$estimator))) {
    return(paste("its class is", show_value(class(fit)[1L]), "and its content that of", show_value(fit$estimator)))
  }
  needed <- needed_parts(fit)
  # Others may be NULL.
  there <- setdiff(names(fit), Filter(function(name) is.null(fit[[name]]), c("mode", "points")))
  lacks <- setdiff(c("draws", "diagnostics", "spec", needed$fit), there)
  if (length(lacks)) return(paste0("it lacks `", lacks[1L], "`"))
  fault <- spec_fault(fit$spec, needed)
  if (!is.null(fault)) return(fault)
  for (part in intersect(c("diagnostics", "mode_diagnostics"), names(fit))) {
    if (!is.null(fit[[part]]) && !is.data.frame(fit[[part]])) return(paste0("its `", part, "` are no table"))
  }
  lacks <- setdiff(needed$diagnostics, names(fit$diagnostics))
  if (length(lacks)) return(paste0("its `diagnostics` lack `", lacks[1L], "`"))
  if (("lambda" %in% needed$fit || !is.null(fit$lambda)) && !is_finite(fit$lambda)) {
    return(paste("its `lambda` is", show_value(fit$lambda)))
  }
  if (!is.null(fit$lambda) && !is_word(fit$lambda_from)) return(paste("its `lambda_from` is", show_value(fit$lambda_from)))
  if (!is.null(fit$call) && !is.call(fit$call)) return(paste("its `call` is", show_value(fit$call)))
  if (!is.null(fit$cv) && !is.data.frame(if (is.list(fit$cv)) fit$cv$curve)) return("its `cv` has no curve")
  if (!is.null(fit$cv) && !(is_number(fit$cv$nfolds) && is_word(fit$cv$rule) && (is.null(fit$cv$measure) || is_word(fit$cv$measure)))) {
    return("its `cv` does not say how it was made")
  }
  for (part in intersect(c("knots", "mode_knots"), needed$fit)) {
    if (!is.data.frame(fit[[part]]) || !is.numeric(fit[[part]]$x) || !is.numeric(fit[[part]]$jump)) return(paste0("its `", part, "` are no table of places and jumps"))
  }
  draws <- draw_count(fit$spec)
  if (!is_number(draws)) return("its `spec` does not say which draws it has")
  lambdas <- max(1L, length(fit$lambda))
  fault <- measures_fault(fit, draws, lambdas, needed)
  if (is.null(fault)) fault <- draws_fault(fit, draws, length(fit$spec$names), lambdas, needed)
  if (is.null(fault)) fault <- rows_fault(fit, lambdas, needed)
  fault
}

is_word <- function(x) is.character(x) && length(x) == 1L && !is.na(x)

is_finite <- function(x) is.numeric(x) && length(x) > 0L && all(is.finite(x))

# What each part of `spec` is, unless it is NULL: methods use them without a look.
spec_kinds <- list(
  number = list(
    is = is_number,
    of = c("n", "p", "draws", "burn", "thin", "chains", "alpha", "average", "batch_size", "learning_rate", "epochs", "decay", "momentum", "n_test", "order",
      "classes", "tolerance", "max_iterations", "nfolds", "nlambda", "penalties", "refit")
  ),
  word = list(is = is_word, of = c("family", "road", "batches", "lambda_rule", "on_error", "title", "cv_measure")),
  flag = list(is = is.logical, of = c("intercept", "named", "signal", "standardize", "summed")),
  numbers = list(
    is = is.numeric,
    of = c("center", "scale", "y_center", "y_scale", "case_weights", "cluster", "strata", "offset", "status", "penalty_factor", "hidden")
  ),
  text = list(is = is.character, of = c("names", "columns", "by_row", "notes", "keep")),
  law = list(is = function(value) inherits(value, "wbb_law") && is.list(value) && is_word(value$name), of = "weights"),
  # Words that are looked up.
  # A pool of as many as any number says would be made, one after the other.
  threads = list(is = function(value) is_number(value) && value >= 1 && value <= most_threads, of = "threads"),
  prior_weight = list(is = function(value) is_word(value) && value %in% c("random", "fixed", "coef"), of = "prior_weight"),
  activation = list(is = function(value) is_word(value) && value %in% c("relu", "tanh", "identity"), of = "activation"),
  init = list(is = function(value) is_word(value) && value %in% c("trained", "shared", "fresh"), of = "init"),
  optimizer = list(is = function(value) is_word(value) && value %in% c("sgd", "momentum", "adam"), of = "optimizer")
)

spec_fault <- function(spec, needed) {
  lacks <- setdiff(c("n", needed$spec), if (is.list(spec)) names(spec))
  if (length(lacks)) return(paste0("its `spec` lacks `", lacks[1L], "`"))
  if (is.null(spec$n)) return("the `n` of its `spec` is NULL")
  for (kind in spec_kinds) for (part in intersect(kind$of, names(spec))) {
    if (!is.null(spec[[part]]) && !kind$is(spec[[part]])) return(paste0("the `", part, "` of its `spec` is ", show_value(spec[[part]])))
  }
  for (part in intersect(c("case_weights", "cluster", "strata", "offset"), names(spec))) {
    # The offsets of several classes are a matrix.
    if (!NROW(spec[[part]]) %in% c(0, spec$n)) return(paste0("the `", part, "` of its `spec` are not ", format(spec$n)))
  }
  # Where the intercept is a column of its own, it has no name among them.
  if (!is.null(spec$columns) && !is.null(spec$p) && !length(spec$columns) %in% (spec$p - 0:isTRUE(spec$intercept))) {
    return(paste("its `spec` does not name its", counted(spec$p, "column")))
  }
  if (!is.null(spec$segments) && !is.data.frame(spec$segments)) return("its `spec` does not say which draws it has")
}

# The draws and the mode.
draws_fault <- function(fit, draws, coefficients, lambdas, needed) {
  # Networks are a list, or not kept at all; numbers have a name for each column.
  if (coefficients == 0L) {
    if (is.null(fit$draws)) return(NULL)
    if (!is.list(fit$draws) || length(fit$draws) != draws) return(paste("its `draws` are not a list of length", draws))
    solved <- fit$draws[!failed_status(fit$diagnostics$status)]
    if (!all(vapply(solved, is.raw, NA))) return("its `draws` are no networks")
    return(if (!all(lengths(solved) == needed$bytes(fit$spec))) "its `draws` are networks of another size")
  }
  shape <- c(draws, coefficients, if (lambdas > 1L) lambdas)
  if (!is.numeric(fit$draws) || !identical(as.double(dim(fit$draws)), as.double(shape))) {
    return(paste("its `draws` are not", paste(shape, collapse = " by "), "numbers"))
  }
  if (!identical(colnames(fit$draws), fit$spec$names)) return("its `draws` do not have the names of its coefficients")
  if (!is.null(fit$mode) && !(is.numeric(fit$mode) && length(fit$mode) == coefficients * lambdas)) {
    return(paste("its `mode` is not of", coefficients * lambdas, "numbers"))
  }
  # The kind of the points alone, as of dates.
  if (!is.null(fit$time) && (!is.atomic(fit$time) || length(fit$time) || !is.null(dim(fit$time)))) return(paste("its `time` is", show_value(fit$time)))
  if (!is.null(fit$points) && !(is_finite(fit$points) && length(fit$points) == coefficients && !is.unsorted(fit$points, strictly = TRUE))) {
    return(paste("its `points` are not", coefficients, "numbers in their order"))
  }
}

# What is known of the draws and of the mode.
measures_fault <- function(fit, draws, lambdas, needed) {
  if (!is.data.frame(fit$diagnostics) || nrow(fit$diagnostics) != draws * lambdas) {
    return(paste("its `diagnostics` are not a data frame of", draws * lambdas, "rows"))
  }
  for (name in setdiff(needed$diagnostics, "status")) {
    if (!is.numeric(fit$diagnostics[[name]])) return(paste0("its `diagnostics` have `", name, "` that is ", show_value(fit$diagnostics[[name]])))
  }
  if ("mode_diagnostics" %in% needed$fit) {
    mode <- fit$mode_diagnostics
    if (!is.data.frame(mode) || nrow(mode) != lambdas) return(paste("its `mode_diagnostics` are not a data frame of", counted(lambdas, "row")))
    if ("sigma" %in% needed$diagnostics && !is.numeric(mode$sigma)) return("its `mode_diagnostics` lack `sigma`")
  }
  if ("mcmc" %in% needed$fit && !(is.data.frame(fit$mcmc) && is.character(fit$mcmc$term) && is.numeric(fit$mcmc$rhat) && is.numeric(fit$mcmc$ess))) {
    return("its `mcmc` is no table of `term`, `rhat` and `ess`")
  }
  if ("test" %in% needed$fit && !is.null(fit$test) && !is.list(fit$test)) return(paste("its `test` is", show_value(fit$test)))
  # A network that was trained has a loss after its first epoch.
  if ("curves" %in% needed$fit && !(is.numeric(fit$curves) && identical(nrow(fit$curves), nrow(fit$diagnostics)) &&
    !anyNA(fit$curves[!failed_status(fit$diagnostics$status), 1L]))) {
    return("its `curves` are no table of losses, a row a draw")
  }
  if ("knots" %in% needed$fit && !(is.data.frame(fit$knots) && is.data.frame(fit$mode_knots))) return("its `knots` are not a data frame")
}

# What there is of the rows: all of it or nothing.
rows_fault <- function(fit, lambdas, needed) {
  n <- fit$spec$n
  classes <- max(1, fit$spec$classes)
  if (classes > 1 && length(fit$levels) != classes) return(paste("its `levels` are not", classes))
  if (!is.null(fit$fitted) && !(is.numeric(fit$fitted) && length(fit$fitted) == n * classes * lambdas)) {
    return(paste("its `fitted` are not", format(n * classes * lambdas), "numbers"))
  }
  if (!is.null(fit$row_names) && !(is.character(fit$row_names) && length(fit$row_names) == n)) {
    return(paste("its `row_names` are not", format(n)))
  }
  # That of wbb() is the user's model.
  if (inherits(fit, "wbb_any")) return(NULL)
  if (is.null(fit$terms) != is.null(fit$formula)) return(paste0("it lacks `", if (is.null(fit$terms)) "terms" else "formula", "`"))
  if (!is.null(fit$terms) && !inherits(fit$terms, "terms")) return(paste("its `terms` are", show_value(fit$terms)))
  if (!is.null(fit$coding) && !(is.list(fit$coding) && !is.null(names(fit$coding)))) return("its `coding` has no columns")
  coded <- vapply(fit$coding, function(columns) max(1, NCOL(columns) * !is.null(columns)), 0)
  if (!is.null(fit$coding) && !identical(sum(coded), as.double(fit$spec$p))) return("its `coding` is of other columns")
  # Levels of what is not there would become a column of their own.
  variables <- if (!is.null(fit$terms)) vapply(as.list(attr(fit$terms, "variables"))[-1L], deparse1, "")
  if (!all(names(fit$xlevels) %in% variables) || length(fit$xlevels) > length(names(fit$xlevels))) return("its `xlevels` are not those of its `terms`")
  # Rows need not be kept.
  if (is.null(fit[["y"]])) return(if (!is.null(fit[["x"]]) || !is.null(fit$model)) "it lacks `y`")
  if (!(is.numeric(fit$y) || is.factor(fit$y)) || length(fit$y) != n || anyNA(fit$y)) return(paste("its `y` is not of", counted(n, "number")))
  if (is.null(fit$fitted) && "fitted" %in% needed$fit) return("it lacks `fitted`")
  if (!is.null(fit[["x"]]) && (is.character(fit[["x"]]) || NROW(fit[["x"]]) != n)) return(paste("its `x` has not", counted(n, "row")))
  if (is.null(fit$terms)) return(NULL)
  if (!is.data.frame(fit$model) || nrow(fit$model) != n || !all(variables %in% names(fit$model))) {
    return("its `model` is not that of its `terms`")
  }
}
