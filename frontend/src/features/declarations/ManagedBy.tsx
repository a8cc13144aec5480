import { Notice } from "@/components/feedback/Notices";

/** A warning beside what a qualification file manages; nothing for other objects. */
export function ManagedBy({ file }: { file: string | null }) {
  if (file === null) return null;
  return (
    <Notice title={`Managed by the file ${file}`}>
      Make changes in the file: applying it again overwrites the fields that it sets.
    </Notice>
  );
}
