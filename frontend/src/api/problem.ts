import { upperFirst } from "@mantine/hooks";
import type { FieldProblem } from "./shapes";

/** An error response of the API (RFC 9457), with its own members. */
type ProblemBody = {
  title: string;
  status: number;
  /** The reason; the title if that says it all. */
  detail?: string | null;
  /** What to do about it. */
  remedy?: string | null;
  code?: string | null;
  errors?: FieldProblem[];
  [fact: string]: unknown;
};

/** A failed request. Its message is the reason and the remedy; `body.errors` names the fields. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly body: ProblemBody;

  constructor(body: ProblemBody) {
    super(sentences(body) || body.title);
    this.name = "Problem";
    this.status = body.status;
    this.code = body.code ?? "";
    this.body = body;
  }

  /** The messages by field: `{ "tests.0.file_size": "is larger than …" }`. */
  get fields(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const { field, message, remedy } of this.body.errors ?? []) {
      found[field] ??= explained(message, remedy);
    }
    return found;
  }
}

/** Reason and remedy, without a reason that only repeats the title. */
function sentences({ title, detail, remedy }: ProblemBody): string {
  const reason = detail === title ? "" : (detail ?? "");
  if (!remedy) return reason;
  return reason ? `${ended(reason)} ${remedy}` : remedy;
}

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Join a message fragment and its remedy as sentences: "Is too large. Use 1 GB or less." */
export function explained(message: string, remedy?: string | null): string {
  const first = ended(upperFirst(message));
  return remedy ? `${first} ${remedy}` : first;
}

/** The problem of a request without any response. */
export const unreachable = (): Problem =>
  new Problem({
    title: "Assay is not responding",
    status: 0,
    code: "unreachable",
    detail: "The server did not respond. It may be stopped or restarting.",
  });

/** Convert an error response to a Problem, whether or not its body is problem+json. */
export function problemOf(response: Response, body: unknown): Problem {
  if (typeof body === "object" && body !== null && "title" in body) {
    return new Problem({ ...(body as ProblemBody), status: response.status });
  }
  return new Problem({
    title: response.statusText || `Error ${response.status}`,
    status: response.status,
    detail: `The server returned status ${response.status} without details.`,
  });
}

/** Convert any thrown value to a Problem. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem({
    title: "Page error",
    status: 0,
    detail: error instanceof Error ? error.message : String(error),
  });
}
