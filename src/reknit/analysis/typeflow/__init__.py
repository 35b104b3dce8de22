"""Which types a value of dynamic type can have, and which functions a dynamic call can come to.

universe    witness tables and types as bits         frame       one function in one context, block by block
forms       where a type holds something dynamic     transfer    what each instruction makes of sets
places      pointers as roots and access paths       solve       contexts, calls, whole-program cells
constants   which branches can be taken              report      each dispatch, its types, and why
"""
