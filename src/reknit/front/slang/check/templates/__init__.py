"""HLSL's templates: declarations that are made for each set of arguments, and checked then."""
