#include "exchange/part_types.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kumiko/cluster/program.hpp>
#include <kumiko/search/search.hpp>

#include "exchange/exchange.hpp"

namespace kumiko::search::detail {

namespace {

struct Types {
  std::mutex mutex;
  std::vector<const PartType*> loaded;  ///< guarded
};

/// Made by the first call, since types are static objects of many files.
Types& types() {
  static auto* const instance = new Types;
  return *instance;
}

std::shared_ptr<const Frame> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return std::make_shared<const Frame>(bytes.begin(), bytes.end());
}

}  // namespace

PartType::PartType(const char* name, Run code)
    : name_(name),
      code_(code),
      hash_(cluster::hashed(cluster::kHashBegin, name, std::strlen(name))) {
  const std::lock_guard lock(types().mutex);
  types().loaded.push_back(this);
}

const PartType* part_type(std::uint64_t hash) noexcept {
  const std::lock_guard lock(types().mutex);
  const auto& all = types().loaded;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const PartType* type) { return type->hash() == hash; });
  return found == all.end() ? nullptr : *found;
}

void check_part_types() {
  const std::lock_guard lock(types().mutex);
  std::vector<const PartType*> sorted = types().loaded;
  const auto hash = [](const PartType* type) { return type->hash(); };
  std::sort(sorted.begin(), sorted.end(),
            [&](const PartType* a, const PartType* b) { return hash(a) < hash(b); });
  const auto twice =
      std::adjacent_find(sorted.begin(), sorted.end(),
                         [&](const PartType* a, const PartType* b) { return hash(a) == hash(b); });
  if (twice == sorted.end()) return;
  throw std::logic_error("two functions whose parts processes share have one name, '" +
                         cluster::readable_name((*twice)->name()) +
                         "'; put one in a named namespace");
}

Delivered run_part(const Task& task, Outside& place, std::stop_token stop) {
  try {
    const PartType* const type = part_type(task.type);
    if (type == nullptr) throw std::runtime_error("this kind of part is not known to this process");
    Reader reader(*task.bytes);
    Frame result;
    type->run({place, std::move(stop), task.divisions}, reader, result);
    return {Outcome::kDone, std::make_shared<const Frame>(std::move(result))};
  } catch (const std::exception& exception) {
    return {Outcome::kFailed, bytes_of(exception.what())};
  } catch (...) {
    return {Outcome::kFailed, bytes_of("something that is not a std::exception")};
  }
}

std::shared_ptr<const Frame> wait_for(Delivery& part) {
  const Delivered& came = part.future.get();
  if (came.outcome != Outcome::kFailed) return came.bytes;
  throw PartError(
      std::string(reinterpret_cast<const char*>(came.bytes->data()), came.bytes->size()));
}

void withdraw(const std::shared_ptr<Delivery>& part) noexcept { part->exchange->withdraw(part); }

void refuse_addresses(std::span<const std::byte> object, const char* type) {
  // More than the stack of a lightweight thread, and less than its distance to anything else.
  constexpr std::uintptr_t kWindow = std::uintptr_t{1} << 20U;
  const auto here = reinterpret_cast<std::uintptr_t>(&type);
  for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= object.size();
       at += alignof(std::uintptr_t)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, object.data() + at, sizeof word);
    if (word < here || word - here > kWindow) continue;
    throw std::logic_error(
        "a function of a search that processes share has captured the address of a local "
        "variable, which means nothing elsewhere; capture its value, or keep it in the workspace "
        "(" +
        cluster::readable_name(type) + ")");
  }
}

}  // namespace kumiko::search::detail
