"""Random Slang programs whose interface values hold interface values, with what they store.

    interface I0 { int get(int x); [mutating] void bump(int d); }     struct A : I0 { int2 a; uint8_t b; ... }
    interface I1 ...                                                  struct B : I1 { I0 a; I0 b[2]; Optional<I0> c; }
    main: variables of each interface, made, copied, passed on and changed under conditions that depend on the lane

A program is written and run at the same time: `Program.results` is what each lane stores, by an interpreter of a few
lines that knows objects with fields and nothing of sets, tags, unions or words.
"""

import random
from typing import Any, final

LANES = 8
_PLAIN = {
    "int": (-1000, 1000), "uint": (0, 1000), "int8_t": (-100, 100), "uint8_t": (0, 200), "int16_t": (-300, 300),
    "uint16_t": (0, 60000), "int64_t": (-1000, 1000), "float": (-100, 100), "half": (-100, 100), "double": (-100, 100),
    "bool": (0, 1),
}  # fmt: skip


@final
class Struct:
    """`fields` are (name, type); `level` of its interface, or -1 for one that only holds others."""

    def __init__(self, name: str, level: int, fields: list[tuple[str, str]]) -> None:
        self.name = name
        self.level = level
        self.fields = fields


def is_interface(type: str) -> bool:
    return type.startswith("I") and type[1:].isdigit()


class Program:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.structs: dict[str, Struct] = {}
        self.by_level: list[list[Struct]] = []
        self.lines: list[str] = []
        self.levels = self.random.randint(2, 3)
        for level in range(self.levels):
            self._level(level)
        self.lanes: list[dict[str, Any]] = [{} for _ in range(LANES)]
        self._main()

    # ---- types

    def _level(self, level: int) -> None:
        holder = None
        if level:
            fields = [(f"h{index}", self._field(level)) for index in range(self.random.randint(1, 2))]
            holder = Struct(f"H{level}", -1, fields)
            self.structs[holder.name] = holder
        made = []
        for index in range(self.random.randint(2, 3)):
            fields = [(f"f{number}", self._field(level)) for number in range(self.random.randint(1, 3))]
            if holder is not None and self.random.random() < 0.3:
                fields.append(("held", holder.name))
            struct = Struct(f"S{level}{index}", level, fields)
            self.structs[struct.name] = struct
            made.append(struct)
        self.by_level.append(made)

    def _field(self, level: int) -> str:
        roll = self.random.random()
        if level and roll < 0.6:
            inner = f"I{self.random.randrange(level)}"
            return self.random.choice([inner, inner, f"{inner}[2]", f"Optional<{inner}>"])
        if roll < 0.75:
            return f"{self.random.choice(['int', 'uint', 'float'])}{self.random.randint(2, 4)}"
        if roll < 0.85:
            return f"{self.random.choice(list(_PLAIN))}[2]"
        return self.random.choice(list(_PLAIN))

    # ---- values: text, and the same for each lane

    def value(self, type: str) -> tuple[str, list[Any]]:
        rng = self.random
        if is_interface(type):
            return self._object(rng.choice(self.by_level[int(type[1:])]))
        if type in self.structs:
            return self._object(self.structs[type])
        if type.endswith("[2]"):
            first, second = self.value(type[:-3]), self.value(type[:-3])
            return f"{{ {first[0]}, {second[0]} }}", [list(pair) for pair in zip(first[1], second[1], strict=True)]
        if type.startswith("Optional<"):
            if rng.random() < 0.3:
                return "none", [None] * LANES
            return self.value(type[9:-1])
        if type[:-1] in _PLAIN and type[-1] in "234" and type not in _PLAIN:
            parts = [self.value(type[:-1]) for _ in range(int(type[-1]))]
            text = ", ".join(part[0] for part in parts)
            return f"{type}({text})", [list(row) for row in zip(*[part[1] for part in parts], strict=True)]
        low, high = _PLAIN[type]
        start = rng.randint(low, high - LANES) if high > LANES else rng.randint(low, high)
        if type == "bool":
            return f"((t + {start}) & 1) == 1", [(lane + start) & 1 for lane in range(LANES)]
        return f"{type}(t + {start})", [lane + start for lane in range(LANES)]

    def _object(self, struct: Struct) -> tuple[str, list[Any]]:
        parts = [self.value(type) for _, type in struct.fields]
        found: list[Any] = []
        for lane in range(LANES):
            fields = {name: part[1][lane] for (name, _), part in zip(struct.fields, parts, strict=True)}
            found.append((struct, fields))
        return f"make{struct.name}({', '.join(part[0] for part in parts)})", found

    # ---- main

    def _main(self) -> None:
        rng = self.random
        names: list[tuple[str, str]] = []
        for number in range(rng.randint(2, 4)):
            type = f"I{rng.randrange(self.levels)}"
            text, values = self.value(type)
            names.append((f"v{number}", type))
            self.lines.append(f"{type} v{number} = {text};")
            self._store(f"v{number}", values, range(LANES))
        for _ in range(rng.randint(2, 7)):
            self._change(*rng.choice(names), names)
        self.results: list[int] = []
        for lane, variables in enumerate(self.lanes):
            self.results.append(sum((3 + index) * get(variables[name], lane) for index, (name, _) in enumerate(names)))
        self.lines.append(
            f"o[t] = {' + '.join(f'{3 + index} * {name}.get(t)' for index, (name, _) in enumerate(names))};"
        )

    def _store(self, name: str, values: list[Any], lanes: Any) -> None:
        for lane in lanes:
            self.lanes[lane][name] = copied(values[lane])

    def _change(self, name: str, type: str, names: list[tuple[str, str]]) -> None:
        rng = self.random
        bit = rng.choice([1, 2, 4])
        chosen = [lane for lane in range(LANES) if lane & bit]
        alike = [other for other, kind in names if kind == type]
        what = rng.randrange(5)
        if what == 0:
            by = rng.randint(1, 5)
            self.lines.append(f"if ((t & {bit}) != 0) {name}.bump({by});")
            for lane in chosen:
                bump(self.lanes[lane][name], by)
        elif what == 1:
            other = rng.choice(alike)
            self.lines.append(f"if ((t & {bit}) != 0) {name} = {other};")
            self._store(name, [variables[other] for variables in self.lanes], chosen)
        elif what == 2:
            one, other = rng.choice(alike), rng.choice(alike)
            self.lines.append(f"{name} = pick{type}({one}, {other}, (t & {bit}) != 0);")
            values = [self.lanes[lane][one if lane & bit else other] for lane in range(LANES)]
            self._store(name, [copied(value) for value in values], range(LANES))
        elif what == 3:
            self.lines.append(f"if ((t & {bit}) != 0) change{type}({name});")
            for lane in chosen:
                bump(self.lanes[lane][name], 2)
        else:
            text, values = self.value(type)
            self.lines.append(f"if ((t & {bit}) != 0) {name} = {text};")
            self._store(name, values, chosen)

    # ---- text

    def text(self) -> str:
        made = ["RWStructuredBuffer<int> o;"]
        for level in range(self.levels):
            made.append(f"interface I{level} {{ int get(int x); [mutating] void bump(int d); }}")
        for struct in self.structs.values():
            made.append(self._struct(struct))
        for level in range(self.levels):
            made.append(
                f"I{level} pickI{level}(I{level} a, I{level} b, bool first) {{ if (first) return a; return b; }}"
            )
            made.append(f"void changeI{level}(inout I{level} a) {{ a.bump(2); }}")
        body = "\n    ".join(["int t = int(id.x);", *self.lines])
        made.append(f'[shader("compute")] [numthreads({LANES}, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID)')
        made.append(f"{{\n    {body}\n}}\n")
        return "\n".join(made)

    def _struct(self, struct: Struct) -> str:
        base = f" : I{struct.level}" if struct.level >= 0 else ""
        fields = " ".join(_declared(name, type) + ";" for name, type in struct.fields)
        terms, bumps = [], []
        for index, (name, type) in enumerate(struct.fields):
            terms += [f"{2 + index} * ({term})" for term in self._terms(f"{name}", type)]
            bumps += self._bumps(name, type)
        params = ", ".join(_declared(f"p_{name}", type) for name, type in struct.fields)
        sets = " ".join(f"r.{name} = p_{name};" for name, _ in struct.fields)
        seed = int(struct.name[1:])
        return (
            f"struct {struct.name}{base}\n{{\n    {fields}\n"
            f"    int get(int x) {{ return {seed} + {' + '.join(terms)}; }}\n"
            f"    [mutating] void bump(int d) {{ {' '.join(bumps)} }}\n}}\n"
            f"{struct.name} make{struct.name}({params}) {{ {struct.name} r; {sets} return r; }}"
        )

    def _terms(self, name: str, type: str) -> list[str]:
        if type.endswith("[2]"):
            return [term for index in range(2) for term in self._terms(f"{name}[{index}]", type[:-3])]
        if type.startswith("Optional<"):
            return [f"{name}.hasValue ? {name}.value.get(x) : 5"]
        if is_interface(type) or type in self.structs:
            return [f"{name}.get(x)"]
        if type == "bool":
            return [f"{name} ? 1 : 0"]
        if type in _PLAIN:
            return [f"int({name})"]
        return [f"int({name}.{letter})" for letter in "xyzw"[: int(type[-1])]]

    def _bumps(self, name: str, type: str) -> list[str]:
        if type.endswith("[2]") and is_interface(type[:-3]):
            return [f"{name}[1].bump(d);"]
        if is_interface(type) or type in self.structs:
            return [f"{name}.bump(d);"]
        return [f"{name} += d;"] if type == "int" else []


def _declared(name: str, type: str) -> str:
    return f"{type[:-3]} {name}[2]" if type.endswith("[2]") else f"{type} {name}"


# ---- what it means


def get(value: Any, x: int) -> int:
    struct, fields = value
    total = int(struct.name[1:])
    for index, (name, type) in enumerate(struct.fields):
        total += (2 + index) * sum(_numbers(fields[name], type, x))
    return int(total)


def _numbers(value: Any, type: str, x: int) -> list[int]:
    if type.startswith("Optional<"):
        return [5 if value is None else get(value, x)]
    if isinstance(value, tuple):
        return [get(value, x)]
    if isinstance(value, list):
        inner = type[:-3] if type.endswith("[2]") else "int"
        return [number for part in value for number in _numbers(part, inner, x)]
    return [value]


def bump(value: Any, by: int) -> None:
    struct, fields = value
    for name, type in struct.fields:
        if type.endswith("[2]") and is_interface(type[:-3]):
            bump(fields[name][1], by)
        elif isinstance(fields[name], tuple) and not type.startswith("Optional<"):
            bump(fields[name], by)
        elif type == "int":
            fields[name] += by


def copied(value: Any) -> Any:
    if isinstance(value, tuple):
        return value[0], {name: copied(part) for name, part in value[1].items()}
    return [copied(part) for part in value] if isinstance(value, list) else value
