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

namespace {

/// What function(arguments...) returns, called while the worker has the thread's own mask.
template <class Function, class... Arguments>
auto with_own_mask(Function function, Arguments... arguments) {
  const WithOwnMask mask;
  return function(arguments...);
}

}  // namespace

/// Where vfork() goes on, see syscall_x86_64.S: its child would share a lightweight thread's block,
/// and so be one.
extern "C" [[gnu::visibility("hidden")]] decltype(&::fork) kumiko_vfork_target() {
  return ThreadRecord::running() != nullptr ? real().fork : real().vfork;
}

KUMIKO_INTERPOSE int posix_spawn(pid_t* child, const char* path,
                                 const posix_spawn_file_actions_t* actions,
                                 const posix_spawnattr_t* attributes, char* const* arguments,
                                 char* const* environment) {
  return with_own_mask(real().posix_spawn, child, path, actions, attributes, arguments,
                       environment);
}

KUMIKO_INTERPOSE int posix_spawnp(pid_t* child, const char* file,
                                  const posix_spawn_file_actions_t* actions,
                                  const posix_spawnattr_t* attributes, char* const* arguments,
                                  char* const* environment) {
  return with_own_mask(real().posix_spawnp, child, file, actions, attributes, arguments,
                       environment);
}

KUMIKO_INTERPOSE int system(const char* command) { return with_own_mask(real().system, command); }

KUMIKO_INTERPOSE FILE* popen(const char* command, const char* type) {
  return with_own_mask(real().popen, command, type);
}

KUMIKO_INTERPOSE int execv(const char* path, char* const* arguments) {
  return with_own_mask(real().execv, path, arguments);
}

KUMIKO_INTERPOSE int execve(const char* path, char* const* arguments, char* const* environment) {
  return with_own_mask(real().execve, path, arguments, environment);
}

KUMIKO_INTERPOSE int execvp(const char* file, char* const* arguments) {
  return with_own_mask(real().execvp, file, arguments);
}

KUMIKO_INTERPOSE int execvpe(const char* file, char* const* arguments, char* const* environment) {
  return with_own_mask(real().execvpe, file, arguments, environment);
}
