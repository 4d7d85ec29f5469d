#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""NumPy's astype, with ml_dtypes' formats where that is installed, driven by the bench.

Reads one command a line from standard input and answers each with one line of JSON:

  version                      {"numpy": ..., "ml_dtypes": ...}, null for one that is absent
  prepare FROM TO N IN OUT     reads N elements of the file IN, writes the converted ones to OUT;
                               {"by": "numpy" or "ml_dtypes"}, or {"error": ...}
  run CALLS                    {"ns": thread CPU time of so many conversions}
"""
import json
import sys
import time
import warnings

try:
    import numpy
except ImportError:
    numpy = None
try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

NUMPY_NAMES = {"bool", "complex64", "complex128"} | {
    f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)
} | {"float16", "float32", "float64"}


def dtype_of(name):
    """The dtype, and whose it is; nothing where neither has the format."""
    if numpy is not None and name in NUMPY_NAMES:
        return numpy.dtype(name), "numpy"
    if numpy is not None and ml_dtypes is not None and hasattr(ml_dtypes, name):
        return numpy.dtype(getattr(ml_dtypes, name)), "ml_dtypes"
    return None, None


class Conversion:
    def __init__(self, source, target, count, in_path, out_path):
        self.target, target_by = dtype_of(target)
        source_dtype, source_by = dtype_of(source)
        if self.target is None or source_dtype is None:
            raise ValueError(f"no {target if source_dtype is not None else source}")
        self.by = "ml_dtypes" if "ml_dtypes" in (source_by, target_by) else "numpy"
        raw = numpy.fromfile(in_path, dtype=numpy.uint8)
        self.data = raw.view(source_dtype)[:count]
        self.out = numpy.empty(count, self.target)
        self.run(1)
        self.out.view(numpy.uint8).tofile(out_path)

    def run(self, calls):
        start = time.thread_time_ns()
        for _ in range(calls):
            numpy.copyto(self.out, self.data, casting="unsafe")  # astype into memory that is there
        return time.thread_time_ns() - start


def versions():
    return {"numpy": getattr(numpy, "__version__", None),
            "ml_dtypes": getattr(ml_dtypes, "__version__", None)}


def main():
    warnings.simplefilter("ignore")
    conversion = None
    for line in sys.stdin:
        command, *words = line.split()
        if command == "version":
            answer = versions()
        elif command == "prepare":
            try:
                conversion = Conversion(words[0], words[1], int(words[2]), words[3], words[4])
                answer = {"by": conversion.by}
            except (ValueError, TypeError, MemoryError) as error:
                answer = {"error": str(error)}
        else:
            answer = {"ns": conversion.run(int(words[0]))}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
