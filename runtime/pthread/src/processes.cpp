// What makes a process or becomes one: it inherits the signal mask that the thread believes in, not
// its worker's. fork() itself is the C library's; see Engine::obtain() for its child.
#include <cstdio>
#include <cstdlib>

#include <spawn.h>
#include <unistd.h>

#include "interpose.hpp"
#include "real.hpp"
#include "signals.hpp"
#include "thread_record.hpp"

using namespace kumiko::pthread;

/// Where vfork() goes on, see syscall_x86_64.S: its child would share a lightweight thread's block,
/// and so be one.
extern "C" [[gnu::visibility("hidden")]] decltype(&::fork) kumiko_vfork_target() {
  return ThreadRecord::running() != nullptr ? real().fork : real().vfork;
}

KUMIKO_INTERPOSE int posix_spawn(pid_t* child, const char* path,
                                 const posix_spawn_file_actions_t* actions,
                                 const posix_spawnattr_t* attributes, char* const* arguments,
                                 char* const* environment) {
  const WithOwnMask mask;
  return real().posix_spawn(child, path, actions, attributes, arguments, environment);
}

KUMIKO_INTERPOSE int posix_spawnp(pid_t* child, const char* file,
                                  const posix_spawn_file_actions_t* actions,
                                  const posix_spawnattr_t* attributes, char* const* arguments,
                                  char* const* environment) {
  const WithOwnMask mask;
  return real().posix_spawnp(child, file, actions, attributes, arguments, environment);
}

KUMIKO_INTERPOSE int system(const char* command) {
  const WithOwnMask mask;
  return real().system(command);
}

KUMIKO_INTERPOSE FILE* popen(const char* command, const char* type) {
  const WithOwnMask mask;
  return real().popen(command, type);
}

KUMIKO_INTERPOSE int execv(const char* path, char* const* arguments) {
  const WithOwnMask mask;
  return real().execv(path, arguments);
}

KUMIKO_INTERPOSE int execve(const char* path, char* const* arguments, char* const* environment) {
  const WithOwnMask mask;
  return real().execve(path, arguments, environment);
}

KUMIKO_INTERPOSE int execvp(const char* file, char* const* arguments) {
  const WithOwnMask mask;
  return real().execvp(file, arguments);
}

KUMIKO_INTERPOSE int execvpe(const char* file, char* const* arguments, char* const* environment) {
  const WithOwnMask mask;
  return real().execvpe(file, arguments, environment);
}
