"""A foreign retriever, by its name in Python or behind HTTP."""

import importlib
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx2

from evals.foreign.passages import LIMIT
from retrieval.errors import RetrieverError

Retrieve = Callable[[str], object]
SHAPES = ("ours", "dify", "openai-search")
KEY = "RETRIEVER_API_KEY"  # sent as a bearer token where it is set
TIMEOUT = 30.0  # seconds for one question
_OURS = ("api", "evals", "ingest", "retrieval", "training")


def named(name: str) -> Retrieve:
    """Return the retriever that `module:attribute` names; the working folder is looked in, too.

    LangChain's is called by `invoke`, LlamaIndex's by `retrieve`, anything else itself. Raises
    RetrieverError where it cannot be imported or called.
    """
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise RetrieverError(f"--retriever {name!r} is not module:function; write mine:search")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # whatever a module of others does at its import
        said = f"{type(error).__name__}: {error}"
        raise RetrieverError(f"--retriever {name}: {said}; {_cure(error)}") from error
    for method in ("invoke", "retrieve"):
        if callable(bound := getattr(found, method, None)):
            return _told(name, bound)
    if not callable(found):
        raise RetrieverError(
            f"--retriever {name} is a {type(found).__name__}; name a function of a question, "
            "or an object with invoke or retrieve"
        )
    return _told(name, found)


def endpoint(url: str, shape: str, client: httpx2.Client, knowledge_id: str = "") -> Retrieve:
    """Return what asks `url` in one of SHAPES; RetrieverError where it does not answer so.

    `knowledge_id` is of dify: what an external knowledge base is told to search.
    """

    def ask(question: str) -> object:
        try:
            reply = client.post(url, json=_body(url, shape, question, knowledge_id))
            reply.raise_for_status()
            return _READ[shape](reply.json())
        except httpx2.TimeoutException as error:
            said = f"did not answer within {TIMEOUT:g} s; try it with one question by hand"
            raise RetrieverError(f"{url} {said}") from error
        except httpx2.HTTPStatusError as error:
            said = f"answered {reply.status_code}: {reply.text[:80]!r}; look at URL and {KEY}"
            raise RetrieverError(f"{url} {said}") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise RetrieverError(f"{url} cannot be reached: {error}; is it running?") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            said = f"answered {reply.text[:80]!r}, which is not of the shape {shape}"
            raise RetrieverError(f"{url} {said}; name another --shape") from error

    return ask


def client() -> httpx2.Client:
    """Return the client of an endpoint, with the key of the environment, if any."""
    key = os.environ.get(KEY)
    return httpx2.Client(
        timeout=TIMEOUT, headers={"Authorization": f"Bearer {key}"} if key else None
    )


def _told(name: str, call: Retrieve) -> Retrieve:
    def ask(question: str) -> object:
        try:
            return call(question)
        except Exception as error:  # whatever the code of others raises; it is named
            cure = _name_clash(error) or "call it with that question"
            raise RetrieverError(
                f"--retriever {name} raised {type(error).__name__}: {error} at the question "
                f"{question!r}; {cure}"
            ) from error

    return ask


def _cure(error: Exception) -> str:
    if said := _name_clash(error):
        return said
    if isinstance(error, AttributeError):
        return "name an attribute of the module"
    return "is it installed in this environment, or its folder in PYTHONPATH?"


def _name_clash(error: Exception) -> str:
    """What to do where a package of ours was taken for one of theirs; "" where none was."""
    missing = ""
    if isinstance(error, AttributeError) and isinstance(error.obj, ModuleType):
        missing = error.obj.__name__
    elif isinstance(error, ImportError):
        missing = error.name or ""
    package = missing.partition(".")[0]
    if package not in _OURS:
        return ""
    return (
        f"a package of ours is called {package}, too, and was taken for yours; "
        "serve your retriever and measure it with --endpoint URL"
    )


def _body(url: str, shape: str, question: str, knowledge_id: str) -> dict[str, object]:
    """What is sent; an external knowledge base of Dify demands more than Dify's own data sets."""
    if shape == "ours":
        return {"question": question, "top_k": LIMIT}
    if shape == "openai-search":
        return {"query": question, "max_num_results": LIMIT}
    if httpx2.URL(url).path.endswith("/retrieve"):
        return {"query": question}
    setting = {"top_k": LIMIT, "score_threshold": 0.0}
    return {"query": question, "knowledge_id": knowledge_id, "retrieval_setting": setting}


def _of_dify(data: Mapping[str, Any]) -> list[dict[str, object]]:
    """The passages of /datasets/ID/retrieve (segments), or of an external knowledge base.

    A title is any name of a document, so a path in the metadata goes before it.
    """
    return [
        {"text": one["segment"]["content"], "path": one["segment"]["document"]["name"]}
        if "segment" in one
        else {
            "text": one["content"],
            "metadata": {"file_name": one.get("title"), **(one.get("metadata") or {})},
        }
        for one in data["records"]
    ]


def _of_openai(data: Mapping[str, Any]) -> list[dict[str, object]]:
    return [
        {
            "text": "\n".join(part["text"] for part in one["content"]),
            "metadata": {"file_name": one["filename"], **(one.get("attributes") or {})},
        }
        for one in data["data"]
    ]


def _of_ours(data: Mapping[str, Any]) -> list[Mapping[str, object]]:
    return [
        {"text": "\n".join(filter(None, (p.get("context"), p["text"]))), "path": p.get("path")}
        for p in data["passages"]
    ]


_READ: Mapping[str, Callable[[Any], object]] = {
    "ours": _of_ours, "dify": _of_dify, "openai-search": _of_openai,
}  # fmt: skip
