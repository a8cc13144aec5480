import { whereOf } from "@/features/campaigns/summary";
import classes from "./Overview.module.css";

/**
 * Where a run measures, on one line. Where there is no room the beginning is cut off, because the
 * directory at the end tells rows of one host apart.
 */
export function Place({ of }: { of: Parameters<typeof whereOf>[0] }) {
  const where = whereOf(of);
  return (
    <span className={classes.where} title={where}>
      <bdi>{where}</bdi>
    </span>
  );
}
