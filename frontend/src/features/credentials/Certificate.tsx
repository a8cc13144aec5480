import { Button, Textarea } from "@mantine/core";
import { api, unwrap } from "@/api/client";
import type { Credential } from "@/api/shapes";
import { useCan } from "@/api/writes";
import { Facts } from "@/components/Facts";
import { Notice } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import layout from "@/components/form/Form.module.css";
import { useApiForm } from "@/components/form/useApiForm";
import { formatMoment } from "@/components/quantities";

const SMALL_MONO = { input: { fontFamily: "var(--font-figures)", fontSize: 12 } };

/** The user certificate of a credential: what it allows, what is wrong with it, and its renewal. */
export function Certificate({
  credential,
  onSaved,
}: {
  credential: Credential;
  onSaved: () => void;
}) {
  const { certificate, warnings } = credential;
  return (
    <>
      {warnings.map((warning) => (
        <Notice key={warning}>{warning}</Notice>
      ))}
      {certificate ? (
        <Facts
          facts={[
            ["Key ID", certificate.key_id],
            ["Serial number", certificate.serial],
            ["Principals", certificate.principals.join(", ") || "none"],
            ["Valid from", timeOf(certificate.valid_from, "always")],
            ["Valid until", timeOf(certificate.valid_until, "forever")],
            ["Signed by", <code key="authority">{certificate.authority}</code>],
            ...limits("Forced command", certificate.force_command),
            ...limits("Source address", certificate.source_address),
          ]}
        />
      ) : (
        <p>No certificate: hosts are logged in to with the key alone.</p>
      )}
      {useCan("admin") ? <Renewal credential={credential} onSaved={onSaved} /> : null}
    </>
  );
}

function Renewal({ credential, onSaved }: { credential: Credential; onSaved: () => void }) {
  const { form, onSubmit, isPending, problem } = useApiForm({
    initialValues: { certificate: "" },
    changed: "credentials",
    send: ({ certificate }) =>
      unwrap(
        api.PUT("/api/v1/credentials/{credential_id}/certificate", {
          params: { path: { credential_id: credential.id } },
          body: { certificate },
        }),
      ),
    onSaved,
  });
  return (
    <form className={layout.form} onSubmit={onSubmit}>
      <CertificateField
        label={credential.certificate ? "Renewed certificate" : "Certificate"}
        required
        {...form.getInputProps("certificate")}
      />
      {problem ? <ProblemPanel error={problem} /> : null}
      <div className={layout.actions}>
        <Button type="submit" loading={isPending}>
          Save certificate
        </Button>
      </div>
    </form>
  );
}

/** The input of a certificate, as `ssh-keygen -s` writes it. */
export function CertificateField(props: React.ComponentProps<typeof Textarea>) {
  return (
    <Textarea
      description="The file that ends in -cert.pub."
      placeholder="ssh-ed25519-cert-v01@openssh.com AAAA…"
      rows={4}
      spellCheck={false}
      styles={SMALL_MONO}
      {...props}
    />
  );
}

const limits = (name: string, value: string | null): [string, React.ReactNode][] =>
  value === null ? [] : [[name, <code key={name}>{value}</code>]];

const timeOf = (at: string | null, otherwise: string): string =>
  at === null ? otherwise : formatMoment(new Date(at));
