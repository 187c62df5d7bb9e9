# Calls of every exported function and every method with wrong values of every kind.

wrong <- list(
  NULL, NA, NaN, Inf, -Inf, -1, 0, 0.5, 1e300, -1e300, 1e-320, .Machine$integer.max, 2^53, 3L, TRUE, FALSE, "", "a", "cv", "%s%n", "\u00e9", NA_character_,
  character(), numeric(), list(), list(1, "a"), c(1, NA), c(1, Inf), 1:3, -(1:15), rep(NA_real_, 15), rep(0, 15), letters, factor("a"), gl(3, 5), as.Date("2020-01-01"),
  1i, raw(3), quote(x), quote(x + y), y ~ x, ~1, function(x) x, sum, new.env(), globalenv(), matrix(0, 0, 3), matrix(0, 3, 0), matrix(NA_real_, 15, 4), matrix("a", 15, 4),
  diag(3), array(1, c(2, 2, 2)), data.frame(), data.frame(a = 1:15), data, Matrix::Matrix(0, 15, 4), Matrix::Diagonal(4), structure(1, class = "odd"), survival,
  structure(list(), class = "wbb"), structure(list(), class = c("wbb_lasso", "wbb")), weight_law("gamma", 2), tempdir(), "/no/such/file", stdin
)
wrong <- c(wrong, unname(fits))
# A count that is valid and large would only take long, and these write files or change the session.
counts <- c("draws", "epochs", "burn", "replicates", "chains", "hidden", "nlambda", "nfolds", "max_iterations", "ndraws", "nsim", "times", "thin", "nknots", "order", "reps", "bins")
never <- c("", "...", "progress", "backend", "threads", "cl", "file", "plot")

# Methods of ours for a fit, whoever owns the generic.
methods_of <- function(fit) {
  table <- getNamespaceInfo("wbb", "S3methods")
  table <- table[table[, 2L] %in% class(fit), , drop = FALSE]
  # Not those that only we or emmeans call.
  internal <- c("needed_parts", "describe", "failure_advice", "mode_df", "draws_matrix", "recover_data", "emm_basis")
  table <- table[!table[, 1L] %in% internal, 1:3, drop = FALSE]
  # Of the classes of a fit the first that has a method.
  table <- table[order(match(table[, 2L], class(fit))), , drop = FALSE]
  table[!duplicated(table[, 1L]), , drop = FALSE]
}
methods <- lapply(fits, methods_of)

break_call <- function(arguments, known) {
  known <- setdiff(known, never)
  for (argument in sample(known, min(length(known), sample.int(2L, 1L)))) arguments[argument] <- list(pick(wrong))
  for (long in intersect(names(arguments), counts)) {
    value <- arguments[[long]]
    if (is.numeric(value) && !is.object(value) && length(value) >= 1L && any(is.finite(value) & value > 50)) arguments[[long]] <- 3
  }
  arguments
}

random_call <- function() {
  if (stats::runif(1) < 0.5) {
    name <- pick(names(plain))
    arguments <- plain[[name]]
    if (name == "wbb_lasso" && stats::runif(1) < 0.5) arguments[c("family", "y")] <- pick(families)
    f <- utils::getS3method(name, "default", TRUE, asNamespace("wbb"))
    known <- union(names(arguments), names(formals(if (is.null(f)) getExportedValue("wbb", name) else f)))
    return(list(name = name, f = getExportedValue("wbb", name), arguments = break_call(arguments, known)))
  }
  of <- sample.int(length(fits), 1L)
  method <- methods[[of]][sample.int(nrow(methods[[of]]), 1L), ]
  f <- get(method[3L], asNamespace("wbb"))
  arguments <- break_call(list(), setdiff(names(formals(f))[-1L], "y"))
  list(name = method[3L], f = f, arguments = c(list(fits[[of]]), arguments))
}

# What loo says of one model alone is loo's; that four draws are too few for a density, the bandwidth's.
allowed <- c("requires at least two models", "sample is too sparse to find TD")
outcomes <- character()
if (count("calls") > 0L) for (k in seq_len(count("calls"))) {
  call <- random_call()
  shown <- vapply(call$arguments, function(value) substr(deparse1(value, nlines = 1L, width.cutoff = 40L), 1L, 40L), "")
  what <- paste0("call ", k, ", ", call$name, "(", paste(names(call$arguments), shown, sep = " = ", collapse = ", "), ")")
  state <- .Random.seed
  outcomes[k] <- try_out(do.call(call$f, call$arguments, quote = TRUE), what, allowed)
  .Random.seed <<- state
  sample.int(2L, 1L)
}
count_up("calls", outcomes)
