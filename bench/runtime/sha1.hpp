// SHA-1 of one block, as the Unbalanced Tree Search benchmark uses it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kumiko::bench {

using Sha1Digest = std::array<std::uint8_t, 20>;

/// SHA-1 (FIPS 180-4, section 6.1) of a message that fits one block with its padding. Portable: no
/// instruction of the processor for it. Not for anything secret.
/// \param message at most 55 bytes.
Sha1Digest sha1(std::span<const std::uint8_t> message) noexcept;

}  // namespace kumiko::bench
