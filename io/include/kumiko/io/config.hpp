// The configuration of a run: read from TOML, checked in full, written back in full.
//
//   ConfigSource source = read_config("zalesak.toml", {"amr.levels=2"});
//   Schema schema;
//   schema.add("case", parameters of the case called source.text("case.name"));
//   schema.add("solver", parameters of the solver called source.text("solver.name"));
//   Config config = source.check(schema);
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kumiko/amr/option_field.hpp>
#include <kumiko/amr/parameter.hpp>
#include <kumiko/io/detail/setting.hpp>
#include <kumiko/io/schema.hpp>

namespace kumiko::io {

/// The configuration is wrong. what() is one line, "file:line: cause; remedy", or, for a value
/// from the command line, "--set KEY=VALUE: cause; remedy".
struct ConfigError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// A configuration that passed every check: a value for each key of its schema.
class Config {
 public:
  explicit Config(amr::ParameterSet values) : values_(std::move(values)) {}

  /// All keys, by full dotted name; those of [[amr.region]] are "amr.region[0].x" and so on, with
  /// indices from 0 without gaps.
  const amr::ParameterSet& values() const { return values_; }
  /// The parameters of the solver or of the case, under the names that it has declared.
  amr::ParameterSet solver_parameters() const { return parameters_of("solver."); }
  amr::ParameterSet case_parameters() const { return parameters_of("case."); }

  /// The same configuration with another value of one of its keys.
  Config with(const std::string& name, amr::ParameterValue value) const;

  /// The effective configuration, defaults and overrides included. Reading it back gives the same
  /// configuration.
  std::string to_toml() const;
  /// The part of it that determines the state, for a checkpoint; and the values of all other keys,
  /// for the checkpoint's sidecar.
  std::string state_toml() const;
  amr::ParameterSet run_values() const;
  /// True if no bit of the state depends on a key. The times of output are such keys unless base
  /// steps end at them.
  bool is_of_run(const std::string& name) const;

 private:
  amr::ParameterSet that_determine(amr::Determines what) const;
  amr::ParameterSet parameters_of(std::string_view prefix) const;

  amr::ParameterSet values_;
};

/// Values of keys that are stored in a separate file next to a configuration's text.
struct ValuesBeside {
  std::string name = {};  ///< name of that file, for messages
  amr::ParameterSet values = {};
  bool names_lines = true;  ///< whether messages name the text's lines: not those of a binary file
};

/// A configuration as it was written, with the overrides of the command line. Keys of the core have
/// been checked. Keys of the solver and the case can be checked only after these have been found by
/// name.
class ConfigSource {
 public:
  /// The value of a core key whose type is text, e.g. "case.name"; the default if it is not set.
  const std::string& text(std::string_view name) const { return core_.text(name); }

  /// Checks every setting against the schema. Throws ConfigError.
  Config check(const Schema& schema) const;

  /// The same configuration for a run of another solver. The file's keys of [solver] belong to the
  /// solver that it names, so they are left out if `name` is another solver. Keys of the command
  /// line remain. `where` is the place of the name in messages.
  ConfigSource with_solver(const std::string& name, const std::string& where) const;

  /// The same configuration without those of the file's keys in a table that the schema lacks: of a
  /// run whose solver or case had other keys then.
  /// \param left_out  gets them, as "solver.limiter: 0.5"
  ConfigSource without_unknown(const Schema& schema, std::string_view table,
                               std::vector<std::string>& left_out) const;

  /// A line for each key that is set by an old name, with its current name, and for each override
  /// that replaces a different value of an earlier override.
  const std::vector<std::string>& notes() const { return notes_; }

  /// The value that the file or the command line gives a key, as text; empty if neither does.
  std::string written(std::string_view name) const;

  /// "--set KEY=VALUE", the override that is in effect for a key; empty without one.
  std::string override_of(std::string_view name) const;

  /// The error to throw about a key's value, with the place where the value was set.
  ConfigError error(std::string_view name, const std::string& message) const;
  /// The error to throw for an error of the engine about an option, with the option's key.
  ConfigError error(const amr::OptionError& refusal) const;

 private:
  friend ConfigSource parse_config(std::string_view, const std::string&,
                                   const std::vector<std::string>&, const ValuesBeside&);

  amr::ParameterSet values(const Schema& schema, bool core_only) const;
  void refuse_missing(const Schema& schema) const;
  /// Sets the defaults for a run that chooses its steps or its regrids.
  void complete_steps(amr::ParameterSet& values) const;
  /// Leaves rows of diagnostics and of records to their interval if only that is given.
  void complete_rows(amr::ParameterSet& values) const;
  /// True if the configuration sets a key.
  bool sets(std::string_view name) const;
  /// Sets the grid for which the thresholds are given to the file's grid, if the configuration does
  /// not name one.
  void complete_threshold(const Schema& schema, amr::ParameterSet& values) const;
  /// Adds the keys that a table of a list does not set, with their defaults.
  void complete_lists(const Schema& schema, amr::ParameterSet& values) const;

  std::string name_;
  std::vector<detail::Setting> settings_;  ///< the file's in its order, then the overrides
  std::vector<std::string> notes_;
  amr::ParameterSet core_;
};

/// Reads a TOML file and applies overrides, each `KEY=VALUE`; the last one of a key is used. VALUE
/// is read as the key's declared type; text needs no quotes. If an override names another solver or
/// case than the file, the file's other keys of that table are left out. Throws ConfigError if the
/// file cannot be read, is not TOML, or has an error in a core key.
ConfigSource read_config(const std::filesystem::path& path,
                         const std::vector<std::string>& overrides = {});

/// The same for TOML text in memory; `name` is the name of the file in messages. Values of `beside`
/// are used as if they were in the text.
ConfigSource parse_config(std::string_view text, const std::string& name,
                          const std::vector<std::string>& overrides = {},
                          const ValuesBeside& beside = {});

}  // namespace kumiko::io
