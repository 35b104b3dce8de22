"""Running a module on a Vulkan driver: the second opinion on what a shader's invocations compute.

    module ── interface, needs ──▶ request ── a process of its own ──▶ negotiate, open, dispatch ──▶ Result

Needs ctypes and a libvulkan, nothing else. The driver runs in a process of its own, with a time limit: one that crashes
or hangs is a diagnostic.
"""
