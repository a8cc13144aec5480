import { Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Suspense, useEffect, useMemo, useRef, useState } from "react";
import { api, asProblem, unwrap } from "@/api/client";
import { hostsQuery, targetsQuery } from "@/api/queries";
import type { Plan, Test } from "@/api/shapes";
import { useCan, useWrite } from "@/api/writes";
import { Notice } from "@/components/feedback/Notices";
import { isFirstLoad, Loading, Resolved } from "@/components/feedback/Resolved";
import { LabelFields, validateLabels } from "@/components/labels/Labels";
import { PageHeader, Section } from "@/components/page/Page";
import type { KindName } from "@/features/kinds/kind";
import { changedTests, groupsOf, KINDS, kindsOf, valuesOf } from "@/features/kinds/registry";
import { byParameter, parametersIn, readTexts, type Texts } from "@/features/parameters/parameters";
import { ScheduleDialog } from "@/features/schedules/ScheduleDialog";
import { type Ends, knownEnd } from "@/features/transfers/ends";
import { EndsSection } from "./EndsSection";
import { EstimatePanel, useEstimate } from "./EstimatePanel";
import classes from "./Launch.module.css";
import {
  ExecutionChoice,
  LaunchCriteria,
  ReadBackChoice,
  TargetChoice,
  TestChoice,
} from "./LaunchChoices";
import { type Remarks, strayNames, useDraftLink } from "./link";
import { ParameterSection } from "./ParameterSection";
import { ProfileChoice, useProfiles } from "./ProfileChoice";
import { PurposeChoice } from "./PurposeChoice";
import {
  chosenTests,
  type Draft,
  endsOf,
  fieldsOf,
  missing,
  type Needs,
  needsOf,
  obstacle,
  onlyTarget,
  planOf,
  readsElsewhere,
} from "./plan";
import { purposed } from "./purposes";
import { QuestionChoice } from "./QuestionChoice";
import { hiddenFields, remarksOn, unknownTests, unusedWords } from "./StrayTexts";

/**
 * The question, where to measure, the profile and its parameters on the left; the estimate, always
 * visible, on the right.
 */
export function LaunchPage() {
  const launch = useLaunch();
  const [scheduling, setScheduling] = useState(false);
  // an error of the launch refers to earlier values
  const { form, remarks: linkRemarks, opened } = useDraftLink(() => launch.reset());
  const draft = form.values;
  const mayLaunch = useCan("operator");
  const { newest, profile, usedAt, isLoading, list } = useProfiles(draft.profileId);
  const targets = useQuery(targetsQuery());
  const hosts = useQuery({ ...hostsQuery, refetchInterval: 5000 });
  const sole = onlyTarget(targets.data?.items, hosts.data?.items);
  const only = opened.targetIds.length > 0 ? null : sole;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once; afterwards the choice is the user's
  useEffect(() => {
    if (only !== null) form.setFieldValue("targetIds", [only]);
  }, [only]);
  const known = new Map(targets.data?.items.map((target) => [target.id, target]));

  const tests = chosenTests(draft, profile?.body.tests ?? []);
  const kinds = profile ? kindsOf(tests) : KINDS;
  const groups = groupsOf(kinds);
  const parameters = parametersIn(groups);
  const asked = askedOf(draft.question, profile && tests);
  const needs = needsOf(profile ? tests : asked && [{ kind: asked }]);
  // what is typed later stays where it is typed
  // biome-ignore lint/correctness/useExhaustiveDependencies: the texts with which a profile opens
  const opening = useMemo(() => draft.texts, [draft.profileId]);
  const ends = endsOf(draft, needs);
  const endsKnown = (chosen: Ends["sources"]) =>
    chosen.flatMap(
      (end) => knownEnd(end, hosts.data?.items ?? [], targets.data?.items ?? []) ?? [],
    );
  const inherited = (name: string) => (profile ? valuesOf(tests, name) : "");
  const inEffect = (name: string) => draft.texts[name]?.trim() || inherited(name);
  // the arrow keys pass other questions on their way back
  const left = useRef(new Map<KindName | null, Answering>());
  const ask = (question: KindName) => {
    const { profileId, tests: ticked, purpose, criteria } = draft;
    const isOf = ({ kind }: Test) => kind === question;
    if (profile && tests.some(isOf)) return form.setValues({ question });
    if (profile?.body.tests.some(isOf)) return form.setValues({ question, tests: [] });
    for (const name of [asked, ...(profile ? kinds : []).map((kind) => kind.name)]) {
      left.current.set(name, { profileId, tests: ticked, purpose, criteria });
    }
    const fresh = { profileId: null, tests: [], ...purposed(draft, null) };
    form.setValues({ question, ...(left.current.get(question) ?? fresh) });
  };
  const choose = (id: number) =>
    form.setValues({ profileId: id, tests: [], ...purposed(draft, null) });
  const changeTexts = (changed: Texts) =>
    form.setFieldValue("texts", { ...draft.texts, ...changed });
  const written = needs.targets ? draft.targetIds : [];
  const chosen = [...new Set([...written, ...targetsOf(ends)])].flatMap(
    (id) => known.get(id) ?? [],
  );
  const elsewhere = readsElsewhere(draft.texts, tests);
  const plan = planOf(
    elsewhere ? draft : { ...draft, readBackTargetId: null },
    parameters,
    needs,
    profile && tests.length < profile.body.tests.length ? tests : null,
  );
  const answer = useEstimate(plan);
  const chosenAll = draft.profileId !== null && missing(draft, needs) === null;
  const figures = chosenAll ? answer.estimate : undefined;
  const refusal = answer.current ? answer.refusal : null;
  const refused = refusal ?? launch.error;
  const refusals = refused ? asProblem(refused).fields : {};
  const isMissing = draft.profileId !== null && !profile && list.isSuccess;
  const unknown: Remarks = {
    ...(isMissing ? { profile_id: `There is no profile ${draft.profileId}.` } : {}),
    ...unknownTests(draft, profile?.body.tests),
  };
  const remarks: Remarks = {
    ...linkRemarks,
    ...fieldsOf(figures?.problems ?? []),
    ...refusals,
    ...unknown,
  };
  const strays = profile ? strayNames(draft.texts, parameters) : [];
  const typed = readTexts(parameters, draft.texts);
  const changed = changedTests(tests, typed.values);
  const errors = { ...byParameter(parameters, remarks), ...typed.errors };
  // the only target is selected without being asked for
  const linked = sole === null ? opened : { ...opened, targetIds: [] };
  const hidden = hiddenFields(needs, elsewhere);
  const shown = Object.keys({ ...linkRemarks, ...unknown }).filter((name) => !hidden.has(name));
  const leftover = strays.length > 0 ? "Remove the parameters that do not apply." : null;
  const oddity = shown.length > 0 ? "Fix the values of the link." : leftover;
  const blocked = mayLaunch
    ? (obstacle(draft, needs, plan, answer) ?? oddity)
    : "Launching requires the operator role.";

  return (
    <>
      <PageHeader title="Launch campaign" />
      <div className={classes.columns}>
        {/* The form appears whole, so that nothing shifts when its lists arrive. */}
        {isLoading || isFirstLoad(targets) || isFirstLoad(hosts) ? (
          <Loading what="profiles and targets" rows={12} />
        ) : (
          <div>
            <Section title="What do you want to know?">
              <QuestionChoice asked={asked} onAsk={ask} />
              {remarks.question ? <Notice>{remarks.question}</Notice> : null}
              {remarks.purpose ? <Notice>{remarks.purpose}</Notice> : null}
              <PurposeChoice
                newest={newest}
                purpose={draft.purpose}
                onPropose={(purpose, profileId) =>
                  form.setValues({
                    ...purposed(draft, purpose),
                    question: null,
                    profileId,
                    tests: [],
                  })
                }
              />
            </Section>
            {needs.targets ? (
              <Section title="Targets">
                <Resolved query={targets} what="targets" rows={2}>
                  {({ items }) => (
                    <TargetChoice
                      targets={items}
                      hosts={hosts.data?.items ?? []}
                      chosen={draft.targetIds}
                      onChange={(targetIds) => form.setFieldValue("targetIds", targetIds)}
                    />
                  )}
                </Resolved>
                {draft.targetIds.length > 1 || linkRemarks.execution ? (
                  <ExecutionChoice
                    execution={draft.execution}
                    onChange={(execution) => form.setFieldValue("execution", execution)}
                    error={linkRemarks.execution}
                  />
                ) : null}
                {elsewhere ? (
                  <ReadBackChoice
                    targets={targets.data?.items ?? []}
                    hosts={hosts.data?.items ?? []}
                    written={draft.targetIds}
                    chosen={draft.readBackTargetId}
                    onChange={(id) => form.setFieldValue("readBackTargetId", id)}
                    error={remarks.read_back_target_id}
                  />
                ) : null}
                {remarks.target_ids ? <Notice>{remarks.target_ids}</Notice> : null}
                {remarks.together ? <Notice>{remarks.together}</Notice> : null}
                {remarks.scale_out ? <Notice>{remarks.scale_out}</Notice> : null}
              </Section>
            ) : null}
            {needs.ends ? (
              <EndsSection
                hosts={hosts.data?.items ?? []}
                targets={targets.data?.items ?? []}
                ends={ends}
                limits={needs.ends}
                arrangement={ends.arrangement}
                onChange={(changed) => form.setValues(changed)}
                remarks={remarks}
              />
            ) : null}
            <Section title="Profile">
              <Resolved query={list} what="profiles" rows={2}>
                {() => (
                  <ProfileChoice
                    {...{ newest, profile, usedAt, asked, draft }}
                    error={remarks.profile_id}
                    onChoose={choose}
                  />
                )}
              </Resolved>
              {profile ? (
                <TestChoice
                  tests={profile.body.tests}
                  chosen={draft.tests}
                  onChange={(numbers) => form.setFieldValue("tests", numbers)}
                  error={remarks.tests}
                />
              ) : null}
              {[...unusedWords(draft, needs, linked), ...remarksOn(linkRemarks, hidden)].map(
                (words) => (
                  <Notice key={words}>{words}</Notice>
                ),
              )}
            </Section>
            {kinds.map(({ name, LaunchSection }) =>
              profile && LaunchSection ? (
                <Suspense key={name} fallback={<Loading what="choices" rows={3} />}>
                  <LaunchSection
                    value={inEffect}
                    onChange={changeTexts}
                    sources={endsKnown(ends.sources)}
                    sinks={endsKnown(ends.sinks)}
                  />
                </Suspense>
              ) : null,
            )}
            {profile ? (
              <>
                <ParameterSection
                  kinds={kinds}
                  tests={tests}
                  changed={changed}
                  texts={draft.texts}
                  opening={opening}
                  strays={strays}
                  errors={errors}
                  onChange={changeTexts}
                />
                <LaunchCriteria
                  profile={profile}
                  criteria={draft.criteria}
                  onChange={(criteria) => form.setFieldValue("criteria", criteria)}
                  tests={changed}
                  remarks={remarks}
                />
                <Section
                  title="Name and labels"
                  hint="They are stored with the campaign and its runs."
                >
                  <div className={classes.labels}>
                    <TextInput
                      label="Campaign name"
                      placeholder={profile?.name}
                      {...form.getInputProps("name")}
                      error={remarks.name}
                    />
                    <LabelFields
                      getInputProps={(name) => ({
                        ...form.getInputProps(name),
                        error: remarks[name] ?? (name === "labels" && validateLabels(draft.labels)),
                      })}
                    />
                  </div>
                </Section>
              </>
            ) : null}
          </div>
        )}
        <EstimatePanel
          estimate={figures}
          targets={chosen}
          hosts={hosts.data?.items ?? []}
          reader={elsewhere ? known.get(draft.readBackTargetId ?? 0) : undefined}
          wanted={wantedWords(needs)}
          parameters={parameters}
          onRemedy={changeTexts}
          refusal={refused}
          stale={!answer.current}
          obstacle={blocked}
          launching={launch.isPending}
          onLaunch={() => plan && launch.mutate(plan)}
          otherwise={
            mayLaunch ? (
              <Button
                variant="default"
                size="md"
                disabled={blocked !== null}
                onClick={() => setScheduling(true)}
              >
                Schedule…
              </Button>
            ) : null
          }
        />
      </div>
      <ScheduleDialog
        plan={plan}
        name={draft.name.trim() || (profile?.name ?? "")}
        opened={scheduling}
        onClose={() => setScheduling(false)}
      />
    </>
  );
}

/** What answered a question when another one was asked. */
type Answering = Pick<Draft, "profileId" | "tests" | "purpose" | "criteria">;

/** The question that was asked, or the one that the tests answer, if they are of one kind. */
function askedOf(question: KindName | null, tests: readonly Test[] | undefined): KindName | null {
  if (tests === undefined || tests.some(({ kind }) => kind === question)) return question;
  const [kind, ...others] = kindsOf(tests);
  return kind && others.length === 0 ? kind.name : null;
}

/** What to select before there is an estimate. */
const wantedWords = ({ targets, ends }: Needs): string =>
  ends
    ? `Select a profile, ${targets ? "targets, " : ""}a source and a sink.`
    : "Select a profile and targets.";

/** The targets among the ends of transfers. */
const targetsOf = ({ sources, sinks }: Ends): number[] =>
  [...sources, ...sinks].flatMap((end) => ("target_id" in end ? end.target_id : []));

function useLaunch() {
  const navigate = useNavigate();
  return useWrite(
    "campaigns",
    (plan: Plan) => unwrap(api.POST("/api/v1/campaigns", { body: plan })),
    (campaign) => navigate({ to: "/campaigns/$id", params: { id: campaign.id } }),
  );
}
