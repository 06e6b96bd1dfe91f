#!/usr/bin/env bash
# programs.sh FOLDER [CC]: every program and module in FOLDER is hardened, and looks for libraries in absolute
# folders alone: an empty or relative element of its RUNPATH is the user's current folder, whose libraries
# would be executed. With a C compiler, a program with every one of these faults is built and must be refused.
set -euo pipefail
folder=$1
cc=${2:-}

faults() {  # one line for each fault of a program or module
  local file=$1 dynamic header segments paths
  dynamic=$(readelf -dW "$file")
  header=$(readelf -hW "$file")
  segments=$(readelf -lW "$file")
  grep -q 'Type: *DYN' <<<"$header" || echo "not position-independent"
  grep -q 'GNU_RELRO' <<<"$segments" || echo "no RELRO"
  grep -q 'BIND_NOW\|Flags:.*NOW' <<<"$dynamic" || echo "no BIND_NOW"
  ! grep 'GNU_STACK' <<<"$segments" | grep -q 'E ' || echo "an executable stack"
  while IFS= read -r paths; do
    while IFS= read -r element; do
      case $element in
        /* | '$ORIGIN' | '$ORIGIN/'*) ;;
        *) echo "looks for libraries in '$element', of '$paths'" ;;
      esac
    done < <(tr : '\n' <<<"$paths")
  done < <(sed -nE 's/.*\((RUNPATH|RPATH)\).*\[(.*)\]/\2/p' <<<"$dynamic")
}

checked=0 bad=0
while IFS= read -r file; do
  [ "$(head -c 4 "$file" | tail -c 3)" = ELF ] || continue
  checked=$((checked + 1))
  found=$(faults "$file")
  [ -z "$found" ] || { bad=1; sed "s|^|${file##*/}: |" <<<"$found" >&2; }
done < <(find "$folder" -maxdepth 1 -type f)
[ "$checked" -gt 0 ] || { echo "FAIL: no program in $folder" >&2; exit 1; }
[ "$bad" = 0 ] || { echo "FAIL: see above" >&2; exit 1; }

if [ -n "$cc" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  echo 'int main(void) { return 0; }' >"$work/main.c"
  "$cc" -no-pie "$work/main.c" -o "$work/weak" \
    -Wl,-z,norelro,-z,lazy,-z,execstack,-rpath,/usr/lib:lib:,--enable-new-dtags 2>/dev/null
  [ "$(faults "$work/weak" | wc -l)" = 6 ] || { echo "FAIL: of a weak program's six faults it saw: $(faults "$work/weak")" >&2; exit 1; }
fi
echo "ok: $checked programs"
