import { Button } from "@mantine/core";
import type { Host, HostKey } from "@/api/shapes";
import { CopyText } from "@/components/CopyText";
import { Notice } from "@/components/feedback/Notice";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import classes from "./HostKeyApproval.module.css";
import { useApproveKey } from "./useHostCheck";

/** Shows the key that a host offers, in full, and asks a person to vouch for it. */
export function HostKeyApproval({ host, primary }: { host: Host; primary?: boolean }) {
  const approve = useApproveKey(host.id);
  const { offered_key: offered, host_key: approved } = host;
  if (!offered) return null;
  return (
    <div className={classes.approval}>
      {approved ? (
        <>
          <Notice title="This host's key has changed">
            Nothing runs there until someone approves the new key. Approve it only if you know why
            it changed: a new installation, for example.
          </Notice>
          <Fingerprint label="Approved until now" hostKey={approved} />
        </>
      ) : null}
      <Fingerprint label={approved ? "Offered now" : "The host's key"} hostKey={offered} />
      <p>
        Compare it with the host's own. On the host's console, this prints it:{" "}
        <code>ssh-keygen -lf /etc/ssh/ssh_host_{fileOf(offered.type)}_key.pub</code>
      </p>
      {approve.error ? <ProblemPanel error={approve.error} /> : null}
      <Button
        variant={primary ? "filled" : "default"}
        loading={approve.isPending}
        onClick={() => approve.mutate(offered.fingerprint)}
      >
        {approved ? "Approve the new key" : "Approve key"}
      </Button>
    </div>
  );
}

function Fingerprint({ label, hostKey }: { label: string; hostKey: HostKey }) {
  return (
    <div>
      <p className={classes.label}>
        {label} <span className="figures">{hostKey.type}</span>
      </p>
      <CopyText text={hostKey.fingerprint} label="fingerprint" />
    </div>
  );
}

/** The part of OpenSSH's file name that stands for a key type. */
function fileOf(type: string): string {
  if (type.includes("ed25519")) return "ed25519";
  if (type.includes("ecdsa")) return "ecdsa";
  return "rsa";
}
