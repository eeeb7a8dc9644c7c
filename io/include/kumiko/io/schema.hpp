// What a configuration may hold: every key, declared once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/option_field.hpp>

namespace kumiko::io {

/// One key of the configuration: an option, under its full dotted name, e.g. "grid.base". Where a
/// list has a known size, a single integer stands for all elements of a list of integers.
struct Key : amr::OptionSpec {
  std::string option = {};  ///< the option's own name: "points" of "grid.base"
  /// In each table of a list: "amr.region.x" is x in every [[amr.region]], and the value of the
  /// first one is "amr.region[0].x".
  bool repeated = false;

  /// The part of the name before its last dot.
  std::string_view table() const {
    return std::string_view(spec.name).substr(0, spec.name.rfind('.'));
  }
  /// At a restart.
  bool changeable() const { return determines == amr::Determines::kRun; }
  /// Whether a restart may change it, which then stands in the lineage.
  bool changes_course() const { return determines == amr::Determines::kCourse; }
};

/// The keys of a run: the core's own, and those that its solver and its case declare.
class Schema {
 public:
  /// The core keys.
  Schema();

  /// Adds what a solver or a case declares, as "TABLE.NAME".
  /// \param table  "solver" or "case"
  /// Throws std::invalid_argument, naming the key, for a name that is empty or taken, and for a
  /// default that its own range or choices refuse.
  void add(const std::string& table, const std::vector<amr::ParameterSpec>& parameters);

  /// Says whose a key is that this run has not, e.g. "solver.limiter" of "solver 'fct'", so that it
  /// can be told from one that nobody knows.
  void note_other(const std::string& table, const std::vector<amr::ParameterSpec>& parameters,
                  const std::string& owner);
  /// Who has such a key, where this run has not: "solver 'fct' or solver 'thinc'"; empty if nobody.
  std::string other_owners(std::string_view name) const;

  /// The key of a full dotted name, or nullptr.
  const Key* find(std::string_view name) const;
  /// Whether some key's name starts with "name.".
  bool has_table(std::string_view name) const;
  /// In the order of declaration.
  const std::vector<Key>& keys() const { return keys_; }

 private:
  struct Other {
    std::string name;
    std::string owner;
  };

  std::vector<Key> keys_;
  std::vector<Other> others_;
};

/// A message of the engine, or a help text: the options that it names in backticks by their keys.
std::string with_keys(std::string_view text);

/// A value as a configuration has it: a text in quotes.
std::string value_text(const amr::ParameterValue& value);

/// The reference of a key in lines of 100 columns: its name; below it, by 4 spaces, its help; then
/// its type, range or choices, and default. What a line has no room for goes on by 6 spaces.
std::string describe_key(const Key& key);

}  // namespace kumiko::io
