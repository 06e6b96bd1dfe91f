#include "speder/experiments/cli/mdp_print.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "speder/mdp/families/families.hpp"

namespace speder::cli {
namespace {

std::string knob_text(const Knob& knob) {
  if (const auto* text = std::get_if<std::string>(&knob)) return *text;
  return fmt::format("{:.6g}", std::get<double>(knob));
}

std::string shown_number(double x) { return std::isnan(x) ? "-" : fmt::format("{:.6g}", x); }

std::string_view relation(const Condition& c) {
  if (c.name == "kernel_nonnegative") return ">=";
  return c.name == "rank" ? "=" : "<=";
}

nlohmann::json holds_json(Holds holds) {
  if (holds == Holds::kUnknown) return nullptr;
  return holds == Holds::kYes;
}

std::string range_text(const KnobInfo& k) {
  return std::isinf(k.high) ? fmt::format(">= {}", k.low) : fmt::format("{} .. {}", k.low, k.high);
}

std::string default_sizes(const Family& f) {
  const auto size = [](Index n) { return n == 0 ? std::string("derived") : std::to_string(n); };
  return fmt::format("states {}, actions {}, rank {}", size(f.states), size(f.actions),
                     size(f.rank));
}

}  // namespace

std::string describe(const TabularMdp& mdp) {
  std::string text = fmt::format(
      "{}: {} states, {} actions, rank {}, gamma {}, seed {}, base measure of S {:.6g}\n",
      mdp.provenance().family, mdp.states(), mdp.actions(), mdp.rank(), mdp.gamma(),
      mdp.provenance().seed, mdp.kernel().nu().sum());
  if (const RewardUnits units = mdp.provenance().reward_units; units != RewardUnits{})
    text += fmt::format("rewards were rescaled: as given they are {:.6g} + {:.6g} r\n",
                        units.offset, units.scale);
  if (mdp.provenance().knobs.empty()) return text;
  std::string knobs;
  for (const auto& [name, knob] : mdp.provenance().knobs)
    knobs += fmt::format("{}{} {}", knobs.empty() ? "" : ", ", name, knob_text(knob));
  return text + "knobs: " + knobs + "\n";
}

std::string condition_table(const std::vector<Condition>& conditions) {
  std::string text = fmt::format("\n{:<28}  {:>12}     {:>12}  {:<7}  {}\n", "condition", "value",
                                 "bound", "holds", "how");
  text += fmt::format("{:-<28}  {:->12}     {:->12}  {:-<7}  {:-<5}\n", "", "", "", "", "");
  for (const Condition& c : conditions) {
    text += fmt::format("{:<28}  {:>12}  {}{:>{}}  {:<7}  {}\n", c.name, shown_number(c.value),
                        relation(c), shown_number(c.bound), 15 - relation(c).size(),
                        to_string(c.holds), c.how);
  }
  return text;
}

nlohmann::ordered_json to_json(const std::vector<Condition>& conditions) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Condition& c : conditions) {
    const nlohmann::json value = std::isnan(c.value) ? nlohmann::json() : nlohmann::json(c.value);
    list.push_back({{"name", c.name},
                    {"value", value},
                    {"bound", c.bound},
                    {"holds", holds_json(c.holds)},
                    {"how", c.how}});
  }
  return list;
}

nlohmann::ordered_json to_json(const TabularMdp& mdp) {
  nlohmann::ordered_json knobs = nlohmann::ordered_json::object();
  for (const auto& [name, knob] : mdp.provenance().knobs)
    std::visit([&, &key = name](const auto& value) { knobs[key] = value; }, knob);
  nlohmann::ordered_json object = {{"family", mdp.provenance().family},
                                   {"states", mdp.states()},
                                   {"actions", mdp.actions()},
                                   {"rank", mdp.rank()},
                                   {"gamma", mdp.gamma()},
                                   {"seed", mdp.provenance().seed},
                                   {"knobs", knobs}};
  if (const RewardUnits units = mdp.provenance().reward_units; units != RewardUnits{})
    object["reward_units"] = {{"scale", units.scale}, {"offset", units.offset}};
  return object;
}

std::string family_table() {
  std::string text = fmt::format("{:<11} {}\n{:-<11} {:-<72}\n", "family", "what it is", "", "");
  for (const Family& f : families()) {
    std::string knobs;
    for (const KnobInfo& k : f.knobs)
      knobs += fmt::format("{}{}={}", knobs.empty() ? "" : " ", k.name, k.fallback);
    text += fmt::format("{:<11} {}\n{:<11}   sizes: {}\n", f.name, f.description, "", f.sizes);
    if (!knobs.empty()) text += fmt::format("{:<11}   knobs: {}\n", "", knobs);
  }
  return text + "\nspeder mdp families NAME explains one family's knobs.\n";
}

std::string family_page(std::string_view name) {
  const Family& f = family(name);
  std::string text = fmt::format("{}: {}\nsizes: {} (default: {})\n", f.name, f.description,
                                 f.sizes, default_sizes(f));
  if (f.knobs.empty()) return text;
  text += fmt::format("\n{:<14} {:>8}  {:<14} {}\n{:-<14} {:->8}  {:-<14} {:-<40}\n", "knob",
                      "default", "range", "meaning", "", "", "", "");
  for (const KnobInfo& k : f.knobs)
    text += fmt::format("{:<14} {:>8}  {:<14} {}\n", k.name, k.fallback, range_text(k), k.meaning);
  return text;
}

nlohmann::ordered_json families_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Family& f : families()) {
    nlohmann::ordered_json knobs = nlohmann::ordered_json::array();
    for (const KnobInfo& k : f.knobs) {
      knobs.push_back({{"name", k.name},
                       {"default", k.fallback},
                       {"low", k.low},
                       {"high", std::isinf(k.high) ? nlohmann::json() : nlohmann::json(k.high)},
                       {"meaning", k.meaning}});
    }
    list.push_back(
        {{"name", f.name}, {"description", f.description}, {"sizes", f.sizes}, {"knobs", knobs}});
  }
  return list;
}

}  // namespace speder::cli
