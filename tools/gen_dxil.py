"""Make the table of DXIL's operations from DXC's own: utils/hct/hctdb.py of a checkout of DirectXShaderCompiler.

    utils/hct/hctdb.py  ->  src/reknit/front/llvm/dxil_table.txt     57|createHandle|v|res|i8! i32! i32 i1!

A row is the operation's number, its function, the types that it is overloaded for (v where it is not), its result and
its operands after the number. Types are DXC's: $o is the overloaded one, $r a struct of four of it and an i32, $cb what
a row of a constant buffer holds; `!` has to be a constant.

    python tools/gen_dxil.py .../DirectXShaderCompiler/utils/hct
"""

import os
import sys
from importlib import import_module
from pathlib import Path

TABLE = Path(__file__).resolve().parent.parent / "src" / "reknit" / "front" / "llvm" / "dxil_table.txt"
EXPERIMENTAL = 1 << 31


def rows(database: object) -> list[str]:
    lines: list[str] = []
    for inst in sorted(database.get_all_insts(), key=lambda each: each.dxil_opid):  # type: ignore[attr-defined]
        if not inst.is_dxil_op or inst.is_reserved or inst.dxil_opid >= EXPERIMENTAL:
            continue
        result, _, *given = [operand.llvm_type + "!" * bool(operand.is_const) for operand in inst.ops]
        function = inst.dxil_class[0].lower() + inst.dxil_class[1:]
        lines.append(f"{inst.dxil_opid}|{function}|{inst.oload_types}|{result}|{' '.join(given)}")
    return lines


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: gen_dxil.py DIR    (where hctdb.py lies)", file=sys.stderr)
        return 2
    sys.path.insert(0, arguments[0])
    os.environ.setdefault("HLSL_SRC_DIR", os.fspath(Path(arguments[0]).parents[1]))
    lines = rows(import_module("hctdb").db_dxil())
    TABLE.write_text("\n".join(["made by tools/gen_dxil.py from DXC's utils/hct/hctdb.py", *lines]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
