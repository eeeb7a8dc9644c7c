// The unbalanced trees of the Unbalanced Tree Search benchmark (UTS).
#pragma once

#include <array>
#include <cstdint>

#include "sha1.hpp"

namespace kumiko::bench {

/// A node of an unbalanced tree. Its state decides what grows below it.
struct UtsNode {
  Sha1Digest state;
  int depth;
};

/// The binomial trees of the Unbalanced Tree Search benchmark (Olivier et al., LCPC 2006), with its
/// SHA-1 generator. The defaults are its sample tree T3: 4,112,897 nodes, depth 1572.
struct UtsTree {
  static constexpr int kMostChildren = 8;

  int root_children = 2000;       ///< b0
  int children = 8;               ///< m, at most kMostChildren: of those inner nodes that have any
  double probability = 0.124875;  ///< q: that a node but the root has children
  std::uint32_t seed = 42;

  UtsNode root() const noexcept {
    std::array<std::uint8_t, 20> message{};
    put_big_endian(seed, &message[16]);
    return {sha1(message), 0};
  }

  static UtsNode child(const UtsNode& parent, int index) noexcept {
    std::array<std::uint8_t, 24> message;
    for (std::size_t i = 0; i < parent.state.size(); ++i) message[i] = parent.state[i];
    put_big_endian(static_cast<std::uint32_t>(index), &message[20]);
    return {sha1(message), parent.depth + 1};
  }

  /// For any node but the root.
  int children_of(const UtsNode& node) const noexcept {
    return uniform(node.state) < probability ? children : 0;
  }

 private:
  static void put_big_endian(std::uint32_t value, std::uint8_t* bytes) noexcept {
    for (int i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(value >> (24 - 8 * i));
  }

  /// In [0, 1): the last 31 bits of the state.
  static double uniform(const Sha1Digest& state) noexcept {
    std::uint32_t value = 0;
    for (std::size_t i = 16; i < 20; ++i) value = value << 8 | state[i];
    return static_cast<double>(value & 0x7fffffffU) / 2147483648.0;
  }
};

}  // namespace kumiko::bench
