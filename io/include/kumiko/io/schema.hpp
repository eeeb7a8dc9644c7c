// The schema of a configuration: every key, declared once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/option_field.hpp>

namespace kumiko::io {

/// One key of the configuration: an option, under its full dotted name, e.g. "grid.base". If a list
/// of integers has a known size, a single integer stands for all its elements.
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
  /// True if a restart may change it and then records this in the lineage.
  bool changes_course() const { return determines == amr::Determines::kCourse; }
};

/// The keys of a run: the core's own, and those that its solver and its case declare.
class Schema {
 public:
  /// The core keys.
  Schema();

  /// Adds the parameters that a solver or a case declares, as "TABLE.NAME".
  /// \param table  "solver" or "case"
  /// Throws std::invalid_argument, naming the key, if a name is empty or declared twice, or if a
  /// default is outside its own range or choices.
  void add(const std::string& table, const std::vector<amr::ParameterSpec>& parameters);

  /// Records a key that this run does not have and its owner, e.g. "solver.limiter" of "solver
  /// 'fct'", so that it can be distinguished from an unknown key.
  void note_other(const std::string& table, const std::vector<amr::ParameterSpec>& parameters,
                  const std::string& owner);
  /// The owners of a key that this run does not have: "solver 'fct' or solver 'thinc'"; empty if
  /// there are none.
  std::string other_owners(std::string_view name) const;

  /// The key of a full dotted name, or nullptr.
  const Key* find(std::string_view name) const;
  /// True if some key's name starts with "name.".
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

/// A message of the engine, or a help text, with the options in backticks replaced by their keys.
std::string with_keys(std::string_view text);

/// A value in the notation of a configuration: text is in quotes.
std::string value_text(const amr::ParameterValue& value);

/// The reference of a key in lines of 100 columns: its name; below it, by 4 spaces, its help; then
/// its type, range or choices, and default. Continued lines are indented by 6 spaces.
std::string describe_key(const Key& key);

}  // namespace kumiko::io
