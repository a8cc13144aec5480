import { Button, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import { credentialsQuery, isChecking } from "@/api/queries";
import type { Host } from "@/api/shapes";
import { useCan } from "@/api/useCan";
import form from "@/components/Form.module.css";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { CredentialForm } from "@/features/credentials/CredentialForm";
import { PublicKey } from "@/features/credentials/PublicKey";
import { CheckProgress } from "../CheckProgress";
import { useHostCheck, useKeepHost } from "../useHostCheck";

/** User and credential, tried at once by a check that also takes the inventory. */
export function LogIn({ host }: { host: Host }) {
  const mayMake = useCan("admin");
  const credentials = useQuery(credentialsQuery);
  const [user, setUser] = useState(host.user ?? "");
  const [chosen, setChosen] = useState(host.credential_id ? String(host.credential_id) : null);
  const [making, setMaking] = useState(false);
  const keep = useKeepHost();
  const check = useHostCheck();
  const save = useMutation({
    mutationFn: () =>
      unwrap(
        api.PATCH("/api/v1/hosts/{id}", {
          params: { path: { id: host.id } },
          body: { user, credential_id: Number(chosen) },
        }),
      ),
    onSuccess: (changed) => {
      keep(changed);
      check.mutate(changed.id);
    },
  });
  const items = credentials.data?.items ?? [];
  const credential = items.find(({ id }) => String(id) === chosen);
  const problem = save.error ? asProblem(save.error) : null;
  const fields = problem?.fields ?? {};
  const tried = host.user !== null && host.credential_id !== null;

  if (making || (mayMake && credentials.data && items.length === 0)) {
    return (
      <CredentialForm
        onMade={(made) => {
          setChosen(String(made.id));
          setMaking(false);
        }}
        onCancel={items.length > 0 ? () => setMaking(false) : undefined}
      />
    );
  }
  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <TextInput
        label="User"
        description="Root is not needed."
        required
        autoComplete="off"
        styles={{ input: { fontFamily: "var(--font-figures)" } }}
        value={user}
        onChange={(event) => setUser(event.currentTarget.value)}
        error={fields.user}
      />
      <Select
        label="Credential"
        required
        placeholder="Choose one"
        data={items.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={chosen}
        onChange={setChosen}
        error={fields.credential_id}
      />
      {mayMake ? (
        <div>
          <Button variant="subtle" onClick={() => setMaking(true)}>
            New credential
          </Button>
        </div>
      ) : null}
      {credential ? <PublicKey credential={credential} /> : null}
      {problem && !fields.user && !fields.credential_id ? <ProblemPanel error={problem} /> : null}
      {check.error ? <ProblemPanel error={check.error} /> : null}
      {tried ? <CheckProgress host={host} /> : null}
      <div className={form.actions}>
        <Button
          type="submit"
          disabled={chosen === null}
          loading={save.isPending || check.isPending || isChecking(host)}
        >
          Log in
        </Button>
      </div>
    </form>
  );
}
