"""Everything that must hold of a module, checked; every fault is reported and none is assumed away.

    links      what stands where, in both directions     RK0401 RK0402 RK0421
    jumps      targets, registers, `continuing`, ends    RK0403 .. RK0407 RK0418
    run        floating code, what stands in blocks      RK0420 RK0486
    constructs conditions, selectors, cases              RK0413 RK0414
    values     uses, definitions, dominance, phis        RK0408 .. RK0412
    grammar    result, type and operands by the opcode   RK0415 RK0416
    typing     types of common instructions              RK0417 RK0419

Broken links end the check of their function, since nothing else can be walked safely. `dump.faulty_text` shows the
faults inside the text of their functions.
"""

from reknit.ir.verify.run import verify

__all__ = ["verify"]
