#!/usr/bin/env bash
# Runs a program of Debian's, or Kumiko's own, under libkumiko_pthread and checks what it did:
# tests/pthread/programs.sh LIBRARY sysbench_threads|sysbench_mutex|sysbench_memory|pigz|memcached|redis
# tests/pthread/programs.sh LIBRARY python|python_signals|python_sockets
# tests/pthread/programs.sh LIBRARY kumiko PROGRAM CASE.toml
# Exit code 77 where the program is not installed. docs/guide/pthread.md lists these.
set -euo pipefail
library=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

need() {
  command -v "$1" >/dev/null || {
    printf 'skipped: %s is not installed\n' "$1"
    exit 77
  }
}

# expect PATTERN: the output of the run has such a line.
expect() {
  grep -qE "$1" <<<"$output" || {
    printf 'failed: no line like "%s" in:\n%s\n' "$1" "$output"
    exit 1
  }
}

sysbench_run() {
  need sysbench
  output=$(LD_PRELOAD=$library timeout 60 sysbench "$@" --threads=100 --time=30 run)
  expect '^Number of threads: 100$'
}

case $2 in
  sysbench_threads)
    sysbench_run threads --events=2000 --thread-yields=50 --thread-locks=8
    expect 'total number of events: +2000$'
    ;;
  sysbench_mutex)
    sysbench_run mutex --mutex-num=64 --mutex-locks=2000 --mutex-loops=100
    expect 'total number of events: +100$'
    ;;
  sysbench_memory)
    sysbench_run memory --memory-total-size=1G
    expect '^Total operations: 10485'
    expect '^102[34]\.[0-9]+ MiB transferred'
    ;;
  pigz)
    need pigz
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    # 100 MB, of which a half can be compressed.
    { head -c 50000000 /dev/urandom; seq 1 100000000 | head -c 50000000; } >"$folder/data" 2>/dev/null || true
    [ "$(stat -c %s "$folder/data")" = 100000000 ]
    LD_PRELOAD=$library timeout 100 pigz -1 -p 16 -c "$folder/data" >"$folder/data.gz"
    gzip -dc "$folder/data.gz" | cmp - "$folder/data"
    LD_PRELOAD=$library timeout 100 pigz -dc "$folder/data.gz" | cmp - "$folder/data"
    ;;
  python)
    LD_PRELOAD=$library timeout 60 /usr/bin/python3 "$here/threads.py"
    ;;
  python_signals)
    LD_PRELOAD=$library timeout 100 /usr/bin/python3 "$here/interrupt.py"
    ;;
  python_sockets)
    LD_PRELOAD=$library timeout 60 /usr/bin/python3 "$here/sockets.py"
    ;;
  memcached)
    need memcached
    folder=$(mktemp -d)
    # Root must name somebody else; a socket in the file system takes no port from others.
    chmod 777 "$folder"
    LD_PRELOAD=$library memcached -u nobody -s "$folder/socket" -a 0777 -t 4 -m 64 &
    server=$!
    trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
    timeout 50 /usr/bin/python3 "$here/memcached_client.py" "$folder/socket"
    # Its threads were ours.
    grep -q '^kumiko-0$' "/proc/$server"/task/*/comm
    ;;
  redis)
    need redis-server
    need redis-benchmark
    folder=$(mktemp -d)
    # Three of its threads look for work all the time, and there are fewer workers. Only the socket leads to it.
    KUMIKO_PTHREAD_WORKERS=2 LD_PRELOAD=$library timeout 100 redis-server --port 0 --unixsocket "$folder/socket" \
      --io-threads 4 --io-threads-do-reads yes --save '' --dir "$folder" >"$folder/log" &
    server=$!
    trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
    for _ in $(seq 100); do [ -S "$folder/socket" ] || sleep 0.1; done
    output=$(timeout 30 redis-benchmark -s "$folder/socket" -c 50 -n 500 -t set,get --csv)
    expect '^"SET",'
    expect '^"GET",'
    # Those threads did the reading, and all that was asked for.
    output=$(timeout 10 redis-cli -s "$folder/socket" info stats)
    expect '^io_threaded_reads_processed:[1-9]'
    expect '^total_commands_processed:10[0-9][0-9]'
    expect '^total_error_replies:0'
    timeout 10 redis-cli -s "$folder/socket" set strip joint >"$folder/reply"
    output=$(timeout 10 redis-cli -s "$folder/socket" get strip)
    expect '^joint$'
    # It ends by itself when it is asked to.
    kill "$server"
    wait "$server"
    ;;
  kumiko)
    program=$3
    small=("$4" --set amr.levels=1 --set grid.base=64)
    folder=$(mktemp -d)
    server=
    trap 'kill -9 $server 2>/dev/null || true; rm -rf "$folder"' EXIT
    # One of its threads waits for a signal until another one ends it by pthread_kill(). Same bits as ever.
    timeout 50 "$program" run "${small[@]}" --set time.steps=640 --output "$folder/plain" >"$folder/expected"
    output=$(LD_PRELOAD=$library timeout -k 1 20 "$program" run "${small[@]}" --set time.steps=640 \
      --output "$folder/whole")
    expect "^$(grep '^state hash' "$folder/expected")$"
    # SIGUSR2 is that thread's, SIGTERM the main one's.
    LD_PRELOAD=$library "$program" run "${small[@]}" --set time.steps=1000000000 --output "$folder/ended" \
      >"$folder/log" 2>&1 &
    server=$!
    for _ in $(seq 100); do [ -d "$folder/ended" ] || sleep 0.1; done
    sleep 1
    kill -USR2 "$server"
    for _ in $(seq 100); do ! grep -q 'base step' "$folder/log" || break; sleep 0.1; done
    kill "$server"
    for _ in $(seq 200); do ! kill -0 "$server" 2>/dev/null || sleep 0.1; done
    output=$(cat "$folder/log")
    expect 'base step [0-9]+ of 1000000000'
    expect 'ended by signal 15 .SIGTERM. after base step [0-9]+'
    code=0
    wait "$server" || code=$?
    output="exit code $code"
    expect '^exit code 1$'
    ;;
  *)
    printf 'unknown: %s\n' "$2" >&2
    exit 2
    ;;
esac
echo passed
