"""Random pipelines of 1 to 8 passes with options, over random programs of all families (`kit.random.pipelines`).

Every pass verifies, what is written is valid by spirv-val and by our own rules, and no outcome is new: 60 programs, and
5,000 with --full. `PYTHONPATH=tests python -m kit.random.pipelines FROM TO` goes through other seeds.
"""

from kit.oracles import need
from kit.random.pipelines import FAMILIES, counted, one

from reknit.passes.catalog import catalog
from reknit.passes.pipeline_text import pipeline_text

CI = 60
FULL = 5_000


def test_random_pipelines(full: bool) -> None:
    need("slang-glslang")
    counts: dict[str, int] = {}
    faults: list[str] = []
    for seed in range(FULL if full else CI):
        program, specs, fault = one(seed, counts)
        if fault is not None:
            faults.append(f"seed {seed}, {program.name}, subgroup size {program.size}, {pipeline_text(specs)}: {fault}")
    assert faults == []
    assert counts["refused"] > CI // 4, "the order check refuses what can't be"
    assert all(counts.get(family.__name__, 0) > 0 for family in FAMILIES)


def test_every_pass_with_every_option_is_drawn() -> None:
    """As the first hundreds of seeds give them: none is left out, nor any choice of an option."""
    seen: dict[str, None] = {}
    for seed in range(400):
        for spec in counted(seed, {}):
            for name, value in spec.options.items():
                seen[f"{spec.transform.name} {name}={value}"] = None
            seen[spec.transform.name] = None
    for name, transform in catalog().items():
        assert name in seen
        for option in transform.options:
            for choice in option.choices:
                assert f"{name} {option.name}={choice}" in seen
