"""100 clients and 100 servers, a Python thread each, over sockets and a queue."""
import queue
import socket
import threading

PAIRS = 100
MESSAGES = 50


def serve(connection):
    with connection:
        while data := connection.recv(4096):
            connection.sendall(data)


def accept_all(listener):
    for _ in range(PAIRS):
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection,)).start()


def ask(port, number, done):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        for i in range(MESSAGES):
            sent = b"%d:%d;" % (number, i) * (i + 1)
            connection.sendall(sent)
            got = b""
            while len(got) < len(sent):
                got += connection.recv(65536)
            assert got == sent
    done.put(number)


def main():
    done = queue.Queue()
    with socket.create_server(("127.0.0.1", 0), backlog=2 * PAIRS) as listener:
        threading.Thread(target=accept_all, args=(listener,)).start()
        for number in range(PAIRS):
            threading.Thread(target=ask, args=(listener.getsockname()[1], number, done)).start()
        assert sorted(done.get(timeout=50) for _ in range(PAIRS)) == list(range(PAIRS))
    print("passed")


main()
