import classes from "./StateBadge.module.css";
import { lookOf, type Shape } from "./states";

interface StateBadgeProps {
  state: string;
  word?: string;
  /** A condition such as "lost", shown in addition to the state. */
  condition?: string | null;
}

/** A state as color, shape and word, so that none of them is needed alone. */
export function StateBadge({ state, word, condition }: StateBadgeProps) {
  if (condition) {
    return (
      <span className={classes.pair}>
        <StateBadge state={state} word={word} />
        <StateBadge state={condition} />
      </span>
    );
  }
  const { shape, color, label } = lookOf(state);
  return (
    <span className={classes.badge} style={{ color: `var(${color})` }} data-state={state}>
      <StateShape shape={shape} />
      {word ?? label}
    </span>
  );
}

/** The shape alone, next to text that names the state. */
export function StateShape({ shape }: { shape: Shape }) {
  return (
    <svg className={classes.shape} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      {drawing[shape]}
    </svg>
  );
}

const line = { fill: "none", stroke: "currentColor", strokeWidth: 1.6 };
const solid = { fill: "currentColor" };

const drawing: Record<Shape, React.ReactNode> = {
  disc: (
    <>
      <circle cx="6" cy="6" r="5.5" {...solid} />
      <path d="M3.4 6.2 5.3 8.1 8.7 4.2" fill="none" stroke="var(--paper)" strokeWidth="1.6" />
    </>
  ),
  cross: (
    <>
      <rect x="0.5" y="0.5" width="11" height="11" {...solid} />
      <path d="M3.6 3.6 8.4 8.4M8.4 3.6 3.6 8.4" stroke="var(--paper)" strokeWidth="1.6" />
    </>
  ),
  diamond: <path d="M6 .8 11.2 6 6 11.2.8 6Z" {...line} />,
  slash: (
    <>
      <circle cx="6" cy="6" r="5" {...line} />
      <path d="M2.6 9.4 9.4 2.6" {...line} />
    </>
  ),
  triangle: <path d="M2 .8 11 6 2 11.2Z" {...solid} className={classes.live} />,
  half: (
    <>
      <circle cx="6" cy="6" r="5" {...line} />
      <path d="M6 1a5 5 0 0 1 0 10Z" {...solid} />
    </>
  ),
  ring: <circle cx="6" cy="6" r="5" {...line} strokeDasharray="3.1 2.1" />,
  gap: (
    <>
      <path d="M6 1 11.3 10.8H.7Z" {...line} />
      <path d="M6 4.4v3M6 8.4v1.2" {...line} strokeWidth="1.4" />
    </>
  ),
};
