import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import classes from "./Notes.module.css";

/**
 * Headings continue below the section's; links leave the page; an image is its alternative text,
 * because loading it would tell another server who reads the notes.
 */
const COMPONENTS: Components = {
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h4>{children}</h4>,
  h3: ({ children }) => <h5>{children}</h5>,
  h4: ({ children }) => <h6>{children}</h6>,
  h5: ({ children }) => <h6>{children}</h6>,
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ),
  img: ({ alt }) => <>{alt}</>,
  input: ({ checked }) => <>{checked ? "☑" : "☐"}</>,
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard's way to scroll long lines
    <pre tabIndex={0}>{children}</pre>
  ),
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard's way to scroll a wide table
    <section className={classes.scroll} tabIndex={0} aria-label="Table">
      <table>{children}</table>
    </section>
  ),
};

/** Markdown as elements: HTML in it is shown as text, and only links to web and mail remain. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className={classes.text}>
      <ReactMarkdown remarkPlugins={[remarkGfm]} components={COMPONENTS}>
        {text}
      </ReactMarkdown>
    </div>
  );
}
