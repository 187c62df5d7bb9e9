# The distribution of one coefficient: a density, and point masses beside it.

# Density of the draws that are not zero, scaled so that its area is their share, and the
# point masses: zero, and the constant of a column without spread. Where zero has mass, the
# density may jump there: the two sides are estimated apart, since a kernel that leaked
# across would show values of a sign that no draw has.
marginal <- function(x) {
  x <- x[is.finite(x)]
  rest <- x[x != 0]
  p_zero <- if (length(x) > 0) 1 - length(rest) / length(x) else NA_real_
  empty <- data.frame(side = integer(), x = double(), density = double())
  mass <- if (p_zero %in% 0) empty_mass() else data.frame(at = 0, probability = p_zero)
  if (length(x) == 0) mass <- empty_mass()
  flat <- length(rest) < 2 || diff(range(rest)) <= 1e-10 * max(abs(rest))
  if (flat) {
    if (length(rest) > 0) {
      mass <- rbind(mass, data.frame(at = stats::median(rest), probability = length(rest) / length(x)))
    }
    return(list(curve = empty, mass = mass, top = NA_real_, p_zero = p_zero))
  }
  width <- stats::bw.nrd0(rest)
  sides <- if (p_zero > 0) list(rest[rest < 0], rest[rest > 0]) else list(rest)
  curve <- lapply(seq_along(sides), function(s) {
    if (length(sides[[s]]) == 0) {
      return(empty)
    }
    d <- side_density(sides[[s]], width, split = p_zero > 0)
    data.frame(side = s, x = d$x, density = d$y * length(sides[[s]]) / length(x))
  })
  curve <- do.call(rbind, curve)
  list(curve = curve, mass = mass, top = max(curve$density) / (1 - p_zero), p_zero = p_zero)
}

empty_mass <- function() data.frame(at = double(), probability = double())

side_density <- function(x, width, split) {
  ends <- range(x) + c(-2.5, 2.5) * width
  # Fine enough for the kernel even where a far draw stretches the range.
  points <- min(1024, max(256, ceiling(2 * diff(ends) / width)))
  if (!split) {
    return(stats::density(x, bw = width, n = points, from = ends[1], to = ends[2]))
  }
  d <- boundary_density(abs(x), width, seq(0, max(abs(ends)), length.out = points))
  if (x[1] > 0) d else list(x = rev(-d$x), y = rev(d$y))
}

# Density of positive values, at `at` from zero upwards: the linear boundary kernel of Jones
# (1993) for the normal kernel, kept positive as by Jones and Foster (1996). Reflection would
# force the slope at zero to be flat and so show jumps that are not there.
boundary_density <- function(x, width, at) {
  # Values go into cells far narrower than the kernel: the cost does not grow with the draws.
  cells <- min(2048, max(512, ceiling(10 * max(x) / width)))
  cell <- max(x) / cells
  share <- tabulate(pmin(ceiling(x / cell), cells), cells) / length(x)
  middle <- (which(share > 0) - 0.5) * cell
  u <- outer(at, middle, "-") / width
  kernel <- stats::dnorm(u) / width
  s0 <- drop(kernel %*% share[share > 0])
  s1 <- drop((u * kernel) %*% share[share > 0])
  # Moments of the part of the kernel that lies above zero.
  edge <- at / width
  a0 <- stats::pnorm(edge)
  a1 <- -stats::dnorm(edge)
  a2 <- a0 + edge * a1
  linear <- (a2 * s0 - a1 * s1) / (a0 * a2 - a1^2)
  plain <- s0 / a0
  y <- ifelse(plain > 0, plain * exp(linear / plain - 1), 0)
  area <- sum(diff(at) * (utils::head(y, -1) + utils::tail(y, -1)) / 2)
  list(x = at, y = y / area)
}
