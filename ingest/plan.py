"""What an ingest would do, and whether that can be meant."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ingest.read.vault import VaultFiles
from retrieval.errors import VaultError

_SAFE_REMOVALS = 10  # files; more, and over half of the index, must be meant


@dataclass(frozen=True, slots=True)
class Allowed:
    """What an operator said is meant."""

    mass_delete: bool = False  # most files of the vault are gone
    replace_vault: bool = False  # another vault takes the place of the one that is indexed


NOTHING = Allowed()


@dataclass(frozen=True, slots=True)
class Plan:
    """What an ingest would do: paths, each list sorted."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]
    rebuild: bool  # a whole generation is made, not only what changed

    @property
    def changes(self) -> bool:
        """Whether the files differ from what they were compared with."""
        return bool(self.added or self.changed or self.removed)

    def without(self, rejected: Collection[str]) -> "Plan":
        """Return it without these paths among what goes in: their files could not be read."""
        return replace(
            self,
            added=tuple(path for path in self.added if path not in rejected),
            changed=tuple(path for path in self.changed if path not in rejected),
        )


def make(found: VaultFiles, known: Mapping[str, str], *, rebuild: bool) -> Plan:
    """Compare the vault with `known`, the sha256 of files by path."""
    here = {file.path: file.sha256 for file in found.files}
    kept = {error.path for error in found.rejected}  # unreadable now is not deleted …
    folders = tuple(f"{path}/" for path in kept)  # … nor is what stands in such a folder
    gone = [path for path in sorted(known) if path not in here and path not in kept]
    return Plan(
        added=tuple(path for path in here if path not in known),
        changed=tuple(p for p, sha256 in here.items() if p in known and known[p] != sha256),
        removed=tuple(path for path in gone if not path.startswith(folders)),
        unchanged=tuple(path for path, sha256 in here.items() if known.get(path) == sha256),
        rebuild=rebuild,
    )


def refuse_odd_vault(
    root: Path, found: VaultFiles, plan: Plan, known: Mapping[str, str], allowed: Allowed
) -> None:
    """Raise VaultError for a folder that is probably not the one that was meant.

    What is `allowed` is not refused; a folder without Markdown makes no index all the same.
    """
    if not (found.files or found.rejected or known):
        raise VaultError(f"no Markdown file in {str(root)!r}; is it the right folder?")
    gone, total = len(plan.removed), len(known)
    said = f"{gone} of the index's {total} files are not in {str(root)!r}"
    if _is_other(found, plan, known):
        if not allowed.replace_vault:
            raise VaultError(
                f"{said}, and most that are there are new: it is another vault. One index holds "
                "one vault: give this one a RAG_DATA_DIR or DATABASE_URL of its own. If it is to "
                "take the other one's place: python -m ingest --replace"
            )
        return
    lost = _lost(found, plan, known)  # what only moved is not
    is_empty = not found.files and lost * 2 > total
    many = lost > _SAFE_REMOVALS and lost * 2 > total
    if (many or is_empty) and not allowed.mass_delete:
        raise VaultError(
            f"{said}; is it the right folder? If the files are meant to go: python -m ingest "
            "--allow-mass-delete"
        )


def _is_other(found: VaultFiles, plan: Plan, known: Mapping[str, str]) -> bool:
    """Whether more than half of both are the one's alone; nothing is no other vault.

    A file in another place is no such file, so a folder may be moved or renamed.
    """
    before = set(known.values())
    strange = sum(file.sha256 not in before and file.path not in known for file in found.files)
    return _lost(found, plan, known) * 2 > len(known) and strange * 2 > len(found.files)


def _lost(found: VaultFiles, plan: Plan, known: Mapping[str, str]) -> int:
    """How many files of the index are gone, path and content."""
    here = {file.sha256 for file in found.files}
    return sum(known[path] not in here for path in plan.removed)
