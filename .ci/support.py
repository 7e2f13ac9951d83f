"""What the scripts of this folder share: where things are, pinned tools, and counting what passed."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).absolute()
VERSION = re.search(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(), re.M)[1]

# The real libraries, by which reducers and the Python package are measured.
LANGGRAPH = ["langgraph==1.2.24", "langchain-core==1.8.3"]

# How much of what was seen is shown where a check fails.
SHOWN = 4000


def python_tools(folder: Path, pinned: list[str], python: str = sys.executable) -> Path:
    """The `bin` folder of an environment in FOLDER that has exactly these packages, made anew if they changed."""
    bin_folder = folder / "venv" / "bin"
    done = folder / "installed"
    if not (bin_folder / "python").exists() or not done.exists() or done.read_text() != str(pinned):
        folder.mkdir(parents=True, exist_ok=True)
        quietly([python, "-m", "venv", "--clear", folder / "venv"])
        quietly([bin_folder / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pinned])
        done.write_text(str(pinned))
    return bin_folder


def quietly(command: list, **options) -> str:
    """What a command that has to succeed prints; on failure all of it is shown."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}\nended with {done.returncode}")
    return done.stdout


def block(page: Path, name: str) -> str:
    """The fenced block behind the comment `<!-- NAME -->`: what a page shows is what is tried."""
    found = re.search(rf"^<!-- {re.escape(name)} -->\n```\w*\n(.*?)^```$", page.read_text(), re.M | re.S)
    if not found:
        sys.exit(f"{page}: no block behind <!-- {name} -->")
    return found[1]


class Checks:
    """Prints each check as it is made, counts, and closes with `N passed, N failed`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.passed = self.failed = 0

    def check(self, what: str, fine: bool, seen: str = "") -> bool:
        print(f"{'ok  ' if fine else 'FAIL'}  {what}", flush=True)
        if fine:
            self.passed += 1
        else:
            self.failed += 1
            print("      " + seen.strip()[:SHOWN].replace("\n", "\n      "), flush=True)
        return fine

    def run(self, what: str, command: list, status: int = 0, says: list = (), **options) -> str:
        """A command that has to end with STATUS and to print each text of SAYS; returns what it printed."""
        done = subprocess.run(
            [str(word) for word in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            **options,
        )
        missing = [text for text in says if text not in done.stdout]
        seen = f"{' '.join(map(str, command))}\n{done.stdout}\nended with {done.returncode}"
        if missing:
            seen += f"\nand did not say {missing}"
        self.check(what, done.returncode == status and not missing, seen)
        return done.stdout

    def close(self) -> int:
        """The closing line, and the exit status of the script: checks that did not run have not passed."""
        print(f"{self.name}: {self.passed} passed, {self.failed} failed", flush=True)
        return 0 if self.passed > 0 and self.failed == 0 else 1
