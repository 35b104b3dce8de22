"""PIPELINE ... END: what is attached and bound.

ATTACH s ENTRY_POINT main SPECIALIZE 1 AS uint32 4
BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 1
SUBGROUP s REQUIRED_SIZE 8 END
"""

from typing import Final

from reknit.front.amber.lexer import Lexer, Line, outside, syntax
from reknit.front.amber.script import PUSH, Binding, Pipeline, Script
from reknit.front.amber.types import FLOAT, amber_type

KINDS: Final = ("storage", "uniform", "storage_dynamic", "uniform_dynamic")
SKIPPED: Final = ("SHADER_OPTIMIZATION", "COMPILE_OPTIONS")


def parse_pipeline(lexer: Lexer, head: Line, script: Script, name: str, parent: Pipeline | None) -> None:
    """The lines up to END; `parent` is what the pipeline is derived from. Raises InputError."""
    pipeline = Pipeline(name) if parent is None else parent.copy(name)
    while True:
        line = lexer.next()
        if line is None:
            raise syntax(f"{head.text!r} has no END", head.place)
        word = line.next("a statement")
        if word.text == "END":
            break
        if word.text == "ATTACH":
            attach(line, script, pipeline)
        elif word.text == "BIND":
            bind(line, script, pipeline)
        elif word.text == "SUBGROUP":
            subgroup(lexer, line, pipeline)
        elif word.text in SKIPPED:
            raise outside(word.text, word.place)
        elif word.text in ("FRAMEBUFFER_SIZE", "VIEWPORT"):
            continue  # of no meaning to a dispatch
        else:
            raise outside(word.text, word.place)
        line.end()
    if not pipeline.shader:
        raise syntax(f"pipeline {name!r} has no shader", head.place)
    script.pipelines[name] = pipeline


def attach(line: Line, script: Script, pipeline: Pipeline) -> None:
    shader = line.next("a shader")
    if shader.text not in script.shaders:
        raise syntax(f"there is no shader {shader.text!r}", shader.place)
    pipeline.shader = shader.text
    if line.take("TYPE"):
        kind = line.next("a kind of shader")
        if kind.text != "compute":
            raise outside(f"ATTACH ... TYPE {kind.text}", kind.place)
    if line.take("ENTRY_POINT"):
        pipeline.entry = line.next("a name").text
    while line.take("SPECIALIZE"):
        number = line.integer("the constant's id")
        if not line.take("AS"):
            raise syntax("SPECIALIZE has no AS", line.place)
        name = line.next("a type")
        type = amber_type(name.text, "STD430", {})
        if type is None or len(type.components) != 1:
            raise syntax(f"a constant of type {name.text}", name.place)
        value = line.number("the value")
        pipeline.spec[number] = float(value) if type.components[0].kind == FLOAT else value


def bind(line: Line, script: Script, pipeline: Pipeline) -> None:
    what = line.next("BUFFER")
    if what.text not in ("BUFFER", "BUFFER_ARRAY"):
        raise outside(f"BIND {what.text}", what.place)
    names: list[str] = []
    while line.peek() and line.peek() not in ("AS", "KERNEL", "DESCRIPTOR_SET"):
        token = line.next("a buffer")
        if token.text not in script.buffers:
            raise syntax(f"there is no buffer {token.text!r}", token.place)
        names.append(token.text)
        if what.text == "BUFFER":
            break
    if not names:
        raise syntax("BIND names no buffer", line.place)
    if line.peek() == "KERNEL":
        raise outside("BIND ... KERNEL, for OpenCL,", line.place)
    kind = "storage"
    if line.take("AS"):
        token = line.next("what the buffer is bound as")
        kind = token.text
        if kind == PUSH:
            pipeline.bindings = [binding for binding in pipeline.bindings if binding.kind != PUSH]
            pipeline.bindings.append(Binding(names[0], PUSH, -1, -1))
            return
        if kind not in KINDS:
            raise outside(f"BIND BUFFER AS {kind}", token.place)
    if line.peek() == "KERNEL":
        raise outside("BIND ... KERNEL, for OpenCL,", line.place)
    if not line.take("DESCRIPTOR_SET"):
        raise syntax("BIND has no DESCRIPTOR_SET", line.place)
    set = line.integer("the set")
    if not line.take("BINDING"):
        raise syntax("BIND has no BINDING", line.place)
    number = line.integer("the binding")
    given: dict[str, list[int]] = {"OFFSET": [], "DESCRIPTOR_OFFSET": [], "DESCRIPTOR_RANGE": []}
    while line.peek() in given:
        word = line.next("").text
        given[word] = [line.integer(f"what {word} is") for _ in names]
    pipeline.bindings = [binding for binding in pipeline.bindings if (binding.set, binding.binding) != (set, number)]
    for at, name in enumerate(names):
        offset = sum(given[word][at] for word in ("OFFSET", "DESCRIPTOR_OFFSET") if given[word])
        size = given["DESCRIPTOR_RANGE"][at] if given["DESCRIPTOR_RANGE"] else -1
        pipeline.bindings.append(Binding(name, kind, set, number, at, offset, size))


def subgroup(lexer: Lexer, head: Line, pipeline: Pipeline) -> None:
    """A required size is taken over; MIN and MAX are a device's own, and full subgroups are asked for anyway."""
    head.next("a shader")
    head.end()
    while True:
        line = lexer.next()
        if line is None:
            raise syntax("SUBGROUP has no END", head.place)
        if line.take("END"):
            return
        word = line.next("a setting")
        if word.text == "REQUIRED_SIZE":
            if not (line.take("MIN") or line.take("MAX")):
                pipeline.subgroup_size = line.integer("the size")
        elif word.text in ("FULLY_POPULATED", "VARYING_SIZE"):
            line.next("on or off")
        else:
            raise syntax(f"there is no setting {word.text!r}", word.place)
        line.end()
