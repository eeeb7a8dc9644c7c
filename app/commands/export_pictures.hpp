// Draws saved states as pictures, and joins those to an animation.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <kumiko/viz/state_image.hpp>

#include "options/options.hpp"

namespace kumiko::app {

/// The quantity to draw, and how to draw it.
struct PictureRequest {
  std::vector<std::filesystem::path> files;
  std::filesystem::path output;
  std::string format;
  bool quiet = false;
  std::string quantity = "field";
  std::string component;                ///< of the field, by name; empty = the first
  std::string range;                    ///< LOW,HIGH of the colours; empty = the values'
  int fps = 10;                         ///< pictures a second of an animation
  int width = viz::kUsualPictureWidth;  ///< of the picture of a square domain, in pixels
};

/// Adds a file to those whose results are named after their base steps. Throws std::runtime_error
/// where another one has the same.
void add_step(std::map<int, std::filesystem::path>& steps, int step,
              const std::filesystem::path& file);

/// Prints the name of a result, unless the request is quiet.
void tell_result(const PictureRequest& request, const std::filesystem::path& result);

/// The exit code of an export: a wrong request that has written something has failed.
int exit_code(int code, bool has_written);

/// Declares an option for each of what says how to draw.
void add_picture_options(Options& options, PictureRequest& request);

/// Draws the request's files, and all states of folders among them, in one range of colours. A file
/// that cannot be drawn is named in a line on stderr, and the others are drawn. Throws
/// RequestError. \return an exit code
int export_pictures(const PictureRequest& request);

/// Joins the pictures by ffmpeg to one of the request's format; else as export_pictures().
int export_animation(const PictureRequest& request);

}  // namespace kumiko::app
