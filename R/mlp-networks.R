# From raw vectors to parameters: where they lie, what they are called, and their values in the units of
# the user's data.

#' @export
failure_advice.wbb_mlp <- function(fit) paste0("Train again with ", divergence_advice(fit), ".")

# The networks themselves, without gaps.
fit_networks <- function(fit) {
  usable <- usable_draws(fit)
  if (is.null(fit$draws)) {
    abort("draws", paste("The fit was made with `keep = \"predictions\"` and has no networks;",
      "refit with `keep = \"networks\"`, or ask for the test set in the fit."), "object")
  }
  fit$draws[usable]
}

network_numbers <- function(network) {
  readBin(network, "numeric", length(network) / 4, size = 4L, endian = "little")
}

# Choosing -------------------------------------------------------------------------

# Names of a layer's inputs and units; the numbers always work as well.
layer_names <- function(fit, layer) {
  layers <- layer_table(fit$spec)
  last <- layer == nrow(layers)
  list(
    inputs = if (layer == 1L) fit$spec$columns else as.character(seq_len(layers$inputs[layer])),
    units = if (last && length(fit$levels)) fit$levels else as.character(seq_len(layers$units[layer]))
  )
}

block_names <- function(fit, layer, kind) {
  names <- layer_names(fit, layer)
  if (kind == "b") return(paste0("b", layer, "[", names$units, "]"))
  paste0("W", layer, "[", rep(names$inputs, each = length(names$units)), ",", names$units, "]")
}

# Places of a block in the vector of all parameters.
block_places <- function(layers, layer, kind) {
  weights <- layers$inputs[layer] * layers$units[layer]
  layers$before[layer] + if (kind == "W") seq_len(weights) else weights + seq_len(layers$units[layer])
}

parameter_names <- function(fit) {
  layers <- seq_len(nrow(layer_table(fit$spec)))
  unlist(lapply(layers, function(layer) c(block_names(fit, layer, "W"), block_names(fit, layer, "b"))))
}

# list(places, names) of the parameters asked for, in their order.
chosen_parameters <- function(fit, parameters) {
  layers <- layer_table(fit$spec)
  if (is.null(parameters)) return(list(places = seq_len(sum(layers$parameters)), names = parameter_names(fit)))
  if (!is.character(parameters) || !length(parameters) || anyNA(parameters)) {
    bad_argument("parameters", "be names such as \"b1\", \"W1\" or \"W1[3,4]\", or NULL", parameters)
  }
  parts <- lapply(parameters, parameter_places, fit = fit, layers = layers)
  chosen <- list(places = unlist(lapply(parts, `[[`, "places")), names = unlist(lapply(parts, `[[`, "names")))
  lapply(chosen, `[`, !duplicated(chosen$places))
}

parameter_places <- function(name, fit, layers) {
  block <- regmatches(name, regexec("^([Wb])([0-9]{1,4})(\\[.*\\])?$", name))[[1L]]
  layer <- if (length(block)) as.integer(block[3L]) else NA
  if (!layer %in% seq_len(nrow(layers))) unknown_parameter(name, nrow(layers))
  kind <- block[2L]
  places <- block_places(layers, layer, kind)
  if (block[4L] == "") return(list(places = places, names = block_names(fit, layer, kind)))
  names <- block_names(fit, layer, kind)
  at <- match(name, names)
  if (is.na(at)) at <- numbered_place(block[4L], layers[layer, ], kind)
  if (is.na(at)) unknown_parameter(name, nrow(layers))
  list(places = places[at], names = names[at])
}

# The place of "[3,4]" in its block, NA if there is none.
numbered_place <- function(index, layer, kind) {
  numbers <- suppressWarnings(as.numeric(strsplit(substr(index, 2L, nchar(index) - 1L), ",", fixed = TRUE)[[1L]]))
  most <- if (kind == "W") c(layer$inputs, layer$units) else layer$units
  if (length(numbers) != length(most) || anyNA(numbers)) return(NA)
  if (any(numbers < 1 | numbers > most | numbers != trunc(numbers))) return(NA)
  if (kind == "b") numbers else (numbers[1L] - 1) * layer$units + numbers[2L]
}

unknown_parameter <- function(name, layers) {
  blocks <- paste0(rep(c("W", "b"), layers), rep(seq_len(layers), each = 2L))
  bad_argument("parameters", paste0("be blocks (", paste(blocks, collapse = ", "), ") or single ones as \"W1[3,4]\""),
    name, paste("there is no", show_value(name)))
}

# Values ---------------------------------------------------------------------------

# Undoes the standardisation of x in the first layer and that of y in the last.
user_units <- function(values, spec, layers) {
  first <- block_places(layers, 1L, "W")
  if (length(spec$scale)) {
    weights <- matrix(values[first] / rep(spec$scale, each = layers$units[1L]), layers$units[1L])
    values[first] <- weights
    bias <- block_places(layers, 1L, "b")
    values[bias] <- values[bias] - drop(weights %*% spec$center)
  }
  if (spec$classes == 0) {
    last <- nrow(layers)
    outer <- c(block_places(layers, last, "W"), block_places(layers, last, "b"))
    values[outer] <- values[outer] * spec$y_scale
    bias <- block_places(layers, last, "b")
    values[bias] <- values[bias] + spec$y_center
  }
  values
}

# `newdata` and `what` are for the formats of posterior and coda; see ?wbb_mlp.
#' @export
draws_matrix.wbb_mlp <- function(fit, lambda = NULL, parameters = NULL, what = c("parameters", "predictions"),
                                 newdata = NULL, failed = FALSE, pars = parameters, ..., .function = "as.matrix") {
  check_dots(..., .function = .function, .known = c("lambda", "pars", "parameters", "what", "newdata", "failed"))
  parameters <- pars
  check_fit(fit)
  lambda_index(fit, lambda)
  if (check_flag(failed, "failed")) {
    draws <- draws_matrix(fit, lambda, parameters, what, newdata)
    out <- matrix(NA_real_, draw_count(fit$spec), ncol(draws), dimnames = dimnames(draws))
    out[usable_draws(fit), ] <- draws
    return(out)
  }
  if (check_choice(what, "what", c("parameters", "predictions")) == "predictions") {
    if (!is.null(parameters)) bad_argument("parameters", "be NULL with what = \"predictions\"", parameters)
    return(prediction_matrix(fit, newdata))
  }
  if (!is.null(newdata)) bad_argument("newdata", "be NULL with what = \"parameters\"", newdata)
  networks <- fit_networks(fit)
  chosen <- chosen_parameters(fit, parameters)
  check_size(as.double(length(networks)) * length(chosen$places),
    paste(length(networks), "draws of", length(chosen$places), "parameters"), "parameters", parameters, "Choose fewer.")
  layers <- layer_table(fit$spec)
  values <- vapply(networks, function(network) {
    user_units(network_numbers(network), fit$spec, layers)[chosen$places]
  }, numeric(length(chosen$places)))
  matrix(values, length(networks), byrow = TRUE, dimnames = list(NULL, chosen$names))
}

# One column a row (and class) of the data.
prediction_matrix <- function(fit, newdata) {
  if (is.null(newdata) && !is.null(fit$predictions)) newdata <- "test"
  predicted <- all_predictions(fit, prediction_rows(fit, newdata))
  rows <- dimnames(predicted)[[2L]]
  if (is.null(rows)) rows <- seq_len(dim(predicted)[2L])
  names <- if (length(fit$levels)) {
    paste0("p[", rows, ",", rep(fit$levels, each = length(rows)), "]")
  } else {
    paste0("f[", rows, "]")
  }
  matrix(predicted, nrow(predicted), dimnames = list(NULL, names))
}

#' Parameters of networks
#'
#' Point estimates, covariances and credible intervals of the parameters of a [wbb_mlp()], in the units of
#' the data. With hidden layers single parameters mean little: units can be exchanged
#' without changing the network, and the mean of networks is not the network of the
#' mean. Without hidden layer they are the coefficients of (multinomial) ridge
#' regression.
#'
#' @param object A fit of [wbb_mlp()].
#' @param estimate The `"mean"` or `"median"` of the draws; `type` is the same. There is no mode.
#' @param type The same as `estimate`.
#' @param pars,parameters,parm Names of parameters or blocks, such as `"b1"`, `"W2"` or `"W1[3,4]"`; by default all.
#'   See [wbb_mlp()].
#' @param level The probability of the interval.
#' @param complete Not used: functions that take any model give it to `coef()` and `vcov()`.
#' @param ... Not used.
#' @return `coef()`: a named vector. `vcov()`: a matrix. `confint()`: a matrix with the limits as columns.
#'   `variable.names()`: the names of all parameters.
#' @examples
#' fit <- wbb_mlp(Species ~ ., iris, hidden = NULL, lambda = 1, draws = 20, epochs = 50,
#'   optimizer = "adam", learning_rate = 0.05, seed = 1)
#' coef(fit, parameters = "b1")
#' confint(fit, c("W1[Petal.Width,virginica]", "b1"))
#' @export
coef.wbb_mlp <- function(object, type = c("mean", "median"), parameters = NULL, complete = TRUE, estimate = type,
                         pars = parameters, ...) {
  check_dots(..., .function = "coef", .known = c("estimate", "pars"))
  type <- check_choice(estimate, "estimate", c("mean", "median"))
  draws <- draws_matrix(object, parameters = pars)
  if (type == "mean") colMeans(draws) else column_quantiles(draws, 0.5)[1L, ]
}

#' @rdname coef.wbb_mlp
#' @export
vcov.wbb_mlp <- function(object, parameters = NULL, complete = TRUE, pars = parameters, ...) {
  check_dots(..., .function = "vcov", .known = "pars")
  parameters <- pars
  check_fit(object)
  count <- as.double(length(chosen_parameters(object, parameters)$places))
  check_size(count^2, paste("the covariances of", count, "parameters"), "parameters", parameters, "Choose fewer.")
  stats::cov(draws_matrix(object, parameters = parameters))
}

#' @rdname coef.wbb_mlp
#' @export
confint.wbb_mlp <- function(object, parm = NULL, level = 0.95, ...) {
  check_dots(..., .function = "confint", .known = c("parm", "level"))
  credible_limits(draws_matrix(object, parameters = parm), level)
}

#' @rdname coef.wbb_mlp
#' @export
variable.names.wbb_mlp <- function(object, ...) {
  check_fit(object)
  parameter_names(object)
}
