#include "speder/deep/sim/maze/models.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace speder::deep {
namespace {

/// One leg: it points from the torso along (x, y); the ankle turns about an axis across it.
struct Leg {
  int number;
  double x, y;    // sign of the direction
  int ankle_x;    // the ankle's axis is (ankle_x, 1, 0)
  int low, high;  // ankle range in degrees
};
constexpr std::array<Leg, 4> kLegs = {Leg{1, 1, 1, -1, 30, 70}, Leg{2, -1, 1, 1, -70, -30},
                                      Leg{3, -1, -1, -1, -70, -30}, Leg{4, 1, -1, 1, 30, 70}};
constexpr std::array<int, 4> kMotorOrder = {4, 1, 2, 3};

/// hip and upper leg 0.2 along each axis, lower leg 0.4; capsules of radius 0.08.
std::string leg(const Leg& l) {
  const std::string upper = fmt::format("{} {} 0", 0.2 * l.x, 0.2 * l.y);
  return fmt::format(
      R"(<body name="leg_{0}"><geom type="capsule" size="0.08" fromto="0 0 0 {1}"/>
<body pos="{1}"><joint name="hip_{0}" axis="0 0 1" range="-30 30"/>
<geom type="capsule" size="0.08" fromto="0 0 0 {1}"/>
<body pos="{1}"><joint name="ankle_{0}" axis="{2} 1 0" range="{3} {4}"/>
<geom type="capsule" size="0.08" fromto="0 0 0 {5} {6} 0"/></body></body></body>
)",
      l.number, upper, l.ankle_x, l.low, l.high, 0.4 * l.x, 0.4 * l.y);
}

std::string motors() {
  std::string out;
  for (const int number : kMotorOrder) {
    for (const char* joint : {"hip", "ankle"}) {
      fmt::format_to(std::back_inserter(out),
                     R"(<motor joint="{}_{}" ctrllimited="true" ctrlrange="-30 30" gear="1"/>)",
                     joint, number);
    }
  }
  return out;
}

std::string boxes(const Maze& maze, double half_height, double centre_z) {
  std::string out;
  for (const Wall& wall : maze.walls()) {
    fmt::format_to(std::back_inserter(out),
                   R"(<geom type="box" pos="{} {} {}" size="{} {} {}" contype="1" conaffinity="1"
 rgba="0.4 0.5 0.4 1"/>
)",
                   wall.centre.x, wall.centre.y, centre_z, wall.half_x, wall.half_y, half_height);
  }
  return out;
}

std::string ant_with(const std::string& walls) {
  std::string legs;
  for (const Leg& l : kLegs) legs += leg(l);
  return fmt::format(
      R"(<mujoco model="ant"><compiler angle="degree" inertiafromgeom="true"/>
<option integrator="RK4" timestep="0.02"/><size nuserdata="{}"/>
<default><joint armature="1" damping="1" limited="true"/>
<geom conaffinity="0" condim="3" density="5" friction="1 0.5 0.5" margin="0.01" solref="0.02 1"
 solimp="0.8 0.8 0.01" rgba="0.8 0.6 0.4 1"/></default>
<worldbody><light directional="true" dir="0 0 -1.3" pos="0 0 1.3"/>
<geom name="floor" type="plane" size="40 40 40" conaffinity="1" rgba="0.8 0.9 0.8 1"/>
{}<body name="torso" pos="0 0 0.75"><camera name="track" mode="trackcom" pos="0 -3 10"
 xyaxes="1 0 0 0 1 0.3"/><geom type="sphere" size="0.25"/>
<joint name="root" type="free" armature="0" damping="0" limited="false" margin="0.01"/>
{}</body></worldbody><actuator>{}</actuator></mujoco>)",
      kUserData, walls, legs, motors());
}

}  // namespace

std::string ant_model() { return ant_with({}); }
std::string ant_maze_model(const Maze& maze) { return ant_with(boxes(maze, 1.0, 1.0)); }

std::string point_maze_model(const Maze& maze) {
  return fmt::format(
      R"(<mujoco model="point"><compiler inertiafromgeom="true"/>
<option timestep="0.01" gravity="0 0 0" integrator="Euler"/><size nuserdata="{}"/>
<default><joint damping="1"/><geom condim="1" friction="0.5 0.1 0.1" rgba="0.4 0.5 0.4 1"/></default>
<worldbody><light directional="true" pos="0 0 5" dir="0 0 -1"/>
{}<body name="point"><geom type="sphere" size="0.1" density="1000" rgba="0 0.6 0 1"/>
<joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/></body></worldbody>
<actuator><motor joint="x" ctrlrange="-1 1" ctrllimited="true" gear="100"/>
<motor joint="y" ctrlrange="-1 1" ctrllimited="true" gear="100"/></actuator></mujoco>)",
      kUserData, boxes(maze, 0.2, 0.0));
}

}  // namespace speder::deep
