#!/usr/bin/env bash
# tests/pthread/run.sh LIBRARY PROGRAM [ARGUMENT]: runs a program of this folder with the library preloaded, unless
# that is empty. It must end with code 0, and say "passed": a process can end early.
set -euo pipefail
library=$1
shift
output=$(LD_PRELOAD=$library "$@")
printf '%s\n' "$output"
grep -q '^passed$' <<<"$output"
