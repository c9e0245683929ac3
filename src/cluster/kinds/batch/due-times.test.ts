import { cronTimes } from "@tsbuilder/apimachinery/time";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dueTimes } from "./cron-job-controller.ts";

const at = (time: string) => Date.parse(`2030-01-01T${time}Z`);

describe("dueTimes()", () => {
  it("finds the last missed time, the number of missed times, and the next", () => {
    expect(dueTimes("*/15 * * * *", undefined, at("00:01:00"), at("00:46:00"))).toEqual({
      last: at("00:45:00"),
      missed: 3,
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

  it("stops counting after a hundred", () => {
    const { last, missed } = dueTimes("* * * * *", undefined, at("00:00:00"), at("12:00:30"));
    expect({ last, missed }).toEqual({ last: at("12:00:00"), missed: 100 });
  });

  it("finds the same times as cronTimes(), by which operators schedule their work", () => {
    const field = (min: number, max: number) =>
      fc.oneof(
        fc.constant("*"),
        fc.integer({ min, max }).map(String),
        fc.integer({ min: 2, max: 7 }).map((step) => `*/${step}`),
        fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map((both) => {
          const [low, high] = both.sort((left, right) => left - right);
          return `${low}-${high}`;
        }),
        fc.array(fc.integer({ min, max }), { minLength: 1, maxLength: 3 }).map((values) => values.join(",")),
      );
    const time = [field(0, 59), field(0, 23)] as const;
    const dates = fc.oneof(
      fc.tuple(...time, field(1, 28), field(1, 12), fc.constant("*")),
      fc.tuple(...time, fc.constant("*"), field(1, 12), field(0, 6)),
    );
    fc.assert(
      fc.property(dates, fc.integer({ min: 0, max: 4e9 }), (fields, seconds) => {
        const schedule = fields.join(" ");
        const now = seconds * 1000;
        expect(cronTimes(schedule)(now)).toBe(dueTimes(schedule, undefined, now, now).next);
      }),
    );
  });

  it("rejects an invalid schedule", () => {
    expect(() => dueTimes("every day", undefined, at("00:00:00"), at("00:00:01"))).toThrow();
  });
});
