# What a fit says of itself: the words that print(), summary() and the notebook open with.

# What a fit is, in words: a title, and named lines on its draws and its prior; `data` where rows and
# columns do not say it.
describe <- function(fit) UseMethod("describe")

describe_bootstrap <- function(fit, name, data = NULL) {
  spec <- fit$spec
  draws <- paste0(with_commas(draw_count(spec)), ", ", law_of(spec), " weights, ",
    prior_weight_text[[spec$prior_weight]])
  list(
    title = paste("Weighted Bayesian bootstrap of the", name), data = data,
    lines = c(Draws = draws, Lambda = lambda_text(fit))
  )
}

data_text <- function(fit, words) {
  text <- if (!is.null(words$data)) words$data else paste0(counted(fit$spec$n, "row"), ", ", counted(fit$spec$p, "column"))
  dropped <- length(fit$na.action)
  imputed <- fit$spec$imputations
  paste0(text, if (dropped) paste0("; ", counted(dropped, "row"), " with missing values left out"),
    if (!is.null(imputed)) paste0("; ", counted(imputed, "imputation")))
}

# "1,000,000" and not "1e+06"
with_commas <- function(n) format(n, big.mark = ",", scientific = FALSE, trim = TRUE)

# "1 row", "1,200 rows"
counted <- function(n, unit) paste0(with_commas(n), " ", unit, if (n != 1) "s")

prior_weight_text <- c(
  random = "random prior weight", fixed = "fixed prior weight",
  coef = "a random prior weight for each coefficient"
)

law_of <- function(spec) {
  if (spec$weights$name == "ones") "unit" else format(spec$weights)
}

lambda_text <- function(fit) {
  if (is_path(fit)) {
    return(paste0("a path of ", length(fit$lambda), ": ", show_values(signif(fit$lambda, 6L))))
  }
  from <- if (fit$lambda_from == "cv") {
    paste0(" (", fit$cv$nfolds, "-fold cross-validation, rule \"", fit$cv$rule, "\")")
  }
  if (fit$lambda_from == "marglik") from <- " (largest marginal likelihood)"
  if (fit$lambda_from == "pooled") from <- " (the mean of the imputations)"
  redrawn <- redrawn_lambdas(fit)
  if (!is.null(redrawn)) {
    from <- paste0(sub(")", "", from, fixed = TRUE), "; redrawn: median ", signif(redrawn[2L], 3L), ", 90 % from ", signif(redrawn[1L], 3L), " to ",
      signif(redrawn[3L], 3L), ")")
  }
  paste0(format_lambda(fit$lambda), from)
}

# Of probabilities everywhere: three decimals, and 0 or 1 only where it is exactly that.
probability_text <- function(p) {
  text <- formatC(p, format = "f", digits = 3)
  text[is.na(p)] <- ""
  text[which(p > 0 & p < 0.0005)] <- "< 0.001"
  text[which(p < 1 & p > 0.9995)] <- "> 0.999"
  text
}

# The call, in lines no wider than the console, unless a word or a function alone is. deparse() breaks only after its width: smaller
# ones are tried until all lines fit. Of a long call, as of one with the data in it, so much as four lines hold.
call_text <- function(call, width = getOption("width"), most = 4L) {
  before <- "Call: "
  room <- max(20, width - nchar(before))
  longest <- Inf
  for (cutoff in seq(min(room, 500), 20)) {
    tried <- sub(" +$", "", deparse(call, width.cutoff = cutoff, nlines = most + 1L))
    if (max(nchar(tried, "width")) < longest) lines <- tried
    longest <- max(nchar(lines, "width"))
    if (longest <= room) break
  }
  if (length(lines) > most) lines <- c(utils::head(lines, most - 1L), paste0(strtrim(lines[most], room - 4L), " ..."))
  paste0(before, paste(lines, collapse = paste0("\n", strrep(" ", nchar(before)))))
}
