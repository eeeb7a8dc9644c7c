#include "stepping/first_failure.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
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

/// A type of exceptions that ranks tell each other.
struct ToldType {
  bool (*is_of)(const std::exception& error);
  void (*raise)(const std::string& text, std::int64_t number);
};

template <class Error>
constexpr ToldType kTold = {
    [](const std::exception& error) { return dynamic_cast<const Error*>(&error) != nullptr; },
    [](const std::string& text, std::int64_t number) {
      if constexpr (std::is_same_v<Error, CflError>) {
        throw CflError(text, number);
      } else if constexpr (std::is_same_v<Error, StepRefused>) {
        throw StepRefused(text, static_cast<int>(number));
      } else {
        throw Error(text);
      }
    }};

/// Derived types before their bases.
constexpr std::array kToldTypes = {kTold<CflError>,          kTold<StepRefused>,
                                   kTold<InadmissibleState>, kTold<DeclarationError>,
                                   kTold<BrokenValueError>,  kTold<std::invalid_argument>,
                                   kTold<std::runtime_error>};

/// Sets the type of a failure. \return its text
std::string text_and_type(const std::exception_ptr& what, ToldFailure& told) {
  told.type = kToldTypes.size() - 1;
  try {
    std::rethrow_exception(what);
  } catch (const std::exception& error) {
    if (const auto* cfl = dynamic_cast<const CflError*>(&error)) {
      told.number = cfl->smallest_steps();
    }
    if (const auto* refused = dynamic_cast<const StepRefused*>(&error)) {
      told.number = refused->base_step();
    }
    const auto type =
        std::ranges::find_if(kToldTypes, [&](const ToldType& each) { return each.is_of(error); });
    if (type != kToldTypes.end()) told.type = static_cast<std::int32_t>(type - kToldTypes.begin());
    return error.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
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
  kToldTypes.at(static_cast<std::size_t>(first.type))
      .raise(texts[static_cast<std::size_t>(first.rank)], first.number);
}

void throw_first(Communicator& communicator, const std::optional<Failure>& own,
                 const PatchId& patch) {
  const OwnFailure failure(communicator, own, patch);
  failure.throw_first(communicator, collect(communicator, failure.told()));
}

}  // namespace kumiko::amr
