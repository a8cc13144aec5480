import classes from "./PartDownloads.module.css";

interface PartDownloadsProps {
  campaignId: number;
  /** The part of the campaign in the API's addresses. */
  part: "mesh" | "scale-out";
}

/** Links that save a part of a campaign as CSV and as JSON. */
export function PartDownloads({ campaignId, part }: PartDownloadsProps) {
  const address = `/api/v1/campaigns/${campaignId}/${part}`;
  const name = `campaign-${campaignId}-${part}`;
  return (
    <span className={classes.downloads}>
      <a href={`${address}.csv`} download={`${name}.csv`}>
        CSV
      </a>
      <a href={address} download={`${name}.json`}>
        JSON
      </a>
    </span>
  );
}
