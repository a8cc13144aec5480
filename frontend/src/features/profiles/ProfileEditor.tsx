import { Button, Select, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useNavigate } from "@tanstack/react-router";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import type { Profile } from "@/api/shapes";
import { useWrite } from "@/api/useWrite";
import { ConfirmButton } from "@/components/ConfirmButton";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { Section } from "@/components/page/Section";
import { ParameterFields } from "@/features/parameters/ParameterFields";
import { CopyProfile } from "./CopyProfile";
import { draftOf, readDraft, remarksOn, withAnotherTest } from "./draft";
import classes from "./Profiles.module.css";

const KINDS = [
  { value: "write", label: "Write" },
  { value: "read", label: "Read" },
];

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
            <div className={classes.testHead}>
              <Select
                label="Operation"
                data={KINDS}
                allowDeselect={false}
                {...form.getInputProps(`tests.${index}.operation`)}
              />
              <TextInput label="Title" required {...form.getInputProps(`tests.${index}.title`)} />
            </div>
            <ParameterFields
              texts={test.texts}
              errors={{ ...remarksOn(fields, index), ...errors.tests[index] }}
              onChange={(name, text) => form.setFieldValue(`tests.${index}.texts.${name}`, text)}
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

function useProfileWrites(profile: Profile) {
  const navigate = useNavigate();
  const path = { params: { path: { profile_id: profile.id } } };
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
