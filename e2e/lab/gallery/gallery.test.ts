import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exhibits } from "./exhibits.ts";
import { hunt } from "./hunt.ts";

// `npm run lab -- gallery` tries the others, and more seeds: they take minutes.
const quick = ["stranger-deleted", "spec-read-once", "unset-child-stays"];

describe.each(exhibits.filter(({ mistake }) => quick.includes(mistake)))("$mistake", (exhibit) => {
  const { plan: from = 1, classes } = exhibit;

  it("is found, and its class is named", async () => {
    const failure = await hunt(exhibit, "wrong", { from, plans: 20, seeds: 4 });
    expect(classes).toContain(failure?.verdict.class);
  });

  it("isn't found where it isn't made", async () => {
    const failure = await hunt(exhibit, "right", { from, plans: 1, seeds: 2 });
    expect(failure?.story).toBeUndefined();
  });
});

it("every folder is an exhibit", () => {
  const entries = readdirSync(new URL(".", import.meta.url), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(exhibits.map(({ mistake }) => mistake).sort()).toEqual(folders.sort());
});
