# Made by `make wrappers` from the functions in src/rust; do not edit.
# Smallest and largest number from `from` on to before `to`; NaN if one is not finite.
rust_extent <- function(values, from, to) .Call(wrap__rust_extent, values, from, to)

# Version of the core.
rust_info <- function() .Call(wrap__rust_info)

# Start to find R-hat and effective sample size of each column of `values`, a table of the draws of
# `chains` chains.
rust_diagnose_job <- function(values, columns, chains, settings) .Call(wrap__rust_diagnose_job, values, columns, chains, settings)

# Start the chains; see R/bridge.R for the settings.
rust_bridge_job <- function(x, y, settings) .Call(wrap__rust_bridge_job, x, y, settings)

# Start the calibration of a lasso; see R/calibrate.R for the settings.
rust_calibrate_lasso_job <- function(x, y, settings) .Call(wrap__rust_calibrate_lasso_job, x, y, settings)

# Start that of a trend filter.
rust_calibrate_trendfilter_job <- function(x, y, settings) .Call(wrap__rust_calibrate_trendfilter_job, x, y, settings)

# Room for text: of a plain file from byte `at` on, or (an empty name) of what R reads.
rust_csv_text <- function(path, at) .Call(wrap__rust_csv_text, path, at)

# Bytes in place of the lines that were cut off before: `more`, or else up to so many of the file. Cuts after the last end of a line that is
# in no quotes, or after all bytes where there are no more. How many bytes came and were cut off, and the lines among them that are not empty.
rust_csv_cut <- function(text, more, most) .Call(wrap__rust_csv_cut, text, more, most)

# The columns of the lines that were cut off: numbers or text, which those are that `is_text` says (not 0). Of a line with more fields or fewer, its
# number and theirs.
rust_csv_columns <- function(text, sep, dec, is_text) .Call(wrap__rust_csv_columns, text, sep, dec, is_text)

# The hash that is `before`, in hexadecimal digits, and the numbers of `values` from `from` on to
# before `to`: all of their bits, and how many `values` there are.
rust_fingerprint <- function(before, values, from, to) .Call(wrap__rust_fingerprint, before, values, from, to)

# Start a generalised lasso job; see R/genlasso.R for the settings. `x` may be NULL: the identity.
rust_genlasso_job <- function(y, x, d, settings) .Call(wrap__rust_genlasso_job, y, x, d, settings)

# Wait at most `timeout_ms` for the job; its state and progress.
rust_job_poll <- function(job, timeout_ms) .Call(wrap__rust_job_poll, job, timeout_ms)

# The result of the job but for its tables, or an error list.
rust_job_collect <- function(job) .Call(wrap__rust_job_collect, job)

# Stop the job and wait for its threads.
rust_job_cancel <- function(job) .Call(wrap__rust_job_cancel, job)

# Start to compute E(theta | y).
rust_laplace_posterior_job <- function(y, lambda, sigma, settings) .Call(wrap__rust_laplace_posterior_job, y, lambda, sigma, settings)

# Start to compute the mean of the weighted Bayesian bootstrap.
rust_laplace_wbb_job <- function(y, lambda, sigma, fixed, settings) .Call(wrap__rust_laplace_wbb_job, y, lambda, sigma, fixed, settings)

# Start to make draws of the bootstrap, one row a draw, column-major.
rust_laplace_draws_job <- function(y, lambda, sigma, settings) .Call(wrap__rust_laplace_draws_job, y, lambda, sigma, settings)

# Start a lasso job; see R/lasso.R for the settings.
rust_lasso_job <- function(x, y, settings) .Call(wrap__rust_lasso_job, x, y, settings)

# Start them at `lambda`, or on a grid made for the data; see R/marglik.R for the settings.
rust_marglik_job <- function(x, y, settings) .Call(wrap__rust_marglik_job, x, y, settings)

# Room for a matrix, to be filled by `rust_matrix_fill`. A sparse one has `starts`.
rust_matrix_room <- function(rows, columns, starts) .Call(wrap__rust_matrix_room, rows, columns, starts)

# Copy at most `most` more numbers of it; `rows` are those of the numbers of a sparse matrix. True
# when all are there.
rust_matrix_fill <- function(matrix, values, rows, most) .Call(wrap__rust_matrix_fill, matrix, values, rows, most)

# Numbers of R's that R is to fill: its own functions would first put something there, of millions in one go.
rust_room <- function(size) .Call(wrap__rust_room, size)

# Start the training of networks; see R/mlp.R for the settings. `test` may be NULL.
rust_mlp_job <- function(x, y, test, settings) .Call(wrap__rust_mlp_job, x, y, test, settings)

# An empty shelf.
rust_shelf <- function() .Call(wrap__rust_shelf)

# Put networks on a shelf.
rust_shelf_put <- function(shelf, networks) .Call(wrap__rust_shelf_put, shelf, networks)

# The next networks of a shelf, which are then gone from it; NULL for a draw that has none.
rust_shelf_take <- function(shelf, count) .Call(wrap__rust_shelf_take, shelf, count)

# Ask the networks of a shelf about new rows; see R/mlp-predict.R for the settings.
rust_mlp_predict_job <- function(networks, x, question, settings) .Call(wrap__rust_mlp_predict_job, networks, x, question, settings)

# Start to sum up rows that are to come by `rust_moments_give`; see R/moments.R for the settings.
rust_moments_job <- function(settings) .Call(wrap__rust_moments_job, settings)

# Has the job room for more rows?
rust_moments_room <- function(job) .Call(wrap__rust_moments_room, job)

# Give rows to the job: x (with y as its last column; a matrix or a list of columns), case_weights, cluster (from 1) and foldid.
rust_moments_give <- function(job, rows) .Call(wrap__rust_moments_give, job, rows)

# There are no more rows.
rust_moments_end <- function(job) .Call(wrap__rust_moments_end, job)

# Start a lasso on sums; see R/moments.R for both lists.
rust_lasso_sums_job <- function(sums, settings) .Call(wrap__rust_lasso_sums_job, sums, settings)

# Ask the draws of a linear fit, one row a draw, about the rows of x. An intercept is their first column.
rust_linear_job <- function(x, draws, intercept, question, settings) .Call(wrap__rust_linear_job, x, draws, intercept, question, settings)

# Ask about answers that were kept: draws by rows by classes.
rust_kept_job <- function(answers, shape, question, settings) .Call(wrap__rust_kept_job, answers, shape, question, settings)

# Room for rows of so many columns: up to `most` numbers in memory, then in a file of this name.
rust_store <- function(columns, most, path) .Call(wrap__rust_store, columns, most, path)

# More rows, a matrix; TRUE once they are kept in a file.
rust_store_add <- function(stored, x, count) .Call(wrap__rust_store_add, stored, x, count)

# A text that other rows do not have.
rust_store_fingerprint <- function(stored) .Call(wrap__rust_store_fingerprint, stored)

# Nobody will take the rows: the file, if there is one, goes at once.
rust_store_clear <- function(stored) .Call(wrap__rust_store_clear, stored)

# The rows that were kept, as the matrix of a job; they can be taken once.
rust_store_matrix <- function(stored) .Call(wrap__rust_store_matrix, stored)

# Names of the tables of a job that was collected.
rust_job_tables <- function(job) .Call(wrap__rust_job_tables, job)

# Room for one of them, to be filled by `rust_job_copy`; NULL if it is not there.
rust_job_room <- function(job, name) .Call(wrap__rust_job_room, job, name)

# Copy the numbers of a table from `from` on to before `to`.
rust_job_copy <- function(job, name, room, from, to) .Call(wrap__rust_job_copy, job, name, room, from, to)

# R has them all.
rust_job_release <- function(job) .Call(wrap__rust_job_release, job)

# Start a trend filter job; see R/trendfilter.R for the settings.
rust_trendfilter_job <- function(x, y, settings) .Call(wrap__rust_trendfilter_job, x, y, settings)

# Start to make the row and prior weights of the given draws, one row a draw, column-major. A draw
# belongs to the one of `seeds` whose number (from 1) is in `of`. `penalties` is the number of terms
# that have a prior weight of their own if they do.
rust_weights_job <- function(settings, penalties, seeds, of, draws) .Call(wrap__rust_weights_job, settings, penalties, seeds, of, draws)
