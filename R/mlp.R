#' Weighted Bayesian bootstrap of a neural network
#'
#' Draws from the weighted Bayesian bootstrap posterior of a multilayer perceptron, for
#' classification or regression. Each draw gives random weights to the observations and to the
#' penalty and trains a network on that weighted problem by stochastic gradient descent. The
#' draws carry uncertainty to predictions: probabilities with intervals, the posterior of the accuracy, and how
#' much of the uncertainty is the model's.
#'
#' @section The objective:
#' With weights \eqn{w_1, \dots, w_n} of the observations and \eqn{w_0} of the penalty a draw is
#' trained on
#' \deqn{\sum_i w_i \, \ell_i(\theta) + \lambda w_0 \sum_l s_l^2 \| W_l \|_F^2,}{
#'   sum_i w_i l_i(theta) + lambda w0 sum_l s_l^2 |W_l|_F^2,}
#' where \eqn{W_l} are the weight matrices of the layers; biases are not penalised. All \eqn{s_l} are 1, but for the hidden layers of a
#' regression they are the standard deviation of `y`: the penalty is that of a network for standardised `y`, and the
#' same `lambda` is as strong in any units of `y`. For classification
#' \eqn{\ell_i}{l_i} is the cross-entropy \eqn{-\log p_{i, y_i}}{-log p(y_i)} of a softmax output, for
#' regression \eqn{\frac12 (y_i - f(x_i))^2}{1/2 (y_i - f(x_i))^2}. As everywhere in wbb the loss is a sum
#' over observations: a mean loss with Keras' `l2(a)` on the weights is `lambda = n * a`, one with PyTorch's
#' `weight_decay = a` is `lambda = n * a / 2` (but that shrinks biases as well), both with a standardised `y` for regression. (The paper's cross-entropy
#' lacks the minus sign; see [wbb-objective] for the method.)
#'
#' @section Training:
#' A step goes down the gradient of the objective divided by \eqn{\sum_i w_i}{sum_i w_i}, estimated on a
#' batch of b rows:
#' \deqn{\theta \leftarrow \theta - t_k \Big[ \frac{n}{b} \sum_{i \in batch} w_i \nabla \ell_i +
#'   \lambda w_0 \nabla \sum_l s_l^2 \| W_l \|_F^2 \Big] \Big/ \sum_i w_i, \quad t_k = a \exp(-d k),}{
#'   theta <- theta - t_k [ n/b sum_(i in batch) w_i grad l_i + lambda w0 grad sum_l s_l^2 |W_l|_F^2 ] / sum_i w_i,
#'   t_k = a exp(-d k),}
#' with a the `learning_rate`, d the `decay` and k = 0, 1, ... the number of the step. By default Adam's step is a in the
#' epochs that draws have in common (see `init`), and then falls from a third of it to zero in a line, so that a draw comes to rest; without such epochs it falls from a.
#' Plain steps and momentum stay at a. So a learning rate
#' means what it means in Keras or PyTorch, and weights that are all multiplied by a constant
#' change nothing. (The paper multiplies the penalty's gradient by n/b as well, which would be another
#' `lambda`.) `decay = 0` is a constant step. `"momentum"` and `"adam"` use the same gradient.
#'
#' At a constant step the last iterate wanders around the minimum, and where it stands at the end says
#' more of the last batches than of the draw's weights. Adam's step therefore falls, and a draw is the mean of the last iterates
#' (Polyak and Juditsky 1992): those of the share `average` of the steps. `average = 0, decay = 0` is the last
#' iterate at a constant step, the paper's recipe. With full batches there is no such noise, and nothing is averaged. All that is said
#' of a draw (`objective`, `loss`, `gradient`, `accuracy`, predictions) is said of the mean.
#'
#' Training stops after `epochs`, or earlier when the loss of an epoch has changed by less than `tolerance`,
#' relative to its size, three times in a row; the averaged steps come after that. A draw has diverged if its loss
#' is not finite, or ends at more than twice that of the start and of a network that always answers 0. It is then
#' trained again with a tenth of the learning rate, once. The `status` of a draw is
#' - `"finished"`: all epochs were run;
#' - `"converged"`: the loss had settled before;
#' - `"unsettled"`: the `gradient` at the end is more than a quarter of the `start_gradient`, so that the draw is still
#'   far from a minimum, and one warning (of class `wbb_warning_training`) for all such draws. They are used
#'   like the others;
#' - `"diverged"`: it diverged with the smaller step, too. There is no network, and one warning for all such
#'   draws;
#' - `"empty"`: all weights were zero.
#'
#' With the epochs of the default there is the same warning when the median loss fell by a tenth or more in the last half of them, and that was a tenth
#' of its whole fall; at a constant step, or with a `decay`, by a twentieth in the last fifth of them.
#'
#' Draws without a network have no row in matrices of draws, in predictions and in what is made of
#' them; `diagnostics` keeps them, and so does [weights()][weights.wbb].
#'
#' @section What the draws are, and are not:
#' The objective of a network with hidden layers has many local minima, and SGD stops near one of them. A
#' draw is therefore an approximate local mode of its weighted problem, not its certified minimum;
#' `diagnostics$gradient`, the norm of the gradient of the objective over \eqn{\sum_i w_i}{sum_i w_i} (with
#' x and y in the units of the training), says how far from stationary it is. With `init = "trained"` the
#' first fifth of the epochs is the same for all draws, one network's that is trained on the data as they are; with
#' `"shared"` draws go apart from the first step. Either way they differ by the weights alone, and by how
#' the optimiser takes the difference: early in the training a small one decides which valley is gone down, after
#' the common epochs no longer (Frankle et al. 2020). With `"fresh"` they also differ by the minimum they found,
#' which usually widens the posterior. Single parameters of hidden layers mean
#' little, because units can be exchanged: look at predictions. Without hidden layer (`hidden = NULL`) the
#' problem is multinomial logistic (or linear) ridge regression, which is convex: its draws are the weighted
#' modes, up to the tolerance of the training and the 32 bits of a parameter.
#'
#' There is no mode; `weights = "ones"` with `prior_weight = "fixed"` and `draws = 1` trains on the data as
#' they are.
#'
#' @section How much of the spread is the optimiser's:
#' Draws that had the same weights and another order of the batches would differ all the same, and that
#' part of their spread is no uncertainty. `batch_seed` measures it: fits that differ in it alone have the same
#' weights, draw for draw. Take the draws of any measure as a matrix with a column for each order; what is left of
#' it after row and column means is the optimiser's, because all draws of a fit share the order. Of the predictions of thirteen sets of
#' data by default (20 to 2,000 rows, 1 to 20 columns, nine of numbers and four of 2 to 10 classes; six draws, three orders) the optimiser's share of the
#' variance was at most 0.19, in the median 0.05; with Adam at a `lambda` of nearly nothing up to 0.9, where the network fits every row.
#'
#' On MNIST with the paper's network (five epochs of batches of 128 with a constant step of 0.1; eight draws, four orders) it was, for
#' the accuracy and the log-loss on the test digits,
#' - 0.82 and 0.78 for the last iterate (`average = 0, init = "shared"`; accuracies with a standard deviation of 0.0033),
#' - 0.35 and 0.16 for the average (`init = "shared"`; 0.0011),
#' - 0.34 and 0.12 for the average after common epochs (0.0008).
#'
#' `vignette("deep-learning")` shows the computation, and another set of data.
#'
#' @section Data:
#' `y` that is a factor, character or logical makes classes (levels without rows are dropped); a numeric `y`
#' is regression, also where it holds whole numbers. For regression `y` is centred and scaled inside; what
#' comes out is in your units. The formula interface is that
#' of [wbb_lasso()]; networks always have biases, so that `0 +` only changes the coding of factors. A sparse
#' `x` is never made dense.
#'
#' Training needs columns on a common scale. `standardize = TRUE` centres the columns and scales them to
#' standard deviation one (a sparse `x` is only scaled, by its root mean squares), once for all draws. The
#' penalty is then that of the weights on this scale. `NULL` does so unless the columns are on a common scale already, as
#' pixels in 0 to 1 are: no `|x|` exceeds 1, and each column has a range of at least a half or consists of zeros for the most part
#' (judged by 1,000 rows at most).
#'
#' @section Memory and time:
#' A draw takes 4 bytes for each parameter (a network 784-128-64-10 has 109,386: 100 draws take 44 MB), and
#' with `test` another 8 bytes for each of its rows and classes. While it runs a thread needs the network,
#' its gradient, the sum of its iterates and (`"momentum"`: one, `"adam"`: two) moments, and the activations of up to 256 rows. The
#' data are copied once, at 4 bytes a number, and shared by all threads. `keep = "predictions"` drops the
#' networks, `keep_data = FALSE` the training data, which may be larger. What would be larger than
#' `options(wbb.max_bytes = )` is refused before anything is allocated. Draws run in parallel, one thread
#' each.
#'
#' @section Networks:
#' Each element of `fit$draws` is a network as a raw vector: 32-bit numbers, little endian, layer after
#' layer the matrix \eqn{W_l} (a row for each input, its units next to each other) and then the biases
#' \eqn{b_l}. [as.matrix()][as.matrix.wbb], [coef()][coef.wbb_mlp] and the formats of posterior and coda
#' give parameters as doubles in the units of your data, with the standardisation undone. They are named
#' `W1[<column>,<unit>]`, `b1[<unit>]`, `W2[<unit>,<unit>]` and so on; the output units of classification
#' bear the names of the classes. Argument `parameters` chooses: names, with numbers in place of names if
#' you like (`"W1[3,4]"`), or whole blocks (`"b2"`, `"W1"`); `NULL` is all. `what = "predictions"` gives the
#' predictions of `newdata` instead (by default of the test set in the fit, else of the training data),
#' named `p[<row>,<class>]` or `f[<row>]`.
#'
#' @inheritParams wbb_lasso
#' @param y The response with one element for each row of `x`: a factor, character or logical vector for
#'   classification, a numeric vector for regression.
#' @param hidden The sizes of the hidden layers, from the input to the output; `NULL` (or 0) for none.
#' @param lambda The strength of the penalty: a non-negative number, or `"cv"` for cross-validation, which trains `nlambda` times
#'   `nfolds` networks before the draws. Without a penalty a network that is large for its data learns their noise, and where it
#'   fits every row the weights of the rows no longer matter.
#' @param nlambda The number of lambdas of the cross-validation, each of which costs `nfolds` networks. Up to 150 rows are split
#'   two to four times, and the errors averaged, unless `foldid` is given.
#' @param lambda_min_ratio Their smallest as a share of the largest, which is a fifth of the number of rows; `NULL` is `1e-4`.
#' @param epochs The largest number of passes over the data; `NULL` is as many as make 200,000 rows or 4,000 steps, whichever is
#'   less, but 10 at least.
#' @param batch_size The number of rows of a step; from the number of rows on (or `Inf`) it is the full
#'   gradient. `NULL` is 128, or about a tenth of the rows where these are few.
#' @param learning_rate The (first) step; `NULL` is 0.01 for `"adam"`, 0.1 for `"sgd"` and 0.01 for `"momentum"` (for
#'   regression 0.01 and 0.001).
#' @param decay The rate at which the step falls, per step; 0 is a constant step. `NULL`: Adam's step falls to zero in a line, after the common epochs from a
#'   third of it, and others are constant.
#' @param average The share of the steps, at the end of the training, whose iterates are averaged, from 0 to 1; 0 is the
#'   last iterate.
#' @param optimizer `"sgd"`, plain stochastic gradient descent (the paper's), `"momentum"` or `"adam"`. `NULL` is Adam, or
#'   `"sgd"` where a `learning_rate` is given.
#' @param momentum The momentum, from 0 to below 1, for `optimizer = "momentum"`.
#' @param activation The activation of the hidden units.
#' @param init The start. `"trained"`: the first fifth of the epochs (if there are two or more) is one network's, which is
#'   trained on the data as they are, and all draws go on from there; `"shared"`: all draws start where that network does;
#'   `"fresh"`: each has a start of its own. Untrained starts are normal with standard deviation \eqn{\sqrt{2/m}}{sqrt(2/m)}
#'   for m inputs of a unit (He; for activations other than `"relu"` \eqn{\sqrt{1/m}}{sqrt(1/m)}), biases 0.
#' @param batches `"shuffled"`: a new order of rows in each epoch, the same for all draws; `"cyclic"`: rows in
#'   the order given.
#' @param batch_seed The seed of these orders; `NULL` is `seed`. Another one changes nothing but the orders of the draws'
#'   batches; the epochs that they have in common keep theirs.
#' @param standardize Centre and scale the columns? `NULL` does unless they are on a common scale.
#' @param prior_weight The weight of the penalty in a draw: `"random"`, one Exp(1) number; `"fixed"`,
#'   always 1.
#' @param cluster Ids of groups of rows that share one random weight.
#' @param test A test set: all draws' predictions of it are kept in the fit. In the `x`, `y` interface a
#'   matrix like `x`, or `list(x = , y = )` with or without `y`; in the formula interface a data frame, with
#'   or without the response.
#' @param keep `"networks"`, or only the `"predictions"` of `test`.
#' @param tolerance The relative change of the loss below which training stops; 0 always runs all
#'   epochs.
#' @return An object of class `c("wbb_mlp", "wbb")`. Use [predict()][predict.wbb_mlp], [accuracy()],
#'   [log_loss()], [calibration()], [uncertainty()], [plot()][plot.wbb_mlp],
#'   [summary()][summary.wbb_mlp], [as.matrix()][as.matrix.wbb],
#'   [coef()][coef.wbb_mlp], [weights()][weights.wbb]. Of its elements you may want to look at
#'   - `diagnostics`: a data frame with one row a draw: `draw`, the `status`, `iterations` (epochs run), the
#'     `learning_rate` (a tenth of the given one after a second try), the `objective`, the `loss` (weighted
#'     mean, without penalty), the norm of the `gradient` and its value at the untrained start (`start_gradient`, from
#'     at most 1,024 rows), and the training `accuracy` or the weighted residual standard deviation `sigma`;
#'   - `curves`: a matrix with a row a draw and a column an epoch: the objective over
#'     \eqn{\sum_i w_i}{sum_i w_i} of the iterates as it ran, `NA` after an early stop;
#'   - `draws`: the networks; `predictions`: those of the test set, draws by rows by classes;
#'   - `levels`: the classes; `spec`: all settings of the run.
#'
#'   A fit holds no pointers; it can be saved and read back. Fits that differ only in their draws can be joined by `c()`.
#' @references
#' Newton, M. A., Polson, N. G. and Xu, J. (2021). Weighted Bayesian bootstrap
#' for scalable posterior distributions. *Canadian Journal of Statistics* 49,
#' 421--437.
#'
#' Frankle, J., Dziugaite, G. K., Roy, D. and Carbin, M. (2020). Linear mode connectivity and the lottery ticket
#' hypothesis. *International Conference on Machine Learning*, 3259--3269.
#'
#' He, K., Zhang, X., Ren, S. and Sun, J. (2015). Delving deep into rectifiers. *Proceedings of
#' the IEEE International Conference on Computer Vision*, 1026--1034.
#'
#' Kingma, D. P. and Ba, J. (2015). Adam: a method for stochastic optimization. *International
#' Conference on Learning Representations*.
#'
#' Polyak, B. T. and Juditsky, A. B. (1992). Acceleration of stochastic approximation by averaging. *SIAM Journal
#' on Control and Optimization* 30, 838--855.
#' @examples
#' odd <- seq(1, 150, by = 2)
#' fit <- wbb_mlp(Species ~ ., iris[odd, ], hidden = 8, draws = 50, test = iris[-odd, ], seed = 1)
#' fit
#' summary(accuracy(fit))
#' predict(fit, iris[c(2, 84, 134), ])
#' predict(fit, iris[c(2, 84, 134), ], interval = "credible")["134", , ]
#' uncertainty(fit, iris[c(2, 84, 134), ])
#' plot(fit)
#'
#' # Regression
#' curve <- wbb_mlp(dist ~ speed, cars, hidden = 10, activation = "tanh", optimizer = "adam",
#'   learning_rate = 0.02, draws = 50, epochs = 100, standardize = TRUE, seed = 1)
#' predict(curve, data.frame(speed = c(5, 15, 25)), interval = "credible")
#' @export
wbb_mlp <- function(x, ...) UseMethod("wbb_mlp", entry(x, ...))

#' @rdname wbb_mlp
#' @export
wbb_mlp.default <- function(x, y, hidden = c(128, 64), lambda = "cv", draws = 100, epochs = NULL,
                            batch_size = NULL, learning_rate = NULL, decay = NULL, average = 0.2,
                            optimizer = NULL, momentum = 0.9,
                            activation = c("relu", "tanh", "identity"),
                            init = c("trained", "shared", "fresh"), batches = c("shuffled", "cyclic"),
                            batch_seed = NULL, standardize = NULL, prior_weight = c("random", "fixed"),
                            weights = "exponential", case_weights = NULL, cluster = NULL,
                            lambda_rule = c("min", "1se"), nfolds = 5, foldid = NULL,
                            nlambda = 9, lambda_min_ratio = NULL,
                            test = NULL, keep = c("networks", "predictions"), tolerance = 1e-4,
                            seed = NULL, first_draw = 1, threads = NULL,
                            backend = c("threads", "future"), progress = NULL,
                            keep_data = TRUE, ...) {
  fit_default(..., .estimator = mlp_estimator(), .design = matrix_design(x, y, check_outcome), .call = match.call())
}

#' @rdname wbb_mlp
#' @export
wbb_mlp.formula <- function(formula, data, ..., case_weights, cluster, foldid, subset, na.action, contrasts = NULL) {
  fit_formula(..., .estimator = mlp_estimator(), .call = match.call(), .env = parent.frame())
}

mlp_estimator <- function() {
  list(
    name = "wbb_mlp", class = "wbb_mlp", default = wbb_mlp.default, data = c("x", "y"),
    rows = c("case_weights", "cluster", "foldid"), response = function(given) check_outcome,
    prepare = mlp_prepare, job = mlp_job, shapes = mlp_shapes, object = mlp_object, doubt = mlp_doubt
  )
}

# Settings -------------------------------------------------------------------------

mlp_prepare <- function(design, given, call) {
  test <- check_test(given$test, design)
  design$test <- test[setdiff(names(test), "x")]
  design$test_x <- test$x
  list(design = design, settings = mlp_settings(design, given))
}

mlp_settings <- function(design, given) {
  n <- nrow(design$x)
  keep <- check_choice(given$keep, "keep", c("networks", "predictions"))
  if (keep == "predictions" && is.null(design$test_x)) {
    bad_argument("keep", "be \"networks\" without a `test` set to predict", keep)
  }
  batch_size <- check_batch_size(given$batch_size, n)
  optimizer <- check_optimizer(given$optimizer, given$learning_rate)
  own <- list(
    p = ncol(design$x), classes = nlevels(design$y), hidden = check_hidden(given$hidden),
    n_test = if (is.null(design$test_x)) 0L else nrow(design$test_x),
    lambda = check_one_lambda(given$lambda),
    epochs = check_epochs(given$epochs, n, batch_size), batch_size = batch_size,
    learning_rate = check_learning_rate(given$learning_rate, optimizer, nlevels(design$y) > 0L),
    decay = check_decay(given$decay, optimizer),
    average = check_number(given$average, "average", 0, 1),
    optimizer = optimizer, momentum = check_momentum(given$momentum),
    activation = check_choice(given$activation, "activation", c("relu", "tanh", "identity")),
    init = check_choice(given$init, "init", c("trained", "shared", "fresh")),
    batches = check_choice(given$batches, "batches", c("shuffled", "cyclic")),
    batch_seed = if (!is.null(given$batch_seed)) check_seed(given$batch_seed, "batch_seed"),
    standardize = if (is.null(given$standardize)) not_to_scale(design$x) else {
      check_flag(given$standardize, "standardize")
    },
    tolerance = check_number(given$tolerance, "tolerance", 0), keep = keep
  )
  size <- mlp_size(own, given$hidden)
  weights <- weight_settings(given, n, c("random", "fixed"))
  c(own, weights, cv_settings(given, n, weights$cluster, own$lambda), draw_settings(given, size$numbers, size$what))
}

check_hidden <- function(value) {
  if (is.null(value) || (is.numeric(value) && length(value) == 1L && value %in% 0)) return(integer())
  must <- "be whole numbers of at least 1, or NULL"
  value <- check_numbers(value, "hidden", lower = 1, must = must)
  bad <- value != trunc(value) | value > .Machine$integer.max
  if (any(bad)) {
    at <- first_bad(bad)
    bad_argument("hidden", must, value, paste("element", at, "is", show_value(value[at])))
  }
  as.integer(value)
}

check_one_lambda <- function(value) {
  value <- check_lambda(value, "cv")
  if (length(value) > 1L) bad_argument("lambda", "be \"cv\" or one non-negative number", value, paste("has length", length(value)))
  value
}

# A tenth of the rows, as a power of two, where there are few: with long steps over few rows there would be few of them.
check_batch_size <- function(value, n) {
  if (is.null(value)) value <- min(128, max(8, 2^floor(log2(n / 10))))
  if (identical(value, Inf)) return(as.double(n))
  min(check_count(value, "batch_size"), n)
}

# What a network of a few layers needs to learn: as much work whatever the number of rows, but small batches need no more steps than that.
least_work <- c(rows = 2e5, steps = 4000)

check_epochs <- function(value, n, batch_size) {
  if (is.null(value)) value <- ceiling(max(10, min(least_work[["rows"]] / n, least_work[["steps"]] / ceiling(n / batch_size))))
  check_count(value, "epochs")
}

# The cross-entropy is never steep; the squared error is the steeper the wider the network, and a long step would leave its units dead.
default_rates <- list(classes = c(sgd = 0.1, momentum = 0.01, adam = 0.01), numbers = c(sgd = 0.01, momentum = 0.001, adam = 0.01))

# NULL falls to zero, as average.rs has it. Plain steps slow down by themselves near a minimum, and in few epochs come further at a constant rate; Adam's do not.
check_decay <- function(value, optimizer) {
  if (!is.null(value)) check_number(value, "decay", 0) else if (optimizer != "adam") 0
}

# Plain steps that are short enough for steep losses do not come far in our epochs; Adam's have the same length at every steepness. Whoever
# gives a rate means that of plain steps.
check_optimizer <- function(value, rate) {
  if (is.null(value)) return(if (is.null(rate)) "adam" else "sgd")
  check_choice(value, "optimizer", names(default_rates$classes))
}

check_learning_rate <- function(value, optimizer, classes) {
  if (!is.null(value)) return(check_number(value, "learning_rate", 0, open = TRUE))
  default_rates[[if (classes) "classes" else "numbers"]][[optimizer]]
}

check_momentum <- function(value) {
  if (!is_number(value) || value < 0 || value >= 1) bad_argument("momentum", "be one number from 0 to below 1", value)
  as.double(value)
}

# Are the columns to be scaled? Not those that have a common scale. Pixels at the border of an image are zero in most rows and small in others:
# brought to standard deviation one they would drown the rest.
not_to_scale <- function(x) {
  values <- if (is.matrix(x)) x else x@x
  if (!length(values)) return(FALSE)
  extent <- abs(job_extent(values))
  if (max(extent) < 0.5 || max(extent) > 1) return(TRUE)
  if (!is.matrix(x)) return(FALSE)
  rows <- round(seq(1, nrow(x), length.out = min(1000, nrow(x))))
  any(apply(x[rows, , drop = FALSE], 2L, function(column) {
    width <- diff(range(column))
    width > 0 && width < 0.5 && mean(column == 0) < 0.5
  }))
}

# Of one network while it is trained, and of a draw of the result, in doubles.
mlp_size <- function(settings, hidden) {
  parameters <- sum(layer_table(settings)$parameters)
  network <- paste("a network of", with_commas(parameters), "parameters")
  # Its gradient and the moments of Adam beside it, 4 bytes a number.
  check_size(2 * parameters, network, "hidden", hidden)
  if (4 * parameters > .Machine$integer.max) {
    bad_argument("hidden", "give a network of less than 2^29 parameters", hidden, paste("gives", network))
  }
  outputs <- max(1, settings$classes)
  list(
    numbers = (settings$keep == "networks") * parameters / 2 + as.double(settings$n_test) * outputs + settings$epochs,
    what = paste0(network, if (settings$n_test) paste0(" with predictions of ", settings$n_test, " rows"))
  )
}

# The object -----------------------------------------------------------------------

mlp_job <- function(design, settings, progress = FALSE) {
  # Classes are counted from 0.
  y <- if (is.factor(design$y)) as.double(design$y) - 1 else design$y
  test <- if (!is.null(design$test_x)) rust_matrix(design$test_x)
  taken <- new.env()
  unpack <- function(result) {
    if (is_job_error(result) || is.null(result$draws)) return(result)
    result$draws <- from_shelf(result$draws, length(result$diagnostics$status), network_bytes(settings), taken)
    result
  }
  run_job(function() rust_mlp_job(rust_matrix(design$x), y, test, settings), progress, unpack, keep = TRUE)
}

mlp_shapes <- function(result, design, settings) {
  if (is.null(result$predictions)) return(NULL)
  levels <- levels(design$y)
  list(predictions = list(
    dim = c(settings$draws, settings$n_test, if (length(levels)) length(levels)),
    dimnames = c(list(NULL, design$test$names), if (length(levels)) list(levels))
  ))
}

mlp_status <- c("finished", "converged", "unsettled", "diverged", "empty")

# Without networks there is nothing in `draws`; weights = "ones" trains what would be a mode.
mlp_object <- function(result, design, settings) {
  levels <- levels(design$y)
  measures <- result$diagnostics
  measures$status <- status_factor(measures$status, mlp_status)
  measures[[if (length(levels)) "sigma" else "accuracy"]] <- NULL
  list(
    draws = result$draws, lambda = result$lambda,
    lambda_from = if (is.null(result$cv)) "user" else "cv", cv = cv_result(result$cv, settings),
    levels = levels, predictions = result$predictions, test = design$test,
    curves = matrix(result$curve, settings$draws, dimnames = list(NULL, seq_len(settings$epochs))),
    diagnostics = draw_diagnostics(measures, settings),
    spec = c(
      list(columns = design$names, named = design$named, levels = levels),
      result[c("center", "scale", "y_center", "y_scale")]
    ),
    row_names = design$row_names
  )
}

#' @export
needed_parts.wbb_mlp <- function(fit) {
  list(
    fit = c("lambda", "levels", "predictions", "test", "curves"),
    spec = c("columns", "named", "segments", "p", "classes", "hidden", "activation", "keep", "center", "scale",
      "y_center", "y_scale", "weights", "prior_weight"),
    diagnostics = c("status", "iterations", "objective", "loss", "gradient", "start_gradient", if (length(fit$levels)) "accuracy" else "sigma"),
    bytes = network_bytes
  )
}

mlp_doubt <- function(fit) {
  diverged <- count_status(fit$diagnostics$status, "diverged")
  unsettled <- unsettled_doubt(fit)
  if (is.null(unsettled)) unsettled <- falling_doubt(fit)
  doubt <- convergence_doubt(fit, c(if (diverged) {
    paste0(diverged, " of ", nrow(fit$diagnostics), " draws diverged, also with a tenth of the learning rate ",
      format(fit$spec$learning_rate), ", and have no network: take ", divergence_advice(fit))
  }, unsettled))
  # Few epochs may be what the user wants: that warning can be muffled alone.
  if (!is.null(unsettled) && is.null(convergence_doubt(fit)) && !diverged) doubt$kind <- "training"
  doubt
}

#' @export
c.wbb_mlp <- function(...) {
  fits <- list(...)
  joined <- c.wbb(...)
  if (length(fits) == 1L) return(joined)
  for (fit in fits[-1L]) {
    if (!identical(fit$test, joined$test)) {
      abort("argument", "Fits can be joined only if they differ in their draws alone, but their test sets differ.", "...")
    }
  }
  if (!is.null(joined$predictions)) joined$predictions <- join_draws(lapply(fits, `[[`, "predictions"))
  joined$curves <- do.call(rbind, lapply(fits, `[[`, "curves"))
  joined
}
