"""The report as one HTML file: nothing in it is loaded from elsewhere, and it has no script.

Notes are CommonMark with tables, without HTML of their own and without images. The style sheet is
for both themes, narrow screens and A4.
"""

from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt

from assay.base import words as figures
from assay.base.worded import plain
from assay.history.reports.charts import drawing, drawn_as_points, series_chart
from assay.history.reports.content import (
    MOST_SERIES,
    Content,
    elapsed_words,
    moment_words,
    speed_words,
)
from assay.history.reports.elements import Markup, element, facts, items, joined, table
from assay.kinds.pictures import RateBars, RateGrid
from assay.runs.verdicts import words

STYLE = """
:root{color-scheme:light dark;--paper:#fff;--sunken:#eef1f3;--rule:#d3dade;--ink:#14191d;
--ink-2:#444f57;--gold:#dca62b;--pass:#1b6e45;--fail:#ad241b;--inconclusive:#6545ad;
--waived:#4f5d66;--running:#1a5cad}
@media (prefers-color-scheme:dark){:root{--paper:#15181b;--sunken:#0f1214;--rule:#2e353b;
--ink:#e6eaed;--ink-2:#b0bac1;--gold:#dfae3c;--pass:#62c795;--fail:#ff8f85;--inconclusive:#bda8f5;
--waived:#a5b1b9;--running:#7fb5f5}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1080px;padding:32px 24px 64px;background:var(--paper);color:var(--ink);
font:14px/20px "IBM Plex Sans",system-ui,sans-serif;font-variant-numeric:tabular-nums;
overflow-wrap:anywhere}
h1{margin:0 0 8px;font-size:28px;line-height:36px;font-weight:600}
h2{margin:40px 0 12px;padding-top:16px;border-top:1px solid var(--rule);font-size:20px;
line-height:28px;font-weight:600}
h3{margin:24px 0 8px;font-size:14px;font-weight:600}
p{margin:8px 0}
a{color:inherit}
.lead{font-size:16px;line-height:24px}
.quiet,figcaption,dt{color:var(--ink-2)}
.state{font-weight:600;white-space:nowrap}
.state.pass,.state.done{color:var(--pass)}
.state.fail,.state.failed{color:var(--fail)}
.state.inconclusive{color:var(--inconclusive)}
.state.waived,.state.cancelled{color:var(--waived)}
.state.running,.state.preparing,.state.finishing{color:var(--running)}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(240px,1fr));gap:8px 24px;
margin:12px 0}
dd{margin:0}
ul{margin:8px 0;padding-left:20px}
.wide{overflow-x:auto}
table{border-collapse:collapse;margin:8px 0;overflow-wrap:normal}
th,td{padding:6px 16px 6px 0;border-bottom:1px solid var(--rule);text-align:left;
vertical-align:top;font-weight:400}
thead th{color:var(--ink-2);white-space:nowrap}
.figures td{text-align:right;white-space:nowrap}
.figures thead th+th{text-align:right}
figure{margin:16px 0;overflow-x:auto}
.pictures{display:flex;flex-wrap:wrap;gap:8px 48px}
.pictures figure{max-width:100%}
svg{display:block;max-width:none}
code,pre{font-family:"IBM Plex Mono",ui-monospace,monospace;font-size:13px}
pre{overflow-x:auto;padding:8px;background:var(--sunken)}
.notes{border-left:3px solid var(--rule);padding-left:16px}
.notes :is(h1,h2,h3){margin:12px 0 4px;padding:0;border:0;font-size:14px;line-height:20px}
footer{margin-top:48px;padding-top:16px;border-top:1px solid var(--rule);color:var(--ink-2)}
@media (max-width:600px){body{padding:16px 16px 48px}h1{font-size:22px;line-height:28px}}
@page{size:A4;margin:16mm 14mm}
@media print{:root{color-scheme:light;--paper:#fff;--sunken:#eef1f3;--rule:#d3dade;--ink:#14191d;
--ink-2:#444f57;--gold:#dca62b;--pass:#1b6e45;--fail:#ad241b;--inconclusive:#6545ad;
--waived:#4f5d66;--running:#1a5cad}
body{max-width:none;padding:0;font-size:10pt;line-height:14pt;print-color-adjust:exact;
-webkit-print-color-adjust:exact}
h2,h3{break-after:avoid}
tr,figure,dl>div{break-inside:avoid}
figure,.wide{overflow:visible}
svg{max-width:100%;height:auto}
thead{display:table-header-group}
table{overflow-wrap:anywhere;font-size:9pt}
.figures td,thead th{white-space:normal}}
"""


_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
"""An image would be loaded from elsewhere; addresses that run scripts are refused by the parser."""


def notes_html(text: str) -> Markup | None:
    """Return notes as HTML; None if there are none."""
    if not text.strip():
        return None
    return element("div", Markup(_MARKDOWN.render(text)), class_="notes")


_OWN_STYLE = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
"""The Content-Security-Policy that the file brings along: it loads nothing."""

POLICY = f"{_OWN_STYLE}; frame-ancestors 'none'"
"""The same as a header."""

_STATES = {"cancelled": "canceled"}


def page(content: Content, shared_until: str | None = None) -> str:
    """Return the report as an HTML document; a shared one says until when it is."""
    campaign = content["campaign"]
    parts = [
        element("h1", campaign["name"]),
        _lead(content),
        _summary(content),
        _verdict(content["verdict"]),
        _notes("Notes", content["notes"], "h2"),
        *_together(content["together"]),
        _runs(content["runs"]),
        *(_run(run) for run in content["runs"]),
        _hosts(content["hosts"]),
        _versions(content, shared_until),
    ]
    return document(f"{campaign['name']} – Assay report", joined(parts))


def document(title: str, body: Markup) -> str:
    """Return an HTML document that search engines do not list."""
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_OWN_STYLE}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="robots" content="noindex,nofollow">'
        '<meta name="referrer" content="no-referrer">'
        '<link rel="icon" href="data:,">'
    )
    return (
        f'<!doctype html><html lang="en"><head>{head}{element("title", title)}'
        f"<style>{STYLE}</style></head><body>{element('main', body)}</body></html>\n"
    )


def _state(state: str) -> Markup:
    shapes = {"pass": "●", "done": "●", "fail": "✕", "failed": "✕", "inconclusive": "◆"}
    word = _STATES.get(state, state)
    return element("span", f"{shapes.get(state, '○')} {word}", class_=f"state {state}")


def _lead(content: Content) -> Markup:
    """Say what the whole came to: the verdict, or how the campaign ended."""
    campaign, verdict = content["campaign"], content["verdict"]
    outcome = verdict and verdict["outcome"]
    if not outcome:
        none = "" if campaign["has_criteria"] else " without acceptance criteria"
        return element("p", "Campaign ", _state(campaign["state"]), f"{none}.", class_="lead")
    rows = [row for run in verdict["runs"] for row in run["rows"]] + verdict["unjudged"]
    passed = sum(row["outcome"] == "pass" for row in rows)
    of = f": {passed} of {len(rows)} {'criterion' if len(rows) == 1 else 'criteria'} passed."
    return element("p", "Verdict ", _state(outcome), of, class_="lead")


def _summary(content: Content) -> Markup | None:
    campaign = content["campaign"]
    profile = campaign["profile"]
    return facts(
        [
            ("Campaign", str(campaign["id"])),
            ("Profile", f"{profile['name']}, version {profile['version']}"),
            ("State", _STATES.get(campaign["state"], campaign["state"])),
            ("Started", moment_words(campaign["started_at"])),
            ("Ended", moment_words(campaign["ended_at"])),
            ("Duration", elapsed_words(campaign["started_at"], campaign["ended_at"])),
            ("Launched by", campaign["created_by"]),
            ("Labels", ", ".join(campaign["labels"])),
            ("Reference", campaign["reference"]),
        ]
    )


def _verdict(verdict: Content | None) -> Markup | None:
    if verdict is None:
        return None
    judged = [(run["title"], run["run_id"], row) for run in verdict["runs"] for row in run["rows"]]
    judged += [("no run", None, row) for row in verdict["unjudged"]]
    rows = [
        (
            element("code", row["criterion"]),
            f"{title} (run {run_id})" if run_id else title,
            words.measured(row["measured"], row["dimension"], row["criterion"]),
            words.margin(row["margin"]),
            _state(row["outcome"]),
        )
        for title, run_id, row in judged
    ]
    mixed = (
        "The runs were judged by different versions of the rules." if verdict["mixed_rules"] else ""
    )
    return joined(
        [
            element("h2", "Verdict"),
            element("p", mixed) if mixed else None,
            table(("Criterion", "Run", "Measured", "Margin", "Outcome"), rows),
            items(
                f"{row['criterion']}{f', run {run_id}' if run_id else ''}: {said}"
                for _, run_id, row in judged
                for said in _evidence(row)
            ),
        ]
    )


def _evidence(row: Content) -> Iterator[str]:
    """Yield what was judged, why an outcome is limited, and who accepted it."""
    place = row["evidence"]
    yield from filter(None, [words.judged_cell(place["cell"], row["of_cells"])])
    yield from filter(None, [words.judged_participant(place["participant"])])
    yield from words.notes(row["judged"], (plain(doubt["message"]) for doubt in row["doubts"]))
    if waiver := row["waiver"]:
        who = f" by {waiver['actor']}" if waiver["actor"] else ""
        until = moment_words(waiver["expires_at"])
        yield f"Waived{who} until {until}: {waiver['reason']}"


def _notes(title: str, text: str, heading: str) -> Markup | None:
    found = notes_html(text)
    return joined([element(heading, title), found]) if found else None


def _together(tables: Sequence[Content]) -> Iterator[Markup]:
    """Yield what the runs of a scale-out or a mesh reach together."""
    for one in tables:
        yield element("h2", one["title"])
        yield table(one["columns"], one["rows"], class_="figures")


def _runs(runs: Sequence[Content]) -> Markup:
    rows = [
        (
            element("a", f"{run['title']} (run {run['id']})", href=f"#run-{run['id']}"),
            _places(run),
            _outcome(run),
            elapsed_words(run["started_at"], run["ended_at"]),
            next(iter(run["report"]["sentences"]), "–"),
        )
        for run in runs
    ]
    columns = ("Run", "Where", "Outcome", "Duration", "Finding")
    return joined([element("h2", "Runs"), table(columns, rows)])


def _outcome(run: Content) -> Markup:
    """Return the verdict on a run, which leads, and its state, which says little if it is done."""
    if not run["outcome"]:
        return _state(run["state"])
    state = "done" if run["state"] == "done" else _state(run["state"])
    return joined([_state(run["outcome"]), element("span", " ", state, class_="quiet")])


def _place(part: Content) -> str:
    return f"{part['host']} {part['path']}" if part["path"] else part["host"]


def _places(run: Content) -> str:
    return "; ".join(dict.fromkeys(map(_place, run["participants"])))


def _run(run: Content) -> Markup:
    report = run["report"]
    error = run["error"]
    failed = f"{error['title']}: {error['detail']}" if error else run["reason"]
    first = report["columns"][0].capitalize()
    return joined(
        [
            element("h2", f"{run['title']} on {_places(run)}", id=f"run-{run['id']}"),
            element("p", _state(run["state"]), f" {failed}") if failed else None,
            items(report["sentences"], class_="lead" if len(report["sentences"]) == 1 else None),
            _pictures(report["pictures"]),
            element("h3", f"Results: {report['title']}"),
            table([first, *report["columns"][1:]], report["rows"], class_="figures"),
            _chart(run),
            *_flags(run["flags"]),
            _notes("Notes on this run", run["notes"], "h3"),
            *_setup(run),
        ]
    )


def _pictures(pictures: Sequence[Content]) -> Markup | None:
    drawn = [element("figure", _picture(one)) for one in pictures]
    return element("div", *drawn, class_="pictures") if drawn else None


def _picture(picture: Content) -> Markup:
    """Draw a picture of `kinds.pictures`, which is a document here."""
    found = RateGrid(**picture) if "rates" in picture else RateBars(**picture)
    return drawing(found).svg()


def _chart(run: Content) -> Markup | None:
    chart = run["chart"]
    if not chart or not chart["series"]:
        return None
    names = [f"{_place(one)} ({one['role']})" for one in chart["series"]]
    title = f"Throughput of the best trial: {chart['trial']}"
    more = len(run["participants"]) - MOST_SERIES
    left_out = f" The first {MOST_SERIES} of {more + MOST_SERIES} participants." if more > 0 else ""
    said = f"{title}, MB/s. {_legend(chart['series'])}{left_out}"
    drawn = series_chart(title, chart["series"], names).svg()
    return element("figure", element("figcaption", said), drawn)


def _legend(series: Sequence[Content]) -> str:
    few = [drawn_as_points(one) for one in series]
    line = "The line is the mean, the band reaches from minimum to maximum."
    if all(few):
        return "Each point is the mean of one sample."
    return f"{line} A series of few samples is drawn as points." if any(few) else line


def _flags(flags: Sequence[Content]) -> Iterator[Markup | None]:
    if flags:
        yield element("h3", "Flags")
        rows = [(one["flag"], one["trial"], one["text"]) for one in flags]
        yield table(("Flag", "Trial", "Evidence"), rows)


def _setup(run: Content) -> Iterator[Markup | None]:
    """Yield the conditions of a run, and what happened during it."""
    yield element("h3", "Setup")
    yield facts((one["label"], one["value"]) for one in run["conditions"])
    if back := run["read_back_by"]:
        yield element("p", f"Read back by {back['host']['name']} {back['target']['path']}.")
    labeled = [
        f"{_place(part)}, {of}: {', '.join(found)}"
        for part in run["participants"]
        for of, found in part["labels"].items()
        if found
    ]
    labeled += [
        f"{_place(part)}, reference of the {of}: {found}"
        for part in run["participants"]
        for of, found in part["references"].items()
    ]
    if labeled:
        yield element("h3", "Labels")
        yield items(dict.fromkeys(labeled))
    if run["notices"]:
        yield element("h3", "Run events")
        counted: dict[str, list[str]] = {}
        for one in run["notices"]:
            counted.setdefault(one["message"], []).append(one["at"])
        yield items(
            f"{moment_words(times[0])}: {said}" + (f" ({len(times)} times)" if times[1:] else "")
            for said, times in counted.items()
        )


def _hosts(hosts: Sequence[Content]) -> Markup:
    return joined([element("h2", "Hosts"), *(part for host in hosts for part in _host(host))])


def _host(host: Content) -> Iterator[Markup | None]:
    cpus, memory, limit = host["cpus"], host["mem_total_bytes"], host["mem_limit_bytes"]
    limited = f", limited to {figures.size(limit)}" if limit and limit != memory else ""
    yield element("h3", host["host"])
    yield facts(
        [
            ("Address", host["address"]),
            ("Host name", host["hostname"]),
            ("System", host["os"]),
            ("Kernel", f"{host['kernel']} {host['arch'] or ''}" if host["kernel"] else None),
            ("CPUs", f"{cpus['count']} × {cpus.get('model') or 'unknown'}" if cpus else None),
            ("Memory", f"{figures.size(memory)}{limited}" if memory else None),
            ("Inspected", moment_words(host["taken_at"])),
            ("Probe build", host["build"]),
        ]
    )
    if host["devices"]:
        kinds = {None: "–", True: "rotational", False: "non-rotational"}
        rows = [
            (
                element("code", one["name"]),
                one["model"] or "–",
                figures.size(one["size_bytes"]) if one["size_bytes"] else "–",
                kinds[one["rotational"]],
                one["scheduler"] or "–",
                one["write_cache"] or "–",
            )
            for one in host["devices"]
        ]
        yield table(("Device", "Model", "Size", "Kind", "Scheduler", "Write cache"), rows)
    if host["nics"]:
        rows = [
            (
                element("code", one["name"]),
                speed_words(one["speed_bits_per_s"]),
                one["state"] or "–",
            )
            for one in host["nics"]
        ]
        yield table(("Network interface", "Speed", "State"), rows)


def _versions(content: Content, shared_until: str | None) -> Markup:
    verdict = content["verdict"]
    probes: set[str | None] = {
        part["probe"] for run in content["runs"] for part in run["participants"]
    }
    editions = sorted({run["edition"] for run in content["runs"]})
    judged = sorted({run["criteria_rules"] for run in verdict["runs"]}) if verdict else []
    return element(
        "footer",
        facts(
            [
                ("Report made", moment_words(content["created_at"])),
                ("Shared until", shared_until and moment_words(shared_until)),
                ("Assay", content["version"]),
                ("Probe", ", ".join(sorted(filter(None, probes)))),
                ("Edition of the rules for results", ", ".join(editions)),
                ("Rules for criteria", ", ".join(judged)),
            ]
        ),
        element("p", "Rates are in decimal units: 1 MB is 1,000,000 bytes. Times are UTC."),
    )
