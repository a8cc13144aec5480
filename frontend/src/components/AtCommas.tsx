import { Fragment } from "react";

/** A text such as mount options, which breaks after its commas rather than within a value. */
export function AtCommas({ text }: { text: string }) {
  return text.split(/(?<=,)/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a part's place identifies it
    <Fragment key={index}>
      {index > 0 ? <wbr /> : null}
      {part}
    </Fragment>
  ));
}
