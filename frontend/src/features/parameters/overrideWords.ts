import type { Test } from "@/api/shapes";
import { type Parameter, valueText } from "./parameters";

/** What a request changes in the tests of its profile: "File size 4.00 MB". */
export function overrideWords(
  overrides: Readonly<Record<string, unknown>>,
  parameters: readonly Parameter[],
): string[] {
  return Object.entries(overrides)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => {
      const parameter = parameters.find((one) => one.name === name);
      if (!parameter) return `${name} ${String(value)}`;
      return `${parameter.label} ${valueText({ [name]: value } as unknown as Test, parameter)}`;
    });
}
