import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { meshQuery } from "@/api/queries";
import type { Campaign } from "@/api/shapes";
import { HeatGrid } from "@/charts/HeatGrid";
import { Resolved } from "@/components/feedback/Resolved";
import { Section } from "@/components/page/Section";
import { useRateUnit } from "@/components/quantities";
import { hasEnded } from "@/components/state/states";
import { PartDownloads } from "../PartDownloads";
import classes from "../scaleOut/ScaleOutSection.module.css";
import { meshGrid, runOf } from "./meshGrid";

/** The rate from each place to each other one, renewed whenever a run ends; a cell opens its run. */
export function MeshSection({ campaign }: { campaign: Campaign }) {
  const ended = campaign.runs.filter(({ state }) => hasEnded(state)).length;
  const query = useQuery(meshQuery(campaign.id, ended));
  const { unit } = useRateUnit();
  const navigate = useNavigate();
  return (
    <Section
      title="Mesh"
      hint={`Rates in ${unit}, from the place of the row to that of the column. A cell opens its run, with both ends over time.`}
      action={<PartDownloads campaignId={campaign.id} part="mesh" />}
    >
      <Resolved query={query} what="mesh" rows={4}>
        {(mesh) =>
          mesh.grids.map((grid) => (
            <div key={grid.test} className={classes.curve}>
              {mesh.grids.length > 1 ? <h3>{grid.title}</h3> : null}
              <HeatGrid
                grid={meshGrid(mesh, grid, campaign.runs, unit)}
                caption={`${grid.title}: rate in ${unit} from source to destination`}
                onSelect={(key) => {
                  const run = runOf(key);
                  if (run !== null) navigate({ to: "/runs/$id", params: { id: run } });
                }}
              />
            </div>
          ))
        }
      </Resolved>
    </Section>
  );
}
