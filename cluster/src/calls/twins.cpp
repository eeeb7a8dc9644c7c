#include "calls/twins.hpp"

#include <mutex>
#include <stdexcept>
#include <string>
#include <typeinfo>

#include <kumiko/cluster/program.hpp>

#include "calls/node.hpp"

namespace kumiko::cluster::detail {

TwinName Twins::add(std::uint32_t type, void* object) {
  const std::lock_guard lock(mutex_);
  const TwinName name{type, made_[type]++};
  twins_[name].object = object;
  changed_.notify_all();
  return name;
}

void Twins::remove(TwinName name) {
  std::unique_lock lock(mutex_);
  const auto found = twins_.find(name);
  changed_.wait(lock, [&] { return found->second.uses == 0; });
  twins_.erase(found);
}

bool Twins::is_to_come(TwinName name) const {
  const auto made = made_.find(name.type);
  return !is_closed_ && (made == made_.end() || made->second <= name.number);
}

void* Twins::begin_use(TwinName name) {
  std::unique_lock lock(mutex_);
  if (is_to_come(name)) {
    if (waiting_ == kMostTwinCallsWaiting) {
      throw std::runtime_error(std::to_string(waiting_) +
                               " calls wait for twins that this rank has not made; all ranks must "
                               "make the twins of one type in the same order");
    }
    ++waiting_;
    changed_.wait(lock, [&] { return !is_to_come(name); });
    --waiting_;
  }
  const auto found = twins_.find(name);
  if (found == twins_.end()) return nullptr;
  ++found->second.uses;
  return found->second.object;
}

void Twins::end_use(TwinName name) {
  const std::lock_guard lock(mutex_);
  if (--twins_.at(name).uses == 0) changed_.notify_all();
}

void Twins::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  changed_.notify_all();
}

TwinName add_twin(const Here& here, std::uint32_t type, void* object) {
  return node_of(here).twins().add(type, object);
}

void remove_twin(const Here& here, TwinName name) noexcept { node_of(here).twins().remove(name); }

TwinUse::TwinUse(const Here& here, TwinName name)
    : node_(node_of(here)), name_(name), object_(node_.twins().begin_use(name)) {}

TwinUse::~TwinUse() {
  if (object_ != nullptr) node_.twins().end_use(name_);
}

void* TwinUse::checked(const char* type) const {
  if (object_ == nullptr) throw TwinGone("its " + readable_name(type) + " is gone");
  return object_;
}

void rethrow_remote(const RemoteError& error) {
  static const std::string gone = readable_name(typeid(TwinGone).name());
  if (error.type() == gone) throw TwinGone(error.what());
  throw error;
}

}  // namespace kumiko::cluster::detail
