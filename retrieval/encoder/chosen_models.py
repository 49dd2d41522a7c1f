"""The files of the models that the settings name."""

from retrieval.encoder import weights
from retrieval.encoder.weights import ModelFiles
from retrieval.settings import BUNDLED, Settings


def reranker_files(settings: Settings) -> ModelFiles:
    """Return the files of the settings' cross-encoder. Raises ModelUnavailableError."""
    if settings.reranker_model == BUNDLED:
        return weights.bundled_reranker()
    return weights.find(settings.reranker_model, offline=settings.hf_hub_offline)


def encoder_files(settings: Settings) -> ModelFiles:
    """Return the files of the encoder that the settings name. Raises ModelUnavailableError."""
    if settings.embedding_model == BUNDLED:
        return weights.bundled_encoder()
    if settings.embedding_model == "bundled-base":
        return weights.bundled_base()
    return weights.find(settings.embedding_model, offline=settings.hf_hub_offline)
