import { type FormRulesRecord, useForm } from "@mantine/form";
import type { FormEvent } from "react";
import { asProblem } from "@/api/client";
import { type Changed, useWrite } from "@/api/writes";

interface ApiFormOptions<Values, Saved> {
  /** The fields, named as in the API, so that its errors can be assigned to them. */
  initialValues: Values;
  validate?: FormRulesRecord<Values>;
  onValuesChange?: (values: Values) => void;
  /** What kind of object the form changes. */
  changed: Changed;
  send: (values: Values) => Promise<Saved>;
  onSaved?: (saved: Saved) => unknown;
}

/** A form that sends its values to the API and shows its errors field by field. */
export function useApiForm<Values extends Record<string, unknown>, Saved>({
  initialValues,
  validate,
  onValuesChange,
  changed,
  send,
  onSaved,
}: ApiFormOptions<Values, Saved>) {
  const form = useForm<Values>({
    initialValues,
    validate,
    onValuesChange,
    validateInputOnChange: true,
  });
  const write = useWrite<Values, Saved>(changed, send, onSaved);
  const submit = form.onSubmit((values) =>
    write.mutate(values, { onError: (error) => form.setErrors(asProblem(error).fields) }),
  );
  const problem = write.error ? asProblem(write.error) : null;
  const isAtFields = Object.keys(problem?.fields ?? {}).some((field) => field in form.values);
  return {
    form,
    onSubmit: (event: FormEvent<HTMLFormElement>) => {
      event.stopPropagation(); // a dialog's form may be nested in another form
      submit(event);
    },
    isPending: write.isPending,
    /** The error that belongs to no field. */
    problem: isAtFields ? null : problem,
  };
}
