import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { bookAddress } from "../../../src/shared/book-address.ts";
import { followSteps } from "../../book/follow-steps.ts";
import { type MovingShell, typeIn } from "../../book/type-in.ts";
import { nextPage, readBuiltPage } from "../../book/read-built-page.ts";
import { type Step, stepsOfBlocks } from "../../book/read-steps.ts";
import { readLock } from "../../../src/packaging/check-lock.ts";
import { repository } from "../../support/source-imports.ts";
import { startRegistry, type Verdaccio } from "../../support/registries/verdaccio.ts";
import { makeStranger, publishRelease } from "../../support/registries/stranger.ts";

// This stranger reads only what `npm run book` built.

const site = join(repository, "dist/book");
const base = process.env["BOOK_BASE"] ?? new URL(bookAddress).pathname;
let work: string;
let registry: Verdaccio | undefined;
let missing: string | undefined;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "tsbuilder-strangers-"));
  if (!existsSync(site)) throw new Error("the book is not built: npm run book builds it");
  ({ registry, missing } = await startRegistry("the built pages, followed with a release"));
  if (registry !== undefined) await publishRelease(registry, "0.2.0", join(work, "release"));
});
beforeEach(({ skip }) => {
  if (missing !== undefined) skip(missing);
});
afterAll(async () => {
  await registry?.stop();
  rmSync(work, { recursive: true, force: true });
});

/** One home for both: who reads the tutorial has installed tsbuilder for the quick start. */
test.each(["quick-start.html", "cronjob-tutorial/"])(
  "who has only the built pages from %s on, an empty home and a registry ends with a green test",
  async (first) => {
    const stranger = { ...makeStranger(join(work, "home"), registry!.url) };
    const steps = stepsFrom(first);
    const printed = await follow(steps, stranger);
    expect(steps.findLast(({ does }) => does === "run")).toMatchObject({ command: "npm test" });
    expect(stripVTControlCharacters(printed)).toMatch(/Test Files {2}\d+ passed \(\d+\)/);
    const lock = readFileSync(join(stranger.folder, "package-lock.json"), "utf8");
    expect(readLock(lock)?.packages?.["node_modules/@tsbuilder/runtime"]?.version).toBe("0.2.0");
    const sources = [...lock.matchAll(/"resolved": "([^"]*)"/g)].map(([, address]) => address!);
    expect(sources.filter((address) => !address.startsWith(registry!.url))).toEqual([]);
  },
);

/** The steps of a page, and if it begins a section, of all its pages: each links to the next one. */
function stepsFrom(first: string): Step[] {
  const steps: Step[] = [];
  for (let page: string | undefined = first; page !== undefined;) {
    const file: string = page.endsWith("/") ? `${page}index.html` : page;
    const html: string = readFileSync(join(site, file), "utf8");
    steps.push(...stepsOfBlocks(readBuiltPage(file, html)));
    const next = nextPage(html)?.slice(base.length);
    page =
      next && posix.dirname(next) !== "." && posix.dirname(next) === posix.dirname(file) ? next : undefined;
  }
  return steps;
}

/** Does the steps, in the folders to which the commands change; returns what the last command printed. */
async function follow(steps: readonly Step[], shell: MovingShell): Promise<string> {
  let printed = "";
  await followSteps(steps, shell, async (command) => (printed = await typeIn(shell, command, work)));
  return printed;
}
