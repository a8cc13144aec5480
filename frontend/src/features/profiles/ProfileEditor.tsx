import { Button, Select, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useNavigate } from "@tanstack/react-router";
import { api, asProblem, unwrap } from "@/api/client";
import type { Profile } from "@/api/shapes";
import { ifMatch, useWrite } from "@/api/writes";
import { ConfirmButton } from "@/components/Buttons";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { Section } from "@/components/page/Page";
import { KINDS, kindOf } from "@/features/kinds/registry";
import { ParameterField, ParameterFields } from "@/features/parameters/ParameterFields";
import type { Texts } from "@/features/parameters/parameters";
import { CriteriaField } from "@/features/verdicts/CriteriaField";
import { CopyProfile } from "./CopyProfile";
import { draftOf, readDraft, remarksOn, type TestDraft, withAnotherTest, withKind } from "./draft";
import classes from "./Profiles.module.css";

/** Edits a custom profile; saving creates its next version. */
export function ProfileEditor({ profile }: { profile: Profile }) {
  const form = useForm({ initialValues: draftOf(profile) });
  const draft = form.values;
  const { save, remove } = useProfileWrites(profile);
  const { errors, body } = readDraft(draft);
  const problem = save.error ? asProblem(save.error) : null;
  const fields = problem?.fields ?? {};

  return (
    <form
      onSubmit={form.onSubmit(() => {
        if (body) save.mutate(body);
      })}
    >
      <div className={layout.form}>
        <TextInput label="Name" required {...form.getInputProps("name")} error={fields.name} />
        <Textarea
          label="Description"
          autosize
          minRows={2}
          {...form.getInputProps("description")}
          error={fields.description}
        />
        <TextInput
          label="Watch deadline"
          description="If no worker is connected for this long, the probe stops and removes its test files."
          {...form.getInputProps("watch")}
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
                <Button variant="subtle" onClick={() => form.removeListItem("tests", index)}>
                  Remove test
                </Button>
              ) : null
            }
          >
            <TestFields
              test={test}
              errors={{ ...remarksOn(kindOf(test), fields, index), ...errors.tests[index] }}
              onChange={(changed) => form.setFieldValue(`tests.${index}`, changed)}
            />
          </Section>
        ))}
      </div>
      <Section title="Acceptance criteria">
        <CriteriaField
          label="Criteria"
          description="A criterion judges every run that can give its metric."
          criteria={draft.criteria}
          onChange={(criteria) => form.setFieldValue("criteria", criteria)}
          tests={body?.body.tests}
          stops
        />
      </Section>
      {problem ? <ProblemPanel error={problem} /> : null}
      {remove.error ? <ProblemPanel error={remove.error} /> : null}
      <div className={classes.foot}>
        <Button type="submit" variant="default" disabled={!body} loading={save.isPending}>
          Save as version {profile.version + 1}
        </Button>
        <Button variant="subtle" onClick={() => form.setValues(withAnotherTest(draft))}>
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

type TestFieldsProps = {
  test: TestDraft;
  errors: Texts;
  onChange: (test: TestDraft) => void;
};

function TestFields({ test, errors, onChange }: TestFieldsProps) {
  const kind = kindOf(test);
  const fields = {
    texts: test.texts,
    errors,
    onChange: (changed: Texts) => onChange({ ...test, texts: { ...test.texts, ...changed } }),
  };
  return (
    <>
      <div className={classes.testHead}>
        {KINDS.length > 1 ? (
          <Select
            label="Kind"
            data={KINDS.map(({ name, label }) => ({ value: name, label }))}
            allowDeselect={false}
            value={test.kind}
            onChange={(name) => name && onChange(withKind(test, kindOf({ kind: name })))}
          />
        ) : null}
        {kind.fixed.map((parameter) => (
          <ParameterField key={parameter.name} parameter={parameter} {...fields} />
        ))}
        <TextInput
          label="Title"
          required
          value={test.title}
          onChange={(event) => onChange({ ...test, title: event.currentTarget.value })}
        />
      </div>
      <ParameterFields groups={kind.groups} {...fields} />
    </>
  );
}

function useProfileWrites(profile: Profile) {
  const navigate = useNavigate();
  const path = {
    params: { path: { profile_id: profile.id }, header: ifMatch(profile.etag) },
  };
  const save = useWrite(
    "profiles",
    (body: NonNullable<ReturnType<typeof readDraft>["body"]>) =>
      unwrap(api.PUT("/api/v1/profiles/{profile_id}", { ...path, body })),
    (saved) => navigate({ to: "/profiles/$id", params: { id: saved.id }, replace: true }),
  );
  const remove = useWrite(
    "profiles",
    () => unwrap(api.DELETE("/api/v1/profiles/{profile_id}", path)),
    () => navigate({ to: "/profiles" }),
  );
  return { save, remove };
}
