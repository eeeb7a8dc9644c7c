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


def is_complete(name):
    try:
        return len(gdb.lookup_type(f"kumiko::runtime::detail::{name}").fields()) > 0
    except gdb.error:
        return False


def workers():
    """All workers, each with gdb's number of the OS thread that it is."""
    found = []
    selected = gdb.selected_thread()
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        try:
            front = gdb.parse_and_eval("(unsigned long)kumiko_worker_front")
        except gdb.error:
            continue
        if int(front) != 0:
            # A Worker begins with its WorkerFront.
            worker = gdb.lookup_type("kumiko::runtime::detail::Worker").pointer()
            found.append((front.cast(worker), thread.num))
    if selected is not None:
        selected.switch()
    return found


def scalar(value):
    """What an std::atomic holds: its only member, however deep the library has put it."""
    while value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
        # Static members have no bitpos.
        members = [f for f in value.type.strip_typedefs().fields() if hasattr(f, "bitpos")]
        value = value[members[0]]
    return value


def place_of(where):
    """A SourceLocation as text."""
    return f"{where['file_'].string()}:{int(where['line_'])}"


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
    """List the lightweight threads: what they do or wait for, where they were created, and the
    backtraces of those that are suspended. One that was woken, but has not gone on yet, still shows
    what it waited for."""

    def __init__(self):
        super().__init__("kumiko threads", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        if not gdb.selected_inferior().threads():
            print("no process: run the program first, or attach to it")
            return
        if not all(is_complete(name) for name in ("Worker", "Scheduler", "Descriptor")):
            print(
                "no debugging information of Kumiko's runtime: build it with -g"
                " (CMAKE_BUILD_TYPE=RelWithDebInfo)"
            )
            return
        schedulers = {}
        running = {}
        for worker, number in workers():
            scheduler = worker["scheduler_"].referenced_value()
            schedulers[int(scheduler.address)] = scheduler
            running[int(worker["running"])] = number
        count = 0
        for scheduler in schedulers.values():
            for thread in descriptors(scheduler):
                if scalar(thread["alive"]):
                    count += 1
                    self.show(thread, running)
        print(f"{count} lightweight threads")

    def show(self, thread, running):
        address = int(thread.address)
        name = thread["name"]["_M_elems"].string()
        title = f'"{name}" ' if name else ""
        print(f"lightweight thread {title}{address:#x}, created at {place_of(thread['where'])}")
        stack_pointer = int(thread["fiber"]["stack_pointer"])
        # First, for one that runs may never have been suspended and have no stack pointer.
        if address in running:
            print(f"  runs on gdb's thread {running[address]}")
            return
        if stack_pointer == 0:
            print("  has not begun")
            return
        reason = thread["wait_reason"]
        if int(reason["kind"]) == 0:
            print("  is runnable")
        else:
            of = f" ({int(reason['object']):#x})" if int(reason["object"]) != 0 else ""
            print(f"  waits for {reason['kind'].string()}{of}")
        try:
            backtrace(stack_pointer)
        except gdb.error as error:
            print(f"  no backtrace: {error}")


Kumiko()
Threads()
