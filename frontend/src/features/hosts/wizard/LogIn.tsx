import { Button, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import { isChecking } from "@/api/queries";
import type { Host } from "@/api/shapes";
import form from "@/components/Form.module.css";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { CredentialChoice } from "@/features/credentials/CredentialChoice";
import { CheckProgress } from "../CheckProgress";
import { useHostCheck, useKeepHost } from "../useHostCheck";

/** The login follows the key's approval by itself; here is why it failed, and how to fix it. */
export function LogIn({ host }: { host: Host }) {
  const [user, setUser] = useState(host.user ?? "");
  const [credential, setCredential] = useState(host.credential_id);
  const keep = useKeepHost();
  const check = useHostCheck();
  const save = useMutation({
    mutationFn: () =>
      unwrap(
        api.PATCH("/api/v1/hosts/{host_id}", {
          params: { path: { host_id: host.id } },
          body: { user, credential_id: credential },
        }),
      ),
    onSuccess: (changed) => {
      keep(changed);
      check.mutate(changed.id);
    },
  });
  const problem = save.error ? asProblem(save.error) : null;
  const fields = problem?.fields ?? {};
  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <CheckProgress host={host} />
      <TextInput
        label="User"
        required
        autoComplete="off"
        styles={{ input: { fontFamily: "var(--font-figures)" } }}
        value={user}
        onChange={(event) => setUser(event.currentTarget.value)}
        error={fields.user}
      />
      <CredentialChoice value={credential} onChange={setCredential} error={fields.credential_id} />
      {problem && !fields.user && !fields.credential_id ? <ProblemPanel error={problem} /> : null}
      {check.error ? <ProblemPanel error={check.error} /> : null}
      <div className={form.actions}>
        <Button type="submit" loading={save.isPending || check.isPending || isChecking(host)}>
          Log in
        </Button>
      </div>
    </form>
  );
}
