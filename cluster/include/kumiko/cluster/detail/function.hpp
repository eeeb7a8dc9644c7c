// The functions that other ranks may invoke, by numbers that all ranks agree on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <kumiko/cluster/link.hpp>
#include <kumiko/cluster/program.hpp>

namespace kumiko::cluster::detail {

class Node;

/// A call that has come: from whom, how deep in a chain of invocations, and the packed arguments.
struct Call {
  Node& node;
  int caller;
  unsigned depth;
  std::span<const std::byte> arguments;
};

/// A function that can be invoked from elsewhere, made before main() by whoever names it. Every
/// rank runs the same program, so that sorted by their types' names they have the same numbers
/// everywhere; that the programs are the same is checked by program_id().
class Function {
 public:
  /// Unpacks the arguments, calls the function and packs what it returns into `result`, nullptr if
  /// nobody wants it. Returns how many tokens go with it, which are named at its end. \throws what
  /// these do.
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
