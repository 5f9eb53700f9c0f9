"""Executes the code cells of a notebook in order, as Jupyter would: NOTEBOOK FOLDER. The value of the last line of a cell is shown as HTML; figures
are saved in FOLDER, and their paths are printed. A cell that fails ends it."""

import ast
import json
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

notebook, folder = sys.argv[1:3]
with open(notebook, encoding="utf-8") as file:
    cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
names, shown = {}, 0
for number, cell in enumerate(cells):
    body = ast.parse("".join(cell["source"]), f"cell {number}")
    last = ast.Expression(body.body.pop().value) if isinstance(body.body[-1], ast.Expr) else None
    exec(compile(body, f"cell {number}", "exec"), names)
    value = eval(compile(last, f"cell {number}", "eval"), names) if last else None
    if hasattr(value, "_repr_html_"):
        shown += value._repr_html_().startswith("<")
    for figure in pyplot.get_fignums():
        path = f"{folder}/cell-{number}.png"
        pyplot.figure(figure).savefig(path)
        pyplot.close(figure)
        print(path)
print(f"{len(cells)} cells, {shown} as HTML")
