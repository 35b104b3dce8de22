"""A module's control-flow trees, in whatever form the display can show.

    print(picture)          text            picture.svg()          a drawing, which a notebook shows by itself
    picture.graph_svg()     the graph as a drawing
    picture.html()          a page of tree and graph, to fold, zoom and search
    picture.dot()           the tree        picture.graph_dot()    the graph, for Graphviz
"""

from typing import final

from reknit.ir.function import Function
from reknit.ir.module import Module


@final
class Picture:
    """Of all functions with a body, or of the one that is named: its name, or its id as "%12"; drawn when asked for.

    Raises InputError (RK0012) where there is no such function.
    """

    __slots__ = ("module", "functions")

    def __init__(self, module: Module, function: str | None = None) -> None:
        self.module = module
        self.functions = chosen(module, function)

    def __str__(self) -> str:
        from reknit.view.text import tree_text

        return "\n".join([tree_text(function) for function in self.functions])

    def __repr__(self) -> str:
        return str(self)

    def svg(self) -> str:
        from reknit.view.tree_svg import functions_svg

        return functions_svg(self.functions)

    def graph_svg(self) -> str:
        from reknit.view.graph_picture import graphs_svg

        return graphs_svg(self.functions)

    def html(self) -> str:
        """As `reknit show -o x.html` writes it."""
        from reknit.view.graph_document import graphs_document
        from reknit.view.viewer_page import page

        return page(graphs_document(self.module.path or "module", self.module, self.functions))

    def _repr_svg_(self) -> str:
        return self.svg()

    def dot(self) -> str:
        from reknit.view.dot import tree_dot

        return "".join([tree_dot(function) for function in self.functions])

    def graph_dot(self) -> str:
        from reknit.view.dot import graph_dot

        return "".join([graph_dot(function) for function in self.functions])


def chosen(module: Module, name: str | None) -> list[Function]:
    """The functions with a body, or the one that is named. Raises InputError (RK0012)."""
    if name is None:
        return [function for function in module.functions if not function.is_declaration()]
    return [module.function(name)]
