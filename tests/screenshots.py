"""Make the README's pictures of a real answer with its source open: python -m tests.screenshots.

Needs the index of `make ingest` and a browser: the one of CHROMIUM, else Debian's chromium.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

from playwright.sync_api import Browser, sync_playwright

from retrieval.settings import load
from tests.support.servers.serving import serving

_QUESTION = "How long does a torch burn?"
_WIDTH, _HEIGHT = 1400, 800
_MOST_BYTES = 250_000
Scheme = Literal["light", "dark"]


def main(argv: Sequence[str] | None = None) -> int:
    """Write page-light.png and page-dark.png; return 0, or 2 where there is no browser."""
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("docs"))
    folder: Path = parser.parse_args(argv).folder
    program = shutil.which(os.environ.get("CHROMIUM") or "chromium")
    if program is None:
        print("screenshots: no chromium on PATH; install it or set CHROMIUM", file=sys.stderr)
        return 2
    with serving(load()) as client, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for scheme in get_args(Scheme):
            file = folder / f"page-{scheme}.png"
            _picture(browser, str(client.base_url), scheme, file)
            size = file.stat().st_size
            print(f"{file}: {size:,} bytes")
            if size > _MOST_BYTES:
                print(f"screenshots: {file} is over {_MOST_BYTES:,} bytes", file=sys.stderr)
                return 2
        browser.close()
    return 0


def _picture(browser: Browser, url: str, scheme: Scheme, file: Path) -> None:
    context = browser.new_context(
        viewport={"width": _WIDTH, "height": _HEIGHT}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(url)
    page.get_by_role("textbox", name="Question").fill(_QUESTION)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Show in file").first.click()
    page.get_by_role("complementary", name="Source").locator("mark").first.wait_for()
    page.screenshot(path=file)
    context.close()


if __name__ == "__main__":
    sys.exit(main())
