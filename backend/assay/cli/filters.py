"""Options that the commands which list or export share: filters, order and length."""

from typing import Annotated

import typer

Campaign = Annotated[int | None, typer.Option(help="Id")]
Host = Annotated[str | None, typer.Option(help="Name or id")]
Array = Annotated[str | None, typer.Option(help="Name or id")]
Target = Annotated[str | None, typer.Option(help="HOST/PATH, path, name or id")]
Profile = Annotated[str | None, typer.Option(help="Name or slug, in any version")]
Kinds = Annotated[list[str] | None, typer.Option(help="Test kind; repeatable")]
States = Annotated[list[str] | None, typer.Option(help="Repeatable")]
Verdicts = Annotated[list[str] | None, typer.Option(help="Repeatable")]
Labels = Annotated[
    list[str] | None, typer.Option(help="KEY=VALUE, or KEY with any value; repeatable")
]
Since = Annotated[str | None, typer.Option("--from", help="Launched at or after this date or time")]
Until = Annotated[str | None, typer.Option("--to", help="Launched before this date or time")]
Words = Annotated[str | None, typer.Option(help="Words of the name")]
Sort = Annotated[str, typer.Option(help="Field of the API; - before it reverses it")]
Limit = Annotated[int, typer.Option(min=1, help="Maximum number of rows")]
