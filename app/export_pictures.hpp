// Makes pictures, or an animation of them, from saved states.
#pragma once

#include <string>
#include <string_view>

#include "request.hpp"

namespace kumiko::app {

/// Whether a format of `kumiko export` is one of pictures: png, mp4, gif or webm.
bool is_picture_format(std::string_view format);

/// Whether it is one of animations: mp4, gif or webm.
bool is_animation_format(std::string_view format);

/// Names of the quantities that pictures show.
const std::vector<std::string>& quantity_names();

/// Draws the request's files, and all states of folders among them, in one range of colours; joins
/// the pictures by ffmpeg where an animation is asked for. A file that cannot be drawn is named in
/// a line on stderr, and the others are drawn. Throws RequestError. @return an exit code
int export_pictures(const Request& request);

}  // namespace kumiko::app
