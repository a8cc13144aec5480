import { Section } from "@/components/page/Section";
import classes from "@/features/kinds/Answer.module.css";

const NOTHING = ["The runs have nothing in common that compares."];

/** What a comparison found, a sentence in each line; none if nothing compares. */
export function AnswerSection({ sentences }: { sentences: readonly string[] }) {
  return (
    <Section title="Answer">
      {[...new Set(sentences.length > 0 ? sentences : NOTHING)].map((sentence) => (
        <p key={sentence} className={classes.sentence}>
          {sentence}
        </p>
      ))}
    </Section>
  );
}
