"""Lightweight threads for gdb: `source scripts/gdb/kumiko.py`, then `kumiko threads`.

Needs debugging information of the runtime. Backtraces need a live process, for gdb can unwind from
other registers than a core's only by setting them."""

import gdb

# Where context_x86_64.S and context_aarch64.S keep the registers that an unwinder begins with, from
# the saved stack pointer, and the size of their frame.
FRAMES = {
    "i386:x86-64": ({"rbp": 48, "rbx": 40, "r12": 32, "r13": 24, "r14": 16, "r15": 8, "rip": 56}, 64, "rsp"),
    "aarch64": ({"x29": 0, "x30": 8, "pc": 8}, 176, "sp"),
}


def word_at(address):
    pointer = gdb.lookup_type("unsigned long").pointer()
    return int(gdb.Value(address).cast(pointer).dereference())


def schedulers():
    """Those of all workers, each once."""
    found = {}
    selected = gdb.selected_thread()
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        try:
            front = gdb.parse_and_eval("(unsigned long)kumiko_worker_front")
            if int(front) == 0:
                continue
            # A Worker begins with its WorkerFront.
            worker = front.cast(gdb.lookup_type("kumiko::runtime::detail::Worker").pointer())
            scheduler = worker["scheduler_"].referenced_value()
            found[int(scheduler.address)] = scheduler
        except gdb.error:
            continue
    if selected is not None:
        selected.switch()
    return found.values()


def descriptors(scheduler):
    source = scheduler["stack_source_"]
    descriptor = gdb.lookup_type("kumiko::runtime::detail::Descriptor")
    stride = int(source["stride_"])
    implementation = source["slabs_"]["_M_impl"]
    slab = implementation["_M_start"]
    while slab != implementation["_M_finish"]:
        memory = int(slab["memory"])
        for index in range(int(slab["stacks"])):
            address = memory + (index + 1) * stride - descriptor.sizeof
            yield gdb.Value(address).cast(descriptor.pointer()).dereference()
        slab += 1


def backtrace(stack_pointer):
    registers, size, pointer = FRAMES[gdb.selected_frame().architecture().name()]
    gdb.newest_frame().select()
    saved = {name: int(gdb.parse_and_eval(f"${name}")) for name in (*registers, pointer)}
    try:
        for name, offset in registers.items():
            gdb.execute(f"set ${name} = {word_at(stack_pointer + offset)}", to_string=True)
        gdb.execute(f"set ${pointer} = {stack_pointer + size}", to_string=True)
        gdb.execute("backtrace 30")
    finally:
        for name, value in saved.items():
            gdb.execute(f"set ${name} = {value}", to_string=True)


class Kumiko(gdb.Command):
    """Commands for Kumiko's lightweight threads."""

    def __init__(self):
        super().__init__("kumiko", gdb.COMMAND_STACK, prefix=True)


class Threads(gdb.Command):
    """List suspended lightweight threads, what they wait for, and their backtraces."""

    def __init__(self):
        super().__init__("kumiko threads", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        count = 0
        for scheduler in schedulers():
            for thread in descriptors(scheduler):
                if thread["alive"]:
                    count += 1
                    self.show(thread)
        print(f"{count} lightweight threads")

    def show(self, thread):
        address = int(thread.address)
        name = thread["name"]["_M_elems"].string()
        title = f'"{name}" ' if name else ""
        print(f"lightweight thread {title}{address:#x}")
        kind = thread["wait_reason"]["kind"]
        if int(kind) == 0:
            print("  runs, or is runnable")
            return
        print(f'  waits for {kind.string()} ({thread["wait_reason"]["object"]})')
        try:
            backtrace(int(thread["fiber"]["stack_pointer"]))
        except gdb.error as error:
            print(f"  no backtrace: {error}")


Kumiko()
Threads()
