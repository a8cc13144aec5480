import classes from "./Matrix.module.css";

const WORDS: [theirs: string, ours: string, difference: string][] = [
  ["file size (MB)", "File size", "Same; 10000 MB is 10^10 bytes."],
  ["block size (KB)", "Block sizes", "KB there is 1024 bytes, shown here as KiB."],
  ["writer threads, reader threads", "Threads", "Same."],
  ["files written concurrently", "Concurrent files", "Same; at most one per thread."],
  ["runs per setting", "Repeats", "Each repeat is a pass over the whole matrix."],
  ["timeout per run", "Time limit", "Excludes the final sync, which has its own limit."],
  ["direct IO", "(none)", "Selects how Java allocates buffers; unrelated to O_DIRECT."],
  ["open mode rw, rwd, rws", "Open mode", "Same. With rw, the page cache absorbs writes."],
  [
    "MB/s",
    "Application rate",
    "Measured until the last write returned. The durable rate includes the final sync.",
  ],
];

/** FileCatalyst terms that differ from Assay's, initially collapsed. */
export function FileCatalystWords() {
  return (
    <details className={classes.words}>
      <summary>FileCatalyst terms</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">FileCatalyst -testIO</th>
            <th scope="col">Assay</th>
            <th scope="col">Difference</th>
          </tr>
        </thead>
        <tbody>
          {WORDS.map(([theirs, ours, difference]) => (
            <tr key={theirs}>
              <td>{theirs}</td>
              <td>{ours}</td>
              <td>{difference}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
