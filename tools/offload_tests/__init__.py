"""Runs the tests of the offload-test-suite: HLSL with a pipeline in YAML that says what buffers hold before and after.

sections     a .test file                     ->  its HLSL, the pipeline's text, what its RUN lines tell DXC
yaml_text    the part of YAML that they use   ->  dicts, lists, strings
pipeline     that tree                        ->  buffers, bindings, checks
one          a file                           ->  a module, run by the simulator, and whether the checks hold
"""
