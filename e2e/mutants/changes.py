"""All small errors that the syntax of a Python file has room for.

Neither mutmut nor cosmic-ray fits: mutmut 3 leaves out what is outside of functions, and runs all
tests in one process, where ours start others; cosmic-ray drops no statements, and has one test
command for all files.

Left out are texts, what only a type checker or a reader sees (annotations, docstrings, `__all__`,
log entries), and what only PostgreSQL enforces (the length of a column).
"""

import ast
import io
import itertools
import tokenize
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

COMPARISONS = {
    **{"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<")},
    **{"==": ("!=",), "!=": ("==",), "is": ("is not",), "is not": ("is",)},
    **{"in": ("not in",), "not in": ("in",)},
}
BOOLEANS = {"and": ("or",), "or": ("and",)}
ARITHMETIC = {
    **{"+": ("-",), "-": ("+",), "*": ("//",), "/": ("*",), "//": ("*",), "%": ("//",)},
    **{"**": ("*",), "<<": (">>",), ">>": ("<<",), "&": ("|",), "|": ("&",), "^": ("&",)},
}
ARITHMETIC |= {f"{old}=": tuple(f"{one}=" for one in new) for old, new in ARITHMETIC.items()}
KINDS = ("arithmetic", "boolean", "comparison", "condition", "constant", "dropped")
BESIDE = {tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT}
TYPES_ONLY = {"cast", "TypeVar", "ParamSpec", "NewType", "String", "dataclass"}
"""Calls whose arguments, and for `dataclass` what they forbid, no test on SQLite can notice."""


@dataclass(frozen=True)
class Change:
    """The text from `start` to `end` of a source becomes `new`."""

    kind: str
    start: int
    end: int
    new: str

    def apply(self, source: str) -> str:
        """Return the source with the error."""
        return source[: self.start] + self.new + source[self.end :]


def statements(source: str) -> list[list[Change]]:
    """Return the changes of each statement that has some; those of its body belong to the body."""
    finder = _Finder(source)
    finder.block(ast.parse(source).body)
    return list(finder.found.values())


class _Finder(ast.NodeVisitor):
    """Collects changes by the line and column of their innermost statement."""

    def __init__(self, source: str) -> None:
        self.found: defaultdict[tuple[int, int], list[Change]] = defaultdict(list)
        self._statement = (0, 0)
        self._lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))
        self._source = source
        self._tokens = [
            (self._starts[one.start[0] - 1] + one.start[1], one)
            for one in tokenize.generate_tokens(io.StringIO(source).readline)
            if one.type not in BESIDE and one.string not in ("(", ")")
        ]
        self._places = [at for at, _ in self._tokens]

    def block(self, body: Iterable[ast.stmt]) -> None:
        """Visit statements, each of which may be dropped."""
        outer = self._statement
        for one in body:
            self._statement = (one.lineno, one.col_offset)
            if _left_out(one):
                continue
            if _droppable(one):
                self._add("dropped", *self._span(one), "pass")
            self.visit(one)
        self._statement = outer

    def generic_visit(self, node: ast.AST) -> None:
        """Visit the parts of a node; lists of statements are blocks."""
        for _name, value in ast.iter_fields(node):
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.stmt):
                    self.block([part])
                elif isinstance(part, ast.AST):
                    self.visit(part)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Leave out what annotates arguments and the result."""
        defaults = [*node.args.defaults, *(one for one in node.args.kw_defaults if one)]
        for part in (*node.decorator_list, *defaults):
            self.visit(part)
        self.block(node.body)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Leave out the annotation."""
        if node.value:
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave out texts."""

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Leave out types such as `Literal[1]`."""
        if not (isinstance(node.value, ast.Name) and node.value.id in ("Literal", "Annotated")):
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Leave out calls that only types and databases notice."""
        if not (isinstance(node.func, ast.Name) and node.func.id in TYPES_ONLY):
            self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        """Force the condition; leave out what only a type checker runs."""
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            self.block(node.orelse)
            return
        self._force(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """Force the condition."""
        self._force(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        """Force the filters."""
        for one in node.ifs:
            self._force(one)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Change each operator."""
        self._operators("comparison", [node.left, *node.comparators], COMPARISONS)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Change each `and`, `or`."""
        self._operators("boolean", node.values, BOOLEANS)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Remove a `not`."""
        if isinstance(node.op, ast.Not):
            start = self._span(node)[0]
            end = start + len("not")
            blank = len(self._source[end:]) - len(self._source[end:].lstrip(" "))
            self._add("boolean", start, end + blank, "")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Change the operator of numbers and sets, not of texts and paths."""
        if not (_text(node.left) or _text(node.right)):
            self._operators("arithmetic", [node.left, node.right], ARITHMETIC)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Change `+=` and the like."""
        if not _text(node.value):
            self._operators("arithmetic", [node.target, node.value], ARITHMETIC)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Change a number by one, or negate a boolean."""
        if isinstance(node.value, bool):
            self._add("constant", *self._span(node), str(not node.value))
        elif isinstance(node.value, int | float):
            for step in (1, -1):
                new = f"{node.value + step!r}"
                if node.value + step < 0:
                    new = f"({new})"
                if node.value + step != node.value:
                    self._add("constant", *self._span(node), new)

    def _force(self, condition: ast.expr) -> None:
        # without an assignment in it, names below would be missing
        if not any(isinstance(part, ast.NamedExpr) for part in ast.walk(condition)):
            for new in ("True", "False"):
                self._add("condition", *self._span(condition), new)

    def _operators(
        self, kind: str, operands: list[ast.expr], becomes: dict[str, tuple[str, ...]]
    ) -> None:
        for left, right in itertools.pairwise(operands):
            after, before = self._span(left)[1], self._span(right)[0]
            first, end = bisect_left(self._places, after), bisect_left(self._places, before)
            between = self._tokens[first:end]  # two in `is not`
            for new in becomes.get(" ".join(one.string for _, one in between), ()):
                last, token = between[-1]
                self._add(kind, between[0][0], last + len(token.string), new)

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return where the node starts and ends, in characters; `ast` counts bytes."""

        def index(line: int, column: int) -> int:
            text = self._lines[line - 1].encode()[:column].decode()
            return self._starts[line - 1] + len(text)

        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return index(node.lineno, node.col_offset), index(node.end_lineno, node.end_col_offset)

    def _add(self, kind: str, start: int, end: int, new: str) -> None:
        self.found[self._statement].append(Change(kind, start, end, new))


def _left_out(node: ast.stmt) -> bool:
    """Return whether a statement is a docstring, a log entry or `__all__`."""
    match node:
        case ast.Expr(ast.Constant()):
            return True
        case ast.Expr(ast.Call(ast.Attribute(ast.Name("log")))):
            return True
        case ast.Assign([ast.Name("__all__")]):
            return True
    return False


def _droppable(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(ast.Call() | ast.Await()) | ast.Raise() | ast.Continue() | ast.Delete():
            return True
        case ast.Assign(targets):
            return any(isinstance(one, ast.Attribute | ast.Subscript) for one in targets)
        case ast.AugAssign():
            return True
    return False


def _text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def kinds(changes: Iterable[Change]) -> Iterator[str]:
    """Yield the kinds that occur, in order."""
    present = {change.kind for change in changes}
    return (kind for kind in KINDS if kind in present)
