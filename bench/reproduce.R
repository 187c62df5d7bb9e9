# `make reproduce [REPRODUCE="newton=20 ng=150"]`: the published tables and figures, ours beside theirs, into bench/reproduce.md. Fails
# where they differ by more than the Monte Carlo error and the text below does not say why.
#   newton, ng: data sets of each cell; mcmc: those of them that are compared with MCMC; script: those that are fitted by glmnet as well; mnist: draws (0 without the data); cores;
#   settings: those of Ng and Newton, as "1:8" or "c(1,2)"

library(wbb)
for (part in c("published", "rows", "mcmc", "newton", "ng", "figures")) source(file.path("bench", "reproduce", paste0(part, ".R")))

asked <- list(newton = 20, ng = 150, mcmc = 20, script = 16, mnist = 12, cores = 2, settings = "1:8")
for (given in strsplit(commandArgs(TRUE), "=", fixed = TRUE)) {
  if (!given[1] %in% names(asked)) stop("unknown setting ", given[1])
  asked[[given[1]]] <- if (given[1] == "settings") given[2] else as.numeric(given[2])
}
cores <- asked$cores
began <- proc.time()
done <- function(what) cat(sprintf("%6.0f s  %s\n", (proc.time() - began)[["elapsed"]], what))

# The rows ---------------------------------------------------------------------------------

# Each part is kept in output/reproduce, so that a run that was stopped goes on where it was; `make clean` forgets them.
folder <- file.path("output", "reproduce")
dir.create(folder, FALSE, TRUE)
kept <- function(what, size, code) {
  file <- file.path(folder, paste0(gsub("[^A-Za-z0-9]+", "-", paste(c(what, size), collapse = " ")), ".rds"))
  if (!file.exists(file)) saveRDS(code, file)
  done(what)
  readRDS(file)
}

rows <- list()
shares <- c()
for (design in names(newton)) for (case in names(newton[[design]])) for (column in which(!is.na(newton[[design]][[case]]$wbb["beta", ]))) {
  name <- sprintf("%s, %s, p = %d", design, case, newton_columns[column])
  cell <- kept(name, asked$newton, newton_rows(design, case, column, asked$newton))
  shares[name] <- cell$at_end[1]
  rows[[name]] <- cell[names(cell) != "at_end"]
}
for (number in eval(str2lang(asked$settings))) {
  name <- paste("Ng and Newton, setting", number)
  rows[[name]] <- kept(name, c(asked$ng, asked$mcmc), ng_rows(number, asked$ng, asked$mcmc, 500))
}
ng_ways <- if (asked$script > 1 && requireNamespace("glmnet", quietly = TRUE)) {
  do.call(rbind, lapply(eval(str2lang(asked$settings)), function(number) {
    kept(paste("Ng and Newton by the script, setting", number), asked$script, ng_script(number, asked$script, 300))
  }))
}
rows$trend <- trend_rows()
diabetes_picture()
mnist_folder <- Sys.getenv("WBB_MNIST", file.path("..", "shared", "data", "mnist"))
mnist <- if (asked$mnist > 0 && dir.exists(mnist_folder)) kept("MNIST", asked$mnist, mnist_rows(mnist_folder, asked$mnist))
rows <- do.call(rbind, c(unname(rows), list(mnist$rows)))
rownames(rows) <- NULL

# The reasons ------------------------------------------------------------------------------

# For rows that are not computed as the published ones were, or are and differ for a reason that is known.
reasons <- c(
  words = "the paper's words, which are not what its script does: weights of coefficients as drawn, lambda as chosen, an interval asked for its own coefficient alone",
  bridge = "the Bayesian lasso of Park and Casella (`bayes_bridge(alpha = 1)`), which keeps all columns; theirs chooses columns by reversible jumps"
)
way <- ifelse(rows$table %in% c("newton", "mnist"), sub(".*; ", "", rows$what), rows$table)
rows$differs <- differs(rows)
rows$reason <- ifelse(rows$differs, reasons[way], NA)
# The script's intervals with a weight a coefficient, from ours and the ratio that was seen on some of the data sets.
if (!is.null(ng_ways)) {
  script <- which(rows$table == "ng" & rows$measure == "width" & grepl("; coef$", rows$what))
  seen <- ng_ways[match(as.integer(sub(":.*", "", rows$what[script])), ng_ways$setting), ]
  as_script <- rows
  as_script$error[script] <- sqrt((rows$error[script] * seen$ratio)^2 + (rows$ours[script] * seen$error)^2)
  as_script$ours[script] <- rows$ours[script] * seen$ratio
  agrees <- intersect(script, which(rows$differs & !differs(as_script)))
  rows$reason[agrees] <- "paths of glmnet that end early, see above"
}
unexplained <- rows$differs & is.na(rows$reason)

# The report -------------------------------------------------------------------------------

number <- function(value, digits) sprintf("%.*f", as.integer(digits), value)
table_of <- function(chosen) {
  verdict <- ifelse(!chosen$differs, "yes", ifelse(is.na(chosen$reason), "**no, and we do not know why**", "no, explained"))
  c("| | measure | published | ours | Monte Carlo error | agree |", "|---|---|---:|---:|---:|---|",
    sprintf("| %s | %s | %s | %s | %s | %s |", chosen$what, chosen$measure, number(chosen$published, chosen$digits), number(chosen$ours, chosen$digits + 1),
      number(chosen$error, chosen$digits + 1), verdict), "")
}
of <- function(...) rows[rows$table == "newton" & way %in% c(...), ]
tally <- function(chosen) sprintf("%d of %d rows agree.", sum(!chosen$differs), nrow(chosen))

writeLines(c(
  "# The published tables, again", "",
  sprintf("Made by `make reproduce` (bench/reproduce.R), wbb %s, %s: %d data sets of each cell of Newton, Polson and Xu, %d of each setting of Ng and Newton (%d with MCMC; settings %s), %d networks.",
    utils::packageVersion("wbb"), R.version.string, asked$newton, asked$ng, asked$mcmc, asked$settings, asked$mnist),
  "A row agrees if the two differ by no more than chance allows (a bound for all rows together: when all agree, one run in a hundred finds a difference) and rounding. The target fails if a row differs and this page does not say why.", "",
  sprintf("**%d of %d rows agree, %d differ for a reason given below, %d for none that we know.**", sum(!rows$differs), nrow(rows), sum(rows$differs & !unexplained), sum(unexplained)), "",
  readLines(file.path("bench", "reproduce", "newton.md")), "",
  sprintf("Draws that the script takes from the end of the path, a share of all: %s.", paste(names(shares), number(shares, 2), sep = ": ", collapse = "; ")), "",
  "### WBB as the script computes it", "", tally(of("script")), "", table_of(of("script")),
  "### Their MCMC, by our own sampler", "", tally(of("blasso")), "", table_of(of("blasso")),
  "### WBB as the paper's words have it", "", tally(of("words")), "", table_of(of("words")),
  "### The Bayesian lasso without a choice of columns", "", tally(of("bridge")), "", table_of(of("bridge")),
  readLines(file.path("bench", "reproduce", "ng.md")), "",
  if (!is.null(ng_ways)) {
    c("| setting | width of the script's intervals over ours | error | draws without one of the six, script | ours |", "|---|---:|---:|---:|---:|",
      sprintf("| %d | %.3f | %.3f | %.4f | %.4f |", ng_ways$setting, ng_ways$ratio, ng_ways$error, ng_ways$lost, ng_ways$lost_ours), "")
  },
  tally(rows[rows$table == "ng", ]), "", table_of(rows[rows$table == "ng", ]),
  readLines(file.path("bench", "reproduce", "figures.md")), "",
  table_of(rows[rows$table %in% c("trend", "mnist"), ]),
  if (is.null(mnist)) "MNIST was not here: no rows of it." else {
    sprintf("With weights of one the variance of the accuracy over draws is %s times that with random weights (95 %% bootstrap interval %s to %s): so much of the spread is the optimiser's.",
      number(mnist$share[[1]], 2), number(mnist$share[[2]], 2), number(mnist$share[[3]], 2))
  }
), file.path("bench", "reproduce.md"))
done("written to bench/reproduce.md")

if (any(unexplained)) {
  print(rows[unexplained, c("table", "what", "measure", "published", "ours", "error")], digits = 4, row.names = FALSE)
  stop(sum(unexplained), " rows differ from what was published, and the text does not say why.")
}
cat(sum(!rows$differs), "of", nrow(rows), "rows agree; the others are explained.\n")
