"""One instruction of a program: a value, an access, a tangled operation, an effect.

    T[op, loop, choices](reach, operands)       a tangled operation, as a term: the same reach and operands give each
                                                invocation the same result, whatever it is
    what has no word here                       an effect in order with all others, the same where its operands are:
                                                tracing a ray, emitting a vertex, multiplying cooperative matrices

Some results are not a function of that: a sum of floats may be rounded otherwise each time, what a missing invocation
broadcasts is undefined. Those are numbered among their like, so that the second program has no more of them than the
first.
"""

from typing import Final

from reknit.analysis.effects import is_volatile
from reknit.ir import enums, op, opcodes, traits
from reknit.ir.instr import Instr
from reknit.ir.types import pointee
from reknit.ir.value import Value
from reknit.ir.walk import instructions
from reknit.proof.normal_form.diagrams import Terms
from reknit.proof.normal_form.events import EVERYTHING
from reknit.proof.normal_form.kinds import Kind
from reknit.proof.normal_form.not_decided import NotDecided
from reknit.proof.normal_form.packing import Packing
from reknit.proof.normal_form.program import Program
from reknit.proof.normal_form.table import Key
from reknit.proof.normal_form.values import Risk

_SILENT: Final = (op.Variable, op.Phi, op.Nop)
_HELPER: Final = op.DemoteToHelperInvocation
_IMAGE_READS: Final = (op.ImageRead, op.ImageSparseRead)
_TEXELS: Final = (op.ImageRead, op.ImageSparseRead, op.ImageFetch, op.ImageSparseFetch)
_WRITES_IMAGES: Final = (op.ImageWrite, op.ImageTexelPointer)
_ACTS: Final = (op.MemoryBarrier, op.ImageWrite, op.ReadClockKHR)
_OF_IDS: Final = (op.CreateExistentialObject, op.GetTagFromSequentialId, op.UnionFromPublic)
_INTERPOLATES: Final = (76, 77, 78)  # InterpolateAtCentroid, InterpolateAtSample, InterpolateAtOffset of an input
_OF_TWO: Final = {35: 36, 36: 36, 51: 52, 52: 52}
"""Modf, ModfStruct, Frexp and FrexpStruct of GLSL.std.450, each by the one that gives a struct."""

_ABOUT_TEXT: Final = ("Debug", "Annotation")


def is_deterministic(code: int) -> bool:
    """Whether the result of a tangled operation is one for the same tangle and operands."""
    behaviour = traits.GROUP.get(code, "")
    if behaviour == "fold":
        return not traits.COMBINES.get(code, "f").startswith("f-") or code in traits.IDEMPOTENT
    return behaviour in ("vote", "ballot") or code == op.GroupNonUniformElect


def _is_texel_buffer(variable: Instr) -> bool:
    type = pointee(variable.type) if variable.type is not None else variable
    while type.op in (op.TypeArray, op.TypeRuntimeArray, op.TypeSampledImage):
        type = type.instr(0)
    return type.op == op.TypeImage and type.word(1) == enums.DimBuffer


def _leads_to_image(value: Instr) -> bool:
    """Whether a value is a pointer to images, or to an array of them."""
    type = value.type
    if type is None or type.op != op.TypePointer:
        return False
    type = pointee(type)
    while type.op in (op.TypeArray, op.TypeRuntimeArray):
        type = type.instr(0)
    return type.op in (op.TypeImage, op.TypeSampledImage)


class Operations(Packing):
    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.volatile_images = self._has_volatile_images()
        self.images_meet = self._meet(False)
        self.texels_meet = self._meet(True)

    def _meet(self, texels: bool) -> bool:
        """Whether an image that is only read may be one that is written, too; of texel buffers, or a buffer that is."""
        written = self.read_only.places if self.read_only is not None else {}
        functions = self.module.functions
        if self.repacks:
            return True  # the shaders that run in the middle of this one may write any
        for variable, place in self.aliasing.places.items():
            assert isinstance(variable, Instr)
            if place.storage != enums.StorageClassUniformConstant or (texels and not _is_texel_buffer(variable)):
                continue
            own = self.decorations.of(variable)
            for text, other in written:
                if (texels or other.storage == place.storage) and text != own and place.may_be(other):
                    return True
        if self.read_only is not None and self.read_only.known:
            return False
        writes = any(instr.op in _WRITES_IMAGES for function in functions for instr in instructions(function))
        return writes and any(variable in self.aliasing.shared for variable in self.aliasing.places)

    def _has_volatile_images(self) -> bool:
        """Whether a variable or parameter that leads to an image is declared Volatile: each read may be of that one."""
        values: list[Value] = list(self.module.globals)
        for function in self.module.functions:
            values.extend(function.params)
        return any(
            _leads_to_image(each) and self.decorations.has(each, enums.DecorationVolatile)
            for each in values
            if isinstance(each, Instr)
        )

    def _is_volatile_read(self, instr: Instr) -> bool:
        """Whether a read of texels "cannot be eliminated, duplicated, or combined with other accesses" (SPIR-V 1.6,
        "Image Operands", VolatileTexel; "Decoration", Volatile)."""
        if instr.op not in traits.TEXELS:
            return False
        return self.volatile_images or is_volatile(instr)

    def _may_change(self, instr: Instr) -> bool:
        """Whether what an image read gives depends on when it is executed."""
        if self.images_meet:
            return True
        image = instr.operands[0] if instr.operands else None
        type = image.type if self.texels_meet and isinstance(image, Instr) else None
        if type is not None and type.op == op.TypeSampledImage:
            type = type.instr(0)
        return type is not None and type.op == op.TypeImage and type.word(1) == enums.DimBuffer

    def execute(self, instr: Instr) -> None:
        code = instr.op
        if code in _SILENT:
            return
        if code == op.Load:
            self.set(instr, self.load(instr))
        elif code == op.Store:
            self.store(instr)
        elif code in traits.OBJECT_CHAIN:
            self.set(instr, self.chain(instr))
        elif code in traits.CHAIN:
            self.set(instr, self.stepped_over(instr))
        elif code == op.ExtInst:
            self._extended(instr)
        elif code in _OF_IDS:
            self.set(instr, self.made_of_id(instr))
        elif code >= opcodes.FIRST_OWN:
            self.set(instr, self.dispatched(instr))
        elif code == op.PoisonKHR:
            self.set(instr, self.poison(instr))
        elif code == op.Undef:
            self.set(instr, self.undef(self.kind(instr.type)))
        elif code == op.CopyMemory and not self._is_volatile_copy(instr):
            self._copy(instr)
        elif self._is_volatile_read(instr):
            self._opaque_effect(instr)
        elif code == _HELPER:
            self.end_invocations(instr)
        elif code == op.IsHelperInvocationEXT:
            self.set(instr, self.is_helper(instr))
        elif code in traits.SHARES and self._depends(code):
            self.set(instr, self.tangled(instr))
        elif code in traits.ATOMIC or code in traits.BARRIER or code in _ACTS:
            term = self.effect(instr)
            if instr.type is not None:
                self.set(instr, term)
        elif code in traits.TANGLED and code in traits.READS:
            self.set(instr, self.tangled(instr))
        elif code == op.ImageTexelPointer:
            self.set(instr, self._texel(instr))
        elif code in _IMAGE_READS or (self._reads_image(code) and self._may_change(instr)):
            self.within_image(instr)
            self.set(instr, self._image_read(instr))
        elif self._is_pure(instr):
            self.within_image(instr)
            self.set(instr, self.pure(instr))
        else:
            info = opcodes.info(code)
            if info is None or info.group not in _ABOUT_TEXT:
                self._opaque_effect(instr)

    def _opaque_effect(self, instr: Instr) -> None:
        """An instruction whose meaning isn't known here. Equal operands in equal circumstances are all that is asked
        of the other program's; what it may have written is known by it alone."""
        term = self.effect(instr)
        if instr.type is not None and instr.type.op != op.TypeVoid:
            self.set(instr, term)
        if instr.op in traits.REPACKS and self.here() != self.terms.false:
            self.ended = (*self.ended, self.state.run.events[-1].term)  # tangles are others from here on

    def _depends(self, code: int) -> bool:
        """Whether the tangle matters, or the operation computes from the bits of a ballot alone."""
        return traits.TANGLED.get(code) != "bits" or code == op.GroupNonUniformInverseBallot

    def _is_pure(self, instr: Instr) -> bool:
        code = instr.op
        if code >= opcodes.FIRST_OWN or instr.type is None:
            return False
        if code in traits.SHARES:
            return True
        return (code in traits.COMPUTES and code not in traits.CHAIN) or self._reads_image(code)

    def _reads_image(self, code: int) -> bool:
        """Whether its result is of what an image holds, and of nothing else."""
        info = opcodes.info(code)
        return info is not None and info.group == "Image" and code in traits.READS and code not in traits.TANGLED

    def _extended(self, instr: Instr) -> None:
        name = str(instr.instr(0).operands[0])
        if name.startswith("NonSemantic"):
            return
        number = instr.word(1)
        pointers = [operand for operand in instr.operands[2:] if self._points(operand)]
        if name != "GLSL.std.450" or (pointers and number not in _INTERPOLATES and number not in _OF_TWO):
            self._opaque_effect(instr)
            return
        operands, kinds, extras = self.operands(instr, 2)
        kind = self.kind(instr.type)
        if number in _OF_TWO:
            self._of_two(instr, _OF_TWO[number], operands[0], kinds[0], extras)
            return
        if pointers and not all(self._is_input(pointer) for _, pointer in self.pointees(instr.value(2), instr)):
            raise NotDecided("interpolation of what is no input", instr)
        text = f"{name} {number} {extras}"
        for promise in self.decorations.nowrap.get(instr, {}):
            self.risks.append(Risk((self.state.run.loop, op.ExtInst, text, promise), operands, self.here(), instr))
        self.set(instr, self.terms.op(op.ExtInst, kind, text, operands, kinds))

    def _is_input(self, pointer: int) -> bool:
        return self.own_name(pointer) is None and self.storage(pointer) == enums.StorageClassInput

    def _of_two(self, instr: Instr, number: int, operand: int, source: Kind, extras: str) -> None:
        """Modf and Frexp: of two parts, both in a struct, or the second behind a pointer."""
        terms = self.terms
        is_struct = instr.word(1) == number
        kind = self.kind(instr.type)
        target = None if is_struct else instr.instr(3)
        second = kind.parts[1] if target is None else self.kind(self._pointee(target))
        parts: list[int] = []
        for at, part in enumerate((kind.parts[0] if is_struct else kind, second)):
            text = f"GLSL.std.450 {number} {at} {extras}"
            parts.append(terms.op(op.ExtInst, part, text, (operand,), [source]))
        self.set(instr, terms.composite(tuple(parts)) if target is None else parts[0])
        for condition, pointer in self.pointees(target, instr) if target is not None else []:
            if self.own_name(pointer) is None:
                raise NotDecided(f"instruction {instr.word(1)} of GLSL.std.450 stores to shared memory", instr)
            self.store_to(pointer, condition, parts[1], "", instr)

    def _pointee(self, pointer: Instr) -> Instr:
        assert pointer.type is not None
        return pointer.type.instr(1)

    def _points(self, operand: object) -> bool:
        return isinstance(operand, Instr) and operand.type is not None and operand.type.op == op.TypePointer

    def _is_volatile_copy(self, instr: Instr) -> bool:
        """Whether a copy says more than what is copied, or one of its two accesses is of volatile memory."""
        if len(instr.operands) > 2 or not all(self._points(each) for each in instr.operands[:2]):
            return len(instr.operands) > 2
        return any(self.leads_to_volatile(instr.value(at), instr) for at in (0, 1))

    def _copy(self, instr: Instr) -> None:
        source = instr.instr(1)
        if not self._points(source) or not self._points(instr.operands[0]):
            raise NotDecided("OpCopyMemory of an untyped pointer", instr)
        assert source.type is not None
        if self.non_uniform(source, instr.value(0)):
            raise NotDecided("OpCopyMemory of resources that differ from invocation to invocation", instr)
        kind = self.kind(source.type.instr(1))
        value = self.terms.bottom
        for condition, pointer in self.pointees(source, instr):
            value = self.terms.ite(condition, self.load_from(pointer, condition, kind, "", instr), value)
        for condition, pointer in self.pointees(instr.value(0), instr):
            self.store_to(pointer, condition, value, "", instr)

    def _texel(self, instr: Instr) -> int:
        """A pointer to a texel: of which image, where. The atomic operations that use it are effects."""
        operands, kinds, extras = self.operands(instr)
        for _, pointer in self.pointees_of(operands[0], instr.instr(0).type, instr):
            if self.own_name(pointer) is not None:
                raise NotDecided("an image in a variable that others don't see", instr)
        return self.terms.operation(instr.op, self.kind(instr.type), extras, operands, kinds)

    def within_image(self, instr: Instr) -> None:
        """A texel by its coordinates: "Applications must: not execute operations that would access out of bounds memory
        locations unless some form of bounds checking is enabled"; "Sampling operations on an image descriptor are
        always well-defined" (Vulkan, Shader Out-of-Bounds Memory Access)."""
        if instr.op in _TEXELS:
            operands, _, extras = self.operands(instr)
            key: Key = (self.state.run.loop, instr.op, extras, "outside")
            self.risks.append(Risk(key, operands, self.here(), instr))

    def _image_read(self, instr: Instr) -> int:
        """A load of an image that can be written: of what is written, any image may be it."""
        terms = self.terms
        operands, _, extras = self.operands(instr)
        reach = self.here()
        kind = self.kind(instr.type)
        seen = self.state.run.before(reach, EVERYTHING, terms)
        key: Key = ("image", instr.op, kind.number, extras, len(operands), *operands, *seen)
        return terms.opaque(key, terms.union((*operands, *seen)), kind)

    def tangled(self, instr: Instr) -> int:
        terms = self.terms
        operands, _, extras = self.operands(instr)
        reach = self.here()
        kind = self.kind(instr.type)
        tokens = self.state.tokens
        self.used.update(dict.fromkeys(tokens))
        key: Key = ("t", instr.op, self.state.run.loop, tokens, self.ended, reach, kind.number, extras, *operands)
        number = 0
        if self.is_weak or (not is_deterministic(instr.op) and not self.united):
            number = self.alike[key] = self.alike.get(key, -1) + 1
            self.copied = self.copied or number > 0
        if not is_deterministic(instr.op) or enums.GroupOperationClusteredReduce in instr.operands:
            self.risky(instr, operands, extras)  # clusters may be too large, ids may differ
        self.tangled_count += 1
        seen: Terms = ()
        if instr.op in traits.READS and self._may_change(instr):
            seen = self.state.run.before(reach, EVERYTHING, terms)
        loops = terms.union((reach, *operands, *tokens, *self.ended, *seen), self.loops_here())
        return terms.opaque((*key, number, *seen), loops, kind)

    def is_helper(self, instr: Instr) -> int:
        """Whether the invocation is a helper by now: the same until something makes helpers of invocations. In a loop
        an earlier iteration may have, so that it is no value from before."""
        key: Key = ("helper", self.state.run.loop, self.ended)
        return self.terms.opaque(key, self.terms.union(self.ended, self.loops_here()), self.kind(instr.type))

    def end_invocations(self, instr: Instr) -> None:
        """Invocations end here, or go on as helpers: what quads and tangles are made of afterwards depends on it."""
        self.effect(instr)
        if self.here() != self.terms.false:
            self.ended = (*self.ended, self.state.run.events[-1].term)
