#include "speder/deep/sim/env/world.hpp"

namespace speder::deep {

Dynamics gym_dynamics() {
  return {.clear = [](World& w) { mj_resetData(w.model, w.data); },
          .finish = [](World& w) { mj_forward(w.model, w.data); },
          .advance =
              [](World& w) {
                for (int i = 0; i < w.substeps; ++i) mj_step(w.model, w.data);
              }};
}

void control_suite_step(World& world, int substeps) {
  // mj_step1 of this state was done by the previous call, or by the reset's mj_forward.
  mj_step2(world.model, world.data);
  for (int i = 1; i < substeps; ++i) mj_step(world.model, world.data);
  mj_step1(world.model, world.data);
}

Dynamics control_suite_dynamics() {
  return {.clear =
              [](World& w) {
                mj_resetData(w.model, w.data);
                mj_forward(w.passive, w.data);
              },
          .finish = [](World& w) { mj_forward(w.passive, w.data); },
          .advance = [](World& w) { control_suite_step(w, w.substeps); }};
}

}  // namespace speder::deep
