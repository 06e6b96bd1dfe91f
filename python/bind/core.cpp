// The module speder._core: the theory, without MuJoCo and libtorch. python/speder has the names that people use.
#include <nanobind/stl/string.h>

#include "speder/io/manifest.hpp"
#include "support.hpp"

NB_MODULE(_core, m) {
  m.doc() = "C++ core of speder; use the package speder.";
  nanobind::set_leak_warnings(false);  // pandas and notebooks keep results in cycles until the end
  speder::python::add_errors();
  speder::python::add_mdp(m);
  speder::python::add_solvers(m);
  speder::python::add_learn(m);
  speder::python::add_studies(m);
  speder::python::add_figures(m);
  const speder::Manifest build = speder::this_build();
  m.attr("version") = build.version;
  m.attr("commit") = build.commit;
}
