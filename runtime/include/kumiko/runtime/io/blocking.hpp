// Runs a function that blocks its OS thread on a pool of OS threads, so that the worker can
// continue.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace kumiko::runtime::detail {

/// Runs call(callable) on an OS thread of the runtime's pool while the calling thread is suspended;
/// if the caller is an OS thread, runs it directly.
void run_blocking(void (*call)(void*), void* callable);

}  // namespace kumiko::runtime::detail

namespace kumiko::runtime::io {

/// Runs `function`, which may block its OS thread, without blocking the worker. The function runs
/// on an OS thread of a pool, on the stack of that thread, while the calling lightweight thread is
/// suspended and its worker runs others. Returns the function's result; an exception is rethrown
/// here. Within the function the caller behaves like an OS thread: synchronisation blocks, and
/// spawning is an error. May suspend. Cost: two switches between OS threads. If 512 calls are in
/// progress, further calls wait for their turn. \throws std::system_error if the system refuses
/// every OS thread, or descriptors for I/O.
template <class Function>
std::invoke_result_t<Function> blocking(Function&& function) {
  using Value = std::invoke_result_t<Function>;
  constexpr bool kIsVoid = std::is_void_v<Value>;
  using Content = std::conditional_t<std::is_reference_v<Value>,
                                     std::reference_wrapper<std::remove_reference_t<Value>>, Value>;
  std::optional<std::conditional_t<kIsVoid, std::monostate, Content>> value;
  std::exception_ptr exception;
  auto body = [&]() noexcept {
    try {
      if constexpr (kIsVoid) {
        std::invoke(std::forward<Function>(function));
      } else {
        value.emplace(std::invoke(std::forward<Function>(function)));
      }
    } catch (...) {
      exception = std::current_exception();
    }
  };
  runtime::detail::run_blocking([](void* callable) { (*static_cast<decltype(body)*>(callable))(); },
                                &body);
  if (exception != nullptr) std::rethrow_exception(exception);
  if constexpr (!kIsVoid) return static_cast<Value>(*std::move(value));
}

}  // namespace kumiko::runtime::io
