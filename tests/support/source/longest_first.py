"""A pytest plugin: the files that take longest come first."""

import pytest

# Of two workers none is to begin a long file when the other has nothing left: these come first.
_LONGEST = (
    "test_sabotage", "test_impact", "test_bombs", "test_wheel", "test_page_views", "test_stale",
    "test_coverage", "test_postgres_owners", "test_crash", "test_readers", "test_page_hostile",
    "test_on_ray", "test_generation_programs", "test_attacks", "test_nesting",
    "test_doctor_damage", "test_watch", "test_ablation", "test_database_faults", "test_feedback",
    "test_regexes",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the files for `--no-loadscope-reorder`; the tests of a file keep their order."""
    places = {name: place for place, name in enumerate(_LONGEST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))
