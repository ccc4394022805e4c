"""A project and a home, empty, and what is put into them."""

import json
from pathlib import Path

import pytest

__all__ = ["folder", "home", "root", "write"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return folder(tmp_path / "home")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return folder(tmp_path / "work" / "app")


def folder(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path
