import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { timeoutIn } from "../../../.config/limits.ts";
import { eventually } from "../../support/eventually.ts";
import { repository } from "../../support/source-imports.ts";
import { type WatchedProcess, watchProcess } from "../../support/watched-process.ts";
import { editFile } from "../../support/projects/webhook-project.ts";
import { nodeAddress } from "../../oracle/real/node/addresses.ts";
import { type NodeProject, prepareNodeProject } from "../../oracle/real/node/node-project.ts";

// The development loop on a cluster of one's own, webhooks included. The tests depend on each other.

const { missing, start } = prepareNodeProject("dev --context on a real node");
let project: NodeProject;
let dev: WatchedProcess;

beforeAll(async () => {
  if (missing !== undefined) return;
  project = await start("shop-operator");
  const api = ["--group", "apps", "--version", "v1", "--kind", "Shop"];
  await project.create("init", "--domain", "example.com");
  await project.create("create", "api", ...api);
  await project.create("create", "webhook", ...api, "--defaulting");
  edit("src/webhook/v1/shop_defaulter.ts", "log.debug(", 'shop.spec.foo = "first";\n    log.debug(');
  const [nsenter = "", ...enter] = project.node.enter;
  const cli = join(repository, "bin/tsbuilder.js");
  const flags = ["--context", "real-node", "--yes", "--plain", "--webhook-address", `${nodeAddress}:9443`];
  const remembered = ["sh", "-c", `echo $$ > dev.pid && exec "$@"`, "sh"];
  const command = [...remembered, process.execPath, cli, "dev", ...flags, "--samples"];
  const words = ["env", `--chdir=${project.folder}`, ...command];
  const env = { ...process.env, KUBECONFIG: project.node.insideKubeconfig };
  dev = watchProcess(
    "tsbuilder dev",
    spawn(nsenter, [...enter, ...words], { env, stdio: ["ignore", "pipe", "pipe"] }),
  );
});

afterAll(async () => {
  await dev?.stop();
  await project?.node.stop();
});

test.skipIf(missing !== undefined)(
  "the sample passes the webhook on this machine and becomes ready",
  async () => {
    await eventually(async () => expect(await sample("{.spec.foo}")).toBe("first"), dev.watch);
    const ready = `wait shop/shop-sample --for=condition=Ready --timeout=${timeoutIn.journey}`;
    expect(await project.kubectl(ready)).toContain("condition met");
  },
);

test.skipIf(missing !== undefined)(
  "an edit of the webhook and of the reconciler is there without a command",
  async () => {
    edit("src/webhook/v1/shop_defaulter.ts", '"first"', '"second"');
    edit("src/controller/shop_controller.ts", 'reason: "Reconciled"', 'reason: "Edited"');
    await eventually(async () => {
      await project.kubectl("annotate shop shop-sample --overwrite", `at=${Date.now()}`);
      expect(await sample("{.spec.foo} {.status.conditions[0].reason}")).toBe("second Edited");
    }, dev.watch);
  },
);

test.skipIf(missing !== undefined)(
  "at its end its RBAC and webhooks are gone, and objects are kept",
  async () => {
    await project.inside.run("sh", "-c", "kill -TERM $(cat dev.pid)");
    expect(await dev.exited).toBe(0);
    const kinds =
      "clusterroles,clusterrolebindings,mutatingwebhookconfigurations,validatingwebhookconfigurations";
    const left = await project.kubectl(`get ${kinds} --output=name`);
    expect(left.split("\n").filter((name) => name.includes("shop"))).toEqual([]);
    expect(await sample("{.spec.foo}")).toBe("second");
  },
);

/** The sample's value at a path; the empty string before it exists. */
function sample(path: string): Promise<string> {
  return project.kubectl("get shop shop-sample --ignore-not-found", `--output=jsonpath=${path}`);
}

function edit(file: string, from: string, to: string): void {
  editFile({ folder: project.folder, env: {} }, file, from, to);
}
