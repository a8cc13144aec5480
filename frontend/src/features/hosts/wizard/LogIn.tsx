import { Button, TextInput } from "@mantine/core";
import { api, unwrap } from "@/api/client";
import { isChecking } from "@/api/queries";
import type { Host } from "@/api/shapes";
import { useVersion } from "@/api/useVersion";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { CredentialChoice } from "@/features/credentials/CredentialChoice";
import { CheckProgress } from "../CheckProgress";
import { useCacheHost, useHostCheck } from "../useHostCheck";

/** Step 2 starts automatically after the key's approval; this shows a failure and offers a retry. */
export function LogIn({ host }: { host: Host }) {
  const cache = useCacheHost();
  const check = useHostCheck();
  const version = useVersion(host);
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: { user: host.user ?? "", credential_id: host.credential_id },
    changed: "hosts",
    send: (body) =>
      unwrap(
        api.PATCH("/api/v1/hosts/{host_id}", {
          params: { path: { host_id: host.id }, header: version.header() },
          body,
        }),
      ),
    onSaved: (saved) => {
      cache(saved);
      version.saved(saved);
      check.mutate(saved.id);
    },
  });
  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <CheckProgress host={host} />
      <TextInput
        label="User"
        required
        autoComplete="off"
        styles={{ input: { fontFamily: "var(--font-figures)" } }}
        {...form.getInputProps("user")}
      />
      <CredentialChoice
        value={form.values.credential_id}
        onChange={(id) => form.setFieldValue("credential_id", id)}
        error={form.errors.credential_id}
      />
      {problem ? <ProblemPanel error={problem} /> : null}
      {check.error ? <ProblemPanel error={check.error} /> : null}
      <div className={layout.actions}>
        <Button type="submit" loading={isPending || check.isPending || isChecking(host)}>
          Log in
        </Button>
      </div>
    </form>
  );
}
