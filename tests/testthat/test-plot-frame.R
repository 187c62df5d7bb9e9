# What the user may set is respected, and what par() was is restored.

settings <- c("mfrow", "cex", "mar", "oma", "mgp", "tcl", "las")

pictures <- function() {
  fit <- fake_fit(awkward_draws(), cv = fake_cv())
  trend <- quick_trend(draws = 10)
  curves <- structure(data.frame(row = factor(1), time = 1:3, survival = 3:1 / 3, lower = 0.1, upper = 1),
    class = c("wbb_survival", "data.frame"), level = 0.95)
  list(
    density = function(...) plot(fit, ...), one = function(...) plot(fit, pars = "half", ...),
    interval = function(...) plot(fit, "interval", ...), selection = function(...) plot(fit, "selection", pars = 3:5, ...),
    cv = function(...) plot(fit, "cv", ...), path = function(...) plot(fake_path(), ...),
    trend = function(...) plot(trend, ...), survival = function(...) plot(curves, ...),
    compare = function(...) plot(compare(fit, other = fit), pars = 3:5, ...)
  )
}

test_that("every picture takes titles, limits and cex, and leaves par() as it was", {
  for (draw in pictures()) {
    on_device({
      graphics::par(mar = c(3, 3, 2, 1), las = 2)
      before <- graphics::par(settings)
      expect_silent(draw(main = "A title", sub = "a subtitle", xlim = c(1, 30), cex = 1.4))
      expect_equal(graphics::par(settings), before)
    })
  }
  expect_bad(on_device(plot(fake_path(), xlim = 1)), "xlim", "two different numbers")
  expect_bad(on_device(plot(fake_path(), xlim = c(0, 1))), "xlim", "above 0")
  expect_bad(on_device(plot(fake_path(), cex = 0)), "cex")
  expect_bad(on_device(plot(quick_trend(draws = 5), lwd = 2)), "lwd")
})

test_that("labels are texts or expressions, and whatever else is refused by name", {
  for (draw in pictures()) {
    on_device(expect_silent(draw(main = quote(x + y), sub = expression(beta), xlab = c("two", "lines"), ylab = NA)))
    for (label in list(data.frame(a = 1:3), list(1, 2), 1:3, sum, y ~ x, matrix("a", 2, 2))) {
      for (argument in c("main", "sub", "xlab", "ylab")) {
        expect_bad(on_device(do.call(draw, stats::setNames(list(label), argument))), argument, "a text or an expression")
      }
    }
  }
  signal <- wbb_genlasso(c(1, 2, 4), D = diff(diag(3)), lambda = 1, draws = 5, seed = 1)
  expect_bad(on_device(plot(signal, xlab = data.frame(a = 1:3))), "xlab", "of class \"data.frame\"")
  skip_if_not_installed("ggplot2")
  expect_bad(ggplot2::autoplot(signal, xlab = list()), "xlab")
  expect_bad(ggplot2::autoplot(signal, main = 1:2), "main")
  expect_bad(ggplot2::autoplot(quick_trend(draws = 5), ylab = sum), "ylab")
})

test_that("wrong colours and coefficients of a comparison are named", {
  both <- compare(a = fake_fit(awkward_draws()), b = fake_fit(awkward_draws()))
  for (col in list(2^53, -1, Inf, "no colour", TRUE, 1i, list("red"), as.Date("2020-01-01"), character())) {
    expect_bad(on_device(plot(both, pars = 3:5, col = col)), "col", "colours that R knows")
  }
  expect_bad(on_device(plot(both, pars = 3:5, col = c("red", "rot"))), "col", "element 2 is \"rot\"")
  on_device(expect_silent(plot(both, pars = 3:5, col = c(2, 4))))
  on_device(expect_silent(plot(both, pars = 3:5, col = factor(c("red", "blue")))))
  for (pars in list("nothing", c("half", NA), 0, -1, 1.5, 99, NaN, TRUE, sum, list("half"), character(), factor("half"))) {
    for (type in c("density", "interval")) expect_bad(on_device(plot(both, type, pars = pars)), "pars")
  }
  expect_bad(on_device(plot(both, pars = c("half", "nothing"))), "pars", "there is no \"nothing\"")
})

test_that("a picture of one panel takes the next place of the user's page", {
  for (name in c("one", "interval", "selection", "cv", "trend", "survival")) {
    on_device({
      graphics::par(mfrow = c(2, 2))
      expect_silent(pictures()[[name]](main = "A title"))
      expect_equal(graphics::par("mfg"), c(1, 1, 2, 2))
      expect_silent(pictures()[[name]]())
      expect_equal(graphics::par("mfg"), c(1, 2, 2, 2))
    })
  }
})

test_that("margins of ours yield to those of the user", {
  on_device({
    own_par(mar = 1:4, las = 1)
    expect_equal(graphics::par("mar"), 1:4)
    own_par(mar = 4:1)
    expect_equal(graphics::par("mar"), 1:4)
  })
})

test_that("keys and words fit the figure", {
  grDevices::pdf(NULL, width = 3, height = 2.2)
  on.exit(grDevices::dev.off())
  words <- paste("lambda =", 1:9)
  expect_lt(key_columns(words), 4)
  expect_gt(key_lines(words), 3)
  expect_identical(key_lines(NULL), 0)
  long <- strrep("word ", 60)
  expect_gt(length(fold_text(long, 3)), 1L)
  expect_identical(fold_text("short", 3), "short")
  expect_lte(graphics::strwidth(long, units = "inches", cex = fitting(long, 3)), 3 + 1e-8)
})

test_that("a strip is below what is shown and does not touch it", {
  strip <- strip_below(c(10, 20), 0.5)
  expect_lt(strip$at(0.5), 10)
  expect_equal(strip$at(0), strip$base)
  expect_equal(strip$back(strip$at(0.3)), 0.3)
  expect_true(all(strip$breaks() >= 9.6))
})

test_that("names that differ only where they are cut stay apart", {
  names <- c("setosa:Sepal.Length", "setosa:Petal.Length", "wt")
  for (width in c(9, 11, 14)) {
    short <- short_name(names, width)
    expect_identical(anyDuplicated(short), 0L)
    expect_lte(max(nchar(short)), width + 2)
  }
  expect_identical(short_name(names, 20), names)
  expect_identical(short_name("a name of many letters", 11), "a na...ters")
  # Twice the same name stays the same.
  expect_identical(short_name(rep("a name of many letters", 2), 11), rep("a na...ters", 2))
})

test_that("axes have room for their numbers, whatever the units", {
  grDevices::pdf(NULL, 4, 3)
  on.exit(grDevices::dev.off())
  graphics::plot.new()
  # Those of common units leave pictures as they are.
  expect_identical(label_room(c(3000, 6000), least = 2.9), 2.9)
  for (unit in c(1e-10, 1e12)) {
    room <- label_room(c(3000, 6500) * unit, least = 2.9)
    labels <- format(pretty(c(3000, 6500) * unit))
    expect_gt(room * graphics::par("csi"), max(graphics::strwidth(labels, units = "inches", cex = 0.9)))
    expect_gt(room, 2.9)
  }
})
