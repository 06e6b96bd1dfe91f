// Products on either side of the size from which oneDNN does them, against the same sums in double.
#include <torch/csrc/autograd/autograd.h>

#include <limits>

#include "speder/core/rng.hpp"
#include "speder/deep/learn/nn/product.hpp"
#include "tests/catch.hpp"

using namespace speder;
using namespace speder::deep;

namespace product_test {
namespace {

Tensor normals(at::IntArrayRef size, const std::string& name) {
  Rng rng = SeedTree(5).stream(name);
  Tensor x = at::empty(size, at::kFloat);
  for (std::int64_t i = 0; i < x.numel(); ++i)
    x.data_ptr<float>()[i] = static_cast<float>(rng.normal());
  return x;
}

/// A sum of n products carries at most n u / (1 − n u) of the sum of their sizes (Higham 2002, section 3.1).
void check_sums(const Tensor& found, const Tensor& exact, const Tensor& sizes, std::int64_t terms) {
  REQUIRE(found.sizes() == exact.sizes());
  const double n = static_cast<double>(terms) * std::numeric_limits<float>::epsilon() / 2;
  const Tensor bound = sizes * (n / (1 - n));
  CHECK((found.to(at::kDouble) - exact).abs().le(bound).all().item<bool>());
}

struct Sizes {
  std::int64_t rows, in, out;
};
constexpr Sizes kSizes[] = {{5, 3, 4}, {256, 23, 7}, {256, 24, 192}, {200, 96, 80}};

}  // namespace

TEST_CASE("products: layer, gradients of input and weights, each against double") {
  for (const auto [rows, in, out] : kSizes) {
    CAPTURE(rows, in, out);
    const Tensor x = normals({rows, in}, "x"), w = normals({out, in}, "w"), b = normals({out}, "b");
    const Tensor g = normals({rows, out}, "g");
    const Tensor X = x.to(at::kDouble), W = w.to(at::kDouble), G = g.to(at::kDouble),
                 B = b.to(at::kDouble);
    const Tensor z = at::mm(X, W.t()) + B, size = at::mm(X.abs(), W.t().abs()) + B.abs();
    check_sums(linear_product(x, w, b), z, size, in + 1);
    check_sums(relu_layer(x, w, b), z.clamp_min(0), size, in + 1);
    check_sums(through_layer(g, w), at::mm(G, W), at::mm(G.abs(), W.abs()), out);
    check_sums(weight_gradient(g, x), at::mm(G.t(), X), at::mm(G.t().abs(), X.abs()), rows);
    // columns of a wider table, whose rows have gaps
    const Tensor wide = normals({rows, in + 9}, "wide");
    const Tensor part = wide.narrow(1, 4, in), Part = part.to(at::kDouble);
    check_sums(weight_gradient(g, part), at::mm(G.t(), Part), at::mm(G.t().abs(), Part.abs()),
               rows);
    check_sums(linear_product(part, w, {}), at::mm(Part, W.t()), at::mm(Part.abs(), W.t().abs()),
               in);
  }
}

TEST_CASE("layers as nodes: their gradients are libtorch's own in double") {
  constexpr std::int64_t kCopies = 3;
  for (const auto [rows, in, out] : kSizes) {
    CAPTURE(rows, in, out);
    const Tensor x = normals({kCopies, rows, in}, "x").set_requires_grad(true);
    const Tensor w = normals({kCopies, in, out}, "w").set_requires_grad(true);
    const Tensor b = normals({kCopies, 1, out}, "b").set_requires_grad(true);
    const Tensor g = normals({kCopies, rows, out}, "g");
    const auto doubles = [](const Tensor& t) { return t.detach().to(at::kDouble).abs(); };
    const Tensor X = x.detach().to(at::kDouble), W = w.detach().to(at::kDouble),
                 G = g.to(at::kDouble);

    const Tensor y = linear_layers(x, w, b);
    check_sums(y.detach(), at::bmm(X, W) + b.detach().to(at::kDouble),
               at::bmm(doubles(x), doubles(w)) + doubles(b), in + 1);
    const auto of = torch::autograd::grad({y}, {x, w, b}, {g});
    check_sums(of[0], at::bmm(G, W.transpose(1, 2)), at::bmm(G.abs(), W.transpose(1, 2).abs()),
               out);
    check_sums(of[1], at::bmm(X.transpose(1, 2), G), at::bmm(X.transpose(1, 2).abs(), G.abs()),
               rows);
    check_sums(of[2], G.sum(1, true), G.abs().sum(1, true), rows);

    // one layer, weights as (out, in)
    const Tensor x0 = x[0].detach().set_requires_grad(true);
    const Tensor w0 = w[0].detach().t().contiguous().set_requires_grad(true);
    const Tensor b0 = b[0][0].detach().set_requires_grad(true);
    const auto one = torch::autograd::grad({linear_layer(x0, w0, b0)}, {x0, w0, b0}, {g[0]});
    check_sums(one[0], at::mm(G[0], W[0].t()), at::mm(G[0].abs(), W[0].t().abs()), out);
    check_sums(one[1], at::mm(G[0].t(), X[0]), at::mm(G[0].t().abs(), X[0].abs()), rows);
    check_sums(one[2], G[0].sum(0), G[0].abs().sum(0), rows);
  }
}

TEST_CASE("pair products: every row with every row, and both gradients") {
  for (const auto [rows, in, out] : kSizes) {
    CAPTURE(rows, in, out);
    const Tensor x = normals({rows, in}, "x").set_requires_grad(true);
    const Tensor y = normals({out, in}, "y").set_requires_grad(true);
    const Tensor g = normals({rows, out}, "g");
    const Tensor X = x.detach().to(at::kDouble), Y = y.detach().to(at::kDouble),
                 G = g.to(at::kDouble);
    const Tensor z = pair_products(x, y);
    check_sums(z.detach(), at::mm(X, Y.t()), at::mm(X.abs(), Y.t().abs()), in);
    const auto of = torch::autograd::grad({z}, {x, y}, {g});
    check_sums(of[0], at::mm(G, Y), at::mm(G.abs(), Y.abs()), out);
    check_sums(of[1], at::mm(G.t(), X), at::mm(G.t().abs(), X.abs()), rows);
  }
}

}  // namespace product_test
