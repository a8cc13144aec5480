import { Button } from "@mantine/core";
import type { Host, HostKey } from "@/api/shapes";
import { CopyText } from "@/components/CopyText";
import { Notice } from "@/components/feedback/Notice";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import classes from "./HostKeyApproval.module.css";
import { useApproveKey } from "./useHostCheck";

/** Shows the offered host key in full and asks for its approval. */
export function HostKeyApproval({ host, primary }: { host: Host; primary?: boolean }) {
  const approve = useApproveKey(host.id);
  const { offered_key: offered, host_key: approved } = host;
  if (!offered) return null;
  return (
    <div className={classes.approval}>
      {approved ? (
        <>
          <Notice title="Host key changed">
            No tests run on this host until the new key is approved. Approve it only if you know why
            it changed, for example after a reinstallation.
          </Notice>
          <Fingerprint label="Approved key" hostKey={approved} />
        </>
      ) : null}
      {approved || host.expected_keys.length === 0 ? null : (
        <>
          <Notice title="Not the known host key">
            The host shows another key than the one given at its registration. Approve it only if
            you know why.
          </Notice>
          {host.expected_keys.map(({ type, fingerprint }) => (
            <Fingerprint
              key={fingerprint}
              label="Known key"
              hostKey={{ type: type ?? "", fingerprint }}
            />
          ))}
        </>
      )}
      <Fingerprint label={approved ? "Offered key" : "Host key"} hostKey={offered} />
      <p>
        Compare it with the output of this command on the host:{" "}
        <code>ssh-keygen -lf /etc/ssh/ssh_host_{fileOf(offered.type)}_key.pub</code>
      </p>
      {approve.error ? <ProblemPanel error={approve.error} /> : null}
      <Button
        variant={primary ? "filled" : "default"}
        loading={approve.isPending}
        onClick={() => approve.mutate(offered.fingerprint)}
      >
        {approved ? "Approve new host key" : "Approve host key"}
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

/** The key type in OpenSSH's file name. */
function fileOf(type: string): string {
  if (type.includes("ed25519")) return "ed25519";
  if (type.includes("ecdsa")) return "ecdsa";
  return "rsa";
}
