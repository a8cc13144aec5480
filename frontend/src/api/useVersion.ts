import { useRef } from "react";

type Tagged = { etag: string };

/** The headers that reject a change if the object is no longer the version with this tag. */
export const ifMatch = (etag: string | undefined): { "If-Match"?: string } =>
  etag === undefined ? {} : { "If-Match": etag };

/**
 * The version of an object that a form was opened with: what it shows is fetched again meanwhile,
 * but a change is of what the user saw. `saved` is the version after the form's own change.
 */
export function useVersion(opened: Tagged | undefined) {
  const etag = useRef(opened?.etag);
  return {
    header: () => ifMatch(etag.current),
    saved: (object: Tagged) => {
      etag.current = object.etag;
    },
  };
}
