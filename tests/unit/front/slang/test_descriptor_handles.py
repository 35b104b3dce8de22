"""Descriptor handles are two words, and stand for elements of arrays of descriptors where slangc has them: bindings 0
to 2 (samplers, combined textures, the others) of the first set that is free (its user guide, "Descriptor handles")."""

import pytest
from kit import oracles

import reknit
from reknit.front.slang.compile import Settings, compile_slang
from reknit.ir import enums, op
from reknit.ir.constants import int_constant
from reknit.ir.module import Module
from reknit.ir.types import int_type
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

MAIN = '[shader("compute")] [numthreads(4, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID)\n'
OUT = "RWStructuredBuffer<int> o;\n"


def compiled(source: str) -> Module:
    module = compile_slang(source, "a.slang", Settings())
    assert oracles.validate(write_module(module)) == (True, "")
    return module


def places(module: Module) -> dict[str, tuple[int, int]]:
    """Sets and bindings of the heaps."""
    found: dict[str, dict[int, int]] = {}
    for mark in module.decorations:
        target = mark.operands[0]
        name = getattr(target, "name", "")
        if mark.op == op.Decorate and name.endswith(".heap") and len(mark.operands) > 2:
            found.setdefault(name, {})[mark.word(1)] = mark.word(2)
    return {
        name: (marks[enums.DecorationDescriptorSet], marks[enums.DecorationBinding]) for name, marks in found.items()
    }


def test_where_the_heaps_are() -> None:
    used = "o[id.x] = int((*t)[id.xy].x + t.SampleLevel(s, float2(0), 0).x + c.SampleLevel(float2(0), 0).x + u.x);"
    handles = "uniform Texture2D.Handle t; uniform SamplerState.Handle s; uniform Sampler2D.Handle c;\n"
    module = compiled(f"{OUT}{handles}uniform ConstantBuffer<float4>.Handle u;\n{MAIN}{{ {used} }}")
    assert places(module) == {
        "Texture2D.heap": (1, 2), "SamplerState.heap": (1, 0), "Sampler2D.heap": (1, 1), "ConstantBuffer.heap": (1, 2)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("declared", "free"),
    [(OUT, 1), ("[[vk::binding(0, 3)]] " + OUT, 0), (OUT + "struct S { Buffer<int> b; }\nParameterBlock<S> p;\n", 2)],
)
def test_the_first_set_that_is_free(declared: str, free: int) -> None:
    used = "o[0] = given[0]; " + ("o[1] = p.b[0];" if "ParameterBlock" in declared else "")
    main = MAIN.replace(")\n", ", uniform Buffer<int>.Handle given)\n")
    assert places(compiled(f"{declared}{main}{{ {used} }}")) == {"Buffer.heap": (free, 2)}


BOUND = f"""struct Info {{ RWStructuredBuffer<int>.Handle data; uint at; }}
StructuredBuffer<Info> infos;
{OUT}"""
USES = (
    "o[id.x] = info.data[info.at];",
    "RWStructuredBuffer<int> data = info.data; o[id.x] = data[info.at];",
    "o[id.x] = getDescriptorFromHandle(info.data)[info.at];",
    "RWStructuredBuffer<int> data = ResourceDescriptorHeap[uint2(info.data).x]; o[id.x] = data[info.at];",
    "RWStructuredBuffer<int>.Handle data = ResourceDescriptorHeap[uint2(info.data).x]; o[id.x] = data[info.at];",
    "o[id.x] = nonuniform(info.data).Load(int(info.at));",
    "o[id.x] = info.data == infos[3].data ? 7 : (*info.data)[info.at];",
)


@pytest.mark.parametrize("used", USES)
def test_what_is_read_through_a_handle(used: str) -> None:
    """Handles 1, 0, 1 and 2 with places 0, 1, 2 and 0 of buffers 10 11 12, 20 21 22 and 30 31 32: 20, 11, 22 and 30. No
    device has arrays of any length, so the heap gets three buffers here."""
    module = compiled(f"{BOUND}{MAIN}{{ Info info = infos[id.x]; {used} }}")
    heap = next(each for each in module.globals if each.name == "RWStructuredBuffer.heap")
    assert heap.type is not None
    array = heap.type.instr(1)
    fixed = module.intern(op.TypeArray, None, [array.instr(0), int_constant(module, int_type(module, 32, False), 3)])
    heap.type.set_operands([heap.type.word(0), fixed])
    infos = [1, 0, 0, 0, 0, 1, 1, 0, 2, 2, 0, 0]
    heaps = {f"RWStructuredBuffer.heap[{n}]": [10 * n + 10, 10 * n + 11, 10 * n + 12] for n in range(3)}
    words = [word for n in range(4) for word in (*infos[3 * n : 3 * n + 3], 0)]
    result = reknit.run(module, subgroup_size=4, buffers={"infos": words, "o": [0] * 4, **heaps})
    assert list(result.buffers["o"].words) == [20, 11, 22, 7 if "==" in used else 30]


def test_handles_lie_in_memory_as_two_words() -> None:
    assert str(compiled(f"{BOUND}{MAIN}{{ o[0] = sizeof(Info); o[1] = int(infos[0].at); }}"))
    module = compiled(f"{BOUND}{MAIN}{{ o[0] = int(infos[1].at); }}")
    result = reknit.run(module, buffers={"infos": [0, 0, 7, 0, 0, 0, 9, 0], "o": [0]})
    assert list(result.buffers["o"].words) == [9]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("uniform RaytracingAccelerationStructure.Handle h;\n", "is no descriptor of a heap here"),
        (
            "T getDescriptorFromHandle<T : IOpaqueDescriptor>(DescriptorHandle<T> h) { return h; }\n"
            "uniform Buffer<int>.Handle h;\n",
            "not supported: a `getDescriptorFromHandle` of the source's own",
        ),
    ],
)
def test_what_is_refused(source: str, said: str) -> None:
    used = "o[0] = h[0];" if "Buffer<int>" in source else "RayQuery<0> q; q.TraceRayInline(h, 0, 0, {});"
    with pytest.raises(InputError, match=said):
        compile_slang(f"{OUT}{source}{MAIN}{{ {used} }}", "a.slang", Settings())


def test_a_heap_of_the_other_kind() -> None:
    with pytest.raises(InputError, match="expected an expression of type 'SamplerState', got 'UntypedResourceHandle'"):
        compile_slang(f"{OUT}{MAIN}{{ SamplerState s = ResourceDescriptorHeap[0]; }}", "a.slang", Settings())
