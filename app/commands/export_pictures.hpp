// Draws saved states as pictures, and joins those to an animation.
#pragma once

#include "commands/exported_states.hpp"
#include "options/options.hpp"

namespace kumiko::app {

/// Declares an option for each of what says how to draw.
void add_picture_options(Options& options, ExportRequest& request);

/// Draws the request's files, and all states of folders among them, in one range of colours. A file
/// that cannot be drawn is named in a line on stderr, and the others are drawn. Throws
/// RequestError. \return an exit code
int export_pictures(const ExportRequest& request);

/// Joins the pictures by ffmpeg to one of the request's format; else as export_pictures().
int export_animation(const ExportRequest& request);

}  // namespace kumiko::app
