"""The default embedder: its vectors, its two ways to run, and what it says when it cannot."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.index.tiny_model import write_tiny_model

from mneme.index.embed import EmbedderChoice, EmbedderError, find_embedder, open_embedder
from mneme.index.embed.choice import MODEL_FOLDER
from mneme.index.embed.minilm import MiniLM, numpy_pass, onnx_pass, open_minilm

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [
    "The client wants the quotation in euros.",
    "Who owns the payments module?",
    "她养了两只猫，一只叫咪咪",
    "x",
    "",
    "word " * 400,
]


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    """The embedder as it is shipped."""
    return open_minilm(MODEL_FOLDER)


def test_vectors_are_unit_float32(minilm: MiniLM) -> None:
    """Every text, the empty one and the too long one included, becomes a unit vector."""
    vectors = minilm.embed_documents(TEXTS)
    assert (len(vectors), vectors.dims) == (len(TEXTS), 384)
    assert np.allclose(np.linalg.norm(vectors.matrix(), axis=1), 1, atol=1e-5)


def test_a_text_does_not_depend_on_its_neighbours(minilm: MiniLM) -> None:
    """Alone, in a batch, and in a batch that is spread over threads, a text has the same bytes."""
    many = minilm.embed_documents([*TEXTS, *(f"text {number}" for number in range(40))])
    assert [many[place] for place in range(len(TEXTS))] == [minilm.embed_documents([text])[0] for text in TEXTS]


def test_meaning_decides_and_not_words(minilm: MiniLM) -> None:
    """A question meets the note that answers it, in either language, though they share no word."""
    notes = minilm.embed_documents(
        ["She has two cats, one called Mimi", "The contract expires next March", "接口超时时间设置为三十秒"]
    ).matrix()
    for question, best in (("Does she own any pets?", 0), ("协议什么时候结束？", 1), ("How long do requests wait?", 2)):
        assert int((notes @ minilm.embed_query([question]).matrix()[0]).argmax()) == best


def test_an_instruction_is_not_heard(minilm: MiniLM) -> None:
    """The model was trained without instructions: a purpose changes nothing."""
    assert minilm.embed_query(["a"], "find tools: ") == minilm.embed_query(["a"])


def test_numpy_alone_gives_the_same_vectors_nearly(minilm: MiniLM) -> None:
    """Without onnxruntime the same weights give vectors within .99 of the runtime's."""
    numbers = [minilm._tokens.numbers(text, 256) for text in TEXTS]
    quick, slow = onnx_pass(MODEL_FOLDER), numpy_pass(MODEL_FOLDER)
    for text in numbers:
        assert float(np.frombuffer(quick(text), "<f4") @ np.frombuffer(slow(text), "<f4")) > 0.99


def test_the_files_are_what_the_manifest_says(minilm: MiniLM) -> None:
    """The name carries the revision, and the revision is made from the files' hashes."""
    import hashlib

    about = json.loads((MODEL_FOLDER / "model.json").read_text("utf-8"))
    for name, recorded in about["files"].items():
        assert hashlib.sha256((MODEL_FOLDER / name).read_bytes()).hexdigest() == recorded
    assert minilm.name == f"minilm-l6-v2/384@{about['revision']}"


@pytest.mark.parametrize("missing", ["model.json", "minilm.onnx", "minilm.safetensors", "vocab.txt"])
def test_a_missing_file_is_one_clear_error(tmp_path: Path, missing: str) -> None:
    """A folder that lacks a file opens with an error, and recall goes on by words alone."""
    folder = tmp_path / "model"
    shutil.copytree(MODEL_FOLDER, folder)
    (folder / missing).unlink()
    with pytest.raises(EmbedderError):
        open_minilm(folder)
    found, why = find_embedder(EmbedderChoice(folder=str(folder)))
    assert found is None
    assert str(folder) in why or "onnxruntime" in why


def test_a_truncated_weights_file_is_one_clear_error(tmp_path: Path) -> None:
    """Half a file of weights is found out when it is opened."""
    folder = tmp_path / "model"
    shutil.copytree(MODEL_FOLDER, folder)
    whole = (folder / "minilm.safetensors").read_bytes()
    (folder / "minilm.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(EmbedderError):
        open_minilm(folder)


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


BLOCKED = "import sys; sys.modules['onnxruntime'] = None\n"
QUESTION = "from mneme.index.embed import *\nfound, why = find_embedder(EmbedderChoice())\n"


def test_importing_is_light() -> None:
    """Neither numpy nor the runtime is loaded before an embedder is opened."""
    heavy = "{'numpy', 'onnxruntime', 'urllib.request', 'http.client'}"
    assert _run(f"import sys, mneme.index.embed, mneme.index.vectors\nprint({heavy} & set(sys.modules))") == "set()"


def test_without_onnxruntime_numpy_serves() -> None:
    """The default embedder opens under the same name where the runtime is missing."""
    assert _run(BLOCKED + QUESTION + "print(found.name, len(found.embed_query(['a'])))") == (
        f"{open_embedder(EmbedderChoice()).name} 1"
    )


def test_without_numpy_recall_is_by_words() -> None:
    """No numpy, no embedder, and a reason."""
    code = BLOCKED + "sys.modules['numpy'] = None\n" + QUESTION + "print(found, why)"
    assert _run(code) == "None the default embedder needs numpy, and onnxruntime to be quick"


def test_a_folder_in_the_published_layout_is_an_embedder(tmp_path: Path) -> None:
    """A local ONNX folder is opened by its own files: here, a graph that gives each token a vector."""
    folder = write_tiny_model(tmp_path / "all-minilm")
    embedder = open_embedder(EmbedderChoice(kind="onnx", folder=str(folder)))
    assert embedder.dims == 4
    assert embedder.name.startswith("all-minilm/4@")
    first, second = embedder.embed_documents(["one", "one two"]), embedder.embed_query(["one"])
    assert first[0] == second[0] != first[1]


@pytest.mark.parametrize(
    ("choice", "fault"),
    [
        (EmbedderChoice(kind="onnx", folder="/nowhere"), "there is no 'model.onnx' in '/nowhere'"),
        (EmbedderChoice(kind="sentence-transformers"), "a sentence-transformers embedder needs a model"),
        (EmbedderChoice(kind="none"), "no embedder is set"),
        (EmbedderChoice(kind="openai"), "an OpenAI-compatible embedder needs an address and a model"),
    ],
)
def test_what_cannot_be_opened_says_why(choice: EmbedderChoice, fault: str) -> None:
    """Each kind names what it lacks, and leaves recall to words."""
    assert find_embedder(choice) == (None, fault)
