import { defineKind } from "@tsbuilder/apimachinery/meta";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, test } from "vitest";
import { TerminalError } from "../errors/api-error.ts";
import { Manager } from "./manager.ts";
import type { ManagerOptions } from "./manager-options.ts";

const refused: [Partial<ManagerOptions>, string][] = [
  [{ name: "" }, "a manager's name is 1 to 128 characters"],
  [{ name: "mysql\noperator" }, "a manager's name is 1 to 128 characters"],
  [
    { gracefulShutdownTimeout: "soon" as never },
    'gracefulShutdownTimeout is "soon", which is not a duration: write it like "30s"',
  ],
  [{ blockedAfter: 1000 as never }, "blockedAfter is 1000, which is not a duration"],
  [{ leaderElection: { id: "" } }, 'leaderElection.id is "", which can\'t name a Lease'],
  [{ leaderElection: { id: "My Lease" } }, 'leaderElection.id is "My Lease"'],
  [
    { leaderElection: { id: "a", retryPeriod: "2" as never } },
    'leaderElection.retryPeriod is "2", which is not a duration',
  ],
  [{ leaderElection: { id: "a", renewDeadline: "20s" } }, "leaseDuration must be longer than renewDeadline"],
];

test.each(refused)("a manager rejects invalid options before it sends a request: %o", (options, message) => {
  const make = () => new Manager({ name: "test", ...options });
  expect(make).toThrow(message);
  expect(make).toThrow(TerminalError);
});

test("a manager exposes its clock, and its cache uses it", () => {
  const clock = new FakeClock();
  const manager = new Manager({ name: "test", clock, config: { server: "http://127.0.0.1:1" } });
  expect(manager.clock).toBe(clock);
  const Note = defineKind({ group: "", version: "v1" }, { kind: "Note", plural: "notes" });
  const subscription = manager.cache.informer(Note).subscribe(() => {}, { resyncPeriod: 3_600_000 });
  expect(clock.timers).toBe(1);
  subscription.unsubscribe();
  expect(clock.timers).toBe(0);
});
