"""The signature of every function that has a meaning by its name: all calls are checked before anything is lowered.

    llvm.ctlz.i32(i32, i1)          i : = i1.!          the second operand is a constant
    _Z8vstore4Dv4_fmPU3AS1f         v : x^4 i. p(a)     and by its own mangling: a vector of four, 64 bits, a pointer
    dx.op.binary.i32(i32 37, ...)   37|binary|hfwdil|$o|$o $o       DXC's table of operations (dxil_table.txt)

LLVM checks a call against its declaration only, and a declaration of a function that LLVM doesn't know can say
anything. The words are those of `ir.extended`. A function without a row is not checked here: lowering refuses it where
its name is mangled or an intrinsic's, and any other is an imported function.
Sources: LLVM Language Reference; OpenCL C 3.0, 6.15; LLVM, IntrinsicsAMDGPU.td, IntrinsicsNVVM.td, IntrinsicsSPIRV.td,
IntrinsicsDirectX.td; DXC, utils/hct/hctdb.py; Itanium C++ ABI, 5.1.
"""

import os
import re
from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.dxil_operations import title
from reknit.front.llvm.syntax import Operand, Statement, Type
from reknit.front.llvm.unsupported import Refusal
from reknit.ir.extended import (
    FLOAT,
    INT,
    NOTHING,
    OTHER,
    POINTER,
    STRUCT,
    VOID,
    Given,
    Shape,
    Signature,
    Surroundings,
    misfit,
    parsed,
)
from reknit.source.digits import saturated

_LLVM: Final = """
    i : =               ctpop bitreverse bswap
    i : = i1.!          ctlz cttz abs
    i : = = =           fshl fshr
    i : = =             umin umax smin smax uadd.sat sadd.sat usub.sat ssub.sat ushl.sat sshl.sat
    {i i1_} : = =       uadd.with.overflow sadd.with.overflow usub.with.overflow ssub.with.overflow
    {i i1_} : = =       umul.with.overflow smul.with.overflow
    i : i_ ~            scmp ucmp
    f : =               fabs sqrt floor ceil trunc rint nearbyint round roundeven canonicalize arithmetic.fence
    f : =               sin cos tan asin acos atan sinh cosh tanh exp exp2 exp10 log log2 log10
    f : = =             minnum maxnum minimum maximum minimumnum maximumnum copysign pow atan2
    f : = = =           fma fmuladd
    f : = i_            ldexp
    f : = i32.          powi
    {f i_} : =          frexp
    i1_ : f_ i32.!      is.fpclass
    i : f_              fptosi.sat fptoui.sat
    i8/16/32/64 : f_    lrint llrint lround llround
    i. : i^'            vector.reduce.add vector.reduce.mul vector.reduce.and vector.reduce.or vector.reduce.xor
    i. : i^'            vector.reduce.umin vector.reduce.umax vector.reduce.smin vector.reduce.smax
    f. : = f^'          vector.reduce.fadd vector.reduce.fmul
    f. : f^'            vector.reduce.fmin vector.reduce.fmax vector.reduce.fminimum vector.reduce.fmaximum
    i1. : a             is.constant
    i : = =             expect
    i : = = f64.!       expect.with.probability
    a : a               ssa.copy
    p(a) : =            launder.invariant.group strip.invariant.group threadlocal.address
    i : = p(a) p(a) i32.            annotation
    p(a) : = p(a) p(a) i32. p(a)    ptr.annotation
    i. : p(a) i1.! i1.! i1.!        objectsize
    v : p(a) p(a) i. i1.!           memcpy memmove
    v : p(a) i8. i. i1.!            memset
"""
_VENDORS: Final = """
    i32. :          workitem.id.x workitem.id.y workitem.id.z workgroup.id.x workgroup.id.y workgroup.id.z
    i32. :          read.ptx.sreg.tid.x read.ptx.sreg.tid.y read.ptx.sreg.tid.z
    i32. :          read.ptx.sreg.ctaid.x read.ptx.sreg.ctaid.y read.ptx.sreg.ctaid.z
    i32. :          read.ptx.sreg.ntid.x read.ptx.sreg.ntid.y read.ptx.sreg.ntid.z
    i32. :          read.ptx.sreg.nctaid.x read.ptx.sreg.nctaid.y read.ptx.sreg.nctaid.z
    i32. :          read.ptx.sreg.laneid read.ptx.sreg.warpsize read.ptx.sreg.warpid wavefrontsize activemask
    i32/64. :       flattened.thread.id.in.group subgroup.id num.subgroups subgroup.local.invocation.id subgroup.size
    i32/64. :       wave.getlaneindex wave.get.lane.index wave.get.lane.count
    i32/64. : i32.!     thread.id thread.id.in.group group.id num.workgroups global.id workgroup.size workgroup.size.x
    i32. : i32. i32.    mbcnt.lo mbcnt.hi ds.bpermute
    i32/64. : i1.       ballot
    a : i1.             wave.ballot subgroup.ballot
    a : i32. i1.        vote.ballot.sync vote.any.sync vote.all.sync vote.uni.sync
    i1. : i1.           wave.any wave.all
    i1. :               wave.is.first.lane
    x : =               readfirstlane wave.readlane.first wave.read.lane.first
    x : = i32.          readlane wave.readlane wave.shuffle subgroup.shuffle
    x. : i32. = i32. i32.   shfl.sync.idx shfl.sync.bfly shfl.sync.down shfl.sync.up
    i32. : i1.          wave.active.countbits wave.active.count.bits wave.prefix.bit.count
    x : =               wave.reduce.sum wave.reduce.usum wave.product wave.uproduct wave.bit.or wave.bit.and
    x : =               wave.bit.xor wave.prefix.sum wave.prefix.usum wave.prefix.product wave.prefix.uproduct
    x : = i32.?         wave.reduce.add wave.reduce.fadd wave.reduce.min wave.reduce.max wave.reduce.umin
    x : = i32.?         wave.reduce.umax wave.reduce.and wave.reduce.or wave.reduce.xor wave.reduce.uadd
    i32. : = i32.       redux.sync.add redux.sync.min redux.sync.max redux.sync.umin redux.sync.umax
    i32. : = i32.       redux.sync.and redux.sync.or redux.sync.xor
    v : i32.            bar.warp.sync
"""
_OPENCL: Final = """
    i32/64. : i32.      get_global_id get_local_id get_group_id get_num_groups get_local_size get_enqueued_local_size
    i32/64. : i32.      get_global_size get_global_offset
    i32/64. :           get_global_linear_id get_local_linear_id
    i32/64. :           get_work_dim get_sub_group_local_id get_sub_group_size get_max_sub_group_size get_sub_group_id
    i32/64. :           get_num_sub_groups get_enqueued_num_sub_groups
    i32^4 :             get_sub_group_eq_mask get_sub_group_ge_mask get_sub_group_gt_mask get_sub_group_le_mask
    i32^4 :             get_sub_group_lt_mask
    v : i32. i32.?      barrier work_group_barrier sub_group_barrier mem_fence read_mem_fence write_mem_fence
    v : i32. i32. i32.  atomic_work_item_fence
    x^ : x^' i^-_       shuffle
    x^ : x^' ~ i^-_     shuffle2
    f : =               sqrt rsqrt fabs floor ceil trunc rint round degrees radians sign sin cos tan asin acos atan
    f : =               sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 log1p sinpi cospi tanpi
    f : =               asinpi acospi atanpi recip clspv.fract normalize fast_normalize
    f : = =             atan2 atan2pi pow powr fmod hypot fdim divide copysign maxmag minmag nextafter
    f : = s             fmin fmax
    f : = = =           fma mad
    f : = = s           mix
    f : s =             step
    f : s s =           smoothstep
    f. : f'             length fast_length
    f. : f' ~           distance fast_distance dot
    f^3/4 : = =         cross
    i : f_ ~            isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater
    i : f_ ~            isordered isunordered
    i : f_              isnan isinf isfinite isnormal signbit
    f : = i_            pown
    f : = i             ldexp
    i : =               abs clz ctz popcount
    i : = =             abs_diff add_sat sub_sat hadd rhadd mul_hi rotate mul24
    i : = = =           mad_hi mad_sat mad24
    i : h ~             upsample
    x : = s             min max
    x : = s s           clamp
    i32. : i            any all
    x : = = =           bitselect
    x : = = i-_         select
    f : = p(a)          sincos fract modf frexp
    p(a) : p(a)         __to_global __to_local __to_private
    i32. : p(a) a*      printf
    x : =               sub_group_broadcast_first
    x : = i32.          sub_group_shuffle sub_group_shuffle_xor sub_group_shuffle_up sub_group_shuffle_down
    x : = i32.          sub_group_broadcast sub_group_non_uniform_broadcast intel_sub_group_shuffle
    x : = i32.          intel_sub_group_shuffle_xor sub_group_rotate
    i32. : i32.         sub_group_all sub_group_any sub_group_non_uniform_all sub_group_non_uniform_any
    i32. :              sub_group_elect
    i32^4 : i32.        sub_group_ballot
    i32. : i32^4        sub_group_inverse_ballot sub_group_ballot_find_lsb sub_group_ballot_find_msb
    i32. : i32^4        sub_group_ballot_bit_count sub_group_ballot_inclusive_scan sub_group_ballot_exclusive_scan
    i32. : i32^4 i32.   sub_group_ballot_bit_extract
    a : p(a) p(a) i. a      async_work_group_copy
    a : p(a) p(a) i. i. a   async_work_group_strided_copy
    v : i32. a          wait_group_events
    v : p(a) i.         prefetch
"""
_FAMILIES: Final = [(re.compile(form), row) for form, row in (
    (r"convert_(?:u?(?:char|short|int|long)|half|float|double)\d*(?:_sat)?(?:_rt[ezpn])?", "x : x_"),
    (r"(?:__clspv_)?vload(2|3|4|8|16)", "x^N : i. p(a)"),
    (r"(?:__clspv_)?vloada?_half", "f32/64. : i. p(a)"),
    (r"(?:__clspv_)?vloada?_half_?(2|3|4|8|16)", "f32/64^N : i. p(a)"),
    (r"(?:__clspv_)?vstore(2|3|4|8|16)", "v : x^N i. p(a)"),
    (r"(?:__clspv_)?vstorea?_half(?:_rt[ezpn])?", "v : f32/64. i. p(a)"),
    (r"(?:__clspv_)?vstorea?_half_?(2|3|4|8|16)(?:_rt[ezpn])?", "v : f32/64^N i. p(a)"),
    (r"(?:__clspv_)?v(?:load|store).*", "!"),
    (r"atom(?:ic)?_(?:inc|dec)", "i. : p(a)"),
    (r"atom(?:ic)?_(?:add|sub|min|max|and|or|xor)", "i. : p(a) ="),
    (r"atom(?:ic)?_xchg", "x. : p(a) ="),
    (r"atom(?:ic)?_cmpxchg", "i. : p(a) = ="),
    (r"atomic_(?:fetch_(?:add|sub|min|max|and|or|xor)|exchange)", "x. : p(a) x.-"),
    (r"atomic_(?:fetch_(?:add|sub|min|max|and|or|xor)|exchange)_explicit", "x. : p(a) x.- i32. i32.?"),
    (r"atomic_load", "x. : p(a)"),
    (r"atomic_load_explicit", "x. : p(a) i32. i32.?"),
    (r"atomic_(?:store|init)", "v : p(a) x."),
    (r"atomic_store_explicit", "v : p(a) x. i32. i32.?"),
    (r"atomic_compare_exchange_(?:strong|weak)", "a : p(a) p(a) i."),
    (r"atomic_compare_exchange_(?:strong|weak)_explicit", "a : p(a) p(a) i. i32. i32. i32.?"),
    (r"sub_group_(?:non_uniform_)?(?:reduce|scan_exclusive|scan_inclusive)_logical_(?:and|or|xor)", "i32. : i32."),
    (r"sub_group_(?:non_uniform_)?(?:reduce|scan_exclusive|scan_inclusive)_(?:add|mul|min|max|and|or|xor)", "x : ="),
    (r"spirv\.op\..*", "a : i32.! a*"),
)]
_MATH_PREFIXES: Final = ("native_", "half_")
_INTEGER_DOT: Final = re.compile(r"dot(_acc_sat)?(_4x8packed_[us][us]_u?int)?")
_VENDOR_PREFIXES: Final = ("llvm.amdgcn.", "llvm.nvvm.", "llvm.spv.", "llvm.dx.")
_TYPES: Final = re.compile(r"(\.(nx)?(v\d+)?([if]\d+|bf16|p\d+))+$")
_MANGLED: Final = re.compile(r"_Z(\d+)([\w.]+)")
_AROUND: Final = Surroundings(0, [])

# --- the types of LLVM ------------------------------------------------------------------------------------------------


def shape_of(type: Type, deep: int = 1) -> Shape:
    """A type as signatures look at it."""
    element = type.parts[0] if type.kind == syntax.VECTOR else type
    if element.kind == syntax.INT or (element.kind == syntax.FLOAT and element.name != "bfloat"):
        shape = Shape(INT if element.kind == syntax.INT else FLOAT, element.width, 1)
        if type.kind == syntax.VECTOR:
            shape.count = type.count
    elif type.kind == syntax.PTR:
        shape = Shape(POINTER)
    elif type.kind == syntax.STRUCT:
        shape = Shape(STRUCT, 0, len(type.parts))
        shape.parts = [shape_of(part, deep - 1) for part in type.parts[:2]] if deep else []
    else:
        shape = Shape(VOID if type.kind == syntax.VOID else OTHER)
    shape.name = type.name
    return shape


def _operand(operand: Operand) -> Shape:
    if operand.kind == syntax.META:
        shape = Shape(OTHER)
        shape.name = "metadata"
        return shape
    shape = shape_of(operand.type)
    shape.constant = operand.kind in (syntax.NUMBER, syntax.ZERO)
    return shape


# --- which signature --------------------------------------------------------------------------------------------------

_KNOWN: Final[dict[str, dict[str, Signature]]] = {}


def table(text: str) -> dict[str, Signature]:
    """A table's signatures by name: read when one is first asked for."""
    known = _KNOWN.get(text)
    if known is None:
        known = _KNOWN[text] = {}
        for line in text.split("\n"):
            row, _, names = line.strip().partition("  ")
            for name in names.split():
                known[name] = parsed(row)
    return known


def demangled(name: str) -> tuple[str, str]:
    """("get_global_id", "j") of `_Z13get_global_idj`; the name itself and "" of anything else."""
    match = _MANGLED.fullmatch(name)
    length = saturated(match[1]) if match is not None else 0
    if match is None or length > len(match[2]):
        return name, ""
    return match[2][:length], match[2][length:]


def signature_of(name: str, of_floats: bool) -> Signature | None:
    """That of a built-in function of OpenCL or of clspv, by its name without mangling."""
    known = table(_OPENCL)
    plain = name
    for prefix in _MATH_PREFIXES:
        plain = plain.removeprefix(prefix)
    if not of_floats and _INTEGER_DOT.fullmatch(name) is not None:
        return None
    if plain in known:
        return known[plain]
    for form, row in _FAMILIES:
        match = form.fullmatch(name)
        if match is not None:
            return parsed(row.replace("N", match[1] if match.re.groups else ""))
    return None


def check_call(statement: Statement) -> None:
    """Raises Refusal, naming the callee, the operand, what was expected and what is given, for a call of a function
    that has a meaning by its name and whose operands or result are not those that it has."""
    name = statement.callee
    if name.startswith("dx.op."):
        _check_operation(statement)
        return
    if name.startswith(_VENDOR_PREFIXES):
        plain = _TYPES.sub("", next(name[len(start) :] for start in _VENDOR_PREFIXES if name.startswith(start)))
        _check(statement, table(_VENDORS).get(plain))
        return
    if name.startswith("llvm."):
        _check(statement, table(_LLVM).get(_TYPES.sub("", name.removeprefix("llvm.")).rstrip(".")))
        return
    plain, mangled = demangled(name)
    _check_mangled(statement, mangled)
    first = statement.operands[0].type if statement.operands else statement.type
    element = first.parts[0] if first.kind == syntax.VECTOR else first
    _check(statement, signature_of(plain, element.kind == syntax.FLOAT), True)


def _check(statement: Statement, signature: Signature | None, of_opencl: bool = False) -> None:
    """OpenCL's functions take integers of 8, 16, 32 and 64 bits alone."""
    if signature is None:
        return
    if signature.withdrawn:
        raise Refusal(f"calls @{statement.callee}, which is no function of OpenCL")
    given: list[Given] = [_operand(operand) for operand in statement.operands]
    result = shape_of(statement.type)
    for shape in [result, *given] if of_opencl else []:
        if isinstance(shape, Shape) and shape.kind == INT and shape.width not in (8, 16, 32, 64):
            shape.kind = OTHER
    wrong = misfit(signature, result, given, _AROUND, [])
    if wrong:
        raise _refusal(statement, wrong)


def _refusal(statement: Statement, wrong: str) -> Refusal:
    """`wrong` is as `misfit` says it: " takes ...", ": operand 2 is ..." or ": the result is ..."."""
    if not wrong.startswith(": "):
        return Refusal(f"calls @{statement.callee}, which{wrong}")
    return Refusal(f"calls @{statement.callee}, whose {wrong[2:].removeprefix('the ')}")


# --- mangled names ----------------------------------------------------------------------------------------------------

_LETTERS: Final = {
    "c": "i8.", "a": "i8.", "h": "x8/16.", "s": "i16.", "t": "i16.", "i": "i32.", "j": "i32.", "l": "i64.", "m": "i64.",
    "x": "i64.", "y": "i64.", "f": "f32.", "d": "f64.", "Dh": "f16.", "b": "i1/8.",
}  # fmt: skip
"""`h` is a half as well, where a compiler takes it for the letter of a byte."""
_VECTOR: Final = re.compile(r"Dv(\d+)_(Dh|[a-z])")
_POINTER: Final = re.compile(r"P(?:P|U\d+AS\d+|U7_Atomic|[VKr])*")
_NAMED: Final = re.compile(r"\d+")
_SUBSTITUTED: Final = re.compile(r"S[0-9A-Z]*_")


def mangled_types(text: str) -> list[str] | None:
    """The words of parameters as a mangled name has them: `a` for what isn't looked into; None for what isn't read."""
    words: list[str] = []
    at = 0
    while at < len(text):
        end, word = _mangled_type(text, at)
        if end == at or len(words) > 64:
            return None
        words.append(word)
        at = end
    return [] if words == ["v"] else words


def _mangled_type(text: str, at: int) -> tuple[int, str]:
    vector = _VECTOR.match(text, at)
    if vector is not None:
        word = _LETTERS.get(vector[2], "")
        return (vector.end(), word.replace(".", f"^{saturated(vector[1])}")) if word else (at, "")
    pointer = _POINTER.match(text, at)
    if pointer is not None:  # pointers to pointers too
        end, _ = _mangled_type(text, pointer.end())
        return (end, "p(a)") if end > pointer.end() else (at, "")
    named = _NAMED.match(text, at)
    if named is not None:  # an image, an event, a struct
        end = named.end() + saturated(named[0])
        return (end, "a") if end <= len(text) else (at, "")
    substituted = _SUBSTITUTED.match(text, at)
    if substituted is not None:
        return substituted.end(), "a"
    if text[at] == "v":
        return at + 1, "v"
    letters = text[at : at + 2] if text[at] == "D" else text[at]
    word = _LETTERS.get(letters, "")
    return (at + len(letters), word) if word else (at, "")


def _check_mangled(statement: Statement, mangled: str) -> None:
    words = mangled_types(mangled) if mangled else None
    if words is None:
        return
    given: list[Given] = [_operand(operand) for operand in statement.operands]
    wrong = misfit(parsed(f"a : {' '.join(words)}"), Shape(OTHER), given, _AROUND, [])
    if wrong:
        raise _refusal(statement, wrong)


# --- operations of DXIL -----------------------------------------------------------------------------------------------

_OVERLOADS: Final = {"h": "f16", "f": "f32", "d": "f64", "1": "i1", "8": "i8", "w": "i16", "i": "i32", "l": "i64"}
_PLAIN: Final = {
    "v": "v", "i1": "i1.", "i8": "i8.", "u8": "i8.", "i16": "i16.", "i32": "i32.", "u32": "i32.", "i64": "i64.",
    "f": "f32.", "h": "f16.", "d": "f64.", "pf32": "p(a)", "res": "a",
}  # fmt: skip
_OPERATIONS: Final[dict[int, list[str]]] = {}


def operations() -> dict[int, list[str]]:
    """DXC's rows by an operation's number: its function, overloads, result and operands."""
    if not _OPERATIONS:
        with open(os.path.join(os.path.dirname(__file__), "dxil_table.txt"), encoding="utf-8") as file:
            for line in file.read().splitlines()[1:]:
                number, *rest = line.split("|")
                _OPERATIONS[int(number)] = rest
    return _OPERATIONS


def _check_operation(statement: Statement) -> None:
    if not statement.operands or statement.operands[0].kind not in (syntax.NUMBER, syntax.ZERO):
        raise Refusal(f"calls @{statement.callee} without the number of an operation of DXIL")
    row = operations().get(statement.operands[0].number)
    if row is None:
        return  # lowering says which it is, and that it isn't read
    function, overloads, result, operands = row
    number = statement.operands[0].number
    if statement.callee.removeprefix("dx.op.").partition(".")[0].lower() != function.lower():
        raise Refusal(f"calls @{statement.callee} for operation {title(number)}")
    words = operands.split()
    given: list[Given] = [_operand(operand) for operand in statement.operands]
    overload = _overload(result, words, statement)
    allowed = [_OVERLOADS[letter] for letter in overloads.replace("<", "") if letter in _OVERLOADS]
    if allowed and overload.is_numeric() and not any(_is(overload, word) for word in allowed):
        raise Refusal(f"calls @{statement.callee} for {overload.shown()}, for which there is no operation {number}")
    known = [_operation_word(word, overload) for word in words]
    wrong = misfit(parsed(f"a : i32. {' '.join(known)}"), Shape(OTHER), given, _AROUND, [])
    if not wrong:
        wrong = _wrong_result(result, overload, statement)
    if wrong:
        raise _refusal(statement, wrong)


def _is(shape: Shape, word: str) -> bool:
    return shape.kind == (FLOAT if word[0] == "f" else INT) and shape.width == int(word[1:])


def _overload(result: str, words: list[str], statement: Statement) -> Shape:
    """The type that the operation is used for: that of the first place that has it."""
    if result == "$o":
        return shape_of(statement.type)
    for word, operand in zip(words, statement.operands[1:], strict=False):
        if word == "$o":
            return shape_of(operand.type)
    if result in ("$r", "$cb") and statement.type.kind == syntax.STRUCT and statement.type.parts:
        return shape_of(statement.type.parts[0])
    return NOTHING


def _operation_word(word: str, overload: Shape) -> str:
    constant = "!" if word.endswith("!") else ""
    word = word.removesuffix("!")
    if word == "$o" and overload.is_numeric():
        count = "." if overload.count == 1 else f"^{overload.count}"
        return f"{'f' if overload.kind == FLOAT else 'i'}{overload.width}{count}"
    plain = _PLAIN.get(word, "a")
    return plain + constant if plain not in ("a", "v") else plain


def _wrong_result(result: str, overload: Shape, statement: Statement) -> str:
    given = shape_of(statement.type)
    if result == "$o_i1":
        word = "i1"
    elif result == "$o_i32":
        word = "i32"
    elif result in ("$r", "$cb", "dims", "fouri32", "twoi32", "splitdouble", "i32c", "SamplePos", "$vec4", "$vec9"):
        whole = given.kind == STRUCT and given.count >= 2
        return "" if whole else f": the result is {given.shown()}, expected a struct"
    elif result in ("res", "$o", "$elt") or result not in _PLAIN:
        return ""
    else:
        word = _PLAIN[result]
    return misfit(parsed(f"{word} :"), given, [], _AROUND, [])
