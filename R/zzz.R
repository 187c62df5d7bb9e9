# What happens when the package is loaded: packages that know nothing of it are told.

.onLoad <- function(libname, pkgname) {
  options(marginaleffects_model_classes = union(getOption("marginaleffects_model_classes"), "wbb"))
  register_refusals()
  register_no_fits()
  with_package("marginaleffects", register_marginaleffects)
  with_package("parsnip", register_parsnip)
  with_package("tidybayes", register_tidybayes)
  with_package("insight", register_insight)
  register_on_draws()
  registerS3method("[", "wbb", element_of_fit, baseenv())
  register_coercions()
  with_package("broom.helpers", function() registerS3method("model_get_weights", "wbb", model_get_weights.wbb, asNamespace("broom.helpers")))
  with_package("gtsummary", function() registerS3method("tbl_regression", "wbb", tbl_regression.wbb, asNamespace("gtsummary")))
}

# Now, or as soon as that package is loaded.
with_package <- function(package, action) {
  if (isNamespaceLoaded(package)) action() else setHook(packageEvent(package, "onLoad"), function(...) action())
}

register_marginaleffects <- function() {
  there <- asNamespace("marginaleffects")
  registerS3method("get_predict", "wbb", get_predict.wbb, there)
  registerS3method("get_vcov", "wbb", get_vcov.wbb, there)
  registerS3method("get_coef", "wbb", get_coef.wbb, there)
  registerS3method("set_coef", "wbb", set_coef.wbb, there)
}

register_tidybayes <- function() {
  there <- asNamespace("tidybayes")
  for (name in c("epred_draws", "linpred_draws", "predicted_draws")) registerS3method(name, "wbb", tidy_draws_of(name), there)
  registerS3method("residual_draws", "wbb", residual_draws.wbb, there)
}
