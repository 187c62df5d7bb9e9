iris_x <- as.matrix(iris[1:4])

test_that("without hidden layer a draw is weighted multinomial ridge regression", {
  lambda <- 0.5
  fit <- wbb_mlp(iris_x, iris$Species, hidden = NULL, lambda = lambda, draws = 3, epochs = 3000, batch_size = Inf,
    optimizer = "momentum", learning_rate = 0.3, tolerance = 0, standardize = TRUE, seed = 1, threads = 2)
  expect_lt(max(fit$diagnostics$gradient), 1e-5)
  z <- cbind(1, scale(iris_x, fit$spec$center, fit$spec$scale))
  y <- as.integer(iris$Species)
  objective <- function(theta, w, w0) {
    b <- matrix(theta, 5)
    eta <- z %*% b
    sum(w * (log(rowSums(exp(eta))) - eta[cbind(1:150, y)])) + lambda * w0 * sum(b[-1, ]^2)
  }
  slope <- function(theta, w, w0) {
    b <- matrix(theta, 5)
    residual <- softmax(z %*% b) - diag(3)[y, ]
    as.vector(crossprod(z, w * residual) + 2 * lambda * w0 * rbind(0, b[-1, ]))
  }
  w <- unname(weights(fit))
  p <- predict(fit, type = "draws")
  for (k in 1:3) {
    best <- optim(rep(0, 15), objective, slope, w = w[k, 1:150], w0 = w[k, 151], method = "BFGS",
      control = list(maxit = 5000, reltol = 1e-15))
    expect_equal(fit$diagnostics$objective[k], best$value, tolerance = 1e-6)
    expect_equal(unname(p[k, , ]), softmax(z %*% matrix(best$par, 5)), tolerance = 1e-4)
  }
})

test_that("so it is by glmnet, with two classes", {
  skip_if_not_installed("glmnet")
  y <- droplevels(iris$Species[51:150])
  x <- scale(iris_x[51:150, ])
  fit <- wbb_mlp(x, y, hidden = 0, lambda = 1, draws = 3, epochs = 3000, batch_size = Inf, optimizer = "momentum",
    learning_rate = 0.3, tolerance = 0, standardize = FALSE, seed = 2, threads = 1)
  w <- unname(weights(fit))
  for (k in 1:3) {
    # glmnet: mean loss, lambda/2 |b|^2, the weights scaled to sum to one.
    peer <- glmnet::glmnet(x, y, "multinomial", weights = w[k, 1:100], alpha = 0, lambda = 2 * w[k, 101] / sum(w[k, 1:100]),
      standardize = FALSE, thresh = 1e-14)
    theirs <- stats::predict(peer, x, type = "response")[, , 1]
    expect_equal(unname(predict(fit, type = "draws")[k, , ]), unname(theirs), tolerance = 1e-4)
  }
})

test_that("without hidden layer regression is weighted ridge regression", {
  x <- as.matrix(diabetes[1:10])
  fit <- wbb_mlp(x, diabetes$y, hidden = integer(), lambda = 5, draws = 3, epochs = 1000, batch_size = Inf,
    optimizer = "momentum", learning_rate = 0.1, tolerance = 0, seed = 1, threads = 1)
  expect_true(fit$spec$standardize)
  w <- unname(weights(fit))
  z <- cbind(1, scale(x, fit$spec$center, fit$spec$scale))
  for (k in 1:3) {
    w_k <- w[k, 1:442]
    b <- solve(crossprod(z, w_k * z) + 2 * 5 * w[k, 443] * diag(rep(0:1, c(1, 10))), crossprod(z, w_k * diabetes$y))
    slopes <- b[-1] / fit$spec$scale
    # Collinear columns: the flattest direction converges last.
    expect_equal(unname(as.matrix(fit)[k, ]), c(slopes, b[1] - sum(slopes * fit$spec$center)), tolerance = 1e-3)
    fitted <- drop(z %*% b)
    expect_equal(unname(predict(fit, type = "draws")[k, ]), fitted, tolerance = 1e-4)
    expect_equal(fit$diagnostics$sigma[k], sqrt(sum(w_k * (diabetes$y - fitted)^2) / sum(w_k)), tolerance = 1e-5)
    objective <- sum(w_k * (diabetes$y - fitted)^2) / 2 + 5 * w[k, 443] * sum(b[-1]^2)
    expect_equal(fit$diagnostics$objective[k], objective, tolerance = 1e-6)
  }
})

test_that("the diagnostics are those of the network in the units of the user", {
  fit <- quick_mlp(hidden = c(5, 4), activation = "tanh", draws = 3, lambda = 0.1, case_weights = Petal.Width)
  w <- unname(weights(fit))
  train <- iris[c(TRUE, FALSE), ]
  y <- as.integer(train$Species)
  for (k in 1:3) {
    theta <- as.matrix(fit)[k, ]
    p <- softmax(plain_network(theta, as.matrix(train[1:4]), c(4, 5, 4, 3), "tanh"))
    loss <- -log(p[cbind(1:75, y)])
    # The penalty acts on weights of standardised columns.
    theta[1:20] <- theta[1:20] * rep(fit$spec$scale, each = 5)
    penalty <- sum(theta[grepl("^W", names(theta))]^2)
    expect_equal(fit$diagnostics$loss[k], sum(w[k, 1:75] * loss) / sum(w[k, 1:75]), tolerance = 1e-5)
    expect_equal(fit$diagnostics$objective[k], sum(w[k, 1:75] * loss) + 0.1 * w[k, 76] * penalty, tolerance = 1e-5)
    expect_equal(fit$diagnostics$accuracy[k], mean(max.col(p) == y))
  }
})

test_that("whole case weights are repeated rows, with full batches", {
  times <- rep(1:3, 25)
  train <- iris[c(TRUE, FALSE), ]
  settings <- list(hidden = 5, draws = 1, epochs = 20, batch_size = Inf, weights = "ones", prior_weight = "fixed",
    lambda = 0.1, seed = 1, threads = 1, activation = "tanh")
  weighted <- brief_call(c(list(train[1:4], train$Species, case_weights = times), settings))
  repeated <- brief_call(c(list(train[rep(1:75, times), 1:4], train$Species[rep(1:75, times)]), settings))
  expect_equal(as.matrix(weighted), as.matrix(repeated), tolerance = 1e-3)
  expect_equal(weighted$diagnostics$objective, repeated$diagnostics$objective, tolerance = 1e-5)
  settings$weights <- "exponential"
  clustered <- brief_call(c(list(train[1:4], train$Species, cluster = rep(1:5, 15)), settings))
  expect_length(unique(weights(clustered)[1, 1:75]), 5)
})

test_that("both interfaces give the same fit and know their data", {
  train <- iris[c(TRUE, FALSE), ]
  a <- quick_mlp()
  b <- wbb_mlp(train[1:4], train$Species, hidden = 6, draws = 12, lambda = 1e-4, epochs = 30, learning_rate = 0.1, batch_size = 25, standardize = TRUE,
    seed = 1, threads = 1)
  expect_identical(a$draws, b$draws)
  c <- wbb_mlp(Species ~ ., data = train, hidden = 6, draws = 12, lambda = 1e-4, epochs = 30, learning_rate = 0.1, batch_size = 25, standardize = TRUE,
    seed = 1, threads = 1, subset = Petal.Length < 6)
  expect_identical(nobs(c), sum(train$Petal.Length < 6))
  expect_identical(deparse(formula(a)[[2]]), "Species")
  expect_identical(length(brief(update(a, draws = 4))$draws), 4L)
  named <- brief(wbb_mlp(formula = Species ~ ., data = train, hidden = 6, draws = 1, lambda = 1e-4, epochs = 1, seed = 1))
  expect_s3_class(named, c("wbb_mlp", "wbb"), exact = TRUE)
  weighted <- brief(wbb_mlp(Species ~ ., train, hidden = 3, draws = 2, lambda = 1e-4, epochs = 2, case_weights = Petal.Length,
    cluster = Species, seed = 1))
  expect_length(unique(round(weights(weighted)[1, 1:75] / train$Petal.Length, 10)), 3)
})

test_that("classes may be a factor, words or truth, numbers are regression", {
  x <- iris_x[51:150, ]
  y <- iris$Species[51:150]
  settings <- list(x, hidden = 3, draws = 2, epochs = 2, seed = 1)
  fit <- brief_call(c(settings, list(y = y)))
  # setosa has no rows.
  expect_identical(fit$levels, c("versicolor", "virginica"))
  same_networks(brief_call(c(settings, list(y = as.character(y)))), fit)
  truth <- brief_call(c(settings, list(y = y == "virginica")))
  expect_identical(truth$levels, c("FALSE", "TRUE"))
  expect_identical(truth$draws, fit$draws)
  number <- brief_call(c(settings, list(y = as.integer(y))))
  expect_null(number$levels)
  expect_true("sigma" %in% names(number$diagnostics))
  expect_length(accuracy(truth, x, y == "virginica"), 2)
})

test_that("the start is shared or fresh, batches are shuffled or cyclic", {
  # Almost no training: the draws are where they started.
  still <- function(init) as.matrix(quick_mlp(init = init, learning_rate = 1e-12, draws = 2, epochs = 1))
  expect_equal(still("shared")[1, ], still("shared")[2, ], tolerance = 1e-6)
  expect_gt(max(abs(diff(still("fresh")))), 0.1)
  shuffled <- quick_mlp(draws = 1)
  expect_false(identical(shuffled$draws, quick_mlp(draws = 1, batches = "cyclic")$draws))
  expect_false(identical(shuffled$draws, quick_mlp(draws = 1, decay = 0.01)$draws))
  # A step that falls at once is one step.
  fallen <- function(epochs) as.matrix(quick_mlp(draws = 1, decay = 100, init = "shared", average = 0, epochs = epochs))
  expect_equal(fallen(3), fallen(1), tolerance = 1e-6)
})

test_that("sparse, wide, constant and tiny data work", {
  sparse <- as(replace(iris_x, iris_x < 1, 0), "CsparseMatrix")
  settings <- list(y = iris$Species, hidden = 4, draws = 2, epochs = 3, seed = 1, threads = 1)
  a <- brief_call(c(list(sparse, standardize = FALSE), settings))
  b <- brief_call(c(list(as.matrix(sparse), standardize = FALSE), settings))
  expect_equal(as.matrix(a), as.matrix(b), tolerance = 1e-4)
  expect_equal(predict(a, sparse), predict(a, as.matrix(sparse)), tolerance = 1e-6)
  scaled <- brief_call(c(list(sparse, standardize = TRUE), settings))
  expect_equal(unname(predict(scaled, type = "draws")[1, , ]),
    softmax(plain_network(as.matrix(scaled)[1, ], as.matrix(sparse), c(4, 4, 3))), tolerance = 1e-5)
  d <- made_data(10, 30)
  expect_length(predict(brief(wbb_mlp(d$x, d$y, hidden = 3, draws = 2, lambda = 1e-4, epochs = 2, seed = 1))), 10)
  constant <- cbind(d$x[, 1:2], one = 1, hundred = 100)
  fit <- brief(wbb_mlp(constant, d$y, hidden = 3, draws = 2, lambda = 1e-4, epochs = 20, seed = 1))
  expect_true(fit$spec$standardize)
  expect_false(anyNA(predict(fit)))
  expect_equal(unname(predict(fit, type = "draws")[2, ]), drop(plain_network(as.matrix(fit)[2, ], constant, c(4, 3, 1))), tolerance = 1e-5)
  flat <- wbb_mlp(d$x, rep(3, 10), hidden = 3, draws = 2, epochs = 300, lambda = 0, seed = 1)
  expect_equal(unname(predict(flat)), rep(3, 10), tolerance = 0.05)
  one <- brief(wbb_mlp(d$x[1, , drop = FALSE], 2, hidden = 2, draws = 2, lambda = 1e-4, epochs = 2, seed = 1))
  expect_identical(dim(predict(one, d$x, "draws")), c(2L, 10L))
})

test_that("x is standardised where it needs to be", {
  fit <- quick_mlp(draws = 1, epochs = 1, standardize = NULL)
  expect_true(fit$spec$standardize)
  expect_output(print(fit), "4 columns standardised")
  # Pixels have a common scale, also those at the border, which are small and zero in most rows.
  pixels <- cbind(digits$x[1:200, c(322, 350, 378, 406)], digits$x[1:200, 400] / 20, 255) / 255
  pixels[1:120, 5] <- 0
  expect_false(not_to_scale(pixels))
  fit <- brief(wbb_mlp(pixels, factor(digits$y[1:200]), hidden = 2, draws = 1, lambda = 1e-4, epochs = 1, seed = 1))
  expect_output(print(fit), "6 columns as they are")
  # Small numbers have none.
  expect_true(not_to_scale(pixels * 1e-6))
  expect_true(not_to_scale(cbind(pixels, 0.99 + pixels[, 1] / 100)))
  expect_true(not_to_scale(cbind(pixels, 1e-6 * sin(1:200))))
  big <- Matrix::sparseMatrix(1:3, 1:3, x = c(1, -1.5, 0.5))
  expect_true(not_to_scale(big))
  expect_false(not_to_scale(big / 2))
})

test_that("the defaults of a regression learn from thousands of rows what there is", {
  f <- function(x) sin(2 * x[, 1]) + x[, 2]^2 - x[, 3] * x[, 4]
  with_seed(1, {
    x <- matrix(rnorm(6 * 6000), 6000) %*% diag(10^c(-6, 0, 3, 0, 6, 0))
    scaled <- x %*% diag(10^-c(-6, 0, 3, 0, 6, 0))
    y <- 1e4 * (f(scaled) + 0.5 * rnorm(6000))
  })
  fit <- wbb_mlp(x[1:4000, ], y[1:4000], lambda = 4, draws = 2, seed = 1)
  expect_identical(fit$spec$optimizer, "adam")
  new <- 4001:6000
  # 0.94 could be had; plain steps came to 0.78.
  expect_gt(1 - mean((predict(fit, x[new, ]) - y[new])^2) / var(y[new]), 0.88)
  # A rate belongs to its steps.
  expect_identical(c(check_optimizer(NULL, 0.1), check_optimizer(NULL, NULL)), c("sgd", "adam"))
  few <- brief(wbb_mlp(x[1:50, ], y[1:50], hidden = 2, draws = 1, lambda = 1e-4, epochs = 1, learning_rate = 0.02, seed = 1))
  expect_identical(few$spec[c("optimizer", "learning_rate")], list(optimizer = "sgd", learning_rate = 0.02))
})

test_that("the defaults learn, whatever the number of rows and the units of the columns", {
  fit <- wbb_mlp(Species ~ ., iris, lambda = 0.1, draws = 4, seed = 1)
  expect_true(all(fit$diagnostics$accuracy > 0.94))
  expect_identical(fit$spec$batch_size, 8)
  in_mm <- wbb_mlp(Species ~ ., cbind(iris[1:4] * 1000, iris[5]), lambda = 0.1, draws = 4, seed = 1)
  expect_equal(in_mm$diagnostics$accuracy, fit$diagnostics$accuracy, tolerance = 0.02)
  line <- wbb_mlp(dist ~ speed, cars, lambda = 0.1, draws = 4, seed = 1)
  # The units of y change nothing.
  in_km <- wbb_mlp(I(dist / 1024) ~ speed, cars, lambda = 0.1, draws = 4, seed = 1)
  expect_equal(1024 * predict(in_km), predict(line), tolerance = 1e-6)
  expect_lt(mean(line$diagnostics$sigma), 1.1 * sigma(lm(dist ~ speed, cars)))
  expect_identical(c(check_batch_size(NULL, 60000), check_epochs(NULL, 60000, 128)), c(128, 10))
  expect_identical(c(check_batch_size(NULL, 5), check_batch_size(NULL, 500)), c(5, 32))
  # 200,000 rows or 4,000 steps.
  expect_identical(c(check_epochs(NULL, 5000, 128), check_epochs(NULL, 500, 32)), c(40, 250))
})

test_that("by default a network does not learn the noise of a weak signal", {
  x <- with_seed(1, matrix(rnorm(1100 * 10), 1100))
  y <- x[, 1] + with_seed(2, rnorm(1100, sd = 2))
  new <- 101:1100
  explained <- function(...) {
    fit <- suppressWarnings(wbb_mlp(x[-new, ], y[-new], hidden = 16, draws = 4, seed = 1, ...))
    1 - mean((predict(fit, x[new, ]) - y[new])^2) / var(y[new])
  }
  expect_gt(explained(), 0)
  expect_lt(explained(lambda = 1e-4), 0)
})

test_that("lambda can be cross-validated, and is the same in chunks and for any threads", {
  d <- with_seed(1, list(x = matrix(rnorm(60 * 12), 60)))
  d$y <- factor(d$x[, 1] + with_seed(2, rnorm(60)) > 0)
  run <- function(...) {
    suppressWarnings(classes = "wbb_warning_grid", brief(wbb_mlp(d$x, d$y, hidden = NULL, lambda = "cv", nlambda = 4, nfolds = 3,
      lambda_min_ratio = 1e-3, epochs = 30, learning_rate = 0.1, draws = 4, seed = 1, ...)))
  }
  fit <- run(threads = 1)
  expect_identical(fit$lambda_from, "cv")
  expect_identical(nrow(fit$cv$curve), 4L)
  expect_identical(fit$lambda, fit$cv$lambda_min)
  expect_equal(max(fit$cv$curve$lambda), 0.2 * 60)
  # Twelve columns of which eleven are noise want some penalty.
  expect_gt(fit$lambda, min(fit$cv$curve$lambda))
  expect_identical(run(threads = 2)$draws, fit$draws)
  expect_output(print(fit), "3-fold cross-validation")
  plain <- brief(wbb_mlp(d$x, d$y, hidden = NULL, lambda = fit$lambda, epochs = 30, learning_rate = 0.1, draws = 4, seed = 1, threads = 1))
  expect_identical(plain$draws, fit$draws)
  # The held-out error of a fold is that of a network trained on the others.
  held <- fit$cv$foldid == 1
  expect_identical(as.vector(table(fit$cv$foldid)), c(20L, 20L, 20L))
  # Few rows are split several times; folds that are given are these alone.
  given <- run(threads = 1, foldid = fit$cv$foldid)
  expect_identical(given$cv$foldid, fit$cv$foldid)
  expect_identical(given$cv$curve$lambda, fit$cv$curve$lambda)
  expect_false(any(given$cv$curve$mean == fit$cv$curve$mean))
  expect_equal(given$cv$curve$mean, fit$cv$curve$mean, tolerance = 0.2)
  skip_on_cran()
  oracle <- function(lambda) {
    errors <- vapply(1:3, function(fold) {
      case <- as.double(fit$cv$foldid != fold)
      of_others <- brief(wbb_mlp(d$x, d$y, hidden = NULL, lambda = lambda * 2 / 3, epochs = 30, learning_rate = 0.1, draws = 1, seed = 1, threads = 1,
        case_weights = case, weights = "ones", prior_weight = "fixed", standardize = TRUE))
      p <- predict(of_others, d$x[case == 0, ])
      -mean(log(p[cbind(seq_len(sum(case == 0)), as.integer(d$y)[case == 0])]))
    }, 0)
    mean(errors)
  }
  expect_equal(oracle(given$cv$curve$lambda[2]), given$cv$curve$mean[2], tolerance = 0.05)
})

# Settings -------------------------------------------------------------------------

d <- made_data(20, 3)
x <- d$x
y <- factor(rep(c("a", "b"), 10))

test_that("bad settings name their argument", {
  for (bad in list(0.5, -1, NA, 1.5, "a", c(3, 0), c(3, NA), list(3), Inf)) expect_bad(small_mlp(x, y, hidden = bad), "hidden")
  expect_bad(small_mlp(x, y, hidden = 1e9), "hidden", "parameters would take")
  expect_bad(small_mlp(x, y, hidden = c(1e5, 1e5)), "hidden", "10,000,700,002 parameters")
  expect_bad(small_mlp(x, y, hidden = 1e10), "hidden")
  expect_bad(small_mlp(x, y, draws = 1e12), "draws", "network")
  expect_bad(small_mlp(x, y, draws = 0), "draws")
  expect_bad(small_mlp(x, y, draws = 1e8, test = x), "draws", "GB")
  expect_bad(small_mlp(x, y, epochs = 0), "epochs")
  expect_bad(small_mlp(x, y, epochs = 2.5), "epochs")
  expect_bad(small_mlp(x, y, epochs = 1e9, draws = 1e6), "draws")
  expect_bad(small_mlp(x, y, batch_size = 0), "batch_size")
  expect_bad(small_mlp(x, y, batch_size = NA), "batch_size")
  for (bad in list(0, -1, NA, Inf, "a")) expect_bad(small_mlp(x, y, learning_rate = bad), "learning_rate")
  expect_bad(small_mlp(x, y, decay = -1), "decay")
  for (bad in list(-0.1, 1.1, NA, "last_epoch", c(0.1, 0.2), NULL)) expect_bad(small_mlp(x, y, average = bad), "average")
  for (bad in list(0.5, NA, "a", 2^60)) expect_bad(small_mlp(x, y, batch_seed = bad), "batch_seed")
  for (bad in list(-1, NA, c(1, 2), "best", NULL)) expect_bad(small_mlp(x, y, lambda = bad), "lambda")
  for (bad in list(-0.1, 1, NA)) expect_bad(small_mlp(x, y, optimizer = "momentum", momentum = bad), "momentum")
  expect_bad(small_mlp(x, y, tolerance = -1), "tolerance")
  expect_bad(small_mlp(x, y, optimizer = "lbfgs"), "optimizer", "adam")
  expect_bad(small_mlp(x, y, activation = "sigmoid"), "activation", "tanh")
  expect_bad(small_mlp(x, y, init = "zero"), "init")
  expect_bad(small_mlp(x, y, batches = "random"), "batches")
  expect_bad(small_mlp(x, y, prior_weight = "coef"), "prior_weight")
  expect_bad(small_mlp(x, y, weights = 1:20), "weights", "case_weights")
  expect_bad(small_mlp(x, y, case_weights = -1:18), "case_weights")
  expect_bad(small_mlp(x, y, standardize = NA), "standardize")
  expect_bad(small_mlp(x, y, keep = "predictions"), "keep", "test")
  expect_bad(small_mlp(x, y, keep_data = "no"), "keep_data")
  expect_bad(small_mlp(x, y, backend = "mpi"), "backend")
  expect_bad(small_mlp(x, y, learnig_rate = 1), "learnig_rate", "learning_rate")
  expect_bad(small_mlp(x, y, layers = 3), "layers")
  expect_bad(small_mlp(y ~ ., data.frame(x, y), hiden = 3), "hiden", "`hidden`")
  expect_bad(small_mlp(x, y, formula = y ~ x), "formula", "comes first")
})

test_that("a refused fit leaves the generator alone", {
  set.seed(1)
  before <- .Random.seed
  expect_bad(wbb_mlp(x, y, hidden = -1), "hidden")
  expect_bad(wbb_mlp(x, y, draws = 1e12), "draws")
  expect_identical(.Random.seed, before)
})

test_that("batches may be as large as they like", {
  a <- small_mlp(x, y, hidden = 2, draws = 1, epochs = 2, batch_size = 1e6)
  expect_identical(a$draws, small_mlp(x, y, hidden = 2, draws = 1, epochs = 2, batch_size = Inf)$draws)
  expect_output(print(a), "full batch")
})

test_that("error messages read well", {
  message_of <- function(code) cat(conditionMessage(tryCatch(code, error = identity, warning = identity)), "\n")
  expect_snapshot({
    message_of(wbb_mlp(x, y, hidden = c(4, 0.5)))
    message_of(wbb_mlp(x, y, hidden = c(1e5, 1e6)))
    message_of(wbb_mlp(x, y, hidden = 10, draws = 1e12))
    message_of(wbb_mlp(x, y, keep = "predictions"))
    message_of(wbb_mlp(x, y, test = list(x = x, y = rev(letters[1:20]))))
    message_of(wbb_mlp(x, d$y, lambda = 1e-4, learning_rate = 1e9, draws = 2))
    message_of(wbb_mlp(x, y, hidden = 2, draws = 3, lambda = 1e-4, epochs = 1, seed = 1))
    message_of(wbb_mlp(x, y, hidden = 2, draws = 3, lambda = 1e-4, epochs = 1, seed = 1, average = 0))
    message_of(accuracy(small_mlp(x, d$y, hidden = 2, draws = 1, epochs = 1), x, d$y))
    message_of(accuracy(small_mlp(x, y, hidden = 2, draws = 1, epochs = 1)))
    message_of(as.matrix(small_mlp(x, y, hidden = 2, draws = 1, epochs = 1), parameters = "W3"))
    message_of(compare(small_mlp(x, y, hidden = 2, draws = 1, epochs = 1)))
  })
})
