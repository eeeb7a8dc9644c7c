"""64 connections that store values of many sizes in memcached and read them back: argument, its socket."""
import random
import socket
import sys
import threading
import time

CONNECTIONS = 64
ROUNDS = 100
SIZES = (1, 100, 3000, 20000)


def connect(path):
    for _ in range(200):
        try:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.connect(path)
            return connection
        except OSError:
            time.sleep(0.05)
    sys.exit("memcached does not listen")


def expect(stream, line):
    got = stream.readline()
    assert got == line + b"\r\n", (got, line)


def use(connection, number):
    values = random.Random(number)
    stream = connection.makefile("rb")
    for i in range(ROUNDS):
        key = b"key-%d-%d" % (number, i % 20)
        value = values.randbytes(values.choice(SIZES))
        connection.sendall(b"set %s 0 0 %d\r\n%s\r\n" % (key, len(value), value))
        expect(stream, b"STORED")
        connection.sendall(b"get %s\r\n" % key)
        expect(stream, b"VALUE %s 0 %d" % (key, len(value)))
        assert stream.read(len(value) + 2) == value + b"\r\n"
        expect(stream, b"END")
    connection.sendall(b"incr absent 1\r\n")
    expect(stream, b"NOT_FOUND")


def main():
    failures = []

    def guarded(number):
        try:
            use(connections[number], number)
        except Exception as failure:
            failures.append((number, repr(failure)))

    connections = [connect(sys.argv[1]) for _ in range(CONNECTIONS)]
    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    connections[0].sendall(b"stats\r\n")
    stats = connections[0].makefile("rb")
    counted = {}
    while (line := stats.readline()) != b"END\r\n":
        _, name, value = line.split(maxsplit=2)
        counted[name] = value.strip()
    assert int(counted[b"cmd_set"]) == CONNECTIONS * ROUNDS, counted[b"cmd_set"]
    assert int(counted[b"get_hits"]) == CONNECTIONS * ROUNDS, counted[b"get_hits"]
    assert not failures, failures[:3]
    print("passed")


main()
