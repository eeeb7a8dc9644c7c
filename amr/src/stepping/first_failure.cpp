#include "stepping/first_failure.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <kumiko/amr/finite_check.hpp>
#include <kumiko/amr/step_error.hpp>

namespace kumiko::amr {

namespace {

/// The types of exceptions that owners tell each other of; whatever else there is is of kOther.
enum class ErrorType : std::int32_t { kOther, kCfl, kDeclaration, kBrokenValue, kInvalidArgument };

/// What of a failure decides which one comes first, beside level and patch; and what it is.
struct ToldFailure {
  double time = 0.0;
  double cfl = 0.0;
  std::int32_t owner = 0;
  ErrorType type = ErrorType::kOther;
  std::int64_t smallest_steps = 0;  ///< of CflError
};

bool comes_before(const Part<ToldFailure>& a, const Part<ToldFailure>& b) {
  const auto key = [](const Part<ToldFailure>& part) {
    return std::tuple(part.value.time, part.patch.level, -part.value.cfl, part.patch);
  };
  return key(a) < key(b);
}

/// Sets the type of a failure. \return its text
std::string text_and_type(const std::exception_ptr& what, ToldFailure& told) {
  try {
    std::rethrow_exception(what);
  } catch (const CflError& error) {
    told.type = ErrorType::kCfl;
    told.smallest_steps = error.smallest_steps();
    return error.what();
  } catch (const DeclarationError& error) {
    told.type = ErrorType::kDeclaration;
    return error.what();
  } catch (const BrokenValueError& error) {
    told.type = ErrorType::kBrokenValue;
    return error.what();
  } catch (const std::invalid_argument& error) {
    told.type = ErrorType::kInvalidArgument;
    return error.what();
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

[[noreturn]] void throw_told(const ToldFailure& told, const std::string& text) {
  switch (told.type) {
    case ErrorType::kCfl:
      throw CflError(text, told.smallest_steps);
    case ErrorType::kDeclaration:
      throw DeclarationError(text);
    case ErrorType::kBrokenValue:
      throw BrokenValueError(text);
    case ErrorType::kInvalidArgument:
      throw std::invalid_argument(text);
    case ErrorType::kOther:
      break;
  }
  throw std::runtime_error(text);
}

}  // namespace

void throw_first(Owner& owner, const std::optional<Failure>& own, const PatchId& patch) {
  std::vector<Part<ToldFailure>> failures;
  std::string own_text;
  if (own) {
    ToldFailure told{own->step.time, own->cfl, owner.number()};
    own_text = text_and_type(own->what, told);
    failures.push_back({patch, 0, told});
  }
  failures = collect(owner, std::move(failures));
  if (failures.empty()) return;
  const ToldFailure first = std::min_element(failures.begin(), failures.end(), comes_before)->value;
  const bool is_own = first.owner == owner.number();
  const std::vector<std::byte> others =
      owner.exchange(is_own ? std::as_bytes(std::span(own_text)) : std::span<const std::byte>());
  if (is_own) std::rethrow_exception(own->what);
  std::string text(others.size(), ' ');
  std::memcpy(text.data(), others.data(), others.size());
  throw_told(first, text);
}

}  // namespace kumiko::amr
