// Identifies programs, types and machines, alike in all processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kumiko::cluster {

/// Differs between programs: a hash of the build id and of the names of the functions that other
/// ranks may invoke. Numbers these functions at the first call: those loaded later cannot be
/// invoked.
/// \throws std::logic_error if two functions have one name, as functions in unnamed namespaces of
/// two files may have.
std::uint64_t program_id();

/// Differs between machines; 0 if it is not known.
std::uint64_t machine_id();

/// The name in the source of a type, from its std::type_info::name().
std::string readable_name(const char* mangled);

/// The hash of no bytes.
inline constexpr std::uint64_t kHashBegin = 0xcbf29ce484222325U;

/// The hash (FNV-1a) of the bytes that have the hash `hash`, followed by these bytes.
inline std::uint64_t hashed(std::uint64_t hash, const void* bytes, std::size_t size) noexcept {
  for (const auto* at = static_cast<const unsigned char*>(bytes); size-- > 0; ++at) {
    hash = (hash ^ *at) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace kumiko::cluster
