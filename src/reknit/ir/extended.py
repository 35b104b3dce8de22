"""The signature of every extended instruction: how many operands it takes, and of which types.

    GLSL.std.450 Ldexp     f : = i_            a float scalar or vector; its like, an integer of as many components
    OpenCL.std vloadn      x^ : z pr(x.') #n   a vector; a size_t, a pointer to its components, their number

A row is the result, a colon and the operands. A word is a kind and what else must hold, in this order:

    f float   i integer   x either   v void   m square matrix   a any value
    z integer as wide as an address     h integer of half the result's width and as many components
    s of the result's type, or a scalar of its component's             {w w}  struct of two
    p(w)  pointer to w; by storage class: pw( can be written   pr( can be read   pi( Input   pc( UniformConstant, where
          strings are   pg( CrossWorkgroup
    16/32     widths; 32+16 is 16 too where an extension of AMD for 16 bits is declared
    .  scalar    ^  vector    ^2/4  vector of 2 or 4    <4  at most 4 components
    =  of the result's type; for a struct, of its first member's        ~  of the type of the operand before
    '  component type of the result     "  component type of the first operand
    -  width of the result              _  number of components of the result
    !  a constant     ?  may be missing     *  any number of them
    #n the literal that is the number of the result's components       #r a rounding mode

`=` and `~` alone ask for no kind. "!" is an instruction that was withdrawn.
Sources: GLSL.std.450; OpenCL.std, 2.1 to 2.10; SPV_AMD_gcn_shader, SPV_AMD_shader_ballot,
SPV_AMD_shader_explicit_vertex_parameter, SPV_AMD_shader_trinary_minmax; SPV_AMD_gpu_shader_int16 and _half_float.
"""

from typing import Final, final

from reknit.ir import enums, op
from reknit.ir.opcodes import ExtInst, enum_name, ext_set

INT: Final = 1
FLOAT: Final = 2
VOID: Final = 4
MATRIX: Final = 8
POINTER: Final = 16
STRUCT: Final = 32
OTHER: Final = 64
"""A value of any other type."""
NO_VALUE: Final = 128
"""What has no type, or one that is no value's."""
OPEN: Final = 256
"""A vector whose number of components is an id, a cooperative matrix: not judged here."""
OPEN_TYPES: Final = (op.TypeVectorIdEXT, op.TypeCooperativeMatrixKHR, op.TypeCooperativeMatrixNV)
"""Types whose signatures are left to spirv-val."""
DEPTH: Final = 2
"""How far pointers, structs and arrays are looked into: no signature asks for more."""


@final
class Shape:
    """A type, as far as signatures look into it. A scalar has `count` 1; a struct has `count` members. `parts` are the
    column of a matrix, what a pointer points to (empty if it doesn't say), the first members of a struct, the element
    of an array."""

    __slots__ = ("kind", "width", "count", "signed", "storage", "parts", "name", "constant")

    def __init__(self, kind: int, width: int = 0, count: int = 0) -> None:
        self.kind = kind
        self.width = width
        self.count = count
        self.signed = False
        self.storage = 0
        self.parts: list[Shape] = []
        self.name = ""  # where another language than SPIR-V has one
        self.constant = True  # whether it is of a constant, as far as that is asked

    def is_numeric(self) -> bool:
        return self.kind == INT or self.kind == FLOAT

    def shown(self) -> str:
        """What a message calls it."""
        if self.name:
            return self.name
        if self.is_numeric():
            scalar = f"{'f' if self.kind == FLOAT else 'i' if self.signed else 'u'}{self.width}"
            return scalar if self.count == 1 else f"vec{self.count}<{scalar}>"
        if self.kind == POINTER:
            inner = self.parts[0] if self.parts else NOTHING
            to = f" to {inner.shown()}" if inner.is_numeric() else ""
            return f"a pointer{to} in {enum_name('StorageClass', self.storage)}"
        return _SHOWN[self.kind]


_SHOWN: Final = {
    VOID: "void", MATRIX: "a matrix", STRUCT: "a struct", OTHER: "of another type", NO_VALUE: "no value",
    OPEN: "of a type whose size is an id",
}  # fmt: skip
NOTHING: Final = Shape(NO_VALUE)


def same(a: Shape, b: Shape) -> bool:
    """Whether two shapes are of one type: numbers, matrices of them, opaque pointers. Others are never found to be."""
    if a.kind != b.kind or a.width != b.width or a.count != b.count or a.signed != b.signed:
        return False
    if a.kind == MATRIX and len(a.parts) == len(b.parts) == 1:
        return a.parts[0].kind == b.parts[0].kind and a.parts[0].count == b.parts[0].count
    return a.is_numeric() or (a.kind == POINTER and a.storage == b.storage and not a.parts and not b.parts)


_TABLE: Final = {
    "GLSL.std.450": """
        f : =             Round RoundEven Trunc FAbs FSign Floor Ceil Fract Sqrt InverseSqrt Normalize
        f : = =           FMin FMax Step Reflect NMin NMax
        f : = = =         FClamp FMix SmoothStep Fma FaceForward NClamp
        i : i-_           SAbs SSign FindILsb
        i32 : i-_         FindSMsb FindUMsb
        i : i-_ i-_       UMin SMin UMax SMax
        i : i-_ i-_ i-_   UClamp SClamp
        f16/32 : =        Radians Degrees Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh
        f16/32 : =        Exp Log Exp2 Log2
        f16/32 : = =      Atan2 Pow
        f. : m'           Determinant
        m : =             MatrixInverse
        f : = p(=)        Modf
        {f ~} : =         ModfStruct
        f : = p(i32+16_)  Frexp
        {f i32+16_} : =   FrexpStruct
        f : = i_          Ldexp
        i32. : f32^4      PackSnorm4x8 PackUnorm4x8
        i32. : f32^2      PackSnorm2x16 PackUnorm2x16 PackHalf2x16
        f64. : i32^2      PackDouble2x32
        f32^4 : i32.      UnpackSnorm4x8 UnpackUnorm4x8
        f32^2 : i32.      UnpackSnorm2x16 UnpackUnorm2x16 UnpackHalf2x16
        i32^2 : f64.      UnpackDouble2x32
        f. : f'           Length
        f. : f' ~         Distance
        f^3 : = =         Cross
        f : = = f.        Refract
        f32+16 : pi(=)              InterpolateAtCentroid
        f32+16 : pi(=) i32.         InterpolateAtSample
        f32+16 : pi(=) f32+16^2     InterpolateAtOffset
        !                 IMix
    """,
    "OpenCL.std": """
        f : =         acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc erf exp exp2
        f : =         exp10 expm1 fabs floor lgamma log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan
        f : =         tanh tanpi tgamma trunc half_cos half_exp half_exp2 half_exp10 half_log half_log2 half_log10
        f : =         half_recip half_rsqrt half_sin half_sqrt half_tan native_cos native_exp native_exp2 native_exp10
        f : =         native_log native_log2 native_log10 native_recip native_rsqrt native_sin native_sqrt native_tan
        f : =         degrees radians sign
        f : = =       atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder
        f : = =       half_divide half_powr native_divide native_powr fmax_common fmin_common step
        f : = = =     fma mad fclamp mix smoothstep
        f : = pw(=)   fract modf sincos
        f : = pw(i32_)      frexp lgamma_r
        f : = = pw(i32_)    remquo
        i32 : f_      ilogb
        f : = i32_    ldexp pown rootn
        f : i-_       nan
        i : =         s_abs u_abs clz ctz popcount
        i : = =       s_abs_diff u_abs_diff s_add_sat u_add_sat s_hadd u_hadd s_rhadd u_rhadd s_max u_max s_min u_min
        i : = =       s_mul_hi u_mul_hi rotate s_sub_sat u_sub_sat
        i : = = =     s_clamp u_clamp s_mad_hi u_mad_hi s_mad_sat u_mad_sat
        i16/32/64 : h ~     s_upsample u_upsample
        i32 : = =     s_mul24 u_mul24
        i32 : = = =   s_mad24 u_mad24
        f^3/4 : = =   cross
        f. : f<4' ~   distance fast_distance
        f. : f<4'     length fast_length
        f<4 : =       normalize fast_normalize
        x : = = =     bitselect
        x : = = i-_   select
        x^ : z pr(x.') #n           vloadn
        v : x^ z pw(x.")            vstoren
        f. : z pr(f16.)             vload_half
        f^ : z pr(f16.) #n          vload_halfn vloada_halfn
        v : f32/64. z pw(f16.)      vstore_half
        v : f32/64. z pw(f16.) #r   vstore_half_r
        v : f32/64^ z pw(f16.)      vstore_halfn vstorea_halfn
        v : f32/64^ z pw(f16.) #r   vstore_halfn_r vstorea_halfn_r
        x^2/4/8/16 : x^2/4/8/16' i^-_       shuffle
        x^2/4/8/16 : x^2/4/8/16' ~ i^-_     shuffle2
        i32. : pc(i8.) a*           printf
        v : pg(x) z                 prefetch
    """,
    "SPV_AMD_gcn_shader": """
        f32. : f32^3      CubeFaceIndexAMD
        f32^2 : f32^3     CubeFaceCoordAMD
        i64. :            TimeAMD
    """,
    "SPV_AMD_shader_ballot": """
        x : = i32^4       SwizzleInvocationsAMD
        x : = i32^3       SwizzleInvocationsMaskedAMD
        x : = = i32.      WriteInvocationAMD
        i32. : i64.       MbcntAMD
    """,
    "SPV_AMD_shader_explicit_vertex_parameter": """
        x : pi(=) i32.    InterpolateAtVertexAMD
    """,
    "SPV_AMD_shader_trinary_minmax": """
        f : = = =         FMin3AMD FMax3AMD FMid3AMD
        i : i-_ i-_ i-_   UMin3AMD SMin3AMD UMax3AMD SMax3AMD UMid3AMD SMid3AMD
    """,
}
_ROUNDING_MODES: Final = 4  # RTE, RTZ, RTP, RTN (SPIR-V 1.6, 3.16)
_WRITABLE: Final = (
    enums.StorageClassGeneric, enums.StorageClassCrossWorkgroup, enums.StorageClassWorkgroup,
    enums.StorageClassFunction,
)  # fmt: skip
_STORAGE: Final = {
    "w": ("memory that can be written", _WRITABLE),
    "r": ("memory", (*_WRITABLE, enums.StorageClassUniformConstant)),
    "i": ("Input", (enums.StorageClassInput,)),
    "c": ("UniformConstant", (enums.StorageClassUniformConstant,)),
    "g": ("CrossWorkgroup", (enums.StorageClassCrossWorkgroup,)),
}
_ANYWHERE_FOR_STRINGS: Final = (*_WRITABLE, enums.StorageClassUniformConstant)
_KINDS: Final = {"f": FLOAT, "i": INT, "x": INT | FLOAT, "v": VOID, "m": MATRIX, "z": INT, "h": INT}
_NOUNS: Final = {
    "f": "a float", "i": "an integer", "x": "an integer or float", "v": "void", "m": "a square matrix", "a": "a value",
    "z": "an integer", "h": "an integer", "s": "",
}  # fmt: skip


@final
class Word:
    """One place of a signature."""

    __slots__ = (
        "letter", "kinds", "widths", "more", "counts", "most", "same", "before", "component", "first", "width", "count",
        "storage", "inner", "repeats", "optional", "constant",
    )  # fmt: skip

    def __init__(self, letter: str) -> None:
        self.letter = letter
        self.kinds = _KINDS.get(letter, 0)
        self.widths: list[int] = []
        self.more = 0  # the width that an extension of AMD adds
        self.counts: list[int] = []  # [0] for any vector
        self.most = 0
        self.same = False
        self.before = False
        self.component = False
        self.first = False
        self.width = False
        self.count = False
        self.storage = ""
        self.inner: list[Word] = []
        self.repeats = False
        self.optional = False
        self.constant = False


@final
class Signature:
    """Of one instruction. `withdrawn`: nothing is right."""

    __slots__ = ("result", "operands", "withdrawn")

    def __init__(self, result: Word, operands: list[Word], withdrawn: bool) -> None:
        self.result = result
        self.operands = operands
        self.withdrawn = withdrawn

    def least(self) -> int:
        return sum(1 for word in self.operands if not word.repeats and not word.optional)

    def takes(self, given: int) -> bool:
        """Whether so many operands may be given."""
        repeats = bool(self.operands) and self.operands[-1].repeats
        return given >= self.least() and (repeats or given <= len(self.operands))


@final
class _Parser:
    __slots__ = ("text", "at")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def words(self, end: str) -> list[Word]:
        words: list[Word] = []
        while True:
            while self._is(" "):
                pass
            if self.at >= len(self.text) or self._is(end):
                return words
            words.append(self._word())

    def _is(self, text: str) -> bool:
        here = text != "" and self.text.startswith(text, self.at)
        if here:
            self.at += len(text)
        return here

    def _number(self) -> int:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in "0123456789":
            self.at += 1
        return int(self.text[start : self.at] or "0")

    def _numbers(self) -> list[int]:
        numbers = [self._number()]
        while self._is("/"):
            numbers.append(self._number())
        return numbers

    def _word(self) -> Word:
        letter = self.text[self.at]
        self.at += 1
        if letter == "#":
            word = Word("#" + self.text[self.at])
            self.at += 1
            return word
        word = Word("" if letter in "=~" else letter)
        word.same = letter == "="
        word.before = letter == "~"
        if letter == "p":
            start = self.at
            self.at = self.text.index("(", start) + 1
            word.storage = self.text[start : self.at - 1]
            word.inner = self.words(")")
            return word
        if letter == "{":
            word.inner = self.words("}")
            return word
        if self.at < len(self.text) and self.text[self.at] in "0123456789":
            word.widths = self._numbers()
            if self._is("+"):
                word.more = self._number()
        if self._is("."):
            word.counts = [1]
        elif self._is("^"):
            word.counts = self._numbers()
        elif self._is("<"):
            word.most = self._number()
        while self.at < len(self.text) and self.text[self.at] not in " )}":
            mark = self.text[self.at]
            if mark not in "'\"-_*?!":
                raise ValueError(f"in the signature {self.text!r}, {mark!r} is no mark that may stand there")
            word.component = word.component or mark == "'"
            word.first = word.first or mark == '"'
            word.width = word.width or mark == "-"
            word.count = word.count or mark == "_"
            word.repeats = word.repeats or mark == "*"
            word.optional = word.optional or mark == "?"
            word.constant = word.constant or mark == "!"
            self.at += 1
        return word


def parsed(row: str) -> Signature:
    """A signature as a row of a table has it."""
    if row == "!":
        return Signature(Word("a"), [], True)
    parser = _Parser(row)
    result = parser.words(":")
    return Signature(result[0], parser.words(""), False)


_KNOWN: Final[dict[str, dict[str, Signature]]] = {}
"""By set and name of the instruction: read when a set is first asked for."""


def signatures(set_name: str) -> dict[str, Signature]:
    """The signatures of a set by the names of its instructions; empty where no type is asked for."""
    known = _KNOWN.get(set_name)
    if known is None:
        known = {}
        for line in _TABLE.get(set_name, "").split("\n"):
            row, _, names = line.strip().partition("  ")
            if row:
                signature = parsed(row)
                for name in names.split():
                    known[name] = signature
        _KNOWN[set_name] = known
    return known


def is_judged(set_name: str) -> bool:
    """Whether the types of a set's instructions are known: then it has no others."""
    return set_name in _TABLE


def signature_of(set_name: str, number: int) -> Signature | None:
    """None for an instruction that the set hasn't, and for those of a set that is not judged."""
    inst = instruction(set_name, number)
    return signatures(set_name).get(inst.name) if inst is not None else None


def instruction(set_name: str, number: int) -> ExtInst | None:
    known = ext_set(set_name)
    return known.by_number.get(number) if known is not None else None


# --- judging ----------------------------------------------------------------------------------------------------------


@final
class Surroundings:
    """What a module declares that signatures depend on. `address` is the width of an address, 0 where there is none."""

    __slots__ = ("address", "small", "strings")

    def __init__(self, addressing: int, extensions: list[str]) -> None:
        physical = {enums.AddressingModelPhysical32: 32, enums.AddressingModelPhysical64: 64}
        self.address = physical.get(addressing, 0)
        self.small = "SPV_AMD_gpu_shader_int16" in extensions or "SPV_AMD_gpu_shader_half_float" in extensions
        self.strings = "SPV_EXT_relaxed_printf_string_address_space" in extensions


Given = Shape | int
"""An operand: the type of what an id names, or a literal."""


def fault(set_name: str, number: int, result: Shape, operands: list[Given], around: Surroundings) -> str:
    """What is wrong with an instruction of a set that is judged, by its callee's signature; "" if nothing is."""
    inst = instruction(set_name, number)
    signature = signatures(set_name).get(inst.name) if inst is not None else None
    if inst is None or signature is None:
        return f"{set_name} has no instruction {number}"
    name = f"{set_name} {inst.name}"
    if signature.withdrawn:
        return f"{name} was withdrawn: no module may have it"
    wrong = misfit(signature, result, operands, around, [spec.name for spec in inst.operands])
    return f"{name}{wrong}" if wrong else ""


def misfit(
    signature: Signature, result: Shape, operands: list[Given], around: Surroundings, titles: list[str]
) -> str:
    """What is wrong with a use of what has a signature, to follow its name; "" if nothing is."""
    if not signature.takes(len(operands)):
        wanted = _counted(signature.least(), "operand")
        more = " or more" if signature.least() != len(signature.operands) else ""
        return f" takes {wanted}{more}, not {len(operands)}"
    if result.kind == OPEN or any(isinstance(given, Shape) and given.kind == OPEN for given in operands):
        return ""
    judge = _Judge(result, operands, around)
    why = judge.unlike(signature.result, result, NOTHING)
    if why:
        return f": the result is {result.shown()}, expected {why}"
    for index, given in enumerate(operands):
        last = signature.operands[min(index, len(signature.operands) - 1)]
        before = operands[index - 1] if index else NOTHING
        why = judge.unlike_operand(last, given, before if isinstance(before, Shape) else NOTHING)
        if why:
            shown = given.shown() if isinstance(given, Shape) else str(given)
            title = titles[min(index, len(titles) - 1)] if titles else ""
            return f": operand {index + 1}{f' ({title})' if title else ''} is {shown}, expected {why}"
    return ""


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number or 'no'} {noun}s"


@final
class _Judge:
    """`result` is what relations are to: of a struct its first member."""

    __slots__ = ("result", "first", "around", "main")

    def __init__(self, result: Shape, operands: list[Given], around: Surroundings) -> None:
        self.main = result
        self.result = result.parts[0] if result.kind == STRUCT and result.parts else result
        given = operands[0] if operands else NOTHING
        self.first = given if isinstance(given, Shape) else NOTHING
        self.around = around

    def unlike_operand(self, word: Word, given: Given, before: Shape) -> str:
        """What is expected in place of an operand; "" where it is right."""
        if isinstance(given, int):
            if word.letter == "#r":
                return "" if 0 <= given < _ROUNDING_MODES else "a rounding mode, 0 to 3"
            if word.letter == "#n":
                count = self.result.count
                return "" if given == count else f"{count}, the number of the result's components"
            return "an id"
        if word.letter in ("#n", "#r"):
            return "a literal"
        return self.unlike(word, given, before)

    def unlike(self, word: Word, given: Shape, before: Shape) -> str:
        if word.constant and not given.constant:
            return "a constant"
        if word.letter == "p":
            return self._unlike_pointer(word, given)
        if word.letter == "{":
            return self._unlike_struct(word, given)
        return "" if self._fits(word, given, before) else self._expected(word, before)

    def _fits(self, word: Word, given: Shape, before: Shape) -> bool:
        if given.kind == NO_VALUE or (given.kind == VOID and word.letter != "v"):
            return False
        if word.letter == "a" or word.letter == "v":
            return word.letter == "a" or given.kind == VOID
        if word.same and not same(given, self.result) or word.before and not same(given, before):
            return False
        if word.letter == "":
            return True
        if word.letter == "s":
            return same(given, self.result) or (given.count == 1 and self._is_component(given, self.result))
        if given.kind & word.kinds == 0:
            return False
        part = given
        if given.kind == MATRIX:
            part = given.parts[0] if given.parts else NOTHING
            if part.kind != FLOAT or part.count != given.count:
                return False
        if word.letter == "z":
            return given.count == 1 and given.width == self.around.address
        if word.letter == "h":
            return 2 * given.width == self.result.width and given.count == self.result.count
        if word.widths and given.width not in word.widths and not (self.around.small and given.width == word.more):
            return False
        if word.counts and (given.count not in word.counts if word.counts[0] else given.count == 1):
            return False
        if word.most and given.count > word.most:
            return False
        if word.component and not self._is_component(part, self.result):
            return False
        if word.first and not self._is_component(part, self.first):
            return False
        return not (word.width and given.width != self.result.width or word.count and given.count != self.result.count)

    def _is_component(self, given: Shape, of: Shape) -> bool:
        return of.kind == given.kind and of.width == given.width and of.signed == given.signed

    def _unlike_pointer(self, word: Word, given: Shape) -> str:
        inner = word.inner[0]
        where = _STORAGE.get(word.storage)
        allowed = where[1] if where is not None else ()
        if word.storage == "c" and self.around.strings:
            allowed = _ANYWHERE_FOR_STRINGS
        if given.kind == POINTER and (where is None or given.storage in allowed):
            if not given.parts:
                return ""  # it doesn't say to what
            pointee = given.parts[0]
            if word.storage == "c" and pointee.kind == OTHER and pointee.parts:
                pointee = pointee.parts[0]  # a string is an array
            if self._fits(inner, pointee, NOTHING):
                return ""
        into = f" into {where[0]}" if where is not None else ""
        return f"a pointer{into} to {self._expected(inner, NOTHING)}"

    def _unlike_struct(self, word: Word, given: Shape) -> str:
        first = given.parts[0] if given.parts else NOTHING
        two = given.kind == STRUCT and given.count == 2 and len(given.parts) == 2
        if two and self._fits(word.inner[0], first, NOTHING) and self._fits(word.inner[1], given.parts[1], first):
            return ""
        second = "another of its type" if word.inner[1].before else self._expected(word.inner[1], first)
        return f"a struct of {self._expected(word.inner[0], NOTHING)} and {second}"

    def _expected(self, word: Word, before: Shape) -> str:
        """In words, what belongs in a place."""
        if word.same:
            what = "the result's type" if self.main is self.result else "the type of the result's first member"
            return f"{self.result.shown()}, {what}"
        if word.before:
            return f"{before.shown()}, as the operand before it"
        text = _NOUNS[word.letter]
        if word.letter == "z":
            if self.around.address == 0:
                return "a size_t, which only a physical addressing model has"
            return f"an integer of {self.around.address} bits, as addresses have"
        if word.letter == "h":
            return f"an integer of {self.result.width // 2} bits and {_counted(self.result.count, 'component')}"
        if word.letter in ("v", "a"):
            return text
        if word.letter == "s":
            return f"{self.result.shown()}, the result's type, or a scalar of its component's"
        widths = [*word.widths, *([word.more] if word.more and self.around.small else [])]
        if word.width:
            widths = [self.result.width]
        like = self.first if word.first else self.result if word.component else None
        if like is not None and like.is_numeric():
            text = "a float" if like.kind == FLOAT else "an integer"
            widths = [like.width]
        if word.letter == "m":
            return f"a square matrix of floats{' of ' + _either(widths) + ' bits' if widths else ''}"
        if word.counts == [1]:
            text += " scalar"
        elif word.counts == [0]:
            text += " vector"
        elif word.counts:
            text += f" vector of {_either(word.counts)} components"
        else:
            text += " scalar or vector"
        if word.most:
            text += f" of at most {word.most} components"
        if widths:
            text += f" of {_either(widths)} bits"
        if word.count:
            text += f" with {_counted(self.result.count, 'component')}"
        return text


def _either(numbers: list[int]) -> str:
    return " or ".join([str(number) for number in numbers])
