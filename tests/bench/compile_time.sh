#!/usr/bin/env bash
# compile_time.sh [PRESET [TARGET...]]: builds from nothing in a scratch folder and prints the compiler's CPU
# seconds for each library and program, then the slowest units. Default: release speder, as ./run builds it;
# what ./test builds: `compile_time.sh test` and `compile_time.sh dev speder_unit_tests`.
# JOBS=n (default: all cores); KEEP=folder to build there and keep it.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- release speder
preset=$1; shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=${KEEP:-$work/build}

# Between CMake and the compiler: one line "user system object" for each unit.
cat >"$work/launcher" <<'LAUNCHER'
#!/usr/bin/env bash
object=?
for ((i = 1; i < $#; ++i)); do [ "${!i}" != -o ] || { next=$((i + 1)); object=${!next}; }; done
TIMEFORMAT="%U %S $object"
exec 3>&2
{ time "$@" 2>&3; } 2>>"$COMPILE_TIME_LOG"
LAUNCHER
chmod +x "$work/launcher"
export COMPILE_TIME_LOG=$work/log

cd "$root"
cmake --preset "$preset" -B "$build" -DCMAKE_CXX_COMPILER_LAUNCHER="$work/launcher" \
  -DCMAKE_C_COMPILER_LAUNCHER="$work/launcher" >"$work/configure" || { cat "$work/configure" >&2; exit 2; }
: >"$work/log"  # without what the configuration tried out
start=$(date +%s)
cmake --build "$build" ${JOBS:+-j "$JOBS"} ${1:+--target "$@"} >"$work/out" || { cat "$work/out" >&2; exit 2; }
wall=$(($(date +%s) - start))

echo "CPU s  units  library or program ($preset ${*:-all})"
awk '{cpu = $1 + $2; name = $3; sub("CMakeFiles/", "", name); sub("[.]dir/.*", "", name)
      s[name] += cpu; n[name]++; all += cpu; units++}
     END {for (name in s) printf "%5.1f  %5d  %s\n", s[name], n[name], name
          printf "%5.1f  %5d  all\n", all, units}' "$work/log" | sort -rn
echo
echo "CPU s  the slowest units"
awk '{printf "%5.1f  %s\n", $1 + $2, $3}' "$work/log" | sort -rn | head -15
echo
echo "$wall s on the clock"
