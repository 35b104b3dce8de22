"""Runs the compute tests that Slang's repository holds, as they are, on this project's simulator.

directives    //TEST lines of a file              ->  what kinds of test it has, and the one that is run
arguments     the words of a compute test         ->  entry, dispatch, what the compiler is told
tokens, inputs   //TEST_INPUT lines               ->  a tree of values
places, placing  values, the program's buffers    ->  the words that each buffer starts with
engine        a file and what it is told          ->  a module, run by the simulator
output        buffers after the run               ->  the text that Slang's own runner would write
filecheck, expected   that text                   ->  agrees, or where it does not
one, pool     one test in a process of its own, several at a time
report        outcomes                            ->  tables, JSON
"""
