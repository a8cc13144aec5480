import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

/** Assay's gold from light to dark; only the sixth and seventh are used. */
const gold: MantineColorsTuple = [
  "#fdf6e3",
  "#f8eac3",
  "#f1d78f",
  "#eac45c",
  "#e4b440",
  "#dca62b",
  "#cf9a20",
  "#a87a12",
  "#8f6800",
  "#5d4300",
];

const gray: MantineColorsTuple = [
  "#f3f5f6",
  "#e8ecee",
  "#dde3e6",
  "#d3dade",
  "#b5bfc5",
  "#98a3aa",
  "#5a656d",
  "#444f57",
  "#2b343a",
  "#14191d",
];

const dark: MantineColorsTuple = [
  "#e6eaed",
  "#b0bac1",
  "#939ea6",
  "#737f88",
  "#2e353b",
  "#262c31",
  "#1c2024",
  "#15181b",
  "#111416",
  "#0f1214",
];

export const theme = createTheme({
  colors: { gold, gray, dark },
  primaryColor: "gold",
  primaryShade: 5,
  autoContrast: true,
  fontFamily: "var(--font-text)",
  fontFamilyMonospace: "var(--font-figures)",
  fontSizes: { xs: "12px", sm: "14px", md: "14px", lg: "16px", xl: "20px" },
  lineHeights: { xs: "16px", sm: "20px", md: "20px", lg: "24px", xl: "28px" },
  spacing: { xs: "4px", sm: "8px", md: "16px", lg: "24px", xl: "32px" },
  radius: { xs: "2px", sm: "4px", md: "4px", lg: "4px", xl: "4px" },
  defaultRadius: "sm",
  headings: { fontFamily: "var(--font-text)", fontWeight: "600" },
  respectReducedMotion: true,
  cursorType: "pointer",
  components: {
    Button: { defaultProps: { variant: "filled" } },
    InputWrapper: {
      defaultProps: { inputWrapperOrder: ["label", "input", "error", "description"] },
    },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { "aria-label": "Show or hide what is typed" } },
    },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: false } },
    Modal: {
      defaultProps: {
        closeButtonProps: { "aria-label": "Close" },
        overlayProps: { backgroundOpacity: 0.4 },
        transitionProps: { duration: 120 },
      },
    },
    Select: { defaultProps: { allowDeselect: false, checkIconPosition: "right" } },
  },
});

/** Mantine's general variables use the values of `tokens.css`, in both schemes. */
export const variables: CSSVariablesResolver = () => {
  const shared = {
    "--mantine-color-body": "var(--paper)",
    "--mantine-color-text": "var(--ink)",
    "--mantine-color-dimmed": "var(--ink-3)",
    "--mantine-color-placeholder": "var(--ink-3)",
    "--mantine-color-default": "var(--surface)",
    "--mantine-color-default-hover": "var(--sunken)",
    "--mantine-color-default-border": "var(--rule-strong)",
    "--mantine-color-error": "var(--fail)",
    "--mantine-color-anchor": "var(--ink)",
    "--mantine-shadow-xs": "none",
    "--mantine-shadow-sm": "var(--lift)",
    "--mantine-shadow-md": "var(--lift)",
    "--mantine-shadow-lg": "var(--lift)",
    "--mantine-shadow-xl": "var(--lift)",
  };
  return { variables: {}, light: shared, dark: shared };
};
