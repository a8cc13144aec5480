import type { Target } from "@/api/shapes";
import { AtCommas } from "@/components/AtCommas";
import { Facts } from "@/components/Facts";
import { LabelChips } from "@/components/labels/LabelChips";
import { Bytes, count, formatBlock, RelativeTime } from "@/components/quantities";
import { arrayOf } from "@/features/arrays/describe";
import classes from "./TargetFacts.module.css";

const DIRECT: Record<NonNullable<Target["direct"]>, string> = {
  real: "verified: bypasses the page cache",
  buffered: "accepted, but served through the page cache",
  refused: "not supported by the file system",
  unprovable: "accepted; cannot be verified here",
};

/** The properties of a target and the limits of what can be verified there. */
export function TargetFacts({ target }: { target: Target }) {
  const { device_info: device } = target;
  return (
    <>
      <Facts
        facts={[
          ["File system", target.fs_type ? `${target.fs_type} at ${target.mount}` : null],
          ["Source", target.fs_source ? <code key="source">{target.fs_source}</code> : null],
          [
            "Options",
            target.fs_options ? (
              <code key="options">
                <AtCommas text={target.fs_options} />
              </code>
            ) : null,
          ],
          ["UUID", target.fs_uuid ? <code key="uuid">{target.fs_uuid}</code> : null],
          [
            "Free",
            <span key="free">
              <Bytes bytes={target.free_bytes} /> of <Bytes bytes={target.size_bytes} />, measured{" "}
              <RelativeTime at={target.free_at} />
            </span>,
          ],
          ["Free inodes", target.free_inodes == null ? null : count(target.free_inodes)],
          ["Reserved space", <Bytes key="reserve" bytes={target.reserve_bytes} />],
          [
            "Device",
            target.device
              ? `${target.device} ${device?.model ?? ""} ${device?.rotational == null ? "" : device.rotational ? "(rotational)" : "(non-rotational)"}`
              : "no local device",
          ],
          ["Write cache", device?.write_cache],
          ["Scheduler", device?.scheduler],
          [
            "Read-ahead",
            device?.read_ahead_bytes == null ? null : formatBlock(device.read_ahead_bytes),
          ],
          ["O_DIRECT", target.direct ? DIRECT[target.direct] : null],
          ["Alignment", target.alignment_bytes ? `${target.alignment_bytes} B` : null],
          ["Array", target.array ? arrayOf(target.array) : "none"],
          ["Labels", <LabelChips key="labels" labels={target.labels} />],
          ["External reference", target.reference],
          ["Managed by", target.managed_by ? `the file ${target.managed_by}` : null],
          ["Checked", <RelativeTime key="checked" at={target.checked_at} />],
        ]}
      />
      {target.notes.length > 0 ? (
        <div className={classes.notes}>
          {target.notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
        </div>
      ) : null}
    </>
  );
}
