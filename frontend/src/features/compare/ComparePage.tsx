import { Button, Combobox, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { candidatesQuery, compareQuery, MOST_COMPARED, runQuery } from "@/api/queries";
import type { RunSummary } from "@/api/shapes";
import { seriesStyle } from "@/charts/color";
import { useChartPalette } from "@/charts/figure";
import { CopyText } from "@/components/CopyText";
import { Empty } from "@/components/feedback/Notices";
import { Loading, Resolved } from "@/components/feedback/Resolved";
import { PageHeader, Section } from "@/components/page/Page";
import { RelativeTime, useRateUnit } from "@/components/quantities";
import { hostsOf, placeOf } from "@/features/campaigns/summary";
import { ExportButton } from "@/features/exports/ExportButton";
import { headlineText } from "@/features/kinds/results";
import classes from "./Compare.module.css";
import { Compared } from "./Compared";
import { letterOf } from "./ComparisonParts";
import { SuggestedComparisons } from "./SuggestedComparisons";

export function ComparePage() {
  const { runs: ids } = useSearch({ from: "/compare" });
  const navigate = useNavigate();
  const beyond = ids.length - MOST_COMPARED;
  const comparison = useQuery({
    ...compareQuery(ids),
    enabled: ids.length > 1 && beyond <= 0,
  });
  const [first = 0] = ids;
  const only = useQuery({ ...runQuery(first), enabled: ids.length === 1 });
  const known = comparison.data?.runs ?? (only.data ? [only.data] : []);
  const choose = (runs: number[]) =>
    navigate({
      to: "/compare",
      search: (before) => ({ ...before, runs }),
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <PageHeader title="Compare" />
      <Section
        title="Runs"
        action={ids.length > 1 && beyond <= 0 ? <ExportButton of={{ compared: ids }} /> : undefined}
      >
        <RunPicker ids={ids} runs={known} onChange={choose} />
      </Section>
      {beyond > 0 ? (
        <Empty title={`Remove ${beyond === 1 ? "a run" : `${beyond} runs`}`}>
          A comparison has at most {MOST_COMPARED} runs, and the page's address names {ids.length}.
        </Empty>
      ) : ids.length > 1 ? (
        <Resolved query={comparison} what="comparison" rows={10}>
          {(loaded) => (
            // around all of it, so that nothing shifts when the code of the kind arrives
            <Suspense fallback={<Loading what="comparison" rows={10} />}>
              <Compared comparison={loaded} />
              <Section title="Link to comparison">
                <div className={classes.link}>
                  <CopyText label="link" text={globalThis.location.href} />
                </div>
              </Section>
            </Suspense>
          )}
        </Resolved>
      ) : (
        <Empty title={ids.length === 0 ? "No runs selected" : "Add a second run"}>
          Select two or more runs above. The first is the base of the comparison. The page's address
          is a link to it.
          {ids.length === 1 ? <SuggestedComparisons runId={first} /> : null}
        </Empty>
      )}
    </>
  );
}

interface RunPickerProps {
  ids: number[];
  /** The runs of these ids, as far as they are known. */
  runs: readonly RunSummary[];
  onChange: (ids: number[]) => void;
}

/**
 * The runs side by side, each with its letter. The first is the base that the others are compared
 * with; any can become it or be removed, and others are added.
 */
function RunPicker({ ids, runs, onChange }: RunPickerProps) {
  const palette = useChartPalette();
  const known = new Map(runs.map((run) => [run.id, run]));
  const without = (id: number) => ids.filter((other) => other !== id);
  return (
    <div>
      <ol className={classes.runs}>
        {ids.map((id, index) => {
          const run = known.get(id);
          const letter = letterOf(index);
          return (
            <li key={id} className={classes.run}>
              <span
                className={classes.letter}
                style={{ borderColor: seriesStyle(index, palette.ink).color }}
              >
                {letter}
              </span>
              <Link to="/runs/$id" params={{ id }} className={classes.name}>
                {run ? `${run.title} on ${hostsOf(run)}` : `Run ${id}`}
              </Link>
              <span className={classes.place}>
                {run ? (
                  <>
                    {run.campaign_name}, run {id}, <code>{placeOf(run)}</code>,{" "}
                    <RelativeTime at={run.ended_at ?? run.created_at} />
                  </>
                ) : null}
              </span>
              <span className={classes.actions}>
                {index === 0 ? (
                  <span className={classes.base}>Base</span>
                ) : (
                  <Button
                    variant="subtle"
                    size="xs"
                    aria-label={`Use ${letter} as the base`}
                    onClick={() => onChange([id, ...without(id)])}
                  >
                    Use as base
                  </Button>
                )}
                <Button
                  variant="subtle"
                  size="xs"
                  aria-label={`Remove ${letter} from the comparison`}
                  onClick={() => onChange(without(id))}
                >
                  Remove
                </Button>
              </span>
            </li>
          );
        })}
      </ol>
      {ids.length < MOST_COMPARED ? (
        <CandidateSearch beside={ids} onChoose={(id) => onChange([...ids, id])} />
      ) : (
        <p className={classes.place}>A comparison has at most {MOST_COMPARED} runs.</p>
      )}
    </div>
  );
}

interface CandidateSearchProps {
  /** The runs that are compared already. */
  beside: readonly number[];
  onChoose: (id: number) => void;
}

const PAUSE_MS = 200;
const MORE = "more";

/** Adds a run: the server searches all of them by campaign, test, host and path. */
function CandidateSearch({ beside, onChoose }: CandidateSearchProps) {
  const [text, setText] = useState("");
  const [settled] = useDebouncedValue(text, PAUSE_MS);
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const found = useInfiniteQuery({
    ...candidatesQuery(settled, beside),
    enabled: combobox.dropdownOpened,
  });
  const candidates = found.data?.pages.flatMap(({ items }) => items) ?? [];
  const choose = (value: string) => {
    if (value === MORE) return void found.fetchNextPage();
    onChoose(Number(value));
    setText("");
    combobox.closeDropdown();
  };
  return (
    <Combobox store={combobox} onOptionSubmit={choose}>
      <Combobox.Target>
        <TextInput
          className={classes.search}
          aria-label="Add a run to the comparison"
          placeholder="Add a run: campaign, test, host or path"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            combobox.openDropdown();
            combobox.updateSelectedOptionIndex();
          }}
          onClick={() => combobox.openDropdown()}
          onFocus={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options className={classes.options} aria-label="Runs">
          {candidates.map((run) => (
            <Combobox.Option key={run.id} value={String(run.id)}>
              <CandidateLine run={run} />
            </Combobox.Option>
          ))}
          {found.hasNextPage ? (
            <Combobox.Option value={MORE} disabled={found.isFetchingNextPage}>
              Show older runs
            </Combobox.Option>
          ) : null}
          {candidates.length === 0 ? (
            <Combobox.Empty>{emptyWords(found.isPending, found.isError)}</Combobox.Empty>
          ) : null}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

function emptyWords(isPending: boolean, isError: boolean): string {
  if (isError) return "The runs could not be loaded.";
  return isPending ? "Loading runs…" : "No matching runs";
}

/** What tells runs apart: campaign, test, place, figure and date. */
function CandidateLine({ run }: { run: RunSummary }) {
  const { unit } = useRateUnit();
  const when = new Date(run.ended_at ?? run.created_at).toLocaleString(undefined, {
    dateStyle: "medium",
    timeStyle: "short",
  });
  return (
    <span className={classes.candidate}>
      <span>
        <strong>{run.campaign_name}</strong>: {run.title} on {hostsOf(run)}{" "}
        <code>{placeOf(run)}</code>
      </span>
      <span className={classes.details}>
        {when}, run {run.id}
        {run.headline ? `: ${headlineText(run.headline, unit)}` : ""}
      </span>
    </span>
  );
}
