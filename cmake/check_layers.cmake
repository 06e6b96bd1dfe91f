# ctest `architecture.layers`: a forbidden #include fails. Run with -DROOT=<source tree>. ARCHITECTURE.md says why.
set(base "core|io|stats|sweep")
set(above "mdp|learning|oracle|experiments|plots|deep|cli")
set(forbid_src/core "(io|stats|sweep|${above})/")
set(forbid_src/io "(stats|sweep|${above})/")
set(forbid_src/stats "(io|sweep|${above})/")
set(forbid_src/sweep "(stats|${above})/")
set(forbid_src/cli "(stats|mdp|learning|oracle|experiments|deep)/")
# The learner never sees the truth: not its families, nor the makers of classes around a known kernel.
set(forbid_src/learning
    "(stats|sweep|oracle|experiments|plots|deep|cli|mdp/families|mdp/file|mdp/conditions|mdp/classes/(class_kinds|candidate_direction|realizable_class))")
set(forbid_mdp "(stats|sweep|learning|oracle|experiments|plots|deep|cli)/")
set(forbid_oracle "(stats|sweep|learning|experiments|plots|deep|cli)/")
set(forbid_plots "(mdp|learning|oracle|experiments|deep|cli)/")
set(forbid_deep/sim "(sweep|mdp|learning|oracle|experiments|plots|cli|deep/learn|deep/train|deep/exact|deep/imitate|deep/results|deep/cli)/")
set(forbid_deep/learn "(mdp|learning|oracle|experiments|plots|cli|deep/train|deep/exact|deep/imitate|deep/results|deep/cli)/")
set(forbid_deep/train "(mdp|learning|oracle|experiments|plots|cli|deep/exact|deep/imitate|deep/results|deep/cli)/")
set(forbid_deep/results "(mdp|learning|oracle|experiments|cli|deep/imitate|deep/cli)/")
set(forbid_deep/imitate "(mdp|learning|oracle|experiments|cli|deep/cli)/")
set(forbid_deep "(mdp|learning|oracle|experiments)/")
# deep meets mdp where an exact MDP is its task, in two folders with rules of their own: deep/sim/exact makes a
# file a task, deep/exact compares what was learned with the truth.
set(forbid_deep/sim/exact
    "(sweep|learning|oracle|experiments|plots|cli|mdp/(families|classes|planners|conditions)|deep/(learn|train|exact|imitate|results|cli))/")
set(forbid_deep/exact "(experiments|plots|cli|mdp/families|deep/(imitate|results|cli))/")
set(forbid_experiments "deep/")
# A judge reads stored rows and runs nothing.
set(forbid_judge "(mdp|learning|oracle|cli|experiments/(audit|bench|checks|cli|instances|learn))/")
# Each third-party library has one home.
set(only_hdf5.h "src/io/hdf5_handle.hpp")
set(only_boost/multiprecision "experiments/audit/objects/exact.cpp")
set(only_boost/random "src/core/(rng|binomial).(hpp|cpp)")
set(only_boost/math "src/stats/(statistics|rate|scaling|scaling_models).cpp")
set(only_Spectra/ "src/core/spectral.cpp")
set(only_toml "src/io/toml_file.cpp")
set(only_SQLiteCpp/ "src/io/sqlite_file.hpp")
set(only_sqlite3.h "src/io/sqlite_file.cpp")
set(only_mpi.h "src/sweep/mpi_transport.cpp")
set(only_matplot/ "plots/render/matplot.cpp")
set(only_tbb/ "(src/core/parallel.cpp|experiments/cli/version.cpp)")
set(only_CLI/ "(src/cli/.*|experiments/cli/.*|deep/cli/.*|deep/main.cpp)")
set(only_torch/ "deep/learn/.*")
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
    toml
    torch/)
function(refuse file layer)
  file(STRINGS "${ROOT}/${file}" bad REGEX "^#include \"speder/${forbid_${layer}}")
  if(bad)
    message(SEND_ERROR "${file} may not include: ${bad}")
  endif()
endfunction()
foreach(layer IN ITEMS src/core src/io src/stats src/sweep src/cli src/learning mdp oracle plots experiments deep
                       deep/sim deep/sim/exact deep/learn deep/train deep/exact deep/results deep/imitate)
  file(GLOB_RECURSE files RELATIVE ${ROOT} "${ROOT}/${layer}/*.?pp")
  if(NOT files)
    message(SEND_ERROR "${layer} has no sources: the layer rule checks nothing there")
  endif()
  foreach(file IN LISTS files)
    string(REGEX MATCH "^deep/(sim/)?exact" own ${file})
    if(forbid_${layer} AND (NOT own OR layer STREQUAL own))
      refuse(${file} ${layer})
    endif()
    if(file MATCHES "^experiments/rates/.*/judge[a-z_]*.cpp$")
      refuse(${file} judge)
    endif()
    foreach(library IN LISTS libraries)
      file(STRINGS "${ROOT}/${file}" uses REGEX "^#include <${library}")
      if(uses AND NOT file MATCHES "^${only_${library}}$")
        message(SEND_ERROR "${file} may not include: ${uses} (home: ${only_${library}})")
      endif()
    endforeach()
  endforeach()
endforeach()
