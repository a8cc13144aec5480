import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { api, explained, unwrap } from "@/api/client";
import { hostQuery } from "@/api/queries";
import type { Host, HostKey } from "@/api/shapes";
import { useWrite } from "@/api/writes";
import { CopyText } from "@/components/CopyText";
import { Notice } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { StateBadge } from "@/components/state/StateBadge";
import classes from "./Hosts.module.css";

/** The progress or failure of a host's check; `HostKeyApproval` handles unapproved keys. */
export function CheckProgress({ host }: { host: Host }) {
  const { check } = host;
  if (!check) return null;
  if (check.state === "queued" || check.state === "running") {
    return (
      <p role="status">
        <StateBadge state={check.state} word={check.step ?? "checking"} />
      </p>
    );
  }
  const keyInDoubt = host.state === "key_unapproved" || host.state === "key_changed";
  if (check.state !== "failed" || !check.error || keyInDoubt) return null;
  return (
    <div className={classes.failed} role="alert">
      <StateBadge state="failed" word={check.error.title} />
      <p>{explained(check.error.detail)}</p>
      {check.error.remedy ? <p>{check.error.remedy}</p> : null}
    </div>
  );
}

/** Shows the offered host key in full and asks for its approval. */
export function HostKeyApproval({ host, primary }: { host: Host; primary?: boolean }) {
  const approve = useApproveKey(host.id);
  const { offered_key: offered, host_key: approved } = host;
  if (!offered) return null;
  return (
    <div className={classes.keyApproval}>
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

/** Put a host that the API just returned into the cache, where all pages find it. */
export function useCacheHost(): (host: Host) => void {
  const queryClient = useQueryClient();
  return (host) => {
    queryClient.setQueryData(hostQuery(host.id).queryKey, host);
    void queryClient.invalidateQueries({ queryKey: ["hosts", host.id, "inventory"] });
  };
}

/** Start a check of a host; its progress is part of the host. */
export function useHostCheck() {
  return useWrite(
    "hosts",
    (id: number) =>
      unwrap(
        api.POST("/api/v1/hosts/{host_id}/check", {
          params: { path: { host_id: id }, query: { wait: 1 } },
        }),
      ),
    useCacheHost(),
  );
}

/** Approve the offered host key by its fingerprint, then start a check. */
function useApproveKey(id: number) {
  const check = useHostCheck();
  return useWrite("hosts", async (fingerprint: string) => {
    await unwrap(
      api.POST("/api/v1/hosts/{host_id}/host-key", {
        params: { path: { host_id: id } },
        body: { fingerprint },
      }),
    );
    return check.mutateAsync(id);
  });
}
