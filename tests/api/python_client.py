"""What gpulab.py does with a lab, whose address and Unix socket are the arguments; python.test.mjs starts it."""

import sys
import unittest
from typing import Any, Callable, Dict, Tuple
from unittest import mock

import gpulab

ADDRESS, SOCKET = sys.argv[1:3]
SMALL: Dict[str, Any] = {"direction": "h2d", "memory": "pinned", "min_bytes": 4096, "max_bytes": 4096, "min_samples": 3, "max_samples": 3, "time_budget_s": 1}
ENDLESS: Dict[str, Any] = {"direction": ["h2d", "d2h"], "memory": ["pinned", "pageable"], "engine": "copy", "min_bytes": 1024, "max_bytes": 1048576, "factor": 1.01,
                           "min_samples": 200, "max_samples": 200, "max_noise": 0, "time_budget_s": 600}


class Client(unittest.TestCase):
    def setUp(self):
        self.lab = gpulab.connect(ADDRESS)

    def test_what_a_lab_has(self):
        names = [each["name"] for each in self.lab.experiments()]
        self.assertIn("transfer", names)
        self.assertIn("<td>transfer</td>", self.lab.experiments("transfer")._repr_html_())
        self.assertIn("direction", self.lab.experiment("transfer")["parameters"]["properties"])
        self.assertEqual(len(self.lab.devices()), 1)

    def test_a_run_ends_and_has_rows(self):
        run = self.lab.run("transfer", tags=["python"], note="a <note>", **SMALL)
        self.assertEqual(run.status, "succeeded")
        self.assertEqual((run.document["tags"], run.document["note"]), (["python"], "a <note>"))
        (row,) = run.rows("bandwidth")
        self.assertEqual((row["direction"], row["bytes"], row["unit"], row["verified"]), ("h2d", 4096, "GB/s", True))
        self.assertGreater(row["median"], 0)
        self.assertEqual({len(each["samples"]) for each in run.samples() if each["metric"] == "bandwidth"}, {3})
        self.assertIn("<b>transfer</b>", run._repr_html_())
        listed = self.lab.runs(tag="python", limit=1)[0]
        self.assertEqual(listed.id, run.id)
        self.assertEqual(list(listed.rows()), list(run.rows()))
        self.assertEqual(list(self.lab.get_run(run.id).rows()), list(run.rows()))

    def test_comments_and_marks(self):
        run = self.lab.run("transfer", **SMALL)
        first, second = run.comment("a <comment>"), run.comment("another")
        self.assertEqual([each["text"] for each in run.comments()], ["a <comment>", "another"])
        self.assertIn("&lt;comment&gt;", run.comments()._repr_html_())
        run.remove_comment(first)
        run.remove_comment(second["id"])
        self.assertEqual(run.comments(), [])
        mark = self.lab.mark("fan replaced", at="2026-01-31T12:00:00Z", node="gpu1")
        self.assertEqual([(each["text"], each["node"]) for each in self.lab.marks(since="2026-01-01", until="2026-02-01")], [("fan replaced", "gpu1")])
        self.lab.remove_mark(mark)
        self.assertEqual(self.lab.marks(), [])

    def test_the_axis_of_a_name_that_a_column_has(self):
        document = {"status": "succeeded", "measurements": [
            {"axes": {"n": 4}, "metric": "time", "unit": "s", "median": 1.0, "q1": 1.0, "q3": 1.0, "noise": 0.0, "n": 7, "verified": None, "side": None, "skipped": None},
            {"axes": {"n": 5}, "metric": "time", "unit": "s", "skipped": "too large"}]}
        rows = gpulab.Run(self.lab, document).rows()
        self.assertEqual([(row["axis_n"], row["n"]) for row in rows], [(4, 7)])

    def test_what_is_refused_says_everything_that_is_wrong(self):
        with self.assertRaises(gpulab.Error) as caught:
            self.lab.run("transfer", direction="up", max_bytes=-1)
        self.assertEqual((caught.exception.status, caught.exception.code), (422, "invalid-request"))
        self.assertEqual([error["pointer"] for error in caught.exception.errors], ["/parameters/direction", "/parameters/max_bytes"])
        self.assertIn("must be h2d, d2h or d2d", str(caught.exception))
        with self.assertRaises(gpulab.Error) as caught:
            self.lab.get_run("no/run?at=all")
        self.assertEqual(caught.exception.status, 404)
        for address in ("127.0.0.1:8080", "ftp://127.0.0.1", "http://", "http://127.0.0.1/?a=b"):
            with self.assertRaises(ValueError):
                gpulab.connect(address)

    def test_who_waits_for_a_run_that_goes_on(self):
        run = self.lab.run("transfer", wait=False, **ENDLESS)
        with self.assertRaises(TimeoutError):
            run.wait(0.1)
        run.cancel()
        with self.assertRaises(gpulab.RunFailed) as caught:
            run.wait()
        self.assertEqual(caught.exception.run.status, "cancelled")
        self.assertEqual(run.wait(check=False).status, "cancelled")

    def test_progress_is_written_and_ended(self):
        with mock.patch.object(gpulab.sys, "stderr") as stderr:
            self.lab.run("transfer", progress=True, **SMALL)
        written = "".join(call.args[0] for call in stderr.write.call_args_list)
        self.assertRegex(written, r"\rtransfer: succeeded *\n$")

    def test_a_lab_without_a_place_to_wait_is_asked_again(self):
        answers = [gpulab.Error(503, {"detail": "full"}, 0), {"status": "succeeded", "id": "a", "experiment": "b"}]
        with mock.patch.object(self.lab, "get", side_effect=answers) as get:
            gpulab.Run(self.lab, {"id": "a", "status": "running"}).wait()
        self.assertEqual(get.call_count, 2)
        with mock.patch.object(self.lab, "get", side_effect=gpulab.Error(404, {"detail": "gone"})):
            with self.assertRaises(gpulab.Error):
                gpulab.Run(self.lab, {"id": "a", "status": "running"}).wait()

    def test_a_comparison(self):
        run = self.lab.run("transfer", **dict(SMALL, min_samples=16, max_samples=100), compare_with={})
        comparison = self.lab.compare(run)
        self.assertIn(comparison.verdict, ("slower", "faster", "unclear", "same"))
        self.assertEqual(comparison.verdict, comparison.document["verdict"])
        self.assertEqual([row["metric"] for row in comparison.rows()], ["bandwidth"])
        self.assertIn(f"<b>{comparison.verdict}</b>", comparison._repr_html_())
        self.assertEqual({row["side"] for row in run.rows("bandwidth")}, {"base", "head"})
        runs = [self.lab.run("transfer", **SMALL) for _ in range(2)]
        document = self.lab.compare(runs[0].id, runs[1], minimum_effect=0.5).document
        self.assertEqual((document["base"]["id"], document["head"]["id"], document["minimum_effect"]), (runs[0].id, runs[1].id, 0.5))

    def test_a_sweep(self):
        sweep = self.lab.sweep("transfer", **dict(SMALL, seed=[1, 2, 3]))
        self.assertEqual(sweep.document["counts"]["succeeded"], 3)
        self.assertEqual([run.document["parameters"]["seed"] for run in sweep.runs()], [1, 2, 3])
        self.assertEqual([row["parameter_seed"] for row in sweep.rows("bandwidth")], [1, 2, 3])
        self.assertEqual(sweep._repr_html_().count("<tr>"), 4)
        self.assertEqual(len(self.lab.series("transfer", "bandwidth", sweep.runs()[0].read()["measurements"][0]["axes"], limit=2)), 2)

    def test_a_program_on_the_socket_and_its_failure(self):
        local = gpulab.connect(socket=SOCKET)
        main = '#include <stdio.h>\nint main(int n, char **given) { puts(given[1]); return n - 2; }'
        self.assertEqual(local.program({"main.c": main}, arguments=["<hello>"]).output, "<hello>\n")
        with self.assertRaises(gpulab.RunFailed) as caught:
            local.program({"main.c": main}, arguments=["a", "b"])
        self.assertIn("exited with code 1", str(caught.exception))
        with self.assertRaises(gpulab.Error):
            self.lab.program({"main.c": main})

    def test_a_kernel_reaches_the_lab_as_a_kernel(self):
        with self.assertRaises(gpulab.Error) as caught:
            self.lab.kernel("__global__ void none() {}", 32, [], grid=1, tags=["own"])
        self.assertEqual([error["pointer"] for error in caught.exception.errors], ["/kernel"])
        self.assertIn("needs a CUDA device", str(caught.exception))

    def test_the_health_of_the_devices(self):
        health = self.lab.health()
        self.assertIn(health.verdict, ("healthy", "warning", "unhealthy"))
        self.assertEqual(len(health.rows()), len(health.document["findings"]))
        self.assertIn("<td>ok</td>", health._repr_html_())

    def test_text_is_no_markup(self):
        table = gpulab.Table([{"<b>": "<script>", "n": 1.23456}])
        self.assertEqual(table._repr_html_(), "<table><thead><tr><th>&lt;b&gt;</th><th>n</th></tr></thead><tbody><tr><td>&lt;script&gt;</td><td>1.235</td></tr></tbody></table>")

    def test_without_pandas_and_matplotlib_it_says_what_is_missing(self):
        run = self.lab.run("transfer", **SMALL)
        with mock.patch.dict(sys.modules, {"pandas": None, "matplotlib": None}):
            calls: Tuple[Tuple[Callable[[], Any], str], ...] = ((run.frame, "pandas"), (run.plot, "matplotlib"))
            for call, name in calls:
                with self.assertRaisesRegex(ImportError, name):
                    call()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
