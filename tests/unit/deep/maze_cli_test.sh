#!/usr/bin/env bash
# maze_cli_test.sh <speder-deep> <packages> [mpirun]: data, heat map and imitation as a person uses them.
set -uo pipefail
deep=$1 packages=$2 mpirun=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
failed=0
fail() { echo "FAILED: $*"; cat out err 2>/dev/null; failed=1; }
refused() {  # refused TEXT ARGS...: exit code 2, nothing on stdout, one line on stderr with TEXT
  local text=$1; shift
  "$deep" "$@" >out 2>err; local code=$?
  if [ $code != 2 ] || [ -s out ] || [ "$(wc -l <err)" != 1 ] || ! grep -qF -- "$text" err; then
    fail "refused: $* (exit $code)"
  fi
}
works() {  # works TEXT ARGS...: exit code 0, TEXT on stdout
  local text=$1; shift
  if ! "$deep" "$@" >out 2>err || ! grep -qF -- "$text" out; then fail "works: $*"; fi
}

works "Example" data --help
works '"rows":2000' data pointmaze --transitions 2000 --out d.h5 --picture d.png --json
[ -s d.png ] || fail "no coverage picture"
works "2 trajectories" data info d.h5
works '"rows":1000' data bench --rows 1000 --json
works '1000 rows: written' data bench --rows 1000
refused "there are: diverse play expert" data pointmaze --style wild --out x.h5
refused "there are: medium large" data pointmaze --layout huge --out x.h5 --packages "$packages"
export SPEDER_POLICIES=$work/none
refused "train --env AntDirection" data antmaze --out x.h5
refused "none.h5" data antmaze --policy none.h5 --out x.h5
refused "no such file" data info none.h5
refused ".svg, .png, .pdf or .tex" data pointmaze --out x.h5 --picture x.gif
refused "cannot be written" data pointmaze --transitions 10 --out no/such/x.h5

works '"peak_within_0.5"' heatmap --steps 300 --lr 1e-2 --features 4 --hidden 8 8 --batch 8 --out room --json
[ -s room/heatmap-dual.png ] && [ -s room/heatmap-dual.csv ] || fail "no heat map picture"
cp room/heatmap-dual.csv first
works '"peak_within_0.5"' heatmap --steps 300 --lr 1e-2 --features 4 --hidden 8 8 --batch 8 --out room --json
cmp -s room/heatmap-dual.csv first || fail "a finished heat map came out otherwise"
refused "made with other settings" heatmap --steps 301 --lr 1e-2 --features 4 --hidden 8 8 --batch 8 --out room
refused "--objective" heatmap --objective literal --out room

small=(imitate --suite quick --seeds 1 --set rows=3000 --set pretrain_steps=20 --set steps=20
       --set eval_every=10 --set eval_episodes=2 --set final_episodes=2 --set batch=8 --out im)
works "| PointMaze-medium diverse | bc |" "${small[@]}" --layout medium --method bc
works "| PointMaze-medium diverse | speder |" "${small[@]}" --layout medium --method speder
grep -qF "| bc |" out || fail "the earlier run is not in the table"
cp out first
works "| speder |" "${small[@]}" --layout medium --method speder --method bc
cmp -s out first || fail "finished runs were repeated"
if [ -n "$mpirun" ]; then  # the same table from ranks, which make the data once among them
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$mpirun" --oversubscribe -n 3 "$deep" \
    "${small[@]:0:${#small[@]}-1}" ranks --layout medium --method speder --method bc >out 2>err || fail "mpirun"
  cmp -s <(grep -v html out) <(grep -v html first) || fail "ranks change numbers"
  ls ranks/data/*.part ranks/data/*.lock ranks/runs/* 2>/dev/null && fail "the ranks left files"
fi
for file in imitate.md report/index.html report/figures/imitate-success.{png,svg,pdf} \
            report/data/imitate-{success,curves,table}.csv report/report.json; do
  [ -s "im/$file" ] || fail "no im/$file"
done
works "inconclusive" report im room --out page
cmp -s page/data/imitate-success.csv im/report/data/imitate-success.csv || fail "another page from the same store"
grep -q "objective dual: every peak" page/index.html || fail "no heat map on the page"
grep -qF -- "--set batch=8" page/index.html || fail "no command on the page"
works "SPEDER at least BC" "${small[@]}" --layout medium --method bc --heatmap room
grep -q "objective dual: every peak" im/report/index.html || fail "no heat map on the suite's page"
works '"verdict"' report im/imitate.db --out page --json
works '"verdict"' "${small[@]}" --layout medium --method bc --json
refused "no imitate.db, heatmap.db, runs.db or run.db" report "$work" --out page
refused "none.db" report none.db --out page
refused "show it with: speder deep report im/imitate.db" table im/imitate.db
refused "no imitate.db" "${small[@]}" --layout medium --method bc --heatmap "$work"
refused "made with other settings" "${small[@]}" --set rnn=5 --method bc
refused "none of: gaussian tanh" imitate --set decoder=cubic --out im2
refused "no method is called 'gail'" imitate --method gail --out im2
refused "there are: quick reduced paper" imitate --suite swift --out im2
refused "unknown" imitate --set stepps=3 --out im2
refused "--data and --expert" imitate --data d.h5 --out im2
refused "none of: redrawn fixed" imitate --set goal=moving --out im2
refused "a list of them" imitate --suite paper --set window=1 --out im2
refused "train --env AntDirection" imitate --suite reduced --method bc --layout medium --style play --out im3
refused "train --env AntDirection" imitate --suite paper --method bc --layout medium --style play --out im3
exit $failed
