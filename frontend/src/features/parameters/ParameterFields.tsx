import { Checkbox, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import classes from "./ParameterFields.module.css";
import {
  type Choice,
  listed,
  type Parameter,
  type ParameterGroup,
  parametersIn,
  type Texts,
} from "./parameters";

type Props = {
  groups: readonly ParameterGroup[];
  texts: Texts;
  errors: Texts;
  /** Called with the changed fields. */
  onChange: (changed: Texts) => void;
  /** The values of empty fields; without it no field may be empty. */
  inherited?: (parameter: Parameter) => string;
  /** The parameters that are shown first, the others behind "more"; without it groups fold. */
  first?: ReadonlySet<string>;
};

/** The fields of a test, grouped; rarely used ones are collapsed. */
export function ParameterFields({ groups, first, ...props }: Props) {
  if (first) return <FirstFields groups={groups} first={first} {...props} />;
  return (
    <div className={classes.groups}>
      {groups.map(({ title, folded, parameters }) =>
        folded ? (
          <Folded key={title} title={title} parameters={parameters} errors={props.errors}>
            <Fields {...props} parameters={parameters} />
          </Folded>
        ) : (
          <Group key={title} title={title} parameters={parameters} {...props} />
        ),
      )}
    </div>
  );
}

/** A few fields, and all others in their groups behind "more". */
function FirstFields({
  groups,
  first,
  ...props
}: Omit<Props, "first"> & Required<Pick<Props, "first">>) {
  const isFirst = ({ name }: Parameter) => first.has(name);
  const others = groups
    .map((group) => ({ ...group, parameters: group.parameters.filter((one) => !isFirst(one)) }))
    .filter(({ parameters }) => parameters.length > 0);
  const behind = parametersIn(others);
  const changed = behind.filter(({ name }) => props.texts[name]?.trim()).length;
  return (
    <div className={classes.groups}>
      <Fields parameters={parametersIn(groups).filter(isFirst)} {...props} />
      {behind.length === 0 ? null : (
        <Folded
          title={`${behind.length} more parameter${behind.length === 1 ? "" : "s"}${changed === 0 ? "" : `, ${changed} changed`}`}
          parameters={behind}
          errors={props.errors}
        >
          <div className={classes.groups}>
            {others.map((group) => (
              <Group key={group.title} {...group} {...props} />
            ))}
          </div>
        </Folded>
      )}
    </div>
  );
}

type FoldedProps = ParameterGroup & { errors: Texts; children: React.ReactNode };

/** Fields behind a line; an error in one of them opens it, and its correction leaves it open. */
function Folded({ title, parameters, errors, children }: FoldedProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className={classes.advanced}
      open={isOpen || parameters.some(({ name }) => errors[name])}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{title}</summary>
      {children}
    </details>
  );
}

function Group({ title, ...props }: FieldProps & Pick<ParameterGroup, "title" | "parameters">) {
  return (
    <fieldset className={classes.group}>
      <legend>{title}</legend>
      <Fields {...props} />
    </fieldset>
  );
}

type FieldProps = Omit<Props, "groups" | "first">;

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

/** A text of choices by their labels. */
const labelled = ({ choices }: Parameter, text: string): string =>
  listed(text)
    .map((one) => choices?.find(({ value }) => value === one)?.label ?? one)
    .join(", ");

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
  const standing = inherited?.(parameter);
  const said = choices ? labelled(parameter, text) : text.trim();
  const isChanged = standing !== undefined && text.trim() !== "" && said !== standing;
  const shared = {
    label,
    description,
    error: errors[name],
    value: text,
    // of one shape always: an input that moved in the tree would lose the focus
    inputContainer: (input: React.ReactNode) => (
      <>
        {input}
        {isChanged ? (
          <Changed label={label} from={standing} onReset={() => onChange({ [name]: INHERIT })} />
        ) : null}
      </>
    ),
  };
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

/** What a field's value replaces, and the way back to it. */
function Changed({ label, from, onReset }: { label: string; from: string; onReset: () => void }) {
  return (
    <p className={classes.changed}>
      Changed{from ? `; profile: ${from}` : ""}
      <button
        type="button"
        aria-label={`Reset ${label}`}
        onClick={(event) => {
          // this button goes with the change
          event.currentTarget.closest("p")?.parentElement?.querySelector("input")?.focus();
          onReset();
        }}
      >
        Reset
      </button>
    </p>
  );
}
