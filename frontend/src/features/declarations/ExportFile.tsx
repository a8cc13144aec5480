import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import { saveText } from "@/charts/saveFile";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Section } from "@/components/page/Section";
import classes from "./Declarations.module.css";

/** Downloads a qualification file of everything that exists. */
export function ExportFile() {
  const download = useMutation({
    mutationFn: () => unwrap(api.GET("/api/v1/export")),
    onSuccess: ({ text }) => saveText(text, "qualification.yaml", "application/yaml"),
  });
  const credentials = download.data?.credentials ?? [];
  return (
    <Section
      title="Export a file"
      hint="All hosts, targets, arrays and profiles, except built-in profiles and the secrets of credentials."
      action={
        <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
          Download file
        </Button>
      }
    >
      {download.error ? <ProblemPanel error={download.error} /> : null}
      {credentials.length > 0 ? (
        <p className={classes.credentials} role="status">
          The file refers to these credentials by name: {credentials.join(", ")}. Add them to
          another appliance before you apply the file there.
        </p>
      ) : null}
    </Section>
  );
}
