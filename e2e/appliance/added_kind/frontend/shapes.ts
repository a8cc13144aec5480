import type { components } from "@/api/schema";

export type CommitsTest = components["schemas"]["CommitsTest"];
export type CommitsResult = components["schemas"]["CommitsResult"];
