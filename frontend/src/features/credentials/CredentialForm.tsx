import { Button, PasswordInput, SegmentedControl, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { asProblem } from "@/api/problem";
import type { Credential, CredentialKind } from "@/api/shapes";
import form from "@/components/Form.module.css";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";

const KINDS: { value: CredentialKind; label: string }[] = [
  { value: "generated", label: "New key pair" },
  { value: "private_key", label: "Private key" },
  { value: "password", label: "Password" },
];

const HELP: Record<CredentialKind, string> = {
  generated:
    "Assay generates a key pair and stores the private key encrypted. Add the public key to the host.",
  private_key: "An OpenSSH or PEM private key. It is stored encrypted and never shown again.",
  password: "Stored encrypted and never shown again.",
};

type Props = { onMade: (credential: Credential) => void; onCancel?: () => void; primary?: boolean };

/** Makes a credential: a key pair of Assay's own, a private key, or a password. */
export function CredentialForm({ onMade, onCancel, primary = true }: Props) {
  const [kind, setKind] = useState<CredentialKind>("generated");
  const [name, setName] = useState("");
  const [secret, setSecret] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const queryClient = useQueryClient();
  const make = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/api/v1/credentials", {
          body: {
            name,
            kind,
            ...(kind === "private_key"
              ? { private_key: secret, ...(passphrase ? { passphrase } : {}) }
              : {}),
            ...(kind === "password" ? { password: secret } : {}),
          },
        }),
      ),
    onSuccess: async (credential) => {
      await queryClient.invalidateQueries({ queryKey: ["credentials"] });
      onMade(credential);
    },
  });
  const problem = make.error ? asProblem(make.error) : null;
  const fields = problem?.fields ?? {};
  const shownElsewhere = ["name", "private_key", "passphrase", "password"].some((f) => fields[f]);

  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        make.mutate();
      }}
    >
      <SegmentedControl
        aria-label="Kind of credential"
        data={KINDS}
        value={kind}
        onChange={(value) => {
          setKind(value as CredentialKind);
          setSecret("");
        }}
      />
      <p className={form.hint}>{HELP[kind]}</p>
      <TextInput
        label="Credential name"
        required
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={fields.name}
      />
      {kind === "private_key" ? (
        <>
          <Textarea
            label="Private key"
            placeholder="-----BEGIN OPENSSH PRIVATE KEY-----"
            required
            rows={6}
            spellCheck={false}
            styles={{ input: { fontFamily: "var(--font-figures)", fontSize: 12 } }}
            value={secret}
            onChange={(event) => setSecret(event.currentTarget.value)}
            error={fields.private_key}
          />
          <PasswordInput
            label="Passphrase"
            description="Only if the key has one."
            autoComplete="off"
            value={passphrase}
            onChange={(event) => setPassphrase(event.currentTarget.value)}
            error={fields.passphrase}
            aria-invalid={fields.passphrase ? true : undefined}
          />
        </>
      ) : null}
      {kind === "password" ? (
        <PasswordInput
          label="Password"
          autoComplete="off"
          required
          value={secret}
          onChange={(event) => setSecret(event.currentTarget.value)}
          error={fields.password}
          aria-invalid={fields.password ? true : undefined}
        />
      ) : null}
      {problem && !shownElsewhere ? <ProblemPanel error={problem} /> : null}
      <div className={form.actions}>
        <Button type="submit" variant={primary ? "filled" : "default"} loading={make.isPending}>
          {kind === "generated" ? "Generate key pair" : "Save credential"}
        </Button>
        {onCancel ? (
          <Button variant="subtle" onClick={onCancel}>
            Cancel
          </Button>
        ) : null}
      </div>
    </form>
  );
}
