# Made by `make wrappers` from the functions in src/rust; do not edit.
# Smallest and largest number; NaN if one is not finite.
rust_extent <- function(values) .Call(wrap__rust_extent, values)

# Version of the core.
rust_info <- function() .Call(wrap__rust_info)

# R-hat and effective sample size of the values of `chains` chains.
rust_diagnose <- function(values, chains) .Call(wrap__rust_diagnose, values, chains)

# Start the chains; see R/bridge.R for the settings.
rust_bridge_job <- function(x, y, settings) .Call(wrap__rust_bridge_job, x, y, settings)

# Hash of a list of numeric vectors, all of their bits and lengths, in hexadecimal digits.
rust_fingerprint <- function(parts) .Call(wrap__rust_fingerprint, parts)

# Start a generalised lasso job; see R/genlasso.R for the settings. `x` may be NULL: the identity.
rust_genlasso_job <- function(y, x, d, settings) .Call(wrap__rust_genlasso_job, y, x, d, settings)

# Wait at most `timeout_ms` for the job; its state and progress.
rust_job_poll <- function(job, timeout_ms) .Call(wrap__rust_job_poll, job, timeout_ms)

# The result of the job but for its tables, or an error list.
rust_job_collect <- function(job) .Call(wrap__rust_job_collect, job)

# Names of the tables of a job that was collected.
rust_job_tables <- function(job) .Call(wrap__rust_job_tables, job)

# One of them, which then is R's alone; NULL if it is not there.
rust_job_table <- function(job, name) .Call(wrap__rust_job_table, job, name)

# Stop the job and wait for its threads.
rust_job_cancel <- function(job) .Call(wrap__rust_job_cancel, job)

# E(theta | y); R has given the three vectors one length.
rust_laplace_posterior_mean <- function(y, lambda, sigma) .Call(wrap__rust_laplace_posterior_mean, y, lambda, sigma)

# Mean of the weighted Bayesian bootstrap; `lambda` is in the units of y.
rust_laplace_wbb_mean <- function(y, lambda, fixed) .Call(wrap__rust_laplace_wbb_mean, y, lambda, fixed)

# Start a lasso job; see R/lasso.R for the settings.
rust_lasso_job <- function(x, y, settings) .Call(wrap__rust_lasso_job, x, y, settings)

# Start the training of networks; see R/mlp.R for the settings. `test` may be NULL.
rust_mlp_job <- function(x, y, test, settings) .Call(wrap__rust_mlp_job, x, y, test, settings)

# The answers of networks at new rows.
rust_mlp_predict_job <- function(networks, x, settings) .Call(wrap__rust_mlp_predict_job, networks, x, settings)

# Start a trend filter job; see R/trendfilter.R for the settings.
rust_trendfilter_job <- function(x, y, settings) .Call(wrap__rust_trendfilter_job, x, y, settings)

# Start to make the row and prior weights of the given draws, one row a draw, column-major.
# `penalties` is the number of terms that have a prior weight of their own if they do.
rust_weights_job <- function(settings, penalties, draws) .Call(wrap__rust_weights_job, settings, penalties, draws)
