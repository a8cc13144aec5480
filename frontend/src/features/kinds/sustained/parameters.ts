/** The parameters of a sustained test. */
import type { RunParameters } from "@/api/shapes";
import { formatBytes } from "@/components/quantities";
import type { Choice, Parameter, ParameterGroup } from "@/features/parameters/parameters";
import {
  blocksText,
  fileSizeText,
  parseBlocks,
  parseCount,
  parseCounts,
  parseFileSize,
  parseSpan,
  spanText,
  understoodBlocks,
  understoodFileSize,
} from "@/features/parameters/parse";
import {
  parseLength,
  parseNanoseconds,
  parseRates,
  parseSize,
  ratesText,
  spanOf,
  understoodRates,
} from "./parse";
import { PRESET_CHOICES, presetTexts } from "./presets";
import type { SustainedTest } from "./shapes";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const HOUR_NS = 3600e9;

type Worded = "cache" | "file_mode" | "pace" | "order";

function choice(
  name: Worded,
  rest: Pick<Parameter, "label" | "help">,
  choices: Choice[],
): Parameter<SustainedTest> {
  return {
    name,
    ...rest,
    choices,
    text: (test) => test[name] ?? "",
    parse: (text) =>
      choices.some(({ value }) => value === text)
        ? { value: text }
        : { error: "Select a value from the list." },
  };
}

export const GROUPS: ParameterGroup<SustainedTest>[] = [
  {
    title: "Length and files",
    parameters: [
      {
        name: "length",
        label: "Length",
        help: "Data of all streams, such as 1 TB or 2 * ram, or a duration, such as 25 h.",
        text: (test) => fileSizeText(test.length),
        parse: parseLength,
        understood: understoodFileSize,
        measured: measuredLength,
      },
      {
        name: "block",
        label: "Block sizes",
        help: "I/O size; one cell per value. Direct I/O rounds it up to the file system's alignment.",
        text: (test) => blocksText(test.block ?? []),
        parse: parseBlocks,
        understood: understoodBlocks,
        wide: true,
      },
      {
        name: "streams",
        label: "Streams",
        help: "Concurrent writers, each with its own files.",
        text: (test) => String(test.streams),
        parse: (text) => parseCount(text, 1, 64),
      },
      choice("file_mode", { label: "Files", help: "Of each stream." }, [
        { value: "one", label: "One file" },
        { value: "sequence", label: "Sequence: a new file every file size" },
        { value: "ring", label: "Ring: files overwritten in turn" },
      ]),
      {
        name: "file_size",
        label: "File size",
        help: "Of each file of a sequence or a ring.",
        text: (test) => fileSizeText(test.file_size ?? 0),
        parse: parseFileSize,
        understood: understoodFileSize,
        measured: ifUsed(
          ({ file_mode }) => file_mode !== "one",
          ({ file_size }) =>
            typeof file_size === "number" ? formatBytes(file_size) : String(file_size),
        ),
      },
      {
        name: "ring_files",
        label: "Files of the ring",
        help: "A ring under twice the memory is partly overwritten before it is written back.",
        text: (test) => String(test.ring_files),
        parse: (text) => parseCount(text, 2, 512),
        measured: ifUsed(
          ({ file_mode }) => file_mode === "ring",
          ({ ring_files }) => String(ring_files),
        ),
      },
      {
        name: "repeats",
        label: "Repeats",
        help: "Trials of each cell.",
        text: (test) => String(test.repeats),
        parse: (text) => parseCount(text, 1, 100),
      },
    ],
  },
  {
    title: "Pacing",
    parameters: [
      {
        name: "pacing_preset",
        label: "Pacing preset",
        help: "Fills the fields below with the rate of a line or a camera.",
        choices: PRESET_CHOICES,
        wide: true,
        text: () => "",
        parse: () => ({ error: "Select a preset to fill the fields below." }),
        fills: presetTexts,
      },
      choice("pace", { label: "Pacing", help: "When the next write may begin." }, [
        { value: "none", label: "None: as fast as possible" },
        { value: "rate", label: "Rate: absolute schedule" },
        { value: "burst", label: "Burst and gap" },
      ]),
      {
        name: "rate_bytes_per_s",
        label: "Rates",
        help: "Of all streams together; one cell per value.",
        text: (test) => ratesText(test.rate_bytes_per_s ?? []),
        parse: parseRates,
        understood: understoodRates,
        measured: ifUsed(
          ({ pace }) => pace === "rate",
          ({ rate_bytes_per_s }) => ratesText(rate_bytes_per_s ?? []),
        ),
      },
      {
        name: "burst_blocks",
        label: "Blocks per burst",
        help: "Of each stream; one cell per value.",
        text: (test) => (test.burst_blocks ?? []).join(", "),
        parse: (text) => parseCounts(text, 1, 1_000_000),
        measured: ifUsed(isBurst, ({ burst_blocks }) => (burst_blocks ?? []).join(", ")),
      },
      {
        name: "gap_ns",
        label: "Gap",
        help: "Sleep after each burst.",
        text: (test) => spanOf(test.gap_ns ?? 0),
        parse: (text) => parseNanoseconds(text, 0, HOUR_NS),
        measured: ifUsed(isBurst, ({ gap_ns }) => spanOf(gap_ns ?? 0)),
      },
      {
        name: "quantum_ns",
        label: "Delay quantum",
        help: "Gaps are rounded up to its multiples: 15.625 ms reproduces Owl's clock; 0 is literal.",
        text: (test) => spanOf(test.quantum_ns ?? 0),
        parse: (text) => parseNanoseconds(text, 0, HOUR_NS),
        measured: ifUsed(isBurst, ({ quantum_ns }) => spanOf(quantum_ns ?? 0)),
      },
      {
        name: "peak_limit_ns",
        label: "Peak limit",
        help: "The sweet spot of a sweep is the highest rate whose peak write time is below it.",
        text: (test) => spanOf(test.peak_limit_ns ?? 0),
        parse: (text) => parseNanoseconds(text, 1000, HOUR_NS),
      },
    ],
  },
  {
    title: "I/O path",
    parameters: [
      choice(
        "cache",
        {
          label: "Cache",
          help: "Direct I/O bypasses the page cache. The test fails if the file system does not support it.",
        },
        [
          { value: "page", label: "Page cache" },
          { value: "direct", label: "Direct (O_DIRECT)" },
          { value: "direct_if_real", label: "Direct, else page cache" },
        ],
      ),
      {
        name: "sync_bytes",
        label: "Periodic sync",
        help: "fdatasync after this much data of a stream; 0 syncs only at the end.",
        text: (test) => fileSizeText(test.sync_bytes ?? 0),
        parse: (text) => parseSize(text, 512, true),
      },
    ],
  },
  {
    title: "Limits, marks and sampling",
    folded: true,
    parameters: [
      {
        name: "ramp_ms",
        label: "Ramp-up",
        help: "Excluded from all figures.",
        text: (test) => spanText(test.ramp_ms ?? 0),
        parse: (text) => parseSpan(text, 0, 8784 * HOUR),
      },
      {
        name: "mark_bytes",
        label: "Marks",
        help: "Figures every so much data; a trial has 100 to 200,000 marks.",
        text: (test) => fileSizeText(test.mark_bytes ?? 0),
        parse: (text) => parseSize(text, 512),
      },
      {
        name: "timeout_ms",
        label: "Time limit",
        help: "Per trial, without the final sync. Data transferred by then counts.",
        text: (test) => spanText(test.timeout_ms ?? 0),
        parse: (text) => parseSpan(text, 100, 100 * HOUR),
      },
      {
        name: "sync_timeout_ms",
        label: "Sync limit",
        help: "For the final sync. If exceeded, the durable rate is reported as an upper bound.",
        text: (test) => spanText(test.sync_timeout_ms ?? 0),
        parse: (text) => parseSpan(text, 100, 100 * HOUR),
      },
      {
        name: "sample_ms",
        label: "Sampling interval",
        help: "From 100 ms to 60 s; longer for a trial that would have over 200,000 samples.",
        text: (test) => spanText(test.sample_ms ?? 0),
        parse: (text) => parseSpan(text, 100, 60 * SECOND),
      },
      choice("order", { label: "Order", help: "Of the cells of a sweep. The order is recorded." }, [
        { value: "shuffled", label: "Shuffled" },
        { value: "given", label: "As given" },
      ]),
    ],
  },
];

function isBurst({ pace }: SustainedTest): boolean {
  return pace === "burst";
}

/** A parameter as a run measured with it, or that it did not use it. */
function ifUsed(used: (test: SustainedTest) => boolean, text: (test: SustainedTest) => string) {
  return (parameters: RunParameters): string => {
    const test = parameters as unknown as SustainedTest;
    return used(test) ? text(test) : "not used";
  };
}

/** A run's length in bytes, whatever expression the test has. */
function measuredLength(parameters: RunParameters): string | null {
  const { length } = parameters as unknown as SustainedTest;
  return typeof length === "number" ? formatBytes(length) : null;
}
