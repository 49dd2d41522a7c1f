"""The settings: what a wrong line is told, and that .env.example lists them all."""

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from retrieval.errors import ConfigurationError
from retrieval.settings import FOREIGN_NAMES, Settings, load, names

EXAMPLE = Path(__file__).parents[2] / ".env.example"


def written(folder: Path, text: str) -> Path:
    dotenv = folder / ".env"
    dotenv.write_text(text, encoding="utf-8")
    return dotenv


@pytest.mark.parametrize(
    ("wrong", "near"),
    [
        ("RAG_TOPK", "RAG_TOP_K"),
        ("DATABSE_URL", "DATABASE_URL"),
        ("OPENAI_BASEURL", "OPENAI_BASE_URL"),
        ("rag_treshold", "RAG_THRESHOLD"),
        ("POSTGRES_PASWORD", "POSTGRES_PASSWORD"),
    ],
)
def test_an_unknown_name_is_told_the_nearest(tmp_path: Path, wrong: str, near: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{wrong}.*did you mean {near}"):
        load(written(tmp_path, f"{wrong}=1\n"))


@pytest.mark.parametrize("wrong", ["FOO", "RAG_FOO", "HTTP_PROXY", "ALLOW_IPS"])
def test_an_unknown_name_that_is_near_to_none_is_told_where_they_are(
    tmp_path: Path, wrong: str
) -> None:
    with pytest.raises(ConfigurationError, match=rf"{wrong}'; see \.env\.example"):
        load(written(tmp_path, f"{wrong}=1\n"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RAG_TOP_K", "many"),
        ("RAG_TOP_K", "0"),
        ("RAG_TOP_K", "51"),
        ("RAG_CANDIDATES", "201"),
        ("RAG_THRESHOLD", "nan"),
        ("LLM_TIMEOUT", "0"),
        ("LLM_TIMEOUT", "inf"),
        ("PORT", "65536"),
        ("HF_HUB_OFFLINE", "perhaps"),
        ("LOG_LEVEL", "loud"),
        ("DATABASE_URL", "localhost"),
    ],
)
def test_a_value_of_the_wrong_kind_names_its_setting(
    tmp_path: Path, name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(name, raising=False)  # it goes before the file
    with pytest.raises(ConfigurationError, match=rf"^{name}: .*See \.env\.example"):
        load(written(tmp_path, f"{name}={value}\n"))


def test_an_unknown_name_in_the_environment_is_told_the_nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_TOPK", "3")
    monkeypatch.setenv("LLM_OF_ANOTHER_PROGRAM", "1")
    said = "the environment: unknown setting 'RAG_TOPK'; did you mean RAG_TOP_K?"
    with pytest.raises(ConfigurationError, match=re.escape(said)):
        load(tmp_path / "none")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://rules:ca na ry@localhost/rules",
        "postgresql://rules:ca@nary@localhost/rules",
        "postgresql://rules:ca/nary@localhost/rules",
        "postgresql://rules:ca%nary@localhost/rules",
        "postgresql://rules:ca#nary@[::1/rules",
        "mysql://rules:canary@localhost/rules",
        "host=localhost password=canary bogus=1",
    ],
)
def test_a_database_url_that_cannot_be_read_is_refused_without_being_shown(
    tmp_path: Path, url: str
) -> None:
    with pytest.raises(ConfigurationError, match="DATABASE_URL: ") as refused:
        load(written(tmp_path, f'DATABASE_URL="{url}"\n'))
    with pytest.raises(ValidationError) as invalid:
        Settings.model_validate({"database_url": url})
    for error in (refused.value, invalid.value):
        assert "nary" not in str(error) + repr(error)


@pytest.mark.proves("row 37")
def test_secrets_are_in_no_representation(tmp_path: Path) -> None:
    dotenv = written(
        tmp_path, "DATABASE_URL=postgresql://rules:canary@db/rules\nOPENAI_API_KEY=canary\n"
    )
    settings = load(dotenv)
    assert settings.openai_api_key is not None
    assert settings.openai_api_key.get_secret_value() == "canary"
    assert "canary" not in f"{settings} {settings!r} {settings.model_dump()}"
    assert "canary" not in settings.model_dump_json()


def test_an_empty_value_means_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_MODEL", "")
    empty = "".join(f"{name}=\n" for name in names())
    assert load(written(tmp_path, empty)) == load(tmp_path / "none")


def test_the_environment_goes_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dotenv = written(tmp_path, "RAG_TOP_K=7\nrag_candidates=9\nLOG_LEVEL=debug\n")
    monkeypatch.setenv("RAG_TOP_K", "8")
    settings = load(dotenv)
    assert (settings.rag_top_k, settings.rag_candidates) == (8, 9)
    assert settings.log_level == "DEBUG"


@pytest.mark.parametrize(
    "line", ["RAG_TOP_K", "RAG_TOP_K 5", "this is no setting", 'OPENAI_MODEL="never ended', "=5"]
)
def test_a_line_that_is_no_setting_is_refused_by_its_number(tmp_path: Path, line: str) -> None:
    dotenv = written(tmp_path, f"# a comment\n\nRAG_CANDIDATES=9\n\n\n{line}\n")
    with pytest.raises(ConfigurationError, match=r":6: is no setting; write NAME=value"):
        load(dotenv)


@pytest.mark.parametrize(
    "text",
    [
        "RAG_TOP_K=7\n\n",
        "RAG_TOP_K=7\n   ",
        "\n\nRAG_TOP_K=7\n  # the end\n\n\n",
        "export RAG_TOP_K=7  # passages\r\n\r\n",
        'OPENAI_MODEL="two\nlines"\nRAG_TOP_K = 7\n',
    ],
)
def test_lines_that_mean_something_are_read(tmp_path: Path, text: str) -> None:
    assert load(written(tmp_path, text)).rag_top_k == 7


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"OPENAI_MODEL=\xff\n")
    with pytest.raises(ConfigurationError, match=r"\.env cannot be read: .*it is to be UTF-8"):
        load(tmp_path / ".env")


def test_lines_for_other_programs_are_let_pass(tmp_path: Path) -> None:
    load(written(tmp_path, "POSTGRES_PASSWORD=x\nOTEL_SERVICE_NAME=y\nNO_COLOR=1\n"))


def test_the_example_lists_every_setting_and_nothing_else() -> None:
    listed = re.findall(r"^# ([A-Z][A-Z_]+)=", EXAMPLE.read_text("utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted({*names(), *FOREIGN_NAMES})


def test_the_example_can_be_copied_as_it_is_and_with_its_defaults(tmp_path: Path) -> None:
    text = EXAMPLE.read_text("utf-8")
    defaults = load(tmp_path / "none")
    assert load(written(tmp_path, text)) == defaults
    uncommented = re.sub(r"^# (?=[A-Z][A-Z_]+=)", "", text, flags=re.MULTILINE)
    shown = load(written(tmp_path, uncommented))
    # Its default is an address that the client knows; the example shows a local server's.
    assert shown.openai_base_url == "http://localhost:11434/v1"
    assert shown.model_copy(update={"openai_base_url": None}) == defaults
