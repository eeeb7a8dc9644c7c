// The rows that a run has left in its tables before it continues in their folder.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <kumiko/io/earlier_table.hpp>

#include "run/run_start.hpp"

namespace kumiko::app {

/// True if a complete run has lost the rows of a table that its manifest lists. No base steps are
/// left that would give it any. Call it before the manifest is removed.
bool is_lost(const Start& start, std::string_view name, const io::EarlierTable& rows);

/// The base steps for which a table has rows.
enum class RowSteps { kEach, kSomeAndTheLast, kSome };

/// Rows that the run has left in a table of the folder in which it continues. Warns if rows are
/// lost: the new table continues without them, or there is none if it is_lost(). There may be rows
/// up to base step `last`.
io::EarlierTable earlier_rows(const Start& start, const std::string& name, int last,
                              RowSteps steps);

/// Warns of tables that are not as the run left them. Call it before the rows are copied to new
/// tables, which hides changes of the old ones.
void warn_of_altered_tables(const std::filesystem::path& folder);

}  // namespace kumiko::app
