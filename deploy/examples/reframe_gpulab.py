# Tests of ReFrame that measure with gpulab and compare with the references of each system:
#
#   reframe --config-file site.py --checkpath reframe_gpulab.py --run
#
# gpulab is found on PATH, as a module of the site puts it there. Each test runs one experiment on the nodes that ReFrame gives it, and
# takes its headlines from `gpulab run --json`. A wrong result, or a run that failed, ends gpulab with another code than 0: then the
# test fails before its performance is looked at.
import json

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_before, sanity_function, variable


def headlines(text):
    """{title: (value, unit)} of the headlines in what `gpulab run --json` printed."""
    return {each["title"]: (each["value"], each["unit"]) for each in json.loads(text).get("headline") or []}


@rfm.simple_test
class GpulabTest(rfm.RunOnlyRegressionTest):
    """An experiment of gpulab with its preset `quick`; further options by -S GpulabTest.options=…"""

    experiment = parameter(["transfer", "stream", "matmul"])
    options = variable(list, value=["--preset", "quick"])
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "gpulab"
    num_gpus_per_node = 1

    @run_before("run")
    def set_options(self):
        self.executable_opts = ["run", self.experiment, "--runtime", "cuda", "--no-save", "--json", *self.options]

    @sanity_function
    def has_succeeded(self):
        return sn.assert_eq(self.job.exitcode, 0)

    @run_before("performance")
    def take_headlines(self):
        with open(self.stdout.evaluate(), encoding="utf-8") as file:
            found = headlines(file.read())
        self.perf_variables = {
            title: sn.make_performance_function(sn.defer(value), unit) for title, (value, unit) in found.items()
        }
