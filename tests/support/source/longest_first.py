"""A pytest plugin: the files that take longest come first."""

import pytest

# No worker is to begin a long file when the others have nothing left: these come first, and of them
# those that mostly wait, since the first minutes' cores are wanted by what `make test` does beside.
_LONGEST = (
    "test_on_ray", "test_postgres_owners", "test_soak", "test_watch", "test_database_faults",
    "test_cluster_copy", "test_impact", "test_page_views", "test_bombs", "test_page_hostile",
    "test_crash", "test_nesting", "test_engines", "test_coverage", "test_sabotage",
    "test_stale", "test_key_filters", "test_regexes", "test_generation_programs", "test_wheel",
    "test_readers", "test_replicas", "test_ablation", "test_doctor_damage",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the files for `--no-loadscope-reorder`; the tests of a file keep their order."""
    places = {name: place for place, name in enumerate(_LONGEST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))
