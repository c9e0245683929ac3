import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type LongCommand, startTsbuilder } from "../../support/dev/dev-process.ts";
import { eventually } from "../../support/eventually.ts";
import { initProject } from "../../support/projects/init-project.ts";
import { folderChange } from "../../support/folder-change.ts";
import { run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";
import { editFile } from "../../support/projects/webhook-project.ts";

// Failures around `tsbuilder dev`: each case prints what to do, exits with a non-zero code if the session can't
// continue, and leaves no process behind. The project's path contains a space and a symbolic link.

const cli = join(repository, "bin/tsbuilder.js");
const types = "api/v1/mysql_types.ts";
let work: string;
let project: Shell;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "tsbuilder-failures-"));
  mkdirSync(join(work, "my projects/mysql-operator"), { recursive: true });
  symlinkSync(join(work, "my projects"), join(work, "link"));
  project = { folder: join(work, "link/mysql-operator"), env: { HOME: work } };
  await initProject(project);
  await run(project, "node", cli, "create", "api", "--group", "apps", "--version", "v1", "--kind", "MySQL");
});

afterEach(async () => {
  await eventually(async () => (await processes()) === "");
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

test.each<[string, (dev: LongCommand) => Promise<unknown>]>([
  [
    "while it generates",
    (dev) => eventually(() => existsSync(join(project.folder, ".tsbuilder/dev/pid")), dev.watch),
  ],
  [
    "when the cluster's kubeconfig is written",
    (dev) => eventually(() => existsSync(kubeconfig()), dev.watch),
  ],
  ["when the operator was started", (dev) => dev.sees("Starting")],
  ["when it is ready", (dev) => dev.sees("cluster ready at")],
  [
    "while it reloads",
    async (dev) => {
      await dev.sees("cluster ready at");
      // The bundle is written after the generated files and before the operator's next start.
      const bundled = folderChange(join(project.folder, ".tsbuilder/dev"));
      editFile(project, "src/controller/mysql_controller.ts", 'reason: "Reconciled"', 'reason: "Edited"');
      await bundled(dev.watch);
    },
  ],
])("Ctrl-C %s ends all of it", async (_, until) => {
  rmSync(kubeconfig(), { force: true });
  const dev = startTsbuilder(project, "dev");
  await until(dev);
  expect(await dev.stop("SIGINT")).toBe(0);
});

test("the operator of a killed session exits, and the next session starts", async () => {
  const dev = startTsbuilder(project, "dev", "--persist");
  await dev.sees("cluster ready at");
  expect(await processes()).not.toBe("");
  await dev.stop("SIGKILL");
  await eventually(async () => expect(await processes()).toBe(""));
  const next = startTsbuilder(project, "dev", "--persist");
  await next.sees("cluster ready at");
  await next.stop();
});

test("a second session in a project is rejected, and the first continues", async () => {
  const dev = startTsbuilder(project, "dev");
  try {
    await dev.sees("cluster ready at");
    const second = await tryRun(project, "node", cli, "dev");
    expect(second).toMatchObject({ exitCode: 1, stdout: "" });
    expect(second.stderr).toContain(`is already running in this project, as process ${dev.pid}`);
    editFile(project, types, "foo?: string;", "foo?: string; ");
    await dev.sees(`${types}: reloaded`);
  } finally {
    await dev.stop();
  }
});

test("a syntax error at the start is reported with file, line and column", async () => {
  editFile(project, types, "foo?: string;", "foo?: ;");
  const broken = await tryRun(project, "node", cli, "dev");
  editFile(project, types, "foo?: ;", "foo?: string;");
  expect(broken.exitCode).toBe(1);
  expect(broken.stderr).toContain(`${types}:11:9: Type expected.`);
});

test("an operator that exits at once is reported, and restarted after the next edit", async () => {
  const main = "src/main.ts";
  editFile(project, main, "await manager.start();", 'throw new Error("not like this");');
  const dev = startTsbuilder(project, "dev");
  try {
    await dev.sees("the operator exited with code 1");
    await dev.sees("src/main.ts:");
    editFile(project, main, 'throw new Error("not like this");', "await manager.start();");
    await dev.sees(`${main}: reloaded`);
    expect(await dev.sees("Starting workers")).toContain("controller=mysql");
  } finally {
    await dev.stop();
  }
});

test("a sample that the API server rejects is reported, and dev continues", async () => {
  const sample = "config/samples/apps_v1_mysql.yaml";
  editFile(project, sample, "foo: bar", "foo: [bar]");
  const dev = startTsbuilder(project, "dev", "--samples");
  try {
    await dev.sees('error: the cluster rejected MySQL "mysql-sample"');
    await dev.sees(`hint: fix it in ${sample}`);
    expect(dev.lines.join("\n")).not.toContain("internal error");
  } finally {
    editFile(project, sample, "foo: [bar]", "foo: bar");
    expect(await dev.stop()).toBe(0);
  }
});

test("a port in use, an unwritable folder and an unreachable cluster are reported with a hint", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await eventually(() => taken.address() !== null);
  const { port } = taken.address() as { port: number };
  const refused = await tryRun(project, "node", cli, "dev", "--port", String(port));
  taken.close();
  expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
  expect(refused.stderr).toContain("hint: use another one with --port");

  const file = join(work, "a-file");
  writeFileSync(file, "");
  const start = ["cluster", "start", "--kubeconfig", join(work, "kubeconfig")];
  const unwritable = await tryRun(project, "node", cli, ...start, "--data", join(file, "data"));
  expect(unwritable.exitCode).toBe(1);
  expect(unwritable.stderr).toContain("the cluster's objects cannot be persisted");

  const cluster = startTsbuilder(project, ...start);
  await cluster.sees("cluster ready at");
  await cluster.stop("SIGKILL");
  const gone = await tryRun(project, "node", cli, "dev", "--yes", "--kubeconfig", join(work, "kubeconfig"));
  expect(gone).toMatchObject({ exitCode: 1, stdout: "" });
  expect(gone.stderr).toContain("does not respond");
  expect(gone.stderr).not.toContain("internal error");
});

test("a cluster that forbids everything, or dies while dev uses it, is reported with what is left in it", async () => {
  const kubeconfig = join(work, "dying.kubeconfig");
  const cluster = startTsbuilder(project, "cluster", "start", "--kubeconfig", kubeconfig);
  try {
    await cluster.sees("cluster ready at");
    const weak = join(work, "weak.kubeconfig");
    writeFileSync(weak, await tokenConfig(kubeconfig));
    const refused = await tryRun(project, "node", cli, "dev", "--yes", "--kubeconfig", weak);
    expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
    expect(refused.stderr).toContain(
      'error: the cluster rejected CustomResourceDefinition "mysqls.apps.example.com"',
    );
    expect(refused.stderr).toContain("hint: ask the cluster's administrator for that permission");

    const dev = startTsbuilder(project, "dev", "--yes", "--kubeconfig", kubeconfig);
    await dev.sees("cluster ready at");
    await cluster.stop("SIGKILL");
    await dev.sees("error: lost the connection to the cluster");
    editFile(project, types, "foo?: string;", "foo?: string;\n  bar?: string;");
    await dev.sees("hint: check that it is running; then save again, or restart dev");
    editFile(project, types, "foo?: string;\n  bar?: string;", "foo?: string;");
    expect(await dev.stop("SIGINT")).toBe(1);
    expect(await dev.sees("left in the cluster:")).toContain("Role mysql-operator-dev-leader-election-role");
    await dev.sees("hint: once the cluster is available, start and stop dev there");
    expect(dev.lines.join("\n")).not.toContain("internal error");
  } finally {
    await cluster.stop("SIGKILL");
  }
});

const disk = smallDisk();
if (disk === undefined) console.log("left out: a full disk: no file system can be mounted here");

test.skipIf(disk === undefined)(
  "a full disk is reported to the writer, and acknowledged writes are kept",
  async () => {
    const data = join(disk!, "data");
    const config = join(work, "full.kubeconfig");
    const start = ["cluster", "start", "--kubeconfig", config, "--data", data, "--controllers", "none"];
    const cluster = startTsbuilder(project, ...start);
    try {
      await cluster.sees("cluster ready at");
      const client = createClient(await loadConfig({ kubeconfig: config, env: {} }));
      const stored: string[] = [];
      const fill = async (): Promise<void> => {
        for (let at = 0; at < 20; at += 1) {
          const metadata = { namespace: "default", name: `c${at}` };
          await client.create(ConfigMap, { metadata, data: { big: "x".repeat(400_000) } });
          stored.push(metadata.name);
        }
      };
      await expect(fill()).rejects.toThrow("no space left on device");
      expect(stored.length).toBeGreaterThan(0);
      await client.close();
      await cluster.stop();
      const again = startTsbuilder(project, ...start);
      await again.sees("cluster ready at");
      const after = createClient(await loadConfig({ kubeconfig: config, env: {} }));
      const kept = await after.list(ConfigMap, { namespace: "default", live: true });
      await after.close();
      await again.stop();
      const names = kept.map(({ metadata }) => metadata.name).filter((name) => /^c\d+$/.test(name));
      expect(names.toSorted()).toEqual(stored.toSorted());
    } finally {
      await cluster.stop();
      execFileSync("umount", [disk!]);
    }
  },
);

test("arguments after -- are passed to the operator, which reports unknown flags", async () => {
  const dev = startTsbuilder(project, "dev", "--", "--no-such-flag");
  await dev.sees("--no-such-flag");
  await dev.sees("the operator exited");
  expect(await dev.stop()).toBe(0);
});

/** A file system of 3 MB, if this machine allows one to be mounted. */
function smallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m", "tsbuilder-test", folder], { stdio: "ignore" });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
}

/** A kubeconfig of a user without any permission. */
async function tokenConfig(administrator: string): Promise<string> {
  const client = createClient(await loadConfig({ kubeconfig: administrator, env: {} }));
  const { text } = await client.request({
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts/default/token",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  });
  await client.close();
  const { token } = (JSON.parse(text) as { status: { token: string } }).status;
  const config = JSON.parse(readFileSync(administrator, "utf8")) as { users: { name: string }[] };
  return JSON.stringify({ ...config, users: config.users.map(({ name }) => ({ name, user: { token } })) });
}

function kubeconfig(): string {
  return join(project.folder, ".tsbuilder/dev/kubeconfig");
}

/** Running operators of this project, by either of its two paths. */
async function processes(): Promise<string> {
  const pattern = `${work}/.*/mysql-operator/.tsbuilder/dev/operator.mjs`;
  return (await tryRun(project, "pgrep", "-f", pattern)).stdout;
}
