"""What a signal does to a wait of Python's main thread: SIGINT (Ctrl-C) ends it with KeyboardInterrupt, and after
another handler it goes on. With libkumiko_pthread preloaded the main thread is an OS thread, the others are not."""

import os
import queue
import signal
import subprocess
import sys
import threading
import time

LONG = 30.0


def soon(action):
    """Calls it in another thread when the main thread is likely to wait."""

    def run():
        time.sleep(0.05)
        action()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def interrupted(name, wait):
    begin = time.monotonic()
    try:
        soon(lambda: os.kill(os.getpid(), signal.SIGINT))
        wait()
    except KeyboardInterrupt:
        if time.monotonic() - begin < LONG / 2:
            return
    sys.exit(f"{name}: SIGINT does not end it")


def acquire_with(condition):
    with condition:
        condition.wait()


def waits():
    taken = threading.Lock()
    taken.acquire()
    reader, _ = os.pipe()
    sleeper = threading.Thread(target=time.sleep, args=(LONG,), daemon=True)
    sleeper.start()
    yield "Lock.acquire", taken.acquire
    yield "Lock.acquire with a time limit", lambda: taken.acquire(timeout=LONG)
    yield "Semaphore.acquire", threading.Semaphore(0).acquire
    yield "Event.wait", threading.Event().wait
    yield "Condition.wait", lambda: acquire_with(threading.Condition())
    yield "Queue.get", queue.Queue().get
    yield "Queue.get with a time limit", lambda: queue.Queue().get(timeout=LONG)
    yield "Thread.join", sleeper.join
    yield "time.sleep", lambda: time.sleep(LONG)
    yield "os.read", lambda: os.read(reader, 1)
    with subprocess.Popen(["sleep", str(LONG)]) as child:
        yield "Popen.wait", child.wait
        child.kill()


def goes_on_after_another_handler(timeout):
    handled = threading.Semaphore(0)
    signal.signal(signal.SIGUSR1, lambda number, frame: handled.release())
    lock = threading.Lock()
    lock.acquire()

    def send_and_release():
        for _ in range(10):
            # A signal that comes between Python's look for signals and its wait is not handled before the next one:
            # with the C library's own locks, too.
            deadline = time.monotonic() + LONG
            os.kill(os.getpid(), signal.SIGUSR1)
            while not handled.acquire(timeout=0.5):
                if time.monotonic() > deadline:
                    os._exit(1)  # the main thread waits, and runs no handlers
                os.kill(os.getpid(), signal.SIGUSR1)
        lock.release()

    thread = soon(send_and_release)
    if not lock.acquire(timeout=timeout):
        sys.exit("Lock.acquire: ends after a handler that returns")
    thread.join()


for name, wait in waits():
    interrupted(name, wait)
for timeout in (-1, LONG):
    goes_on_after_another_handler(timeout)
print("passed")
