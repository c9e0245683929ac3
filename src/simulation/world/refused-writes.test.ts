import { expect, test } from "vitest";
import { workloads } from "../../../e2e/support/simulation/own-parts/workloads.ts";
import type { Fault, RefusalFault } from "../contract/index.ts";
import { simulate } from "./simulate.ts";

/** The first write of the cluster's controllers ends so. */
const refused = (how: RefusalFault["with"]): Fault[] => [
  { fault: "refuse", process: "controllers", request: 1, with: how, done: false },
];

test.each(["time-out", "reset"] as const)(
  "no write of the cluster's controllers ends with %s",
  async (how) => {
    await expect(simulate({ ...workloads, faults: refused(how) })).rejects.toThrow(
      `can't end with ${how}: no network lies between them and the server. Use conflict, too-many, error`,
    );
  },
);

test.each(["conflict", "too-many", "error"] as const)(
  "a write of the cluster's controllers that ends with %s is tried again",
  async (how) => {
    const { trace } = await simulate({ ...workloads, faults: refused(how) });
    expect(trace.filter(({ type }) => type === "fault")).toHaveLength(1);
    expect(trace.filter(({ type }) => type === "promise")).toEqual([]);
  },
);
