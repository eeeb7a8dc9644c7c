// The kinds of parts that this program can do.
#pragma once

#include <cstdint>

#include <kumiko/search/detail/part_type.hpp>

namespace kumiko::search::detail {

/// The kind of this hash; nullptr if there is none.
const PartType* part_type(std::uint64_t hash) noexcept;

/// \throws std::logic_error if two kinds have one hash
void check_part_types();

}  // namespace kumiko::search::detail
