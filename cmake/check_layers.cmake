# ctest `architecture.layers`: a forbidden #include fails. Run with -DROOT=<source tree>.
set(forbid_src/core "(mdp|learning|oracle|experiments|plots|deep)/")
set(forbid_src/cli "(core|mdp|learning|oracle|experiments|plots|deep)/")
set(forbid_src/learning "(oracle|experiments|plots|deep|mdp/generate)/")
set(forbid_mdp "(learning|oracle|experiments|plots|deep)/")
set(forbid_oracle "(learning|experiments|plots|deep)/")
set(forbid_plots "(mdp|learning|oracle|experiments|deep)/")
set(forbid_deep "(mdp|learning|oracle|experiments)/")
# Each third-party library has one home (style: layer rule).
set(only_hdf5.h "src/core/hdf5_handle.hpp")
set(only_boost/multiprecision "experiments/audit/exact.cpp")
set(only_boost/random "src/core/rng.(hpp|cpp)")
set(only_boost/math "src/core/(statistics|rate).cpp")
set(only_Spectra/ "src/core/spectral.cpp")
set(only_toml "src/core/config_file.cpp")
set(only_SQLiteCpp/ "src/core/sqlite_file.hpp")
set(only_sqlite3.h "src/core/sqlite_file.cpp")
set(only_mpi.h "src/core/sweep/mpi_transport.cpp")
set(only_matplot/ "plots/render_matplot.cpp")
set(only_tbb/ "(src/core/parallel.cpp|experiments/cli/version.cpp)")
set(only_CLI/ "(src/cli/.*|experiments/cli/.*|deep/cli/.*|deep/main.cpp)")
set(libraries
    boost/math
    boost/multiprecision
    boost/random
    CLI/
    hdf5.h
    matplot/
    mpi.h
    Spectra/
    sqlite3.h
    SQLiteCpp/
    tbb/
    toml)
foreach(layer IN ITEMS src/core src/cli src/learning mdp oracle plots experiments deep)
  file(GLOB_RECURSE files RELATIVE ${ROOT} "${ROOT}/${layer}/*.?pp")
  foreach(file IN LISTS files)
    if(forbid_${layer})
      file(STRINGS "${ROOT}/${file}" bad REGEX "^#include \"${forbid_${layer}}")
      if(bad)
        message(SEND_ERROR "${file} may not include: ${bad}")
      endif()
    endif()
    foreach(library IN LISTS libraries)
      file(STRINGS "${ROOT}/${file}" uses REGEX "^#include <${library}")
      if(uses AND NOT file MATCHES "^${only_${library}}$")
        message(SEND_ERROR "${file} may not include: ${uses} (home: ${only_${library}})")
      endif()
    endforeach()
  endforeach()
endforeach()
