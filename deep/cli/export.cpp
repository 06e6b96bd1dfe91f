#include <fmt/format.h>

#include <memory>

#include "speder/deep/cli/command.hpp"
#include "speder/deep/sim/network.hpp"

namespace speder::deep::cli {

void add_export(CLI::App& app) {
  struct ExportOptions {
    std::string policy;
    std::string out;
  };
  auto o = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand("export", "Write a policy as an ONNX file");
  command->add_option("policy", o->policy, "policy.h5 of a training run")->required();
  command->add_option("--out", o->out, "NAME.onnx")->required();
  command->footer(
      "Input `observation` (N, D) and output `action` (N, A) in [-1, 1], both float32; the layers "
      "compute in\n"
      "double as ours do, so that onnxruntime gives the same actions to within float32.\n\n"
      "  speder deep export runs/a/policy.h5 --out policy.onnx");
  command->callback([o] {
    const std::vector<NetworkLayer> layers = read_network(o->policy);
    write_onnx(o->out, layers);
    fmt::print("{}: {} layers, {} observations, {} actions\n", o->out, layers.size(),
               layers.front().weight.cols(), layers.back().bias.size());
  });
}

}  // namespace speder::deep::cli
