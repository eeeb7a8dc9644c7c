// The list of one thread's thread-specific values.
#pragma once

#include <vector>

#include <kumiko/runtime/thread_specific.hpp>

namespace kumiko::runtime::detail {

/// The values of one thread's ThreadSpecific variables, few, in the order of their creation.
class Specifics {
 public:
  Specifics() = default;
  Specifics(const Specifics&) = delete;
  Specifics& operator=(const Specifics&) = delete;
  ~Specifics() { destroy_all(); }

  /// Destroys the values, the youngest first, those included that their destructors create.
  void destroy_all() noexcept;

  void* get(const void* key) const noexcept;
  void add(const void* key, void* pointer, SpecificDestructor destroy);
  void* release(const void* key) noexcept;

 private:
  struct Value {
    const void* key;
    void* pointer;
    SpecificDestructor destroy;
  };

  std::vector<Value>::const_iterator find(const void* key) const noexcept;

  std::vector<Value> values_;
};

}  // namespace kumiko::runtime::detail
