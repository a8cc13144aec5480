import { Select, TextInput } from "@mantine/core";
import {
  PARAMETERS,
  type Parameter,
  type ParameterName,
  type Texts,
} from "@/features/kinds/matrix/parameters";
import classes from "./ParameterFields.module.css";

type Props = {
  texts: Texts;
  errors: Texts;
  onChange: (name: ParameterName, text: string) => void;
  /** What holds where a field is left empty; without it no field may be. */
  inherited?: (parameter: Parameter) => string;
};

const GROUPS = [
  { group: "matrix", title: "Matrix" },
  { group: "path", title: "I/O path" },
] as const;

/** The fields of a test, grouped; what is seldom changed is folded. */
export function ParameterFields(props: Props) {
  const advanced = PARAMETERS.filter(({ group }) => group === "advanced");
  const attention = advanced.some(({ name }) => props.errors[name]);
  return (
    <div className={classes.groups}>
      {GROUPS.map(({ group, title }) => (
        <fieldset key={group} className={classes.group}>
          <legend>{title}</legend>
          <Fields {...props} parameters={PARAMETERS.filter((each) => each.group === group)} />
        </fieldset>
      ))}
      <details className={classes.advanced} open={attention || undefined}>
        <summary>Limits, sampling and order</summary>
        <Fields {...props} parameters={advanced} />
      </details>
    </div>
  );
}

function Fields({ parameters, ...props }: Props & { parameters: Parameter[] }) {
  return (
    <div className={classes.fields}>
      {parameters.map((parameter) => (
        <Field key={parameter.name} parameter={parameter} {...props} />
      ))}
    </div>
  );
}

const INHERIT = "";

function Field({
  parameter,
  texts,
  errors,
  onChange,
  inherited,
}: Props & { parameter: Parameter }) {
  const { name, label, help, choices, understood } = parameter;
  const text = texts[name] ?? "";
  const meaning = text && understood?.(text);
  const description = meaning ? (
    <>
      {help} <output className="figures">{meaning}</output>
    </>
  ) : (
    help
  );
  const shared = { label, description, error: errors[name], value: text };
  const standing = inherited?.(parameter);
  if (choices) {
    const data =
      standing === undefined
        ? choices
        : [
            { value: INHERIT, label: ["From profile", standing].filter(Boolean).join(": ") },
            ...choices,
          ];
    return (
      <Select {...shared} data={data} onChange={(value) => onChange(name, value ?? INHERIT)} />
    );
  }
  return (
    <TextInput
      {...shared}
      className={name === "block" ? classes.wide : undefined}
      placeholder={standing}
      spellCheck={false}
      autoComplete="off"
      styles={{ input: { fontFamily: "var(--font-figures)", fontSize: 13 } }}
      onChange={(event) => onChange(name, event.currentTarget.value)}
    />
  );
}
