// The page: a skeleton with places for its parts.
#include <sstream>
#include <string_view>

#include <nlohmann/json.hpp>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/viz/report.hpp>

#include "base64.hpp"
#include "chart.hpp"
#include "headline.hpp"
#include "ranks.hpp"
#include "timeline.hpp"

// Names by assets.S.
#define KUMIKO_PAGE_PART(name)                  \
  extern "C" {                                  \
  extern const char kumiko_page_##name[];       \
  extern const char kumiko_page_##name##_end[]; \
  }                                             \
  static std::string_view name##_part() { return {kumiko_page_##name, kumiko_page_##name##_end}; }

KUMIKO_PAGE_PART(skeleton)
KUMIKO_PAGE_PART(style)
KUMIKO_PAGE_PART(notice)
KUMIKO_PAGE_PART(echarts)
KUMIKO_PAGE_PART(text)
KUMIKO_PAGE_PART(theme)
KUMIKO_PAGE_PART(tables)
KUMIKO_PAGE_PART(charts)
KUMIKO_PAGE_PART(timeline_data)
KUMIKO_PAGE_PART(timeline)
KUMIKO_PAGE_PART(search)
KUMIKO_PAGE_PART(main)
#undef KUMIKO_PAGE_PART

namespace kumiko::viz {

namespace {

using Json = nlohmann::ordered_json;

/// Text as it may stand between tags and in attributes. Control characters become blanks.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += byte < 0x20U || byte == 0x7FU ? ' ' : c;
    }
  }
  return result;
}

std::string escaped_lines(std::string_view text) {
  std::string html;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) html += escaped(line) + '\n';
  return html;
}

/// JSON that may stand within a script element, whatever its texts hold.
std::string script_json(const Json& json) {
  // File names need not be UTF-8.
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find('<', at)) != text.npos;) text.replace(at, 1, "\\u003c");
  return text;
}

Json pictures_json(const ReportRun& run) {
  Json json = Json::array();
  for (const ReportPicture& picture : run.pictures) {
    json.push_back({{"step", picture.step},
                    {"time", picture.time},
                    {"unnested", picture.unnested},
                    {"quantity", picture.quantity},
                    {"description", picture.description},
                    {"width", picture.image.width},
                    {"height", picture.image.height},
                    {"png", report::base64(picture.image.colours)},
                    {"lettering", report::base64(picture.image.lettering)}});
  }
  return json;
}

Json run_json(const ReportRun& run) {
  return {{"name", run.name},
          {"folder", run.folder.path.string()},
          {"about_files", run.about_files},
          {"configuration", run.folder.configuration},
          {"waits", run.folder.summary->at("longest_waits")},
          {"ranks", report::ranks_json(run)},
          {"pictures", pictures_json(run)},
          {"about_pictures", run.about_pictures},
          {"timeline", run.trace ? report::timeline_json(*run.trace) : Json()},
          {"about_trace", run.about_trace}};
}

Json published_json(const ReportOptions& options) {
  Json rows = Json::array();
  for (const PublishedRow& row : options.published) {
    Json ours = Json::array();
    for (const std::optional<double>& value : row.ours)
      ours.push_back(value ? Json(*value) : Json());
    rows.push_back({{"name", row.name},
                    {"norm", row.norm},
                    {"points", row.points},
                    {"value", row.value},
                    {"source", row.source},
                    {"ours", std::move(ours)}});
  }
  return rows;
}

Json page_json(std::span<const ReportRun> runs, const ReportOptions& options) {
  Json json = {{"title", options.title},
               {"version", options.version},
               {"headline", report::headline_json(runs)},
               {"published", published_json(options)},
               {"about_published", options.about_published},
               {"runs", Json::array()},
               {"charts", Json::array()}};
  for (const ReportRun& run : runs) json["runs"].push_back(run_json(run));
  for (const report::Chart& chart : report::charts_of(runs)) {
    json["charts"].push_back(report::to_json(chart));
  }
  return json;
}

std::string page_script() {
  std::string script = "\"use strict\";\n(() => {\n";
  for (const auto part : {text_part, theme_part, tables_part, charts_part, timeline_data_part,
                          timeline_part, search_part, main_part}) {
    script += part();
  }
  return script + "})();\n";
}

Json search_json(const ReportSearch& search, const ReportOptions& options) {
  Json json = {{"title", options.title},
               {"version", options.version},
               {"runs", Json::array()},
               {"search", *search.record},
               {"charts", Json::array()}};
  for (const report::Chart& chart : report::search_charts(search)) {
    json["charts"].push_back(report::to_json(chart));
  }
  return json;
}

/// The text that replaces {{name}} in the skeleton.
std::string content_of(std::string_view name, const Json& data, const ReportOptions& options) {
  if (name == "title") return escaped(options.title);
  if (name == "style") return std::string(style_part());
  if (name == "notice") return escaped_lines(notice_part());
  if (name == "echarts") return std::string(echarts_part());
  if (name == "data") return script_json(data);
  if (name == "script") return page_script();
  throw std::logic_error("the page's skeleton has an unknown place");
}

void write_page(const std::filesystem::path& file, const Json& data, const ReportOptions& options) {
  std::string page;
  std::string_view rest = skeleton_part();
  for (std::size_t place = rest.find("{{"); place != rest.npos; place = rest.find("{{")) {
    page += rest.substr(0, place);
    const std::size_t end = rest.find("}}", place);
    page += content_of(rest.substr(place + 2, end - place - 2), data, options);
    rest.remove_prefix(end + 2);
  }
  page += rest;
  io::write_text_file(file, page);
}

}  // namespace

bool report_available() { return true; }

void write_report(const std::filesystem::path& file, std::span<const ReportRun> runs,
                  const ReportOptions& options) {
  write_page(file, page_json(runs, options), options);
}

void write_report(const std::filesystem::path& file, const ReportSearch& search,
                  const ReportOptions& options) {
  write_page(file, search_json(search, options), options);
}

}  // namespace kumiko::viz
