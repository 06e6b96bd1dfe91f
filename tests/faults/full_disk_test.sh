#!/usr/bin/env bash
# full_disk_test.sh <speder> [all]: every command that writes a file, on disks of many sizes; with "all" of every
# size, since a tmpfs has pages of 4 KiB. Either the file is the one an empty disk gives and the exit code is 0, or
# there is no file, one line says why, and the exit code is 2.
set -euo pipefail
speder=$(realpath "$1")
if [ -z "${SPEDER_OWN_MOUNTS:-}" ]; then
  for how in "unshare -m" "unshare -rm"; do
    if $how mount -t tmpfs tmpfs /mnt 2>/dev/null; then SPEDER_OWN_MOUNTS=1 exec $how "$0" "$speder" "${2:-}"; fi
  done
  echo "skipped: this user may not mount a tmpfs"
  exit 77
fi
work=$(mktemp -d)
trap 'umount "$work/disk" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir "$work/disk" "$work/whole"
cd "$work"
timeless() {  # the last column of a table is seconds, a PDF says when it was made
  case $1 in *.csv) sed 's/,[^,]*$//' "$1" ;; *.pdf) sed 's/CreationDate (D:[0-9]*Z//' "$1" ;; *) cat "$1" ;; esac
}
fail() { echo "FAIL: $*" >&2; exit 1; }

"$speder" mdp make --family simplex --states 300 --out m.h5 >/dev/null
# command, the file it writes ("@" stands for its folder), and the largest disk that is tried, in KiB
jobs=(
  "mdp make --family simplex --states 300 --out @/a.h5|a.h5|100"
  "solve m.h5 --out @/v.h5|v.h5|60"
  "learn online --mdp m.h5 --episodes 30 --class-size 20 --out @/l.csv|l.csv|16"
  "learn online --mdp m.h5 --episodes 30 --class-size 20 --plot @/l.svg|l.svg|48"
  "learn online --mdp m.h5 --episodes 30 --class-size 20 --plot @/l.png|l.png|240"
  "learn offline --mdp m.h5 --transitions 2000 --class-size 4 --save-data @/d.h5|d.h5|80"
)
if [ "${2:-}" = all ]; then
  jobs+=("learn offline --mdp m.h5 --transitions 200 --class-size 4 --save-class @/c.h5|c.h5|2200"
    "learn online --mdp m.h5 --episodes 30 --class-size 20 --plot @/l.pdf|l.pdf|80")
fi
tried=0
for job in "${jobs[@]}"; do
  IFS='|' read -r command file largest <<<"$job"
  eval "$speder ${command//@/$work/whole}" >/dev/null 2>err.txt || fail "$command: $(cat err.txt)"
  refused=0 done=0 step=$(((largest + 47) / 48 * 4))
  if [ "${2:-}" = all ]; then step=4; fi
  for ((size = 4; size <= largest; size += step)); do
    mount -t tmpfs -o size=${size}k tmpfs disk
    code=0
    eval "$speder ${command//@/$work/disk}" >out.txt 2>err.txt || code=$?
    tried=$((tried + 1))
    if [ $code = 0 ]; then
      cmp -s <(timeless "disk/$file") <(timeless "whole/$file") || fail "$command: exit 0 and other bytes on a disk of $size KiB"
      done=$((done + 1))
    else
      [ $code = 2 ] || fail "$command: exit code $code on a disk of $size KiB: $(cat err.txt)"
      [ "$(wc -l <err.txt)" = 1 ] || fail "$command: not one line on a disk of $size KiB: $(cat err.txt)"
      [ -z "$(ls -A disk)" ] || fail "$command: left $(ls -A disk) on a disk of $size KiB"
      refused=$((refused + 1))
    fi
    umount disk
  done
  [ $refused -gt 0 ] && [ $done -gt 0 ] || fail "$command: refused $refused times, done $done times"
done
echo "ok: $tried disks"
