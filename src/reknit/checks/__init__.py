"""What is wrong with a module: control flow by its rules, spirv-val's verdict, lint, and what scripts expect."""
