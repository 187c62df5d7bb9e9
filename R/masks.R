# Names that other packages have, too: whichever of them was attached last, objects find their method.

# From a generic of ours to that of another package, for an object that only the other knows. Only loaded packages are
# asked: an object of theirs comes with them.
hand_on <- function(generic, object, packages, ...) {
  if (inherits(object, "wbb")) {
    bad_argument("object", "be a fit with classes, of wbb_mlp() or of wbb_lasso() with family = \"binomial\" or \"multinomial\"", object,
      advice = "deviance() and predict() say how good others are.")
  }
  for (package in Filter(isNamespaceLoaded, packages)) {
    there <- asNamespace(package)
    if (!exists(generic, there, inherits = FALSE)) next
    for (class in c(class(object), mode(object), "default")) {
      if (!is.null(utils::getS3method(generic, class, optional = TRUE, envir = there))) {
        # Not from here: our own methods would be found first.
        return(do.call(get(generic, there), list(object, ...), envir = globalenv()))
      }
    }
  }
  bad_argument("object", "be a fit of wbb", object)
}
