// The types of parts that this program can do.
#pragma once

#include <cstdint>
#include <stop_token>

#include <kumiko/search/detail/part_type.hpp>

#include "exchange/delivery.hpp"

namespace kumiko::search::detail {

/// The type with this hash; nullptr if there is none.
const PartType* part_type(std::uint64_t hash) noexcept;

/// \throws std::logic_error if two types have the same hash
void check_part_types();

/// Does a part of another process as a search at `place`.
Delivered run_part(const Task& task, Outside& place, std::stop_token stop);

}  // namespace kumiko::search::detail
