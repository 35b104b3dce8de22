"""Amber scripts: shaders, buffers, pipelines, runs and expectations, in AmberScript and in VkScript.

    x.amber ─┬─ lexer ─▶ lines of tokens ─▶ parse_amber    ─┐
    x.vkscript ┘                           parse_vkscript ─┴─▶ Script ── prove.scripts ──▶ pass or fail a line

Compute pipelines and buffers; what else a script may hold is reported by name and line (RK0702).
Source: google/amber, docs/amber_script.md and docs/vk_script.md.
"""
