"""Uses a gpulab lab from Python: one file that needs the standard library alone, Python 3.9 or newer.

    import gpulab
    lab = gpulab.connect("http://127.0.0.1:8080")
    run = lab.run("transfer", preset="quick", direction="h2d")   # waits until it has ended
    run.frame()                                                  # needs pandas
    run.plot()                                                   # needs matplotlib
    lab.compare("pinned", run)

Every lab serves this file at /gpulab.py. The members of the documents are those of its API.md; a Jupyter notebook shows
runs, comparisons, sweeps and verdicts as tables.
"""

from __future__ import annotations

import html
import http.client
import json
import math
import os
import socket as sockets
import ssl
import sys
import time
from typing import TYPE_CHECKING, Any, Iterable, List, Mapping, Optional, Sequence, Union, cast
from urllib.parse import quote, urlencode, urlsplit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["Comparison", "Error", "Health", "Lab", "Run", "RunFailed", "Sweep", "Table", "connect"]

Document = Mapping[str, Any]
LIVE = ("queued", "running")
WAIT_S = 50  # of one request; a proxy may end one that lasts a minute
PROGRESS_S = 1


class Error(Exception):
    """A request that the lab refused. `errors` is the list of everything that is wrong: {pointer, detail, code}."""

    def __init__(self, status: int, problem: Document, retry_after_s: Optional[float] = None) -> None:
        self.status = status
        self.code = str(problem.get("type", "")).rpartition("/")[2]
        self.errors: List[Document] = list(problem.get("errors", []))
        self.retry_after_s = retry_after_s
        lines = [str(problem.get("detail") or problem.get("title") or f"HTTP status {status}")]
        lines += [f"  {error['pointer'] or '/'}: {error['detail']}" for error in self.errors]
        super().__init__("\n".join(lines))


class RunFailed(Exception):
    """A run that did not succeed; `run` is that run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        error = run.document.get("error") or {}
        super().__init__(f"run {run.id} is {run.status}: {error.get('detail') or error.get('title') or 'no error'}")


class Table(List[Document]):
    """A list of rows, each a mapping of columns to values; notebooks show it as a table."""

    def __init__(self, rows: Iterable[Document], columns: Optional[Sequence[str]] = None) -> None:
        super().__init__(rows)
        self.columns = list(columns) if columns is not None else list(dict.fromkeys(name for row in self for name in row))

    def frame(self) -> DataFrame:
        """The same as a pandas.DataFrame."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("frame() needs pandas; the rows themselves are a list without it") from error
        return pandas.DataFrame(list(self), columns=self.columns)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_shown(row.get(name)))}</td>" for name in self.columns) + "</tr>"
            for row in self
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _axes_text(axes: Document) -> str:
    return ", ".join(f"{name}={_shown(value)}" for name, value in axes.items())


def _id(of: Union[str, Run, Sweep]) -> str:
    return of if isinstance(of, str) else of.id


def _comment(of: Union[str, Document]) -> str:
    return of if isinstance(of, str) else str(of["id"])


# --- a lab ---------------------------------------------------------------------------------------------------------------


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self) -> None:
        self.sock = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def connect(
    address: Optional[str] = None,
    token: Optional[str] = None,
    *,
    socket: Optional[str] = None,
    timeout: float = 90,
    context: Optional[ssl.SSLContext] = None,
) -> Lab:
    """Connects to the lab at `address` (http:// or https://; by default $GPULAB_SERVER, else http://127.0.0.1:8080), or on
    the Unix socket with this path, which is DATABASE.sock. `token` is the secret of a token, by default the text of the file
    $GPULAB_TOKEN_FILE. `timeout` is in seconds, for each step of a request."""
    if socket is not None and address is not None:
        raise ValueError("give an address or a socket, not both")
    if token is None and socket is None and os.environ.get("GPULAB_TOKEN_FILE"):
        with open(os.environ["GPULAB_TOKEN_FILE"], encoding="utf-8") as file:
            token = file.read().strip()
    lab = Lab(address or os.environ.get("GPULAB_SERVER") or "http://127.0.0.1:8080", token, socket, timeout, context)
    version = lab.get("/version")
    if not isinstance(version, dict) or version.get("name") != "gpulab":
        raise ValueError(f"{lab} is not a gpulab server")
    lab.version = str(version["version"])
    return lab


class Lab:
    """A lab; made by connect()."""

    def __init__(
        self, address: str, token: Optional[str], socket: Optional[str], timeout: float, context: Optional[ssl.SSLContext]
    ) -> None:
        self.address, self.version, self._socket = address.rstrip("/"), "", socket
        self._token, self._timeout, self._context = token, timeout, context
        parts = urlsplit(self.address)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"{address!r} is not an address such as http://127.0.0.1:8080")
        self._base = parts.path

    def __repr__(self) -> str:
        return f"<gpulab {self.version} at {self._socket or self.address}>"

    def _open(self) -> http.client.HTTPConnection:
        if self._socket is not None:
            return _UnixConnection(self._socket, self._timeout)
        parts = urlsplit(self.address)
        host = cast(str, parts.hostname)
        if parts.scheme == "https":
            return http.client.HTTPSConnection(host, parts.port, timeout=self._timeout, context=self._context)
        return http.client.HTTPConnection(host, parts.port, timeout=self._timeout)

    def request(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """Sends a request to a path below /api/v1 and returns the JSON of its answer, or its text. Parameters of the query that
        are None are left out. Raises Error."""
        given = {name: _query_text(value) for name, value in query.items() if value is not None}
        target = f"{self._base}/api/v1{path}" + (f"?{urlencode(given)}" if given else "")
        headers = {"Accept": "application/json, */*"}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection = self._open()
        try:
            connection.request(method, target, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
        finally:
            connection.close()
        is_json = "json" in (answer.getheader("Content-Type") or "")
        if 200 <= answer.status < 300:
            return json.loads(text) if is_json else text
        after = answer.getheader("Retry-After")
        problem = json.loads(text) if is_json else {"detail": text.strip()[:500]}
        raise Error(answer.status, problem, float(after) if after is not None and after.isdigit() else None)

    def get(self, path: str, **query: Any) -> Any:
        return self.request("GET", path, **query)

    def experiments(self, q: Optional[str] = None) -> Table:
        """The experiments, or those that mention every word of `q`."""
        return Table(self.get("/experiments", q=q)["experiments"], ["name", "title", "subject", "summary"])

    def experiment(self, name: str) -> Document:
        """All about an experiment: parameters (a JSON Schema), axes, metrics, views, presets."""
        return cast(Document, self.get(f"/experiments/{quote(name, safe='')}"))

    def devices(self) -> Table:
        return Table(self.get("/devices")["devices"], ["id", "name", "backend", "node", "state"])

    def runs(self, **filters: Any) -> List[Run]:
        """The newest runs that match the filters of GET /api/v1/runs: experiment, device, status, tag, since, until, sweep, challenge,
        pinned, q, limit."""
        return [Run(self, each) for each in self.get("/runs", **filters)["runs"]]

    def get_run(self, run: Union[str, Run]) -> Run:
        return Run(self, self.get(f"/runs/{quote(_id(run), safe='')}"))

    def run(
        self,
        experiment: str,
        *,
        wait: bool = True,
        progress: Optional[bool] = None,
        **request: Any,
    ) -> Run:
        """Runs an experiment. Keywords are the fields of POST /api/v1/runs (preset, devices, tags, note, compare_with, …), and all
        others are parameters of the experiment. Waits until the run has ended, unless `wait` is False, and raises RunFailed
        unless it has succeeded. `progress` says whether a line of progress is written to stderr, by default where that is a
        terminal or a notebook."""
        run = Run(self, self.request("POST", "/runs", _new(experiment, request)))
        return run.wait(progress=progress) if wait else run

    def sweep(
        self,
        experiment: str,
        *,
        wait: bool = True,
        progress: Optional[bool] = None,
        **request: Any,
    ) -> Sweep:
        """Runs an experiment for every combination of the values of parameters that are given as lists; otherwise like run()."""
        sweep = Sweep(self, self.request("POST", "/sweeps", _new(experiment, request)))
        return sweep.wait(progress=progress) if wait else sweep

    def kernel(self, source: str, block: Any, arguments: Sequence[Document], **more: Any) -> Run:
        """Measures a CUDA kernel of one's own. Keywords are members of `kernel` in the request (files, options, entry, grid,
        shared, bytes, operations, reference), and those of run()."""
        ours = {name: more.pop(name) for name in list(more) if name in KERNEL_MEMBERS}
        return self.run("kernel", kernel={"source": source, "block": block, "arguments": list(arguments), **ours}, **more)

    def program(self, files: Mapping[str, str], **more: Any) -> Run:
        """Compiles and executes a whole program: the texts of its files by name. Keywords are members of `program` in the request
        (name, arguments, stdin, format, options), and those of run(). `run.output` is what it printed."""
        ours = {name: more.pop(name) for name in list(more) if name in PROGRAM_MEMBERS}
        return self.run("program", program={"files": dict(files), **ours}, **more)

    def compare(self, base: Union[str, Run], head: Union[str, Run, None] = None, minimum_effect: Optional[float] = None) -> Comparison:
        """Compares two runs point by point; `base` may be "pinned". A single run with compare_with is compared with itself: its
        two sides."""
        sides = {"run": _id(base)} if head is None else {"base": _id(base), "head": _id(head)}
        return Comparison(self.get("/compare", minimum_effect=minimum_effect, **sides))

    def series(self, experiment: str, metric: str, axes: Document, **query: Any) -> Table:
        """What all runs have measured at a point, newest first; with device, limit, since, until."""
        answer = self.get("/series", experiment=experiment, metric=metric, axes=json.dumps(axes), **query)
        return Table(answer["values"], ["at", "median", "q1", "q3", "noise", "n", "verified", "run"])

    def marks(self, since: Optional[str] = None, until: Optional[str] = None) -> Table:
        """What people have noted that happened to the machines, by time."""
        return Table(self.get("/marks", since=since, until=until)["marks"], ["at", "node", "text", "author", "id"])

    def mark(self, text: str, at: Optional[str] = None, node: Optional[str] = None) -> Document:
        """Notes that something happened to a machine, or to all: now, or at an RFC 3339 time."""
        given = {"at": at, "node": node}
        return cast(Document, self.request("POST", "/marks", {"text": text, **{name: value for name, value in given.items() if value is not None}}))

    def remove_mark(self, mark: Union[str, Document]) -> None:
        self.request("DELETE", f"/marks/{quote(_comment(mark), safe='')}")

    def health(self, run: Union[str, Run, None] = None, **more: Any) -> Health:
        """Checks the devices of the lab: runs the experiment `health`, or reads the verdict of such a run."""
        request: dict[str, Any] = {"preset": "quick", **more}
        checked = self.run("health", wait=False, **request).wait(check=False) if run is None else run
        return Health(self.get(f"/runs/{quote(_id(checked), safe='')}/health"))


REQUEST_FIELDS = ("devices", "node", "nodes", "preset", "parameters", "program", "compare_with", "tags", "note", "priority", "time_limit_s", "secret_until")
KERNEL_MEMBERS = ("files", "options", "entry", "grid", "shared", "bytes", "operations", "expressions", "reference", "sanitize")
PROGRAM_MEMBERS = ("name", "arguments", "stdin", "format", "options")


def _query_text(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _new(experiment: str, given: Document) -> Document:
    """The body of a request for a run or a sweep. `kernel` is a field of it as a mapping, otherwise a parameter."""
    fields = {name: value for name, value in given.items() if name in REQUEST_FIELDS or (name == "kernel" and isinstance(value, Mapping))}
    parameters = {**fields.pop("parameters", {}), **{name: value for name, value in given.items() if name not in fields and name != "parameters"}}
    return {"experiment": experiment, **fields, **({"parameters": parameters} if parameters else {})}


# --- waiting -------------------------------------------------------------------------------------------------------------


class _Progress:
    """A line on stderr that is written again and again."""

    def __init__(self, wanted: Optional[bool]) -> None:
        self.shown = wanted if wanted is not None else sys.stderr.isatty() or "ipykernel" in sys.modules
        self.width = 0

    def show(self, text: str) -> None:
        if self.shown:
            sys.stderr.write("\r" + text.ljust(self.width))
            sys.stderr.flush()
            self.width = len(text)

    def end(self) -> None:
        if self.width > 0:
            sys.stderr.write("\n")


def _wait(lab: Lab, path: str, ended: Any, describe: Any, progress: Optional[bool], timeout_s: Optional[float]) -> Document:
    """Reads a document until `ended` is true of it. Raises TimeoutError."""
    line, until = _Progress(progress), None if timeout_s is None else time.monotonic() + timeout_s
    try:
        while True:
            left = WAIT_S if until is None else max(until - time.monotonic(), 0)
            try:
                document = cast(Document, lab.get(path, wait=math.ceil(min(PROGRESS_S if line.shown else WAIT_S, left))))
                line.show(describe(document))
                if ended(document):
                    return document
            except Error as error:
                if error.retry_after_s is None:
                    raise
                time.sleep(min(error.retry_after_s, left))
            if until is not None and time.monotonic() >= until:
                raise TimeoutError(f"{path} has not ended after {timeout_s} s")
    finally:
        line.end()


def _progress_text(run: Document) -> str:
    progress = run.get("progress")
    if run["status"] != "running" or not progress:
        return f"{run['experiment']}: {run['status']}"
    return f"{run['experiment']}: {progress['done']}/{progress['total']} {progress['label'] or ''}"[:100]


# --- what a lab answers --------------------------------------------------------------------------------------------------


class Run:
    """A run: `document` is that of GET /api/v1/runs/{id}, as it was last read."""

    def __init__(self, lab: Lab, document: Document) -> None:
        self.lab, self.document = lab, document

    @property
    def id(self) -> str:
        return str(self.document["id"])

    @property
    def status(self) -> str:
        return str(self.document["status"])

    @property
    def output(self) -> str:
        """What a program or a kernel printed."""
        return str(self.read().get("output") or "")

    def __repr__(self) -> str:
        return f"<run {self.id} of {self.document['experiment']}: {self.status}>"

    def refresh(self) -> Run:
        self.document = self.lab.get(f"/runs/{self.id}")
        return self

    def read(self) -> Document:
        """The whole document; that of a list has no measurements."""
        return self.document if "measurements" in self.document else self.refresh().document

    def wait(self, timeout_s: Optional[float] = None, *, progress: Optional[bool] = None, check: bool = True) -> Run:
        """Waits until the run has ended. Raises RunFailed unless it has succeeded or `check` is False, and TimeoutError."""
        self.document = _wait(self.lab, f"/runs/{self.id}", lambda run: run["status"] not in LIVE, _progress_text, progress, timeout_s)
        if check and self.status != "succeeded":
            raise RunFailed(self)
        return self

    def cancel(self) -> Run:
        self.document = self.lab.request("POST", f"/runs/{self.id}/cancel", {})
        return self

    def comments(self) -> Table:
        """What people have written about the run, oldest first."""
        return Table(self.lab.get(f"/runs/{self.id}/comments")["comments"], ["created_at", "author", "text", "id"])

    def comment(self, text: str) -> Document:
        """Adds a comment."""
        return cast(Document, self.lab.request("POST", f"/runs/{self.id}/comments", {"text": text}))

    def remove_comment(self, comment: Union[str, Document]) -> None:
        self.lab.request("DELETE", f"/runs/{self.id}/comments/{quote(_comment(comment), safe='')}")

    def samples(self) -> Table:
        """The measurements with all their samples."""
        return Table(self.lab.get(f"/runs/{self.id}/measurements", samples=True)["measurements"])

    def rows(self, metric: Optional[str] = None) -> Table:
        """A row for each measurement: its axes as columns, then metric, unit, median, q1, q3, noise, n, verified."""
        measured = [each for each in self.read()["measurements"] if each["skipped"] is None and metric in (None, each["metric"])]
        sides = ["side"] if any(each["side"] for each in measured) else []
        axes = list(dict.fromkeys(name for each in measured for name in each["axes"]))
        members = [*sides, "metric", "unit", "median", "q1", "q3", "noise", "n", "verified"]
        columns = [name if name not in members else f"axis_{name}" for name in axes]
        return Table(
            ({**dict(zip(columns, map(each["axes"].get, axes))), **{name: each[name] for name in members}} for each in measured),
            columns + members,
        )

    def frame(self, metric: Optional[str] = None) -> DataFrame:
        """rows() as a pandas.DataFrame."""
        return self.rows(metric).frame()

    def plot(self, view: Optional[str] = None, ax: Optional[Axes] = None) -> Axes:
        """Draws a view of the experiment with matplotlib: lines or bars of its metric over its axis, by default the first that shows
        more than one place; the other axes that vary make the series."""
        return _plot(self, view, ax)

    def _repr_html_(self) -> str:
        of = self.document
        rows = [{"": each["title"], "value": each["value"], "unit": each["unit"], "at": _axes_text(each["axes"])} for each in of.get("headline") or []]
        devices = ", ".join(str(each["name"] or each["id"]) for each in of["devices"])
        warnings = "".join(f"<p>{html.escape(text)}</p>" for text in of.get("warnings") or [])
        title = f"<p><b>{html.escape(of['experiment'])}</b> on {html.escape(devices)}: {html.escape(self.status)}</p>"
        error = f"<p>{html.escape(str((of['error'] or {}).get('detail', '')))}</p>" if of.get("error") else ""
        return title + error + (Table(rows)._repr_html_() if rows else "") + warnings


class Sweep:
    """A sweep: `document` is that of GET /api/v1/sweeps/{id}."""

    def __init__(self, lab: Lab, document: Document) -> None:
        self.lab, self.document = lab, document

    @property
    def id(self) -> str:
        return str(self.document["id"])

    def __repr__(self) -> str:
        return f"<sweep {self.id} of {self.document['experiment']}: {self._state()}>"

    def _state(self, document: Optional[Document] = None) -> str:
        return ", ".join(f"{count} {status}" for status, count in (document or self.document)["counts"].items() if count)

    def _swept(self) -> List[str]:
        """The names of the parameters that differ between its runs."""
        return [name for name, value in self.document["parameters"].items() if isinstance(value, list) and len(value) > 1]

    def wait(self, timeout_s: Optional[float] = None, *, progress: Optional[bool] = None) -> Sweep:
        """Waits until all runs have ended, whether they have succeeded or not. Raises TimeoutError."""
        ended = lambda sweep: not any(sweep["counts"][status] for status in LIVE)  # noqa: E731
        self.document = _wait(self.lab, f"/sweeps/{self.id}", ended, lambda sweep: f"{sweep['experiment']}: {self._state(sweep)}", progress, timeout_s)
        return self

    def cancel(self) -> Sweep:
        self.document = self.lab.request("POST", f"/sweeps/{self.id}/cancel", {})
        return self

    def runs(self) -> List[Run]:
        """Its runs, the first one first."""
        found: List[Document] = []
        cursor = None
        while True:
            page = self.lab.get("/runs", sweep=self.id, limit=500, cursor=cursor)
            found, cursor = found + page["runs"], page["next"]
            if cursor is None:
                return [Run(self.lab, each) for each in reversed(found)]

    def rows(self, metric: Optional[str] = None) -> Table:
        """The rows of all runs, each with the parameters that were swept and the id of its run."""
        swept = self._swept()
        rows: List[Document] = []
        for run in self.runs():
            given = {f"parameter_{name}": run.document["parameters"].get(name) for name in swept}
            rows += [{"run": run.id, **given, **row} for row in run.rows(metric)]
        return Table(rows)

    def frame(self, metric: Optional[str] = None) -> DataFrame:
        return self.rows(metric).frame()

    def _repr_html_(self) -> str:
        swept = self._swept()
        rows = [{"run": run.id, "status": run.status, **{name: run.document["parameters"].get(name) for name in swept}} for run in self.runs()]
        return Table(rows, ["run", "status", *swept])._repr_html_()


class Comparison:
    """The comparison of two runs: `verdict` is slower, faster, unclear or same."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.verdict = str(document["verdict"])

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {name}" for name, count in self.document["summary"].items() if count)
        return f"<comparison: {self.verdict} ({counts or 'no point is judged'})>"

    def rows(self) -> Table:
        """A row for each point that is judged."""
        return Table(
            (
                {"point": _axes_text(each["axes"]), "metric": each["metric"], "base": each["base"]["median"], "head": each["head"]["median"],
                 "unit": each["unit"], "ratio": each["ratio"], "low": each["low"], "high": each["high"], "verdict": each["verdict"], "reason": each["reason"]}
                for each in self.document["points"] if each["verdict"] is not None
            ),
            ["point", "metric", "base", "head", "unit", "ratio", "low", "high", "verdict", "reason"],
        )

    def frame(self) -> DataFrame:
        return self.rows().frame()

    def _repr_html_(self) -> str:
        warnings = "".join(f"<p>{html.escape(text)}</p>" for text in self.document["warnings"])
        return f"<p><b>{html.escape(self.verdict)}</b></p>{warnings}{self.rows()._repr_html_()}"


class Health:
    """The verdict on the devices of a run of the experiment `health`: healthy, warning or unhealthy."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.verdict: Optional[str] = document["verdict"]

    def __repr__(self) -> str:
        return f"<health: {self.document['summary'] or self.verdict}>"

    def rows(self) -> Table:
        return Table(self.document["findings"], ["level", "device", "check", "metric", "value", "expected", "unit", "text"])

    def _repr_html_(self) -> str:
        return f"<p><b>{html.escape(str(self.document['summary']))}</b></p>{self.rows()._repr_html_()}"


# --- charts --------------------------------------------------------------------------------------------------------------


def _points(run: Run, view: Document) -> List[Document]:
    return [
        each for each in run.read()["measurements"]
        if each["metric"] == view["metric"] and each["skipped"] is None and each["median"] is not None and view["x"] in each["axes"]
    ]


def _plot(run: Run, name: Optional[str], ax: Optional[Axes]) -> Axes:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plot() needs matplotlib") from error
    experiment = run.lab.get(f"/runs/{run.id}/experiment")
    views = [each for each in experiment["views"] if each["kind"] in ("line", "bars", "ladder") and name in (None, each["name"])]
    measured = [(view, points) for view in views for points in [_points(run, view)] if points]
    if not measured:
        known = ", ".join(each["name"] for each in experiment["views"] if each["kind"] in ("line", "bars", "ladder"))
        raise ValueError(f"the run has no result for {'a view' if name is None else repr(name)} of lines or bars; there are: {known or 'none'}")
    curves = [(view, points) for view, points in measured if len({json.dumps(each["axes"][view["x"]]) for each in points}) > 1]
    view, points = (curves or measured)[0]
    at = ax if ax is not None else pyplot.subplots(constrained_layout=True)[1]
    titles = {each["name"]: each for each in experiment["axes"]}
    others = [axis for axis in dict.fromkeys(axis for each in points for axis in each["axes"]) if axis != view["x"]]
    varying = [axis for axis in others if len({json.dumps(each["axes"].get(axis)) for each in points}) > 1]
    series: dict[str, List[Document]] = {}
    for each in points:
        label = ", ".join(_shown(each["axes"][axis]) if isinstance(each["axes"].get(axis), str) else f"{axis} {_shown(each['axes'].get(axis))}"
                          for axis in varying if axis in each["axes"])
        series.setdefault(f"{each['side']}: {label}" if each["side"] else label, []).append(each)
    numeric = view["kind"] == "line" and all(isinstance(each["axes"][view["x"]], (int, float)) for each in points)
    (_draw_lines if numeric else _draw_bars)(at, view, series)
    axis = titles.get(view["x"], {"title": view["x"], "unit": None})
    at.set_xlabel(axis["title"] + (f" ({axis['unit']})" if axis["unit"] else ""))
    unit = points[0]["unit"]
    at.set_ylabel(view["metric"].replace("_", " ") + (f" ({unit})" if unit != "1" else ""))
    at.set_title(f"{experiment['title']}: {view['title']}")
    if len(series) > 1:
        at.legend(fontsize="small")
    return at


def _draw_lines(at: Axes, view: Document, series: Mapping[str, List[Document]]) -> None:
    """Lines through the medians, in a band from quartile to quartile."""
    for label, points in series.items():
        points = sorted(points, key=lambda each: float(each["axes"][view["x"]]))
        x = [each["axes"][view["x"]] for each in points]
        (line,) = at.plot(x, [each["median"] for each in points], marker="o", markersize=3, label=label)
        quartiles = [[each[name] if each[name] is not None else each["median"] for each in points] for name in ("q1", "q3")]
        at.fill_between(x, quartiles[0], quartiles[1], color=line.get_color(), alpha=0.15)
    if view["log_x"]:
        at.set_xscale("log", base=2)
    if view["log_y"]:
        at.set_yscale("log")


def _draw_bars(at: Axes, view: Document, series: Mapping[str, List[Document]]) -> None:
    places = list(dict.fromkeys(_shown(each["axes"][view["x"]]) for points in series.values() for each in points))
    width = 0.8 / len(series)
    for number, (label, points) in enumerate(series.items()):
        x = [places.index(_shown(each["axes"][view["x"]])) + (number - (len(series) - 1) / 2) * width for each in points]
        at.bar(x, [each["median"] for each in points], width, label=label)
    at.set_xticks(range(len(places)), places, rotation=30 if len(places) > 4 else 0, ha="right" if len(places) > 4 else "center")
