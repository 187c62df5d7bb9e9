#' Diabetes progression in 442 patients
#'
#' Ten baseline measurements of 442 diabetes patients and a measure of the
#' disease's progression one year later, on the scale they were measured on.
#' `wbb_lasso()` standardises the columns itself.
#'
#' @format A data frame with 442 rows and 11 columns:
#' \describe{
#'   \item{age}{age in years}
#'   \item{sex}{sex, coded 1 or 2}
#'   \item{bmi}{body mass index}
#'   \item{map}{mean arterial blood pressure}
#'   \item{tc}{serum measurement: total cholesterol}
#'   \item{ldl}{serum measurement: low-density lipoproteins}
#'   \item{hdl}{serum measurement: high-density lipoproteins}
#'   \item{tch}{serum measurement: total cholesterol divided by high-density
#'     lipoproteins}
#'   \item{ltg}{serum measurement: logarithm of the triglycerides}
#'   \item{glu}{serum measurement: glucose}
#'   \item{y}{disease progression one year after the baseline, the response}
#' }
#' @source Efron, B., Hastie, T., Johnstone, I. and Tibshirani, R. (2004).
#'   Least Angle Regression. *Annals of Statistics* **32**(2), 407-499.
#'   \doi{10.1214/009053604000000067}. The copy in `data-raw/diabetes.csv` of
#'   the package's sources is read by the script beside it.
#' @examples
#' summary(diabetes)
"diabetes"
