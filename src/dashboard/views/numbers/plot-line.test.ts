import * as fc from "fast-check";
import { expect, test } from "vitest";
import { madeSample } from "../../../dev/record/testdata/made-records.ts";
import { type Sample, sampleOf } from "../../../dev/record/timed.ts";
import { mostOf, pathOf, peaks } from "./plots.ts";

const blocked = ({ blocked: value }: Sample): number => value;
const samplesOf = (values: readonly (readonly [at: number, blocked: number])[]): Sample[] =>
  values.map(([at, value]) => sampleOf(madeSample(at, { blocked: value })));

test("what a sample says holds until the next one, and nothing is known before the first and after the end", () => {
  const samples = samplesOf([
    [150, 7],
    [350, 2],
  ]);
  expect(peaks(samples, blocked, { from: 0, to: 600, width: 6, until: 450 })).toEqual([NaN, 7, 7, 7, 2, NaN]);
  expect(peaks(samples, blocked, { from: 200, to: 300, width: 2, until: 450 })).toEqual([7, 7]);
});

test("however many samples a pixel has, its highest is drawn", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.nat(500)), { maxLength: 60 }),
      fc.integer({ min: 0, max: 900 }),
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 40 }),
      (values, from, length, width) => {
        const samples = samplesOf(values.toSorted(([a], [b]) => a - b));
        const to = from + length;
        const drawn = peaks(samples, blocked, { from, to, width, until: to });
        expect(drawn).toHaveLength(width);
        const before = samples.findLast(({ at }) => at < from);
        const seen = samples.filter(({ at }) => at >= from && at <= to);
        const expected = [...(before ? [before] : []), ...seen].map(blocked);
        expect(Math.max(1, ...expected)).toBe(mostOf([drawn]));
      },
    ),
  );
});

test("a path goes on level until a value changes", () => {
  expect(pathOf([NaN, 10, 10, 5, 0, 0, NaN], 10, 100)).toBe("M1 0H3V50H4V100H6");
  expect(pathOf([NaN, NaN], 1, 100)).toBe("");
});
