#include "stepping/first_failure.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <kumiko/amr/finite_check.hpp>
#include <kumiko/amr/step_error.hpp>

#include "observation/patch_error.hpp"

namespace kumiko::amr {

namespace {

/// Whether one failure comes before another one.
bool comes_before(const PatchValue<ToldFailure>& a, const PatchValue<ToldFailure>& b) {
  const auto key = [](const PatchValue<ToldFailure>& part) {
    return std::tuple(part.value.order, -part.value.cfl, part.patch);
  };
  return key(a) < key(b);
}

/// Where a failure happened.
std::string place_of(const LevelStep& step, const PatchId& patch) {
  const std::string in_step =
      step.base_step < 0 ? std::string() : fmt::format(", base step {}", step.base_step);
  return fmt::format("{}{}, t = {:g}", to_string(patch), in_step, step.time);
}

/// The same failure with its place after its text, unless its text names the place already, as the
/// engine's own errors do, or it is of another rank.
std::exception_ptr placed(const Failure& failure, const PatchId& patch) {
  try {
    std::rethrow_exception(failure.what);
  } catch (const CflError&) {
  } catch (const StepRefused&) {
  } catch (const InadmissibleState&) {
  } catch (...) {
    return with_place(failure.what, place_of(failure.step, patch));
  }
  return failure.what;
}

/// Sets the type of a failure. \return its text
std::string text_and_type(const std::exception_ptr& what, ToldFailure& told) {
  try {
    std::rethrow_exception(what);
  } catch (const CflError& error) {
    told.type = ErrorType::kCfl;
    told.number = error.smallest_steps();
    return error.what();
  } catch (const StepRefused& error) {
    told.type = ErrorType::kRefused;
    told.number = error.base_step();
    return error.what();
  } catch (const InadmissibleState& error) {
    told.type = ErrorType::kInadmissible;
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
      throw CflError(text, told.number);
    case ErrorType::kRefused:
      throw StepRefused(text, static_cast<int>(told.number));
    case ErrorType::kInadmissible:
      throw InadmissibleState(text);
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

PieceOrder order_of(const LevelStep& step, PieceKind kind) {
  if (kind == PieceKind::kFinish) return {step.end_tick(), 0, -step.level, 0};
  return {step.begin_tick(), 1, step.level, kind == PieceKind::kBlend ? 1 : 0};
}

OwnFailure::OwnFailure(const Communicator& communicator, const std::optional<Failure>& own,
                       const PatchId& patch) {
  if (!own) return;
  try {
    what_ = placed(*own, patch);
  } catch (const std::bad_alloc&) {
    // No memory for the words: the others wait for this rank all the same.
    what_ = own->what;
  }
  ToldFailure told{order_of(own->step, own->kind), own->cfl, communicator.rank()};
  text_ = text_and_type(what_, told);
  told_.push_back({patch, 0, told});
}

void OwnFailure::throw_first(Communicator& communicator,
                             const std::vector<PatchValue<ToldFailure>>& all) const {
  if (all.empty()) return;
  const ToldFailure first = std::min_element(all.begin(), all.end(), comes_before)->value;
  const bool is_own = first.rank == communicator.rank();
  const auto texts = gather(communicator, is_own ? text_ : std::string());
  if (is_own) std::rethrow_exception(what_);
  throw_told(first, texts[static_cast<std::size_t>(first.rank)]);
}

void throw_first(Communicator& communicator, const std::optional<Failure>& own,
                 const PatchId& patch) {
  const OwnFailure failure(communicator, own, patch);
  failure.throw_first(communicator, collect(communicator, failure.told()));
}

}  // namespace kumiko::amr
