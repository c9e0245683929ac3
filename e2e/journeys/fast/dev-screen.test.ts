import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDevScreen } from "../../support/dev/dev-screen.ts";
import { eventually } from "../../support/eventually.ts";
import { initProject } from "../../support/projects/init-project.ts";
import { run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// `tsbuilder dev` at a real terminal: its screen, its keys, and the terminal after it.

const cli = join(repository, "bin/tsbuilder.js");
const types = "api/v1/mysql_types.ts";
const controller = "src/controller/mysql_controller.ts";
const logged = 'log.info("Reconciled MySQL");';
const failing = "log.info((mysql as unknown as { spec: { no: { no: string } } }).spec.no.no);";
let work: string;
let project: Shell;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "tsbuilder-screen-"));
  const folder = join(work, "mysql-operator");
  mkdirSync(folder);
  const browser = join(work, "browser");
  writeFileSync(browser, `#!/bin/sh\necho "$1" > "${work}/opened"\n`, { mode: 0o755 });
  project = { folder, env: { HOME: work, BROWSER: browser } };
  await initProject(project);
  await run(project, "node", cli, "create", "api", "--group", "apps", "--version", "v1", "--kind", "MySQL");
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

test("dev draws one screen, handles its keys, and restores the terminal", async () => {
  const terminal = openDevScreen(project, []);
  const sees = (text: string) => eventually(() => expect(terminal.screen()).toContain(text), terminal.watch);
  try {
    await sees("mysql-operator  https://127.0.0.1:");
    await sees("No objects yet");
    terminal.type("s");
    await sees("> ✓ MySQL default/mysql-sample  Ready=True (Reconciled)");
    await sees("info  Reconciled MySQL controller=mysql");
    expect(terminal.screen().split("\n")).toHaveLength(24);

    terminal.type("d");
    await sees("MySQL mysql-sample: last change");
    await sees("+    reason: Reconciled");
    expect(await isOperatorRunning()).toBe(true);

    edit(types, "foo?: string;", "foo?: ;");
    await sees(`${types}:11:9: Type expected.`);
    edit(types, "foo?: ;", "foo?: string;");
    await sees(`${types}: reloaded in`);
    expect(terminal.screen()).not.toContain("error:");
    terminal.type("d");

    edit(controller, logged, failing);
    await sees("Ready=True (Reconciled)  reconcile failed");
    await sees(`error Reconciler error at ${controller}:`);
    terminal.type("e");
    await sees("TypeError: Cannot read properties of undefined (reading 'no')");
    await sees(`at MySQLReconciler.reconcile (${controller}:`);
    edit(controller, failing, logged);
    await sees("The last reconcile of every object succeeded.");

    // Two keys at once.
    terminal.type("e?");
    await sees("the last change of the selected object");
    terminal.type("?");
    await sees("d diff");

    terminal.type("o");
    await sees("the page is open in your browser");
    const page = readFileSync(join(work, "opened"), "utf8").trim();
    expect(page).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#[\w-]{22,}$/u);
    expect(await (await fetch(page)).text()).toContain("<title>tsbuilder dev</title>");

    terminal.type("k");
    await eventually(() => expect(terminal.all()).toContain("\u001B[?1049l"), terminal.watch);
    terminal.type('echo "points at $KUBECONFIG"; exit\r');
    await eventually(
      () => expect(terminal.all()).toContain(`points at ${project.folder}/.tsbuilder/dev/kubeconfig`),
      terminal.watch,
    );
    terminal.type("d");
    await sees("d back");

    terminal.type("q");
    expect(await terminal.ended).toBe(0);
    expect(await isOperatorRunning()).toBe(false);
    const after = terminal.all().split("\u001B[?25h\u001B[?1049l").at(-1);
    expect(after).toContain("The operator's last lines:");
    expect(after).toContain("info  Stopped");
  } finally {
    terminal.kill();
  }
});

test("dev on a port in use prints a hint, with and without a terminal, and leaves no process", async () => {
  const { server, port } = await takePort();
  try {
    const plain = await tryRun(project, "node", cli, "dev", "--port", String(port));
    expect(plain).toMatchObject({ exitCode: 1 });
    expect(plain.stderr).toContain("the cluster's port is already in use\nhint: use another one with --port");

    expect(await isOperatorRunning()).toBe(false);
    const terminal = openDevScreen(project, ["--port", String(port)]);
    expect(await terminal.ended).toBe(1);
    const [, after = ""] = terminal.all().split("\u001B[?1049l");
    expect(after).toContain("the cluster's port is already in use");

    const kubeconfig = join(work, "kubeconfig");
    const args = ["cluster", "start", "--kubeconfig", kubeconfig, "--port", String(port)];
    const cluster = await tryRun(project, "node", cli, ...args);
    expect(cluster).toMatchObject({ exitCode: 1 });
    expect(cluster.stderr).toContain("hint: use another one with --port");
  } finally {
    server.close();
  }
});

test("tsbuilder test runs the project's tests on the embedded cluster, and fails if they fail", async () => {
  const passed = await run(project, "node", cli, "test");
  expect(stripVTControlCharacters(passed.stdout)).toContain("2 passed");
  const failed = await tryRun(project, "node", cli, "test", "--", "no-such-file");
  expect(failed.exitCode).toBe(1);
});

test("run reports that the kubeconfig's cluster does not respond", async () => {
  const { server, port } = await takePort();
  await new Promise((resolve) => server.close(resolve));
  const kubeconfig = join(work, "dead.kubeconfig");
  const dead = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "gone", cluster: { server: `https://127.0.0.1:${port}` } }],
    contexts: [{ name: "gone", context: { cluster: "gone", user: "gone" } }],
    users: [{ name: "gone", user: { token: "none" } }],
    "current-context": "gone",
  };
  writeFileSync(kubeconfig, JSON.stringify(dead));
  const { exitCode, stderr } = await tryRun(project, "node", cli, "run", "--kubeconfig", kubeconfig);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('the cluster of context "gone"');
  expect(stderr).toContain("does not respond");
});

function edit(file: string, from: string, to: string): void {
  const path = join(project.folder, file);
  const text = readFileSync(path, "utf8");
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}

async function isOperatorRunning(): Promise<boolean> {
  const { exitCode } = await tryRun(
    project,
    "pgrep",
    "-f",
    join(project.folder, ".tsbuilder/dev/operator.mjs"),
  );
  expect([0, 1]).toContain(exitCode);
  return exitCode === 0;
}

function takePort(): Promise<{ server: Server; port: number }> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      resolve({ server, port: (server.address() as { port: number }).port });
    });
  });
}
