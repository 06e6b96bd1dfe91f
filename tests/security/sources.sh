#!/usr/bin/env bash
# sources.sh <source folder>: what must not be in the sources at all. Each rule is first shown a
# line that breaks it.
set -uo pipefail
cd "$1" || exit 1
failed=0
code=(src mdp oracle plots experiments deep)

# rule NAME REGEX "ALLOWED FILES" BREAKS PATHS...: no line of the paths matches, outside the allowed files.
rule() {
  local name=$1 regex=$2 allowed=$3 breaks=$4; shift 4
  grep -qE -- "$regex" <<<"$breaks" || { echo "FAILED: rule '$name' is blind"; failed=1; }
  local found
  found=$(grep -rnE --include='*.?pp' --include='*.cmake' --include='CMakeLists.txt' --include=install --include=build \
    -- "$regex" "$@" | grep -vE "^($allowed):" || true)
  [ -z "$found" ] || { echo "FAILED: $name"; echo "$found"; failed=1; }
}

rule "no shell" '\b(std::system|system|popen|execl|execlp|execvp|wordexp)\s*\(' oracle/state_dynamics.cpp 'int x = system("ls");' "${code[@]}"
rule "processes start in four places" '\b(posix_spawnp?|execve?|fork|vfork)\s*\(' \
  'plots/render/process.cpp|deep/sim/render/video.cpp|experiments/cli/exec_deep.cpp|src/io/hdf5_probe.cpp' '  ::execv(deep.c_str(), arguments);' "${code[@]}"
rule "no network" '<(sys/socket|netdb|curl/|arpa/|netinet/)|\b(getaddrinfo|gethostbyname)\s*\(' none '#include <sys/socket.h>' "${code[@]}"
# A statement is a literal; values are bound. PRAGMA takes no bound value: numbers of ours alone.
rule "SQL is never put together" \
  '(fmt::format|\+).*"[^"]*\b(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|WHERE|ATTACH)\b |\b(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|WHERE|ATTACH)\b [^"]*" *(\+|,.*fmt::format)|(SELECT|INSERT|UPDATE|DELETE|WHERE).*\{\}' \
  none 'db.exec(fmt::format("DELETE FROM runs WHERE cell = {}", cell));' src deep
rule "no download in the build" '\b(FetchContent|ExternalProject|file\(DOWNLOAD|curl |wget |git clone)' none 'FetchContent_Declare(x)' \
  CMakeLists.txt cmake setup src mdp oracle plots experiments deep tests/CMakeLists.txt

# Everything that is downloaded is pinned by version and by hash.
pins=setup/pypi-packages.txt
packages=$(grep -cE '^[A-Za-z0-9_.-]+==[0-9][0-9A-Za-z.]* \\$' $pins)
lines=$(grep -cE '^[A-Za-z]' $pins)
[ "$packages" -ge 3 ] && [ "$packages" = "$lines" ] || { echo "FAILED: $lines packages, $packages pinned by version"; failed=1; }
awk '/^[A-Za-z]/ {if (name != "" && !hashed) print name; name = $1; hashed = 0}
     match($0, /--hash=sha256:[0-9a-f]+/) && RLENGTH == 78 {hashed = 1}
     END {if (!hashed) print name}' $pins | while read -r name; do echo "FAILED: $name has no hash"; exit 1; done || failed=1
grep -q -- '--require-hashes' setup/install || { echo "FAILED: setup/install does not require hashes"; failed=1; }
[ "$(grep -c 'pip install' setup/install)" = 1 ] || { echo "FAILED: another pip install"; failed=1; }
exit $failed
