import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Client, createClient, loadConfig } from "@tsbuilder/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTsbuilder } from "./dev-process.ts";
import { eventually } from "../eventually.ts";
import { findPrograms, kubectlReleases } from "../kubectl-binaries.ts";
import { type Shell, tryRun } from "../shell.ts";
import { repository } from "../source-imports.ts";
import { editFile, scaffoldShop } from "../projects/webhook-project.ts";

const cli = join(repository, "bin/tsbuilder.js");
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** A cluster that runs independently of dev, and an administrator's kubeconfig for it. */
export interface Elsewhere {
  readonly kubeconfig: string;
  stop(): Promise<unknown>;
}

/** `tsbuilder dev --context` on a cluster that exists before and after it: one suite for two servers. */
export function devElsewhereSuite(name: string, start: (shell: Shell) => Promise<Elsewhere>): void {
  const programs = findPrograms(kubectlReleases.at(-1)!);
  const missing = "missing" in programs ? programs.missing : undefined;
  if (missing !== undefined) console.log(`left out: dev --context on ${name}: ${missing}`);

  describe.skipIf(missing !== undefined)(`dev --context on ${name}`, () => {
    const work = mkdtempSync(join(tmpdir(), "tsbuilder-elsewhere-"));
    let elsewhere: Elsewhere;
    let project: Shell;
    let client: Client;
    let before: string;

    beforeAll(async () => {
      if ("missing" in programs) return;
      const searchPath = `${dirname(programs.kubectl)}:${process.env["PATH"]}`;
      elsewhere = await start({ folder: work, env: { PATH: searchPath, HOME: work } });
      client = createClient(await loadConfig({ kubeconfig: elsewhere.kubeconfig, env: {} }));
      const kubeconfig = join(work, "kubeconfig");
      writeFileSync(kubeconfig, namedContext(elsewhere.kubeconfig));
      before = readFileSync(kubeconfig, "utf8");
      const env = { PATH: searchPath, HOME: work, KUBECONFIG: kubeconfig };
      project = await scaffoldShop(join(work, "shop-operator"), env);
    });

    afterAll(async () => {
      await elsewhere?.stop();
      rmSync(work, { recursive: true, force: true });
    });

    test("names the cluster and asks for confirmation; without a terminal it requires --yes", async () => {
      const asked = await tryRun(project, "node", cli, "dev", "--context", "elsewhere");
      expect(asked).toMatchObject({ exitCode: 1, stdout: "" });
      expect(asked.stderr).toContain('Developing in context "elsewhere" (https://127.0.0.1:');
      expect(asked.stderr).toContain("hint: confirm with --yes");
      const unknown = await tryRun(project, "node", cli, "dev", "--context", "nowhere", "--yes");
      expect(unknown.exitCode).toBe(1);
      expect(unknown.stderr).toContain("nowhere");
      expect(await names(definitions)).toEqual([]);
    });

    test("runs the operator as its ServiceAccount, and reports that webhooks are disabled", async () => {
      const dev = startTsbuilder(project, "dev", "--context", "elsewhere", "--yes", "--samples");
      try {
        await dev.sees("webhooks are disabled");
        await dev.sees("applied 2 samples");
        await dev.sees("Order default/order-sample: Ready=True (Reconciled)");
        const own = JSON.parse(
          readFileSync(join(project.folder, ".tsbuilder/dev/operator.kubeconfig"), "utf8"),
        ) as { users: [{ user: object }] };
        expect(Object.keys(own.users[0].user)).toEqual(["tokenFile"]);
        const controller = "src/controller/order_controller.ts";
        editFile(project, controller, 'reason: "Reconciled"', 'reason: "Edited"');
        await dev.sees("Order default/order-sample: Ready=True (Edited)");
        editFile(project, controller, "resources=orders,", "resources=others,");
        await dev.sees("+kubebuilder:rbac:groups=shop.example.com,resources=orders,verbs=");
        editFile(project, controller, "resources=others,", "resources=orders,");
        const second = startTsbuilder(project, "dev", "--context", "elsewhere", "--yes", "--persist");
        expect(await second.ended).toBe(1);
        await second.sees(
          "--persist, --port, --kubernetes-version and --nodes only apply to the embedded cluster",
        );
      } finally {
        expect(await dev.stop("SIGINT")).toBe(0);
      }
      await expectTakenBack();
      expect(await names("/apis/shop.example.com/v1/orders")).toEqual(["order-sample"]);
    });

    test("serves webhooks at an address that the cluster can reach, and removes them", async () => {
      editFile(
        project,
        "src/webhook/v1/order_defaulter.ts",
        "    log.debug",
        '    order.spec.foo = "set";\n    log.debug',
      );
      const address = ["--webhook-address", "127.0.0.1"];
      const dev = startTsbuilder(project, "dev", "--context", "elsewhere", "--yes", ...address);
      try {
        await dev.sees("cluster ready at");
        const path = "/apis/shop.example.com/v1/namespaces/default/orders";
        const body = { apiVersion: "shop.example.com/v1", kind: "Order", metadata: { name: "a" }, spec: {} };
        await eventually(async () => {
          const { text } = await client.request({ method: "POST", path: `${path}?dryRun=All`, body });
          expect(JSON.parse(text)).toMatchObject({ spec: { foo: "set" } });
        }, dev.watch);
        expect(await names("/apis/shop.example.com/v2/orders")).toEqual(["order-sample"]);
        expect(await names("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations")).toEqual([
          "shop-operator-dev-mutating-webhook-configuration",
        ]);
      } finally {
        expect(await dev.stop()).toBe(0);
      }
      await expectTakenBack();
      expect(await names("/apis/shop.example.com/v2/orders")).toEqual(["order-sample"]);
    });

    test("refuses to run where the operator is already deployed", async () => {
      const shell = { ...project, env: project.env };
      const deployed = await tryRun(shell, "node", cli, "deploy", "--context", "elsewhere");
      // Features that need cert-manager are not tested here.
      expect(deployed.stderr).toContain("cert-manager");
      const words = ["edit", "--disable", "cert-manager", "--enable", "self-signed"];
      expect(await tryRun(shell, "node", cli, ...words)).toMatchObject({ exitCode: 0 });
      expect(await tryRun(shell, "node", cli, "deploy", "--context", "elsewhere")).toMatchObject({
        exitCode: 0,
      });
      const refused = await tryRun(project, "node", cli, "dev", "--context", "elsewhere", "--yes");
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toContain(
        'the operator is already running in this cluster: deployment "shop-operator-controller-manager" in "shop-operator-system"',
      );
    });

    /** Nothing that dev made is left in the cluster, and nothing of the user was changed. */
    async function expectTakenBack(): Promise<void> {
      for (const path of [
        "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
        "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
        "/apis/rbac.authorization.k8s.io/v1/namespaces/shop-operator-dev/roles",
      ]) {
        expect((await names(path)).filter((each) => each.includes("shop-operator"))).toEqual([]);
      }
      const { text } = await client.request({ path: `${definitions}/orders.shop.example.com` });
      expect(JSON.parse(text)).toMatchObject({ spec: { conversion: { strategy: "None" } } });
      expect(readFileSync(join(work, "kubeconfig"), "utf8")).toBe(before);
      for (const file of ["kubeconfig", "operator.kubeconfig", "operator.token"])
        expect(existsSync(join(project.folder, ".tsbuilder/dev", file))).toBe(false);
      const left = await tryRun(project, "pgrep", "-f", join(project.folder, ".tsbuilder/dev/operator.mjs"));
      expect(left.stdout).toBe("");
    }

    async function names(path: string): Promise<string[]> {
      const { text } = await client.request({ path });
      const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] };
      return items.map(({ metadata }) => metadata.name);
    }
  });
}

/** The administrator's kubeconfig under a context of our own, beside a current context that must not be changed. */
function namedContext(kubeconfig: string): string {
  const config = JSON.parse(readFileSync(kubeconfig, "utf8")) as {
    contexts: { name: string; context: object }[];
  };
  const [first] = config.contexts;
  const precious = { name: "precious", cluster: { server: "https://127.0.0.1:1" } };
  return JSON.stringify({
    ...config,
    clusters: [...(config as unknown as { clusters: object[] }).clusters, precious],
    contexts: [
      { name: "elsewhere", context: first!.context },
      { name: "precious", context: { ...first!.context, cluster: "precious" } },
    ],
    "current-context": "precious",
  });
}
