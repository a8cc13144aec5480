"""What the API says of a comparison."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from assay.runs import examples
from assay.runs.schemas import MatrixOut, RunOut


class ComparedRun(RunOut):
    """A run with its matrix."""

    matrix: MatrixOut


class ConditionDifference(BaseModel):
    """A condition that is not the same everywhere; `values` are in the order of the runs."""

    what: str
    name: str
    values: list[Any]


class CellRatio(BaseModel):
    """A against B in one cell; `significant` is of the leading rate.

    Each p, and whether there are too few repeats to tell A from B, is of its own rate.
    """

    block: int
    threads: int
    durable: float | None
    application: float | None
    significant: bool
    durable_p: float | None
    application_p: float | None
    durable_too_few_repeats: bool
    application_too_few_repeats: bool


class RatioOut(BaseModel):
    """Run `a` divided by run `b`, in each cell that both measured."""

    a: int
    b: int
    rate: Literal["durable", "application"] = Field(
        description="The leading rate: durable where every run has it, else application"
    )
    cells: list[CellRatio]


class Scale(BaseModel):
    """Least and greatest mean of all cells of all runs, for one colour scale."""

    min_bytes_per_s: float
    max_bytes_per_s: float


class Scales(BaseModel):
    """The shared scale of each rate."""

    durable: Scale | None
    application: Scale | None


class Comparison(BaseModel):
    """Two or more runs; the ratio and the answer are of the first two."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "runs": [
                        examples.RUN | {"matrix": examples.MATRIX},
                        examples.RUN | {"id": 43, "matrix": examples.MATRIX | {"run_id": 43}},
                    ],
                    "differences": [
                        {"what": "Kernel", "name": "kernel", "values": ["6.12.9", "6.18.1"]}
                    ],
                    "answer": "At their best, A and B do not differ: 1.39 GB/s against "
                    "1.39 GB/s durable. Of one common cell, A is faster in 0, slower in 0, "
                    "and within noise in 1.",
                    "ratio": {
                        "a": 42,
                        "b": 43,
                        "rate": "durable",
                        "cells": [
                            {
                                "block": 262144,
                                "threads": 1,
                                "durable": 1.0,
                                "application": 1.0,
                                "significant": False,
                                "durable_p": None,
                                "application_p": None,
                                "durable_too_few_repeats": False,
                                "application_too_few_repeats": False,
                            }
                        ],
                    },
                    "scale": {
                        "min_bytes_per_s": 1_390_000_000.0,
                        "max_bytes_per_s": 1_390_000_000.0,
                    },
                    "scales": {
                        "durable": {
                            "min_bytes_per_s": 1_390_000_000.0,
                            "max_bytes_per_s": 1_390_000_000.0,
                        },
                        "application": {
                            "min_bytes_per_s": 1_402_000_000.0,
                            "max_bytes_per_s": 1_402_000_000.0,
                        },
                    },
                }
            ]
        }
    )

    runs: list[ComparedRun]
    differences: list[ConditionDifference]
    answer: str = Field(
        description="Names the two by host or target, where these tell all runs apart, "
        "else by letters: A is the first of `runs`, B the second"
    )
    ratio: RatioOut | None
    scale: Scale | None
    scales: Scales
