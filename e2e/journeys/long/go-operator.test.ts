import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run, type Shell } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

/** An operator in Go, laid out as kubebuilder does, with an envtest suite. Neither knows anything of tsbuilder. */
const guestbook = join(repository, "e2e/support/operators/guestbook");
const cli = join(repository, "bin/tsbuilder.js");

const isLeftOut = spawnSync("go", ["version"]).status !== 0;
if (isLeftOut) console.log("left out: an operator in Go: there is no Go");

describe.skipIf(isLeftOut)("an operator in Go", () => {
  let work: string;
  let shell: Shell;

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), "go-operator-"));
    const folder = join(work, "guestbook");
    cpSync(guestbook, folder, { recursive: true });
    shell = { folder, env: { XDG_STATE_HOME: join(work, "state") } };
    await run(shell, "go", "test", "-c", "-vet=off", "-o", "bin/suite", "./internal/controller");
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  test.each([
    // As in the Makefile of a kubebuilder project, whose KUBEBUILDER_ASSETS has other programs.
    ["", "KUBEBUILDER_ASSETS=/nowhere "],
    // Then the suite waits for pods and for the garbage collector.
    [" --controllers all", ""],
  ])("envtest use%s gives its suite a cluster", async (flags, before) => {
    const script = `eval "$(node ${cli} envtest use${flags})" && cd internal/controller && ${before}../../bin/suite -test.v`;
    const { stdout } = await run(shell, "sh", "-c", script);
    expect(stdout).toContain("--- PASS: TestGuestbook");
  });
});
