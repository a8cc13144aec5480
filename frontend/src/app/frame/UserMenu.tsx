import { Menu, SegmentedControl, useMantineColorScheme } from "@mantine/core";
import { IconUser } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, unwrap } from "@/api/client";
import { sessionQuery } from "@/api/queries";
import { RATE_UNITS, type RateUnit, useRateUnit } from "@/components/quantities";
import classes from "./UserMenu.module.css";

const SCHEMES = [
  { value: "auto", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

/** Who is signed in, the unit of rates, the theme; each remembered in this browser. */
export function UserMenu({ onHelp }: { onHelp: () => void }) {
  const { data: session } = useQuery(sessionQuery);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { unit, setUnit } = useRateUnit();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => unwrap(api.DELETE("/api/v1/session")),
    onSettled: async () => {
      queryClient.clear();
      await navigate({ to: "/login" });
    },
  });

  return (
    <Menu position="bottom-end" width={280} closeOnItemClick={false}>
      <Menu.Target>
        <button type="button" className={classes.user} aria-label={`Menu of ${session?.user.name}`}>
          <IconUser size={18} stroke={1.5} aria-hidden="true" />
          <span>{session?.user.name}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {session?.user.name} · {session?.user.role}
        </Menu.Label>
        <div className={classes.choice}>
          <p id="rate-unit">Unit of rates</p>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-labelledby="rate-unit"
            data={[...RATE_UNITS]}
            value={unit}
            onChange={(value) => setUnit(value as RateUnit)}
          />
        </div>
        <div className={classes.choice}>
          <p id="scheme">Theme</p>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-labelledby="scheme"
            data={[...SCHEMES]}
            value={colorScheme}
            onChange={(value) => setColorScheme(value as (typeof SCHEMES)[number]["value"])}
          />
        </div>
        <Menu.Divider />
        <Menu.Item closeMenuOnClick onClick={onHelp} rightSection={<kbd>?</kbd>}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Item component="a" href="/api/docs" target="_blank">
          REST interface
        </Menu.Item>
        <Menu.Item onClick={() => signOut.mutate()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
