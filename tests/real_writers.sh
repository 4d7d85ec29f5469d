#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# real_writers.sh EXACTCAST: real_writers.py with NumPy and safetensors from PyPI in a virtual
# environment of its own. Where that cannot be had, status 77: skipped.
set -euo pipefail
exactcast=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

skip() { echo "skipped: $1"; exit 77; }

venv=$(dirname "$exactcast")/../real_writers_venv  # kept: the next run needs no network
if ! "$venv/bin/python" -c 'import numpy, safetensors' 2>/dev/null; then
  rm -rf "$venv"
  timeout 120 python3 -m venv "$venv" 2>&1 || skip "python3 -m venv does not work here (python3-venv?)"
  timeout 300 "$venv/bin/pip" install -q --disable-pip-version-check --retries 1 --timeout 15 \
    numpy safetensors 2>&1 ||
    { rm -rf "$venv"; skip "numpy and safetensors cannot be fetched from PyPI"; }
fi
python=$venv/bin/python

cd "$folder"
"$python" "$here/real_writers.py" write .
cast() { "$exactcast" cast "$@" --quiet; }
cast in.safetensors kept.safetensors --map '*=keep'
cast in.safetensors f64.safetensors --to float64
cast stored.npz f64.npz --to float64
cast deflated.npz deflated_f64.npz --to float64
cast stored.npz npz_f64.safetensors --to float64
cast in.safetensors f16.safetensors --to float16
cast in.safetensors hif8.safetensors --to hifloat8
cast hif8.safetensors hif8_f32.safetensors --to float32
"$python" "$here/real_writers.py" check .
echo "real writers agree: $("$python" -c 'import numpy, safetensors; print("numpy", numpy.__version__, "safetensors", safetensors.__version__)')"
