#!/bin/sh
# check_arguments.sh FOLDER [EMULATOR]: whether the examples say what is wrong with arguments.
folder=$1
emulator=$2
failed=0

# expect STATUS TEXT EXAMPLE ARGUMENT...: how it ends, and part of what it prints then: on stdout if
# it succeeds, else on stderr.
expect() {
  status=$1 text=$2 program=$folder/example_$3
  shift 3
  if [ "$status" = 0 ]; then
    output=$(${emulator:+"$emulator"} "$program" "$@" 2>/dev/null)
  else
    output=$(${emulator:+"$emulator"} "$program" "$@" 2>&1 >/dev/null)
  fi
  found=$?
  case $output in
    *"$text"*) [ "$found" -eq "$status" ] && return ;;
  esac
  echo "$program $*: expected exit code $status and '$text', got $found and '$output'"
  failed=1
}

range='it must be a whole number from 2 to 40'
expect 0 'fib(10) on' fib 10
expect 0 'usage: ' fib --help
expect 2 "n is 'ten'; $range" fib ten
expect 2 "n is '10x'; $range" fib 10x
expect 2 "n is ''; $range" fib ''
expect 2 "n is '-1'; $range" fib -1
expect 2 "n is '1'; $range" fib 1
expect 2 "n is '41'; $range" fib 41
expect 2 "n is '99999999999999999999'; $range" fib 99999999999999999999
expect 2 "unexpected argument '11'" fib 10 11
for example in parallel_sum producer_consumer; do
  expect 0 'usage: ' "$example" --help
  expect 2 "unexpected argument '3'" "$example" 3
done
expect 0 'usage: ' echo_server --help
expect 2 "port is '65536'; it must be a whole number from 0 to 65535" echo_server 65536
expect 2 "connections is 'x'; it must be" echo_server 0 x
expect 2 "unexpected argument '3'" echo_server 0 1 3
expect 0 'port from 1 to 65535, 7777 unless told; connections from' echo_client --help
expect 2 "port is '0'; it must be a whole number from 1 to 65535" echo_client 0
expect 2 "messages is '0'; it must be" echo_client 7777 1 0
expect 1 'Connection refused' echo_client 1 1 1
exit "$failed"
