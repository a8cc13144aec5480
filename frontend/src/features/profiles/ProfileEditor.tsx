import { Button, Select, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import type { Profile, TestKind } from "@/api/shapes";
import { ConfirmButton } from "@/components/ConfirmButton";
import form from "@/components/Form.module.css";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Section } from "@/components/page/Section";
import { ParameterFields } from "@/features/parameters/ParameterFields";
import { CopyProfile } from "./CopyProfile";
import { draftOf, readDraft, remarksOn, type TestDraft, withAnotherTest } from "./draft";
import classes from "./Profiles.module.css";

const KINDS = [
  { value: "write", label: "Write" },
  { value: "read", label: "Read" },
];

/** Edits a profile of one's own; saving makes its next version. */
export function ProfileEditor({ profile }: { profile: Profile }) {
  const [draft, setDraft] = useState(() => draftOf(profile));
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change });
  const setTest = (key: number, change: Partial<TestDraft>) =>
    set({ tests: draft.tests.map((test) => (test.key === key ? { ...test, ...change } : test)) });
  const { save, remove } = useProfileWrites(profile);
  const { errors, body } = readDraft(draft);
  const problem = save.error ? asProblem(save.error) : null;
  const fields = problem?.fields ?? {};

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (body) save.mutate(body);
      }}
    >
      <div className={form.form}>
        <TextInput
          label="Name"
          required
          value={draft.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={fields.name}
        />
        <Textarea
          label="Description"
          autosize
          minRows={2}
          value={draft.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
          error={fields.description}
        />
        <TextInput
          label="Watch deadline"
          description="If no worker is connected for this long, the probe stops and removes its test files."
          value={draft.watch}
          onChange={(event) => set({ watch: event.currentTarget.value })}
          error={errors.watch ?? fields["body.watch_ms"]}
        />
      </div>
      <div className={classes.tests}>
        {draft.tests.map((test, index) => (
          <Section
            key={test.key}
            title={`Test ${index + 1}`}
            action={
              draft.tests.length > 1 ? (
                <Button
                  variant="subtle"
                  onClick={() => set({ tests: draft.tests.filter(({ key }) => key !== test.key) })}
                >
                  Remove test
                </Button>
              ) : null
            }
          >
            <div className={classes.testHead}>
              <Select
                label="Kind"
                data={KINDS}
                value={test.kind}
                onChange={(kind) => setTest(test.key, { kind: (kind ?? "write") as TestKind })}
              />
              <TextInput
                label="Title"
                required
                value={test.title}
                onChange={(event) => setTest(test.key, { title: event.currentTarget.value })}
              />
            </div>
            <ParameterFields
              texts={test.texts}
              errors={{ ...remarksOn(fields, index), ...errors.tests[index] }}
              onChange={(name, text) =>
                setTest(test.key, { texts: { ...test.texts, [name]: text } })
              }
            />
          </Section>
        ))}
      </div>
      {problem ? <ProblemPanel error={problem} /> : null}
      {remove.error ? <ProblemPanel error={remove.error} /> : null}
      <div className={classes.foot}>
        <Button type="submit" variant="default" disabled={!body} loading={save.isPending}>
          Save as version {profile.version + 1}
        </Button>
        <Button variant="subtle" onClick={() => setDraft(withAnotherTest(draft))}>
          Add test
        </Button>
        <CopyProfile profile={profile} />
        <ConfirmButton
          label="Delete profile"
          question={`Delete ${profile.name}?`}
          consequence="Past campaigns keep the version they ran."
          loading={remove.isPending}
          onConfirm={() => remove.mutate()}
        />
      </div>
    </form>
  );
}

function useProfileWrites(profile: Profile) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const path = { params: { path: { profile_id: profile.id } } };
  const save = useMutation({
    mutationFn: (body: NonNullable<ReturnType<typeof readDraft>["body"]>) =>
      unwrap(api.PUT("/api/v1/profiles/{profile_id}", { ...path, body })),
    onSuccess: async (saved) => {
      await queryClient.invalidateQueries({ queryKey: ["profiles"] });
      await navigate({ to: "/profiles/$id", params: { id: saved.id }, replace: true });
    },
  });
  const remove = useMutation({
    mutationFn: () => unwrap(api.DELETE("/api/v1/profiles/{profile_id}", path)),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["profiles"] });
      await navigate({ to: "/profiles" });
    },
  });
  return { save, remove };
}
