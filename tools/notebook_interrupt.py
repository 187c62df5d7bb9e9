"""Checks that Jupyter's stop button stops a fit and leaves the kernel usable.

Starts a real R kernel, begins a fit that would run for minutes, interrupts it after a
second as the stop button does, and expects the prompt back within another second; then
the same kernel must do a small fit.
"""

import queue
import sys
import time

from jupyter_client.manager import KernelManager

STARTUP_SECONDS = 60
RUN_SECONDS = 1.0
ALLOWED_SECONDS = 1.0

LONG_FIT = "wbb_lasso(x, y, lambda = 20, draws = 1e7, seed = 1)"
SMALL_FIT = "cat('small fit:', nrow(as.matrix(wbb_lasso(x, y, lambda = 20, draws = 50, seed = 1))))"
PREPARE = (
    "library(wbb);"
    "x <- as.matrix(diabetes[, 1:10]); y <- diabetes$y; cat('prepared')"
)


class Session:
    """One kernel and what it prints."""

    def __init__(self):
        self.manager = KernelManager(kernel_name="ir")
        self.manager.start_kernel()
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=STARTUP_SECONDS)

    def start(self, code):
        return self.client.execute(code)

    def finish(self, request, seconds):
        """Waits until the kernel is idle again; returns what it printed and how it ended."""
        printed = []
        deadline = time.monotonic() + seconds
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"the kernel is still busy after {seconds} s: {''.join(printed)}")
            try:
                message = self.client.get_iopub_msg(timeout=left)
            except queue.Empty:
                continue
            if message["parent_header"].get("msg_id") != request:
                continue
            content = message["content"]
            if message["msg_type"] == "stream":
                printed.append(content["text"])
            elif message["msg_type"] == "error":
                printed.extend(content["traceback"])
            elif message["msg_type"] == "status" and content["execution_state"] == "idle":
                break
        return "".join(printed)

    def run(self, code, seconds=STARTUP_SECONDS):
        return self.finish(self.start(code), seconds)

    def is_busy(self, request):
        """Whether the request has not ended yet; messages up to now are dropped."""
        while True:
            try:
                message = self.client.get_iopub_msg(timeout=0.01)
            except queue.Empty:
                return True
            idle = message["content"].get("execution_state") == "idle"
            if idle and message["parent_header"].get("msg_id") == request:
                return False

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def check(session):
    said = session.run(PREPARE)
    if "prepared" not in said:
        return f"wbb could not be loaded: {said}"

    request = session.start(LONG_FIT)
    time.sleep(RUN_SECONDS)
    if not session.is_busy(request):
        return f"the long fit ended before it was interrupted: {session.run('print(geterrmessage())')}"
    pressed = time.monotonic()
    session.manager.interrupt_kernel()
    try:
        session.finish(request, ALLOWED_SECONDS)
    except TimeoutError as error:
        return str(error)
    print(f"the fit stopped {time.monotonic() - pressed:.2f} s after the interrupt")

    if not session.manager.is_alive():
        return "the interrupt ended the kernel"
    said = session.run(SMALL_FIT)
    if "small fit: 50" not in said:
        return f"the kernel did not work after the interrupt: {said}"
    print("the kernel works on")
    return None


def main():
    session = Session()
    try:
        problem = check(session)
    finally:
        session.close()
    if problem:
        sys.exit(f"*** {problem}")


if __name__ == "__main__":
    main()
