import { CopyText } from "@/components/CopyText";
import { Section } from "@/components/page/Section";
import type { Reading } from "@/features/kinds/matrix/reading";
import type { Matrix } from "@/features/kinds/matrix/shapes";
import classes from "./AdvicePanel.module.css";
import { adviceWords } from "./advice";

/** `ended`: nothing will be measured any more. */
type Props = { matrix: Matrix; reading: Reading; ended: boolean };

/** The cheapest cell within noise of the best, as the settings that FileCatalyst takes. */
export function AdvicePanel({ matrix, reading, ended }: Props) {
  const advice = matrix.advice[reading.rate];
  return (
    <Section title="Recommendation">
      {advice ? (
        <div className={classes.advice}>
          <p className={classes.sentence}>{adviceWords(matrix, advice, reading.unit)}</p>
          <div>
            <h3 className={classes.title}>FileCatalyst settings</h3>
            <CopyText label="FileCatalyst settings" text={settingsText(advice.settings)} />
          </div>
        </div>
      ) : (
        <p>
          {ended
            ? "No recommendation: every cell has caveats."
            : "No recommendation yet: no cell has been measured without caveats."}
        </p>
      )}
    </Section>
  );
}

/** "numBlockWriters=1", a line a setting. */
export const settingsText = (settings: Record<string, string | number>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
