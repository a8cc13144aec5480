import { Button, PasswordInput, SegmentedControl, Textarea, TextInput } from "@mantine/core";
import { api, unwrap } from "@/api/client";
import type { Credential, CredentialKind } from "@/api/shapes";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { CertificateField } from "./Certificate";

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
