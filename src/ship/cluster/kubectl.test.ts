import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { findTarget } from "./kubectl.ts";

let programs: string;

beforeAll(() => {
  programs = mkdtempSync(join(tmpdir(), "tsbuilder-kubectl-"));
  vi.stubEnv("PATH", programs);
});

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(programs, { recursive: true, force: true });
});

test.each([
  [
    {},
    "error: current-context must exist in order to minify",
    "no cluster is selected: the kubeconfig is missing or has no current context",
    /^set one: kubectl config use-context NAME/u,
  ],
  [
    { kubeconfig: "prod.yaml" },
    "error: current-context must exist in order to minify",
    'no cluster is selected: "prod.yaml" is missing or has no current context',
    /^set one: /u,
  ],
  [
    { context: "nope" },
    "error: cannot locate context nope",
    'the kubeconfig has no context "nope"',
    /get-contexts$/u,
  ],
])("findTarget() with %j says what %j means", async (choice, words, message, hint) => {
  writeFileSync(join(programs, "kubectl"), `#!/bin/sh\necho '${words}' >&2\nexit 1\n`, { mode: 0o755 });
  await expect(findTarget(choice)).rejects.toMatchObject({
    code: "CLUSTER_UNREACHABLE",
    message,
    hint: expect.stringMatching(hint) as string,
  });
});
