"""The readers that the settings name."""

from api.checks.readers.by_entailment import EntailmentReader
from api.checks.readers.by_llm import LlmReader
from api.checks.readers.verifier import Readers, Verifier
from api.llm.client import LanguageModel
from retrieval.context import SearchContext
from retrieval.encoder import weights
from retrieval.encoder.entailment import EntailmentModel


def readers(context: SearchContext, model: LanguageModel | None) -> Readers:
    """Return the readers of what `model` writes, loaded; none where there is none.

    Raises ModelUnavailableError where GUARD_MODEL is not here or no model of entailment.
    """
    settings = context.settings
    found: list[Verifier] = []
    if model and settings.guard_model != "off":
        files = weights.find(settings.guard_model, offline=settings.hf_hub_offline)
        entailment = EntailmentModel(files, context.embedder.thread)
        entailment.warm()
        found.append(EntailmentReader(entailment))
    if model and settings.guard_llm != "off":
        found.append(LlmReader(model, always=settings.guard_llm == "on"))
    return Readers(found)
