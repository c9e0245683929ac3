import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../../src/book/build/find-chromium.ts";
import { type LongCommand, startTsbuilder } from "../support/dev-process.ts";
import { eventually } from "../support/eventually.ts";
import { initProject } from "../support/init-project.ts";
import { type OpenPage, openPage } from "../support/page/open-page.ts";
import { run, type Shell } from "../support/shell.ts";
import { repository } from "../support/source-imports.ts";

// What the page of `tsbuilder dev` does to a session, in a browser: each of its buttons.

const found = findChromium();
if ("missing" in found) console.log(`left out: the page's actions in a browser: ${found.missing}`);
const cli = join(repository, "bin/tsbuilder.js");
const created = ["--group", "apps", "--version", "v1", "--kind", "MySQL"];

describe.skipIf("missing" in found)("what the page of dev does", () => {
  let work: string;
  let project: Shell;
  let dev: LongCommand;
  let opened: OpenPage;

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), "tsbuilder-page-actions-"));
    project = { folder: join(work, "mysql-operator"), env: { HOME: work } };
    mkdirSync(project.folder);
    await initProject(project);
    await run(project, "node", cli, "create", "api", ...created);
    dev = startTsbuilder(project, "dev", "--plain", "--samples", "--", "--leader-elect");
    const address = (await dev.sees("see what happens: ")).slice("see what happens: ".length);
    await dev.sees("applied 1 sample");
    opened = await openPage("program" in found ? found.program : "", address);
  });

  afterAll(async () => {
    await opened?.close();
    await dev?.stop();
    rmSync(work, { recursive: true, force: true });
  });

  const sees = async (selector: string, text: RegExp): Promise<void> => {
    await eventually(async () =>
      expect(await opened.page.locator(selector).allInnerTexts()).toSatisfy((texts: readonly string[]) =>
        texts.some((one) => text.test(one)),
      ),
    );
  };
  const press = (role: "button" | "tab" | "treeitem", name: string | RegExp): Promise<void> =>
    opened.page.getByRole(role, { name }).first().click();
  const printed = (text: string): number => dev.lines.filter((line) => line.includes(text)).length;

  test("another replica takes the Lease, and the operator ends and leads again", async () => {
    await dev.sees("Successfully acquired lease");
    await opened.page.getByText("What if").click();
    await press("button", "Lose the leader");
    await sees(".actions", /the operator has lost its Lease, and runs again/u);
    await opened.picture("lose-leader");
    expect(printed("leader election lost to another-replica")).toBeGreaterThan(0);
    await eventually(() => expect(printed("Successfully acquired lease")).toBe(2), dev.watch);
    await opened.page.getByText("What if").click();
    await press("button", /^Reconciles$/u);
    await sees(".acts li", /let another replica take the operator's Lease/u);
    await opened.picture("acts");
    expect(await opened.judge()).toEqual([]);
    expect(opened.problems).toEqual([]);
  });
});
