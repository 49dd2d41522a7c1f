"""Read from the source whether every SQL statement is a constant: values can only be parameters.

A statement is safe when it is put together from literals, module constants and psycopg's own
`sql.Identifier`, `sql.Literal` and the like, and from nothing that came in while the program ran.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_RUNS = {"execute", "executemany", "copy"}
_SQL = {"Identifier", "Literal", "Placeholder"}
_TRUSTED_TYPES = {"LiteralString", "sql.SQL", "sql.Composed"}
Function = ast.FunctionDef


@dataclass(frozen=True, slots=True)
class Modules:
    """The parsed modules of a program, by dotted name."""

    trees: Mapping[str, ast.Module]

    @classmethod
    def read(cls, root: Path, packages: list[str]) -> "Modules":
        """Parse all modules of packages below `root`."""
        files = [file for name in packages for file in sorted((root / name).rglob("*.py"))]
        return cls(
            {
                ".".join(file.relative_to(root).with_suffix("").parts): ast.parse(file.read_bytes())
                for file in files
            }
        )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an expression stands: names are looked up in its function, then in its module."""

    modules: Modules
    module: ast.Module
    function: Function | None


def statements(modules: Modules) -> list[tuple[str, str, bool]]:
    """Return every statement that is run, as (module:line, source, whether it is constant)."""
    found = []
    for name, tree in modules.trees.items():
        for function, node in _calls(tree):
            statement = _statement(node)
            if statement is not None:
                safe = _constant(statement, _Place(modules, tree, function))
                found.append((f"{name}:{node.lineno}", ast.unparse(statement), safe))
    return found


def _calls(tree: ast.Module) -> Iterator[tuple[Function | None, ast.Call]]:
    inside: dict[ast.AST, Function] = {}
    for node in ast.walk(tree):  # outer functions first, so that the innermost one stays
        if isinstance(node, Function):
            inside |= dict.fromkeys(ast.walk(node), node)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield inside.get(node), node


def _statement(call: ast.Call) -> ast.expr | None:
    """The SQL of a call that runs or makes some; also of a function that wants a literal."""
    if not call.args or not isinstance(call.func, ast.Attribute):
        return None
    receiver = ast.unparse(call.func.value)
    if call.func.attr in _RUNS and receiver not in {"shutil", "copy"}:
        return call.args[0]
    return call.args[0] if (receiver, call.func.attr) == ("sql", "SQL") else None


def _constant(node: ast.expr, place: _Place) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.JoinedStr(values=values):
            return all(_constant(value, place) for value in values)
        case ast.FormattedValue(value=value):
            return _constant_text(value, place)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _constant(left, place) and _constant(right, place)
        case ast.IfExp(body=body, orelse=orelse):
            return _constant(body, place) and _constant(orelse, place)
        case ast.Name(id=name):
            return _name_is_constant(name, place)
        case ast.Call():
            return _call_is_constant(node, place)
    return False


def _call_is_constant(call: ast.Call, place: _Place) -> bool:
    if isinstance(call.func, ast.Name):  # one of ours, whose annotation says that it gives SQL
        function = _function(call.func.id, place)
        return function is not None and _annotated(function.returns)
    if not isinstance(call.func, ast.Attribute):
        return False
    if ast.unparse(call.func.value) == "sql":
        return call.func.attr in _SQL or (
            call.func.attr == "SQL" and _constant(call.args[0], place)
        )
    if call.func.attr != "format" or not _constant(call.func.value, place):
        return False
    if _is_sql(call.func.value, place):  # psycopg escapes what is not SQL itself
        return True
    parts = [*call.args, *(keyword.value for keyword in call.keywords)]
    return all(_constant_text(part, place) for part in parts)


def _constant_text(node: ast.expr, place: _Place) -> bool:
    """As part of plain text, an sql.Identifier is its value in quotes that nothing escapes."""
    escaped = isinstance(node, ast.Call) and ast.unparse(node.func).startswith("sql.")
    return not escaped and _constant(node, place)


def _is_sql(node: ast.expr, place: _Place) -> bool:
    if isinstance(node, ast.Name):
        return any(_is_sql(value, place) for value in _values(node.id, place))
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "sql.SQL"


def _name_is_constant(name: str, place: _Place) -> bool:
    if place.function and (found := _parameter(name, place.function)):
        return _annotated(found.annotation) and _callers_are_constant(name, place)
    if values := _values(name, place):
        return all(_constant(value, place) for value in values)
    source = _imported(name, place)
    return source is not None and _name_is_constant(name, source)


def _callers_are_constant(name: str, place: _Place) -> bool:
    """Whether a function of this module always gets constant SQL for its parameter `name`."""
    assert place.function is not None
    at = [argument.arg for argument in place.function.args.args].index(name)
    return all(
        len(call.args) > at
        and _constant(call.args[at], _Place(place.modules, place.module, caller))
        for caller, call in _calls(place.module)
        if ast.unparse(call.func) == place.function.name
    )


def _values(name: str, place: _Place) -> list[ast.expr]:
    """What is assigned to `name` in the function, else in the module."""
    for scope in (place.function, place.module):
        nodes = ast.walk(scope) if isinstance(scope, Function) else scope.body if scope else []
        if values := [value for node in nodes for value in _assigned(name, node)]:
            return values
    return []


def _assigned(name: str, node: ast.AST) -> Iterator[ast.expr]:
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr | ast.For):
        return
    value = node.iter if isinstance(node, ast.For) else node.value
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        names = [ast.unparse(one) for one in getattr(target, "elts", [target])]
        if name not in names or value is None:
            continue
        if names == [name] and not isinstance(node, ast.For):
            yield value
        elif isinstance(value, ast.Tuple) and len(value.elts) == len(names):
            yield value.elts[names.index(name)]
        else:
            yield ast.Tuple([], ast.Load())  # whatever it is, it is no constant


def _parameter(name: str, function: Function) -> ast.arg | None:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return next((argument for argument in every if argument.arg == name), None)


def _annotated(annotation: ast.expr | None) -> bool:
    return annotation is not None and ast.unparse(annotation) in _TRUSTED_TYPES


def _function(name: str, place: _Place) -> Function | None:
    for node in place.module.body:
        if isinstance(node, Function) and node.name == name:
            return node
    source = _imported(name, place)
    return _function(name, source) if source else None


def _imported(name: str, place: _Place) -> _Place | None:
    for node in place.module.body:
        if isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names}:
            module = place.modules.trees.get(node.module or "")
            return _Place(place.modules, module, None) if module else None
    return None
