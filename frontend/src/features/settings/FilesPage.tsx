import { ApplyFile } from "@/features/declarations/ApplyFile";
import { ExportFile } from "@/features/declarations/ExportFile";
import classes from "./Settings.module.css";
import { SettingsPage } from "./SettingsPage";

/** Qualification files: what exists as YAML, and back. */
export function FilesPage() {
  return (
    <SettingsPage title="Files">
      <p className={classes.about}>
        A qualification file describes hosts, targets, arrays and profiles as YAML, so that they can
        be reviewed, versioned and recreated. Pipelines use <code>assay apply</code> and{" "}
        <code>assay export</code>.
      </p>
      <ApplyFile />
      <ExportFile />
    </SettingsPage>
  );
}
