#include "speder/plots/report/audit.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "speder/core/check.hpp"
#include "speder/io/text_file.hpp"

namespace speder {
namespace {

std::string text_of(const nlohmann::json& entry, const char* key) {
  const auto it = entry.find(key);
  if (it == entry.end() || it->is_null()) return "";
  if (it->is_string()) return it->get<std::string>();
  if (it->is_number_float()) return fmt::format("{:.4g}", it->get<double>());
  return it->dump();
}

}  // namespace

std::vector<AuditEntry> read_audit(const std::filesystem::path& file) {
  const auto shallow = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    constexpr int kDeepest = 64;
    if (depth > kDeepest) throw InputError(file.string() + ": is nested too deeply");
    return true;
  };
  const nlohmann::json root = nlohmann::json::parse(read_text_file(file), shallow, false);
  if (root.is_discarded()) throw InputError(file.string() + ": is not JSON");
  const nlohmann::json& list =
      root.is_object() && root.contains("entries") ? root["entries"] : root;
  if (!list.is_array()) throw ConfigError(file.string(), "entries", "expected a list");
  std::vector<AuditEntry> out;
  for (const nlohmann::json& e : list) {
    if (!e.is_object()) {
      throw ConfigError(file.string(), fmt::format("entry {}", out.size()), "expected an object");
    }
    out.push_back({text_of(e, "id"), text_of(e, "source"), text_of(e, "kind"),
                   text_of(e, "statement"), text_of(e, "verdict"), text_of(e, "instances"),
                   text_of(e, "worst_ratio"), text_of(e, "counterexample"),
                   text_of(e, "corrected_by")});
  }
  return out;
}

}  // namespace speder
