import {
  Button,
  Modal,
  PasswordInput,
  SegmentedControl,
  Select,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { credentialsQuery } from "@/api/queries";
import type { Credential, CredentialKind } from "@/api/shapes";
import { useCan } from "@/api/writes";
import { CopyText } from "@/components/CopyText";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { CertificateField } from "./Certificate";
import classes from "./Credentials.module.css";

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

/** Creates a credential: a generated key pair, a private key or a password. */
export function CredentialForm({ onMade, onCancel, primary = true }: Props) {
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: {
      kind: "generated" as CredentialKind,
      name: "",
      private_key: "",
      passphrase: "",
      password: "",
      certificate: "",
    },
    changed: "credentials",
    send: ({ kind, name, private_key, passphrase, password, certificate }) =>
      unwrap(
        api.POST("/api/v1/credentials", {
          body: {
            name,
            kind,
            ...(kind === "private_key"
              ? {
                  private_key,
                  passphrase: passphrase || null,
                  certificate: certificate.trim() || null,
                }
              : {}),
            ...(kind === "password" ? { password } : {}),
          },
        }),
      ),
    onSaved: onMade,
  });
  const { kind } = form.values;

  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <SegmentedControl
        aria-label="Kind of credential"
        data={KINDS}
        {...form.getInputProps("kind")}
      />
      <p className={layout.hint}>{HELP[kind]}</p>
      <TextInput label="Credential name" required {...form.getInputProps("name")} />
      {kind === "private_key" ? (
        <>
          <Textarea
            label="Private key"
            placeholder="-----BEGIN OPENSSH PRIVATE KEY-----"
            required
            rows={6}
            spellCheck={false}
            styles={{ input: { fontFamily: "var(--font-figures)", fontSize: 12 } }}
            {...form.getInputProps("private_key")}
          />
          <PasswordInput
            label="Passphrase"
            description="Only if the key has one."
            autoComplete="off"
            {...form.getInputProps("passphrase")}
            aria-invalid={form.errors.passphrase ? true : undefined}
          />
          <CertificateField
            label="Certificate"
            description="Optional: the user certificate of this key (-cert.pub)."
            {...form.getInputProps("certificate")}
          />
        </>
      ) : null}
      {kind === "password" ? (
        <PasswordInput
          label="Password"
          autoComplete="off"
          required
          {...form.getInputProps("password")}
          aria-invalid={form.errors.password ? true : undefined}
        />
      ) : null}
      {problem ? <ProblemPanel error={problem} /> : null}
      <div className={layout.actions}>
        <Button type="submit" variant={primary ? "filled" : "default"} loading={isPending}>
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

type CredentialChoiceProps = {
  value: number | null;
  onChange: (id: number) => void;
  error?: React.ReactNode;
};

/** Selects a credential, or adds one in a dialog; shows the public key of a generated pair. */
export function CredentialChoice({ value, onChange, error }: CredentialChoiceProps) {
  const mayMake = useCan("admin");
  const [making, setMaking] = useState(false);
  const credentials = useQuery(credentialsQuery).data?.items ?? [];
  const chosen = credentials.find(({ id }) => id === value);
  return (
    <>
      <div className={classes.choice}>
        <Select
          label="Credential"
          required
          placeholder={credentials.length === 0 ? "None yet" : "Select"}
          data={credentials.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={value === null ? null : String(value)}
          onChange={(id) => id && onChange(Number(id))}
          error={error}
        />
        {mayMake ? (
          <Button variant="default" onClick={() => setMaking(true)}>
            New credential
          </Button>
        ) : null}
      </div>
      {chosen?.kind === "generated" ? <PublicKey credential={chosen} /> : null}
      <Modal opened={making} onClose={() => setMaking(false)} title="New credential" size="lg">
        <CredentialForm
          onMade={({ id }) => {
            onChange(id);
            setMaking(false);
          }}
        />
      </Modal>
    </>
  );
}

/** The public half of a credential, to be put on hosts. */
export function PublicKey({ credential }: { credential: Credential }) {
  if (!credential.public_key) return null;
  return (
    <div>
      <p>
        Add this line to the user's <code>~/.ssh/authorized_keys</code> on the host:
      </p>
      <CopyText text={credential.public_key} label="public key" />
    </div>
  );
}
