#pragma once

#include <string>
#include <string_view>
#include <vector>

// Small pieces of HTML. Every text given to them is escaped; only what is called html is not.
namespace speder {

[[nodiscard]] std::string html_text(std::string_view text);
/// <tag class="…">text</tag>
[[nodiscard]] std::string html_element(std::string_view tag, std::string_view text,
                                       std::string_view css_class = "");
/// A word fit for an id: letters, digits and '-'; everything else becomes '-'.
[[nodiscard]] std::string html_id(std::string_view text);

/// A cell is HTML already.
[[nodiscard]] std::string html_table(const std::vector<std::string>& head,
                                     const std::vector<std::vector<std::string>>& rows_html);
/// A PNG inside the page.
[[nodiscard]] std::string html_png(std::string_view bytes, std::string_view description);
/// Text with its raised and lowered pieces (layout/rich_text.hpp) as <sup> and <sub>.
[[nodiscard]] std::string html_rich(std::string_view text);

struct PageLink {
  std::string id, name;
};
/// A page of one file: heading and contents stay in sight, and a small script shows the numbers of what
/// the pointer is on. Without the script, and from file://, everything else is the same.
[[nodiscard]] std::string html_page(std::string_view title, const std::vector<PageLink>& contents,
                                    std::string_view body_html);

}  // namespace speder
