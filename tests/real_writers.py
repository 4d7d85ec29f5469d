# SPDX-License-Identifier: Apache-2.0
#
# Files of NumPy and of the safetensors package through the command, and back into them:
#
#   real_writers.py write FOLDER      makes the inputs
#   real_writers.py check FOLDER      reads what the command made of them
#
# Every check compares bytes. What the command is called with stands in real_writers.sh.
import sys

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file, save_file


def tensors():
    rng = np.random.default_rng(7)
    bits = rng.integers(0, 2**32, size=5000, dtype=np.uint32)
    return {
        "any.bits": bits.view(np.float32),
        "layers.0.weight": rng.normal(size=(33, 17)).astype(np.float32),
        "half": rng.integers(0, 2**16, size=(3, 100), dtype=np.uint16).view(np.float16),
        "double": rng.normal(size=(2, 3, 4)),
        "ids": np.arange(-5, 5, dtype=np.int64),
        "byte": np.arange(256, dtype=np.uint8),
        "short": np.arange(-3, 3, dtype=np.int16),
        "mask": np.array([[True], [False]]),
        "scalar": np.array(1.5, np.float32),
        "empty": np.zeros((0, 3), np.float32),
        "\u00fc/\u6d6e": np.ones(3, np.float32),
    }


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def write(folder):
    t = tensors()
    save_file(t, folder + "/in.safetensors", metadata={"format": "np"})
    np.savez(folder + "/stored.npz", **t)
    np.savez_compressed(folder + "/deflated.npz", fortran=np.asfortranarray(t["layers.0.weight"]), **t)
    np.save(folder + "/one.npy", t["layers.0.weight"])


def expect(holds, what):
    if not holds:
        sys.exit("does not hold: " + what)


def is_float(a):
    return a.dtype.kind == "f"


def check(folder):
    t = tensors()
    # Kept as it is, the writer's own bytes.
    with open(folder + "/in.safetensors", "rb") as a, open(folder + "/kept.safetensors", "rb") as b:
        expect(a.read() == b.read(), "a copy is the reference writer's file")
    # To float64 nothing is lost, and what NumPy itself makes of it is the same.
    for made in (
        load_file(folder + "/f64.safetensors"),
        dict(np.load(folder + "/f64.npz")),
        load_file(folder + "/npz_f64.safetensors"),
    ):
        for name, value in t.items():
            with np.errstate(invalid="ignore"):
                wanted = value.astype(np.float64) if is_float(value) else value
            got = made[name]
            expect(got.dtype == wanted.dtype and got.shape == wanted.shape, name)
            finite = ~np.isnan(wanted) if is_float(value) else np.ones(wanted.shape, bool)
            expect(np.array_equal(np.isnan(got), ~finite) if is_float(value) else True, name)
            expect(got[finite].tobytes() == wanted[finite].tobytes(), name)
    # To float16, finite values, as NumPy rounds them.
    made = load_file(folder + "/f16.safetensors")
    with np.errstate(over="ignore"):
        expect(same(made["layers.0.weight"], t["layers.0.weight"].astype(np.float16)), "float16")
    # The reference writer would write the same file.
    with safe_open(folder + "/f16.safetensors", "np") as f:
        metadata = f.metadata()
    save_file(made, folder + "/f16.again.safetensors", metadata=metadata)
    with open(folder + "/f16.safetensors", "rb") as a, open(folder + "/f16.again.safetensors", "rb") as b:
        expect(a.read() == b.read(), "the reference writer writes what was written")
    deflated = np.load(folder + "/deflated_f64.npz")
    expect(deflated["fortran"].flags.f_contiguous, "Fortran order is kept")
    expect(np.array_equal(deflated["fortran"], t["layers.0.weight"].astype(np.float64)), "fortran")
    with safe_open(folder + "/hif8.safetensors", "np") as f:
        expect(f.metadata()["exactcast.format.layers.0.weight"] == "hifloat8", "named")
        expect(f.get_tensor("layers.0.weight").shape == (33, 17), "shape of named bytes")
    back = load_file(folder + "/hif8_f32.safetensors")
    expect(back["layers.0.weight"].dtype == np.float32, "read back by name")
    expect(np.allclose(back["layers.0.weight"], t["layers.0.weight"], rtol=0.25, atol=1e-4), "near")


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](sys.argv[2])
