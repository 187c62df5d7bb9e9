# The draws of a function of the weights, one after another in R: seeded, silent, and never lost.

# Between two looks at the clock, in seconds, and numbers of weights that are made at a time.
slice_seconds <- 0.2
batch_numbers <- 2^16

# Solves the draws of `settings`. `task` is list(solve, names): `solve(w, w0)` gives the numbers of those names. A
# result like those of Rust's jobs, with `faults` and `warnings` besides; where a draw fails and none may, an
# error list that has the result so far as `done`.
run_draws <- function(task, settings, progress = FALSE) {
  draws <- settings$draws
  solve <- task$solve
  expected <- list(names = task$names)
  rows <- seq_len(settings$n)
  values <- vector("list", draws)
  done <- ready <- 0
  failed <- character()
  log <- warning_log()
  result <- function() loop_result(values[seq_len(done)], failed, settings, length(task$names), log)
  whole <- FALSE
  on.exit(if (!whole) leave_result(result()))
  bar <- progress_bar(progress)
  on.exit(progress_clear(bar), add = TRUE)
  generator <- own_generator()
  on.exit(restore_generator(generator), add = TRUE)
  while (done < draws) {
    if (done == ready) {
      before <- ready
      ready <- min(draws, before + max(1, batch_numbers %/% settings$n))
      numbers <- settings$first_draw - 1 + before + seq_len(ready - before)
      table <- draw_weights(settings, rep(settings$seed, length(numbers)), numbers, settings$penalties)
      weights <- t(table[, rows, drop = FALSE])
      prior <- t(table[, -rows, drop = FALSE])
      seeds <- generator_seeds(settings$seed, numbers)
    }
    until <- elapsed() + slice_seconds
    fault <- quietly(log, while (done < ready) {
      at <- done + 1 - before
      set.seed(seeds[at])
      value <- solve(weights[, at], prior[, at])
      if (!identical(attributes(value), expected) || !is.double(value) || !all(is.finite(value))) {
        value <- expected_numbers(value, task$names)
      }
      done <- done + 1
      values[[done]] <- value
      if (elapsed() > until) break
    })
    if (!is.null(fault)) {
      draw <- settings$first_draw + done
      if (settings$on_error == "stop") {
        whole <- TRUE
        return(draw_error(draw, fault, result()))
      }
      failed[as.character(done + 1)] <- conditionMessage(fault)
      done <- done + 1
      values[[done]] <- rep(NA_real_, length(task$names))
    }
    progress_update(bar, list(stage = "draws", done = done, total = draws))
    check_awaited()
  }
  whole <- TRUE
  result()
}

loop_result <- function(values, failed, settings, size, log) {
  count <- length(values)
  status <- rep(1L, count)
  status[as.integer(names(failed))] <- 2L
  list(
    draws = as.vector(matrix(as.double(unlist(values)), count, size, byrow = TRUE)),
    diagnostics = list(status = structure(status, levels = c("finished", "failed"), class = "factor")),
    faults = data.frame(draw = settings$first_draw - 1 + as.double(names(failed)), message = as.character(failed)),
    warnings = log$table
  )
}

draw_error <- function(draw, fault, done) {
  text <- paste0("Draw ", format(draw, digits = 15), " failed: ", one_line(conditionMessage(fault)),
    ". Its weights are unlike the data's own, so that a fit may fail where the model's did not; ",
    "on_error = \"drop\" leaves such draws out and counts them.")
  list(wbb_error = "draw", message = text, done = if (length(done$diagnostics$status)) done)
}

one_line <- function(text) sub("[[:space:].]+$", "", gsub("[[:space:]]+", " ", text))

# Silence --------------------------------------------------------------------------

# The error of `code`, NULL if it has none. What it prints or says is muted, for a thousand draws would say it a thousand times; its
# warnings are counted.
quietly <- function(log, code) {
  depth <- sink.number()
  mute <- file(nullfile(), "w")
  on.exit({
    # The code may have sinks of its own, and leave them.
    while (sink.number() > depth) sink()
    close(mute)
  })
  sink(mute)
  attempt(
    withCallingHandlers(
      {
        code
        NULL
      },
      warning = function(w) {
        note_warning(log, conditionMessage(w))
        tryInvokeRestart("muffleWarning")
      },
      message = function(m) tryInvokeRestart("muffleMessage")
    ),
    identity
  )
}

# Texts of warnings with how often each came; a text with numbers in it may come in thousands of forms.
warning_log <- function() list2env(list(table = data.frame(message = character(), count = double())))

most_warnings <- 20L

note_warning <- function(log, text) {
  # Random weights of a binomial make no whole successes, and glm() says so in every draw.
  if (text == gettextf("non-integer #successes in a %s glm!", "binomial", domain = "R-stats")) return(invisible())
  at <- match(text, log$table$message)
  if (is.na(at)) {
    if (nrow(log$table) >= most_warnings) text <- "others"
    at <- match(text, log$table$message, nrow(log$table) + 1L)
    if (at > nrow(log$table)) log$table[at, ] <- list(text, 0)
  }
  log$table$count[at] <- log$table$count[at] + 1
}

join_warnings <- function(tables) {
  all <- do.call(rbind, tables)
  if (!nrow(all)) return(all)
  texts <- unique(all$message)
  data.frame(message = texts, count = as.vector(rowsum(all$count, match(all$message, texts))))
}

# R's generator --------------------------------------------------------------------

# Functions that draw random numbers of R's reproduce, too: by one kind of generator, seeded in each draw. The user's is
# put back as it was.
own_generator <- function() {
  state <- list(seed = get0(".Random.seed", globalenv(), inherits = FALSE), kind = RNGkind())
  suppressWarnings(RNGkind("Mersenne-Twister", "Inversion", "Rejection"))
  state
}

restore_generator <- function(state) {
  suppressWarnings(do.call(RNGkind, as.list(state$kind)))
  if (is.null(state$seed)) {
    rm(list = ".Random.seed", envir = globalenv())
  } else {
    assign(".Random.seed", state$seed, globalenv())
  }
}

# Numbers --------------------------------------------------------------------------

# What a function gave, as numbers with names; an error that says what to do where it gave something else.
named_numbers <- function(value) {
  if (is.null(value)) stop("it returns NULL; let its last line be the numbers, e.g. c(mean = m)", call. = FALSE)
  if (isS4(value) && is(value, "Matrix")) value <- as.matrix(value)
  if (is.data.frame(value) || (is.list(value) && !is.object(value))) value <- unlist(value)
  if (!(is.numeric(value) || is.logical(value)) || is.factor(value)) {
    stop("it returns ", described(value), " where numbers are needed; `statistic` can make numbers of it", call. = FALSE)
  }
  if (!length(value)) stop("it returns no number", call. = FALSE)
  names <- number_names(value)
  value <- stats::setNames(as.double(value), names)
  if (!all(is.finite(value))) {
    at <- first_bad(!is.finite(value))
    stop("`", names[at], "` is ", show_value(value[[at]]), call. = FALSE)
  }
  value
}

described <- function(value) sub("^of class", "an object of class", show_value(value))

# Those of a matrix are "row:column", as in vcov() of multinomial models.
number_names <- function(value) {
  if (length(dim(value)) == 2L) {
    if (ncol(value) == 1L && !is.null(rownames(value))) return(make.unique(rownames(value)))
    rows <- if (is.null(rownames(value))) seq_len(nrow(value)) else rownames(value)
    columns <- if (is.null(colnames(value))) seq_len(ncol(value)) else colnames(value)
    return(make.unique(as.vector(outer(rows, columns, paste, sep = ":"))))
  }
  names <- names(value)
  if (is.null(names)) names <- rep("", length(value))
  blank <- is.na(names) | names == ""
  names[blank] <- if (length(value) == 1L) "value" else as_text(seq_along(names), "V")[blank]
  make.unique(names)
}

# The same numbers as with unit weights, perhaps in another order.
expected_numbers <- function(value, names) {
  value <- named_numbers(value)
  if (length(value) != length(names)) {
    stop("it returns ", counted(length(value), "number"), " where unit weights gave ", length(names), call. = FALSE)
  }
  if (identical(names(value), names)) return(value)
  other <- setdiff(names(value), names)
  if (length(other)) {
    stop("it returns a number named ", show_value(other[1L]), ", which unit weights did not give", call. = FALSE)
  }
  value[names]
}
