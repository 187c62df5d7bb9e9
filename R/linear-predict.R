# How linear fits predict: points, draws and limits by x'b, and the degrees of freedom that it costs.

# The columns at the rows of the fit, without an intercept.
own_columns <- function(fit) {
  check_kept(fit, "y")
  if (!is.null(fit$terms)) {
    return(model_columns(fit$terms, fit$model, fit$contrasts)$x)
  }
  # The generalised lasso of a signal: a coefficient for each row.
  if (is.null(fit$x)) Matrix::Diagonal(length(fit$y)) else fit$x
}

# The rows that predict() speaks about: columns and offset.
linear_rows <- function(fit, newdata, newoffset = NULL) {
  if (is.null(newdata)) {
    if (!is.null(newoffset)) bad_argument("newoffset", "come with `newdata`", newoffset)
    return(list(x = own_columns(fit), offset = fit$spec$offset))
  }
  x <- new_x(fit, newdata)
  list(x = x, offset = new_offset(fit, newdata, newoffset, nrow(x)))
}

rows_at <- function(rows, at) {
  offset <- if (is.matrix(rows$offset)) rows$offset[at, , drop = FALSE] else rows$offset[at]
  list(x = rows$x[at, , drop = FALSE], offset = offset, trials = rows$trials[at])
}

# The trials of the rows that predict() speaks about: as given, as the fit has them, or by the counts of new data. NULL where
# nothing says how many.
trials_of_rows <- function(fit, newdata, trials, n) {
  if (!isTRUE(family_of(fit)$trials)) {
    if (!is.null(trials)) bad_argument("trials", "be NULL but for family = \"binomial\"", trials)
    return(NULL)
  }
  if (!is.null(trials)) {
    of_rows <- if (length(trials) == 1L) rep(trials, n) else trials
    trials <- check_numbers(of_rows, "trials", n, 1, "be numbers of trials, one for each row or one for all")
    odd <- which(trials != round(trials))
    if (length(odd)) bad_argument("trials", "be whole numbers", trials, paste("element", odd[1L], "is", show_value(trials[[odd[1L]]])))
    return(trials)
  }
  if (is.null(newdata)) {
    if (!is.null(fit$trials)) return(round(fit$trials))
    # Proportions have theirs in the weights.
    weights <- row_weights(fit)
    return(if (any(fit$y > 0 & fit$y < 1) && all(weights == round(weights))) weights)
  }
  y <- if (!is.null(fit$trials) && is.data.frame(newdata)) observed_response(fit$terms, newdata)
  if (is.matrix(y) && ncol(y) == 2L && is.numeric(y) && !anyNA(y)) round(rowSums(y))
}

# A single trial has no interval worth the name.
check_trials <- function(fit, trials) {
  entry <- family_of(fit)
  if (isTRUE(entry$trials) && is.null(trials)) {
    bad_argument("interval", paste0("be \"none\" or \"credible\" with family = ", show_value(entry$name),
      ", unless `trials` says of how many trials a row is"), "prediction", advice = class_advice)
  }
}

class_advice <- "type = \"class\" gives the classes that a new response has with the probability of `level`."

# The work of predict(); `asked` comes from check_prediction().
predict_linear <- function(fit, newdata, asked, lambda = NULL, newoffset = NULL, trials = NULL) {
  rows <- linear_rows(fit, newdata, newoffset)
  if (asked$interval == "prediction" && asked$type != "class") {
    rows$trials <- trials_of_rows(fit, newdata, trials, nrow(rows$x))
    check_trials(fit, rows$trials)
  } else if (!is.null(trials)) {
    bad_argument("trials", "be NULL without a prediction interval of the response", trials)
  }
  na_action <- if (is.null(newdata)) fit$na.action
  if (asked$type == "draws") {
    fit <- common_draws(fit, lambda)
    return(over_path(fit, lambda, function(at) pad_draws(na_action, linear_draws(fit, rows, at))))
  }
  if (asked$type == "class" && asked$interval == "prediction") {
    sets <- function(at) class_sets(class_shares(fit, rows, at, "mean"), fit$levels, asked$level)
    return(over_path(fit, lambda, function(at) pad_rows(na_action, sets(at))))
  }
  if (asked$type == "class") {
    likeliest_at <- function(at) likeliest(class_shares(fit, rows, at, asked$estimate), fit$levels)
    classes <- list_path(fit, lambda, function(at) pad_rows(na_action, likeliest_at(at)))
    return(if (is.factor(classes)) classes else as.data.frame(classes, optional = TRUE))
  }
  if (asked$interval == "none") return(pad_rows(na_action, linear_point(fit, rows, lambda, asked$type, asked$estimate)))
  over_path(fit, lambda, function(at) {
    point <- linear_point(fit, rows, at, asked$type, asked$estimate)
    pad_rows(na_action, with_limits(point, row_limits(fit, rows, at, asked)))
  })
}

# A vector; a matrix with a column for each class, or for each lambda of a path; an array for both.
linear_point <- function(fit, rows, lambda, type, estimate) {
  entry <- family_of(fit)
  lambdas <- chosen_lambdas(fit, lambda)
  if (estimate == "mean" && type != "link" && !identical(entry$mean, identity)) {
    means <- lapply(lambdas, function(one) over_draws(fit, rows, one, type, 1L, rowMeans))
    values <- array(unlist(means), c(nrow(rows$x), max(1L, fit$spec$classes), length(lambdas)))
  } else {
    coefficients <- vapply(lambdas, point_estimate, numeric(length(fit$spec$names)), fit = fit, type = estimate)
    values <- row_values(rows, as.matrix(coefficients), fit$spec, entry, type)
  }
  many <- length(lambdas) > 1L
  if (is.null(fit$spec$classes)) {
    return(if (many) matrix(values, nrow(rows$x), length(lambdas), dimnames = list(rownames(rows$x), format_lambda(lambdas))) else {
      stats::setNames(as.vector(values), rownames(rows$x))
    })
  }
  array(values, c(nrow(rows$x), fit$spec$classes, if (many) length(lambdas)),
    c(list(rownames(rows$x), fit$levels), if (many) list(format_lambda(lambdas))))
}

# The probabilities of all classes, two of them included.
class_shares <- function(fit, rows, lambda, estimate) {
  share <- linear_point(fit, rows, lambda, "response", estimate)
  if (is.null(fit$spec$classes)) cbind(1 - share, share) else share
}

# The smallest set of classes that holds a new response with the probability `level`: TRUE for those in the set of a row.
class_sets <- function(share, levels, level) {
  sets <- matrix(FALSE, nrow(share), ncol(share), dimnames = list(rownames(share), levels))
  for (i in seq_len(nrow(share))) {
    from_likeliest <- order(-share[i, ])
    before <- cumsum(c(0, share[i, from_likeliest[-ncol(share)]]))
    sets[i, from_likeliest[before < level]] <- TRUE
  }
  sets
}

# Draws by rows, and by classes where there are some.
linear_draws <- function(fit, rows, lambda, type = "response") {
  draws <- draws_matrix(fit, lambda)
  outputs <- max(1L, fit$spec$classes)
  size <- c(nrow(draws), nrow(rows$x), outputs)
  check_size(prod(as.double(size)), "the predictions", "newdata", NULL, "Predict fewer rows at a time.")
  if (outputs > 1L) return(class_draws(fit, rows, draws, type))
  predicted <- draw_values(draws, rows$x, has_intercept(fit), fit$spec$threads)
  mean <- if (type == "link") identity else family_of(fit)$mean
  if (!(is.null(rows$offset) && identical(mean, identity))) {
    for (at in row_blocks(size[2L], size[1L])) {
      offset <- if (is.null(rows$offset)) 0 else rep(rows$offset[at], each = size[1L])
      predicted[, at] <- mean(predicted[, at] + offset)
      Sys.sleep(0)
    }
  }
  if (!is.null(rownames(rows$x))) dimnames(predicted) <- list(NULL, rownames(rows$x))
  predicted
}

class_draws <- function(fit, rows, draws, type) {
  size <- c(nrow(draws), nrow(rows$x), fit$spec$classes)
  coefficients <- t(draws)
  predicted <- array(0, size)
  for (at in row_blocks(size[2L], size[1L] * size[3L], rows$x)) {
    values <- row_values(rows_at(rows, at), coefficients, fit$spec, family_of(fit), type)
    predicted[, at, ] <- aperm(array(values, c(length(at), size[3L], size[1L])), c(3L, 1L, 2L))
    Sys.sleep(0)
  }
  dimnames(predicted) <- list(NULL, rownames(rows$x), fit$levels)
  predicted
}

# Limits as further columns, or for classes as a third dimension.
with_limits <- function(point, limits) {
  if (length(dim(limits)) == 2L) return(cbind(fit = point, lwr = limits[, 1L], upr = limits[, 2L]))
  array(c(point, limits), c(dim(point), 3L), c(dimnames(point), list(c("fit", "lwr", "upr"))))
}

# Limits at both ends, a row for each row of x, and a column for each class between.
row_limits <- function(fit, rows, lambda, asked) {
  entry <- family_of(fit)
  probs <- interval_probs(asked$level)
  if (!is.null(fit$spec$classes)) {
    return(over_draws(fit, rows, lambda, asked$type, 2L, function(values) t(column_quantiles(t(values), probs))))
  }
  if (asked$interval == "prediction" && !is.null(entry$quantile)) {
    new <- function(values, trials = NULL) vapply(probs, entry$quantile, numeric(nrow(values)), mean = values, trials = trials)
    return(matrix(over_draws(fit, rows, lambda, "response", 2L, new), ncol = 2L))
  }
  # Offsets and links keep the order of the draws.
  limits <- linear_limits(fit, rows$x, lambda, asked$interval, probs)
  if (!is.null(rows$offset)) limits <- limits + rows$offset
  if (asked$type == "link") limits else entry$mean(limits)
}

# All draws at all rows may be far larger than the data, so rows go in blocks of about this many numbers, and of products
# with their columns; R hears a stop between them.
block_numbers <- 2e6
block_products <- 4e7

# Rows by their numbers, a block each, where a row has so many, each of them made of its entries in x.
row_blocks <- function(n, numbers, x = NULL) {
  entries <- if (is.null(x)) 0 else if (is.matrix(x)) ncol(x) else Matrix::nnzero(x) / max(1, n)
  size <- max(1, floor(min(block_numbers, block_products / max(1, entries)) / numbers))
  lapply(seq(1, by = size, length.out = ceiling(n / size)), function(start) start:min(start + size - 1, n))
}

# Numbers made of the draws' values at each row and class: `statistic` takes a matrix, draws by columns, and the rows' trials if it knows them.
over_draws <- function(fit, rows, lambda, type, columns, statistic) {
  coefficients <- t(draws_matrix(fit, lambda))
  outputs <- max(1L, fit$spec$classes)
  n <- nrow(rows$x)
  out <- array(0, c(n, outputs, columns))
  for (at in row_blocks(n, ncol(coefficients) * outputs, rows$x)) {
    these <- rows_at(rows, at)
    values <- matrix(row_values(these, coefficients, fit$spec, family_of(fit), type), ncol = ncol(coefficients))
    out[at, , ] <- if (is.null(these$trials)) statistic(values) else statistic(values, these$trials)
    Sys.sleep(0)
  }
  out
}

# Of x'b, or of a new response around it.
linear_limits <- function(fit, x, lambda, interval, probs) {
  question <- interval_question(interval, probs, draw_sigma(fit, lambda))
  draw_limits(draws_matrix(fit, lambda), x, has_intercept(fit), question, fit$spec$threads)
}

# What the squared part of the penalty is divided by: see ?"wbb-objective".
response_scale <- function(fit) {
  weights <- row_weights(fit)
  y <- if (is.null(fit$spec$offset)) fit$y else fit$y - fit$spec$offset
  centre <- if (has_intercept(fit)) sum(weights * y) / sum(weights) else 0
  scale <- sqrt(sum(weights * (y - centre)^2) / sum(weights))
  if (scale > 0) scale else 1
}

# Effective degrees of freedom of the mode: the trace of its hat matrix on the selected columns. Without a ridge
# part that is their number (Zou, Hastie and Tibshirani 2007), if they are independent.
linear_df <- function(fit, index) {
  spec <- fit$spec
  mode <- as.matrix(fit$mode)[, index]
  intercepts <- intercept_places(spec)
  active <- which(mode[setdiff(seq_along(mode), intercepts)] != 0)
  strength <- if (is.null(spec$refit)) fit$lambda[index] else spec$refit
  ridge <- strength * (1 - spec$alpha)
  if (ridge == 0 || !length(active)) return(length(intercepts) + length(active))
  entry <- family_of(fit)
  if (is.null(entry$variance)) {
    abort("argument", paste0("The degrees of freedom of `object` are not known for alpha < 1 and family = ",
      show_value(entry$name), "."), "object")
  }
  if (entry$name == "gaussian") ridge <- ridge / response_scale(fit)
  x <- as.matrix(own_columns(fit)[, active, drop = FALSE])
  weights <- row_weights(fit)
  centred <- function(x, weights) x - rep(colSums(weights * x) / sum(weights), each = nrow(x))
  # Columns are standardised about their means, whether or not there is an intercept.
  variance <- if (spec$standardize) colSums(weights * centred(x, weights)^2) / sum(weights) else 1
  penalty <- diag(sqrt(ridge * spec$penalty_factor[active] * variance), length(active))
  # The rows' curvature at the mode takes the place of the weights.
  weights <- weights * entry$variance(mode_parts(fit, index)$fitted)
  if (has_intercept(fit)) x <- centred(x, weights)
  # H = Q1 Q1' of the rows of x in the QR decomposition of x above the root of the penalty.
  decomposition <- qr(rbind(sqrt(weights) * x, penalty))
  q <- qr.Q(decomposition)[seq_len(nrow(x)), seq_len(decomposition$rank), drop = FALSE]
  has_intercept(fit) + sum(q^2)
}
