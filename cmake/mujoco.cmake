# MuJoCo's headers and library come inside its PyPI wheel; gymnasium's and dm_control's model files are
# read at run time. All three are unpacked by `setup/install deep` (setup/pypi-packages.txt).
set(SPEDER_PACKAGES "${PROJECT_SOURCE_DIR}/.deps/python" CACHE PATH
    "Folder with the pinned PyPI packages mujoco, gymnasium and dm_control")
if(SKBUILD)  # pip: mujoco is among the packages that the build asked for; the models come with speder[deep]
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c
            "import importlib.util as u, os; print(os.path.dirname(os.path.dirname(u.find_spec('mujoco').origin)))"
    OUTPUT_VARIABLE SPEDER_PACKAGES OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()
find_package(Threads REQUIRED)

set(missing "")
macro(speder_need requirement file)
  if(NOT EXISTS "${SPEDER_PACKAGES}/${file}")
    list(APPEND missing "${requirement} (no ${SPEDER_PACKAGES}/${file})")
  endif()
endmacro()
speder_need("mujoco==3.17.0" mujoco/libmujoco.so.3.17.0)
speder_need("mujoco==3.17.0 headers" mujoco/include/mujoco/mujoco.h)
if(NOT SKBUILD)
  speder_need("gymnasium==1.4.0" gymnasium/envs/mujoco/assets/half_cheetah.xml)
  speder_need("dm_control==1.0.50" dm_control/suite/cheetah.xml)
endif()
if(missing)
  list(JOIN missing "\n  " missing)
  message(
    FATAL_ERROR
      "SPEDER_BUILD_DEEP needs these PyPI packages:\n  ${missing}\n"
      "Install them with: setup/install deep\n"
      "which runs: pip install --no-deps --require-hashes --target .deps/python -r setup/pypi-packages.txt\n"
      "or name a folder that has them: -DSPEDER_PACKAGES=<folder>")
endif()

add_library(speder_mujoco SHARED IMPORTED GLOBAL)
set_target_properties(
  speder_mujoco
  PROPERTIES IMPORTED_LOCATION "${SPEDER_PACKAGES}/mujoco/libmujoco.so.3.17.0"
             INTERFACE_INCLUDE_DIRECTORIES "${SPEDER_PACKAGES}/mujoco/include"
             INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${SPEDER_PACKAGES}/mujoco/include")
