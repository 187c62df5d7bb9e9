# Made by `make wrappers` from the functions in src/rust; do not edit.
# Smallest and largest number; NaN if one is not finite.
rust_extent <- function(values) .Call(wrap__rust_extent, values)

# Version of the core.
rust_info <- function() .Call(wrap__rust_info)

# R-hat and effective sample size of the values of `chains` chains.
rust_diagnose <- function(values, chains) .Call(wrap__rust_diagnose, values, chains)

# Start the chains; see R/bridge-fit.R for the fields.
rust_bridge_job <- function(x, y, options) .Call(wrap__rust_bridge_job, x, y, options)

# Start a generalised lasso job; see R/genlasso.R for the fields. An empty list is the identity.
rust_genlasso_job <- function(y, x, d, options) .Call(wrap__rust_genlasso_job, y, x, d, options)

# Wait at most `timeout_ms` for the job; its state and progress.
rust_job_poll <- function(job, timeout_ms) .Call(wrap__rust_job_poll, job, timeout_ms)

# The result of the job, or an error list.
rust_job_collect <- function(job) .Call(wrap__rust_job_collect, job)

# Stop the job and wait for its threads.
rust_job_cancel <- function(job) .Call(wrap__rust_job_cancel, job)

# E(theta | y); R has given the three vectors one length.
rust_laplace_posterior_mean <- function(y, lambda, sigma) .Call(wrap__rust_laplace_posterior_mean, y, lambda, sigma)

# Mean of the weighted Bayesian bootstrap; `lambda` is in the units of y.
rust_laplace_wbb_mean <- function(y, lambda, fixed) .Call(wrap__rust_laplace_wbb_mean, y, lambda, fixed)

# Start a lasso job; see R/lasso-fit.R for the fields.
rust_lasso_job <- function(design, y, options) .Call(wrap__rust_lasso_job, design, y, options)

# Start the training of networks; see R/mlp-fit.R for the fields.
rust_mlp_job <- function(design, y, test, options) .Call(wrap__rust_mlp_job, design, y, test, options)

# An empty shelf.
rust_shelf <- function() .Call(wrap__rust_shelf)

# Put networks on a shelf.
rust_shelf_put <- function(shelf, networks) .Call(wrap__rust_shelf_put, shelf, networks)

# The next networks of a shelf, which are then gone from it; NULL for a draw that has none.
rust_shelf_take <- function(shelf, count) .Call(wrap__rust_shelf_take, shelf, count)

# Ask the networks of a shelf about new rows; see R/mlp-predict.R for the fields.
rust_mlp_predict_job <- function(networks, design, question, options) .Call(wrap__rust_mlp_predict_job, networks, design, question, options)

# Ask about answers that were kept: draws by rows by classes.
rust_mlp_kept_job <- function(answers, shape, question, threads) .Call(wrap__rust_mlp_kept_job, answers, shape, question, threads)

# Start a trend filter job; see R/trendfilter-fit.R for the fields.
rust_trendfilter_job <- function(x, y, options) .Call(wrap__rust_trendfilter_job, x, y, options)

# Row and prior weights of the given draws, one row a draw, column-major.
rust_weights <- function(options, draws) .Call(wrap__rust_weights, options, draws)
