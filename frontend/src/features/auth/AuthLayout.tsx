import { Mark } from "@/components/Mark";
import classes from "./AuthLayout.module.css";

type Props = { title: string; children: React.ReactNode };

/** The layout of the pages before sign-in. */
export function AuthLayout({ title, children }: Props) {
  return (
    <main className={classes.page}>
      <title>{`${title} · Assay`}</title>
      <div className={classes.column}>
        <div className={classes.mark}>
          <Mark size={40} />
          <span>Assay</span>
        </div>
        <h1 className={classes.title}>{title}</h1>
        {children}
      </div>
    </main>
  );
}
