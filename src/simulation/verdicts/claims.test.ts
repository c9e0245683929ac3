import { expect, test } from "vitest";
import type { Run, TraceEvent } from "../contract/index.ts";
import { deletedClaims } from "./claims.ts";

type What = "ADDED" | "MODIFIED" | "DELETED";
const changeOf =
  (resource: string, key: string) =>
  (by: string, change: What, fields: string[] = []): TraceEvent =>
    ({ type: "change", resource, key, by, change, fields }) as unknown as TraceEvent;
const change = changeOf("persistentvolumeclaims", "default/data-web-0");
const scale = (by: string): TraceEvent =>
  changeOf("statefulsets.apps", "default/web")(by, "MODIFIED", ["spec.replicas"]);
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

test("a claim that is there because somebody scaled a StatefulSet by hand holds nothing that an operator's users asked for", () => {
  const bind = change("cluster", "MODIFIED", ["spec.volumeName"]);
  const gone = change("web-0", "MODIFIED", ["metadata.deletionTimestamp"]);
  expect(deletedIn(scale("user"), change("cluster", "ADDED"), bind, scale("web-0"), gone)).toEqual([]);
  // The one that comes after the operator has corrected the size does.
  const corrected = [scale("user"), scale("web-0"), change("cluster", "ADDED"), bind, gone];
  expect(deletedIn(...corrected)).toEqual(["default/data-web-0"]);
  const other = changeOf("statefulsets.apps", "default/web-1")("user", "MODIFIED", ["spec.replicas"]);
  expect(deletedIn(other, change("cluster", "ADDED"), bind, gone)).toEqual(["default/data-web-0"]);
});
