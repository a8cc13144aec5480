import type { KindName } from "@/features/kinds/kind";
import { KINDS } from "@/features/kinds/registry";
import classes from "./QuestionChoice.module.css";

interface QuestionChoiceProps {
  asked: KindName | null;
  onAsk: (kind: KindName) => void;
}

/** What somebody who launches wants to know: one card per test kind, which answers it. */
export function QuestionChoice({ asked, onAsk }: QuestionChoiceProps) {
  return (
    <fieldset className={classes.cards}>
      <legend className="visually-hidden">Question</legend>
      {KINDS.map(({ name, label, question, answer }) => (
        <label key={name} className={classes.card} data-asked={asked === name || undefined}>
          <input
            type="radio"
            name="question"
            checked={asked === name}
            onChange={() => onAsk(name)}
          />
          <span className={classes.question}>{question}</span>
          <span className={classes.answer}>{answer}</span>
          <span className={classes.kind}>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
