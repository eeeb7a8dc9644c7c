// Names of values in a list of tables.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kumiko::io {

/// "amr.region[2].x": key x of the third [[amr.region]]; no key for the table itself. TOML's own
/// names have brackets within quotes only.
struct ListedName {
  std::string table;      ///< "amr.region"
  std::size_t index = 0;  ///< from 0
  std::string key;        ///< "x", or empty

  /// The name under which the key is declared, "amr.region.x"; of the table without a key.
  std::string declared() const { return key.empty() ? table : table + "." + key; }
  /// The table's own name, "amr.region[2]".
  std::string entry() const { return table + "[" + std::to_string(index) + "]"; }
};

/// The parts of such a name; nothing for other names.
std::optional<ListedName> listed_name(std::string_view name);

/// The name under which the key of any value is declared.
std::string declared_name(std::string_view name);

}  // namespace kumiko::io
