"""Booleans and composites: truth tables and hand-made tuples, by the specification's sentences."""

from unit.sim.ops.ops_calls import listen, run

from reknit.ir import op
from reknit.sim.values import BOOL, F32, U32, Shape, array, matrix, null_value, struct, vector

TWO = vector(U32, 2)
THREE = vector(U32, 3)
FOUR = vector(U32, 4)


def test_truth_tables() -> None:
    tables = {
        op.LogicalAnd: [0, 0, 0, 1],
        op.LogicalOr: [0, 1, 1, 1],
        op.LogicalEqual: [1, 0, 0, 1],
        op.LogicalNotEqual: [0, 1, 1, 0],
    }
    for opcode, expected in tables.items():
        assert [run(opcode, BOOL, [BOOL, BOOL], a, b) for a in (0, 1) for b in (0, 1)] == expected
    assert [run(op.LogicalNot, BOOL, [BOOL], a) for a in (0, 1)] == [1, 0]
    flags = vector(BOOL, 3)
    assert run(op.LogicalNot, flags, [flags], (1, 0, 1)) == (0, 1, 0)
    assert [run(op.Any, BOOL, [flags], v) for v in [(0, 0, 0), (0, 1, 0), (1, 1, 1)]] == [0, 1, 1]
    assert [run(op.All, BOOL, [flags], v) for v in [(0, 0, 0), (0, 1, 0), (1, 1, 1)]] == [0, 0, 1]


def test_select() -> None:
    assert run(op.Select, U32, [BOOL, U32, U32], 1, 7, 8) == 7
    assert run(op.Select, U32, [BOOL, U32, U32], 0, 7, 8) == 8
    # SPIR-V 1.4 on: one condition chooses a whole composite; a vector of conditions goes component by component.
    assert run(op.Select, TWO, [BOOL, TWO, TWO], 0, (1, 2), (3, 4)) == (3, 4)
    assert run(op.Select, TWO, [vector(BOOL, 2), TWO, TWO], (0, 1), (1, 2), (3, 4)) == (3, 2)


def test_construct() -> None:
    """Vectors may be made of vectors; other composites take one constituent a member."""
    assert run(op.CompositeConstruct, FOUR, [TWO, U32, U32], (1, 2), 3, 4) == (1, 2, 3, 4)
    assert run(op.CompositeConstruct, FOUR, [U32, THREE], 1, (2, 3, 4)) == (1, 2, 3, 4)
    square = matrix(vector(F32, 2), 2)
    assert run(op.CompositeConstruct, square, [vector(F32, 2)] * 2, (1, 2), (3, 4)) == ((1, 2), (3, 4))
    for count in range(1, 7):
        values = tuple(range(count))
        assert run(op.CompositeConstruct, array(U32, count), [U32] * count, *values) == values
    assert run(op.CompositeConstruct, struct([TWO]), [TWO], (1, 2)) == ((1, 2),)
    assert run(op.CompositeConstructReplicateEXT, array(U32, 3), [U32], 5) == (5, 5, 5)


NEST = struct([U32, array(TWO, 2)])
NESTED = (9, ((1, 2), (3, 4)))


def test_extract_and_insert() -> None:
    assert run(op.CompositeExtract, U32, [NEST], NESTED, literals=[0]) == 9
    assert run(op.CompositeExtract, array(TWO, 2), [NEST], NESTED, literals=[1]) == ((1, 2), (3, 4))
    assert run(op.CompositeExtract, TWO, [NEST], NESTED, literals=[1, 1]) == (3, 4)
    assert run(op.CompositeExtract, U32, [NEST], NESTED, literals=[1, 0, 1]) == 2
    assert run(op.CompositeInsert, NEST, [U32, NEST], 7, NESTED, literals=[0]) == (7, ((1, 2), (3, 4)))
    assert run(op.CompositeInsert, NEST, [U32, NEST], 7, NESTED, literals=[1, 0, 1]) == (9, ((1, 7), (3, 4)))
    assert run(op.CompositeInsert, NEST, [TWO, NEST], (5, 6), NESTED, literals=[1, 1]) == (9, ((1, 2), (5, 6)))
    assert run(op.CopyObject, NEST, [NEST], NESTED) == NESTED
    assert run(op.CopyLogical, NEST, [NEST], NESTED) == NESTED


def test_shuffle_counts_components_through_both_vectors() -> None:
    picks = [4, 0, 2, 0xFFFFFFFF]
    assert run(op.VectorShuffle, FOUR, [TWO, THREE], (10, 11), (20, 21, 22), literals=picks) == (22, 10, 20, 0)


def test_dynamic_components() -> None:
    assert run(op.VectorExtractDynamic, U32, [THREE, U32], (5, 6, 7), 2) == 7
    assert run(op.VectorInsertDynamic, THREE, [THREE, U32, U32], (5, 6, 7), 9, 1) == (5, 9, 7)
    value, messages = listen(op.VectorExtractDynamic, U32, [THREE, U32], (5, 6, 7), 3)
    assert value == 0 and "3 of 3" in messages[0]
    # -1 is an index of 2^32 - 1.
    value, messages = listen(op.VectorInsertDynamic, THREE, [THREE, U32, U32], (5, 6, 7), 9, 0xFFFFFFFF)
    assert value == (5, 6, 7) and len(messages) == 1


def test_null_values_have_their_shape() -> None:
    assert null_value(struct([BOOL, matrix(vector(F32, 2), 3), array(U32, 2)])) == (0, ((0, 0),) * 3, (0, 0))
    assert null_value(Shape(0)) == 0
