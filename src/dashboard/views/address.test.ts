import * as fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { AddressBar, addressOf, choicesOf, tokenOf } from "./address.ts";
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

/** A browser's history: the addresses that Back leads to, the current one last. */
function browser() {
  const location = { hash: "#token" };
  const addresses = [location.hash];
  const write = (at: number) => (_: unknown, title: string, url?: string | URL | null) =>
    void (addresses[at === 0 ? addresses.length - 1 : addresses.length] = location.hash = `${title}${url}`);
  return { addresses, bar: new AddressBar(location, { replaceState: write(0), pushState: write(1) }) };
}

test("a click is a step, and keeps what was typed just before it in the step that Back leads to", () => {
  const { addresses, bar } = browser();
  const typed = { ...initialChoices, filter: "db" };
  bar.write(initialChoices, typed, false);
  bar.write(typed, { ...typed, moment: 5 }, true);
  expect(addresses).toEqual(["#token&filter=db", "#token&filter=db&at=1970-01-01T00%3A00%3A00.005Z"]);
});

test("what is typed replaces the address after a pause, and a click that changes nothing is no step", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { addresses, bar } = browser();
  bar.write(initialChoices, { ...initialChoices, filter: "d" }, false);
  const typed = { ...initialChoices, filter: "db" };
  bar.write({ ...initialChoices, filter: "d" }, typed, false);
  bar.write(typed, typed, true);
  expect(addresses).toEqual(["#token"]);
  vi.advanceTimersByTime(300);
  expect(addresses).toEqual(["#token&filter=db"]);
});
