#include <kumiko/amr/case.hpp>
#include <kumiko/amr/factory.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::amr {

template <class T>
Factory<T> factory_of(Description description, Maker<T> make) {
  const auto with_defaults =
      [make, fallback = defaults(description.parameters)](const ParameterSet& given) {
        ParameterSet parameters = fallback;
        for (const auto& [name, value] : given.values()) parameters.set(name, value);
        return make(parameters);
      };
  return {std::move(description), with_defaults};
}

template Factory<Case> factory_of(Description, Maker<Case>);
template Factory<Solver> factory_of(Description, Maker<Solver>);

}  // namespace kumiko::amr
