#include "run/description.hpp"

#include <string>

#include <nlohmann/json.hpp>

#include <kumiko/io/summary.hpp>

namespace kumiko::app {

namespace {

using Json = nlohmann::ordered_json;

Json case_json(const amr::Case& the_case, const std::string& name) {
  Json json;
  json["name"] = name;
  json["extent"] = {the_case.extent().x, the_case.extent().y};
  json["end_time"] = the_case.end_time();
  json["published_values"] = Json::array();
  for (const amr::PublishedValue& value : the_case.published_values()) {
    json["published_values"].push_back({{"name", value.name},
                                        {"value", value.value},
                                        {"norm", value.norm},
                                        {"points", value.points > 0 ? Json(value.points) : Json()},
                                        {"source", value.source}});
  }
  return json;
}

Json solver_json(const amr::SolverTraits& traits) {
  Json json;
  json["name"] = traits.name;
  json["centring"] = traits.centring == amr::Centring::kCell ? "cell" : "node";
  json["order"] = traits.order;
  json["cfl_limit"] = traits.cfl_limit;
  json["time_interpolations"] = Json::array();
  for (const auto one : {amr::TimeInterpolation::kCharacteristic, amr::TimeInterpolation::kLinear,
                         amr::TimeInterpolation::kQuadratic}) {
    if (amr::is_possible(traits, one)) json["time_interpolations"].push_back(amr::to_string(one));
  }
  json["suited_time_interpolation"] = amr::to_string(amr::suited_time_interpolation(traits));
  return json;
}

}  // namespace

Json description_of(const Setup& setup) {
  const amr::SimulationOptions& options = setup.options;
  Json json;
  json["case"] = case_json(*setup.the_case, setup.run.case_name);
  json["solver"] = solver_json(setup.solver->traits());
  json["run"] = {{"points", {options.points_x, options.points_y}},
                 {"levels", options.levels},
                 {"subcycling", options.subcycling},
                 {"steps", options.steps},
                 {"cfl", options.cfl},
                 {"stop_step", setup.stop_step == Setup::kNoStep ? 0 : setup.stop_step},
                 {"end_time", setup.end_time()},
                 {"goes_to_the_end", setup.goes_to_the_end()},
                 {"time_interpolation", amr::to_string(options.time_interpolation)}};
  json["config"] = io::config_json(setup.config.values());
  return json;
}

}  // namespace kumiko::app
