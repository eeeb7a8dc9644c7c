"""200 Python threads over a queue, locks, a barrier, events and thread-local values."""
import threading
import time
import queue

THREADS = 200
ITEMS = 20000


def check_queue():
    items, lock, local, total = queue.Queue(), threading.Lock(), threading.local(), [0]

    def work(number):
        local.number = number
        while (item := items.get()) is not None:
            with lock:
                total[0] += item
            if item % 50 == 0:
                time.sleep(0.0005)
        assert local.number == number

    threads = [threading.Thread(target=work, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for item in range(ITEMS):
        items.put(item)
    for _ in threads:
        items.put(None)
    for thread in threads:
        thread.join()
    assert total[0] == ITEMS * (ITEMS - 1) // 2, total


def check_primitives():
    barrier, gate, permits = threading.Barrier(50), threading.Event(), threading.Semaphore(3)
    passed, lock = [0], threading.Lock()

    def work():
        barrier.wait()
        assert gate.wait(30)
        with permits:
            time.sleep(0.001)
            with lock:
                passed[0] += 1

    threads = [threading.Thread(target=work) for _ in range(50)]
    for thread in threads:
        thread.start()
    assert not threading.Event().wait(0.01)
    gate.set()
    for thread in threads:
        thread.join(30)
    assert passed[0] == 50


def check_stack():
    def recurse(depth):
        return 0 if depth == 0 else 1 + recurse(depth - 1)

    results = []
    threading.stack_size(64 * 1024 * 1024)
    thread = threading.Thread(target=lambda: results.append(recurse(900)))
    thread.start()
    thread.join()
    assert results == [900]


check_queue()
check_primitives()
check_stack()
