skip_if_not_installed("repr")

html_of <- function(fit, ...) repr::repr_html(fit, ...)

# Every tag that opens is closed, in order: enough of a parser for what we write.
expect_balanced <- function(html) {
  tags <- regmatches(html, gregexpr("<[^>]*>", html))[[1]]
  open <- character()
  for (tag in tags[!grepl("/>$", tags)]) {
    name <- sub("^</?([a-z]+).*", "\\1", tag)
    if (startsWith(tag, "</")) {
      if (!identical(open[1], name)) fail(paste(tag, "closes", open[1]))
      open <- open[-1]
    } else {
      open <- c(name, open)
    }
  }
  expect_equal(open, character())
}

test_that("the table is well-formed, with a row and a picture a coefficient", {
  for (fit in list(fake_fit(awkward_draws()), fake_path(), fake_fit(awkward_draws()[1, , drop = FALSE]))) {
    html <- html_of(fit)
    expect_balanced(html)
    expect_length(gregexpr("<tr><th scope=\"row\"", html)[[1]], ncol(fit$draws))
    expect_length(gregexpr("<svg ", html)[[1]], ncol(fit$draws))
  }
})

test_that("names are text, never markup", {
  name <- "<script>alert(\"x\" & 'y')</script>"
  draws <- matrix(1:10 / 3, dimnames = list(NULL, name))
  html <- html_of(fake_fit(draws))
  expect_false(grepl("<script", html, fixed = TRUE))
  expect_match(html, "&lt;script&gt;alert(&quot;x&quot; &amp; &#39;y&#39;)&lt;/script&gt;", fixed = TRUE)
})

test_that("percent signs and letters beyond ASCII stay as they are", {
  html <- html_of(fake_fit(awkward_draws()))
  expect_match(html, "100% [x]^2", fixed = TRUE)
  expect_match(html, "gr\u00f6\u00dfe", fixed = TRUE)
  expect_equal(Encoding(html), "UTF-8")
})

test_that("the numbers are those of summary()", {
  fit <- fake_fit(cbind(a = c(rep(0, 37), 1:63)))
  html <- html_of(fit)
  expect_match(html, ">0.370<", fixed = TRUE)
  expect_match(html, "P(=0)", fixed = TRUE)
  expect_no_match(html_of(fake_fit(cbind(a = 1:9))), "P(=0)", fixed = TRUE)
  expect_match(html, paste0(">", format(mean(c(rep(0, 37), 1:63)), digits = 3), "<"), fixed = TRUE)
})

test_that("many coefficients are cut, with a note", {
  fit <- fake_fit(matrix(stats::qnorm(stats::ppoints(5000)), 10, 500, dimnames = list(NULL, paste0("g", 1:500))))
  html <- html_of(fit)
  expect_lt(nchar(html), 1e5)
  expect_match(html, "30 of 500 coefficients", fixed = TRUE)
})

test_that("failed draws are said", {
  fit <- fake_fit(cbind(a = c(1, 2, 3)))
  expect_no_match(html_of(fit), "Left out")
  fit$diagnostics$status <- factor(c("converged", "not converged", "converged"))
  expect_match(html_of(fit), "Left out: 1 of 3 solutions (1 not converged)", fixed = TRUE)
})

test_that("nothing in the picture is missing or infinite", {
  expect_no_match(html_of(fake_fit(awkward_draws())), "d=\"[^\"]*(NA|NaN|Inf)")
  expect_no_match(html_of(fake_path()), "d=\"[^\"]*(NA|NaN|Inf)")
})

test_that("plain text is what print() shows", {
  fit <- fake_fit(cbind(a = c(1, 2, 3)))
  expect_equal(repr::repr_text(fit), paste(utils::capture.output(print(fit)), collapse = "\n"))
})

test_that("a trend is a curve", {
  for (fit in list(quick_trend(), quick_trend(order = 0), quick_trend(lambda = c(50, 5)), quick_trend(lambda = 1e12, prior_weight = "fixed"))) {
    html <- html_of(fit)
    expect_balanced(html)
    expect_length(gregexpr("<svg ", html)[[1]], 1L)
    expect_no_match(html, "d=\"[^\"]*(NA|NaN|Inf)")
  }
  d <- data.frame(day = as.Date("2020-01-01") + 0:39, y = c(rep(0, 20), rep(5, 20)) + sin(1:40))
  dated <- wbb_trendfilter(y ~ day, d, order = 0, lambda = 1, draws = 20, seed = 1)
  expect_match(html_of(dated), "x = 2020-01-20", fixed = TRUE)
})
