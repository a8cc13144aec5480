import { Popover, SegmentedControl, useMantineColorScheme } from "@mantine/core";
import { IconUser } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "@/api/client";
import { sessionQuery } from "@/api/queries";
import { RATE_UNITS, type RateUnit, useRateUnit } from "@/components/quantities";
import classes from "./UserMenu.module.css";

const SCHEMES = [
  { value: "auto", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

/** The user menu: throughput unit and theme (stored in the browser), shortcuts and sign-out. */
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

  const [opened, setOpened] = useState(false);

  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width={300}
      withinPortal={false}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <button
          type="button"
          className={classes.user}
          aria-label={`User menu: ${session?.user.name}`}
          onClick={() => setOpened(!opened)}
        >
          <IconUser size={18} stroke={1.5} aria-hidden="true" />
          <span>{session?.user.name}</span>
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label="User menu">
        <p className={classes.who}>
          <strong>{session?.user.name}</strong>, {session?.user.role}
        </p>
        <div className={classes.choice}>
          <p id="rate-unit">Throughput unit</p>
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
        <ul className={classes.items}>
          <li>
            <button
              type="button"
              onClick={() => {
                setOpened(false);
                onHelp();
              }}
            >
              Keyboard shortcuts <kbd>?</kbd>
            </button>
          </li>
          <li>
            <a href="/api/v1/openapi.json" target="_blank" rel="noreferrer">
              REST API (OpenAPI)
            </a>
          </li>
          <li>
            <button type="button" onClick={() => signOut.mutate()}>
              Sign out
            </button>
          </li>
        </ul>
      </Popover.Dropdown>
    </Popover>
  );
}
