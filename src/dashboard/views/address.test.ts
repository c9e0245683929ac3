import * as fc from "fast-check";
import { expect, test } from "vitest";
import { addressOf, choicesOf, tokenOf } from "./address.ts";
import { initialChoices, tabs, views } from "./shown.ts";

test("an address brings back every choice, and the token", () => {
  const text = fc.option(fc.string({ minLength: 1 }), { nil: undefined });
  const time = fc.integer({ min: 1, max: 4_000_000_000_000 });
  const choices = fc.record({
    view: fc.constantFrom(...views),
    tab: fc.constantFrom(...tabs),
    place: text,
    reconcileID: text,
    callID: text,
    filter: fc.string(),
    moment: fc.option(time, { nil: undefined }),
    stretch: fc.option(
      time.map((from) => ({ from, to: from + 5 })),
      { nil: undefined },
    ),
    everything: fc.boolean(),
  });
  fc.assert(
    fc.property(choices, (shown) => {
      const address = addressOf("a_-Z9", shown);
      expect(tokenOf(address)).toBe("a_-Z9");
      expect(choicesOf(address)).toEqual(shown);
    }),
  );
});

test.each(["", "#", "#token", "#token&view=nothing&tab=x&at=never&stretch=9-1&everything=no"])(
  "%j is the first view",
  (hash) => {
    expect(choicesOf(hash)).toEqual(initialChoices);
  },
);
