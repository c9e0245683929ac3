import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { explainOutput } from "../../book/explain-output.ts";
import { followRoute } from "../../book/follow-route.ts";
import { readDialogues } from "../../book/read-console.ts";
import { routes } from "../../book/written-routes.ts";
import { startTsbuilder } from "../../support/dev/dev-process.ts";
import { eventually } from "../../support/eventually.ts";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import { run } from "../../support/shell.ts";

// The quick start's commands beside `tsbuilder dev` run with the newest kubectl.

const programs = findPrograms("36");
if ("missing" in programs) console.log(`left out: the quick start's kubectl: ${programs.missing}`);
const parent = mkdtempSync(join(tmpdir(), "tsbuilder-dialogues-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

test.skipIf("missing" in programs)(
  "who follows the quick start sees in the cluster of dev what it shows",
  async () => {
    const route = routes.find(({ name }) => name === "quick-start")!;
    const followed = await followRoute(route, parent);
    const shell = { ...followed, env: { ...followed.env, HOME: parent } };
    const dev = startTsbuilder(shell, "dev", "--samples");
    try {
      await dev.sees("applied 1 sample");
      const kubectl = (programs as { readonly kubectl: string }).kubectl;
      const kubeconfig = join(shell.folder, ".tsbuilder/dev/kubeconfig");
      const user = {
        ...shell,
        env: { ...shell.env, KUBECONFIG: kubeconfig, PATH: `${dirname(kubectl)}:${process.env["PATH"]}` },
      };
      const child = (): Promise<unknown> => run(user, "kubectl", "get", "configmap", "shop-sample");
      await eventually(child, dev.watch);

      const dialogues = route.pages
        .flatMap(({ path, text }) => readDialogues(path, text))
        .filter(({ typed }) => typed.some((line) => line.startsWith("kubectl")));
      const differences: (string | undefined)[] = [];
      for (const { typed, shown } of dialogues)
        differences.push(explainOutput(shown, (await run(user, "bash", "-ec", typed.join("\n"))).stdout));
      expect(differences).toEqual([undefined, undefined]);

      // The last of them deletes it.
      await eventually(child, dev.watch);
    } finally {
      await dev.stop();
    }
  },
);
