import { Button, Modal, Select } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { api, unwrap } from "@/api/client";
import type { paths } from "@/api/schema";
import { Resolved } from "@/components/feedback/Resolved";
import layout from "@/components/form/Form.module.css";
import { counted } from "@/components/quantities";
import { address, type ExportOf, type Format, selection } from "./exportOf";

/** Rows that a spreadsheet opens. */
const SPREADSHEET = 1_048_576;

type SizeQuery = paths["/api/v1/runs/export/size"]["get"]["parameters"]["query"];

type Choice = { value: string; label: string; what: string; rows?: number };

const sizeQuery = (of: ExportOf) =>
  queryOptions({
    queryKey: ["exports", of],
    queryFn: () => {
      const query = selection(of, new Date());
      return "compared" in of
        ? unwrap(
            api.GET("/api/v1/compare/export/size", {
              params: { query: query as { runs: string } },
            }),
          )
        : unwrap(
            api.GET("/api/v1/runs/export/size", {
              params: { query: query as unknown as SizeQuery },
            }),
          );
    },
    staleTime: 0,
  });

/** The rows and the format of an export, with the number of rows of each choice. */
export function ExportDialog({ of, onClose }: { of: ExportOf; onClose: () => void }) {
  const size = useQuery(sizeQuery(of));
  return (
    <Modal opened onClose={onClose} title="Export a table">
      <Resolved query={size} what="number of rows" rows={4}>
        {(known) => <Choices of={of} size={known} onClose={onClose} />}
      </Resolved>
    </Modal>
  );
}

interface ChoicesProps {
  of: ExportOf;
  size: { runs: number; trials: number; samples: number; formats: Format[] };
  onClose: () => void;
}

function Choices({ of, size, onClose }: ChoicesProps) {
  const compared = "compared" in of;
  const [rows, setRows] = useState(compared ? "figures" : "trials");
  const [format, setFormat] = useState<Format>("csv");
  const now = useMemo(() => new Date(), []);
  const choices: Choice[] = [
    ...(compared
      ? [
          {
            value: "figures",
            label: "Compared figure",
            what: "Each figure beside that of the base",
          },
          {
            value: "conditions",
            label: "Differing condition",
            what: "Each condition that differs, for each run",
          },
        ]
      : []),
    {
      value: "trials",
      label: "Trial",
      what: `${counted(size.trials, "trial")} of ${counted(size.runs, "run")}`,
      rows: size.trials,
    },
    {
      value: "samples",
      label: "Sample",
      what: `${counted(size.samples, "sample")}, each attempt over time`,
      rows: size.samples,
    },
  ];
  const chosen = choices.find(({ value }) => value === rows);
  const tooLong = format === "csv" && (chosen?.rows ?? 0) >= SPREADSHEET;
  return (
    <div className={layout.form}>
      <Select
        label="One row per"
        description={chosen?.what}
        data={choices.map(({ value, label }) => ({ value, label }))}
        allowDeselect={false}
        value={rows}
        onChange={(value) => setRows(value ?? rows)}
      />
      <Select
        label="Format"
        description={
          size.formats.includes("parquet")
            ? "CSV for spreadsheets, Parquet with types for pandas, DuckDB and Spark"
            : "Parquet is not available: pyarrow is not installed on the appliance"
        }
        data={[
          { value: "csv", label: "CSV" },
          { value: "parquet", label: "Parquet", disabled: !size.formats.includes("parquet") },
        ]}
        allowDeselect={false}
        value={format}
        onChange={(value) => setFormat(value === "parquet" ? "parquet" : "csv")}
      />
      {tooLong ? (
        <p className={layout.hint} role="status">
          Spreadsheets open at most 1,048,576 rows. Use Parquet, or narrow the list with its
          filters.
        </p>
      ) : null}
      <div className={layout.actions}>
        <Button
          onClick={onClose}
          renderRoot={(props) => (
            <a {...props} href={address(of, rows, format, now)} download>
              {props.children}
            </a>
          )}
        >
          Download {format === "csv" ? "CSV" : "Parquet"}
        </Button>
      </div>
    </div>
  );
}
