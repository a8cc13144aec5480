import { describe, expect, it } from "vitest";
import { toClipboard, toCsv } from "./dataTable";

describe("a chart's data", () => {
  const table = {
    columns: ["time (s)", 'rate, "durable" (MB/s)'],
    rows: [
      [1, 20.5],
      [2, null],
    ],
  };

  it("is quoted in CSV only if necessary, and empty if nothing was measured", () => {
    expect(toCsv(table)).toBe('time (s),"rate, ""durable"" (MB/s)"\r\n1,20.5\r\n2,\r\n');
  });

  it("has no formula in CSV and on the clipboard, and numbers as they are", () => {
    const columns = ["=host", "+1"];
    const rows = [
      ["@sum", "-1+2"],
      ["a=b", -3],
    ];
    expect(toCsv({ columns, rows })).toBe("'=host,'+1\r\n'@sum,'-1+2\r\na=b,-3\r\n");
    expect(toClipboard({ columns, rows })).toBe("'=host\t'+1\n'@sum\t'-1+2\na=b\t-3");
  });

  it("is tab-separated on the clipboard, without tabs inside a value", () => {
    expect(toClipboard({ columns: ["a\tb"], rows: [[null], ["x"]] })).toBe("a b\n\nx");
  });
});
