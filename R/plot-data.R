# What a picture shows, computed once for base graphics, ggplot2 and the notebook.
#
# Every data frame here has the columns `fit` (a label, so that several fits can be stacked
# in one picture), `index` (the column of the draws: names may be duplicated, positions
# are not) and `name`. Nothing in this file draws.

# The pictures that this fit has the data for; the first is the default.
plot_types <- function(fit) {
  c(if (length(fit$lambda) > 1) "path", "density", "interval", if (has_importance(fit)) "importance", "selection", if (!is.null(fit$cv)) "cv", family_pictures(fit))
}

# Those of family-plot.R.
family_pictures <- function(fit) family_of(fit)$picture

plot_type <- function(fit, type = NULL) {
  if (is.null(type)) {
    return(plot_types(fit)[1])
  }
  type <- check_choice(type, "type", c("density", "interval", "importance", "selection", "path", "cv", "calibration", "survival"))
  if (!type %in% plot_types(fit)) {
    needs <- c(importance = needs_columns, path = "several values of `lambda`", cv = "`lambda = \"cv\"`",
      calibration = "family = \"binomial\" or \"multinomial\"", survival = "family = \"cox\"")
    bad_argument("type", paste("be one of", show_values(plot_types(fit))), type,
      advice = paste0("That needs a fit with ", needs[[type]], "."))
  }
  type
}

needs_columns <- "coefficients of columns, and `keep_data = TRUE`"

# How many coefficients are shown if there are more: panels, or rows.
most_shown <- function(type) if (type %in% c("interval", "importance")) 30 else 20

# All that a call of plot() or autoplot() asks for, checked.
plot_data <- function(fit, type = NULL, pars = NULL, n = NULL, lambda = NULL, level = c(0.5, 0.95),
                      standardize = NULL, label = "") {
  check_fit(fit)
  type <- plot_type(fit, type)
  n <- if (is.null(n)) most_shown(type) else check_count(n, "n")
  level <- plot_level(level)
  if (!is.null(standardize)) standardize <- check_flag(standardize, "standardize")
  if (type == "path" && !is.null(lambda)) {
    bad_argument("lambda", "be NULL with `type = \"path\"`, which shows all values", lambda)
  }
  if (type == "importance") return(importance_data(fit, pars, n, lambda, level, standardize, label))
  if (type == "selection") return(selection_data(fit, pars, n, lambda))
  if (is.null(standardize)) standardize <- type == "interval" && has_columns(fit)
  scale <- plot_scale(fit, standardize)
  columns <- plot_columns(fit, pars, n, if (type == "path") fit$lambda else lambda)
  switch(type,
    density = density_data(fit, columns, lambda, scale, label),
    interval = interval_data(fit, columns, lambda, level, scale, label, standardize),
    path = path_data(fit, columns, level, scale, label),
    cv = cv_data(fit, label)
  )
}

plot_level <- function(level) {
  if (!is_numeric(level) || !length(level) %in% 1:2) {
    bad_argument("level", "be one or two numbers between 0 and 1", level)
  }
  sort(vapply(level, check_level, 0))
}

# Several pictures' data as one, for an overlay: rows are told apart by `fit`.
stack_plot_data <- function(data) {
  stacked <- data[[1]]
  for (part in names(stacked)[vapply(stacked, is.data.frame, NA)]) {
    stacked[[part]] <- do.call(rbind, lapply(data, `[[`, part))
  }
  if (identical(stacked$type, "density")) {
    # A panel has one density scale, so that areas of different fits compare.
    stacked$panels$top <- stats::ave(stacked$panels$top, stacked$panels$index, FUN = max)
  }
  stacked$note <- unique(unlist(lapply(data, `[[`, "note")))
  stacked
}

# ---- which coefficients --------------------------------------------------------------

# Columns to show, in the model's order, with a note where some are left out. Without
# `pars` the intercept is left out: its scale would hide the others.
plot_columns <- function(fit, pars, n, lambda) {
  names <- fit_names(fit)
  if (!is.null(pars)) {
    return(list(index = match_pars(pars, names), note = NULL))
  }
  index <- slope_columns(fit)
  if (length(index) == 0) index <- seq_along(names)
  if (length(index) <= n) {
    return(list(index = index, note = NULL))
  }
  # Scale-free: how rarely the coefficient is zero, then how far its mean is from zero.
  zero <- signal <- 0
  for (l in if (is.null(lambda)) list(NULL) else lambda) {
    draws <- draws_matrix(fit, l)[, index, drop = FALSE]
    center <- colMeans(draws, na.rm = TRUE)
    spread <- sqrt(colMeans(sweep(draws, 2, center)^2, na.rm = TRUE))
    zero <- zero + colMeans(draws == 0, na.rm = TRUE)
    signal <- signal + ifelse(center == 0, 0, abs(center) / spread)
  }
  top <- order(zero, -signal)[seq_len(n)]
  note <- sprintf(
    "%s of %s coefficients: those most rarely zero, then with the largest |mean| / sd",
    n, with_commas(length(index))
  )
  list(index = index[sort(top)], note = note)
}

match_pars <- function(pars, names) {
  must <- paste("hold names of coefficients, or positions from 1 to", length(names))
  if (is.character(pars) && length(pars) > 0) {
    unknown <- setdiff(pars, names)
    if (length(unknown) > 0) {
      bad_argument("pars", must, unknown[1], paste("there is no", show_value(unknown[1])))
    }
    # A duplicated name means all columns of that name.
    return(unlist(lapply(pars, function(p) which(names == p))))
  }
  if (!is_numeric(pars) || length(pars) == 0) {
    bad_argument("pars", must, pars)
  }
  wrong <- which(!pars %in% seq_along(names))
  if (length(wrong) > 0) {
    bad_argument("pars", must, pars, paste("element", wrong[1], "is", show_value(pars[[wrong[1]]])))
  }
  as.integer(pars)
}

fit_names <- function(fit) dimnames(fit$draws)[[2]]

slope_columns <- function(fit) {
  setdiff(seq_len(dim(fit$draws)[2]), intercept_places(fit$spec))
}

# Are there columns that the coefficients may belong to?
keeps_columns <- function(fit) !is.null(fit$y) && (!is.null(fit$x) || (!is.null(fit$terms) && !is.null(fit$model)))

# Whether the numbers of wbb() are coefficients of columns is found out when it is asked for.
has_importance <- function(fit) if (inherits(fit, "wbb_any")) !is.null(attempt(stats::terms(fit$model))) else keeps_columns(fit)

has_columns <- function(fit) {
  keeps_columns(fit) && length(slope_columns(fit)) == NCOL(own_columns(fit)) * max(1L, fit$spec$classes)
}

# Of columns, with divisor n as in the fit. E(x²) − E(x)² keeps a sparse x sparse. It loses digits only where the mean is
# huge, and a picture does not show them.
column_spread <- function(x) sqrt(pmax(Matrix::colMeans(x^2) - Matrix::colMeans(x)^2, 0))

# The factor of each coefficient: 1, or its column's standard deviation, so that coefficients of differently scaled
# columns can share an axis.
plot_scale <- function(fit, standardize) {
  scale <- rep(1, dim(fit$draws)[2])
  if (!standardize) {
    return(scale)
  }
  check_kept(fit, "y")
  if (!has_columns(fit)) {
    bad_argument("standardize", "be FALSE for coefficients that belong to no column of data", standardize)
  }
  # The classes of a multinomial share the columns.
  scale[slope_columns(fit)] <- rep_len(column_spread(own_columns(fit)), length(slope_columns(fit)))
  scale
}

# ---- marginal posteriors -------------------------------------------------------------

density_data <- function(fit, columns, lambda = NULL, scale = 1, label = "") {
  draws <- draws_matrix(fit, lambda)
  scale <- rep_len(scale, ncol(draws))
  data <- marginal_data(draws, columns$index, mode_estimate(fit, lambda), scale, label)
  data$note <- c(columns$note, dropped_note(fit, lambda))
  data
}

# The same of any columns.
marginal_data <- function(draws, index, mode, scale = rep(1, ncol(draws)), label = "") {
  parts <- lapply(index, function(j) {
    m <- marginal(draws[, j] * scale[j])
    key <- data.frame(fit = label, index = j, name = colnames(draws)[j])
    with_key <- function(d) cbind(key[rep(1, nrow(d)), ], d, row.names = NULL)
    # `top` is the peak of the density given that the coefficient is not zero. A panel as
    # high as that shows the share 1 − P(0) as the height of the curve, P(0) as that of the spike.
    top <- if (is.na(m$top)) 1 else m$top
    list(
      curve = with_key(m$curve), mass = with_key(m$mass),
      panels = cbind(key, mode = unname(mode[j]) * scale[j], p_zero = m$p_zero, top = top)
    )
  })
  bind <- function(part) do.call(rbind, lapply(parts, `[[`, part))
  list(type = "density", curve = bind("curve"), mass = bind("mass"), panels = bind("panels"), note = NULL)
}

# Limits of a panel's horizontal axis: all that is drawn in it, never of width zero.
panel_limits <- function(data, index) {
  inside <- function(part, column) part[[column]][part$index == index]
  values <- c(inside(data$curve, "x"), inside(data$mass, "at"), inside(data$panels, "mode"))
  values <- values[is.finite(values)]
  if (length(values) == 0) values <- 0
  ends <- range(values)
  if (diff(ends) <= 1e-9 * max(abs(ends))) {
    ends <- ends + c(-1, 1) * if (ends[1] == 0) 1 else 0.2 * abs(ends[1])
  }
  ends
}

# ---- intervals and paths -------------------------------------------------------------

interval_rows <- function(fit, columns, lambda, level, scale, label) {
  draws <- draws_matrix(fit, lambda)
  mode <- mode_estimate(fit, lambda)
  scale <- rep_len(scale, ncol(draws))
  rows <- interval_columns(draws[, columns$index, drop = FALSE] * rep(scale[columns$index], each = nrow(draws)), level)
  data.frame(
    fit = label, index = columns$index, name = fit_names(fit)[columns$index],
    lambda = c(lambda, fit$lambda, NA)[1L],
    mode = unname(mode[columns$index]) * scale[columns$index], rows
  )
}

# Median, limits and shares of columns of draws.
interval_columns <- function(draws, level) {
  outer <- level[length(level)]
  inner <- if (length(level) > 1) level[1] else NA
  at <- function(share) if (is.na(share)) c(NA, NA) else 0.5 + c(-0.5, 0.5) * share
  probs <- c(0.5, at(outer), at(inner))
  rows <- vapply(seq_len(ncol(draws)), function(j) {
    x <- draws[is.finite(draws[, j]), j]
    q <- rep(NA_real_, 5)
    if (length(x) > 0) q[!is.na(probs)] <- stats::quantile(x, probs[!is.na(probs)], names = FALSE)
    c(q, mean(x == 0), mean(x > 0))
  }, double(7))
  data.frame(
    median = rows[1, ], low = rows[2, ], high = rows[3, ], inner_low = rows[4, ], inner_high = rows[5, ],
    p_zero = rows[6, ], p_positive = rows[7, ]
  )
}

interval_data <- function(fit, columns, lambda = NULL, level = c(0.5, 0.95), scale = 1, label = "", standardize = FALSE) {
  list(
    type = "interval", interval = interval_rows(fit, columns, lambda, level, scale, label),
    level = level, axis = if (standardize) "coefficient \u00d7 standard deviation of its column" else "coefficient",
    note = c(columns$note, dropped_note(fit, lambda))
  )
}

path_data <- function(fit, columns, level = c(0.5, 0.95), scale = 1, label = "") {
  rows <- lapply(sort(fit$lambda), function(l) interval_rows(fit, columns, l, level, scale, label))
  path <- do.call(rbind, rows)
  path$position <- lambda_position(path$lambda)
  path <- path[order(path$index, path$lambda), ]
  rownames(path) <- NULL
  list(type = "path", path = path, level = level, note = c(columns$note, dropped_note(fit)))
}

cv_data <- function(fit, label = "") {
  curve <- fit$cv$curve
  # One scale for the curve and the two chosen values: a zero among them shifts none.
  chosen <- c(min = fit$cv$lambda_min, `1se` = fit$cv$lambda_1se)
  position <- lambda_position(c(curve$lambda, chosen))
  rows <- seq_len(nrow(curve))
  curve <- data.frame(
    fit = label, curve[c("lambda", "mean", "se", "nonzero")],
    low = curve$mean - curve$se, high = curve$mean + curve$se, position = position[rows]
  )
  chosen <- data.frame(
    fit = label, rule = names(chosen), lambda = unname(chosen), position = position[-rows],
    used = names(chosen) == fit$cv$rule
  )
  list(
    type = "cv", curve = curve[order(curve$lambda), ], chosen = chosen, nfolds = fit$cv$nfolds, measure = cv_words(fit),
    counted = cv_counts(fit), note = NULL
  )
}

# What the numbers above the curve count.
cv_counts <- function(fit) {
  switch(fit$estimator,
    wbb_trendfilter = "knots", wbb_genlasso = "degrees of freedom", wbb_mlp = "parameters", "coefficients not zero"
  )
}

# What the curve shows: "binomial deviance, 10-fold CV".
cv_words <- function(fit) {
  measures <- family_of(fit)$measures
  measure <- if (is.null(fit$cv$measure)) measures[[1L]] else measures[[fit$cv$measure]]
  # Networks of classes are no family.
  if (length(fit$levels) && fit$estimator == "wbb_mlp") measure <- "cross-entropy"
  paste0(measure, ", ", fit$cv$nfolds, "-fold CV")
}

# log10(lambda); lambda = 0 stands half a decade left of the smallest other value.
lambda_position <- function(lambda) {
  least <- if (any(lambda > 0)) min(lambda[lambda > 0]) else 1
  ifelse(lambda > 0, log10(lambda), log10(least) - 0.5)
}

# Powers of ten, or the steps 1, 2, 5 (1, 3) where the range is too short for those.
lambda_ticks <- function(lambda) {
  ends <- if (any(lambda > 0)) range(lambda[lambda > 0]) else double()
  at <- double()
  if (length(ends) > 0) {
    decades <- 10^seq(floor(log10(ends[1])), ceiling(log10(ends[2])))
    for (steps in list(1, c(1, 3), c(1, 2, 5), 1:9)) {
      at <- sort(as.vector(outer(steps, decades)))
      at <- at[at >= ends[1] * 0.99 & at <= ends[2] * 1.01]
      if (length(at) >= 3) break
    }
    if (length(at) < 2) at <- signif(unique(ends), 2)
  }
  label <- vapply(at, function(v) format(v, digits = 2, scipen = 2), "")
  position <- log10(at)
  if (any(lambda == 0)) {
    position <- c(min(lambda_position(lambda)), position)
    label <- c("0", label)
  }
  list(at = position, label = label)
}
