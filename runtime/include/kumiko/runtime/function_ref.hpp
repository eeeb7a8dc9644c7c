// Names a callable without owning it: what a policy's functions are handed.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>

namespace kumiko::runtime {

template <class Signature>
class FunctionRef;

/// Refers to a callable of any class. To be used as a parameter only: it is valid as long as what
/// it was made from. Cost: that of a call by pointer, none where the compiler sees both sides.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  /// Refers to a callable. Not explicit: an argument becomes one.
  template <class Callable>
  requires(!std::same_as<std::remove_cvref_t<Callable>, FunctionRef> &&
           std::is_invocable_r_v<Result, Callable&,
                                 Arguments...>) constexpr FunctionRef(Callable&& callable) noexcept
      : callable_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* known, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(known))(arguments...);
        }) {}

  /// Calls it.
  constexpr Result operator()(Arguments... arguments) const {
    return call_(callable_, arguments...);
  }

 private:
  void* callable_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace kumiko::runtime
