"""The patches of DyNet's source: how they are read, when they refuse, and that they fit the source of the index."""

from __future__ import annotations

from pathlib import Path

import pytest

from common import ROOT
from common.errors import UserError
from tools.dynet import fetch
from tools.dynet.patching import PATCHES, apply_patch, read_patch

PATCH = """\
Adds where it should: a reason
in two lines.

--- a.cc
+++ a.cc
@@
 int add(int x, int y) {
-  return x - y;
+  // as the name says
+  return x + y;
@@
-int spare;
--- b.cc
+++ b.cc
@@
-old
+new
"""
SOURCE = {
    "a.cc": b"int add(int x, int y) {\n  return x - y;\n}\nint spare;\n",
    "b.cc": b"// this is the old\nold\n",
    "c.cc": b"as it was\n",
}


@pytest.fixture
def patch(tmp_path: Path) -> Path:
    file = tmp_path / "01-add.patch"
    file.write_text(PATCH, encoding="utf-8", newline="\n")
    return file


def test_a_text_that_is_there_once_is_replaced(patch: Path) -> None:
    source = {**SOURCE, "b.cc": b"old\n"}
    apply_patch(patch, source)
    assert source == {
        "a.cc": b"int add(int x, int y) {\n  // as the name says\n  return x + y;\n}\n",
        "b.cc": b"new\n",
        "c.cc": b"as it was\n",
    }


@pytest.mark.parametrize(
    ("file", "content", "count"),
    [("b.cc", SOURCE["b.cc"], 2), ("b.cc", b"new\n", 0), ("a.cc", SOURCE["a.cc"].replace(b"x - y", b"x-y"), 0)],
)
def test_a_text_that_is_not_there_once_is_refused(patch: Path, file: str, content: bytes, count: int) -> None:
    source = {**SOURCE, "b.cc": b"old\n", file: content}
    with pytest.raises(UserError, match=rf"{file}: what 01-add.patch replaces .* occurs {count} times instead of once"):
        apply_patch(patch, source)


def test_a_file_that_is_not_there_is_refused(patch: Path) -> None:
    with pytest.raises(UserError, match="b.cc: .* 0 times"):
        apply_patch(patch, {"a.cc": SOURCE["a.cc"]})


# --- ours


@pytest.mark.parametrize("file", PATCHES, ids=lambda file: file.stem)
def test_every_patch_says_why_and_changes_something(file: Path) -> None:
    reason, hunks = read_patch(file)
    assert len(reason) > 60 and reason.endswith(".")
    assert hunks and all(hunk.path and hunk.old and hunk.old != hunk.new for hunk in hunks)
    readme = (ROOT / "tools" / "dynet" / "README.md").read_text(encoding="utf-8")
    assert f"patches/{file.name}" in readme, "README.md tells what each patch mends"


@pytest.fixture(scope="module")
def dynet_source(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The official source: from an earlier build, or from the index."""
    built = ROOT / "build" / "dynet"
    folder = built if (built / fetch.ARCHIVE).is_file() else tmp_path_factory.mktemp("dynet")
    try:
        return fetch.read_files(fetch.fetch(folder))
    except UserError as error:
        if "not the right file" in str(error):
            raise
        pytest.skip(f"DyNet's source cannot be had: {error}")


def test_the_patches_fit_the_source(dynet_source: dict[str, bytes]) -> None:
    mended = dict(dynet_source)
    for file in PATCHES:
        apply_patch(file, mended)
    changed = {path for path in mended if mended[path] != dynet_source[path]}
    assert changed == {hunk.path for file in PATCHES for hunk in read_patch(file)[1]}
    assert mended.keys() == dynet_source.keys()


def test_the_mended_source_is_without_the_faults_that_a_text_can_show(dynet_source: dict[str, bytes]) -> None:
    """What needs MKL, CUDA or a GPU to be seen in action: the branch is off, the old names are gone."""
    mended = dict(dynet_source)
    for file in PATCHES:
        apply_patch(file, mended)
    products = mended["dynet/matrix-multiply.h"]
    assert dynet_source["dynet/matrix-multiply.h"].count(b"#ifdef __INTEL_MKL__") == 3
    assert b"__INTEL_MKL__" not in products
    for path, name in (("dynet/devices.h", b"CudaStreamDevice"), ("dynet/devices.cc", b"CudaStreamDevice")):
        assert name in dynet_source[path] and name not in mended[path]
    assert b"memoryClockRate" not in mended["dynet/cuda.cc"]
    for function, loop in (
        (b"MatrixTranspMultiplyAcc", b"CUBLAS_OP_T, CUBLAS_OP_N"),
        (b"MatrixMultiplyTranspAcc", b""),
    ):
        gpu = products.split(b"inline void " + function, 2)[1].split(b"# else")[0]
        assert loop in gpu and b"else if(y.d.bd == 1)" in gpu
