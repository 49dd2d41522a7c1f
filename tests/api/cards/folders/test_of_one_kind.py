"""A folder's things are the files with the fields that most of them have."""

from api.answer.cards.folders import file_fields, folders
from tests.support.index.indexed_text import reader_of, terms_of

_GUILDS = {
    f"Guilds/{n}. {name}.md": (
        f"# {name}\n\n| | |\n|---|---|\n| Patron | a saint |\n| Dues | {n} |\n"
        f"| Badge | a tool |\n| Oath | spoken |\n"
    )
    for n, name in enumerate(("Bakers", "Coopers", "Dyers", "Glovers"), 1)
}
FILES = {
    **_GUILDS,
    "Guilds/5. Leaving a Guild.md": "# Leaving a Guild\n\n**Oath:** it is taken back.\n",
    "Guilds/6. Guild Halls.md": "# Guild Halls\n\nEach guild has one.\n",
    "Songs/1. Dawn.md": "# Dawn\n\n**Length:** long\n",
    "Songs/2. Dusk.md": "# Dusk\n\n**Length:** short\n",
    "Songs/3. Noon.md": "# Noon\n\nIt has no length.\n",
}
TERMS = terms_of(FILES)


def titles(folder: str) -> list[str]:
    whole = folders.whole(folder, TERMS)
    found = file_fields.of_one_kind(whole, TERMS, reader_of(FILES))
    assert found.count == len(found.files)
    return [one.title for one in found.files]


def test_files_without_half_of_the_shared_fields_are_none_of_its_things() -> None:
    assert titles("Guilds") == ["Bakers", "Coopers", "Dyers", "Glovers"]


def test_one_shared_field_tells_no_kind() -> None:
    assert titles("Songs") == ["Dawn", "Dusk", "Noon"]
