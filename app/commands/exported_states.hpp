// The request of an export, and the states that it names.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <kumiko/io/checkpoint.hpp>
#include <kumiko/viz/state_image.hpp>

namespace kumiko::app {

/// A request to export states.
struct ExportRequest {
  std::vector<std::filesystem::path> files;
  std::filesystem::path output;
  std::string format;
  bool quiet = false;
  std::string quantity = "field";       ///< of pictures
  std::string component;                ///< of the field, by name; empty: the first, or all
  std::string range;                    ///< LOW,HIGH of the colours; empty = the values'
  int fps = 10;                         ///< pictures a second of an animation
  int width = viz::kUsualPictureWidth;  ///< of the picture of a square domain, in pixels
  std::string uniform;                  ///< level of the uniform grid; empty = the finest
  std::string box;                      ///< X0,X1,Y0,Y1 on that grid; empty = the domain
  std::vector<std::filesystem::path> plugin_path;  ///< of the cases of states
};

/// Adds a file to those whose results are named after their base steps. Throws std::runtime_error
/// where another one has the same.
void add_step(std::map<int, std::filesystem::path>& steps, int step,
              const std::filesystem::path& file);

/// The exit code of an export: a wrong request that has written something has failed.
int exit_code(int code, bool has_written);

/// Prints the name of a result, unless the request is quiet.
void print_result(const ExportRequest& request, const std::filesystem::path& result);

/// The index of a component of the field by its name. Throws RequestError.
std::size_t component_index(const io::Checkpoint& checkpoint, const std::string& name);

/// Visits each file that the request names, and of folders among them all states. A file whose
/// visit throws is named in a line on stderr, and the others are visited, unless the disk is full.
/// A fault of the request that several files show is told once. \return kDone, or the code of what
/// was wrong with some of them
int for_each_state(const ExportRequest& request,
                   const std::function<void(const std::filesystem::path& file)>& visit);

}  // namespace kumiko::app
