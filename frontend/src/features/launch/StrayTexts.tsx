/** What a link selects that its profile has no use for, or does not have. */
import { Button } from "@mantine/core";
import type { Texts } from "@/features/parameters/parameters";
import { type End, endKey } from "@/features/transfers/ends";
import classes from "./Launch.module.css";
import type { Remarks } from "./link";
import { type Draft, endsOf, type Needs } from "./plan";

interface StrayTextsProps {
  /** The parameters that no selected test has. */
  names: readonly string[];
  texts: Texts;
  onChange: (changed: Texts) => void;
}

/** The parameters of a link that no selected test has, to be removed. */
export function StrayTexts({ names, texts, onChange }: StrayTextsProps) {
  return names.map((name) => (
    <div key={name} className={classes.stray} role="alert">
      <span>
        <code>
          {name} = {texts[name]}
        </code>{" "}
        does not apply: no selected test has a parameter <code>{name}</code>.
      </span>
      <Button
        size="xs"
        variant="default"
        aria-label={`Remove ${name}`}
        onClick={() => onChange({ [name]: undefined })}
      >
        Remove
      </Button>
    </div>
  ));
}

/** The numbers of tests that the profile does not have; nothing before it is loaded. */
export function unknownTests(
  { tests: chosen }: Pick<Draft, "tests">,
  tests: readonly unknown[] | undefined,
): Record<string, string> {
  const wrong = chosen.find((number) => tests !== undefined && number > tests.length);
  if (wrong === undefined) return {};
  const has = tests?.length === 1 ? "1 test" : `${tests?.length} tests`;
  return { tests: `There is no test ${wrong}: the profile has ${has}.` };
}

/** Selections of a link that the profile's tests do not use, a sentence each. */
export function unusedWords(draft: Draft, needs: Needs, opened: Draft): string[] {
  const targets = opened.targetIds.filter((id) => draft.targetIds.includes(id)).length;
  const words: string[] = [];
  if (!needs.targets && targets > 0) {
    words.push(
      `${counted(targets, "selected target is", "selected targets are")} not used: no test measures targets.`,
    );
  }
  const used = endsOf(draft, needs);
  const unused = (["sources", "sinks"] as const)
    .filter((side) => side === "sources" || draft.arrangement !== "mesh")
    .flatMap((side) => draft[side].filter((end) => !includes(used[side], end)))
    .filter((end) => includes([...opened.sources, ...opened.sinks], end)).length;
  if (unused > 0) {
    const why = needs.ends ? "the tests have fewer ends" : "no test transfers data";
    words.push(
      `${counted(unused, "selected source or sink is", "selected sources or sinks are")} not used: ${why}.`,
    );
  }
  return words;
}

const includes = (ends: readonly End[], end: End): boolean =>
  ends.some((one) => endKey(one) === endKey(end));

const counted = (number: number, one: string, many: string): string =>
  `${number} ${number === 1 ? one : many}`;

/** The fields that the form does not show with these tests. */
export function hiddenFields({ targets, ends }: Needs, elsewhere: boolean): Set<string> {
  return new Set([
    ...(targets ? [] : ["target_ids", "execution"]),
    ...(ends ? [] : ["sources", "sinks", "arrangement"]),
    ...(targets && elsewhere ? [] : ["read_back_target_id"]),
  ]);
}

/** The remarks on these fields. */
export const remarksOn = (remarks: Remarks, fields: ReadonlySet<string>): string[] =>
  Object.entries(remarks).flatMap(([field, words]) => (fields.has(field) ? words : []));
