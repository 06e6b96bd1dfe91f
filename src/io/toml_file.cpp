#include "speder/io/toml_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "speder/core/check.hpp"
#include "speder/io/text_file.hpp"

namespace speder {

struct TomlDocument {
  std::string name;
  toml::table root;
};

struct TomlLayer {
  std::shared_ptr<const TomlDocument> document;  // keeps the table alive
  const toml::table* table;
  std::string prefix;  // "quick." inside [quick]
};

namespace {

std::string at(const TomlLayer& layer, const toml::source_region& where) {
  return where.begin.line > 0 ? fmt::format("{}:{}", layer.document->name, where.begin.line)
                              : layer.document->name;
}

std::string limit_words(Limits limits) {
  const bool below = std::isfinite(limits.high);
  const bool above = std::isfinite(limits.low);
  if (above && below && limits.low == kPositiveInteger.low && limits.high == kPositiveInteger.high)
    return "must be positive";
  if (above && below) return fmt::format("must lie in [{}, {}]", limits.low, limits.high);
  return above ? fmt::format("must be at least {}", limits.low)
               : fmt::format("must be at most {}", limits.high);
}

constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 24U;  // bytes

struct Stray {
  int line = 0;
  std::string_view what;
};

/// What toml++ 3.3 must not see outside strings and comments: a character that is not ASCII
/// (undefined behaviour on U+00A1 … U+0499) and a line that begins with [[[ (a failed assertion).
/// A dotted key is read by recursion, so its length is bounded.
std::optional<Stray> stray(std::string_view text) {
  constexpr int kMostDots = 32;
  int dots = 0;  // of the key or number we are in
  int line = 1;
  bool blank = true;       // so far, on this line
  std::string_view quote;  // what ends the string we are in; "#" in a comment
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (c == '\n' && quote.size() == 1) quote = {};
    if (!quote.empty()) {
      if (c == '\\' && quote[0] == '"')
        ++i;
      else if (quote[0] != '#' && text.substr(i).starts_with(quote)) {
        i += quote.size() - 1;
        quote = {};
      }
    } else if (c == '#') {
      quote = "#";
    } else if (c == '"' || c == '\'') {
      const bool triple = i + 2 < text.size() && text[i + 1] == c && text[i + 2] == c;
      quote = text.substr(i, triple ? 3 : 1);
      i += quote.size() - 1;
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      return Stray{line, "a character that is not ASCII outside strings and comments"};
    } else if (c == '.' && ++dots > kMostDots) {
      return Stray{line, "a key of more than 32 dots"};
    } else if (blank && text.substr(i).starts_with("[[[")) {
      return Stray{line, "a line that begins with [[["};
    }
    if (c == '\n' || c == ',' || c == '=' || c == '[' || c == '{') dots = 0;
    blank = c == '\n' || (blank && (c == ' ' || c == '\t' || c == '\r'));
  }
  return std::nullopt;
}

}  // namespace

struct ConfigTable::Layers {
  std::vector<TomlLayer> stack;
  std::set<std::string, std::less<>> known;  // keys the program has asked for

  [[noreturn]] static void fail(const TomlLayer& layer, std::string_view key,
                                const toml::node& node, std::string_view problem) {
    throw ConfigError(at(layer, node.source()), fmt::format("{}{}", layer.prefix, key), problem);
  }

  // The node of a key and the layer that has it; calls body only when there is one.
  template <class Body>
  void with(std::string_view key, Body&& body) {
    known.emplace(key);
    for (const TomlLayer& layer : stack) {
      if (const toml::node* node = layer.table->get(key)) {
        body(layer, *node);
        return;
      }
    }
  }

  double number(const TomlLayer& layer, std::string_view key, const toml::node& node,
                Limits limits) const {
    if (!node.is_number()) fail(layer, key, node, "expected a number");
    const double value = *node.value<double>();
    if (!(value >= limits.low && value <= limits.high)) {
      fail(layer, key, node, fmt::format("{} (got {})", limit_words(limits), value));
    }
    return value;
  }

  int integer(const TomlLayer& layer, std::string_view key, const toml::node& node,
              Limits limits) const {
    const auto value = node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
    if (!value) fail(layer, key, node, "expected an integer");
    const auto number = static_cast<double>(*value);
    if (!(number >= limits.low && number <= limits.high) ||
        *value > std::numeric_limits<int>::max() || *value < std::numeric_limits<int>::min()) {
      fail(layer, key, node, fmt::format("{} (got {})", limit_words(limits), *value));
    }
    return static_cast<int>(*value);
  }

  template <class T, class Element>
  void list(std::string_view key, std::vector<T>& out, Element&& element) {
    with(key, [&](const TomlLayer& layer, const toml::node& node) {
      const toml::array* array = node.as_array();
      if (array == nullptr) fail(layer, key, node, "expected a list");
      if (array->empty()) fail(layer, key, node, "the list is empty");
      std::vector<T> values;
      for (const toml::node& item : *array) values.push_back(element(layer, item));
      out = std::move(values);
    });
  }
};

ConfigTable ConfigTable::load(const std::filesystem::path& file) {
  return parse(read_text_file(file, kLargestFile), file.string());
}

ConfigTable ConfigTable::parse(std::string_view text, std::string_view name) {
  if (const auto found = stray(text)) {
    throw ConfigError(fmt::format("{}:{}", name, found->line), "not TOML", found->what);
  }
  try {
    auto document =
        std::make_shared<TomlDocument>(TomlDocument{std::string(name), toml::parse(text)});
    auto layers = std::make_shared<Layers>();
    layers->stack.push_back({document, &document->root, ""});
    return ConfigTable(std::move(layers));
  } catch (const toml::parse_error& e) {
    throw ConfigError(fmt::format("{}:{}", name, e.source().begin.line), "not TOML",
                      e.description());
  }
}

bool ConfigTable::has(std::string_view key) const {
  for (const TomlLayer& layer : layers_->stack) {
    if (layer.table->contains(key)) return true;
  }
  return false;
}

bool ConfigTable::has_list(std::string_view key) const {
  for (const TomlLayer& layer : layers_->stack) {
    if (const toml::node* node = layer.table->get(key)) return node->is_array();
  }
  return false;
}

ConfigTable ConfigTable::table(std::string_view key) const {
  auto out = std::make_shared<Layers>();
  layers_->with(key, [&](const TomlLayer& layer, const toml::node& node) {
    if (!node.is_table()) Layers::fail(layer, key, node, "expected a table");
    out->stack.push_back(
        {layer.document, node.as_table(), fmt::format("{}{}.", layer.prefix, key)});
  });
  if (out->stack.empty()) {
    throw ConfigError(layers_->stack.front().document->name,
                      fmt::format("{}{}", layers_->stack.front().prefix, key),
                      "the table is missing");
  }
  return ConfigTable(std::move(out));
}

ConfigTable ConfigTable::over(const ConfigTable& below) const {
  auto out = std::make_shared<Layers>(*layers_);
  out->stack.insert(out->stack.end(), below.layers_->stack.begin(), below.layers_->stack.end());
  return ConfigTable(std::move(out));
}

void ConfigTable::read(std::string_view key, std::string& out) const {
  layers_->with(key, [&](const TomlLayer& layer, const toml::node& node) {
    if (!node.is_string()) Layers::fail(layer, key, node, "expected a text in quotes");
    out = *node.value<std::string>();
  });
}

void ConfigTable::read(std::string_view key, bool& out) const {
  layers_->with(key, [&](const TomlLayer& layer, const toml::node& node) {
    if (!node.is_boolean()) Layers::fail(layer, key, node, "expected true or false");
    out = *node.value<bool>();
  });
}

void ConfigTable::read(std::string_view key, int& out, Limits limits) const {
  layers_->with(key, [&](const TomlLayer& layer, const toml::node& node) {
    out = layers_->integer(layer, key, node, limits);
  });
}

void ConfigTable::read(std::string_view key, std::uint64_t& out) const {
  layers_->with(key, [&](const TomlLayer& layer, const toml::node& node) {
    const auto value = node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
    if (!value || *value < 0) Layers::fail(layer, key, node, "expected an integer from 0 on");
    out = static_cast<std::uint64_t>(*value);
  });
}

void ConfigTable::read(std::string_view key, double& out, Limits limits) const {
  layers_->with(key, [&](const TomlLayer& layer, const toml::node& node) {
    out = layers_->number(layer, key, node, limits);
  });
}

void ConfigTable::read(std::string_view key, std::vector<std::string>& out) const {
  layers_->list(key, out, [&](const TomlLayer& layer, const toml::node& item) {
    if (!item.is_string()) Layers::fail(layer, key, item, "expected texts in quotes");
    return *item.value<std::string>();
  });
}

void ConfigTable::read(std::string_view key, std::vector<int>& out, Limits limits) const {
  layers_->list(key, out, [&](const TomlLayer& layer, const toml::node& item) {
    return layers_->integer(layer, key, item, limits);
  });
}

void ConfigTable::read(std::string_view key, std::vector<double>& out, Limits limits) const {
  layers_->list(key, out, [&](const TomlLayer& layer, const toml::node& item) {
    return layers_->number(layer, key, item, limits);
  });
}

void ConfigTable::refuse_unknown() const {
  for (const TomlLayer& layer : layers_->stack) {
    for (const auto& [key, node] : *layer.table) {
      if (!layers_->known.contains(key.str())) {
        std::string list;
        for (const auto& k : layers_->known) list += (list.empty() ? "" : ", ") + k;
        Layers::fail(layer, key.str(), node, fmt::format("unknown key (known here: {})", list));
      }
    }
  }
}

void ConfigTable::fail(std::string_view key, std::string_view problem) const {
  layers_->with(key, [&](const TomlLayer& layer, const toml::node& node) {
    Layers::fail(layer, key, node, problem);
  });
  const TomlLayer& first = layers_->stack.front();
  throw ConfigError(first.document->name, fmt::format("{}{}", first.prefix, key), problem);
}

}  // namespace speder
