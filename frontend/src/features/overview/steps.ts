/** The key of the browser's storage for whether a result was opened in this browser. */
export const RESULT_READ = "assay-result-read";

/** With so many results, nobody needs to be led to the first one. */
const ENOUGH_RESULTS = 3;

type Progress = {
  hosts: number;
  /** Runs that are queued, active or have a result. */
  runs: number;
  results: number;
  /** Whether a result was opened in this browser. */
  hasRead: boolean;
};

/** Which steps are done: adding a host, launching a campaign, reading a result. */
export function stepsDone({
  hosts,
  runs,
  results,
  hasRead,
}: Progress): [boolean, boolean, boolean] {
  return [hosts > 0 || runs > 0, runs > 0, results > 0 && (hasRead || results >= ENOUGH_RESULTS)];
}
