/** How cells do their I/O, where a test compares several: cache, CPU priority and I/O priority. */
import type { Mode } from "./shapes";

const WORDS: { [Name in keyof Mode]: Record<NonNullable<Mode[Name]>, string> } = {
  cache: { page: "page cache", direct: "direct I/O" },
  priority: {
    normal: "normal priority",
    high: "high priority",
    fifo: "SCHED_FIFO",
    rr: "SCHED_RR",
  },
  io_priority: {
    default: "default I/O priority",
    real_time: "real-time I/O priority",
    high: "high I/O priority",
    low: "low I/O priority",
    idle: "idle I/O priority",
  },
};

/** "direct I/O, SCHED_FIFO"; empty where the test compares nothing. */
export function modeWords({ cache, priority, io_priority }: Partial<Mode>): string {
  const words = [
    cache && WORDS.cache[cache],
    priority && WORDS.priority[priority],
    io_priority && WORDS.io_priority[io_priority],
  ];
  return words.filter(Boolean).join(", ");
}
