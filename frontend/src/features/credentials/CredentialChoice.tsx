import { Button, Modal, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { credentialsQuery } from "@/api/queries";
import { useCan } from "@/api/useCan";
import classes from "./CredentialChoice.module.css";
import { CredentialForm } from "./CredentialForm";
import { PublicKey } from "./PublicKey";

type Props = { value: number | null; onChange: (id: number) => void; error?: React.ReactNode };

/** Selects a credential, or adds one in a dialog; shows the public key of a generated pair. */
export function CredentialChoice({ value, onChange, error }: Props) {
  const mayMake = useCan("admin");
  const [making, setMaking] = useState(false);
  const credentials = useQuery(credentialsQuery).data?.items ?? [];
  const chosen = credentials.find(({ id }) => id === value);
  return (
    <>
      <div className={classes.choice}>
        <Select
          label="Credential"
          required
          placeholder={credentials.length === 0 ? "None yet" : "Select"}
          data={credentials.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={value === null ? null : String(value)}
          onChange={(id) => id && onChange(Number(id))}
          error={error}
        />
        {mayMake ? (
          <Button variant="default" onClick={() => setMaking(true)}>
            New credential
          </Button>
        ) : null}
      </div>
      {chosen?.kind === "generated" ? <PublicKey credential={chosen} /> : null}
      <Modal opened={making} onClose={() => setMaking(false)} title="New credential" size="lg">
        <CredentialForm
          onMade={({ id }) => {
            onChange(id);
            setMaking(false);
          }}
        />
      </Modal>
    </>
  );
}
