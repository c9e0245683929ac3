import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Desired, loadConfig } from "@tsbuilder/runtime";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../../book/check-book.ts";
import { type LongCommand, startTsbuilder } from "../../support/dev/dev-process.ts";
import { eventually } from "../../support/eventually.ts";
import { initProject } from "../../support/projects/init-project.ts";
import { type OpenPage, openPage } from "../../support/dev/page/open-page.ts";
import { waitForAnHour } from "../../support/dev/page/planted-operator.ts";
import { run, type Shell } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// Each button of the page of `tsbuilder dev` is pressed in a browser, and changes the session.

const found = findChromium();
if ("missing" in found) console.log(`left out: the page's actions in a browser: ${found.missing}`);
const cli = join(repository, "bin/tsbuilder.js");
const created = ["--group", "apps", "--version", "v1", "--kind", "MySQL"];

const hourly = {
  metadata: { namespace: "default", name: "hourly" },
  spec: {
    schedule: "0 * * * *",
    jobTemplate: {
      spec: {
        template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } },
      },
    },
  },
} satisfies Desired<CronJob>;

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
    const controller = join(project.folder, "src/controller/mysql_controller.ts");
    writeFileSync(controller, waitForAnHour(readFileSync(controller, "utf8")));
    await start("--", "--leader-elect");
  });

  const start = async (...args: string[]): Promise<void> => {
    dev = startTsbuilder(project, "dev", "--plain", "--samples", ...args);
    const address = (await dev.sees("see what happens: ")).slice("see what happens: ".length);
    await dev.sees("applied 1 sample");
    opened = await openPage("program" in found ? found.program : "", address);
  };

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
    await sees(".acts li", /gave the operator's Lease to another replica/u);
    await opened.picture("acts");
    expect(await opened.judge()).toEqual([]);
    expect(opened.problems).toEqual([]);
  });

  test("an operator that leads is started again when the clock is moved", async () => {
    await press("button", /^Objects$/u);
    await opened.page.getByText("What if").click();
    const lost = printed("leader election lost");
    await press("button", "1 day");
    await sees(".actions", /the clock was moved/u);
    await eventually(() => expect(printed("Successfully acquired lease")).toBe(3), dev.watch);
    expect(printed("leader election lost")).toBe(lost);
    await opened.close();
    expect(await dev.stop()).toBe(0);
  });

  test("the operator is started again, and what the page can do fits into a small window", async () => {
    await start();
    await opened.page.getByText("What if").click();
    await press("button", "Restart the operator");
    await sees(".actions", /the operator runs again/u);
    await opened.page.setViewportSize({ width: 480, height: 800 });
    const { x, width } = (await opened.page.locator(".actions > div").boundingBox())!;
    await opened.picture("what-if-small");
    expect([x >= 0, x + width <= 480]).toEqual([true, true]);
    expect(await opened.judge()).toEqual([]);
    await opened.page.setViewportSize({ width: 1280, height: 800 });
    await opened.page.getByText("What if").click();
    await press("button", /^Log$/u);
    await sees(".printed", /page restarted the operator/u);
  });

  test("without leader election, what waits is due once the clock is moved", async () => {
    await press("button", /^Objects$/u);
    await opened.page.getByText("What if").click();
    await sees(".actions", /dev -- --leader-elect/u);
    const kubeconfig = join(project.folder, ".tsbuilder/dev/kubeconfig");
    const client = createClient(await loadConfig({ kubeconfig, env: {} }));
    await client.create(CronJob, hourly);
    await press("button", "1 h");
    await sees(".actions", /the clock was moved/u);
    await opened.picture("move-clock");
    await opened.page.getByText("What if").click();
    await press("treeitem", /MySQL default\/mysql-sample/u);
    await press("tab", "Changes");
    await sees(".changes li", /by controller-manager.*\+ +waited: an hour/su);
    await eventually(async () =>
      expect((await client.list(Job)).map(({ metadata }) => metadata.ownerReferences?.[0]?.name)).toEqual([
        "hourly",
      ]),
    );
    await press("tab", "Reconciles");
    await press("button", /done.*\(wrote it\)/u);
    await sees(".reconciles li", /Because of\s+requeueAfter 3600 s/u);
    await press("button", /^Reconciles$/u);
    await sees(".acts li", /moved the clock forward by 1 h/u);
    await opened.picture("moved");
    await client.close();
    expect(opened.problems).toEqual([]);
  });

  test("a session that went back in time is written as a test, which passes", async () => {
    await opened.close();
    expect(await dev.stop()).toBe(0);
    await start();
    const kubeconfig = join(project.folder, ".tsbuilder/dev/kubeconfig");
    const client = createClient(await loadConfig({ kubeconfig, env: {} }));
    const kind = await client.mapper.kindFor({ apiVersion: "apps.example.com/v1", kind: "MySQL" });
    const key = { namespace: "default", name: "mysql-sample" };
    const set = (foo: string) => client.patch(kind, key, { merge: { spec: { foo } } });
    await press("button", /^Objects$/u);
    await press("treeitem", /MySQL default\/mysql-sample/u);
    await press("tab", "Changes");
    await sees(".changes li", /created by/u);
    await set("undone");
    await sees(".changes li", /\+ +foo: undone/u);
    await opened.page
      .locator(".changes li", { hasText: "created by" })
      .last()
      .getByRole("button")
      .first()
      .click();
    await press("button", "Go back to here");
    await press("button", /^Go back$/u);
    await sees(".moment-bar", /went back to .*1 change/u);
    await set("kept");
    await sees(".changes li", /\+ +foo: kept/u);
    await opened.page.getByText("What if").click();
    await press("button", "Write the session as a test");
    await sees(".actions", /written to src\/controller\/recorded.test.ts/u);
    await client.close();
    const file = "src/controller/recorded.test.ts";
    const written = readFileSync(join(project.folder, file), "utf8");
    expect(written).toContain('foo: "kept"');
    expect(written).not.toContain("undone");
    await run(project, "npx", "vitest", "run", file);
    expect(opened.problems).toEqual([]);
  });
});
