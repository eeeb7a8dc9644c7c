// The solvers to compare, as the options --solvers and --solver name them.
#pragma once

#include <string>
#include <vector>

namespace kumiko::app {

/// A solver to compare, with keys of its own.
struct Contender {
  std::string option;  ///< that names it
  std::string label;   ///< as the option gives it: NAME[,KEY=VALUE]...
  std::string solver;
  std::vector<std::string> overrides;  ///< KEY=VALUE with full keys
  // Known once its solver has been made.
  bool cells = false;  ///< else nodes
  double order = 0.0;  ///< that it declares; 0 = none
  double cfl_limit = 0.0;
  double cfl = 0.0;       ///< of its runs, where they choose their steps: the file's, or the limit
  double file_cfl = 0.0;  ///< that the file asks for; 0: it gives a number of steps
  std::string file_interpolation = {};  ///< the file's step.time_interpolation,
  std::string interpolation = {};       ///< and the one that it runs with

  /// True if it sets a key of its own, given by the full name.
  bool sets(const std::string& key) const;
  /// The contender as the command line names it: "--solver NAME,KEY=VALUE".
  std::string as_asked() const { return option + ' ' + label; }
};

/// The solvers to compare. Throws RequestError.
/// \param names  of --solvers
/// \param variants  of --solver, NAME[,KEY=VALUE]... each
/// \param of_file  the file's solver, which is the only one if there are neither
std::vector<Contender> parse_contenders(const std::vector<std::string>& names,
                                        const std::vector<std::string>& variants,
                                        const std::string& of_file);

/// The key of KEY=VALUE.
std::string key_of(const std::string& assignment);

/// Refuses keys of a solver in --set: they go with the solver's name, since no other solver may
/// know them. Throws RequestError.
void refuse_solver_keys(const std::vector<std::string>& overrides);

}  // namespace kumiko::app
