import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Recorded } from "../../../src/dev/record/recorded.ts";
import { startTsbuilder } from "../../support/dev/dev-process.ts";
import { ownPort } from "../../support/own-port.ts";
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

  test("dev --exec brings its sample to readiness, builds it anew at each save, and names a right that it lacks", async () => {
    const record = join(work, "session.jsonl");
    const flags = {
      build: "go build -o bin/manager ./cmd",
      exec: "bin/manager --webhook-cert-path=$WEBHOOK_CERT_DIR",
      "webhook-port": await ownPort(),
      record,
    };
    const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const dev = startTsbuilder(shell, "dev", "--plain", "--samples", ...words);
    try {
      // The sample has no replicas: the operator's webhook sets them. Pods are the cluster's.
      await dev.sees("Guestbook default/hotel: Ready=True (PodsAvailable)");
      const controller = "internal/controller/guestbook_controller.go";
      change(controller, "PodsAvailable", "AllAvailable");
      await dev.sees(`${controller}: reloaded in`);
      await dev.sees("Guestbook default/hotel: Ready=True (AllAvailable)");

      change(controller, '"AllAvailable"', "undeclared");
      await dev.sees("error: the build ended with code 1");
      expect(dev.lines.join("\n")).toContain(`${controller}:`);

      change(controller, "undeclared", '"AllReady"');
      await dev.sees("Guestbook default/hotel: Ready=True (AllReady)");
      change("config/rbac/role.yaml", "patch, update, watch]", "watch]");
      await dev.sees("config/rbac/role.yaml: reloaded in");
      change(controller, "AllReady", "PodsAvailable");
      await dev.sees("error: the operator is not allowed to update deployments");
      await dev.sees('no role of ServiceAccount "controller-manager" in "guestbook-system" has that');
    } finally {
      expect(await dev.stop("SIGINT")).toBe(0);
    }
    const recorded = readFileSync(record, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Recorded);
    expect(recorded).toContainEqual(
      expect.objectContaining({
        type: "reconcile",
        request: "default/hotel",
        groupedBy: "time",
        outcome: "done",
      }),
    );
    expect(recorded).toContainEqual(expect.objectContaining({ type: "webhook", call: "mutating" }));
  });

  function change(file: string, from: string, to: string): void {
    const path = join(shell.folder, file);
    const text = readFileSync(path, "utf8");
    expect(text).toContain(from);
    writeFileSync(path, text.replaceAll(from, to));
  }
});
