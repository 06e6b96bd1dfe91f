#!/usr/bin/env bash
# install_test.sh <build folder> <source folder>: `cmake --install` into an empty folder, moved
# elsewhere; the program runs there, find_package(speder) works, nothing points back at the sources.
set -euo pipefail
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*" >&2; exit 1; }

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
prefix=$work/moved

# What an installed header includes is installed.
headers=$(find "$prefix/include/speder" -name '*.hpp')
[ "$(wc -l <<<"$headers")" -ge 100 ] || fail "only $(wc -l <<<"$headers") headers"
while read -r header; do
  [ -f "$prefix/include/$header" ] || fail "$header is not installed (list it under HEADERS)"
done < <(sed -n 's/^#include "\(.*\)".*/\1/p' $headers | sort -u)
[ ! -e "$prefix/speder" ] || fail "what pip installs is in a folder of its own"
! grep -rl -- "$source" "$prefix/lib/cmake" || fail "the package names the source folder"

grep -q "^speder " <<<"$("$prefix/bin/speder" --version)" || fail "the installed program does not start"
cd "$work"
"$prefix/bin/speder" mdp make --family lock --gamma 0.9 --out m.h5 >/dev/null
grep -q "^J\*" <<<"$("$prefix/bin/speder" solve m.h5)" || fail "the installed program does not solve"
bash -c "source '$prefix/share/bash-completion/completions/speder' && complete -p speder" >/dev/null || fail "no completion"
ls "$prefix"/share/speder/suites/*.toml >/dev/null || fail "no suites are installed"
if [ -x "$prefix/lib/speder/speder-deep" ]; then  # without the sources' copies
  for file in "$source"/deep/suites/* "$source"/deep/policies/*; do
    cmp "$file" "$prefix/share/speder/deep/${file#"$source"/deep/}" || fail "$file is not installed"
  done
fi

[ -f "$prefix/share/doc/speder/examples/cpp/main.cpp" ] || fail "the examples are not installed"
cmake -S "$prefix/share/doc/speder/examples/cpp" -B first -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_BUILD_TYPE=Debug >configure.log 2>&1 || { cat configure.log; fail "find_package(speder)"; }
cmake --build first >build.log 2>&1 || { cat build.log; fail "the example does not build"; }
first/first_steps two.h5 || fail "the example's value is wrong"
echo "ok"
