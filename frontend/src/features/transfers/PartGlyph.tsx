/** What a part of a path is. */
export type PartKind = "disk" | "memory" | "cpu" | "card" | "link";

/** A drawing of a part, beside text that names it. */
export function PartGlyph({ kind }: { kind: PartKind }) {
  return (
    <svg
      viewBox="0 0 20 20"
      width="20"
      height="20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      aria-hidden="true"
    >
      {drawing[kind]}
    </svg>
  );
}

const drawing: Record<PartKind, React.ReactNode> = {
  disk: (
    <>
      <ellipse cx="10" cy="5" rx="6.5" ry="2.5" />
      <path d="M3.5 5v10c0 1.4 2.9 2.5 6.5 2.5s6.5-1.1 6.5-2.5V5M3.5 10c0 1.4 2.9 2.5 6.5 2.5s6.5-1.1 6.5-2.5" />
    </>
  ),
  memory: (
    <path d="M2.5 6h15v7.5h-15ZM5.5 8.5v2.5M10 8.5v2.5M14.5 8.500v2.500M5 13.500V16M8.3 13.500V16M11.7 13.500V16M15 13.500V16" />
  ),
  cpu: (
    <path d="M5.5 5.500h9v9h-9ZM8 8h4v4H8ZM8 5.500V2.500M12 5.500V2.500M8 17.500v-3M12 17.500v-3M5.5 8h-3M5.5 12h-3M17.5 8h-3M17.5 12h-3" />
  ),
  card: (
    <path d="M2.5 4.500v12M2.5 6h15v8h-15M6 14v2.500h6V14M6.5 9h3v2.500h-3ZM12.5 9h2v2.500h-2Z" />
  ),
  link: <path d="M2 10h16M14.5 6.5 18 10l-3.5 3.5" />,
};
