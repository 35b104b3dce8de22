"""A Vulkan device as its driver describes it."""

from typing import Any, final


@final
class Device:
    """`index` and `name` are what `vulkan:INDEX` and `vulkan:NAME` mean; `kind` is "CPU", "discrete GPU" and the like.
    `subgroup_size` is the device's own, from `least_subgroup_size` to `most_subgroup_size` can be asked for;
    `subgroup_operations` are those that compute shaders have. `usable` says whether reknit can run on it at all."""

    __slots__ = (
        "index", "name", "kind", "api", "driver", "subgroup_size", "least_subgroup_size", "most_subgroup_size",
        "subgroup_operations", "features", "usable", "facts",
    )  # fmt: skip

    def __init__(self, facts: dict[str, Any]) -> None:
        self.index: int = facts["index"]
        self.name: str = facts["name"]
        self.kind: str = facts["kind"]
        self.api: str = facts["api"]
        self.driver: str = facts["driver"]
        self.subgroup_size: int = facts["subgroup_size"]
        self.least_subgroup_size: int = facts["least_subgroup_size"]
        self.most_subgroup_size: int = facts["most_subgroup_size"]
        self.subgroup_operations: list[str] = facts["subgroup_operations"]
        self.features: list[str] = facts["features"]
        self.usable: bool = facts["usable"]
        self.facts = facts

    def __repr__(self) -> str:
        what = f"subgroups of {self.subgroup_size}" if self.usable else "can't be used"
        return f"<{self.index} {self.name}: {self.kind}, Vulkan {self.api}, {what}>"

    def to_json(self) -> dict[str, Any]:
        return self.facts
