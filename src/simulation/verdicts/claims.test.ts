import { expect, test } from "vitest";
import type { Run, TraceEvent } from "../contract/index.ts";
import { deletedClaims } from "./claims.ts";

const change = (by: string, what: "ADDED" | "MODIFIED" | "DELETED", fields: string[] = []): TraceEvent =>
  ({
    type: "change",
    resource: "persistentvolumeclaims",
    key: "default/data-web-0",
    by,
    change: what,
    fields,
  }) as unknown as TraceEvent;
const end = { type: "phase", phase: "months" } as unknown as TraceEvent;
const deletedIn = (...trace: TraceEvent[]): string[] => [
  ...deletedClaims({ trace: [...trace, end], writes: { "web-0": [] } } as unknown as Pick<
    Run,
    "trace" | "writes"
  >),
];

test("a claim that was never bound has no volume whose data could be lost", () => {
  const bind = change("cluster", "MODIFIED", ["spec.volumeName"]);
  const gone = change("web-0", "MODIFIED", ["metadata.deletionTimestamp"]);
  expect(deletedIn(change("cluster", "ADDED"), gone)).toEqual([]);
  expect(deletedIn(change("cluster", "ADDED"), bind, gone)).toEqual(["default/data-web-0"]);
  // The next claim of the name has another volume.
  expect(deletedIn(bind, change("user", "DELETED"), change("cluster", "ADDED"), gone)).toEqual([]);
});
