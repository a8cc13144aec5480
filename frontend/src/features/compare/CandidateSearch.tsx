import { Combobox, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { candidatesQuery } from "@/api/queries";
import type { Candidate } from "@/api/shapes";
import { useRateUnit } from "@/components/quantities";
import { hostsOf, placeOf } from "@/features/campaigns/summary";
import { kindOf } from "@/features/kinds/registry";
import classes from "./CandidateSearch.module.css";

interface CandidateSearchProps {
  /** The runs that are compared already. */
  beside: readonly number[];
  onChoose: (id: number) => void;
}

const PAUSE_MS = 200;
const MORE = "more";

/** Adds a run: the server searches all of them by campaign, test, host and path. */
export function CandidateSearch({ beside, onChoose }: CandidateSearchProps) {
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
function CandidateLine({ run }: { run: Candidate }) {
  const { unit } = useRateUnit();
  const when = new Date(run.ended_at ?? run.created_at).toLocaleString(undefined, {
    dateStyle: "medium",
    timeStyle: "short",
  });
  return (
    <span className={classes.run}>
      <span>
        <strong>{run.campaign_name}</strong>: {run.title} on {hostsOf(run)}{" "}
        <code>{placeOf(run)}</code>
      </span>
      <span className={classes.details}>
        {when}, run {run.id}
        {run.headline ? `: ${kindOf(run).headline(run.headline, unit)}` : ""}
      </span>
    </span>
  );
}
