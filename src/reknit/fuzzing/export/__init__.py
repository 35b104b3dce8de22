"""Random programs as tests for other programs: each a file, with the words that it has to store.

    Program ─┬─▶ .spv .spvasm .rk .amber     through passes, so that the rules leave one result
             └─▶ .comp .hlsl .slang .test    in the words of a shading language
"""
