"""Descriptions of parameters in the schemas of OpenAPI and MCP tools."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator
from pydantic.fields import FieldInfo
from typing_extensions import TypeAliasType

from argsearch.engine import parameters as p
from argsearch.engine.config import names
from argsearch.engine.parameters import Parameter, Parameters, by_name, read_all

NAMED: dict[tuple[str, ...], Any] = {
    get_args(kind): TypeAliasType(name, kind)
    for name, kind in (
        ("ConfigName", Literal[tuple(names())]),
        ("FormatName", p.FormatName),
        ("SideFilter", p.SideFilter),
        ("StanceName", p.StanceName),
    )
}
"""Types, keyed by their values, that generated clients define once, not for each parameter."""


def kind_of(one: Parameter, *, named: bool = False) -> Any:
    """Return the type of a parameter's values. named: whether it may refer to a type in NAMED."""
    kind: Any = one.kind
    if one.choices:
        kind = Literal[one.choices]
        kind = NAMED.get(one.choices, kind) if named else kind
    elif kind is str and (one.pattern or one.high):
        most = None if one.high is None else int(one.high)
        kind = Annotated[str, Field(max_length=most, pattern=one.pattern)]
    if one.several:
        return list[kind]
    return kind | None if one.default is None and not one.required else kind


def described(one: Parameter) -> FieldInfo:
    """Return a model field with a parameter's default, description and limits."""
    limits: dict[str, Any] = {}
    if one.several:
        limits = {"min_length": int(one.required), "max_length": one.several}
    elif one.kind in (int, float):
        limits = {"ge": one.low, "le": one.high}
    default = ... if one.required else list(one.default) if one.several else one.default
    field: FieldInfo = Field(default, description=f"{one.doc} Allowed: {one.said}.", **limits)
    return field


class ReadModel(BaseModel):
    """Parameters of a route, parsed by their definitions. Unknown names are rejected."""

    model_config = ConfigDict(extra="forbid")
    known: ClassVar[Parameters] = {}
    textual: ClassVar[bool] = True
    """True if all values are given as text."""

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: Any) -> dict[str, Any]:
        # Clients of args.me send names that have no effect here. `read_all` would reject them.
        if cls.model_config["extra"] == "ignore":
            given = {name: value for name, value in given.items() if name in cls.known}
        return read_all(cls.known, given, cls.textual)


class LenientModel(ReadModel):
    """Parameters of a route, like `ReadModel`. Unknown names are ignored."""

    model_config = ConfigDict(extra="ignore")


def model(name: str, doc: str, *parameters: Parameter, base: type[ReadModel] = ReadModel) -> Any:
    """Return a model class for some parameters."""
    fields: Any = {one.name: (kind_of(one, named=True), described(one)) for one in parameters}
    made = create_model(name, __base__=base, __doc__=doc, **fields)
    made.known = by_name(*parameters)
    return made
