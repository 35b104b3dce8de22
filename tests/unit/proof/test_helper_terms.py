"""IsHelperInvocationEXT in proofs: the same until something makes helpers of invocations, whoever asks how often.

before -> after: a question asked twice may be asked once, and not across a demote
"""

import reknit
from reknit.ir.text.parser import parse

HEAD = """Capability Shader
Capability GroupNonUniform
Capability GroupNonUniformBallot
Capability DemoteToHelperInvocation
Extension "SPV_EXT_demote_to_helper_invocation"
MemoryModel Logical GLSL450
EntryPoint Fragment @main "main" %at %out
ExecutionMode @main OriginUpperLeft
Decorate %at BuiltIn FragCoord
Decorate %out Location 0
%at = Variable Input : ptr<Input, vec4<f32>>
%out = Variable Output : ptr<Output, u32>
func @main() -> void {
%e:
  %p = Load %at : vec4<f32>
  %x = CompositeExtract %p 0 : f32
  %low = FOrdLessThan %x, 2.0f : bool
  %first = IsHelperInvocationEXT : bool
"""
TAIL = """  %b = GroupNonUniformBallot 3u, %asked : vec4<u32>
  %y = CompositeExtract %b 0 : u32
  Store %out, %y
  return
}
"""
TWICE = "  %second = IsHelperInvocationEXT : bool\n"
DEMOTE = "  if %low {\n    DemoteToHelperInvocation\n  }\n"


def verdict(before: str, after: str) -> str:
    return reknit.prove(parse(HEAD + before + TAIL), parse(HEAD + after + TAIL)).verdict


def test_once_is_enough_where_nothing_demotes_in_between() -> None:
    asked = TWICE.replace("%second", "%asked")
    assert verdict(asked, TWICE + "  %asked = CopyObject %first : bool\n") == "proved"
    assert verdict(DEMOTE + TWICE + asked, DEMOTE + asked) == "proved"


def test_an_answer_from_before_a_demote_is_another() -> None:
    """Before it none of the triangle's fragments is a helper. The other way around the first version allows the second:
    helpers that may be considered inactive vote for nothing."""
    early = DEMOTE + "  %asked = CopyObject %first : bool\n"
    late = DEMOTE + TWICE.replace("%second", "%asked")
    assert verdict(early, late) == "refuted"
    assert verdict(late, early) != "proved"


def test_an_earlier_iteration_may_demote() -> None:
    """The question at the top of a loop is another in each iteration, and none from before the loop."""
    loop = """  loop @l {
  %s:
    %i = Phi 0u %e, %i2 %c : u32
    %sum = Phi 0u %e, %sum2 %c : u32
    %inner = IsHelperInvocationEXT : bool
    %ballot = GroupNonUniformBallot 3u, %which : vec4<u32>
    %word = CompositeExtract %ballot 0 : u32
    %sum2 = BitwiseOr %sum, %word : u32
    if %low {
      DemoteToHelperInvocation
    }
  %z:
    %more = ULessThan %i, 2u : bool
    if %more nojoin {
    } else {
      break @l
    }
  } continuing {
  %c:
    %i2 = IAdd %i, 1u : u32
  }
  %asked = INotEqual %sum2, 0u : bool
"""
    assert verdict(loop.replace("%which", "%first"), loop.replace("%which", "%inner")) == "refuted"
