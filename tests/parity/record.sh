#!/usr/bin/env bash
# Records the parity fixtures from the unmodified peers: dm_control, gymnasium and MuJoCo's own
# Python binding, installed into a scratch virtual environment outside the repository.
#   tests/parity/record.sh [SCRATCH_DIR]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=${1:-$(mktemp -d)}
if [ ! -x "$scratch/venv/bin/python" ]; then
  python3 -m venv "$scratch/venv"
  "$scratch/venv/bin/pip" install --quiet -r "$here/peers.txt"
fi
MUJOCO_GL=disable "$scratch/venv/bin/python" "$here/record.py" --out "$here/fixtures"
