# Shared by the entry points: sourced, not run. Steps with a number, a time and a log each.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
log_dir="$root/build/logs"
jobs=${KUMIKO_JOBS:-$(nproc)}
step_number=0
step_table=()

say() { printf '%s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# step TITLE COMMAND...: runs a command, shows its output and keeps it in a log. On failure one line
# names the step and the log.
step() {
  local title=$1 started=$SECONDS log status=0
  shift
  step_number=$((step_number + 1))
  mkdir -p "$log_dir"
  log="$log_dir/$(printf '%02d' "$step_number")-$(tr -cs 'a-z0-9\n' '-' <<<"${title,,}").log"
  say "[$step_number] $title ..."
  "$@" </dev/null 2>&1 | tee "$log" | show || status=${PIPESTATUS[0]}
  local seconds=$((SECONDS - started))
  step_table+=("$(printf '%5d s  %s' "$seconds" "$title")")
  [ "$status" -eq 0 ] || fail "step '$title' failed after $seconds s; its log is $log"
  say "[$step_number] $title: $seconds s"
}

# Shows a log as it grows: all of it when VERBOSE is set, else one line a second of progress on a
# terminal, and everything else only in the log.
show() {
  if [ -n "${VERBOSE:-}" ] || [ -n "${CI:-}" ]; then
    cat
  elif [ -t 1 ]; then
    awk '{ printf "\r\033[K    %s", substr($0, 1, 90); fflush() } END { printf "\r\033[K" }'
  else
    cat >/dev/null
  fi
}

# build PRESET: configures and builds. A cache that a killed run left half-written is made anew.
build() {
  local preset=$1
  (cd "$root" && { cmake --preset "$preset" || cmake --fresh --preset "$preset"; } &&
    cmake --build --preset "$preset" --parallel "$jobs")
}

print_step_table() {
  say ""
  say "steps:"
  printf '%s\n' "${step_table[@]}"
}
