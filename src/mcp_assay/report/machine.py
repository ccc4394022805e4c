"""A view as ``report.json``, for programs. Keys are only ever added within one ``schema_version``.

- ``schema_version``; ``name``; ``date`` (ISO 8601); ``duration`` ("12m 34s" or "incomplete");
  ``active_seconds`` (number or null); ``headline``; ``synthesis`` (the critic's own words)
- ``scenarios``: ``run``, ``aborted``
- ``counts``: findings by severity, ``Critical`` to ``Suggestion``
- ``findings[]`` in the order of report.md: ``id``, ``severity``, ``dimension``, ``summary``, ``mcp_name`` (a name
  of ``servers[]``, ``cross-mcp`` or ``unattributed``), ``evidence_ids``, ``recommendation``; and, or null,
  ``rule`` and ``cost`` (calls, tokens, bytes, ms), ``by`` (rule or model), ``raised_from`` (a severity; a model
  raised it); ``missed`` (scenarios whose goal was not reached because of it) and ``servers`` (that share it, where
  it is one finding for most of them)
- ``servers[]``: ``name``, ``disposition``, ``findings`` (ids), and ``coverage``: the tools ``offered``, ``called``
  and ``not_drivable``, and the numbers ``calls``, ``completed``, ``errors``, ``blocked``
- ``handoffs_exercised``: whether any scenario was aimed at two servers
- ``hosts``: by scenario, where an agent's host was started for it: ``ended``, ``unreported`` (ids of lines that its
  record does not mention), ``unseen`` (tools of calls that it mentions and the gate never saw)
- ``skipped[]``: ``name``, ``filtered`` (at discovery; else by disposition), ``note``
- ``caveats[]``: ``kind``, ``text`` (names in backticks), ``raw`` (texts as they came)
- ``dangling_citations[]``: ``finding_id``, ``cited_id``, ``reason``
- ``evidence``, ``critique``, ``rubric`` (the version by which the rules weighed, or null)
- ``transcript``: ``entries``, ``sha256``
- ``surface[]``: what the manifests alone show, of each server that offers tools, and no part of the findings:
  ``server``, ``tools`` (how many), ``left_out`` (of them not looked at), ``tokens``, ``counts`` by kind, and
  ``by_tool[]``, of each tool with any: ``tool``, ``tokens``, ``undescribed`` (true or false),
  ``undescribed_parameters`` and ``prose_enums`` (names), ``no_output_schema``, ``large``, ``alike`` (tools)

Strings are as they came: make them harmless for wherever they go.
"""

from dataclasses import asdict
from typing import Any

from mcp_assay.report.view import Reported, Server, View

__all__ = ["SCHEMA_VERSION", "render"]

SCHEMA_VERSION = 1


def render(view: View) -> dict[str, Any]:
    """A plain JSON object of the form that this module's docstring has."""
    return {
        "schema_version": SCHEMA_VERSION,
        "name": view.name,
        "date": view.date,
        "duration": view.duration,
        "active_seconds": view.active_seconds,
        "headline": view.headline,
        "synthesis": view.synthesis,
        "scenarios": {"run": view.scenarios, "aborted": view.aborted},
        "counts": {str(severity): number for severity, number in view.counts.items()},
        "findings": [_finding(item) for item in view.findings],
        "servers": [_server(server) for server in view.servers],
        "handoffs_exercised": view.handoffs,
        "hosts": {name: dict(said) for name, said in view.hosts.items()},
        "skipped": [asdict(item) for item in view.skipped],
        "caveats": [{**asdict(item), "raw": list(item.raw)} for item in view.caveats],
        "dangling_citations": [dict(item) for item in view.dangling],
        "evidence": view.evidence,
        "critique": view.critique,
        "rubric": view.rubric,
        "transcript": {"entries": view.entries, "sha256": view.transcript_sha256},
        "surface": [dict(table) for table in view.surface],
    }


def _finding(item: Reported) -> dict[str, Any]:
    finding = item.finding
    return {
        "id": finding.id,
        "severity": str(finding.severity),
        "dimension": str(finding.dimension),
        "summary": finding.summary,
        "mcp_name": finding.mcp_name,
        "evidence_ids": list(finding.evidence_ids),
        "recommendation": finding.recommendation,
        "rule": item.rule,
        "cost": item.cost,
        "by": item.by,
        "raised_from": item.raised_from,
        "missed": list(item.missed),
        "servers": list(item.servers),
    }


def _server(server: Server) -> dict[str, Any]:
    seen = asdict(server.coverage)
    tools = {key: list(seen[key]) for key in ("offered", "called", "not_drivable")}
    return {
        "name": server.name,
        "disposition": server.disposition,
        "findings": [item.finding.id for item in server.findings],
        "coverage": {**tools, **{key: seen[key] for key in ("calls", "completed", "errors", "blocked")}},
    }
