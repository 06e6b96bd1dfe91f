#include "speder/experiments/checks/doctor.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "speder/core/check.hpp"
#include "speder/core/parallel.hpp"
#include "speder/io/hdf5.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/file/mdp_file.hpp"
#include "speder/oracle/exact.hpp"
#include "speder/plots/render/process.hpp"
#include "speder/plots/render/render.hpp"
#include "speder/sweep/store.hpp"

namespace speder {
namespace {

namespace fs = std::filesystem;

/// A folder that is gone at the end, whatever happens.
struct Scratch {
  fs::path path;
  Scratch() {
    std::string name = (fs::temp_directory_path() / "speder_doctor_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw InputError(fs::temp_directory_path().string() +
                       ": cannot be written; set TMPDIR to a folder that can");
    }
    path = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// `attempt` returns what it found or throws why not.
Check tried(Check check, const std::function<std::string()>& attempt) {
  try {
    check.found = attempt();
    check.fix.clear();
  } catch (const std::exception& e) {
    check.wrong = first_line(e.what());
  }
  return check;
}

std::string solved_file(const fs::path& folder) {
  const fs::path file = folder / "m.h5";
  save_mdp(file, generate({.family = "lock", .gamma = 0.9}));
  const PlanResult best = exact_optimum(load_mdp(file));
  require(best.termination == Termination::kConverged, "the planner did not converge");
  return fmt::format("a family made, written, read and solved to residual {:.1g}", best.residual);
}

std::string stored_run(const fs::path& folder) {
  const fs::path file = folder / "s.db";
  ResultStore store = ResultStore::open(file);
  store.declare({.id = "doctor", .config = "", .seed = 1, .planned = 1, .build = this_build()});
  Run run;
  run.key = {"doctor", "x=1", 0};
  run.measures.push_back({"value", 1, 0.5});
  store.append(run);
  require(ResultStore::read(file).runs("doctor").size() == 1, "the run is not in the store");
  return "a run stored durably and read back";
}

std::string drawn_picture(const fs::path& folder) {
  Panel panel;
  panel.series = {{.label = "ε", .x = {1, 2}, .y = {2, 1}, .low = {}, .high = {}}};
  const Figure figure{.id = "doctor", .caption = "", .panels = {panel}, .columns = 1};
  for (const Picture format : {Picture::kSvg, Picture::kPng, Picture::kPdf}) {
    render(figure, format, folder / ("p." + extension(format)));
  }
  return "SVG, PNG and PDF drawn";
}

std::string program(const std::vector<std::string>& command) {
  const ProcessResult result = run_process(command, "");
  if (!result.started) throw InputError(command[0] + " is not on PATH");
  if (result.exit_code != 0) {
    throw InputError(fmt::format("{} ends with code {}: {}", command[0], result.exit_code,
                                 first_line(result.error)));
  }
  return command[0] + " runs";
}

std::string mpi(const fs::path& programs) {
  const fs::path module = programs / "libspeder_mpi.so";
  if (!fs::exists(module)) throw InputError("speder was built without MPI");
  if (::dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) throw InputError(::dlerror());
  return program({"mpirun", "--version"}) + ", the MPI module loads";
}

std::string deep_tasks(const fs::path& programs) {
  const fs::path deep = programs / "speder-deep";
  if (!fs::exists(deep)) throw InputError("speder-deep is not built");
  (void)program({deep.string(), "envs", "--seconds", "0"});
  return "MuJoCo loads, every task's XML file is there";
}

std::string gpu() {
  if (!fs::exists("/proc/driver/nvidia/version") || !fs::exists("/dev/nvidiactl")) {
    throw InputError("no NVIDIA driver: training runs on the CPU");
  }
  return program({"nvidia-smi", "-L"}) + ", the driver is loaded";
}

}  // namespace

std::vector<Check> examine(const fs::path& programs) {
  const Scratch scratch;
  const fs::path& folder = scratch.path;
  const auto apt = [](const char* package) { return fmt::format("apt-get install {}", package); };
  return {
      tried({"cores", true, "everything", {}, {}, "free a core (taskset, cgroup limits)"},
            [] { return fmt::format("{} to use", std::thread::hardware_concurrency()); }),
      tried({"MDP files", true, "mdp, solve, spectral, learn", {}, {}, apt("libhdf5-103")},
            [&] { return solved_file(folder); }),
      tried({"result store", true, "sweep, validate, report", {}, {}, apt("libsqlite3-0")},
            [&] { return stored_run(folder); }),
      tried({"pictures", true, "report, validate, --plot", {}, {}, apt("gnuplot-nox")},
            [&] { return drawn_picture(folder); }),
      tried({"MPI",
             false,
             "mpirun speder sweep",
             {},
             {},
             apt("libopenmpi-dev openmpi-bin") + ", then build again"},
            [&] { return mpi(programs); }),
      tried({"deep tasks", false, "speder deep", {}, {}, "./run deep envs"},
            [&] { return deep_tasks(programs); }),
      tried({"GPU",
             false,
             "speder deep train --device cuda",
             {},
             {},
             "install the NVIDIA driver; docs/deep.md has the CUDA libraries"},
            gpu),
      tried({"video", false, "speder deep rollout --video", {}, {}, apt("ffmpeg")},
            [] {
              return program({"ffmpeg", "-version"});
            }),
  };
}

}  // namespace speder
