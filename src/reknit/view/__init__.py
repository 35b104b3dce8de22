"""What people look at: trees and graphs as text, SVG and DOT, traces, buffers, outcomes and differences, in a terminal,
as pages, and in notebooks. `tree_svg` nests constructs, `flow_svg` draws edges over the same colors. `viewer/` has the
script of the pages, which need no server.
"""
