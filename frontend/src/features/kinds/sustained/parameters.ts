/** The parameters of a sustained test. */
import { BOUNDS } from "@/api/bounds";
import type { RunParameters } from "@/api/shapes";
import { formatBytes } from "@/components/quantities";
import type { ParameterGroup } from "@/features/parameters/parameters";
import {
  blocksText,
  fileSizeText,
  fromTo,
  parseBlocks,
  parseCount,
  parseCounts,
  parseFileSize,
  parseSize,
  parseSpan,
  parseSpans,
  spanText,
  understoodBlocks,
  understoodFileSize,
} from "@/features/parameters/parse";
import { parseRate, parseRates, ratesText, understoodRates } from "@/features/parameters/rates";
import {
  CACHE,
  choice,
  choices,
  ORDER,
  SAMPLING_INTERVAL,
  SYNC_LIMIT,
  TIME_LIMIT,
} from "@/features/parameters/shared";
import { isDuration, parseLength, parseNanoseconds, spanOf } from "./parse";
import { PRESET_CHOICES, presetTexts } from "./presets";
import type { SustainedTest } from "./shapes";

/** A launch does not override it. */
export const OPERATION = choice("operation", { label: "Operation" }, [
  { value: "write", label: "Write" },
  { value: "read", label: "Read" },
  { value: "mixed", label: "Mixed: reads and writes of one working set" },
  { value: "both", label: "Write and read at the same time" },
]);

export const GROUPS: ParameterGroup<SustainedTest>[] = [
  {
    title: "Length and files",
    parameters: [
      {
        name: "length",
        label: "Length",
        help: "Data of all streams, such as 1 TB or 2 * ram, or a duration, such as 25 h. A duration reads a ring or at random; writing and reading at the same time needs a duration.",
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
        help: "Concurrent writers or readers, each with its own files.",
        text: (test) => String(test.streams),
        parse: (text) => parseCount(text, ...BOUNDS.sustained.streams),
      },
      choice(
        "access",
        {
          label: "Access",
          help: "Random visits each block of the file once per pass, in an order of its own. Mixed reads and writes are random.",
        },
        [
          { value: "sequential", label: "Sequential" },
          { value: "random", label: "Random: one file per stream" },
        ],
      ),
      {
        name: "read_percent",
        label: "Read share (%)",
        help: "Percent of the operations that read; the others write.",
        text: (test) => String(test.read_percent ?? 70),
        parse: (text) => parseCount(text, ...BOUNDS.sustained.read_percent),
        used: ({ operation }) => operation === "mixed",
      },
      {
        name: "seed",
        label: "Seed",
        help: "The same seed visits the blocks in the same order.",
        text: (test) => String(test.seed ?? 0),
        parse: (text) => parseCount(text, ...BOUNDS.sustained.seed),
        used: isRandom,
      },
      choice("file_mode", { label: "Files", help: "How each stream lays out its data." }, [
        { value: "one", label: "One file" },
        { value: "sequence", label: "Sequence: a new file every file size" },
        { value: "ring", label: "Ring: files overwritten or read again in turn" },
      ]),
      {
        name: "file_size",
        label: "File size",
        help: "Of each file of a sequence or a ring; with random access, the working set of each stream, which is written before each trial.",
        text: (test) => fileSizeText(test.file_size ?? 0),
        parse: parseFileSize,
        understood: understoodFileSize,
        used: ({ file_mode, access }) => file_mode !== "one" || access === "random",
        measured: measuredFileSize,
      },
      {
        name: "ring_files",
        label: "Ring files",
        help: "A ring under twice the memory is partly overwritten before it is written back.",
        text: (test) => String(test.ring_files),
        parse: (text) => parseCount(text, ...BOUNDS.sustained.ring_files),
        used: ({ file_mode }) => file_mode === "ring",
      },
      {
        name: "repeats",
        label: "Repeats",
        help: "Trials of each cell.",
        text: (test) => String(test.repeats),
        parse: (text) => parseCount(text, ...BOUNDS.sustained.repeats),
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
      choice("pace", { label: "Pacing", help: "When the next operation may begin." }, [
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
        used: ({ pace }) => pace === "rate",
      },
      {
        name: "burst_blocks",
        label: "Blocks per burst",
        help: "Of each stream; one cell per value.",
        text: (test) => (test.burst_blocks ?? []).join(", "),
        parse: (text) => parseCounts(text, ...BOUNDS.sustained.burst_blocks),
        used: isBurst,
      },
      {
        name: "gap_ns",
        label: "Gap",
        help: "Sleep after each burst.",
        text: (test) => spanOf(test.gap_ns ?? 0),
        parse: (text) => parseNanoseconds(text, ...BOUNDS.sustained.gap_ns),
        used: isBurst,
      },
      {
        name: "quantum_ns",
        label: "Delay quantum",
        help: "Gaps are rounded up to multiples of it: 15.625 ms reproduces Owl's clock; 0 keeps gaps exact.",
        text: (test) => spanOf(test.quantum_ns ?? 0),
        parse: (text) => parseNanoseconds(text, ...BOUNDS.sustained.quantum_ns),
        used: isBurst,
      },
      {
        ...choice(
          "read_pace",
          {
            label: "Pacing of reads",
            help: "Of a test that writes and reads at the same time.",
          },
          [
            { value: "same", label: "Same as the writes" },
            { value: "none", label: "None: as fast as possible" },
            { value: "rate", label: "Rate: absolute schedule" },
          ],
        ),
        used: ({ operation }: SustainedTest) => operation === "both",
      },
      {
        name: "read_rate_bytes_per_s",
        label: "Rate of reads",
        help: "Of all streams together.",
        text: (test) => ratesText([test.read_rate_bytes_per_s ?? 0]),
        parse: parseRate,
        understood: understoodRates,
        used: ({ operation, read_pace }) => operation === "both" && read_pace === "rate",
      },
      {
        name: "peak_limit_ns",
        label: "Peak limit",
        help: "The sweet spot of a sweep is the highest rate whose peak operation time is below it.",
        text: (test) => spanOf(test.peak_limit_ns ?? 0),
        parse: (text) => parseNanoseconds(text, ...BOUNDS.sustained.peak_limit_ns),
      },
    ],
  },
  {
    title: "I/O path",
    parameters: [
      choices(
        "cache",
        {
          label: "Cache",
          help: `${CACHE.help} Two are compared, one cell each, with the first selected.`,
        },
        CACHE.choices ?? [],
      ),
      choice(
        "engine",
        {
          label: "Engine",
          help: "io_uring keeps several operations of a stream in flight; a host whose kernel forbids it is refused at launch.",
        },
        [
          { value: "threads", label: "Threads: one operation per stream" },
          { value: "io_uring", label: "io_uring: queue depth per stream" },
        ],
      ),
      {
        name: "queue_depth",
        label: "Queue depths",
        help: `Operations of each stream in flight, ${fromTo(BOUNDS.sustained.queue_depth)}; one cell per value.`,
        text: (test) => (test.queue_depth ?? []).join(", "),
        parse: (text) => parseCounts(text, ...BOUNDS.sustained.queue_depth),
        used: ({ engine }) => engine === "io_uring",
      },
      {
        name: "sync_bytes",
        label: "Sync after data",
        help: "fdatasync after this much data of a stream; 0 for none.",
        text: (test) => fileSizeText(test.sync_bytes ?? 0),
        parse: (text) => parseSize(text, ...BOUNDS.sustained.sync_bytes),
        used: ({ operation }) => operation !== "read",
      },
      {
        name: "sync_ms",
        label: "Sync interval",
        help: "fdatasync after the first write that ends this long after a stream's last sync; 0 for none. Not with a sync after data.",
        text: (test) => spanText(test.sync_ms ?? 0),
        parse: (text) => parseSpan(text, ...BOUNDS.sustained.sync_ms),
        used: ({ operation }) => operation !== "read",
      },
    ],
  },
  {
    title: "Preparation",
    folded: true,
    parameters: [
      {
        name: "fill_percent",
        label: "Fill level",
        help: "Percent of the file system that is not free before each trial; Assay adds files and removes them at the end. 0 fills nothing.",
        text: (test) => String(test.fill_percent ?? 0),
        parse: (text) => parseCount(text, ...BOUNDS.sustained.fill_percent),
      },
      {
        name: "precondition_passes",
        label: "Preconditioning passes",
        help: "How often the ring or file is written before the trial, not measured; SNIA asks for 2.",
        text: (test) => String(test.precondition_passes ?? 0),
        parse: (text) => parseCount(text, ...BOUNDS.sustained.precondition_passes),
        used: ({ operation, file_mode }) => operation !== "read" && file_mode !== "sequence",
      },
      choice(
        "purge",
        { label: "Purge", help: "Assay cannot purge a device. Declare it if you did." },
        [
          { value: "none", label: "Not declared" },
          { value: "declared", label: "Declared: the device was purged before this test" },
        ],
      ),
      {
        name: "idle_ms",
        label: "Idle before the trial",
        help: `At most ${spanText(BOUNDS.sustained.idle_ms[1])}. Several values, one cell each, show how long the storage rests to recover from a cliff.`,
        wide: true,
        text: (test) => (test.idle_ms ?? []).map(spanText).join(", "),
        parse: (text) => parseSpans(text, ...BOUNDS.sustained.idle_ms),
      },
      {
        name: "prepare_timeout_ms",
        label: "Preparation limit",
        help: "A trial fails if its preparation takes longer; the idle time is not included.",
        text: (test) => spanText(test.prepare_timeout_ms ?? 0),
        parse: (text) => parseSpan(text, ...BOUNDS.sustained.prepare_timeout_ms),
      },
    ],
  },
  {
    title: "Priority",
    folded: true,
    parameters: [
      choices(
        "priority",
        {
          label: "CPU priority",
          help: "Of the streams' threads; one cell per value, compared with the first selected. Above normal it needs CAP_SYS_NICE, or RLIMIT_NICE or RLIMIT_RTPRIO; without them the run is refused.",
        },
        [
          { value: "normal", label: "Normal" },
          { value: "high", label: "High: nice \u221210" },
          { value: "fifo", label: "Real time: SCHED_FIFO" },
          { value: "rr", label: "Real time: SCHED_RR" },
        ],
      ),
      choices(
        "io_priority",
        {
          label: "I/O priority",
          help: "One cell per value. For direct I/O and reads under the schedulers bfq and mq-deadline (classes only). A run event reports where it has no effect.",
        },
        [
          { value: "default", label: "Default: from the nice value" },
          { value: "real_time", label: "Real time" },
          { value: "high", label: "High: best effort 0" },
          { value: "low", label: "Low: best effort 7" },
          { value: "idle", label: "Idle" },
        ],
      ),
    ],
  },
  {
    title: "Verification",
    folded: true,
    parameters: [
      {
        ...choice(
          "read_back",
          {
            label: "Read-back",
            help: "Reads every byte that is left after the final sync and verifies it; of a ring, what was written last.",
          },
          [
            { value: "none", label: "None" },
            { value: "same_host", label: "By the same host, after dropping the page cache" },
            { value: "other_host", label: "By another host of the shared file system" },
          ],
        ),
        used: ({ operation }) => operation !== "read",
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
        parse: (text) => parseSpan(text, ...BOUNDS.sustained.ramp_ms),
      },
      {
        name: "mark_bytes",
        label: "Marks",
        help: "Data between two marks; a trial has 100 to 200,000 marks.",
        text: (test) => fileSizeText(test.mark_bytes ?? 0),
        parse: (text) => parseSize(text, ...BOUNDS.sustained.mark_bytes),
      },
      { ...TIME_LIMIT, used: ({ length }) => !isDuration(length) },
      SYNC_LIMIT,
      {
        ...SAMPLING_INTERVAL,
        help: `${SAMPLING_INTERVAL.help} Longer for a trial that would have over 200,000 samples.`,
      },
      { ...ORDER, help: "Of the cells of a sweep. The order is recorded." },
    ],
  },
];

function isRandom({ access }: SustainedTest): boolean {
  return access === "random";
}

function isBurst({ pace }: SustainedTest): boolean {
  return pace === "burst";
}

/** A run's length in bytes, whatever expression the test has. */
function measuredLength(parameters: RunParameters): string | null {
  const { length } = parameters as unknown as SustainedTest;
  return typeof length === "number" ? formatBytes(length) : null;
}

/** The size of a run's files in bytes, whatever expression the test has. */
function measuredFileSize(parameters: RunParameters): string | null {
  const { file_size } = parameters as unknown as SustainedTest;
  return typeof file_size === "number" ? formatBytes(file_size) : null;
}
