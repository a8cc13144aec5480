import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";

/** How long typing must pause before the list is asked for. */
const PAUSE_MS = 250;

/** The most characters of words that the API takes. */
const LONGEST = 100;

interface SearchWordsProps {
  className?: string | undefined;
  label: string;
  /** By default the label. */
  placeholder?: string;
  /** The most characters. */
  longest?: number;
  value: string;
  onChange: (words: string) => void;
}

/** A field for words; it reports them when typing pauses. */
export function SearchWords(props: SearchWordsProps) {
  const { className, label, placeholder = label, longest = LONGEST, value, onChange } = props;
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    // it changed elsewhere, such as by "Clear all"
    setKnown(value);
    if (value !== text.trim()) setText(value);
  }
  const report = useDebouncedCallback((words: string) => onChange(words), PAUSE_MS);
  return (
    <TextInput
      className={className}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      maxLength={longest}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        report(event.currentTarget.value.trim());
      }}
    />
  );
}
