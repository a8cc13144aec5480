/** Which profile runs: those that answer the question, with what each would take on the targets. */
import { Button, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { profileQuery, profilesQuery, recentProfilesQuery } from "@/api/queries";
import type { Estimate, Plan, Profile } from "@/api/shapes";
import { Notice } from "@/components/feedback/Notices";
import { isFirstLoad } from "@/components/feedback/Resolved";
import { formatBytes, RelativeTime } from "@/components/quantities";
import type { KindName } from "@/features/kinds/kind";
import { kindsOf } from "@/features/kinds/registry";
import { durationWords, estimateQuery } from "./EstimatePanel";
import { EMPTY } from "./link";
import classes from "./ProfileChoice.module.css";
import { type Draft, needsOf, planOf } from "./plan";

/** How many recently used profiles are offered before there is a question. */
const MOST_RECENT = 5;

/** The profiles, the selected one, and when each was launched last. */
export function useProfiles(chosenId: number | null) {
  const list = useQuery(profilesQuery);
  const recent = useQuery(recentProfilesQuery);
  const newest = list.data?.items;
  const isListed = newest?.some(({ id }) => id === chosenId) ?? true;
  const other = useQuery({
    ...profileQuery(chosenId ?? 0),
    enabled: chosenId !== null && !isListed,
  });
  const older = chosenId === null || isListed ? undefined : other.data;
  return {
    /** The list, for its error. */
    list,
    isLoading: isFirstLoad(list) || isFirstLoad(other),
    newest: newest ?? [],
    profile: older ?? newest?.find(({ id }) => id === chosenId),
    usedAt: recent.data ?? new Map<string, string>(),
  };
}

/**
 * The profiles to choose from, recently used ones first: those with a test of the asked kind that
 * have the words; without a question and words, the recently used ones only.
 */
export function offeredProfiles(
  profiles: readonly Profile[],
  usedAt: ReadonlyMap<string, string>,
  asked: KindName | null,
  words: string,
): Profile[] {
  const sought = words.toLowerCase().split(/\s+/).filter(Boolean);
  const answers = ({ body }: Profile) => !asked || body.tests.some(({ kind }) => kind === asked);
  const has = ({ name, description, slug }: Profile) => {
    const text = `${name} ${description} ${slug}`.toLowerCase();
    return sought.every((word) => text.includes(word));
  };
  const used = ({ slug }: Profile) => usedAt.get(slug) ?? "";
  const offered = profiles
    .filter((one) => answers(one) && has(one))
    .sort((one, other) => used(other).localeCompare(used(one)));
  if (asked || sought.length > 0) return offered;
  return offered.filter((one) => used(one)).slice(0, MOST_RECENT);
}

interface ProfileChoiceProps {
  newest: readonly Profile[];
  profile: Profile | undefined;
  usedAt: ReadonlyMap<string, string>;
  asked: KindName | null;
  /** The form, for what the profiles would take. */
  draft: Draft;
  error: string | undefined;
  onChoose: (id: number) => void;
}

/** The selected profile, or the list to select it from. */
export function ProfileChoice(props: ProfileChoiceProps) {
  const { newest, profile, usedAt, asked, draft, error, onChoose } = props;
  // the profile for which the list is open: another one, selected anywhere, closes it
  const [changing, setChanging] = useState<number | null>(null);
  const [words, setWords] = useState("");
  const isChanging = profile !== undefined && changing === profile.id;
  // the focus follows only who opens and closes the list
  const takesFocus = useRef(false);
  useEffect(() => {
    takesFocus.current = false;
  });
  const close = () => {
    takesFocus.current = true;
    setChanging(null);
    setWords("");
  };
  if (profile && !isChanging) {
    return (
      <div className={classes.selected}>
        <ProfileWords profile={profile} newest={newest} />
        <Button
          variant="default"
          autoFocus={takesFocus.current}
          onClick={() => setChanging(profile.id)}
        >
          Change profile
        </Button>
      </div>
    );
  }
  const offered = offeredProfiles(newest, usedAt, asked, words);
  return (
    <div className={classes.choice}>
      <TextInput
        type="search"
        label="Search profiles"
        placeholder="Name or description"
        autoFocus={isChanging}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
      />
      {error ? <Notice>{error}</Notice> : null}
      <p className={classes.hint}>{hintOf(offered.length, asked, words)}</p>
      <OfferedProfiles
        profiles={offered}
        {...{ newest, profile, usedAt, draft }}
        onChoose={(id) => {
          close();
          if (id !== profile?.id) onChoose(id);
        }}
      />
      {isChanging ? (
        <Button variant="subtle" className={classes.cancel} onClick={close}>
          Keep {nameOf(profile, newest)}
        </Button>
      ) : null}
    </div>
  );
}

/** What the list has, or why it is empty. */
function hintOf(offered: number, asked: KindName | null, words: string): string {
  if (offered === 0 && words.trim()) {
    return asked ? "No matching profile answers this question." : "No matching profile.";
  }
  if (asked || words.trim()) return "Durations and data are those on the selected targets.";
  return offered === 0
    ? "Select a question above, or search."
    : "Recently used. For others, select a question above, or search.";
}

type OfferedProps = Pick<ProfileChoiceProps, "newest" | "profile" | "usedAt" | "draft"> & {
  profiles: readonly Profile[];
  onChoose: (id: number) => void;
};

function OfferedProfiles(props: OfferedProps) {
  const { profiles, newest, profile: chosen, usedAt, draft, onChoose } = props;
  const estimates = useEstimates(profiles, draft);
  return (
    <ul className={classes.list} aria-label="Profiles">
      {profiles.map((profile) => {
        const used = usedAt.get(profile.slug);
        return (
          <li key={profile.id}>
            <button
              type="button"
              className={classes.profile}
              aria-pressed={profile.id === chosen?.id}
              onClick={() => onChoose(profile.id)}
            >
              <ProfileWords profile={profile} newest={newest} />
              <span className={classes.figures}>
                <TakenWords estimate={estimates.get(profile.id)} />
                {used ? (
                  <span className={classes.hint}>
                    used <RelativeTime at={used} />
                  </span>
                ) : null}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function ProfileWords({ profile, newest }: { profile: Profile; newest: readonly Profile[] }) {
  const kinds = kindsOf(profile.body.tests).map(({ label }) => label);
  return (
    <span className={classes.words}>
      <span className={classes.name}>{nameOf(profile, newest)}</span>{" "}
      <span className={classes.kinds}>{kinds.join(", ")}</span>
      <span className={classes.description} title={profile.description}>
        {profile.description}
      </span>
    </span>
  );
}

function nameOf(profile: Profile, newest: readonly Profile[]): string {
  const isNewest = newest.some(({ id }) => id === profile.id);
  return profile.builtin && isNewest ? profile.name : `${profile.name}, version ${profile.version}`;
}

/** How long a profile takes and how much it writes; nothing before its targets are selected. */
function TakenWords({ estimate }: { estimate: Estimate | undefined }) {
  if (!estimate) return null;
  const why = estimate.problems.map(({ message }) => message).join(" ");
  if (estimate.fits === false) return <span title={why}>Not enough free space</span>;
  if (why) return <span title={why}>Not possible there</span>;
  return (
    <>
      <span>{durationWords(estimate)}</span>
      <span>{formatBytes(estimate.bytes_written)} written at most</span>
    </>
  );
}

/** What each profile would take with the form's targets and ends, by its id, as far as it is known. */
function useEstimates(profiles: readonly Profile[], draft: Draft): Map<number, Estimate> {
  const { targetIds, sources, sinks, arrangement, execution } = draft;
  const selected = JSON.stringify({ targetIds, sources, sinks, arrangement, execution });
  const [settled] = useDebouncedValue(selected, PAUSE_MS);
  const where = JSON.parse(settled) as Where;
  const plans = profiles.slice(0, MOST_ESTIMATED).flatMap(({ id, body }) => {
    const plan = barePlan(id, needsOf(body.tests), where);
    return plan ? [{ id, plan: JSON.stringify(plan) }] : [];
  });
  const answers = useQueries({
    queries: plans.map(({ plan }) => ({ ...estimateQuery(plan), staleTime: FRESH_MS })),
  });
  return new Map(
    plans.flatMap(({ id }, index) => {
      const estimate = answers[index]?.data;
      return estimate ? [[id, estimate] as const] : [];
    }),
  );
}

/** Where a draft measures. */
type Where = Pick<Draft, "targetIds" | "sources" | "sinks" | "arrangement" | "execution">;

/** How many profiles of the list are estimated: a longer one is searched, not read. */
const MOST_ESTIMATED = 15;

/** How long the selection must pause before the profiles are estimated. */
const PAUSE_MS = 300;

/** How long estimates of the list stay as they are: free space changes slowly. */
const FRESH_MS = 30_000;

/** The request for a whole profile without changes, or null while its targets are not selected. */
const barePlan = (
  profileId: number,
  needs: ReturnType<typeof needsOf>,
  where: Where,
): Plan | null => planOf({ ...EMPTY, ...where, profileId }, [], needs);
