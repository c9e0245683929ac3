import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  longestDrain,
  requestTimeout,
  type ShardStep,
  ShardWorld,
  timing,
} from "../../../e2e/support/runtime/shard-world.ts";
import type { MemberEvent, MemberRecord, MemberState } from "./member.ts";
import { mayWrite, newMember, stepMember } from "./member.ts";
import { allRanges, countRanges, noRanges, rangeCount } from "./ranges.ts";

const { leaseDuration, retryPeriod } = timing;

/** The clocks of machines run at different speeds, by less than the deadlines differ. */
const rate = fc.double({ min: 0.95, max: 1.05, noNaN: true });
const who = fc.nat(5);
const stepOf = (layout: fc.Arbitrary<string>): fc.Arbitrary<ShardStep> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant("join" as const), rate, layout }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("kill" as const, "leave" as const), who }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant("suspend" as const), who, milliseconds: fc.nat(40_000) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant("trouble" as const), milliseconds: fc.nat(30_000) }),
    },
    { weight: 6, arbitrary: fc.record({ do: fc.constant("wait" as const), milliseconds: fc.nat(25_000) }) },
  );
const scheduleOf = (...layouts: string[]) =>
  fc.array(stepOf(fc.constantFrom(...layouts)), { minLength: 4, maxLength: 24 });

/** A death is seen within a lease and a look; then its ranges are claimed, and those that move are drained first. */
const calm = (leaseDuration * 1.1 + requestTimeout + 2 * retryPeriod + longestDrain) / 0.95;

function worldAfter(steps: readonly ShardStep[], luck: number): ShardWorld {
  const world = new ShardWorld(luck);
  world.perform({ do: "join", rate: 1, layout: "uid" });
  for (const step of steps) world.perform(step);
  world.perform({ do: "trouble", milliseconds: 0 });
  const resumed = world.members.map(({ isGone, suspendedUntil }) => (isGone ? 0 : suspendedUntil));
  world.run(Math.max(0, ...resumed.map((at) => at - world.now)));
  return world;
}

test("no range is ever written by two, whatever is suspended, killed, lost or late", () => {
  const { numRuns = 100 } = fc.readConfigureGlobal();
  fc.assert(
    fc.property(scheduleOf("uid", "uid", "namespace"), fc.nat(1e6), (steps, luck) => {
      const world = worldAfter(steps, luck);
      world.run(calm);
      expect(world.clashes).toEqual([]);
    }),
    { numRuns: numRuns * 4 },
  );
});

test("every range is held again within a lease of quiet, by equal shares", () => {
  const { numRuns = 100 } = fc.readConfigureGlobal();
  fc.assert(
    fc.property(scheduleOf("uid"), fc.nat(1e6), (steps, luck) => {
      const world = worldAfter(steps, luck);
      // One that had left while it was suspended is not heard of any more.
      world.perform({ do: "join", rate: 1, layout: "uid" });
      world.run(calm);
      expect(world.missing).toEqual([]);
      const shares = world.members
        .filter(({ isGone }) => !isGone)
        .map(({ writable }) => countRanges(writable));
      const fair = rangeCount / shares.length;
      expect(shares.every((share) => Math.abs(share - fair) < 1)).toBe(true);
    }),
    { numRuns },
  );
});

const settings = { name: "a", layout: "uid", ...timing };
const record = (name: string, more: Partial<MemberRecord> = {}): MemberRecord => ({
  name,
  uid: `${name}-1`,
  version: "1",
  layout: "uid",
  claims: noRanges,
  leaseDuration,
  ...more,
});

/** Steps through events, one each 100 ms, and returns the last commands. */
function follow(state: MemberState, ...events: MemberEvent[]) {
  let step: ReturnType<typeof stepMember> = { state, commands: [] };
  for (const [index, event] of events.entries()) step = stepMember(settings, step.state, event, index * 100);
  return step;
}
const wrote = (claims: bigint, uid = "a-1"): MemberEvent => ({
  type: "wrote",
  sentAt: 0,
  claims,
  lease: { uid, version: "1" },
});
const listed = (...records: MemberRecord[]): MemberEvent => ({ type: "listed", records });
/** One that holds everything. */
const alone = follow(
  newMember,
  { type: "start" },
  wrote(noRanges),
  listed(record("a")),
  wrote(allRanges),
  listed(record("a", { claims: allRanges })),
).state;

test("a member claims before it holds", () => {
  const claiming = follow(newMember, { type: "start" }, wrote(noRanges), listed(record("a")));
  expect(claiming.commands).toEqual([
    { type: "write", claims: allRanges, lease: { uid: "a-1", version: "1" } },
  ]);
  expect(claiming.state.held).toBe(noRanges);
  expect(alone.held).toBe(allRanges);
});

test("what a write without an answer may have withdrawn is claimed anew before it is held", () => {
  const halved = follow(alone, listed(record("a", { claims: allRanges }), record("b")));
  const lost = halved.state.draining;
  const draining = follow(halved.state, { type: "drained", ranges: lost }, { type: "waited" });
  expect(draining.commands).toMatchObject([{ type: "write", claims: allRanges & ~lost }]);
  // The write had an effect, its answer was lost, and then the other one left.
  const left = follow(draining.state, { type: "failed" }, { type: "conflicted" }, listed(record("a")));
  expect(left.commands).toMatchObject([{ type: "write", claims: allRanges }]);
  expect(left.state.held & lost).toBe(noRanges);
});

test.each<[string, MemberEvent]>([
  ["is gone", listed(record("b"))],
  ["was created anew, as a list shows", listed(record("a", { uid: "a-2" }))],
  ["was created anew, as an answer shows", wrote(allRanges, "a-2")],
])("a member whose Lease %s has lost everything", (_, event) => {
  const { state, commands } = follow(alone, event);
  expect(commands[0]).toEqual({ type: "lose" });
  expect(state.held | state.draining).toBe(noRanges);
});

test("a process that could not renew its Lease in time writes nothing, and goes on when it could", () => {
  const { renewDeadline } = timing;
  expect(mayWrite(settings, alone, 1n, renewDeadline - 1)).toBe(true);
  expect(mayWrite(settings, alone, 1n, renewDeadline)).toBe(false);
  const renewed = stepMember(settings, alone, { ...wrote(allRanges), sentAt: 12_000 } as MemberEvent, 12_001);
  expect(mayWrite(settings, renewed.state, 1n, 12_002)).toBe(true);
});

test("a Lease is deleted when it did not change for its duration, in the version that was seen", () => {
  const dead = record("b", { version: "7", claims: 1n });
  const seen = follow(alone, listed(record("a"), dead)).state;
  const before = stepMember(settings, seen, listed(record("a"), dead), leaseDuration - 1);
  expect(before.commands.map(({ type }) => type)).not.toContain("bury");
  const after = stepMember(settings, seen, listed(record("a"), dead), leaseDuration);
  expect(after.commands.at(-1)).toEqual({ type: "bury", records: [dead] });
  const renewed = stepMember(settings, seen, listed(record("a"), { ...dead, version: "8" }), leaseDuration);
  expect(renewed.commands.map(({ type }) => type)).not.toContain("bury");
});

test("who divides the objects in another way waits until the others have gone", () => {
  const stranger = record("b", { layout: "namespace", claims: 1n });
  const guest = follow(newMember, { type: "start" }, wrote(noRanges), listed(record("a"), stranger));
  expect(guest.state.desired).toBe(noRanges);
  // The first processes keep their ranges, although others wait.
  const host = follow(alone, listed(record("a"), { ...stranger, claims: noRanges }));
  expect(host.state.held).toBe(allRanges);
  // A claim of theirs is of any object.
  const { state } = follow({ ...alone, held: 1n }, listed(record("a"), { ...stranger, claims: 2n }));
  expect(state.held).toBe(1n);
});
