# What generics of other packages ask of any model and a posterior has no answer to: the errors say where the answer is. A
# generic that a version of its package does not have is left out.

no_hat <- paste(
  "It takes rows out of a least-squares fit by its hat matrix, and a fit that selects its columns has none.",
  "loo(fit) says by Pareto's k which rows weigh much, residuals(fit, type = \"pearson\") which lie far off."
)
no_qr <- "It comes from a QR decomposition, which a penalised fit has not: see plot(fit, \"importance\") for what terms add, and qr(model.matrix(fit))."
no_chains <- "Draws of a bootstrap are independent: their number is their effective size, and summary(fit) has the Monte Carlo error. Chains have theirs in fit$mcmc."
no_prior <- "The penalty is the prior: fit$lambda is its size, and ?\"wbb-objective\" its law."
no_loo <- "loo(fit) and log_lik(fit) are what there is of leaving rows out; `lambda = \"cv\"` does so when it fits."
no_groups <- "There are no random effects: coef(fit) has all coefficients, and `cluster` lets rows of a group share a weight."
no_pictures <- "plot(fit) draws the posterior, plot(fit, \"interval\") its intervals, hist(as.matrix(fit)[, 1]) one coefficient."
no_classes <- "It is there for fits with classes, of wbb_mlp() or of wbb_lasso(); deviance(fit) and predict(fit) say how good others are."
no_parts <- paste(
  "It draws residuals of least squares without a penalty: plot(fit, \"importance\") shows what terms add, pp_check(fit) of bayesplot and",
  "residuals(fit) how well it fits, and ggpredict(fit) of ggeffects the curve of a term."
)
no_residuals <- "pp_check(fit) of bayesplot and performance::check_predictions(fit) compare what the fit predicts with the data; residuals(fit) has what is left."
no_test <- "A posterior has no test statistic: bayestestR::p_direction(fit) and P(=0) in summary(fit) say how sure a coefficient's sign is."
no_evidence <- "marginal_likelihood() has the evidence of a lasso, and loo_compare() compares fits."
no_table <- "A fit is no table of data: as.data.frame(fit) has its draws, model.frame(fit) its variables."
no_numbers <- "A fit is no vector of numbers: as.matrix(fit) has its draws, and summary(fit), quantile(fit) and mean(fit) what they say of each coefficient."

unanswered <- function() {
  each <- function(words, ...) stats::setNames(rep(words, ...length()), c(...))
  list(
    stats = c(
      each(no_hat, "influence", "hatvalues", "cooks.distance", "rstandard", "rstudent", "dfbeta", "dfbetas"),
      each(no_qr, "effects", "proj"),
      alias = "With a penalty every column has its coefficient; plot(fit, \"selection\") shows which come instead of each other.",
      density = "plot(fit) draws the densities of the draws, and bayestestR::estimate_density(fit) has their numbers.",
      dummy.coef = "coef(fit) has all coefficients, and emmeans::emmeans(fit, ~ g) the means of the levels of g.",
      knots = "A trend has knots: see wbb_trendfilter().",
      each(no_qr, "model.tables", "se.contrast"),
      profile = "confint(fit) has the limits of the draws, which need no profile.",
      TukeyHSD = "emmeans::emmeans(fit, pairwise ~ g) compares the levels of g."
    ),
    base = c(each(no_qr, "qr", "kappa"), each(no_numbers, "t", "sort", "rev", "cut"), within = no_table, subset = "update(fit, subset = ) fits some of the rows."),
    car = c(
      each(no_hat, "influencePlot", "infIndexPlot", "outlierTest", "dfbetaPlots", "dfbetasPlots", "leveragePlot"),
      each(no_parts, "avPlot", "avPlots", "crPlot", "crPlots", "ceresPlot", "ceresPlots", "mcPlot", "mcPlots", "residualPlot", "residualPlots",
        "mmp", "inverseResponsePlot"),
      each("Its weights are random in every draw: that the errors have equal variances is not asked for.", "ncvTest", "hccm"),
      Boot = "A fit is a bootstrap: as.matrix(fit) has its draws, and confint(fit) their limits.",
      durbinWatsonTest = "It is there for residuals, as in durbinWatsonTest(residuals(fit)); `cluster` lets rows of a group share a weight.",
      each(no_pictures, "qqPlot", "densityPlot", "Boxplot")
    ),
    graphics = c(each(no_pictures, "hist", "boxplot", "barplot", "image", "text"), each("predict(fit, newdata) has the numbers to draw.", "lines", "points")),
    bayesplot = each(no_chains, "rhat", "neff_ratio", "nuts_params", "log_posterior"),
    bayestestR = c(
      each(no_chains, "effective_sample", "mcse", "diagnostic_posterior"),
      diagnostic_draws = no_chains, each(no_evidence, "bayesfactor_inclusion", "bayesfactor_restricted", "weighted_posteriors"),
      each(no_prior, "model_to_priors", "sensitivity_to_prior", "describe_prior", "check_prior", "simulate_prior", "unupdate", "si", "bayesfactor_parameters")
    ),
    bridgesampling = each(no_evidence, "bridge_sampler"),
    caret = each(no_classes, "calibration"),
    generics = each(no_classes, "accuracy"),
    ggplot2 = c(fortify = "autoplot(fit) draws the posterior; augment(fit) is a table of rows, tidy(fit) one of coefficients, and as.data.frame(fit) one of draws."),
    insight = c(each(no_prior, "get_priors"), get_statistic = no_test),
    loo = each(no_loo, "kfold"),
    nlme = each(no_groups, "fixef", "ranef", "VarCorr"),
    parameters = each(no_test, "p_value", "select_parameters"),
    performance = c(
      each(no_residuals, "check_normality", "check_heteroscedasticity", "check_homogeneity", "check_model", "check_overdispersion", "check_outliers"),
      check_convergence = "summary(fit) says how many draws converged, and fit$diagnostics which.",
      each("r2(fit) is the median of bayes_R2(fit) of rstantools, whose draws are those of the posterior.", "r2_nagelkerke", "r2_mcfadden", "r2_coxsnell", "r2_mckelvey", "r2_posterior", "r2_loo_posterior")
    ),
    rstantools = c(each(no_loo, "loo_R2", "loo_predict", "loo_linpred", "loo_predictive_interval", "loo_pit"), each(no_prior, "prior_summary")),
    sandwich = each("vcov(fit) is the covariance of draws whose rows have random weights, which asks for no equal variances; `cluster` is for groups.", "bread", "estfun", "vcovHC"),
    survival = c(concordance = "concordance(Surv(time, status) ~ predict(fit, type = \"link\"), reverse = TRUE) has that of a fit with family = \"cox\".", survfit = "survival_curve(fit, newdata) has the curves of a fit with family = \"cox\", with bands.")
  )
}

register_refusals <- function() {
  asked <- unanswered()
  for (package in names(asked)) local({
    of <- asked[[package]]
    there <- package
    with_package(there, function() {
      for (generic in intersect(names(of), getNamespaceExports(there))) registerS3method(generic, "wbb", refusal(generic, of[[generic]]), asNamespace(there))
    })
  })
}

# What is no fit but has what its default methods look for, or has not, and would be answered with NULL.
of_fits <- c("coef", "fitted", "residuals", "sigma", "deviance", "df.residual", "weights", "predict", "vcov", "logLik", "simulate", "family", "terms")

no_fits <- c(
  wbb_calibration = "A calibration is no fit: its element `fit` is the one that was calibrated; confint(), summary() and tidy() have what was found.",
  wbb_comparison = "A comparison holds several fits, each of which has an answer of its own; as.data.frame() has their coefficients side by side.",
  wbb_moments = "Sums are no fit yet: wbb_lasso() makes one of them.",
  wbb_source = "A source describes data: wbb_lasso(formula, source) fits them."
)

register_no_fits <- function() {
  for (class in names(no_fits)) {
    for (generic in of_fits) registerS3method(generic, class, refusal(generic, no_fits[[class]], "an object"), asNamespace("stats"))
  }
}

refusal <- function(generic, words, what = "a fit") {
  force(generic)
  force(what)
  force(words)
  function(...) {
    if (inherits(..1, "wbb_any")) words <- paste0(words, " Of the model that was fitted first: ", generic, "(fit$model).")
    abort("argument", paste0(generic, "() has no answer for ", what, " of class ", show_value(class(..1)[1L]), ". ", words), "object", call = sys.call())
  }
}

# A fit is a list and no table: with two indices R would speak of dimensions. R/zzz.R registers it; it is no function
# to be called by name, of which NextMethod() would not know what comes next.
element_of_fit <- function(x, ...) {
  if (nargs() > 2L) abort("argument", paste("`[` cannot be done with a fit and two indices.", no_numbers), "object", call = NULL)
  NextMethod("[")
}

# To be registered as that is: R's own words would speak of a list.
register_coercions <- function() {
  for (generic in c("as.double", "as.integer", "as.logical", "as.complex")) registerS3method(generic, "wbb", refused_coercion, baseenv())
}

refused_coercion <- function(x, ...) refuse_operation(environment())

#' @export
Summary.wbb <- function(..., na.rm = FALSE) refuse_operation(environment())

#' @export
Math.wbb <- function(x, ...) refuse_operation(environment())

#' @export
Ops.wbb <- function(e1, e2) refuse_operation(environment())

# A fit is what was called; insight drops an argument of its functions of which a part is "NULL", as the words of a list may be.
#' @export
as.character.wbb <- function(x, ...) deparse(x$call, nlines = 1L)[1L]

# R's own call of such a method holds the whole fit; one that is called by its name has no generic.
refuse_operation <- function(method) {
  operation <- get0(".Generic", method, ifnotfound = "arithmetic")
  abort("argument", paste0("`", operation, "` cannot be done with a fit. ", no_numbers), "object", call = NULL)
}
