#!/bin/sh
# check_echo.sh FOLDER [EMULATOR]: whether the echo client gets back from the echo server all that it
# sends, over loopback, with either engine.
folder=$1
emulator=$2
connections=50
messages=100
failed=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT

for engine in auto epoll; do
  : >"$output"
  KUMIKO_IO_ENGINE=$engine ${emulator:+"$emulator"} "$folder/example_echo_server" 0 $connections >"$output" &
  server=$!
  # Its first line says where it listens.
  tries=0
  until port=$(sed -n 's/^listening on .*:\([0-9]*\)$/\1/p' "$output") && [ -n "$port" ]; do
    tries=$((tries + 1))
    if [ $tries -gt 300 ]; then
      echo "the server does not say where it listens"
      kill $server
      exit 1
    fi
    sleep 0.1
  done
  KUMIKO_IO_ENGINE=$engine ${emulator:+"$emulator"} "$folder/example_echo_client" "$port" $connections $messages || {
    failed=1
    kill $server
  }
  wait $server || failed=1
  cat "$output"
done
exit $failed
