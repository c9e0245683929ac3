import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../../../e2e/golden/golden-projects.ts";

const tsx = import.meta.resolve("tsx");
const main = join(import.meta.dirname, "../../start/from-source.ts");

let root: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "tsbuilder-watch-"));
  await run("init --domain example.com --project-name shop".split(" "), root);
  await run("create api --group apps --version v1 --kind Order".split(" "), root);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const types = "api/v1/order_types.ts";
const definition = "config/crd/bases/apps.example.com_orders.yaml";
const read = (path: string): string => readFileSync(join(root, path), "utf8");

describe("tsbuilder manifests --watch", () => {
  test("regenerates after edits, prints errors and keeps running, and exits with 0", async () => {
    const watching = startWatching();
    await watching.said("Watching api/");
    const before = read(types);
    const edit = (field: string): void =>
      writeFileSync(
        join(root, types),
        before.replace(/(interface OrderSpec[^{]*\{)/u, (head) => `${head}\n  ${field}`),
      );

    edit("// +kubebuilder:validation:MaxLength=7\n  code?: string;");
    await watching.said(`update ${definition}`);
    // A plan is printed before it is applied.
    await expect.poll(() => read(definition)).toContain("maxLength: 7");

    edit("// +kubebuilder:validation:MaxLenght=8\n  code?: string;");
    await watching.said("MaxLength");
    expect(watching.text()).toMatch(/api\/v1\/order_types\.ts:\d+:\d+: .*MaxLenght[^]*\^/u);
    expect(read(definition)).toContain("maxLength: 7");

    edit("// +kubebuilder:validation:MaxLength=9\n  code?: string;");
    await watching.said("have no errors any more");
    expect(read(definition)).toContain("maxLength: 9");

    expect(await watching.end()).toBe(0);
  });

  test("keeps the CRD while a source is empty, and sees editors that write by renaming", async () => {
    const watching = startWatching();
    await watching.said("Watching api/");
    const source = read(types);
    const withLimit = (limit: number): string =>
      source.replace(
        /(interface OrderSpec[^{]*\{)/u,
        (head) => `${head}\n  // +kubebuilder:validation:MaxLength=${limit}\n  code?: string;`,
      );
    const path = join(root, types);

    truncateSync(path);
    await watching.said(`"${types}" is empty`);
    expect(read(definition)).toContain("CustomResourceDefinition");
    writeFileSync(path, withLimit(3));
    await watching.said("have no errors any more");
    expect(read(definition)).toContain("maxLength: 3");

    writeFileSync(`${path}.tmp`, withLimit(4));
    renameSync(`${path}.tmp`, path);
    await watching.said(`update ${definition}`);

    expect(await watching.end()).toBe(0);
    expect(read(definition)).toContain("maxLength: 4");
    expect(watching.text()).not.toMatch(/^(?:delete|create)/mu);
  });

  test("and --check are mutually exclusive", async () => {
    await expect(run(["manifests", "--watch", "--check"], root)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });
});

interface Watching {
  readonly text: () => string;
  /** Waits for a text behind what was waited for before. */
  said(part: string): Promise<void>;
  end(): Promise<number | null>;
}

function startWatching(): Watching {
  const child: ChildProcess = spawn(
    process.execPath,
    ["--conditions=@tsbuilder/source", "--import", tsx, main, "manifests", "--watch"],
    { cwd: root, stdio: ["ignore", "pipe", "pipe"] },
  );
  const exited = once(child, "exit");
  let text = "";
  let seen = 0;
  child.stdout!.on("data", (data) => (text += String(data)));
  child.stderr!.on("data", (data) => (text += String(data)));
  return {
    text: () => text,
    async said(part) {
      while (!text.includes(part, seen)) {
        if (child.exitCode !== null) throw new Error(`the command ended: ${text}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      seen = text.indexOf(part, seen) + part.length;
    },
    async end() {
      child.kill("SIGINT");
      return ((await exited) as [number | null])[0];
    },
  };
}
