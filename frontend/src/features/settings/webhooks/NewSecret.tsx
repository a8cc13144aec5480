import { CopyText } from "@/components/CopyText";
import classes from "../Settings.module.css";

/** The secret of a webhook, which the API returns only once. */
export function NewSecret({ secret }: { secret: string }) {
  return (
    <div className={classes.once} role="status">
      <p>
        <strong>The secret is shown only once.</strong> The receiver verifies the header{" "}
        <code>webhook-signature</code> with it, as defined by Standard Webhooks.
      </p>
      <CopyText text={secret} label="secret" />
    </div>
  );
}
