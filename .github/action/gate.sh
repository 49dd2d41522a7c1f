#!/usr/bin/env bash
# What action.yml runs: bring the index into step with VAULT, report the impact against BASE where
# one is named, and gate. Exit status: that of the gate; 2 where anything could not be measured.
set -euo pipefail
for name in VAULT QUESTIONS RESULTS; do
  if [ -z "${!name:-}" ]; then
    echo "gate.sh: $name is not set: a folder of Markdown, a file of questions, a folder to write" >&2
    exit 2
  fi
done
export VAULT
mkdir -p "$RESULTS"
RESULTS=$(cd "$RESULTS" && pwd)
{
  echo "report=$RESULTS"
  echo "impact=${BASE:+$RESULTS/impact.md}"
} >> "${GITHUB_OUTPUT:-/dev/null}"

questions=(--dataset "$QUESTIONS")
[ -z "${SPLIT:-}" ] || questions+=(--split "$SPLIT")

status=0
rules-oracle ingest --allow-mass-delete --replace || status=$?
# 1: some file was rejected and is named above; the gate says whether a question needs it.
[ "$status" -le 1 ] || exit 2

measured=0
if [ -n "${BASE:-}" ]; then
  rules-oracle evals impact --base "$BASE" --vault "$VAULT" "${questions[@]}" \
    --out "$RESULTS/impact.md" || measured=2
fi

gate=("${questions[@]}" --results "$RESULTS/runs" --junit "$RESULTS/junit.xml")
[ -z "${MIN_RECALL:-}" ] || gate+=(--min-recall "$MIN_RECALL")
[ -z "${BASELINE:-}" ] || gate+=(--baseline "$BASELINE")
status=0
rules-oracle evals retrieval "${gate[@]}" || status=$?
[ "$status" -ge "$measured" ] || status=$measured
exit "$status"
