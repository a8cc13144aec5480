/** The API's types that the kinds of transfers have in common. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type Bottleneck = Schemas["Bottleneck"];
export type EndFigures = Schemas["EndFigures"];
export type LinkFigures = Schemas["LinkFigures"];
