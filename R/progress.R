# How far work is: a line that redraws itself, or signals for progressr where somebody listens to those.

# In a notebook interactive() is FALSE, but somebody is watching; in knitr nobody
# is, whatever the session says.
watched <- function() {
  (interactive() || isTRUE(getOption("jupyter.in_kernel"))) &&
    !isTRUE(getOption("knitr.in.progress"))
}

# A line with the time that is left, for anything over a second. It redraws itself in place and is cleared at
# the end. Any loop may have one: update it with list(stage, done, total), and clear it on exit.
progress_bar <- function(enabled) {
  bar <- new.env(parent = emptyenv())
  bar$relayed <- progressr_listens()
  bar$enabled <- enabled && !bar$relayed
  bar$began <- bar$drawn <- bar$stage_began <- elapsed()
  bar$stage <- ""
  bar$width <- 0L
  bar
}

progress_update <- function(bar, state) {
  if (bar$relayed) relay_progress(bar, state)
  if (!bar$enabled) return(invisible())
  now <- elapsed()
  if (state$stage != bar$stage) {
    bar$stage <- state$stage
    bar$stage_began <- now
  }
  if (now - bar$began < 1 || now - bar$drawn < 0.2) return(invisible())
  bar$drawn <- now
  redraw(bar, progress_line(state, now - bar$stage_began))
}

progress_clear <- function(bar) {
  if (bar$width > 0L) redraw(bar, "")
  if (!is.null(bar$signal)) bar$signal(type = "finish")
}

# Does the user want progressr's signals: by with_progress() around us, or for the whole session?
progressr_listens <- function() {
  if (!isNamespaceLoaded("progressr") || isFALSE(getOption("progressr.enable"))) return(FALSE)
  around <- function(frame) identical(sys.function(frame), progressr::with_progress)
  any(vapply(seq_len(sys.nframe()), around, NA)) || isTRUE(progressr::handlers(global = NA))
}

relay_progress <- function(bar, state) {
  if (state$stage != bar$stage || is.null(bar$signal)) {
    if (!is.null(bar$signal)) bar$signal(type = "finish")
    bar$stage <- state$stage
    bar$signalled <- 0
    bar$signal <- progressr::progressor(max(1, state$total), message = stage_names[[state$stage]],
      on_exit = FALSE, envir = bar)
  }
  steps <- state$done - bar$signalled
  if (steps > 0) bar$signal(amount = steps)
  bar$signalled <- state$done
}

redraw <- function(bar, line) {
  # Jupyter keeps the line in place only on stdout; at a terminal stdout may be
  # a file.
  out <- if (isTRUE(getOption("jupyter.in_kernel"))) stdout() else stderr()
  blank <- strrep(" ", max(0L, bar$width - nchar(line)))
  cat("\r", line, blank, if (line == "") "\r", sep = "", file = out)
  utils::flush.console()
  bar$width <- nchar(line)
}

stage_names <- c(mode = "mode", cv = "cross-validation", draws = "draws", epochs = "epochs", predictions = "predictions", rows = "rows",
  replicates = "replicates")

progress_line <- function(state, seconds) {
  share <- if (state$total > 0) min(1, state$done / state$total) else 0
  full <- floor(20 * share)
  left <- if (share > 0) paste(show_seconds(seconds * (1 - share) / share), "left")
  paste(c(
    stage_names[[state$stage]],
    paste0("[", strrep("=", full), strrep(" ", 20 - full), "]"),
    paste0(format(state$done, scientific = FALSE), "/", format(state$total, scientific = FALSE)),
    left
  ), collapse = " ")
}

show_seconds <- function(seconds) {
  if (seconds < 60) return(paste(ceiling(seconds), "s"))
  if (seconds < 3600) return(paste(ceiling(seconds / 60), "min"))
  paste(format(seconds / 3600, digits = 2), "h")
}

elapsed <- function() proc.time()[["elapsed"]]
