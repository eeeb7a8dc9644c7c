// A variable that has a separate value for every lightweight and OS thread.
#pragma once

#include <memory>
#include <utility>

namespace kumiko::runtime {

namespace detail {

using SpecificDestructor = void (*)(void*);

/// A pointer per thread and key, for lightweight and OS threads alike.
void* get_specific(const void* key) noexcept;

/// \throws std::bad_alloc, and std::logic_error if the OS thread has already destroyed its values
void set_specific(const void* key, void* value, SpecificDestructor destroy);

/// Takes the running thread's pointer out, without destroying what it points to.
void* release_specific(const void* key) noexcept;

}  // namespace detail

/// Thread-specific storage: a variable that has a separate value for every thread that accesses it,
/// for lightweight and OS threads alike. (A thread_local variable belongs to the worker, and its
/// address may change under a lightweight thread wherever it suspends.)
///
/// A thread's value is destroyed when the thread ends, in the thread itself, the youngest first.
/// The variable's destructor destroys the value of the thread that calls it; all other threads that
/// have a value must have ended by then, or have called reset(). Cost of an access: a search
/// through the thread's own few values.
template <class T>
class ThreadSpecific {
 public:
  ThreadSpecific() = default;
  ThreadSpecific(const ThreadSpecific&) = delete;
  ThreadSpecific& operator=(const ThreadSpecific&) = delete;
  ~ThreadSpecific() { reset(); }

  /// The running thread's value; value-initialised at the first use. \throws std::bad_alloc, what
  /// T's constructor throws, and std::logic_error if the OS thread has already destroyed its
  /// values.
  T& local() {
    if (T* const value = get(); value != nullptr) return *value;
    return emplace();
  }

  /// The running thread's value, nullptr if it has none.
  T* get() const noexcept { return static_cast<T*>(detail::get_specific(this)); }

  /// Replaces the running thread's value by a new one. \throws as local()
  template <class... Arguments>
  T& emplace(Arguments&&... arguments) {
    auto value = std::make_unique<T>(std::forward<Arguments>(arguments)...);
    reset();
    detail::set_specific(this, value.get(), [](void* old) { delete static_cast<T*>(old); });
    return *value.release();
  }

  /// Destroys the running thread's value, if it has one.
  void reset() noexcept { delete static_cast<T*>(detail::release_specific(this)); }

  /// \{
  /// Accesses local().
  T& operator*() { return local(); }
  T* operator->() { return &local(); }
  /// \}
};

}  // namespace kumiko::runtime
