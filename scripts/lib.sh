# Shared by the entry points: sourced, not run. Steps with a number, a time and a log each.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
log_dir="$root/build/logs"
jobs=${KUMIKO_JOBS:-$(nproc)}
step_number=0
step_table=()
tests_passed=0
tests_failed=0
tests_skipped=0

# One run at a time: two would build into the same folders. The lock is inherited by what a run
# starts, so it lasts until the last of it has ended, even when the run itself was killed.
one_run_at_a_time() {
  mkdir -p "$root/build"
  exec 9>"$root/build/.lock"
  flock --nonblock 9 && return
  say "an earlier run is still at work in $root/build; waiting for its end ..."
  flock 9
}

say() { printf '%s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

[[ $jobs =~ ^[1-9][0-9]*$ ]] || fail "KUMIKO_JOBS is '$jobs'; it must be a number of jobs, 1 or more"

# step TITLE COMMAND...: runs a command and keeps its output in a log. On failure the log's end is
# shown, and one line names the step and the log.
step() { run_step condensed "$@"; }

# step_shown TITLE COMMAND...: the same for a command whose output is the point.
step_shown() { run_step cat "$@"; }

run_step() {
  local show=$1 title=$2 started=$SECONDS log status=0
  shift 2
  step_number=$((step_number + 1))
  log=$(log_name "$title")
  mkdir -p "$log_dir"
  say "[$step_number] $title ..."
  if [ "$show" = cat ]; then
    # Errors and progress go where they would without the log: a terminal keeps its progress line.
    "$@" </dev/null | tee "$log" || status=${PIPESTATUS[0]}
  else
    "$@" </dev/null 2>&1 | tee "$log" | condensed || status=${PIPESTATUS[0]}
  fi
  local seconds=$((SECONDS - started))
  note_skips "$log"
  step_table+=("$(printf '%5d s%s  %s' "$seconds" "$(plan_of "$title")" "$title")")
  if [ "$status" -ne 0 ]; then
    if [ "$show" != cat ] && is_condensed; then tail -n 40 "$log" >&2; fi
    failed_tests "$log" >&2
    fail "step $step_number, '$title', failed after $seconds s; its log is $log"
  fi
  say "[$step_number] $title: done in $seconds s"
}

# note_skips LOG: what a step says that it leaves out, "skipped: WHAT: WHY", is kept for print_tests.
note_skips() {
  local count
  count=$(grep -ac '^skipped: ' "$1" || true)
  [ "$count" -gt 0 ] || return 0
  grep -a '^skipped: ' "$1" | sed 's/^skipped: //' >>"$log_dir/skipped.txt"
  tests_skipped=$((tests_skipped + count))
}

# failed_tests LOG: prints the last 40 lines of each test that failed in a run of ctest
failed_tests() {
  awk '
    function show(  line) {
      if (failed == "") return
      print "-- " failed
      for (line = (count > 40 ? count - 40 : 0); line < count; ++line) print lines[line]
      failed = ""
    }
    /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / { show(); count = 0; if (/\*\*\*/ && !/\*\*\*Skipped/) failed = $4; next }
    /^ +Start +[0-9]+: / || /^[0-9]+% tests passed/ { if (/% tests/) show(); next }
    { lines[count++] = $0 }
    END { show() }' "$1"
}

# log_name TITLE: the log of the step that begins, e.g. build/logs/03-build-release.log
log_name() {
  local words
  words=$(tr -cs 'a-z0-9' '-' <<<"${1,,}")
  printf '%s/%02d-%s.log' "$log_dir" "$step_number" "${words%-}"
}

is_condensed() { [ -t 1 ] && [ -z "${VERBOSE:-}" ]; }

# On a terminal the latest line of the input, over the one before; elsewhere, or with VERBOSE set,
# all of it.
condensed() {
  local line
  if ! is_condensed; then
    cat
    return
  fi
  while IFS= read -r line; do printf '\r\033[K    %.74s' "$line"; done
  printf '\r\033[K'
}

# build PRESET [--with CMAKE_OPTION...] [TARGET...]: configures and builds what the preset builds, unless targets are
# named. A configuration that a killed run left unusable is made anew.
build() {
  local preset=$1 options=()
  shift
  if [ "${1:-}" = --with ]; then shift; fi
  while [[ ${1:-} = -D* ]]; do
    options+=("$1")
    shift
  done
  cd "$root" || return
  if ! cmake --preset "$preset" "${options[@]}"; then
    say "configuring failed; trying once more without what is left of an earlier one"
    cmake --fresh --preset "$preset" "${options[@]}" || return 1
  fi
  cmake --build --preset "$preset" --parallel "$jobs" ${1:+--target "$@"}
}

# Holds the set-ups of tests/setups against their stored hashes, or against another program.
set_ups() {
  local launcher=
  if command -v mpirun.openmpi >/dev/null; then
    launcher="mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none"
  fi
  python3 "$root/tests/setups/check.py" --launcher "$launcher" "$@" \
    "$root/build/release/bin/kumiko" "$root/build/release/tests/setups/plugins"
}

# test_step TITLE PRESET [OPTION...]: ctest with its options. Passed, failed and skipped tests are counted, and the
# skipped ones are kept with their reasons for print_tests.
test_step() {
  local title=$1 preset=${2%%-*} passed failed skipped file counts
  shift
  file=$root/build/$preset/tests.xml
  rm -f "$file"
  step "$title" run_tests "$@" --output-junit "$file"
  counts=$(python3 "$root/scripts/tally.py" "$file") || fail "'$title': the tests cannot be counted by $file"
  read -r passed failed skipped <<<"$counts"
  sed "1d; s/^/$preset: /" <<<"$counts" >>"$log_dir/skipped.txt"
  tests_passed=$((tests_passed + passed))
  tests_failed=$((tests_failed + failed))
  tests_skipped=$((tests_skipped + skipped))
}

run_tests() {
  local preset=$1
  shift
  cd "$root" || return
  # Output enough to count the tests of a program, and to find the reasons of those that it leaves out.
  ctest --preset "$preset" --parallel "$jobs" --test-output-size-passed 1000000 "$@"
}

# How long the steps of scripts/test --all are meant to take, in seconds on two cores: a line "SECONDS TITLE" each.
plan="$root/scripts/plan.txt"
plan_of() {
  local planned
  planned=$(awk -v title="$1" '{ seconds = $1; $1 = ""; if (substr($0, 2) == title) print seconds }' "$plan")
  [ -z "$planned" ] || printf ' of %4d' "$planned"
}

# The plan must fit; how long a run takes depends on the machine, and fails nothing.
check_plan() {
  local all
  all=$(awk '!/^#/ { all += $1 } END { print all }' "$plan")
  [ "$all" -le "$1" ] || fail "the steps of $plan add up to $all s, which is more than $1 s: take away what you add"
}

# The seconds of each step, beside the planned ones, on the screen and in build/logs/steps.txt.
print_step_table() {
  say ""
  say "steps:"
  printf '%s\n' "${step_table[@]}" "$(printf '%5d s  in all' "$SECONDS")" | tee "$log_dir/steps.txt"
}

# What was left out, with the reasons, and the closing line.
print_tests() {
  if [ -s "$log_dir/skipped.txt" ]; then
    say ""
    say "skipped:"
    sort "$log_dir/skipped.txt" | sed 's/^/  /'
  fi
  say ""
  say "$tests_passed passed, $tests_failed failed, $tests_skipped skipped"
}
