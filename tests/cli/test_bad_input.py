"""Bad input: one sentence, exit status 2, and nothing left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from amcast.cli import main
from amcast.traces import TABLES

WRONG_RUNS = {
    "--protocol nope": "no protocol 'nope': there is skeen, skeen-coordinator, two-phase",
    "--scenario nope": "no scenario 'nope': there is uniform, lan, aws12",
    "--workload nope": "no workload 'nope': there is uniform, tpcc",
    "--protocol tree --overlay g1>g2,g2>g3,g3>g1": "has a cycle: g1 > g2 > g3 > g1",
    "--protocol tree --overlay g1>g3,g2>g3": "'g3' has two parents, g1 and g2",
    "--protocol tree --overlay g1>g2": "'g3' is missing from the tree",
    "--protocol tree --overlay g1>g2,g1>g9": "'g9', which is no group: the groups are g1, g2, g3",
    "--protocol tree --overlay star:g9": "'g9', which is no group",
    "--protocol tree --overlay T1": "tree 'T1' is not known",
    "--protocol sequencer --overlay g9": "centre 'g9' is no group",
    "--protocol propagation --overlay g1+g2": "destinations g1 were not registered",
    "--protocol propagation --overlay g1,g2,g3,g1+g2": "destinations g1, g3 were not registered",
    "--overlay star": "skeen has no overlay: leave --overlay out",
    "--clients 0": "0 clients are not possible",
    "--clients -3": "-3 clients are not possible",
    "--clients x": "--clients: invalid int value: 'x'",
    "--duration-s 0": "--duration-s 0 is not possible",
    "--duration-s -1": "--duration-s -1 is not possible",
    "--duration-s nan": "--duration-s nan is not possible",
    "--duration-s inf": "--duration-s inf is not possible",
    "--duration-s 1e-9": "--duration-s 1e-09 is not possible",
    "--duration-s 1e305": "--duration-s 1e+305 is not possible",
    "--duration-s 1 --clients 1 --latency-scale 0": "messages take no time",
    "--duration-s 1 --clients 1 --scenario setup1 --groups 1": "messages take no time",
    "--latency-scale -1": "--latency-scale -1 is not possible",
    "--jitter -0.1": "--jitter -0.1 is not possible: use a number from 0 to 10",
    "--latency-scale nan": "--latency-scale nan is not possible",
    "--latency-scale 1e300": "--latency-scale 1e+300 is not possible",
    "--messages 0": "0 messages does nothing",
    "--messages -1": "-1 messages does nothing",
    "--messages 5 --duration-s 1": "--messages and --duration-s exclude each other",
    "--groups 0": "0 groups are not possible",
    "--scenario aws12 --groups 3": "aws12 has 12 groups: leave --groups out",
    "--locality 2": "--locality 2 is not possible: use a number from 0 to 1",
    "--locality nan": "--locality nan is not possible",
    "--scenario aws12 --workload gtpcc --locality -1": "--locality -1 is not possible",
    "--workload d1": "exactly 7 groups, not for 3",
    "--workload gtpcc-evaluation": "use four groups or more",
    "--sizes 5": "a message to 5 groups is not possible: there are only 3",
    "--sizes 0": "a message to 0 groups",
    "--sizes x": "--sizes: 'x' is no list of numbers",
    "--sizes 1,": "--sizes: '1,' is no list of numbers",
    "--keys 0": "0 keys",
    "--replicas 2": "groups of 2 replicas are not possible",
    "--replicas 0": "groups of 0 replicas are not possible",
    "--replicas 3 --log-period-ms 1": "leave --log-period-ms out",
    "--lost-groups 1 --replicas 3": "waits for ever for a group that is lost",
    "--outages 1 --replicas 3": "skeen waits for a group that is down: leave --outages out",
    "--outages -1": "-1 outages are not possible: use 0 or more",
    "--outages 1 --protocol propagation": "use --option failures=leave-out",
    "--outages 1 --protocol propagation --option failures=leave-out": "use --replicas 3",
    "--outages 1 --protocol adt --replicas 3": "no outage is possible with 3 groups: use more",
    "--outages 1 --protocol adt --groups 4 --replicas 3 --lost-groups 1": "beside 1 lost ones",
    "--protocol propagation --option failures=leave-out --option changes=yes": "needs changes=no",
    "--crashes -1": "-1 crashes need groups of 3",
    "--crashes 1": "1 crashes need groups of 3 replicas or more",
    "--rate 0": "--rate 0 is not possible",
    "--rate nan": "--rate nan is not possible",
    "--rate inf": "--rate inf is not possible",
    "--rate 1e-300": "--rate 1e-300 is not possible",
    "--cpu-us -1": "--cpu-us -1 is not possible",
    "--cpu-us inf": "--cpu-us inf is not possible",
    "--seed 99999999999999999999": "does not fit into 64 bits",
    "--packets some": "invalid choice: 'some'",
}


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """The one line that a command says about its bad input."""
    try:
        status = main([str(argument) for argument in arguments])
    except SystemExit as exit:
        status = exit.code
    printed = capsys.readouterr()
    assert status == 2
    assert printed.out == ""
    assert printed.err.startswith("amcast")
    assert printed.err.count("\n") == 1
    assert printed.err.endswith("\n")
    return printed.err


@pytest.mark.parametrize("wrong", WRONG_RUNS)
def test_a_run_that_is_not_possible(
    wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    protocol = () if "--protocol" in wrong else ("--protocol", "skeen")
    said = refusal(capsys, "sim", *protocol, *wrong.split(), "--out", tmp_path / "trace")
    assert WRONG_RUNS[wrong] in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("wrong", "missing"),
    [("sim --protocol skeen", "--out"), ("sim --out x", "--protocol"), ("check", "DIR"), ("", "")],
)
def test_something_is_missing(wrong: str, missing: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert missing in refusal(capsys, *wrong.split())


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("fuzz --protocol skeen --option eta=2", "skeen has no option 'eta': it has global_order"),
        ("fuzz --protocol ang --option eta=x --faults", "eta=x is no whole number"),
        ("fuzz --protocol ang --option eta", "'eta' is no choice: write name=value"),
        ("explore --protocol age --dst g1 --option skip=2", "skip=2 is not known: use yes or no"),
        ("explore --protocol generic --dst g1 --keys a --keys b", "2 --keys for 1 --dst"),
        ("explore --protocol generic --dst g1 --keys a,", "'a,' is no list of keys"),
    ],
)
def test_options_and_keys_that_are_not_possible(
    wrong: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reason in refusal(capsys, *wrong.split())


def test_a_directory_that_already_holds_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "trace"
    command = ("sim", "--protocol", "skeen", "--messages", "5", "--out", str(out))
    assert main(command) == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    capsys.readouterr()
    assert "already holds a run" in refusal(capsys, *command)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert list(tmp_path.iterdir()) == [out]


def test_a_directory_that_is_not_empty_or_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("keep me")
    command = ("sim", "--protocol", "skeen", "--out")
    assert "is not empty, it holds notes.txt" in refusal(capsys, *command, tmp_path)
    assert "is not a directory" in refusal(capsys, *command, tmp_path / "notes.txt")
    assert "is not a directory" in refusal(capsys, *command, tmp_path / "notes.txt" / "trace")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    assert (tmp_path / "notes.txt").read_text() == "keep me"


MULTICASTS = {
    "run": ["r"] * 2,
    "msg": ["c1:1", "c2:1"],
    "sender": ["c1", "c2"],
    "dst": [["g1", "g2"]] * 2,
    "at_us": [0, 0],
    "bytes": [1, 1],
}
DELIVERIES = {
    "run": ["r"] * 4,
    "process": ["g1/0", "g1/0", "g2/0", "g2/0"],
    "group": ["g1", "g1", "g2", "g2"],
    "seq": [0, 1, 0, 1],
    "msg": ["c1:1", "c2:1", "c1:1", "c2:1"],
    "at_us": [1, 2, 1, 2],
}


def write(directory: Path, **tables: dict[str, list[object]]) -> Path:
    for name, columns in {"multicasts": MULTICASTS, "deliveries": DELIVERIES, **tables}.items():
        pq.write_table(pa.table(columns), directory / f"{name}.parquet")
    return directory


def test_a_directory_without_a_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "does not exist" in refusal(capsys, "check", tmp_path / "nowhere")
    assert "has no multicasts table" in refusal(capsys, "check", tmp_path)
    file = tmp_path / "file"
    file.touch()
    assert "is not a directory" in refusal(capsys, "check", file)


def test_a_file_that_is_not_parquet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path)
    (tmp_path / "deliveries.parquet").write_text("msg,at_us\n")
    said = refusal(capsys, "check", tmp_path)
    assert f"{tmp_path / 'deliveries.parquet'} is not a Parquet file" in said


def test_a_missing_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, deliveries={k: v for k, v in DELIVERIES.items() if k != "seq"})
    assert "deliveries.parquet has no column seq" in refusal(capsys, "check", tmp_path)


def test_a_column_of_the_wrong_type(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, deliveries={**DELIVERIES, "seq": ["0", "1", "0", "1"]})
    assert "holds the column seq as string" in refusal(capsys, "check", tmp_path)


def test_a_group_that_has_no_processes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    processes = {"run": ["r"], "process": ["g1/0"], "group": ["g1"]}
    write(tmp_path, processes=processes)
    assert "group g2, which has no row in processes" in refusal(capsys, "check", tmp_path)


def test_a_violated_trace_is_no_bad_input_and_comes_with_a_witness(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    write(tmp_path)
    assert main(["check", str(tmp_path)]) == 0
    capsys.readouterr()
    write(tmp_path, deliveries={**DELIVERIES, "msg": ["c1:1", "c2:1", "c2:1", "c1:1"]})
    assert main(["check", str(tmp_path)]) == 1
    printed = capsys.readouterr().out
    assert "violated" in printed
    for part in ("c1:1 < c2:1 at g1/0", "c2:1 < c1:1 at g2/0"):
        assert part in printed


def test_a_trace_without_anything_to_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("multicasts", "deliveries"):
        pq.write_table(TABLES[name].schema().empty_table(), tmp_path / f"{name}.parquet")
    assert "so nothing was checked" in refusal(capsys, "check", tmp_path)


def test_the_directory_of_an_experiment_is_no_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "trace").mkdir()
    assert f"is in {tmp_path / 'trace'}" in refusal(capsys, "check", tmp_path)


INTERRUPTIBLE = """\
import signal, sys
from amcast.cli import main
# A shell may have started the tests with interrupts switched off.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main())
"""


def test_an_interrupted_run_leaves_nothing(tmp_path: Path) -> None:
    options = ("--protocol", "skeen", "--duration-s", "1e9", "--out", tmp_path / "trace")
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "sim", *options], stderr=subprocess.PIPE, text=True
    )
    try:
        deadline = time.monotonic() + 30
        while not any(tmp_path.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert [path.name for path in tmp_path.iterdir()] == [".trace.partial"]
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130
    assert said == "amcast sim: interrupted\n"
    assert list(tmp_path.iterdir()) == []
