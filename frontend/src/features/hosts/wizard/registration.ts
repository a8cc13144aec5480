import type { Draft } from "./useDraft";

/** Seconds that the registration waits for the first check, whose progress is shown afterwards. */
const WAIT_S = 30;

/**
 * Return what a registration adds to the address: the known host key, the targets, and how long to
 * wait for the first check, which compares the key. Without a known key there is no such check.
 */
export function asRegistration({ connection, known_hosts, targets }: Draft) {
  const key = known_hosts.trim();
  if (connection === "local" || key === "") return { keys: {}, targets: [], wait: 0 };
  return {
    keys: isFingerprint(key) ? { fingerprint: key } : { known_hosts: key },
    targets: targets
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((path) => ({ path, root_consent: false })),
    wait: WAIT_S,
  };
}

/** Whether this is a fingerprint, alone or as `ssh-keygen -lf` prints it. */
const isFingerprint = (text: string): boolean => /^(\d+ )?(SHA256|MD5):/.test(text);
