"""The whole program, instance by instance.

    entry points ─▶ bodies ─▶ instances that were called ─▶ tables' entries ─▶ statics ─▶ ... until nothing is new

No call is followed while another function is lowered, so how deep calls go doesn't matter.
"""

from typing import Final, final

from reknit.front.slang.lower import (
    accesses,
    calls,
    device_memory,
    errors,
    existentials,
    expressions,
    flat,
    heaps,
    inline_spirv,
    intrinsics,
    non_uniform,
    pointers,
    properties,
    reinterpret,
    statements,
    static_truth,
    witness_calls,
)
from reknit.front.slang.lower.body import Body, Frame, Handlers
from reknit.front.slang.lower.entries import Entry, declare, lower_entry
from reknit.front.slang.lower.lvalues import Memory
from reknit.front.slang.lower.parameters import Bindings, declare_globals
from reknit.front.slang.lower.program import Instance, ProgramState, by_pointer, is_void, variables_of
from reknit.front.slang.lower.resolve import Resolver
from reknit.front.slang.lower.specialized import specialized
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.lower.tables import TYPE, Tables, plain_witness
from reknit.front.slang.lower.variables import initialise
from reknit.front.slang.report import Reports
from reknit.front.slang.substitute import Substitution, filled
from reknit.front.slang.symbols import Environment, Program, Requirement
from reknit.front.slang.symbols import Function as FunctionSymbol
from reknit.front.slang.types import Type
from reknit.front.slang.witnesses import ConformanceWitness
from reknit.ir import enums, op
from reknit.ir.build import new_function
from reknit.ir.function import Function
from reknit.ir.module import Module, annotation
from reknit.ir.types import void_type
from reknit.ir.value import Value
from reknit.ir.verify.run import verify
from reknit.source.diagnostic import InputError
from reknit.source.meter import spend


def lower(
    program: Program, reports: Reports, path: str = "<slang>", buffer_layout: str = "std", hlsl: bool = False
) -> Module:
    """The module of a checked program. `reports` gets what can't be lowered; the module is then of no use."""
    driver = _Driver(program, reports, path)
    driver.low.lay_out(buffer_layout, hlsl)
    return driver.run()


INCLUDES_HELPERS: Final = "waveopsincludehelperlanes"
"""An attribute of an HLSL entry point."""


def handlers() -> Handlers:
    new = Handlers()
    statements.register(new)
    flat.register(new)
    static_truth.register(new)
    expressions.register(new)
    accesses.register(new)
    calls.register(new)
    witness_calls.register(new)
    errors.register(new)
    properties.register(new)
    intrinsics.register(new)
    inline_spirv.register(new)
    existentials.register(new)
    reinterpret.register(new)
    pointers.register(new)
    return new


@final
class _Driver:
    def __init__(self, program: Program, reports: Reports, path: str) -> None:
        module = Module()
        module.path = path
        module.capabilities.append(annotation(op.Capability, [enums.CapabilityShader]))
        module.memory_model.append(
            annotation(op.MemoryModel, [enums.AddressingModelLogical, enums.MemoryModelGLSL450])
        )
        self.program = program
        self.module = module
        assert program.evidence is not None, "a checked program has its evidence"
        self.low = Lowering(module, reports, program.evidence)
        self.state = ProgramState(self.low, program)
        self.low.specialized = self.specialized
        self.tables = Tables(self.state)
        self.tables.constants = self.constant
        self.handlers = handlers()
        self.entries: list[Entry] = []
        self.initialisers: dict[tuple[int, str], Function] = {}

    def body(self, substitution: Substitution) -> Body:
        return Body(self.state, self.tables, self.handlers, substitution)

    def specialized(self, type: Type) -> Value:
        return specialized(self.body(Substitution()), type)

    def run(self) -> Module:
        self.low.addresses = device_memory.are_from_outside(self.low, self.program)
        self.low.coherent = self.program.coherent
        self.low.own_pointers = self.program.own_pointers
        bindings = Bindings(self.low)
        self.low.stages = {symbol.entry: None for symbol in self.program.entries}
        for symbol in self.program.entries:
            if symbol.group_size and symbol.group_size not in self.low.group_sizes:
                self.low.group_sizes.append(symbol.group_size)
        declare_globals(self.low, bindings, self.program.globals, self.state.globals)
        for variable in self.program.globals:
            if variable.kind == "uniform":
                self.tables.outside(variable.type, variable.at)
        self.low.reports.refuse()
        for symbol in self.program.entries:
            self.entries.append(lower_entry(self.body(Substitution()), symbol, bindings))
            self.state.current = None
            self.low.reports.refuse()
        self.settle()
        pointers.finish(self.state)
        self.start_entries()
        self.tables.finish()
        heaps.finish(self.low, bindings)
        non_uniform.decorate(self.low)
        self.state.find_recursion()
        for entry in self.entries:
            declare(self.body(Substitution()), entry, self.reached(entry))
        if self.low.hlsl:
            from reknit.front.without_helpers import without_helpers

            with_helpers = [entry.function for entry in self.entries if INCLUDES_HELPERS in entry.symbol.attributes]
            without_helpers(self.module, with_helpers)
        if self.low.inline_spirv:
            faults = verify(self.module)
            if faults:
                raise InputError(faults)
        return self.module

    def settle(self) -> None:
        """Until there is a body for everything."""
        done = False
        while not done:
            done = True
            while self.state.pending:
                self.instance(self.state.pending.popleft())
                done = False
            self.asked_for()
            self.associated()
            if self.tables.fill():
                done = False
            if self.statics():
                done = False
            self.low.reports.refuse()

    def associated(self) -> None:
        """Tables say which types values of associated types may have."""
        wanted, self.low.associated = self.low.associated, []
        for interface, requirement in wanted:
            self.tables.key(TYPE, interface, requirement)

    def asked_for(self) -> None:
        """Conformances that were named by an option are in the program, if their interface is."""
        for conformance in self.program.conformances:
            if conformance.sequential_id >= 0 and conformance.interface.key in self.low.interfaces:
                self.tables.table(plain_witness(conformance))

    # ---- functions

    def instance(self, instance: Instance) -> None:
        low = self.low
        symbol = instance.symbol
        low.at = symbol.at
        body = self.body(instance.substitution)
        body.frame = Frame(symbol, Resolver(instance.substitution))
        self.state.current = instance
        low.start(instance.function)
        params = list(instance.function.params)
        for opening, table in zip(instance.openings, params, strict=False):
            body.open_table(opening, table)
        values = params[len(instance.openings) :]
        for variable, value in zip(variables_of(symbol), values, strict=True):
            type = body.type(variable.type)
            if by_pointer(variable):
                body.frame.places[variable] = Memory(type, value, [])
            else:
                local = pointers.local(body, variable, type)
                local.store(low, value)
                body.frame.places[variable] = local
        assert symbol.body is not None
        body.statement(symbol.body)
        if not low.ended:
            result = body.type(symbol.result)
            low.builder.return_(None if is_void(result) else low.undefined(result))
        self.state.current = None
        low.reports.refuse()

    def constant(self, witness: ConformanceWitness, requirement: Requirement) -> Function | None:
        """A function that gives a type's constant, for tables."""
        constant = filled(witness.conformance).constants.get(requirement)
        if constant is None:
            return None
        low = self.low
        body = self.body(witness.arguments)
        type = low.ir_type(body.type_of(constant))
        function = new_function(low.module, f"{witness.subject}.{requirement.name}", type)
        low.start(function)
        low.builder.return_(body.value(constant))
        return function

    # ---- statics

    def statics(self) -> bool:
        """A function for each static that gets its value when the program starts. False: there was none."""
        statics, self.state.statics = self.state.statics, []
        for name, variable, place, substitution in statics:
            low = self.low
            function = new_function(low.module, f"{variable.name}.init")
            symbol = FunctionSymbol(function.name, variable.number, variable.at, "", _nothing())
            key = f"init {name}"
            instance = Instance(key, symbol, substitution, [], function, 0)
            self.state.instances[key] = instance
            self.state.current = instance
            low.start(function)
            body = self.body(substitution)
            initialise(body, variable, place, substitution)
            low.builder.return_()
            self.state.current = None
            self.initialisers[variable.number, name] = function
            for entry in self.entries:
                self.state.instances[entry.key].calls.setdefault(key, variable.at)
        return bool(statics)

    def start_entries(self) -> None:
        for entry in self.entries:
            self.low.builder.at(entry.start)
            for key in sorted(self.initialisers):
                self.low.emit(op.FunctionCall, void_type(self.module), [self.initialisers[key]])

    def reached(self, entry: Entry) -> list[Function]:
        seen: dict[str, None] = {entry.key: None}
        work = [entry.key]
        while work:
            spend(1)
            for callee in self.state.callees(work.pop()):
                if callee not in seen:
                    seen[callee] = None
                    work.append(callee)
        functions = [self.state.instances[key].function for key in seen]
        return functions + [self.initialisers[key] for key in sorted(self.initialisers)]


def _nothing() -> Environment:
    return Environment([], [])
