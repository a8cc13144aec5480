"""No module imports itself through others, not even for types or inside a function."""

from graphlib import CycleError, TopologicalSorter

import grimp


def test_no_module_of_backend_and_worker_is_part_of_a_circle() -> None:
    graph = grimp.build_graph("assay", "assay_worker", cache_dir=None)
    imports = {one: graph.find_modules_directly_imported_by(one) for one in graph.modules}
    assert len(imports) > 500, "the graph has the modules"
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        circle = " → ".join(reversed(error.args[1]))
        raise AssertionError(f"a circle of imports: {circle}") from None
