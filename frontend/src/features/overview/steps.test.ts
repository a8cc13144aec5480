import { expect, it } from "vitest";
import { stepsDone } from "./steps";

const NOTHING = { hosts: 0, runs: 0, results: 0, hasRead: false };

it.each([
  ["nothing", {}, [false, false, false]],
  ["a host", { hosts: 1 }, [true, false, false]],
  ["a queued run of a host that was deleted", { runs: 1 }, [true, true, false]],
  ["a result that nobody has opened", { hosts: 1, runs: 1, results: 1 }, [true, true, false]],
  ["one that was opened", { hosts: 1, runs: 1, results: 1, hasRead: true }, [true, true, true]],
  ["many results and a new browser", { hosts: 1, runs: 3, results: 3 }, [true, true, true]],
  ["only deleted results", { hosts: 1, hasRead: true }, [true, false, false]],
])("with %s", (_, given, done) => {
  expect(stepsDone({ ...NOTHING, ...given })).toEqual(done);
});
