// What the command line asks for, and the error of a request that cannot be met.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <kumiko/plugin/registry.hpp>

namespace kumiko::app {

/// Exit codes that scripts rely on.
inline constexpr int kDone = 0;
inline constexpr int kRunFailed = 1;
inline constexpr int kWrongRequest = 2;

/// The request cannot be served as it stands; the message names the cause and the remedy.
class RequestError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Options of the commands.
struct Request {
  std::filesystem::path config;
  std::vector<std::string> overrides;  ///< KEY=VALUE
  std::string backend = "threads";
  int workers = 0;  ///< 0 = as the configuration says
  std::filesystem::path output;
  bool overwrite = false;
  std::string restart;  ///< a checkpoint's file, kLatest, or empty
  std::filesystem::path summary;
  bool quiet = false;
  std::filesystem::path file;                ///< to inspect, or to check
  std::vector<std::filesystem::path> files;  ///< to export
  std::string format = "plotfile";           ///< to export to
  std::string quantity = "field";            ///< that pictures show
  std::string component;                     ///< of the field, by name; empty = the first
  std::string range;                         ///< LOW,HIGH of pictures' colours; empty = the values'
  int fps = 10;                              ///< pictures a second of an animation
  int width = 1314;                          ///< of pictures
  bool json = false;
  std::string name;  ///< of a new solver or case
  /// Where solvers and cases are found; every command that computes has one.
  std::shared_ptr<const plugin::Registry> plugins;
  std::string solver;                 ///< instead of the configuration's, where not empty
  std::string solver_from;            ///< what has named it, for messages
  std::vector<std::string> solvers;   ///< to compare, by name
  std::vector<std::string> variants;  ///< to compare too: NAME[,KEY=VALUE]...
  std::vector<int> resolutions;       ///< to compare at: points of level 0 in x
  int repetitions = 1;                ///< of each run that is compared
  std::vector<int> worker_counts;     ///< to scale over
  std::vector<std::string> backends = {"threads", "pthread", "openmp"};         ///< to scale
  std::string norm = "rms";                                                     ///< to compare by
  std::string worker_list = "1..1024";                                          ///< to simulate
  std::vector<std::string> models = {"dataflow", "level", "static", "openmp"};  ///< to simulate
  std::vector<std::string> overheads;          ///< to simulate with: NAME=NANOSECONDS
  std::uint64_t seed = 1;                      ///< of what is drawn by chance
  std::vector<std::filesystem::path> folders;  ///< of runs, to report on
  std::filesystem::path tables;                ///< folder for the numbers of the report's charts
  std::vector<double> times;                   ///< of the report's pictures; none: some of the run
  std::string title;                           ///< of the report
};

/// The checkpoint to go on from: the newest whole one of the run's folder.
inline constexpr const char* kLatest = "latest";

/// Prints an error in one line. @return the code
int error_line(const std::string& message, int code);

/// The commands; each returns an exit code, and throws RequestError before any work is done or
/// another exception when the run fails.
int run_command(const Request& request);
int table_command(const Request& request);
int compare_command(const Request& request);
int scaling_command(const Request& request);
int inspect_command(const Request& request);
int export_command(const Request& request);
int simulate_command(const Request& request);
int check_command(const Request& request);
int report_command(const Request& request);
int solver_list_command(const Request& request);
int case_list_command(const Request& request);
int new_solver_command(const Request& request);
int new_case_command(const Request& request);

}  // namespace kumiko::app
