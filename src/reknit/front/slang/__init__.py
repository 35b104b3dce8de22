"""The Slang-subset front-end: from source text to the IR.

    text ─ lexer, preprocessor ─▶ tokens ─ parser ─▶ syntax ─ checker ─▶ hir ─ lower ─▶ ir.Module

`syntax` is what was written, `types` what it is about, `hir` what it means: overloads, conversions, members and
witnesses are settled there, and generics still carry their parameters. `lower` goes from the entry points and
specialises as it goes. Sources: The Slang language reference and user's guide; Microsoft's HLSL reference.
"""
