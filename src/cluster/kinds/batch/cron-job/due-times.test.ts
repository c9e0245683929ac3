import { cronTimes } from "@tsbuilder/apimachinery/time";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dueTimes } from "./cron-job-controller.ts";

const at = (time: string) => Date.parse(`2030-01-01T${time}Z`);

describe("dueTimes()", () => {
  it("finds the last missed time, and the next", () => {
    expect(dueTimes("*/15 * * * *", undefined, at("00:01:00"), at("00:46:00"))).toEqual({
      last: at("00:45:00"),
      next: at("01:00:00"),
    });
  });

  it("finds no time that is due yet", () => {
    expect(dueTimes("0 5 * * *", undefined, at("00:00:00"), at("04:59:59")).last).toBeUndefined();
  });

  it("reads a schedule in its time zone", () => {
    const { next } = dueTimes("0 9 * * *", "Asia/Tokyo", at("00:00:00"), at("00:00:01"));
    expect(next).toEqual(Date.parse("2030-01-02T00:00:00Z"));
  });

  it("finds the last of very many missed times", () => {
    const { last } = dueTimes("* * * * *", undefined, at("00:00:00") - 365 * 86_400_000, at("12:00:30"));
    expect(last).toBe(at("12:00:00"));
  });

  it("finds the last time that a walk from one to the next finds", () => {
    const schedules = fc.constantFrom("*/7 * * * *", "0 3 * * *", "* 0 1 * *", "5 4 * * 1-3");
    fc.assert(
      fc.property(schedules, fc.nat(86_400), fc.nat(10 * 86_400), (schedule, start, span) => {
        const since = at("00:00:00") + start * 1000;
        const now = since + span * 1000;
        const next = cronTimes(schedule);
        let last: number | undefined;
        for (let time = next(since); time <= now; time = next(time)) last = time;
        expect(dueTimes(schedule, undefined, since, now).last).toBe(last);
      }),
    );
  });

  it("finds every time at which the clocks of a time zone show the schedule, and no other", () => {
    const schedules = fc.constantFrom("30 2 * * *", "*/20 * * * *", "0 */3 * * 0", "15 1,3 28-31 3,10 *");
    const zones = fc.constantFrom("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata");
    fc.assert(
      fc.property(schedules, zones, fc.integer({ min: 0, max: 365 * 48 }), (schedule, zone, halfHours) => {
        const now = at("00:00:00") + halfHours * 1_800_000;
        const [next, shows] = [cronTimes(schedule), wallClock(zone)];
        const isDue = (time: number) => next(shows(time) - 1) === shows(time);
        const found = dueTimes(schedule, zone, now, now).next!;
        expect(isDue(found)).toBe(true);
        for (let time = now + 300_000; time < Math.min(found, now + 3 * 86_400_000); time += 300_000) {
          expect(isDue(time)).toBe(false);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("leaves out a time that the clocks skip", () => {
    const before = Date.parse("2030-03-30T12:00:00Z");
    const { next } = dueTimes("30 2 * * *", "Europe/Berlin", before, before);
    expect(next).toBe(Date.parse("2030-04-01T00:30:00Z"));
  });

  it("finds a time twice over which the clocks are set back", () => {
    const first = Date.parse("2030-10-27T00:30:00Z");
    const { next } = dueTimes("30 2 * * 0", "Europe/Berlin", first, first);
    expect(next).toBe(Date.parse("2030-10-27T01:30:00Z"));
  });

  it("rejects an invalid schedule", () => {
    expect(() => dueTimes("every day", undefined, at("00:00:00"), at("00:00:01"))).toThrow();
  });
});

/** Shifts a time to that which the clocks of a time zone show, as if it were UTC. */
function wallClock(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return (time) => Date.parse(`${format.format(time).replace(" ", "T")}Z`);
}
