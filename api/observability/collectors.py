"""What GET /metrics reads when it is asked: the language model's faults, and the index."""

from collections import Counter

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from api.llm.client import LanguageModel
from api.llm.faults import Fault
from api.sources import stale_files
from api.state import AppState
from retrieval.errors import DatabaseUnreachableError, IndexMissingError
from retrieval.index import generations, store


def llm_faults(opened: AppState) -> Metric:
    """Return how many calls of the language model failed, a sample a reason.

    Each try counts, also one whose second try succeeded. All are 0 where no model is set.
    """
    model = opened.model
    faults = model.faults if isinstance(model, LanguageModel) else Counter[Fault]()
    family = CounterMetricFamily(
        "rag_llm_faults", "Calls of the language model that failed.", labels=["reason"]
    )
    for fault in Fault:
        family.add_metric([fault.value], faults[fault])
    return family


def index(opened: AppState) -> list[Metric]:
    """Return the gauges of the live index; none where it cannot be read."""

    def held(conn: store.Connection) -> tuple[int, dict[str, str]]:
        now = store.live(conn)
        return generations.size(conn, now.id)[1], generations.file_hashes(conn, now.id)

    try:
        chunks, indexed = opened.rules.read(held)
    except (DatabaseUnreachableError, IndexMissingError):  # GET /readyz says why
        return []
    found: list[Metric] = [GaugeMetricFamily("rag_index_chunks", "Chunks of the index.", chunks)]
    vault = opened.rules.settings.vault
    if vault.is_dir():  # an API may run where the index is and the files are not
        stale = len(stale_files.stale(vault, indexed))
        found.append(GaugeMetricFamily("rag_index_stale_files", "Files not as indexed.", stale))
    return found
