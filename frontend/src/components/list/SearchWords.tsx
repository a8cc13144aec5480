import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";

/** How long typing must pause before the list is asked for. */
const PAUSE_MS = 250;

interface SearchWordsProps {
  className?: string | undefined;
  label: string;
  value: string;
  onChange: (words: string) => void;
}

/** A field for words; it reports them when typing pauses. */
export function SearchWords({ className, label, value, onChange }: SearchWordsProps) {
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
      placeholder={label}
      maxLength={100}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        report(event.currentTarget.value.trim());
      }}
    />
  );
}
