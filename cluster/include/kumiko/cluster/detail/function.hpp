// The functions that other ranks may invoke, with the same numbers on all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <kumiko/cluster/link.hpp>
#include <kumiko/cluster/program.hpp>

namespace kumiko::cluster::detail {

class Node;

/// A call that has arrived: the rank that called, the depth in a chain of calls, and the packed
/// arguments.
struct Call {
  Node& node;
  int caller;
  unsigned depth;
  std::span<const std::byte> arguments;
};

/// A function that other ranks can invoke: a static object, made before main(). Every rank runs the
/// same program, which program_id() checks, so the functions, sorted by the names of their types,
/// have the same numbers everywhere.
class Function {
 public:
  /// Unpacks the arguments, calls the function and packs its result into `result`, nullptr if the
  /// result is not wanted. Returns the number of tokens in the result, which are listed at its end.
  /// \throws the exceptions of the function and of Packing
  using Run = std::size_t (*)(const Call& call, Frame* result);

  Function(const char* name, Run code);
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  const char* name() const noexcept { return name_; }
  std::size_t run(const Call& call, Frame* result) const { return run_(call, result); }

  /// \throws std::logic_error if the function was loaded after the numbers were given.
  std::uint32_t number() const;

 private:
  friend std::uint64_t cluster::program_id();

  const char* const name_;
  const Run run_;
  std::optional<std::uint32_t> number_;
};

/// The function of this number; nullptr if there is none.
const Function* function_of(std::uint32_t number) noexcept;

}  // namespace kumiko::cluster::detail
