/**
 * The data of a chart, for screen readers, the clipboard and CSV. Column names include the unit;
 * values are plain numbers.
 */

export type Value = string | number | null;

export interface DataTable {
  columns: string[];
  rows: Value[][];
}

/** RFC 4180: quoted if needed, CRLF between records, an empty field for a missing value. */
export function toCsv({ columns, rows }: DataTable): string {
  return [columns, ...rows]
    .map((row) => row.map(field).join(","))
    .join("\r\n")
    .concat("\r\n");
}

/** Tab-separated, the clipboard format of spreadsheets. */
export function toClipboard({ columns, rows }: DataTable): string {
  return [columns, ...rows]
    .map((row) => row.map((value) => plain(value).replace(/[\t\r\n]+/g, " ")).join("\t"))
    .join("\n");
}

/** A spreadsheet calculates text that begins with one of these, as in `runs/csv_text.py`. */
const FORMULA = /^[=+\-@\t\r]/;

/** A value as text that no spreadsheet takes for a formula. */
const plain = (value: Value): string =>
  typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value ?? "");

function field(value: Value): string {
  const text = plain(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
