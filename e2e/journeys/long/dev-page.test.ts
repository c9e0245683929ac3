import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, loadConfig } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../../book/check-book.ts";
import { type LongCommand, startTsbuilder } from "../../support/dev/dev-process.ts";
import { eventually } from "../../support/eventually.ts";
import { initProject } from "../../support/projects/init-project.ts";
import { type OpenPage, openPage } from "../../support/dev/page/open-page.ts";
import { plantMistakes, slowDown } from "../../support/dev/page/planted-operator.ts";
import { run, type Shell } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// The page of `tsbuilder dev` in a browser: what a user sees of an operator with mistakes, and does to it.

const found = findChromium();
if ("missing" in found) console.log(`left out: the page of dev in a browser: ${found.missing}`);
const cli = join(repository, "bin/tsbuilder.js");
const created = ["--group", "apps", "--version", "v1", "--kind", "MySQL"];

describe.skipIf("missing" in found)("the page of dev", () => {
  let work: string;
  let project: Shell;
  let dev: LongCommand;
  let client: Client;
  let address: string;
  let opened: OpenPage;

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), "tsbuilder-page-"));
    project = { folder: join(work, "mysql-operator"), env: { HOME: work } };
    mkdirSync(project.folder);
    await initProject(project);
    await run(project, "node", cli, "create", "api", ...created);
    await run(project, "node", cli, "create", "webhook", ...created, "--defaulting");
    edit(project, "src/controller/mysql_controller.ts", plantMistakes);
    edit(project, "src/webhook/v1/mysql_defaulter.ts", slowDown);
    dev = startTsbuilder(project, "dev", "--plain", "--samples", "--record", "session.jsonl");
    address = (await dev.sees("see what happens: ")).slice("see what happens: ".length);
    await dev.sees("applied 1 sample");
    const kubeconfig = join(project.folder, ".tsbuilder/dev/kubeconfig");
    client = createClient(await loadConfig({ kubeconfig, env: {} }));
    opened = await openPage("program" in found ? found.program : "", address);
  });

  afterAll(async () => {
    await opened?.close();
    await dev?.stop();
    rmSync(work, { recursive: true, force: true });
  });

  const sees = async (selector: string, text: string | RegExp): Promise<void> => {
    await eventually(async () =>
      expect(await opened.page.locator(selector).allInnerTexts()).toSatisfy(has(text)),
    );
  };
  /** Sees a text that may be folded away. */
  const tells = async (selector: string, text: RegExp): Promise<void> => {
    await eventually(async () =>
      expect(await opened.page.locator(selector).allTextContents()).toSatisfy(has(text)),
    );
  };
  const unfold = (cause: string): Promise<void> =>
    opened.page.locator(".problems li", { hasText: cause }).first().locator("summary").click();
  const press = (role: "button" | "tab" | "treeitem", name: string | RegExp): Promise<void> =>
    opened.page.getByRole(role, { name }).first().click();
  const mysql = () => client.mapper.kindFor({ apiVersion: "apps.example.com/v1", kind: "MySQL" });
  const create = async (name: string): Promise<void> => {
    const kind = await mysql();
    await client.create(kind, { metadata: { namespace: "default", name }, spec: {} });
  };

  test("its first view tells how the own objects stand, and shows one with what belongs to it", async () => {
    await sees(".verdict-line", /Your object is well/u);
    await sees(".kinds tr", /✓\s+ready\s+default\/mysql-sample/u);
    await sees(".pane", /✓\s+ready\s+\S+\s+MySQL default\/mysql-sample.*Ready\s+True\s+Reconciled/su);
    await opened.picture("now");
    await eventually(async () => expect(await opened.page.title()).toBe("✓ mysql-operator"));
  });

  test("it shows the objects as a tree, and how one became what it is; back, and a reload, lead to the same place", async () => {
    await press("button", /^Objects$/u);
    await sees("[role=treeitem]", /✓\s+ready\s+MySQL default\/mysql-sample/su);
    await press("treeitem", /mysql-sample/u);
    await press("tab", "Changes");
    await sees(".changes li", /changed by controller-manager.*\+ .*reason: Reconciled/su);
    await sees(".changes li", /created by kubernetes-admin/u);
    await opened.picture("changes");
    await press("tab", "Fields");
    await sees(".fields tr", /reason: Reconciled\s+mysql-operator \(status\)/u);
    await opened.picture("fields");
    await press("tab", "Reconciles");
    await sees(".reconciles li", /mysql default\/mysql-sample ✓ done.*caused by it and wrote it/su);
    await opened.picture("object-reconciles");
    await opened.page.goBack();
    await sees("[role=tab][aria-selected=true]", "Fields");
    await opened.page.reload();
    await sees(".fields tr", /reason: Reconciled\s+mysql-operator \(status\)/u);
    expect(opened.problems).toEqual([]);
  });

  test("a phone shows the list of objects, or one of them", async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole("button", { name: "‹ All objects" }).click();
    await sees(".tree .node", "MySQL");
    expect(await page.locator(".pane").isVisible()).toBe(false);
    await page.locator(".tree .node").first().click();
    await eventually(async () => expect(await page.locator(".pane").isVisible()).toBe(true));
    expect(await page.locator(".tree").isVisible()).toBe(false);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("it shows the reconciles in time, and why one ran", async () => {
    await press("button", /^Reconciles$/u);
    await press("button", /mysql default\/mysql-sample.*done/u);
    await sees(".chosen", /Because of\s+add of MySQL default\/mysql-sample/u);
    await sees(
      ".chosen",
      /PATCH\s+\/apis\/apps\.example\.com\/v1\/namespaces\/default\/mysqls\/mysql-sample\/status/u,
    );
    await sees(".chosen .printed", /Reconciled MySQL/u);
    await opened.picture("timeline");
    expect(opened.problems).toEqual([]);
  });

  test("it draws the operator's numbers, and tells those of a moment to whoever has a keyboard alone", async () => {
    await press("button", /^Numbers$/u);
    await sees(".numbers-table", /Reconciles that run.*mysql\s+\d.*Memory.*resident\s+\d+\.\d MB/su);
    await sees(".numbers-table", /MySQL\.apps\.example\.com\s+1/u);
    const slider = opened.page.getByRole("slider", { name: "Moment of the numbers" });
    await slider.press("Home");
    await sees(".moment-bar output", /before the last change/u);
    await opened.picture("numbers");
    await slider.press("End");
    await sees(".moment-bar output", "now");
    expect(await slider.getAttribute("aria-valuetext")).toMatch(/Event loop: blocked \d+ ms/u);
    expect(opened.problems).toEqual([]);
  });

  test("it breaks no rule of accessibility in any view, asks nobody else, and has no errors", async () => {
    for (const view of [/^Now/u, /^Objects$/u, /^Reconciles$/u, /^Numbers$/u, /^Log$/u]) {
      await press("button", view);
      expect(await opened.judge()).toEqual([]);
    }
    await opened.picture("log");
    expect(opened.problems).toEqual([]);
  });

  test("it names two writers that fight, a hot loop, a missing permission and a slow webhook", async () => {
    for (const name of ["fought", "hot", "refused", "slow"]) await create(name);
    const settings = { namespace: "default", name: "settings" };
    for (const size of ["2", "3", "4", "5"]) {
      await eventually(async () =>
        expect((await client.get(ConfigMap, settings)).data).toEqual({ size: "1" }),
      );
      await client.patch(ConfigMap, await client.get(ConfigMap, settings), { merge: { data: { size } } });
    }
    await press("button", /^Now/u);
    await tells(".problems li", /fight over data\.size of ConfigMap default\/settings/su);
    await tells(".problems li", /itself reconcile default\/hot again and again.*ConfigMap default\/beat/su);
    await tells(".problems li", /not allowed to create secrets.*verbs=create/su);
    await tells(
      ".problems li",
      /mutating webhook mmysql\.v1\.apps\.example\.com is slow.*CREATE.*of mysqls\.apps\.example\.com.*\d+\.\d s/su,
    );
    expect(await opened.page.locator(".story").textContent()).not.toContain(
      "of mysqls.apps.example.com is slow",
    );
    await opened.picture("findings");
    expect(await opened.judge()).toEqual([]);
  });

  test("the log shows its end, and draws no more lines than are seen", async () => {
    await press("button", /^Log$/u);
    const [isLong, isAtEnd] = [
      "scrollHeight > 2 * clientHeight",
      "scrollTop + clientHeight >= scrollHeight - 1",
    ];
    const seen = `(({ scrollTop, scrollHeight, clientHeight }) => [${isLong}, ${isAtEnd}])(document.querySelector("[role=log]"))`;
    await eventually(async () => expect(await opened.page.evaluate(seen)).toEqual([true, true]));
    expect(await opened.page.locator(".printed").count()).toBeLessThan(100);
    expect(await opened.judge()).toEqual([]);
    await opened.picture("long-log");
  });

  test("it names a reconcile that blocks the event loop, and shows when that was", async () => {
    await create("busy");
    await press("button", /^Now/u);
    await tells(".problems li", /mysql blocks the event loop.*reconciled default\/busy/su);
    await unfold("blocks the event loop");
    await press("button", "numbers at that time");
    await sees(".numbers-table", /blocked\s+\S+ m?s\s+(?:[2-9]\d\d ms|\d+\.\d s)/u);
    await opened.picture("blocked");
    await press("button", "Whole session");
    await press("button", "Back to now");
    expect(opened.problems).toEqual([]);
  });

  test("it shows what the webhook was asked, what it answered and patched, and the reconcile behind it", async () => {
    await press("button", /^Now/u);
    await unfold("mmysql.v1.apps.example.com is slow");
    await press("button", "a call of it");
    await sees(".chosen h2", "mutating webhook mmysql.v1.apps.example.com: CREATE");
    await sees(".chosen", /± patched.*allowed: true.*Patch.*\+ +foo: defaulted.*Request.*kind: MySQL/su);
    await opened.picture("webhook-call");
    expect(await opened.judge()).toEqual([]);
    await press("button", "mysqls.apps.example.com default/slow");
    await sees(
      ".reconciles li",
      /CREATE mutating webhook mmysql\.v1\.apps\.example\.com ± patched in \d+\.\d s/u,
    );
    await press("button", /UPDATE mutating webhook .*✓ allowed/u);
    await sees(".reconciles li", /For a request by controller-manager.*\+ +seen: "?yes"?/su);
    await opened.picture("webhooks");
    expect(await opened.judge()).toEqual([]);
    await press("button", "It was sent in a reconcile of mysql default/slow.");
    await sees(".chosen", /PATCH.*Webhooks that were asked.*UPDATE mutating webhook/su);
    expect(opened.problems).toEqual([]);
  });

  test("an object is deleted, and another one changed, though not into what the API server rejects", async () => {
    await press("button", /^Objects$/u);
    await press("treeitem", /MySQL default\/hot/u);
    await press("tab", "Edit");
    await press("button", "Delete");
    await sees("dialog", /Delete MySQL default\/hot\?.*ConfigMap default\/beat/su);
    await opened.picture("delete");
    expect(await opened.judge()).toEqual([]);
    await opened.page.keyboard.press("Enter");
    expect(await client.find(await mysql(), { namespace: "default", name: "hot" })).toBeDefined();
    await press("button", "Delete");
    await press("button", "Delete it");
    await eventually(async () =>
      expect(await client.find(await mysql(), { namespace: "default", name: "hot" })).toBeUndefined(),
    );

    await press("treeitem", /MySQL default\/mysql-sample/u);
    const yaml = opened.page.getByLabel("YAML");
    const before = await yaml.inputValue();
    await yaml.fill(before.replace("foo: bar", "foo: 5"));
    await press("button", "Check");
    await sees("#edit-told", /spec\.foo.*must be/su);
    await opened.picture("edit");
    await yaml.fill(before.replace("foo: bar", "foo: baz"));
    await press("button", "Apply");
    await sees("#edit-told", "applied");
    await press("tab", "Changes");
    await sees(".changes li", /changed by kubernetes-admin.*- +foo: bar.*\+ +foo: baz/su);
  });

  test("a request that is to fail does, and the reconcile that sent it is shown with its error", async () => {
    await press("button", /^Objects$/u);
    await opened.page.getByText("What if").click();
    await opened.page.locator("[name=verb]").selectOption("patch");
    await opened.page.locator("[name=resource]").fill("mysqls.apps.example.com/status");
    await opened.page.locator("[name=answer]").selectOption("500");
    await press("button", "Let them fail");
    await opened.page.getByText("What if").click();
    await create("unlucky");
    await press("button", /^Reconciles$/u);
    await press("button", /mysql default\/unlucky.*error/u);
    await sees(".chosen", /PATCH\s+\S+\/mysqls\/unlucky\/status\S*\s+500/u);
    await opened.picture("what-if");
    expect(opened.problems).toEqual([]);
  });

  test("one goes back to a moment, and the operator runs again from there", async () => {
    await press("button", /^Objects$/u);
    await press("treeitem", /MySQL default\/mysql-sample/u);
    await press("tab", "Changes");
    await opened.page
      .locator(".changes li", { hasText: "+     reason: Reconciled" })
      .last()
      .getByRole("button")
      .click();
    await eventually(async () =>
      expect(await opened.page.getByRole("treeitem", { name: /MySQL/u }).count()).toBe(1),
    );
    await opened.picture("time-travel");
    await press("button", "Go back to here");
    await sees("dialog", /Go back to .*\d+ objects return, \d+ go/su);
    await press("button", /^Go back$/u);
    await sees(".moment-bar output", "now");
    await sees(".moment-bar", /went back to .*objects return/u);
    const names = async () => (await client.list(await mysql())).map(({ metadata }) => metadata.name);
    await eventually(async () => expect(await names()).toEqual(["mysql-sample"]));
    await sees(".changes li", /brought back to how it was.*\+ +foo: bar/su);
  });

  test("the session is written out as a test of the project", async () => {
    await opened.page.getByText("What if").click();
    await press("button", "Write the session as a test");
    await sees(".actions", "written to src/controller/recorded.test.ts");
    expect(readFileSync(join(project.folder, "src/controller/recorded.test.ts"), "utf8")).toContain(
      "mysql-sample",
    );
  });

  test("the page shows a session that was recorded, and does nothing to it", async () => {
    await opened.close();
    await dev.stop();
    const replay = startTsbuilder(project, "replay", "session.jsonl", "--page");
    const page = (await replay.sees("see what happened: ")).slice("see what happened: ".length);
    opened = await openPage("program" in found ? found.program : "", page);
    await sees("header", "recorded");
    await press("button", /^Objects$/u);
    await press("treeitem", /MySQL default\/mysql-sample/u);
    await press("tab", "Changes");
    await sees(".changes li", /created by kubernetes-admin/u);
    expect(await opened.page.getByText("What if").count()).toBe(0);
    expect(await opened.page.getByRole("tab", { name: "Edit" }).count()).toBe(0);
    await opened.close();
    expect(await replay.stop()).toBe(0);
  });
});

function has(text: string | RegExp): (texts: readonly string[]) => boolean {
  return (texts) => texts.some((one) => (typeof text === "string" ? one.includes(text) : text.test(one)));
}

function edit({ folder }: Shell, path: string, change: (text: string) => string): void {
  const file = join(folder, path);
  const before = readFileSync(file, "utf8");
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(file, after);
}
