"""How long ``mcp-assay --help`` takes beside a bare interpreter, and that it does not import the MCP SDK."""

import compileall
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import click
from benchmarks.figures import Figure, compared, main

import mcp_assay

__all__ = ["imported", "measure"]

MOST = 6.0
COMMAND = Path(sys.executable).with_name("mcp-assay")


def measure(rounds: int = 21) -> list[Figure]:
    """Whole processes, started in turn. Raises RuntimeError if the help imports the SDK."""
    for package in (mcp_assay, click):
        compileall.compile_dir(Path(str(package.__file__)).parent, quiet=1)
    if "mcp" in imported(["--help"]):
        raise RuntimeError("mcp-assay --help imports mcp")
    commands = {"bare": [sys.executable, "-c", "pass"], "help": [str(COMMAND), "--help"]}
    times = [{name: _took(command) for name, command in commands.items()} for _ in range(rounds)]
    return [compared("mcp-assay --help against python -c pass", times, "bare", "help", bound=MOST)]


def imported(args: list[str]) -> set[str]:
    """The modules that the command line imports with these arguments."""
    command = [sys.executable, "-X", "importtime", str(COMMAND), *args]
    log = subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
    return {line.rpartition("|")[2].strip() for line in log.splitlines() if line.startswith("import time:")}


def _took(command: list[str]) -> float:
    began = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return (perf_counter() - began) * 1000


if __name__ == "__main__":
    main(measure)
