import type { Credential } from "@/api/shapes";
import { CopyText } from "@/components/CopyText";

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
