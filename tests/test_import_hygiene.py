"""What is loaded when: the commands without Textual, the library without any terminal library."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import toolpair
from tests.patience import PATIENCE
from tests.source_code import Module
from toolpair.formats import FORMATS as RECORDS
from toolpair.formats import all_formats
from toolpair.formats.lazy import Lazy

SAMPLES = Path(__file__).resolve().parent.parent / "sample_sessions"

_LIST_MODULES = """
import sys
from toolpair.cli.main import main
sys.stdout.flush()
code = main({arguments!r})
import json
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""

_LIST_OPENED = """
import sys
sys.addaudithook(lambda event, what: print(what[0], file=sys.stderr) if event == "open" else None)
"""

_LIBRARY_ALONE = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"textual", "rich"}:
            raise ImportError(f"{name} is not installed here")

sys.meta_path.insert(0, Blocked())
import toolpair

messages = [
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "run", "input": {}}]},
    {"role": "user", "content": "and?"},
]
report = toolpair.check(messages, profile="anthropic")
assert [problem.rule for problem in report.problems] == ["result.missing"], report
repaired = toolpair.repair(messages, profile="anthropic")
assert not toolpair.check(repaired.messages, profile="anthropic").problems
assert len(messages) == 3
exported = toolpair.export(messages, to="gemini")
assert len(exported.body["contents"]) == 3, exported
{session}
page = toolpair.report(file)
assert "result.missing" in page and toolpair.report(file, form="markdown")
assert not toolpair.diff(file, file.with_name("valid.json"))
"""


def _modules(*arguments: str) -> set[str]:
    ran = subprocess.run(
        [sys.executable, "-c", _LIST_MODULES.format(arguments=list(arguments))],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    return set(json.loads(ran.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", str(SAMPLES / "interrupted-call.json")),
        ("check", str(SAMPLES / "interrupted-call.json"), "--output-format", "json"),
        ("fix", str(SAMPLES / "interrupted-call.json"), "--diff"),
        ("excerpt", str(SAMPLES / "interrupted-call.json"), "--issue"),
        ("explain", "result.missing"),
        ("first-break", str(SAMPLES / "proxy-log.jsonl")),
        ("rules",),
    ],
)
def test_commands_load_no_terminal_library(arguments: tuple[str, ...]) -> None:
    loaded = {name.partition(".")[0] for name in _modules(*arguments)}
    assert loaded.isdisjoint({"textual", "rich"})


@pytest.mark.parametrize("sample", ["interrupted-call.json", "codex-killed.jsonl", "claude-code-branches.jsonl"])
def test_a_check_loads_nothing_that_it_does_not_use(sample: str) -> None:
    loaded = _modules("check", str(SAMPLES / sample))
    assert loaded.isdisjoint({"psutil", "platformdirs", "zstandard", "subprocess", "asyncio", "threading", "glob"})
    assert "pathlib" not in loaded or sample.startswith("codex")
    ours = {name for name in loaded if name.startswith("toolpair.")}
    unused = (
        *("agents.catalog", "agents.processes", "source.saving", "source.peek", "shell.machine"),
        *("formats.roo_code.extensions", "formats.engine.agents.way_back"),
        *("session.following", "session.surroundings", "session.journal", "library"),
        *("cli.fix", "cli.sees", "cli.compare", "cli.explain", "cli.rule_pages", "cli.ci", "rules.pages"),
        *("session.find", "history.losses", "session.recipe_", "rules.errors.error_detection", "rules.errors.matching"),
        *("recipes.keep", "recipes.minimal", "recipes.roo_code", "recipes.docker_agent"),
        *("dialects.argument_texts", "formats.claude_code.retries"),
    )
    assert not [name for name in ours if name.removeprefix("toolpair.").startswith(unused)]


def test_a_check_of_a_valid_file_reads_the_data_of_its_profile_alone(tmp_path: Path) -> None:
    valid = tmp_path / "valid.json"
    valid.write_text('[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Yes?"}]')
    listed = _LIST_OPENED + _LIST_MODULES.format(arguments=["check", str(valid)])
    ran = subprocess.run([sys.executable, "-c", listed], capture_output=True, text=True, check=True, timeout=PATIENCE)
    opened = [Path(line) for line in ran.stderr.splitlines() if line.endswith(".json")]
    assert [path.name for path in opened] == ["valid.json", "openai-chat.json"]


_ADDED = """
import sys
before = set(sys.modules)
{code}
sys.stdout.flush()
print(*sorted(set(sys.modules) - before), sep="\\n", file=sys.stderr)
"""


def _added(code: str) -> set[str]:
    """What `code` loads that Python itself does not."""
    ran = subprocess.run(
        [sys.executable, "-c", _ADDED.format(code=code)], capture_output=True, text=True, timeout=PATIENCE
    )
    assert ran.returncode == 0, ran.stderr
    return set(ran.stderr.split())


def _added_by(*arguments: object) -> set[str]:
    return _added(f"from toolpair.cli.main import main; main({[str(argument) for argument in arguments]!r})")


def test_the_version_loads_next_to_nothing() -> None:
    loaded = _added_by("--version")
    assert _ours(loaded) == {
        *("toolpair", "toolpair.cli", "toolpair.cli.main", "toolpair.cli.exits", "toolpair.cli.streams"),
    }
    assert loaded.isdisjoint({"typing", "re", "argparse", "pathlib", "msgspec"})


def test_importing_the_library_loads_next_to_nothing() -> None:
    loaded = _added("import toolpair; toolpair.__version__, toolpair.__all__")
    assert _ours(loaded) == {"toolpair"}
    assert loaded.isdisjoint({"typing", "re", "orjson", "msgspec"})


_PLAIN = '[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Yes?"}]'
_CLAUDE_CODE = "".join(
    json.dumps(
        {
            "type": role,
            "uuid": f"00000000-0000-4000-8000-{number:012}",
            "parentUuid": f"00000000-0000-4000-8000-{number - 1:012}" if number else None,
            "sessionId": "s",
            "message": {"role": role, "content": [{"type": "text", "text": "Hello"}]},
        }
    )
    + "\n"
    for number, role in enumerate(("user", "assistant"))
)


@pytest.mark.parametrize(
    ("name", "content", "most"),
    [("list.json", _PLAIN, 141), ("session.jsonl", _CLAUDE_CODE, 165)],
    ids=["list of messages", "Claude Code"],
)
def test_a_check_of_a_small_sound_file_loads_few_modules(tmp_path: Path, name: str, content: str, most: int) -> None:
    """Each module costs a quarter of a millisecond; what only a broken file needs can wait until there is one."""
    file = tmp_path / name
    file.write_text(content)
    loaded = _added_by("check", file)
    ours = _ours(loaded) - {f"toolpair.formats.{entry.partition(':')[0]}" for entry in RECORDS}  # data alone
    waiting = (
        *("recipes", "rules.errors", "rules.pages", "source.changes", "source.literal"),
        *(
            "history.sent_rows",
            "history.losses",
            "history.inactive",
            "history.scan",
            "history.open_w",
            "history.window_e",
        ),
        *(
            "history.lights",
            "formats.engine.reading.light",
            "formats.lists.anthropic_light",
            "formats.claude_code.light",
        ),
        *("formats.engine.damage", "cli.jobs", "cli.worker", "session.recipe_"),
        *("formats.claude_code.editing", "formats.codex.reading", "formats.codex.editing"),
    )
    assert not [module for module in ours if module.removeprefix("toolpair.").startswith(waiting)]
    assert len(ours) <= most, sorted(ours)
    # None of these is cheap, and orjson brings what cannot be avoided.
    rare = {"pathlib", "shutil", "tempfile", "hashlib", "subprocess", "urllib.parse", "base64", "signal", "difflib"}
    assert loaded.isdisjoint(rare | {"importlib.resources", "concurrent.futures", "multiprocessing", "asyncio"})


def test_a_check_loads_of_other_formats_only_what_recognises_their_files(tmp_path: Path) -> None:
    keys = {key: "" for record in all_formats() for key in record.needs}
    file = tmp_path / "session.jsonl"
    file.write_text(json.dumps(keys) + "\n")  # all formats are asked
    loaded = _ours(_added_by("check", file))
    sniffs = {record.sniff.where.partition(":")[0] for record in all_formats() if isinstance(record.sniff, Lazy)}
    family = {"toolpair.formats.pi_family.detection"}
    folders = {f"toolpair.formats.{entry.partition(':')[0]}" for entry in RECORDS} - {"toolpair.formats.lists"}
    inside = {name for name in loaded if name.rpartition(".")[0] in {*folders, "toolpair.formats.pi_family"}}
    assert len(inside) >= 8
    assert inside <= sniffs | family


def _ours(loaded: set[str]) -> set[str]:
    return {name for name in loaded if name == "toolpair" or name.startswith("toolpair.")}


def test_the_library_works_without_a_terminal_library() -> None:
    session = f"import pathlib; file = pathlib.Path({str(SAMPLES / 'interrupted-call.json')!r})"
    subprocess.run([sys.executable, "-c", _LIBRARY_ALONE.replace("{session}", session)], check=True, timeout=PATIENCE)


# Imports inside functions: module -> what it may load so, and in front of each table why. Everything else is imported at
# the top of its module. The counts are of modules that importing at the top would add to a start.
# The way to everything else: what stands behind one is loaded when it is gone through. `--version` and a decorator load
# next to nothing, the interface shows its first frame before it has a session.
DOORS = {
    "cli.main": {
        "cli.configured",
        "cli.exits",
        "cli.inputs",
        "cli.meant",
        "cli.pager",
        "cli.terminal",
        "session.session",
        "shell.program",
        "source.errors",
    },
    "cli.open": {
        "agents.catalog",
        "cli.form",
        "cli.inputs",
        "formats.engine.agents.databases",
        "formats.forms.drafted",
        "formats.forms.registry",
        "session.session",
        "toolpair",
        "tui",
    },
    "library.guard": {"library.message_lists", "library.report", "rules.profiles"},
    "library.message_lists": {"formats.forms.detection", "formats.forms.registry"},
    "tui": {
        "session.journal.folder",
        "session.session",
        "shell.machine",
        "shell.program",
        "tui.app",
        "tui.theme",
        "tui.background_loading",
        "tui.leaving",
        "tui.picker_checks",
        "tui.preferences",
        "tui.session_list",
    },
    "tui.picker_worker": {"session.session", "session.verdict_cache"},
}
# A check of a small sound file loads 150 modules; these are 96 more, which a broken, a long, an odd or a saved one needs.
CHECKING = {
    "formats.engine.detection.format_detection": {"formats.engine.detection.understanding", "source.json_strings"},
    "history.checked_records": {
        "dialects.shrinking",
        "dialects.request_bodies",
        "formats.engine.damage.damaged",
        "formats.lists.openai_responses",
        "history.becomes",
        "history.id_places",
        "history.judged_request",
        "rules.named",
    },
    "history.conversation": {
        "history.cross_window_links",
        "history.inactive_records",
        "history.losses",
        "history.window_edits",
    },
    "history.joined_windows": {
        "history.row_text_search",
        "history.text_prefilter",
    },
    "history.id_places": {"rules.errors.error_detection"},
    "history.summary": {"rules.pages"},
    "history.window": {"history.compacted", "history.losses.kept_whole", "source.rewriting"},
    "history.window_checks": {"rules.errors.message_counting"},
    "dialects.anthropic": {"dialects.foreign_parts"},
    "dialects.openai_chat": {"dialects.foreign_parts"},
    "dialects.openai_responses": {"dialects.foreign_parts"},
    "rules.arguments": {"dialects.argument_texts"},
    "rules.contents": {"rules.images"},
    "rules.context": {"rules.causes.whole"},
    "rules.judge": {"rules.binding", "rules.errors.message_counting", "rules.errors.quotes"},
    "rules.pairs": {"rules.duplicates", "rules.result_places"},
    "rules.result_contents": {"dialects.bedrock_converse"},
    "session.carrying_out": {"recipes", "recipes.careful", "recipes.engine", "source.changes"},
    "formats": {"formats.forms.registry"},
    "formats.forms.registry": {"dialects.foreign_parts", "formats.forms.writing"},
    "session.opening": {"formats.engine.agents.databases", "formats.forms.detection", "history.open_windows"},
    "session.saving": {
        "formats.engine.agents.databases",
        "session.opening",
        "source.byte_runs",
        "source.folders.copying",
        "source.folders.save",
        "source.packing",
        "source.rows.copying",
        "source.rows.save",
        "source.saving.backups",
        "source.saving.in_place",
        "source.saving.new_file",
        "source.saving.opened_content",
    },
    "session.session": {
        "recipes",
        "recipes.recipe",
        "recipes.recommended",
        "session.find",
        "session.following",
        "session.saving",
        "session.surroundings",
        "source.growth",
        "source.saving.backups",
        "source.saving.opened_content",
        "source.saving.restoring",
    },
    "session.staged": {"source.changes"},
    "session.staging": {
        "history.losses",
        "session.carrying_out",
        "session.decisions",
        "session.staged",
        "source.changes",
    },
    "shell.machine": {"shell.settings"},
    "shell.program": {"shell.quoting"},
    "source.container": {"source.literal"},
    "source.container_reading": {"source.large"},
    "source.encode": {"source.deep_values"},
    "session.surroundings": {"source.folders.exchange"},
    "source.packing": {"source.spooled"},
    "source.record_values": {"source.deep_values"},
    "source.rewriting": {"source.deep_values"},
    "source.saving.restoring": {"source.folders.save", "source.rows.backup", "source.rows.copying", "source.rows.save"},
}
# Recognising a file loads one module of each format that is asked, and the list of sessions the module of each agent:
# these two kinds wait with what they need later. Everything else of a format is loaded when its record asks for it.
FORMATS = {
    "agents.catalog": {"formats.engine.agents.database_agent", "formats.engine.agents.databases"},
    "formats.engine.agents.database_agent": {"formats.engine.agents.databases"},
    "formats.agent": {"formats.engine.agents.way_back"},
    "formats.engine.agents.databases": {"source.folders.stored_session"},
    "formats.claude_code.agent": {
        "formats.claude_code.session_files",
        "formats.claude_code.versions",
        "formats.engine.agents.way_back",
        "rules.problem",
    },
    "formats.claude_code.around": {"formats.claude_code.sending"},
    "formats.claude_code.reading": {"formats.claude_code.retries"},
    "formats.claude_code.sending.taking": {"formats.claude_code.sending.task_reports"},
    "formats.oh_my_pi.format": {"formats.pi_family.light"},
    "formats.openclaw.format": {"formats.pi_family.light"},
    "formats.pi.format": {"formats.pi_family.light"},
    "formats.codex.rollout_lines": {"source.deep_values"},
    "formats.codex.agent": {
        "formats.codex.forks",
        "formats.codex.session_files",
        "formats.engine.agents.way_back",
    },
    "formats.lists.anthropic": {"dialects.anthropic_writer", "formats.engine.writing.linear"},
    "formats.lists.openai_chat": {"dialects.openai_chat_writer", "formats.lists.writing"},
    "formats.lists.openai_responses": {
        "dialects.openai_responses_writer",
        "formats.engine.reading.item_messages",
        "formats.lists.writing",
    },
}
# What one option or one mistake needs, of modules that each command loads: 41 of them.
COMMANDS = {
    "cli.check": {"cli.baseline", "cli.configured", "cli.jobs", "cli.statistics", "session.verdict_cache"},
    "cli.configured": {"cli.inputs", "source.addresses"},
    "cli.file_report": {"session.verdict_cache"},
    "cli.fix": {"cli.pasted"},
    "cli.fixing": {"cli.for_error", "source.patch"},
    "cli.inputs": {
        "agents.catalog",
        "agents.installed",
        "formats.engine.agents.databases",
        "formats.forms.registry",
        "session.surroundings",
        "source.packing",
        "source.spooled",
    },
    "cli.output": {"cli.ci.github", "cli.ci.sarif"},
    "cli.progress": {"cli.progress_line"},
    "cli.prove": {"cli.prove_corpus"},
    "cli.sees": {"reports.requests_in_time"},
    "cli.selection": {"rules.registry"},
    "cli.sessions": {"formats.engine.agents.databases"},
    "cli.terminal": {"cli.meant", "rules.profiles", "text.safe", "text.shell"},
}
# What a key opens, of modules that are there for the first frame, or with the list: 90 and 40 of them.
KEYS = {
    "tui.app": {
        "tui.screens.command",
        "tui.screens.help",
        "tui.screens.loading",
        "tui.screens.picker",
        "tui.screens.writing",
        "tui.terminal_driver",
    },
    "tui.card_text": {"session.carrying_out"},
    "tui.compared_sides": {"session.reopening"},
    "tui.controllers.menus": {
        "session.reopening",
        "session.surroundings",
        "source.rows.backup",
        "source.saving.backups",
        "tui.background_loading",
        "tui.controllers.backup_restore",
        "tui.screens.loading",
        "tui.screens.menu",
        "tui.screens.picker",
        "tui.screens.profile_list",
    },
    "tui.controllers.clipboard": {"tui.controllers.request_copy", "tui.screens.menu"},
    "tui.controllers.goto": {"tui.screens.prompt"},
    "tui.controllers.journal_offer": {"session.journal.keeper", "session.journal.left"},
    "tui.controllers.many_fixes": {"tui.screens.recipe_list"},
    "tui.controllers.one_fix": {"tui.guess_text", "tui.screens.chooser"},
    "tui.controllers.comparing": {"session.reopening", "tui.screens.compare", "tui.screens.menu", "tui.screens.picker"},
    "tui.controllers.viewers": {
        "session.carrying_out",
        "tui.fix_effects",
        "tui.viewer_pages",
        "tui.screens.sees",
        "tui.screens.statistics",
        "tui.screens.viewer",
        "tui.sees_text",
    },
    "tui.screens.sees": {"reports.requests_in_time"},
    "tui.controllers.follow": {"session.surroundings"},
    "tui.controllers.reading_on": {"tui.background_loading"},
    "tui.controllers.applying": {"tui.screens.review", "tui.screens.saved"},
    "tui.controllers.row_filter": {"tui.screens.prompt"},
    "tui.controllers.text_search": {"tui.screens.prompt"},
    "tui.controllers.working": {"tui.background_loading"},
    "tui.overview": {"session.decisions"},
    "tui.open_sessions": {"tui.background_loading", "tui.screens.confirm", "tui.screens.pair_screen"},
    "tui.screens.base_screen": {"tui.commands"},
    "tui.screens.chooser": {"session.carrying_out"},
    "tui.screens.loading": {"tui.screens.writing"},
    "tui.screens.main_view": {"history.losses", "tui.preview_text"},
    "tui.screens.pair_screen": {
        "tui.commands",
        "tui.controllers.cutting",
        "tui.controllers.proving",
        "tui.screens.picker",
    },
    "tui.screens.picker": {"tui.screens.compare"},
    "tui.screens.recipe_list": {"session.recipe_trial"},
    "tui.screens.saved": {"tui.controllers.proving"},
    "tui.work": {"session.session"},
}
LAZY = {**DOORS, **CHECKING, **FORMATS, **COMMANDS, **KEYS}
SOURCE = Path(toolpair.__file__).parent.parent


def _names_of(statement: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The modules of toolpair that a statement imports, without the package's name."""
    if isinstance(statement, ast.Import):
        found = [alias.name for alias in statement.names]
    else:
        inner = [f"{statement.module}.{alias.name}" for alias in statement.names]
        found = [name if _is_module(name) else str(statement.module) for name in inner]
    for name in found:
        if name == "toolpair" or name.startswith("toolpair."):
            yield name.removeprefix("toolpair.")


@cache
def _is_module(name: str) -> bool:
    path = SOURCE.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def _imported_in_functions(module: Module) -> set[str]:
    return {
        name
        for function in module.nodes
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for statement in ast.walk(function)
        if isinstance(statement, (ast.Import, ast.ImportFrom))
        for name in _names_of(statement)
    }


_BEGINS_WITHIN = re.compile(r"^(?!from |import ).*\bimport\b", re.MULTILINE)
"""An import that does not begin its line, or a word like it."""


def test_a_function_imports_only_what_a_start_should_not_load(modules: Sequence[Module]) -> None:
    told = (module for module in modules if _BEGINS_WITHIN.search(module.text))
    assert {module.name: imported for module in told if (imported := _imported_in_functions(module))} == LAZY


def test_nothing_is_imported_in_a_circle(modules: Sequence[Module]) -> None:
    """Imports inside functions, of types alone, and by `lazy` count, too: they would only hide one.

    The package itself is the front: it has the version, and hands on what the rooms have.
    """
    imports: dict[str, set[str]] = {}
    for module in modules:
        imported = (node for node in module.nodes if isinstance(node, ast.Import | ast.ImportFrom))
        found = {name for node in imported for name in _names_of(node)}
        imports[module.name] = {*found, *_lazily(module.nodes)} - {module.name, "toolpair"}
    del imports[""]
    TopologicalSorter(imports).prepare()


def _lazily(tree: Sequence[ast.AST]) -> Iterator[str]:
    for node in tree:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("lazy", "Lazy"):
            for given in node.args:
                if isinstance(given, ast.Constant):
                    yield str(given.value).partition(":")[0].removeprefix("toolpair.")
