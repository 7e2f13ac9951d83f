"""An editor that people use, without a screen."""

import subprocess
from pathlib import Path

from agents import UNORDERED


def test_neovim_shows_a_finding_and_applies_a_fix(tmp_path):
    (tmp_path / "agent.py").write_text(UNORDERED)
    script = Path(__file__).parent / "neovim.lua"
    command = ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "agent.py", "-c", f"luafile {script}"]
    done = subprocess.run(command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "agent.py").read_text() == UNORDERED.replace("ships(berths))", "sorted(ships(berths)))")
