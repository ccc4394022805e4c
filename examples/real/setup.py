"""Makes the small world that the plans beside this file work in: setup.py FOLDER. Needs git and DuckDB for Python."""

import csv
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from datetime import date, timedelta
from pathlib import Path

import duckdb

CUSTOMERS = ("Abendroth", "Brook & Sons", "Castellan", "Dovetail", "Eastlake", "Farnworth", "Greylag", "Hollis")
PRODUCTS = ("kettle", "lamp", "stool", "mirror", "shelf")


def orders(count: int) -> list[tuple[int, str, str, str, int, float]]:
    """Orders with a number, a day, a customer, a product, how many, and the price of one; the same each time."""
    first = date(2026, 1, 5)
    return [
        (
            1000 + number,
            (first + timedelta(days=number // 2)).isoformat(),
            CUSTOMERS[number * number % 7],
            PRODUCTS[number * 3 % 5],
            1 + number * 5 % 9,
            8 + number * 37 % 224 / 2,
        )
        for number in range(count)
    ]


def notes(folder: Path) -> None:
    """A vault of linked notes with front matter and tags."""
    (folder / ".obsidian").mkdir(parents=True)
    (folder / "meetings").mkdir()
    (folder / "projects").mkdir()
    for number in range(1, 13):
        day = date(2026, 3, 2) + timedelta(weeks=number - 1)
        customer = CUSTOMERS[number % len(CUSTOMERS)]
        (folder / "meetings" / f"{day}.md").write_text(
            f"---\ntags: [meeting, {'decision' if number % 3 == 0 else 'status'}]\n---\n# {day}\n\n"
            f"With {customer} about [[projects/catalogue]]: {PRODUCTS[number % 5]} prices.\n- [ ] send the minutes\n"
        )
    for project in ("catalogue", "warehouse", "website"):
        (folder / "projects" / f"{project}.md").write_text(f"---\ntags: [project]\n---\n# {project}\n\nOwner: Hollis\n")


def repository(folder: Path) -> None:
    """A repository with a short history, and a change that is not committed."""
    folder.mkdir()
    program = shutil.which("git") or sys.exit("error: git not found")

    def git(*arguments: str) -> None:
        subprocess.run([program, "-C", str(folder), *arguments], check=True, stdout=subprocess.DEVNULL)

    git("init", "--quiet", "--initial-branch", "main")
    for key, value in (("user.name", "Demo"), ("user.email", "demo@example.com"), ("commit.gpgsign", "false")):
        git("config", key, value)
    for number in range(1, 25):
        with (folder / "CHANGES.md").open("a") as file:
            file.write(f"- Change number {number}.\n")
        git("add", "CHANGES.md")
        git("commit", "--quiet", "--message", f"Change number {number}")
    with (folder / "CHANGES.md").open("a") as file:
        file.write("- Not committed yet.\n")


def main() -> None:
    world = Path(sys.argv[1])
    rows = orders(400)
    header = ("number", "day", "customer", "product", "pieces", "price")

    files = world / "files"
    (files / "logs").mkdir(parents=True)
    with (files / "orders.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    for day in range(1, 9):
        lines = (f"2026-04-{day:02} {n % 24:02}:00 {'ERROR' if n % 50 == 0 else 'INFO'} job {n}\n" for n in range(300))
        (files / "logs" / f"job-{day}.log").write_text("".join(lines))
    (files / "readme.txt").write_text("Orders of the first half of 2026, and the logs of the nightly job.\n")
    with zipfile.ZipFile(files / "logs.zip", "w") as archive:
        archive.write(files / "readme.txt", "readme.txt")

    (world / "books").mkdir()
    with (world / "books" / "orders.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows[:60]])
    database = sqlite3.connect(world / "shop.db")
    database.execute("create table orders (number integer primary key, day, customer, product, pieces, price)")
    database.executemany("insert into orders values (?, ?, ?, ?, ?, ?)", rows)
    database.commit()
    database.close()

    with duckdb.connect(str(world / "shop.duckdb")) as shop:
        shop.execute(f"create table orders as from read_csv('{files / 'orders.csv'}')")

    notes(world / "vault")
    repository(world / "repo")

    page = world / "www"
    page.mkdir()
    parts = (f"<h2>Model {n}</h2><p>{f'How the kettle of model {n} is descaled. ' * 6}</p>" for n in range(60))
    (page / "manual.html").write_text(f"<html><title>Manual</title><body><h1>Manual</h1>{''.join(parts)}</body></html>")


if __name__ == "__main__":
    main()
