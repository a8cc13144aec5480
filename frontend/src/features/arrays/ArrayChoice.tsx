import { Button, Modal, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { arraysQuery } from "@/api/queries";
import { ArrayForm } from "./ArrayForm";
import classes from "./Arrays.module.css";
import { arrayOf } from "./describe";

const NO_ARRAY = "none";

type Props = {
  value: number | null;
  onChange: (id: number | null) => void;
  error?: React.ReactNode;
};

/** Selects the array behind a target, or adds one in a dialog. */
export function ArrayChoice({ value, onChange, error }: Props) {
  const [declaring, setDeclaring] = useState(false);
  const arrays = useQuery(arraysQuery).data?.items ?? [];
  return (
    <div className={classes.choice}>
      <Select
        label="Array"
        description="The storage system behind this target. Results with a working set under twice the array cache are marked “possibly served by the array”."
        data={[
          { value: NO_ARRAY, label: "None" },
          ...arrays.map((array) => ({ value: String(array.id), label: arrayOf(array) })),
        ]}
        value={value === null ? NO_ARRAY : String(value)}
        onChange={(id) => onChange(id === null || id === NO_ARRAY ? null : Number(id))}
        error={error}
      />
      <Button variant="default" onClick={() => setDeclaring(true)}>
        New array
      </Button>
      <Modal opened={declaring} onClose={() => setDeclaring(false)} title="Add array">
        <ArrayForm
          onSaved={({ id }) => {
            onChange(id);
            setDeclaring(false);
          }}
        />
      </Modal>
    </div>
  );
}
