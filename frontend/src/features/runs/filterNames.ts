/** What lists of campaigns and of runs can be filtered by, beside their states. */
export const RUN_FILTERS = [
  "host_id",
  "array_id",
  "target_id",
  "profile",
  "kind",
  "verdict",
  "label",
  "schedule",
] as const;
