import { Button } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import type { ExportOf } from "./exportOf";

// Few readers ask for it.
const ExportDialog = lazy(async () => ({
  default: (await import("./ExportDialog")).ExportDialog,
}));

/** Opens the choice of rows and format of an export. */
export function ExportButton({ of }: { of: ExportOf }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        Export…
      </Button>
      {opened ? (
        <Suspense>
          <ExportDialog of={of} onClose={() => setOpened(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
