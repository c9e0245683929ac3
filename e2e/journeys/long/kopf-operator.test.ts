import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTsbuilder } from "../../support/dev/dev-process.ts";
import type { Shell } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

/** An operator in Python, on kopf, with manifests that are laid out in no particular way. */
const greeter = join(repository, "e2e/support/operators/greeter");

const kopf = installKopf();
if (typeof kopf !== "string") console.log(`left out: an operator on kopf: ${kopf.missing}`);

/** Installs the pinned packages outside the checkout, once for each version of them; returns the program. */
function installKopf(): string | { readonly missing: string } {
  const requirements = join(greeter, "requirements.txt");
  const version = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "tsbuilder", `kopf-${version}`);
  const program = join(folder, "bin/kopf");
  if (existsSync(program)) return program;
  const partly = `${folder}.${process.pid}`;
  const steps = [
    ["python3", "-m", "venv", partly],
    [join(partly, "bin/pip"), "install", "--quiet", "--requirement", requirements],
  ];
  for (const [command = "", ...args] of steps) {
    const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
    if (status !== 0) return { missing: error?.message ?? stderr.trim().split("\n").at(-1) ?? "" };
  }
  // The programs of a virtual environment name its folder.
  const bin = join(partly, "bin/kopf");
  writeFileSync(bin, readFileSync(bin, "utf8").replaceAll(partly, folder));
  renameSync(partly, folder);
  return program;
}

describe.skipIf(typeof kopf !== "string")("an operator on kopf", () => {
  let work: string;
  let shell: Shell;
  beforeAll(() => {
    work = mkdtempSync(join(tmpdir(), "kopf-operator-"));
    cpSync(greeter, join(work, "greeter"), { recursive: true });
    shell = { folder: join(work, "greeter"), env: { XDG_STATE_HOME: join(work, "state") } };
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  test("dev --exec runs it on its manifests, and again after a save", async () => {
    const command = `${kopf as string} run greeter.py --all-namespaces --standalone`;
    const dev = startTsbuilder(
      shell,
      "dev",
      "--plain",
      "--samples",
      "--manifests",
      "deploy",
      "--exec",
      command,
    );
    try {
      await dev.sees("not applied: Deployment greeter: the command runs in its place");
      await dev.sees("[default/world] Handler 'greet' succeeded.");
      const file = join(shell.folder, "greeter.py");
      writeFileSync(file, `${readFileSync(file, "utf8")}\n\nprint("edited")\n`);
      await dev.sees("greeter.py: reloaded in");
      await dev.sees("operator | edited");
    } finally {
      expect(await dev.stop("SIGINT")).toBe(0);
    }
  });
});
