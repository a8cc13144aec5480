import { Checkbox, Select, TextInput } from "@mantine/core";
import classes from "./ParameterFields.module.css";
import { type Choice, listed, type Parameter, type ParameterGroup, type Texts } from "./parameters";

type Props = {
  groups: readonly ParameterGroup[];
  texts: Texts;
  errors: Texts;
  /** Called with the changed fields. */
  onChange: (changed: Texts) => void;
  /** The values of empty fields; without it no field may be empty. */
  inherited?: (parameter: Parameter) => string;
};

/** The fields of a test, grouped; rarely used ones are collapsed. */
export function ParameterFields({ groups, ...props }: Props) {
  return (
    <div className={classes.groups}>
      {groups.map(({ title, folded, parameters }) =>
        folded ? (
          <details
            key={title}
            className={classes.advanced}
            open={parameters.some(({ name }) => props.errors[name]) || undefined}
          >
            <summary>{title}</summary>
            <Fields {...props} parameters={parameters} />
          </details>
        ) : (
          <fieldset key={title} className={classes.group}>
            <legend>{title}</legend>
            <Fields {...props} parameters={parameters} />
          </fieldset>
        ),
      )}
    </div>
  );
}

type FieldProps = Omit<Props, "groups">;

function Fields({ parameters, ...props }: FieldProps & { parameters: readonly Parameter[] }) {
  return (
    <div className={classes.fields}>
      {parameters.map((parameter) => (
        <ParameterField key={parameter.name} parameter={parameter} {...props} />
      ))}
    </div>
  );
}

const INHERIT = "";

const withNote = ({ label, note }: Choice): string => (note ? `${label}: ${note}` : label);

/** The field of one parameter. */
export function ParameterField({
  parameter,
  texts,
  errors,
  onChange,
  inherited,
}: FieldProps & { parameter: Parameter }) {
  const { name, label, help } = parameter;
  const choices = parameter.choices?.map((one) => ({ value: one.value, label: withNote(one) }));
  const text = texts[name] ?? "";
  const meaning = text && parameter.understood?.(text);
  const description = meaning ? (
    <>
      {help} <output className="figures">{meaning}</output>
    </>
  ) : (
    help
  );
  const shared = { label, description, error: errors[name], value: text };
  const standing = inherited?.(parameter);
  if (parameter.fills) {
    return (
      <Select
        {...shared}
        className={parameter.wide ? classes.wide : undefined}
        value={null}
        data={choices ?? []}
        placeholder="Select to fill the fields"
        searchable
        onChange={(value) => value && onChange(parameter.fills?.(value) ?? {})}
      />
    );
  }
  if (choices && parameter.several) {
    const chosen = listed(text);
    return (
      <Checkbox.Group
        {...shared}
        value={chosen}
        // in the order in which they were selected: the first is what the others are compared with
        onChange={(values) => onChange({ [name]: values.join(", ") })}
      >
        {chosen.length === 0 && standing !== undefined ? (
          <p className={classes.standing}>
            {["From profile", standing].filter(Boolean).join(": ")}
          </p>
        ) : null}
        <div className={classes.several}>
          {choices.map((one) => (
            <Checkbox key={one.value} size="xs" value={one.value} label={one.label} />
          ))}
        </div>
      </Checkbox.Group>
    );
  }
  if (choices) {
    const data =
      standing === undefined
        ? choices
        : [
            { value: INHERIT, label: ["From profile", standing].filter(Boolean).join(": ") },
            ...choices,
          ];
    return (
      <Select
        {...shared}
        data={data}
        allowDeselect={standing !== undefined}
        onChange={(value) => onChange({ [name]: value ?? INHERIT })}
      />
    );
  }
  return (
    <TextInput
      {...shared}
      className={parameter.wide ? classes.wide : undefined}
      placeholder={standing}
      spellCheck={false}
      autoComplete="off"
      styles={{ input: { fontFamily: "var(--font-figures)", fontSize: 13 } }}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  );
}
