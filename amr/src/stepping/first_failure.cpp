#include "stepping/first_failure.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace kumiko::amr {

namespace {

/// What of a failure decides which one comes first, beside level and patch.
struct FailureTime {
  double time = 0.0;
  double cfl = 0.0;
  std::int32_t owner = 0;
};

bool comes_before(const Part<FailureTime>& a, const Part<FailureTime>& b) {
  const auto key = [](const Part<FailureTime>& part) {
    return std::tuple(part.value.time, part.patch.level, -part.value.cfl, part.patch);
  };
  return key(a) < key(b);
}

std::string text_of(const std::exception_ptr& what) {
  try {
    std::rethrow_exception(what);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

}  // namespace

void throw_first(Owner& owner, const std::optional<Failure>& own, const PatchId& patch) {
  std::vector<Part<FailureTime>> failures;
  if (own) failures.push_back({patch, 0, {own->step.time, own->cfl, owner.number()}});
  failures = collect(owner, std::move(failures));
  if (failures.empty()) return;
  const auto first = std::min_element(failures.begin(), failures.end(), comes_before);
  std::vector<Part<char>> text;
  if (first->value.owner == owner.number()) {
    for (const char letter : text_of(own->what)) {
      text.push_back({patch, static_cast<int>(text.size()), letter});
    }
  }
  text = collect(owner, std::move(text));
  if (first->value.owner == owner.number()) std::rethrow_exception(own->what);
  std::string message;
  for (const Part<char>& part : text) message += part.value;
  throw std::runtime_error(message);
}

}  // namespace kumiko::amr
