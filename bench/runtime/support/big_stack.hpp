// Runs a function on an OS thread with a very large stack, for systems that nest tasks on it.
#pragma once

#include <cstddef>
#include <functional>
#include <system_error>

#include <pthread.h>

namespace kumiko::bench {

/// For systems that run tasks on the stacks of OS threads: trees are deep, and a thread that waits
/// may run other tasks meanwhile on the same stack. Only touched pages cost memory.
inline constexpr std::size_t kBigStack = std::size_t{512} << 20;

/// Calls function() on an OS thread with a stack of kBigStack, and waits. It must not throw.
template <class Function>
void on_big_stack(Function&& function) {
  std::function<void()> call = [&function] { function(); };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kBigStack);
  pthread_t thread;
  const int error = pthread_create(
      &thread, &attributes,
      [](void* argument) -> void* {
        (*static_cast<std::function<void()>*>(argument))();
        return nullptr;
      },
      &call);
  pthread_attr_destroy(&attributes);
  if (error != 0) throw std::system_error(error, std::generic_category(), "pthread_create");
  pthread_join(thread, nullptr);
}

}  // namespace kumiko::bench
