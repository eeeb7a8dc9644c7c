#include <algorithm>
#include <stdexcept>
#include <vector>

#include <kumiko/runtime/detail/spawn.hpp>
#include <kumiko/runtime/thread_specific.hpp>

#include "record/descriptor.hpp"
#include "record/specifics.hpp"

namespace kumiko::runtime::detail {

namespace {

thread_local constinit bool os_thread_ends = false;

/// The values of a plain OS thread; destroyed with it.
struct OsThreadSpecifics : Specifics {
  ~OsThreadSpecifics() {
    destroy_all();
    os_thread_ends = true;
  }
};

/// The calling OS thread's values; nullptr at its end, for a variable may be destroyed later than
/// the main thread's.
Specifics* os_thread_specifics() {
  if (os_thread_ends) return nullptr;
  thread_local OsThreadSpecifics specifics;
  return &specifics;
}

/// The running thread's values, nullptr if it has none yet.
Specifics* running_specifics() noexcept {
  auto* const self = static_cast<Descriptor*>(running_thread());
  return self == nullptr ? os_thread_specifics() : self->specifics.get();
}

}  // namespace

void Specifics::destroy_all() noexcept {
  while (!values_.empty()) {
    const Value value = values_.back();
    values_.pop_back();
    value.destroy(value.pointer);
  }
}

void* Specifics::get(const void* key) const noexcept {
  const auto found = find(key);
  return found == values_.end() ? nullptr : found->pointer;
}

void Specifics::add(const void* key, void* pointer, SpecificDestructor destroy) {
  values_.push_back({key, pointer, destroy});
}

void* Specifics::release(const void* key) noexcept {
  const auto found = find(key);
  if (found == values_.end()) return nullptr;
  void* const pointer = found->pointer;
  values_.erase(found);
  return pointer;
}

std::vector<Specifics::Value>::const_iterator Specifics::find(const void* key) const noexcept {
  return std::find_if(values_.begin(), values_.end(),
                      [key](const Value& value) { return value.key == key; });
}

void* get_specific(const void* key) noexcept {
  const Specifics* const specifics = running_specifics();
  return specifics == nullptr ? nullptr : specifics->get(key);
}

void set_specific(const void* key, void* value, SpecificDestructor destroy) {
  auto* const self = static_cast<Descriptor*>(running_thread());
  if (self != nullptr && self->specifics == nullptr) {
    self->specifics = std::make_unique<Specifics>();
  }
  Specifics* const specifics = running_specifics();
  if (specifics == nullptr) {
    throw std::logic_error("ThreadSpecific: no new value at the very end of an OS thread");
  }
  specifics->add(key, value, destroy);
}

void* release_specific(const void* key) noexcept {
  Specifics* const specifics = running_specifics();
  return specifics == nullptr ? nullptr : specifics->release(key);
}

}  // namespace kumiko::runtime::detail
