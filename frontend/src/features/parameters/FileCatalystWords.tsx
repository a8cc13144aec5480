import classes from "./FileCatalystWords.module.css";

const WORDS: [theirs: string, ours: string, difference: string][] = [
  ["file size (MB)", "File size", "The same: 10000 MB is 10^10 bytes."],
  ["block size (KB)", "Block sizes", "Their KB is 1024 bytes, written KiB here."],
  ["writer threads, reader threads", "Threads", "The same."],
  ["files written concurrently", "Files at once", "The same: never more than the threads."],
  ["runs per setting", "Repeats", "Here each repeat is a pass over the whole matrix."],
  ["timeout per run", "Time limit", "The final sync is outside it and has a limit of its own."],
  [
    "direct IO",
    "(none)",
    "It says how Java allocates buffers. It is not O_DIRECT: a native program always does what it asks for.",
  ],
  ["open mode rw, rwd, rws", "Open mode", "The same. With rw the page cache serves."],
  [
    "MB/s",
    "Application rate",
    "Until the last write returned. The durable rate, until the final sync returned, stands beside it.",
  ],
];

/** FileCatalyst's words where they differ from ours, folded until someone asks. */
export function FileCatalystWords() {
  return (
    <details className={classes.words}>
      <summary>FileCatalyst's words</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">-testIO asks for</th>
            <th scope="col">Here</th>
            <th scope="col">The difference</th>
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
