# The weights of the draws, made again.

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
  # It asks any model, and means the weights of rows.
  if (identical(sys.function(sys.parent()), stats::weighted.residuals)) return(spec$case_weights)
  if (any(c("case_weights", "cluster") %in% spec$by_row)) check_kept(object, "y")
  rows <- check_draws_index(draws, draw_count(spec))
  penalties <- penalty_names(spec)
  columns <- c(observation_names(object), if (spec$prior_weight == "coef") paste0("prior.", penalties) else "prior")
  check_size(as.double(length(rows)) * length(columns), "the weights", "draws", draws,
    "Ask for fewer draws at a time.")
  # Runs that were joined may have different seeds.
  runs <- spec$segments
  last <- cumsum(runs$draws)
  run <- findInterval(rows, last, left.open = TRUE) + 1L
  absolute <- rows - (last[run] - runs$draws[run]) + runs$first_draw[run] - 1
  table <- draw_weights(spec, runs$seed[run], absolute, length(penalties), watched())
  # In its place: it may be large.
  attributes(table) <- list(dim = c(length(rows), length(columns)), dimnames = list(NULL, columns))
  table
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
  if (is.null(names)) as_text(seq_len(fit$spec$n)) else names
}

# What has a prior weight of its own with prior_weight = "coef".
penalty_names <- function(spec) {
  if (!is.null(spec$penalties)) return(seq_len(spec$penalties))
  # Classes have their own.
  if (is.null(spec$classes)) spec$columns else spec$names[setdiff(seq_along(spec$names), intercept_places(spec))]
}
